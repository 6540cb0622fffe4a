"""Buttons and links."""

from __future__ import annotations

from typing import Literal

from reactpy import html
from reactpy.types import VdomDict

from fundwright_ui.runtime.events import handler
from fundwright_ui.ui.elements import Child, OnEvent, attributes, classes
from fundwright_ui.ui.icons import icon

ButtonVariant = Literal["contained", "outlined", "soft", "text"]
Size = Literal["small", "medium"]


def button(
    label: str,
    *,
    on_click: OnEvent = None,
    variant: ButtonVariant = "outlined",
    danger: bool = False,
    size: Size = "medium",
    block: bool = False,
    type: Literal["button", "submit"] = "button",
    name: str | None = None,
    value: str | None = None,
    disabled: bool = False,
    is_busy: bool = False,
    icon_name: str | None = None,
    aria_label: str | None = None,
    shortcut: str | None = None,
    closes: str | None = None,
    key: str | None = None,
) -> VdomDict:
    """A button. With an action, it shows while the action is running.

    Elsewhere, pass `is_busy=action.is_running`. A submit button adds the field `name` with `value` to its form. In a row of a
    list, `name` identifies the action (see `list_row`), and the key `shortcut` presses the button if the list has
    `data-row-keys`. An entry of a `menu` also `closes` it, by its id.
    """
    return html.button(
        attributes(
            type=type,
            name=name,
            value=value,
            className=_class_name(variant, danger=danger, size=size, block=block),
            disabled=True if disabled else None,
            aria_disabled=True if is_busy else None,
            aria_busy=True if is_busy else None,
            aria_label=aria_label,
            aria_keyshortcuts=shortcut,
            popoverTarget=closes,
            popoverTargetAction="hide" if closes else None,
            onClick=handler(on_click) if on_click is not None else None,
            key=key,
        ),
        icon(icon_name) if icon_name else None,
        label,
    )


def icon_button(
    label: str,
    icon_name: str,
    *,
    on_click: OnEvent = None,
    small: bool = False,
    type: Literal["button", "submit"] = "button",
    name: str | None = None,
    disabled: bool = False,
    pressed: bool | None = None,
    expanded: bool | None = None,
    opens: str | None = None,
    autofocus: bool = False,
    key: str | None = None,
) -> VdomDict:
    """A button with only an icon; `label` is its accessible name and tooltip, `name` is as for `button`. It shows and hides the
    popover with the id `opens`. With `autofocus`, it takes the focus when it appears."""
    return html.button(
        attributes(
            type=type,
            name=name,
            className=classes("fw-icon-button", "fw-icon-button-small" if small else None),
            aria_label=label,
            title=label,
            disabled=True if disabled else None,
            aria_pressed=pressed,
            aria_expanded=expanded,
            popoverTarget=opens,
            autoFocus=True if autofocus else None,
            onClick=handler(on_click) if on_click is not None else None,
            key=key,
        ),
        icon(icon_name),
    )


def menu(
    label: str,
    *entries: Child,
    id: str,
    icon_name: str = "more",
    variant: ButtonVariant | None = None,
    name: str | None = None,
    key: str | None = None,
) -> VdomDict:
    """Secondary buttons and links in a menu behind a button with dots or, with `variant`, behind a button with its label; `name` is as
    for `button`. The browser closes the menu on Escape and on a click elsewhere."""
    opener = (
        html.button({"type": "button", "className": _class_name(variant), "popoverTarget": id}, label, icon("expand_more"))
        if variant
        else icon_button(label, icon_name, opens=id, small=name is not None, name=name)
    )
    return html.div(
        attributes(className="fw-menu", key=key),
        opener,
        html.div({"className": "fw-menu-entries", "id": id, "popover": "auto"}, *entries),
    )


def link_button(
    label: str,
    href: str,
    *,
    variant: ButtonVariant = "outlined",
    size: Size = "medium",
    block: bool = False,
    icon_name: str | None = None,
    download: bool = False,
    new_tab: bool = False,
    key: str | None = None,
) -> VdomDict:
    """A link that looks like a button. Pass our own paths through `connection.href`."""
    return html.a(
        attributes(
            href=href,
            className=_class_name(variant, size=size, block=block),
            download=True if download else None,
            target="_blank" if new_tab else None,
            rel="noopener noreferrer" if new_tab else None,
            key=key,
        ),
        icon(icon_name) if icon_name else None,
        label,
    )


def text_link(label: str, href: str, *, new_tab: bool = False, key: str | None = None) -> VdomDict:
    """A link within text."""
    target = {"target": "_blank", "rel": "noopener noreferrer"} if new_tab else {}
    return html.a(attributes(href=href, className="fw-link", key=key, **target), label)


def _class_name(variant: ButtonVariant, *, danger: bool = False, size: Size = "medium", block: bool = False) -> str:
    return classes(
        "fw-button",
        f"fw-button-{variant}" if variant != "text" else None,
        "fw-button-danger" if danger else None,
        f"fw-button-{size}" if size != "medium" else None,
        "fw-button-block" if block else None,
    )
