"""What may appear over any screen: the re-authentication dialog, and the toast that undoes the last action."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from reactpy import component, html, use_state
from reactpy.types import VdomDict

from fundwright.core.messages import t
from fundwright_ui.hooks import use_action
from fundwright_ui.product import use_connection
from fundwright_ui.runtime.connection import Continuation, UndoOffer
from fundwright_ui.shell.reauthentication import reauthentication_dialog
from fundwright_ui.widgets import UndoToast


@dataclass(frozen=True)
class _Asked:
    resume: Continuation


@component
def prompts() -> VdomDict:
    """One component for both, because each would cost every open page 1 kB."""
    connection = use_connection()
    asked, set_asked = use_state(cast("_Asked | None", None))
    earlier = connection.undo_offer  # made in another area, whose layout had its own component
    offer, set_offer = use_state(earlier if earlier is not None and earlier.is_recent else None)

    def close_offer() -> None:
        connection.undo_offer = None
        set_offer(None)

    connection.ask_reauthentication = lambda resume: set_asked(_Asked(resume))
    connection.offer_undo = set_offer
    return html.fragment(
        reauthentication_dialog(asked.resume, lambda: set_asked(None)) if asked else None,
        _undo_toast(offer, close_offer, key=f"undo-{id(offer)}") if offer else None,
    )


@component
def _undo_toast(offer: UndoOffer, close: Callable[[], None]) -> VdomDict:
    undoing = use_action(offer.undo, success=t("Undone."), then=close)
    return UndoToast(message=offer.message, label=t("Undo"), on_undo=undoing, on_close=close)
