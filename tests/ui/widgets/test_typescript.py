"""The web client's types are generated from the declarations in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import pytest

from fundwright_ui.widgets import On, Props, Widget, typescript


class Mark(Props):
    is_big: bool
    kind: Literal["a", "b"] | None = None


class Struck(Props):
    at_second: float


class Clock(Widget):
    """Shows the time."""

    marks: Sequence[Mark]
    labels: Mapping[str, str | int]
    on_struck: On[Struck] = None


def test_declarations_become_interfaces() -> None:
    own, _, kit = typescript.source([Clock]).partition("\n/** The argument of the default export")
    assert "interface Kit" in kit
    assert own.split("\n\n", 1)[1] == (
        "export interface Mark {\n"
        "  readonly isBig: boolean;\n"
        '  readonly kind: "a" | "b" | null;\n'
        "}\n\n"
        "export interface Struck {\n"
        "  readonly atSecond: number;\n"
        "}\n\n"
        "/** Shows the time. */\n"
        "export interface ClockProps {\n"
        "  readonly marks: readonly Mark[];\n"
        "  readonly labels: Readonly<Record<string, string | number>>;\n"
        "  readonly onStruck?: (payload: Struck, onDone?: () => void) => void;\n"
        "}\n"
    )


def test_a_difference_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typescript, "TARGET", tmp_path / "widgets.ts")
    assert typescript.main(["--check"]) == 1
    assert typescript.main([]) == 0
    assert typescript.main(["--check"]) == 0
    (tmp_path / "widgets.ts").write_text("// changed by hand")
    assert typescript.main(["--check"]) == 1


def test_a_type_without_a_translation_is_refused() -> None:
    class Odd(Widget):
        thing: bytes

    with pytest.raises(TypeError, match="bytes"):
        typescript.source([Odd])
