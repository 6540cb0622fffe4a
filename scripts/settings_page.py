"""Writes the table of docs/settings.md from the fields of Settings; `--check` only tells whether it is as it should be."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pydantic import AliasChoices, SecretStr
from pydantic.fields import FieldInfo

from fundwright.core.settings import Settings

PAGE = Path(__file__).resolve().parent.parent / "docs/settings.md"
BEGIN, END = "<!-- settings:begin -->\n", "<!-- settings:end -->\n"


def table() -> str:
    rows = [f"| {names(name, field)} | {default(field)} | {field.description} |" for name, field in Settings.model_fields.items()]
    return "\n".join(["| Variable | Default | What it does |", "|---|---|---|", *rows]) + "\n"


def names(name: str, field: FieldInfo) -> str:
    alias = field.validation_alias
    found = alias.choices if isinstance(alias, AliasChoices) else [f"{Settings.model_config.get('env_prefix', '')}{name}"]
    return " or ".join(f"`{str(each).upper()}`" for each in found)


def default(field: FieldInfo) -> str:
    value: Any = field.default
    if value is None or isinstance(value, SecretStr):
        return "not set"
    written = json.dumps(value) if isinstance(value, (bool, list)) else str(value)
    return f"`{written}`"


def page() -> str:
    """The page as it should be: what stands around the table is kept."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + table() + END + after


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(0 if page() == PAGE.read_text() else "docs/settings.md is out of date. Run `make fix`.")
    PAGE.write_text(page())
