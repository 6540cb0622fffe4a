"""ReactPy's layout with what a product needs: renderings and events in order, and failures that stay where they happen.

ReactPy is pinned: this overrides methods that it does not promise to keep.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import structlog
from reactpy.core.layout import Layout
from reactpy.types import Component, LayoutUpdateMessage

from fundwright_ui.runtime.events import Handler
from fundwright_ui.runtime.faults import new_error_id

log = structlog.get_logger()


class GuardedLayout(Layout):
    """Renders one component at a time, runs handlers when asked and raises what they raise.

    A component that fails becomes a problem node and is made anew the next time its parent renders. `has_effects=False`
    is for first paint: nothing given to `use_effect` runs.

    ReactPy renders each change in a task of its own and takes the results in whatever order they come, so that an older
    rendering of a component may arrive after a newer one of its parent. Here a queue keeps the order.
    """

    def __init__(self, root: Component, *, has_effects: bool = True) -> None:
        super().__init__(root)
        self._has_effects = has_effects
        self._waiting: dict[Any, None] = {}
        self._has_work = asyncio.Event()
        self._is_rendering = False

    async def handle(self, target: str, data: dict[str, Any], seq: int) -> bool:
        """Run the handler named `target`. False when it is gone: its element was removed before the event arrived."""
        handler = self._event_handlers.get(target)
        if handler is None:
            return False
        # ReactPy hands this number to the next rendering of an input, so that the client knows what we have seen.
        self._last_event_seq_by_target[target] = seq
        await handler.function([data])
        return True

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being rendered or waits for it."""
        return not self._is_rendering and self._next() is None

    async def render(self) -> LayoutUpdateMessage:
        """Wait for a component that must be rendered, and render it."""
        while (state := self._next()) is None:
            self._has_work.clear()
            await self._has_work.wait()
        del self._waiting[state.life_cycle_state.id]
        self._is_rendering = True
        try:
            return await self._create_layout_update(state)
        finally:
            self._is_rendering = False

    def _next(self) -> Any:
        """What to render next, or None. Components that were unmounted or rendered with their parent no longer wait:
        they must not count as work, since no rendering would ever say that it is done."""
        while self._waiting:
            component_id = next(iter(self._waiting))
            state = self._model_states_by_life_cycle_state_id.get(component_id)
            if state is not None:
                hook = state.life_cycle_state.hook
                if hook._scheduled_render or not hook._rendered_atleast_once:  # pyright: ignore[reportPrivateUsage]
                    return state
            del self._waiting[component_id]
        return None

    def _schedule_render_task(self, lcs_id: Any) -> None:
        self._waiting[lcs_id] = None
        self._has_work.set()

    async def _render_component(
        self, exit_stack: AsyncExitStack, old_state: Any, parent: Any, index: int, key: Any, component: Component
    ) -> Any:
        if old_state is not None and parent is not None and "error" in old_state.model.current:
            # Its hooks were left half called, and would not line up again.
            await self._unmount_model_states([old_state])
            old_state = None
        state = await super()._render_component(exit_stack, old_state, parent, index, key, component)
        model = state.model.current
        if "error" in model:
            # ReactPy has logged the trace just before this line.
            model["error"] = new_error_id()
            log.error("ui.render_failed", error_id=model["error"], component=component.type.__qualname__)
        elif component.key is not None:
            model["attributes"] = {"key": component.key}
        self._tidy(state.life_cycle_state.hook)
        return state

    def _tidy(self, hook: Any) -> None:
        """ReactPy keeps an event for each rendering and every task that has ended; a page that stays open would only grow."""
        if not self._has_effects:
            hook._effect_funcs.clear()
        hook._effect_tasks[:] = [task for task in hook._effect_tasks if not task.done()]
        if not hook._effect_tasks:
            hook._effect_stops.clear()

    @staticmethod
    def _serialize_event_handler(handler: Any, target: str) -> dict[str, Any]:
        entry = Layout._serialize_event_handler(handler, target)
        if isinstance(handler, Handler) and handler.is_exclusive:
            entry["isExclusive"] = True
        return entry
