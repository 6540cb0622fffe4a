"""A plug-in with screens that would show known problems of server-driven interfaces. `pains/conftest.py` serves it."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from reactpy import component, html, use_ref, use_state
from reactpy.types import VdomDict

from fundwright.core.errors import DatabaseAway
from fundwright.core.plugins import hookimpl
from fundwright_ui import button, form, loading, problem, row, text_area, text_field, use_connection, use_query
from fundwright_ui.hooks import use_url_state
from fundwright_ui.runtime.router import Screen
from fundwright_ui.widgets import copy_button

ROWS = 200
DOZE_S = 4


@component
def typing_screen() -> VdomDict:
    """Fields that report every keystroke to the server, which sends back a normalized value."""
    plain, set_plain = use_state("")
    code, set_code = use_state("")
    name, set_name = use_state("")

    def change_code(text: str) -> None:
        set_code(text.upper())

    def leave_name(text: str) -> None:
        set_name(text.strip())

    return html.main(
        html.h1("Typing"),
        text_field("plain", "Plain", value=plain, on_change=set_plain),
        text_field("code", "Code", value=code, on_change=change_code),
        text_field("name", "Name", value=name, on_change=set_name, on_blur=leave_name),
        text_area("text", "Text", value=plain, on_change=set_plain, id="text"),
        html.p({"role": "status"}, f"[{plain}] [{code}] [{name}]"),
    )


def _hog() -> None:
    """A handler that blocks the event loop, which is a programming error: the server's log must name it."""
    time.sleep(0.5)


async def _doze() -> None:
    await asyncio.sleep(DOZE_S)


@component
def moving_screen() -> VdomDict:
    """A long list that grows at its top, and a part that can fail."""
    first, set_first = use_state(0)
    pressed, set_pressed = use_state(0)
    is_broken, set_broken = use_state(False)
    has_dozed = use_ref(False)

    async def press_in_line() -> None:
        """The first event takes a while; the others wait for it."""
        if not has_dozed.current:
            has_dozed.current = True
            await _doze()
        set_pressed(lambda n: n + 1)

    rows = [html.li({"key": str(n), "className": "fw-muted"}, html.a({"href": f"#{n}"}, f"Row {n}")) for n in range(first, ROWS)]
    return html.main(
        html.h1("Moving"),
        row(
            button("Press", on_click=lambda: set_pressed(lambda n: n + 1)),
            button("Grow", on_click=lambda: set_first(lambda n: n - 1)),
            button("Doze", on_click=_doze),
            button("Queue up", on_click=press_in_line),
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
    """Fails when it is first rendered while the switch is broken, and works on the next try."""
    switch.renderings += 1
    if switch.is_broken and switch.renderings < 2:
        raise RuntimeError("a secret detail")
    return html.p({"id": "fragile"}, "mended" if switch.is_broken else "whole")


class _Source:
    """The data that the slow screen reads. `is_broken` until it is repaired on any page."""

    is_broken = False


@component
def slow_screen() -> VdomDict:
    """A form above which data is loaded. Loading takes as many seconds as the address says, except in first paint."""
    connection, url = use_connection(), use_url_state(delay_s=("{text}",))
    delay_s = float(url.get("delay_s", "0"))
    saved, set_saved = use_state("")

    async def read(_session: object) -> str:
        await asyncio.sleep(delay_s if connection.is_live else 0)
        if _Source.is_broken:
            raise DatabaseAway
        return "What was read"

    def set_broken(is_broken: bool) -> None:  # a handler's payload
        _Source.is_broken = is_broken

    def save(fields: dict[str, str]) -> None:
        set_saved(fields["text"])

    def break_it() -> None:
        set_broken(True)
        found.reload()

    found = use_query(read)
    if found.error:
        return html.main(html.h1("Slow"), problem(found.error, on_retry=found.reload))
    if found.value is None:
        return html.main(html.h1("Slow"), loading())
    return html.main(
        html.h1("Slow"),
        html.p(found.value),
        form(
            text_area("text", "Text"),
            on_submit=save,
            label="Write",
            submit="Save",
        ),
        html.p({"role": "status"}, f"saved [{saved}]"),
        row(button("Break", on_click=break_it), button("Mend", on_click=lambda: set_broken(False))),
    )


@hookimpl
def screens() -> list[Screen]:
    return [
        Screen("/laboratory/typing", "Typing", typing_screen, area="public"),
        Screen("/laboratory/moving", "Moving", moving_screen, area="public"),
        Screen("/laboratory/slow", "Slow", slow_screen, area="public"),
    ]
