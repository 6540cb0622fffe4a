"""Copying to the clipboard."""

from __future__ import annotations

from reactpy.types import VdomDict

from fundwright.core.messages import t
from fundwright_ui.ui import button
from fundwright_ui.widgets.base import Widget


class CopyButton(Widget):
    """Copies `text` and confirms it. If the browser denies access to the clipboard, shows the text selected, to copy it by hand."""

    text: str
    label: str
    copied_label: str
    refused_label: str
    is_small: bool = False
    is_path: bool = False
    """Whether `text` is one of our paths. Its full address is copied then."""


def copy_button(text: str, label: str, *, is_small: bool = False, is_path: bool = False, key: str | None = None) -> VdomDict:
    """A `CopyButton` whose space is reserved before any script runs."""
    return CopyButton(
        text=text,
        label=label,
        copied_label=t("Copied"),
        refused_label=t("Your browser doesn't allow copying. Copy the selected text yourself."),
        is_small=is_small,
        is_path=is_path,
        key=key,
        fallback=[button(label, size="small" if is_small else "medium", disabled=True)],
    )
