"""What a form shows when someone else has changed what it edits."""

from __future__ import annotations

from reactpy import html
from reactpy.types import VdomDict

from fundwright.core.messages import t
from fundwright_ui.ui import alert, button, row
from fundwright_ui.ui.elements import Child, OnEvent


def saved_meanwhile(*saved: Child, is_kept: bool, on_keep: OnEvent, on_use: OnEvent) -> VdomDict:
    """The version that someone else has saved, below a form that keeps what the person typed. The person lets it be replaced (`on_keep`,
    then `is_kept`), or edits it instead (`on_use`)."""
    if is_kept:
        return alert(t("Saving will replace the other version with yours."), variant="info")
    return alert(
        t("Someone else has saved another version:"),
        html.div({"className": "fw-stack fw-stack-tight"}, *saved),
        row(
            button(t("Keep mine"), size="small", on_click=on_keep),
            button(t("Use the other one"), size="small", variant="text", on_click=on_use),
        ),
        variant="warning",
    )
