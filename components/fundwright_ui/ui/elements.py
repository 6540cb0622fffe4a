"""Types and helpers that the elements share."""

from __future__ import annotations

from typing import Any

from reactpy.types import Component, VdomDict

from fundwright_ui.runtime.events import Call, Handler

Child = Component | VdomDict | str | None
"""A child of an element; None shows nothing."""
OnEvent = Call | Handler | None
"""A function, a coroutine function, or an action."""


def attributes(**given: Any) -> dict[str, Any]:
    """Convert Python names to React attribute names: `aria_label` → `aria-label`; None is omitted."""
    return {
        name.replace("_", "-") if name.startswith(("aria_", "data_")) else name: value
        for name, value in given.items()
        if value is not None
    }


def share_of_width(share: float) -> str:
    """A length in an SVG, from 0 to 1 of the width of the picture."""
    return str(round(100 * share, 1)) + "%"


def classes(*names: str | None) -> str:
    return " ".join(name for name in names if name)
