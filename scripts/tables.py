"""Writes the tables of docs/settings.md and docs/roles.md from the code; `--check` only tells whether they are as they should be."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import AliasChoices, SecretStr
from pydantic.fields import FieldInfo

import fundwright
from fundwright.core.settings import Settings
from fundwright.identity.schemas import GRANTED, Permission, Role

DOCS = Path(__file__).resolve().parent.parent / "docs"
BEGIN, END = "<!-- table:begin -->\n", "<!-- table:end -->\n"


class Service(NamedTuple):
    """A function of a slice's service that acts for somebody. `permission` is None when it asks for none."""

    name: str
    permission: Permission | None


def settings() -> str:
    rows = [
        f"| {_names(name, field)} | {_default(field)} | {field.description} |" for name, field in Settings.model_fields.items()
    ]
    return _table(("Variable", "Default", "What it does"), rows)


def roles() -> str:
    found = list(services())
    rows = [
        f"| `{permission}` | "
        + " | ".join("yes" if permission in GRANTED[role] else "" for role in Role)
        + f" | {', '.join(f'`{name}`' for name, needed in found if needed == permission)} |"
        for permission in Permission
    ]
    return _table(("Permission", *(f"`{role}`" for role in Role), "Services that need it"), rows)


TABLES: Mapping[Path, Callable[[], str]] = {DOCS / "settings.md": settings, DOCS / "roles.md": roles}


def services() -> Iterator[Service]:
    """Every public function with an `actor` in the `service` module of a slice, by name."""
    folder = Path(fundwright.__file__).parent
    for part in sorted(path.name for path in folder.iterdir() if path.is_dir()):
        if part.startswith("_") or find_spec(f"fundwright.{part}.service") is None:
            continue
        module = import_module(f"fundwright.{part}.service")
        for name, function in sorted(vars(module).items()):
            if _acts_for_somebody(function, module.__name__) and not name.startswith("_"):
                yield Service(f"{part}.{name}", getattr(function, "permission", None))


def _acts_for_somebody(value: Any, module: str) -> bool:
    return getattr(value, "__module__", None) == module and getattr(value, "__annotations__", {}).get("actor") == "Actor"


def page(path: Path) -> str:
    """The page as it should be: what stands around the table is kept."""
    before, _, rest = path.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + TABLES[path]() + END + after


def _table(head: tuple[str, ...], rows: list[str]) -> str:
    return "\n".join([f"| {' | '.join(head)} |", "|---" * len(head) + "|", *rows]) + "\n"


def _names(name: str, field: FieldInfo) -> str:
    alias = field.validation_alias
    found = alias.choices if isinstance(alias, AliasChoices) else [f"{Settings.model_config.get('env_prefix', '')}{name}"]
    return " or ".join(f"`{str(each).upper()}`" for each in found)


def _default(field: FieldInfo) -> str:
    value: Any = field.default
    if value is None or isinstance(value, SecretStr):
        return "not set"
    written = json.dumps(value) if isinstance(value, (bool, list)) else str(value)
    return f"`{written}`"


if __name__ == "__main__":
    wrong = [path for path in TABLES if page(path) != path.read_text()]
    if "--check" in sys.argv:
        sys.exit(f"{wrong[0].name} is out of date. Run `make fix`." if wrong else 0)
    for path in wrong:
        path.write_text(page(path))
