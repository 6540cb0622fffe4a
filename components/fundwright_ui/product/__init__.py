"""What stands between Fundwright and the runtime, which knows neither: `host` fills in what the runtime asks for, and these hooks
give screens the actor, the connection, and saved state as the types that Fundwright has for them."""

from __future__ import annotations

from fundwright_ui.product.connection import Connection, parse_id, use_actor, use_connection
from fundwright_ui.product.saved import SavedState, use_saved_state

__all__ = ["Connection", "SavedState", "parse_id", "use_actor", "use_connection", "use_saved_state"]
