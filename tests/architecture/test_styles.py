"""Every style is worn by something: what a page cannot show must not travel with it."""

from __future__ import annotations

import re

from tests.architecture.tree import PROJECT

_CLASS = re.compile(r"\.(fw-[\w-]+)")
_NAMED = re.compile(r"\bfw-[\w-]+")
_MADE = re.compile(r"\b(fw-[\w-]+-)[{$]")
"""The beginning of a name that is made as `fw-chip-{color}`."""


def test_every_class_of_the_theme_is_given_to_something() -> None:
    styles = "".join(path.read_text() for path in (PROJECT / "web/src/theme").glob("*.css"))
    sources = [*(PROJECT / "components").rglob("*.py"), *(PROJECT / "web/src").rglob("*.ts*")]
    written = "".join(path.read_text() for path in sources)
    named, made = set(_NAMED.findall(written)), tuple(_MADE.findall(written))
    assert [name for name in sorted(set(_CLASS.findall(styles)) - named) if not name.startswith(made)] == []
