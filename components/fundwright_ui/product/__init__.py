"""Connects Fundwright and the runtime, which do not know each other: `host` implements the runtime's interfaces, and these hooks
give screens the actor, the connection, and saved state with Fundwright's own types."""

from __future__ import annotations

from fundwright_ui.product.connection import Connection, actor_of, id_in, parse_id, use_actor, use_connection
from fundwright_ui.product.presence import use_others, use_visit
from fundwright_ui.product.saved import SavedState, use_saved_state

__all__ = [
    "Connection",
    "SavedState",
    "actor_of",
    "id_in",
    "parse_id",
    "use_actor",
    "use_connection",
    "use_others",
    "use_saved_state",
    "use_visit",
]
