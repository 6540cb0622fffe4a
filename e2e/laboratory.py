"""A plug-in with screens on which known pains of server-driven interfaces would show. `pains/conftest.py` serves it."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from reactpy import component, html, use_state
from reactpy.types import VdomDict

from fundwright.core.plugins import hookimpl
from fundwright_ui import button, row, text_area, text_field
from fundwright_ui.runtime.router import Screen
from fundwright_ui.widgets import copy_button

ROWS = 200
DOZE_S = 4


@component
def typing_screen() -> VdomDict:
    """Fields that the server hears of with each key, and sends back as it would have them."""
    plain, set_plain = use_state("")
    code, set_code = use_state("")
    name, set_name = use_state("")
    return html.main(
        html.h1("Typing"),
        text_field("plain", "Plain", value=plain, on_change=set_plain),
        text_field("code", "Code", value=code, on_change=lambda text: set_code(text.upper())),
        text_field("name", "Name", value=name, on_change=set_name, on_blur=lambda text: set_name(text.strip())),
        text_area("text", "Text", value=plain, on_change=set_plain, id="text"),
        html.p({"role": "status"}, f"[{plain}] [{code}] [{name}]"),
    )


def _hog() -> None:
    """What a handler must never do: nobody else is answered until it is over, and the server's log has to name it."""
    time.sleep(0.5)


async def _doze() -> None:
    await asyncio.sleep(DOZE_S)


@component
def moving_screen() -> VdomDict:
    """A long list that grows at its top, and a part that can fail."""
    first, set_first = use_state(0)
    pressed, set_pressed = use_state(0)
    is_broken, set_broken = use_state(False)
    rows = [html.li({"key": str(n), "className": "fw-muted"}, html.a({"href": f"#{n}"}, f"Row {n}")) for n in range(first, ROWS)]
    return html.main(
        html.h1("Moving"),
        row(
            button("Press", on_click=lambda: set_pressed(lambda n: n + 1)),
            button("Grow", on_click=lambda: set_first(lambda n: n - 1)),
            button("Doze", on_click=_doze),
            button("Hog", on_click=_hog),
            button("Break" if not is_broken else "Mend", on_click=lambda: set_broken(not is_broken)),
        ),
        html.p({"role": "status"}, f"pressed {pressed}"),
        text_field("note", "Note"),
        _fragile(_Switch(is_broken=is_broken)),
        copy_button("copied", "Copy"),
        html.ul(*rows),
    )


class _Switch:
    def __init__(self, *, is_broken: bool) -> None:
        self.is_broken = is_broken
        self.renderings = 0


@component
def _fragile(switch: _Switch) -> Any:
    """Fails when it is first rendered with a broken switch, and works when it is tried again."""
    switch.renderings += 1
    if switch.is_broken and switch.renderings < 2:
        raise RuntimeError("a secret detail")
    return html.p({"id": "fragile"}, "mended" if switch.is_broken else "whole")


@hookimpl
def screens() -> list[Screen]:
    return [
        Screen("/laboratory/typing", "Typing", typing_screen, area="public"),
        Screen("/laboratory/moving", "Moving", moving_screen, area="public"),
    ]
