"""Passkeys, and the dialog for re-authentication."""

from __future__ import annotations

from fundwright.core.messages import t
from fundwright_ui.widgets.base import Nothing, On, Props, Widget


class PasskeyAnswered(Props):
    credential: str
    """The browser's response as JSON."""


class PasskeyRefused(Props):
    reason: str
    """The browser's name of the error: `NotAllowedError` if the person canceled, `InvalidStateError` if the device already has
    a passkey."""


class Passkey(Widget):
    """Asks the browser for a passkey as soon as `options` are set. With a `label`, it is a button that requests the options.

    If the browser does not support passkeys, it shows `unsupported_label` or nothing.
    """

    label: str = ""
    unsupported_label: str = ""
    options: str = ""
    is_block: bool = False
    on_start: On[Nothing] = None
    on_answer: On[PasskeyAnswered] = None
    on_refused: On[PasskeyRefused] = None


class Reauthentication(Props):
    password: str
    code: str


class ReauthenticationDialog(Widget):
    """Asks for the password or a code (depending on which has a label), or for a passkey if `passkey_label` is given."""

    title: str
    text: str
    password_label: str
    code_label: str = ""
    passkey_label: str = ""
    confirm_label: str
    cancel_label: str
    error: str = ""
    options: str = ""
    is_busy: bool = False
    on_reauthenticate: On[Reauthentication] = None
    on_cancel: On[Nothing] = None
    on_start: On[Nothing] = None
    on_answer: On[PasskeyAnswered] = None
    on_refused: On[PasskeyRefused] = None


def refusal_of(refused: PasskeyRefused) -> str:
    """The error message for a person whose browser returned no passkey."""
    if refused.reason == "InvalidStateError":
        return t("This device already has a passkey for your account.")
    return t("No passkey was received: the request was canceled or took too long. Try again.")
