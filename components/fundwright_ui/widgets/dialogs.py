"""Menus, dialogs, and drawers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from pydantic import BaseModel
from reactpy.types import VdomDict

from fundwright.core.messages import Language as LanguageCode
from fundwright.core.messages import t
from fundwright_ui.ui import button, form
from fundwright_ui.ui.elements import Child, OnEvent
from fundwright_ui.widgets.base import Nothing, On, Props, Slot, Widget


class ConfirmDialog(Widget):
    """Ask for confirmation, and show that the action is running. Render it only while it is needed, or keep it with `is_open`;
    close it after the action has succeeded, and pass the `error` of one that has failed."""

    is_open: bool
    title: str
    text: str = ""
    confirm_label: str
    cancel_label: str
    is_danger: bool = False
    error: str = ""
    on_confirm: On[Nothing] = None
    on_cancel: On[Nothing] = None


def danger_dialog(
    title: str,
    text: str,
    *,
    confirm_label: str,
    on_confirm: On[Nothing],
    on_cancel: On[Nothing],
    cancel_label: str = "",
    error: str | None = None,
    is_open: bool = True,
    key: str | None = None,
) -> VdomDict:
    """Ask for confirmation of an action that cannot be undone. Pass the `error` of the action."""
    return ConfirmDialog(
        is_open=is_open,
        title=title,
        text=text,
        confirm_label=confirm_label,
        cancel_label=cancel_label or t("Cancel"),
        is_danger=True,
        error=error or "",
        on_confirm=on_confirm,
        on_cancel=on_cancel,
        key=key,
    )


def delete_dialog(
    title: str, text: str, *, on_confirm: On[Nothing], on_cancel: On[Nothing], error: str | None = None
) -> VdomDict:
    """Ask for confirmation of a deletion. Render it only while it is open; pass the `error` of the action."""
    return danger_dialog(title, text, confirm_label=t("Delete"), on_confirm=on_confirm, on_cancel=on_cancel, error=error)


class FormDialog(Widget):
    """A server-rendered form in a dialog. See `form_dialog`."""

    is_open: bool
    title: str
    children: Slot = ()
    on_close: On[Nothing] = None


def form_dialog(
    title: str,
    *fields: Child,
    is_open: bool,
    on_submit: OnEvent,
    on_close: On[Nothing],
    model: type[BaseModel] | None = None,
    submit: str | None = None,
    name: str | None = None,
    danger: bool = False,
    based_on: datetime | Literal[""] | None = None,
    key: str | None = None,
) -> VdomDict:
    """A form in a dialog; `on_submit`, `model`, `submit`, `name`, `danger`, and `based_on` as for `form`. Keep it rendered, so that it opens immediately, and
    close it after the action has succeeded. Cancel and Escape call `on_close`."""
    cancel = button(t("Cancel"), on_click=on_close)
    content = [
        form(
            *fields,
            on_submit=on_submit,
            model=model,
            submit=submit or t("Save"),
            actions=[cancel],
            label=title,
            name=name,
            danger=danger,
            based_on=based_on,
        )
    ]
    return FormDialog(is_open=is_open, title=title, children=content if is_open else (), on_close=on_close, key=key)


class AccountLink(Props):
    label: str
    href: str
    is_current: bool = False
    """It leads to the open page."""


class AccountMenu(Widget):
    """The avatar with its menu: the account, links, and logging out."""

    name: str
    email: str
    photo: str = ""
    """Address of the photo; "" shows the initial."""
    label: str
    links: Sequence[AccountLink] = ()
    logout_label: str
    on_logout: On[Nothing] = None


class Language(Props):
    code: LanguageCode
    label: str


class LanguageChosen(Props):
    code: LanguageCode


class OfferedLanguage(Props):
    """The texts are in this language."""

    code: LanguageCode
    accept: str
    dismiss: str


class LanguageOffer(Widget):
    """Offers the browser's language, if it is one of these, once in a browser."""

    languages: Sequence[OfferedLanguage]


class SettingsDrawer(Widget):
    """Theme, direction, color, and width, saved by the browser; and the language, also saved for the account."""

    language: str
    languages: Sequence[Language]
    on_language: On[LanguageChosen] = None
