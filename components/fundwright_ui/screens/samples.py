"""The notice that a screen shows samples: one line, which can be dismissed, and whose button removes them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.messages import t
from fundwright_ui.hooks import use_action
from fundwright_ui.product import use_saved_state
from fundwright_ui.ui import button, icon_button
from fundwright_ui.widgets import danger_dialog

Work = Callable[[AsyncSession], Awaitable[object]]


@component
def sample_notice(
    message: str,
    *,
    of: str,
    question: str,
    consequence: str,
    removed: str,
    remove: Work | None,
    restore: Work,
    then: Callable[[], object] = lambda: None,
) -> VdomDict:
    """`of` names what the samples are, so that the account keeps whether this notice was dismissed. Nobody who may not `remove` the
    samples gets the button. A toast offers to `restore` them."""
    dismissed = use_saved_state(f"samples.{of}.dismissed", False)
    is_asking, set_asking = use_state(False)

    async def undo(session: AsyncSession) -> None:
        await restore(session)

    def settle() -> None:
        set_asking(False)
        then()

    removing = use_action(remove or restore, success=removed, undo=undo, then=settle)
    if dismissed.value:
        return html.fragment()
    return html.div(
        {"className": "fw-notice", "role": "status"},
        html.span(message),
        button(t("Remove samples"), size="small", variant="text", on_click=lambda: set_asking(True)) if remove else None,
        danger_dialog(
            question,
            consequence,
            is_open=is_asking,
            confirm_label=t("Remove"),
            cancel_label=t("Keep"),
            error=removing.error,
            on_confirm=removing,
            on_cancel=lambda: set_asking(False),
        )
        if remove
        else None,
        icon_button(t("Dismiss"), "close", small=True, on_click=lambda: dismissed.set(True)),
    )
