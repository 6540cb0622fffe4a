"""Server-rendered nodes inside a widget."""

from __future__ import annotations

from typing import Any

from reactpy import component, html, use_state
from reactpy.types import VdomDict

from fundwright.core.assembly import Core
from fundwright_ui import Slot, Widget, button, form_dialog, text_field
from fundwright_ui.runtime.diff import Node, apply, diff
from fundwright_ui.runtime.html import to_html
from fundwright_ui.runtime.vdom import to_node
from fundwright_ui.testing import mounted
from fundwright_ui.widgets import typescript


class Panel(Widget):
    """A frame with a footer."""

    title: str
    children: Slot = ()
    foot_note: Slot = ()


@component
def counter(name: str) -> VdomDict:
    count, set_count = use_state(0)
    return button(f"{name} {count}", on_click=lambda: set_count(count + 1))


def test_the_first_paint_has_the_fallback_and_then_the_slots() -> None:
    panel = Panel(title="Note", children=[html.p("One")], foot_note=["Two"], fallback=[html.h2("Note")])
    assert to_html(to_node(panel)) == '<div data-widget="Panel"><h2>Note</h2><p>One</p>Two</div>'


def test_a_change_in_a_slot_travels_alone() -> None:
    def panel(text: str, *foot: Any) -> Node:
        return to_node(Panel(title="Note", children=[html.p("Same"), html.p(text)], foot_note=foot))

    before, after = panel("One"), panel("Two", "Foot")
    operations = diff(before, after)
    assert operations[0] == ["set", [0, 1, 0], "Two"]
    assert "Same" not in str(operations)
    assert apply(before, operations) == after


async def test_components_in_a_slot_live_there(committed: Core) -> None:
    @component
    def shown() -> VdomDict:
        title, set_title = use_state("Note")
        rename = button("Rename", on_click=lambda: set_title("Other"))
        return html.div(rename, Panel(title=title, children=[counter("Left")], foot_note=[counter("Right")]))

    async with mounted(committed, None, shown) as screen:
        await screen.click("button", "Left 0")
        await screen.click("button", "Right 0")
        await screen.click("button", "Rename")
        await screen.click("button", "Right 1")
        assert [each.text for each in screen.elements("button")] == ["Rename", "Left 1", "Right 2"]
        assert screen.props("Panel")["title"] == "Other"


def test_typescript_has_the_slots_as_nodes() -> None:
    source = typescript.source([Panel])
    assert 'import type { ReactNode } from "react";' in source
    assert "  readonly title: string;\n  readonly children?: ReactNode;\n  readonly footNote?: ReactNode;\n" in source


async def test_a_form_in_a_dialog_is_there_while_it_is_open(committed: Core) -> None:
    kept: list[dict[str, Any]] = []

    @component
    def notes() -> VdomDict:
        is_open, set_open = use_state(False)

        def keep(fields: dict[str, Any]) -> None:
            kept.append(fields)
            set_open(False)

        fields = text_field("text", "Text")
        dialog = form_dialog("New note", fields, is_open=is_open, on_submit=keep, on_close=lambda: set_open(False), submit="Add")
        return html.div(button("Open", on_click=lambda: set_open(True)), dialog)

    async with mounted(committed, None, notes) as screen:
        assert not screen.has("textbox", "Text")
        await screen.click("button", "Open")
        await screen.click("button", "Cancel")
        assert not screen.has("textbox", "Text")
        await screen.click("button", "Open")
        await screen.type("Text", "Hello")
        await screen.click("button", "Add")
        assert not screen.has("textbox", "Text")
    assert [each["text"] for each in kept] == ["Hello"]
