"""How strong a new password is."""

from __future__ import annotations

from reactpy import html
from reactpy.types import VdomDict

from fundwright.core.messages import t


def strength_meter(score: int) -> VdomDict:
    """`score` is that of `passwords.strength`, from 0 to 4."""
    words = (t("Very weak"), t("Weak"), t("Fair"), t("Strong"), t("Very strong"))
    return html.div(
        {"className": "fw-row", "aria-live": "polite"},
        html.meter({"className": "fw-meter", "min": 0, "max": 4, "value": score, "aria-label": t("Strength of the password")}),
        html.span({"className": "fw-muted"}, words[score]),
    )
