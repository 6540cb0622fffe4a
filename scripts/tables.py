"""Writes the tables of docs/settings.md and docs/roles.md from the code; `--check` only reports whether they are up to date."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, NamedTuple

from pydantic import SecretStr
from pydantic.fields import FieldInfo

import fundwright
from fundwright.accounts.schemas import GRANTED, Permission, Role
from fundwright.core.settings import Settings

DOCS = Path(__file__).resolve().parent.parent / "docs"
BEGIN, END = "<!-- table:begin -->\n", "<!-- table:end -->\n"


class Service(NamedTuple):
    """A function of a slice that acts for an account. `permission` is None if it requires none."""

    name: str
    function: Callable[..., Any]
    permission: Permission | None


def settings() -> str:
    rows = [f"| {_names(name)} | {_default(field)} | {field.description} |" for name, field in Settings.model_fields.items()]
    return _table(("Variable", "Default", "What it does"), rows)


def roles() -> str:
    found = list(services())
    rows = [
        f"| `{permission}` | "
        + " | ".join("yes" if permission in GRANTED[role] else "" for role in Role)
        + f" | {', '.join(f'`{each.name}`' for each in found if each.permission == permission)} |"
        for permission in Permission
    ]
    return _table(("Permission", *(f"`{role}`" for role in Role), "Services that need it"), rows)


TABLES: Mapping[Path, Callable[[], str]] = {DOCS / "settings.md": settings, DOCS / "roles.md": roles}


NOT_SERVICES = {"dependencies", "request_authentication", "repository", "permissions", "schemas"}


def services() -> Iterator[Service]:
    """Every public function with an `actor` in a slice, by name, except routes and queries: services call them."""
    for package in iter_modules(fundwright.__path__):
        if not package.ispkg or package.name == "cli":
            continue
        for part in iter_modules(import_module(f"fundwright.{package.name}").__path__):
            if part.name.endswith("api") or part.name in NOT_SERVICES:
                continue
            module = import_module(f"fundwright.{package.name}.{part.name}")
            place = package.name if part.name == "service" else f"{package.name}.{part.name}"
            for name, function in sorted(vars(module).items()):
                if _acts_for_somebody(function, module.__name__) and not name.startswith("_"):
                    yield Service(f"{place}.{name}", function, getattr(function, "permission", None))


def _acts_for_somebody(value: Any, module: str) -> bool:
    return getattr(value, "__module__", None) == module and getattr(value, "__annotations__", {}).get("actor") == "Actor"


def page(path: Path) -> str:
    """The page with an up-to-date table; the text around it is kept."""
    before, _, rest = path.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + TABLES[path]() + END + after


def _table(head: tuple[str, ...], rows: list[str]) -> str:
    return "\n".join([f"| {' | '.join(head)} |", "|---" * len(head) + "|", *rows]) + "\n"


def _names(name: str) -> str:
    return " or ".join(f"`{variable}`" for variable in Settings.variables(name))


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
