"""Leaving a component as it is shown."""

from __future__ import annotations

from fundwright_ui.runtime.connection import use_connection
from fundwright_ui.runtime.layout import can_stay_unchanged, use_kept


def use_unchanged(*given: object) -> bool:
    """Whether the component may return UNCHANGED because `given` is as in its last rendering. All of its content must depend only on
    `given` and the actor, whose role may change, or have a state of its own in a component below."""
    given = (use_connection().actor, *given)
    last = use_kept(list[object])
    is_same = can_stay_unchanged() and last == list(given)
    last[:] = given
    return is_same
