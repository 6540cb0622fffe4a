"""Password fields: showing the content, and the strength of a new password."""

from __future__ import annotations

from typing import Literal

from reactpy import html, use_state
from reactpy.types import VdomDict

from fundwright.core.messages import t
from fundwright_ui.ui.buttons import icon_button


def use_visibility() -> tuple[Literal["text", "password"], VdomDict]:
    """A hook: the `type` of a password field, and the button at its `end` that shows or hides the content."""
    is_visible, set_visible = use_state(False)
    toggle = icon_button(
        t("Hide password") if is_visible else t("Show password"),
        "visibility_off" if is_visible else "visibility",
        on_click=lambda: set_visible(not is_visible),
    )
    return "text" if is_visible else "password", toggle


def strength_meter(score: int) -> VdomDict:
    """`score` is the result of `passwords.strength`, from 0 to 4."""
    words = (t("Very weak"), t("Weak"), t("Fair"), t("Strong"), t("Very strong"))
    return html.div(
        {"className": "fw-row", "aria-live": "polite"},
        html.meter({"className": "fw-meter", "min": 0, "max": 4, "value": score, "aria-label": t("Password strength")}),
        html.span({"className": "fw-muted"}, words[score]),
    )
