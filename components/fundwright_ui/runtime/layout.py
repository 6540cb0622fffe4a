"""Extends ReactPy's layout: renders and handles events in order, and limits a failure to the component in which it occurs.

ReactPy is pinned, because this module, and no other, overrides and uses private parts of it. `REPLACED` and `RELIED_ON` list them
all; a test fails when their source differs from what was reviewed.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, nullcontext
from contextvars import ContextVar
from functools import lru_cache, partial
from types import CodeType, MappingProxyType
from typing import Any, NamedTuple, Self, TypeVar, cast
from weakref import ref
from zlib import crc32

import structlog
from pydantic import BaseModel
from reactpy.core._life_cycle_hook import HOOK_STACK
from reactpy.core.layout import Layout
from reactpy.types import Component, ContextProvider, LayoutUpdateMessage, VdomDict
from reactpy.utils import Ref

from fundwright_ui.runtime.encoding import Unserializable, plain, replace_surrogates
from fundwright_ui.runtime.events import Call, Handler, Payload, read_element, takes_payload
from fundwright_ui.runtime.faults import new_error_id
from fundwright_ui.runtime.waiting import Event

log = structlog.get_logger()

T = TypeVar("T")

REPLACED: Mapping[str, str] = {
    "Layout.__aenter__": "Extended: removes ReactPy's queue and locks, which are not needed because only one rendering runs at a time.",
    "Layout.__aexit__": "Extended: awaits effects, and lets a late request for a rendering find nothing instead of failing.",
    "Layout.deliver": "Not called: `handle` runs handlers, returns whether the handler still exists, and raises its exceptions.",
    "Layout.render": "Renders one component at a time, in the order of the requests. ReactPy starts a task for each.",
    "Layout._create_layout_update": "Extended: releases the memory of the rendering.",
    "Layout._render_component": "Extended: resets a failed component, unmounts its previous content, and assigns an error id.",
    "Layout._render_model": "Uses an element without components and handlers as it is, without a copy or a state.",
    "Layout._render_model_children": "Extended: keeps the position of None, makes text encodable while its component is known, and keeps the content of a component that returns UNCHANGED.",
    "Layout._serialize_event_handler": "Extended: identifies a handler by its code, too, so that a click reaches only what was shown.",
    "Layout._schedule_render_task": "Records the request for `render`. ReactPy starts a task or fills its queue.",
    "Layout._unmount_model_states": "Awaits the end of effects after the rendering instead of during it.",
    "LifeCycleHook.affect_component_will_unmount": "Not called: `_end_effects` ends the effects of a component.",
}
"""The parts of ReactPy that are replaced or extended, and why."""

RELIED_ON = (
    "Layout.__init__",
    "Layout._inject_event_ack_seq",
    "Layout._render_model_attributes",
    "Layout._render_model_event_handlers_without_old_state",
    "LifeCycleHook.__init__",
    "LifeCycleHook.add_effect",
    "LifeCycleHook.affect_component_did_render",
    "LifeCycleHook.affect_component_will_render",
    "LifeCycleHook.affect_layout_did_render",
    "LifeCycleHook.schedule_render",
    "LifeCycleHook.set_context_provider",
    "LifeCycleHook.set_current",
    "LifeCycleHook.use_state",
    "_HookStack.current_hook",
    "_LifeCycleState",
    "_ModelState",
    "_copy_component_model_state",
    "_get_children_info",
    "_make_component_model_state",
    "_make_element_model_state",
    "_update_component_model_state",
    "_update_element_model_state",
    "_update_life_cycle_state",
)
"""Other private parts of ReactPy that the replacements call, or whose attributes they read or write."""

UNCHANGED = VdomDict(tagName="unchanged")
"""What a component returns to stay as it is shown. Allowed only if `can_stay_unchanged()`."""
_can_stay: ContextVar[bool] = ContextVar("can_stay", default=False)

_FINGERPRINT_MARK = "|"
"""Separates the position and the fingerprint in the name of a handler."""
_STEP_S = 0.004
"""How long a rendering goes on before others take their turns. Rendering one component may take longer."""
_RETRY = f"retry{_FINGERPRINT_MARK}"
"""Prefix of a handler name that renders a failed component again; the error id follows."""


class GuardedLayout(Layout):
    """Renders one component at a time, runs handlers, and raises their exceptions.

    A component that fails becomes a problem node. It is created again when its parent renders or when the person retries it.
    `has_effects=False` is for first paint: functions passed to `use_effect` do not run.

    ReactPy renders each change in a task of its own and uses the results as they arrive, so an older rendering of a component may
    arrive after a newer one of its parent. Here, a queue keeps the order.
    """

    def __init__(
        self, root: Component, *, rendering: Callable[[], AbstractContextManager[None]] = nullcontext, has_effects: bool = True
    ) -> None:
        super().__init__(root)
        self._rendering = rendering
        self._has_effects = has_effects
        self.has_left_out_effects = False
        """Whether a component has effects that were not run."""
        self._waiting: dict[Any, None] = {}
        self._requested: set[Any] = set()
        self._has_work = Event()
        self._is_rendering = False
        self._continued_at = 0.0
        self._is_canceled = False
        self._without_effects: list[Any] = []
        self._dynamic: set[int] = set()
        self._ending_effects: list[Any] = []

    async def __aenter__(self) -> Self:
        await super().__aenter__()
        self._rendering_queue = self._render_tasks_ready = _UNUSED
        self._model_states_by_life_cycle_state_id = _States(self._model_states_by_life_cycle_state_id)
        return self

    async def __aexit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        await super().__aexit__(exc_type, exc_value, traceback)
        await self._effects_ended()
        # ReactPy deletes this attribute. A component that requests a render during or after unmounting then finds nothing to render.
        self._model_states_by_life_cycle_state_id = {}

    async def handle(self, target: str, data: Payload, seq: int) -> bool:
        """Run the handler named `target`. Returns False if it no longer exists because the page changed after the event was sent."""
        if target.startswith(_RETRY):
            return self._retry(target.removeprefix(_RETRY))
        place, _, fingerprint = target.rpartition(_FINGERPRINT_MARK)
        handler = self._event_handlers.get(place)
        if handler is None or _code_fingerprint(handler) != fingerprint:
            return False
        # ReactPy adds this number to the next rendering of an input, so that the client knows which events were handled.
        self._last_event_seq_by_target[place] = seq
        await _finished(handler, data)
        return True

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being rendered or waits to be rendered."""
        return not self._is_rendering and self._next() is None

    def release_memory(self) -> None:
        """Release the arguments of components that take much memory; their parents provide them again for the next rendering."""
        for state in self._model_states_by_life_cycle_state_id.values():
            if hasattr(state, "_parent_ref") and _error_id(state) is None and _has_large_arguments(state):
                state.life_cycle_state = state.life_cycle_state._replace(
                    component=cast(Any, _ReleasedComponent(state.life_cycle_state.component.type))
                )

    def run_effects(self) -> None:
        """Run the effects of what is rendered from now on. Only for a layout that has left out none."""
        self._has_effects = True

    async def has_work(self) -> None:
        """Wait for a component that must be rendered."""
        while self._next() is None:
            self._has_work.clear()
            await self._has_work.wait()

    async def render(self) -> LayoutUpdateMessage:
        """Wait for a component that must be rendered, and render it, within the context `rendering`. Other pages take their turns before it and
        during it, and handlers of this one may run; a cancellation waits until it ends, because a part of a page would be neither old nor new."""
        state: Any = None
        while state is None:
            await self.has_work()
            await asyncio.sleep(0)
            state = self._next()
        del self._waiting[state.life_cycle_state.id]
        self._is_rendering = True
        self._continued_at = time.perf_counter()
        try:
            with self._rendering():
                update = await self._create_layout_update(state)
            if self._is_canceled:
                raise asyncio.CancelledError
            await self._effects_ended()
            return update
        finally:
            self._is_rendering = False

    async def _pass_turn(self) -> None:
        """Let others take their turns, if this rendering has taken a while."""
        if time.perf_counter() - self._continued_at < _STEP_S:
            return
        try:
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            self._is_canceled = True
        self._continued_at = time.perf_counter()

    async def _create_layout_update(self, old_state: Any) -> LayoutUpdateMessage:
        update = await super()._create_layout_update(old_state)
        self._dynamic.clear()
        for hook in self._without_effects:
            hook._effect_stops.pop()
        self._without_effects.clear()
        _release(self._model_states_by_life_cycle_state_id[old_state.life_cycle_state.id], {})
        return update

    def _next(self) -> Any:
        """The state to render next, or None. Skips components that were unmounted or already rendered with their parent: they must
        not count as work, because no rendering would ever finish it."""
        while self._waiting:
            component_id = next(iter(self._waiting))
            state = self._model_states_by_life_cycle_state_id.get(component_id)
            if state is not None and self._wants_rendering(component_id, state):
                if _can_render(state):
                    return self._outermost_waiting(state)
                self._request(_parent_of(state))
            del self._waiting[component_id]
        return None

    def _outermost_waiting(self, state: Any) -> Any:
        """The outermost waiting component that contains this one, or this one. Rendering the outer component renders this one or
        removes it; rendered on its own, it might see the address of another screen."""
        outermost = state
        while hasattr(state, "_parent_ref"):
            state = state.parent
            if _can_render(state):
                component_id = state.life_cycle_state.id
                if component_id in self._waiting and self._wants_rendering(component_id, state):
                    outermost = state
        return outermost

    def _request(self, component_id: Any) -> None:
        """Schedule a rendering of this component although its own state has not changed."""
        self._requested.add(component_id)
        self._schedule_render_task(component_id)

    def _wants_rendering(self, component_id: Any, state: Any) -> bool:
        if component_id in self._requested:
            return True
        if _error_id(state) is not None:
            return False  # otherwise it would run its queries again, fail, and start over with each result
        hook = state.life_cycle_state.hook
        return hook._scheduled_render or not hook._rendered_atleast_once

    def _retry(self, error_id: str) -> bool:
        """Render only the component that failed with this id. Returns False if it no longer exists or was rendered since then."""
        for component_id, state in self._model_states_by_life_cycle_state_id.items():
            if _error_id(state) == error_id:
                self._request(component_id)
                return True
        return False

    def _schedule_render_task(self, lcs_id: Any) -> None:
        self._waiting[lcs_id] = None
        self._has_work.set()

    async def _render_component(
        self, exit_stack: AsyncExitStack, old_state: Any, parent: Any, index: int, key: Any, component: Component
    ) -> Any:
        await self._pass_turn()
        if old_state is not None and old_state.is_component_state:
            self._requested.discard(old_state.life_cycle_state.id)
            _restore_lists(old_state.life_cycle_state.hook)
            if _error_id(old_state) is not None:
                self._reset(old_state)
        _can_stay.set(_is_shown_at(old_state, parent, index, key, component))
        state = await super()._render_component(exit_stack, old_state, parent, index, key, component)
        model = state.model.current
        if "error" in model:
            await self._unmount_children(old_state, state)
            # ReactPy has already logged the traceback.
            model["error"] = new_error_id()
            log.error("ui.render_failed", error_id=model["error"], component=component.type.__qualname__)
        elif component.key is not None:
            model["attributes"] = {"key": plain(component.key)}
        self._save_memory(state.life_cycle_state)
        return state

    def _reset(self, state: Any) -> None:
        """Discard the state of a component that failed: only some of its hooks were called, so the next calls would not match."""
        hook = state.life_cycle_state.hook
        self._end_effects(hook)
        hook._effect_funcs.clear()
        hook._state.clear()
        hook._rendered_atleast_once = False

    async def _unmount_children(self, before: Any, failed: Any) -> None:
        """Unmount the content that a component had before it failed. ReactPy would leave it mounted, with all its effects."""
        if before is None or before.life_cycle_state.id != failed.life_cycle_state.id or failed.children_by_key:
            return
        await self._unmount_model_states(list(before.children_by_key.values()))

    async def _unmount_model_states(self, old_states: list[Any]) -> None:
        """Unmount without waiting for effects. ReactPy waits here, during a rendering; if the person navigated in the meantime, the rest
        of the rendering would see the address of another screen."""
        to_unmount = old_states[::-1]
        while to_unmount:
            state = to_unmount.pop()
            for target in state.targets_by_event.values():
                del self._event_handlers[target]
            if state.is_component_state:
                del self._model_states_by_life_cycle_state_id[state.life_cycle_state.id]
                self._end_effects(state.life_cycle_state.hook)
            to_unmount.extend(state.children_by_key.values())

    def _end_effects(self, hook: Any) -> None:
        for stop in hook._effect_stops:
            stop.set()
        hook._effect_stops.clear()
        self._ending_effects.extend(hook._effect_tasks)
        hook._effect_tasks.clear()

    async def _effects_ended(self) -> None:
        while self._ending_effects:
            effect = self._ending_effects.pop(0)
            try:
                await effect
            except Exception:
                log.exception("ui.effect_failed")

    async def _render_model_children(self, exit_stack: AsyncExitStack, old_state: Any, new_state: Any, raw_children: Any) -> None:
        """Render None as an empty child. ReactPy drops it, which changes the position of the children that follow: a widget would
        be created again when an alert appears before it."""
        children: list[Any] = list(raw_children) if isinstance(raw_children, (list, tuple)) else [raw_children]
        if new_state.is_component_state and children[0] is UNCHANGED:
            _move_children(old_state, new_state)
            return
        if new_state.is_component_state:
            for child in children:
                _find_dynamic(child, self._dynamic)
        children = ["" if child is None else replace_surrogates(child) if type(child) is str else child for child in children]
        await super()._render_model_children(exit_stack, old_state, new_state, children)

    async def _render_model(
        self, exit_stack: AsyncExitStack, old_state: Any, parent: Any, index: int, key: Any, raw_model: Any
    ) -> Any:
        """Use an element without components and handlers as it is. ReactPy copies each element and creates a state for it."""
        if id(raw_model) in self._dynamic:
            return await super()._render_model(exit_stack, old_state, parent, index, key, raw_model)
        if old_state is not None:
            await self._unmount_model_states([old_state])
        return raw_model

    def _save_memory(self, life_cycle_state: Any) -> None:
        """Save memory after a rendering: ReactPy adds an event that ends effects even if there are none, and schedules renderings
        through a closure that is larger than this partial."""
        hook = life_cycle_state.hook
        hook._schedule_render_callback = partial(GuardedLayout._schedule_render_task, self, life_cycle_state.id)
        if not self._has_effects and hook._effect_funcs:
            hook._effect_funcs.clear()
            self.has_left_out_effects = True
        if not hook._effect_funcs:
            self._without_effects.append(hook)

    @staticmethod
    def _serialize_event_handler(handler: Any, target: str) -> dict[str, Any]:
        """Add a fingerprint of the code to the name of a handler. ReactPy names it by its position only, so a click on a button
        that has been replaced would run the handler of the new one."""
        if (function := _wrapped_function(handler)) is not None:
            takes_payload(function)  # raises UnclearHandler, so that the component fails when it is rendered
        entry = Layout._serialize_event_handler(handler, f"{target}{_FINGERPRINT_MARK}{_code_fingerprint(handler)}")
        if isinstance(handler, Handler) and handler.is_exclusive:
            entry["isExclusive"] = True
        return entry


def _find_dynamic(raw: Any, dynamic: set[int]) -> bool:
    """Whether `raw` contains components or handlers. Adds the `id` of each element that does to `dynamic`.

    Also replaces values that JSON cannot represent, while it is known which component rendered them. Raises ValueError for two
    children with the same key, as ReactPy does for the elements that it traverses, and Unserializable.
    """
    if isinstance(raw, Component):
        return True
    if not isinstance(raw, dict):
        return False
    element = cast(dict[str, Any], raw)
    is_dynamic = bool(element.get("eventHandlers"))
    if given := element.get("attributes"):
        element["attributes"] = _plain_attributes(element["tagName"], given)
    keys: list[object] = []
    children = element.get("children", ())
    for index, child in enumerate(children):
        if type(child) is str:
            if not child.isascii():
                children[index] = replace_surrogates(child)
            continue
        is_dynamic = _find_dynamic(child, dynamic) or is_dynamic
        if isinstance(child, dict) and (key := cast(dict[str, Any], child).get("attributes", _NOTHING).get("key")) is not None:
            keys.append(key)
    if len(keys) != len(set(keys)):
        raise ValueError(f"Two children of a {element['tagName']} have the same key: {keys}")
    if is_dynamic:
        dynamic.add(id(element))
    return is_dynamic


def _plain_attributes(tag: str, given: dict[str, Any]) -> dict[str, Any]:
    try:
        return plain(given)
    except Unserializable:
        for name, value in given.items():
            try:
                plain(value)
            except Unserializable as error:
                raise Unserializable(f"{name} of {tag}: {error}") from None
        raise


def can_stay_unchanged() -> bool:
    """Whether the component that is being rendered is shown already, at the same position, and may return UNCHANGED."""
    return _can_stay.get()


def _is_shown_at(state: Any, parent: Any, index: int, key: Any, component: Component) -> bool:
    """Whether this is the state of a component of the same type at this position of the page."""
    return (
        parent is not None
        and state is not None
        and state.is_component_state
        and state.life_cycle_state.component.type == component.type
        and _error_id(state) is None
        and (state.parent.patch_path, state.parent.key_path, state.index, state.key)
        == (parent.patch_path, parent.key_path, index, key)
    )


def _move_children(old_state: Any, new_state: Any) -> None:
    """Keep the content of a component at its position."""
    new_state.children_by_key = old_state.children_by_key
    for child in new_state.children_by_key.values():
        child._parent_ref = ref(new_state)
    new_state.model.current["unchanged"] = new_state.patch_path


def _error_id(state: Any) -> str | None:
    """The error id of a component that failed; None for others."""
    return getattr(state.model, "current", {}).get("error")


def at_unmount(call: Callable[[], None]) -> None:
    """Call `call` when the component that is being rendered for the first time is unmounted.
    `use_effect` would need a waiting task of 2 kB for this."""
    hook: Any = HOOK_STACK.current_hook()
    hook._effect_stops.append(_Stop(call))


def use_kept(make: Callable[[], T]) -> T:
    """The value that `make` returned in the first rendering of the current component."""
    return HOOK_STACK.current_hook().use_state(make)


def rerenderer() -> Callable[[], None]:
    """A function that renders the current component again. A state that is changed only for this would take 0.5 kB."""
    return HOOK_STACK.current_hook().schedule_render


def rerenderer_of_current() -> Callable[[], None] | None:
    """The `rerenderer` if a component is being rendered, or else None."""
    hooks: list[Any] = HOOK_STACK.get()
    return hooks[-1].schedule_render if hooks else None


class _Stop:
    """Replaces the event with which ReactPy ends an effect."""

    __slots__ = ("set",)

    def __init__(self, call: Callable[[], None]) -> None:
        self.set = call


class _DiscardedModel(Ref[dict[str, Any]]):
    """Replaces a model that is no longer needed; discards what ReactPy writes into it."""

    __slots__ = ()

    @property
    def current(self) -> dict[str, Any]:
        return {}

    @current.setter
    def current(self, _model: dict[str, Any]) -> None:
        pass


class _Unused:
    """Replaces the queue and the locks with which ReactPy separates renderings, because only one runs at a time.

    Its locks also yield to the event loop, so that a page could change its address during a rendering.
    """

    async def acquire(self) -> None:
        pass

    def release(self) -> None:
        pass

    async def close(self) -> None:
        pass


class _States(dict[Any, Any]):
    """The component states of a page by id. Components are added before their first rendering."""

    def __setitem__(self, component_id: Any, state: Any) -> None:
        state.life_cycle_state.hook._render_access = _UNUSED
        super().__setitem__(component_id, state)


class _NoEffects(tuple[Any, ...]):
    """The shared empty list of components without effects."""

    __slots__ = ()

    def clear(self) -> None:
        pass


_EFFECTS = ("_effect_funcs", "_effect_tasks", "_effect_stops")
_NO_EFFECTS = _NoEffects()
_DISCARDED_MODEL = _DiscardedModel()
_UNUSED: Any = _Unused()
_NOTHING: Mapping[Any, Any] = MappingProxyType({})


def _release(state: Any, contexts: dict[Any, Any]) -> bool:
    """Release the copy of the rendering and the state of each node that ReactPy keeps: most of the memory of a page.

    The view has the tree. Later renderings need only components, handlers, and their ancestors, and the paths of components'
    parents. Returns whether `state` is still needed.
    """
    if "error" not in state.model.current:
        state.model = _DISCARDED_MODEL
    if state.is_component_state:
        contexts = _share_lists(state.life_cycle_state.hook, contexts)
    children = [child for child in state.children_by_key.values() if _release(child, contexts)]
    state.children_by_key = _Children(children) if children else _NOTHING
    state.targets_by_event = state.targets_by_event or _NOTHING
    if not any(child.is_component_state for child in children):
        state.patch_path = state.key_path = ""
    return state.is_component_state or bool(children or state.targets_by_event)


class _ReleasedComponent(NamedTuple):
    """Replaces a component whose arguments were released: to render it, its parent is rendered, which provides them again."""

    type: Any


def _has_large_arguments(state: Any) -> bool:
    """Whether the arguments of the component include elements or models, such as the results of queries."""
    component = state.life_cycle_state.component
    if isinstance(component, ContextProvider) or not _can_render(state):
        return False
    given = (*component._args, *component._kwargs.values())
    return any(isinstance(part, (VdomDict, BaseModel)) for value in given for part in _parts(value))


def _parts(value: object) -> Iterable[object]:
    return cast(Iterable[object], value) if isinstance(value, (list, tuple)) else (value,)


def _can_render(state: Any) -> bool:
    return state.is_component_state and not isinstance(state.life_cycle_state.component, _ReleasedComponent)


def _parent_of(state: Any) -> Any:
    """The id of the component that has rendered this one."""
    parent = state.parent
    while not parent.is_component_state:
        parent = parent.parent
    return parent.life_cycle_state.id


class _Children:
    """The few children that a node keeps, by key. A dictionary takes 0.2 kB even for one."""

    __slots__ = ("_states",)

    def __init__(self, states: Iterable[Any]) -> None:
        self._states = tuple(states)

    def __iter__(self) -> Iterator[Any]:
        return (state.key for state in self._states)

    def __getitem__(self, key: Any) -> Any:
        return self.get(key)

    def __setitem__(self, key: Any, new: Any) -> None:
        self._states = tuple(new if state.key == key else state for state in self._states)

    def get(self, key: Any) -> Any:
        return next((state for state in self._states if state.key == key), None)

    def values(self) -> Sequence[Any]:
        return self._states


def _share_lists(hook: Any, contexts: dict[Any, Any]) -> dict[Any, Any]:
    """Let a component share its empty lists and its copy of the parent's `contexts` until it is rendered again.
    ReactPy creates them for each component. Returns the component's contexts."""
    for name in _EFFECTS:
        if not getattr(hook, name):
            setattr(hook, name, _NO_EFFECTS)
    if hook._context_providers == contexts:
        hook._context_providers = contexts
    return hook._context_providers


def _restore_lists(hook: Any) -> None:
    for name in _EFFECTS:
        if getattr(hook, name) is _NO_EFFECTS:
            setattr(hook, name, [])


def event_of(target: str) -> str:
    """The event that a handler's name contains, such as `onClick`."""
    return target.rpartition(_FINGERPRINT_MARK)[0].rpartition(":")[2]


async def _finished(handler: Any, data: Payload) -> None:
    """Call a handler and await its result, also that of a lambda such as `lambda: state.set(1)`. ReactPy would await coroutine
    functions only, and pass the payload to every function."""
    if not isinstance(handler, Handler):
        data = read_element(data)
    function = _wrapped_function(handler)
    if function is None:
        await handler.function([data])
    elif inspect.isawaitable(result := function(data) if takes_payload(function) else function()):
        await result


def _wrapped_function(handler: Any) -> Call | None:
    """The function that ReactPy's own handler wraps; None for a `Handler`, or if it combines several functions."""
    return None if isinstance(handler, Handler) else getattr(handler.function, "__wrapped__", None)


def _code_fingerprint(handler: Any) -> str:
    """Identify the code of a handler. It is the same in every rendering and every process."""
    operation = handler.operation if isinstance(handler, Handler) else inspect.unwrap(handler.function)
    while isinstance(operation, partial):
        operation = operation.func
    code = getattr(operation, "__code__", None)
    return _digest(code) if isinstance(code, CodeType) else ""


@lru_cache(maxsize=10_000)
def _digest(code: CodeType) -> str:
    where = f"{code.co_qualname}:{code.co_firstlineno}:{code.co_names}"
    return f"{crc32(where.encode() + code.co_code):08x}"
