"""The signed-in actor."""

from __future__ import annotations

from fundwright.accounts.schemas import Actor
from fundwright_ui.runtime.connection import use_connection


def use_actor() -> Actor:
    """Return the signed-in actor. Only for screens of guarded areas; public screens read `use_connection().actor`."""
    actor = use_connection().actor
    if actor is None:
        raise RuntimeError("Nobody is signed in here: this component belongs on a screen of a guarded area.")
    return actor
