"""`fundwright settings`: current settings, including those of packages."""

from __future__ import annotations

import json
from collections.abc import Iterator

import typer
from pydantic import SecretStr

from fundwright.cli.context import AsJson, Options, emit, load_plugins
from fundwright.core.settings import PackageSettings


def add_to(app: typer.Typer) -> None:
    app.command("settings")(show)


def show(context: typer.Context, as_json: AsJson = False) -> None:
    """List every setting with its current value. Secrets are not shown."""
    options: Options = context.obj
    kinds: list[type[PackageSettings]] = load_plugins().collect("settings")
    found = dict(pair for each in (options.settings, *(kind.read() for kind in kinds)) for pair in _values(each))
    emit(found, as_json=as_json, human="\n".join(f"{name}={json.dumps(value, default=str)}" for name, value in found.items()))


def _values(settings: PackageSettings) -> Iterator[tuple[str, object]]:
    for name in type(settings).model_fields:
        value: object = getattr(settings, name)
        yield settings.variables(name)[0], "(secret)" if isinstance(value, SecretStr) else value
