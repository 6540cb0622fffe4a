"""The actions of a section of a draft or a template."""

from __future__ import annotations

from reactpy.types import VdomDict

from fundwright.core.messages import t
from fundwright_ui.ui import button
from fundwright_ui.ui.elements import OnEvent


def edit_button(heading: str, on_click: OnEvent) -> VdomDict:
    return button(
        t("Edit"),
        size="small",
        variant="text",
        icon_name="edit",
        aria_label=t("Edit {heading}", heading=heading),
        on_click=on_click,
        key="edit",
    )


def menu_entry(
    label: str, name: str, on_click: OnEvent, *, closes: str, is_possible: bool = True, danger: bool = False
) -> VdomDict:
    """An entry of the menu with the id `closes`. Its `name` also says which section is meant."""
    return button(
        label,
        variant="text",
        aria_label=name,
        on_click=on_click,
        disabled=not is_possible,
        danger=danger,
        closes=closes,
        key=label,
    )
