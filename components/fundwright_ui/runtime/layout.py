"""ReactPy's layout with what a product needs: ordered events, and failures that stay where they happen."""

from __future__ import annotations

from typing import Any

import structlog
from reactpy.core.layout import Layout
from reactpy.types import Event

from fundwright_ui.runtime.faults import new_error_id

log = structlog.get_logger()


class GuardedLayout(Layout):
    """Runs handlers one after the other and raises what they raise; a component that fails becomes a problem node."""

    async def handle(self, target: str, data: dict[str, Any], seq: int) -> bool:
        """Run the handler named `target`. False when it is gone: its element was removed before the event arrived."""
        handler = self._event_handlers.get(target)
        if handler is None:
            return False
        # ReactPy hands this number to the next rendering of an input, so that the client knows what we have seen.
        self._last_event_seq_by_target[target] = seq
        await handler.function([Event(data)])
        return True

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being rendered or waits for it."""
        return not self._render_tasks

    async def _render_component(self, *arguments: Any) -> Any:
        state = await super()._render_component(*arguments)
        model = state.model.current
        if "error" in model:
            # ReactPy has logged the trace just before this line.
            model["error"] = new_error_id()
            log.error("ui.render_failed", error_id=model["error"], component=repr(state.life_cycle_state.component))
        return state
