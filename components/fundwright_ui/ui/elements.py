"""Shared vocabulary of the primitives."""

from __future__ import annotations

from typing import Any

from reactpy.types import Component, VdomDict

from fundwright_ui.runtime.events import Call, Handler

Child = Component | VdomDict | str | None
"""What may stand inside an element; None shows nothing."""
OnEvent = Call | Handler | None
"""A function, a coroutine function or an action."""


def attributes(**given: Any) -> dict[str, Any]:
    """React attribute names from Python's: `aria_label` → `aria-label`; None is left out."""
    return {
        name.replace("_", "-") if name.startswith(("aria_", "data_")) else name: value
        for name, value in given.items()
        if value is not None
    }


def classes(*names: str | None) -> str:
    return " ".join(name for name in names if name)
