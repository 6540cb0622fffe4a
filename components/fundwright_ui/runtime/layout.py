"""ReactPy's layout with what a product needs: renderings and events in order, and failures that stay where they happen.

ReactPy is pinned: this module overrides and reads what ReactPy does not promise to keep, and no other module does. `REPLACED` and
`RELIED_ON` list all of it; a test compares its source with what was reviewed.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from functools import lru_cache, partial
from types import CodeType, MappingProxyType
from typing import Any, NamedTuple, Self, TypeVar, cast
from zlib import crc32

import structlog
from pydantic import BaseModel
from reactpy.core._life_cycle_hook import HOOK_STACK
from reactpy.core.layout import Layout
from reactpy.types import Component, ContextProvider, LayoutUpdateMessage, VdomDict
from reactpy.utils import Ref

from fundwright_ui.runtime.encoding import Unserializable, plain, whole
from fundwright_ui.runtime.events import Call, Handler, read_element, takes_payload
from fundwright_ui.runtime.faults import new_error_id
from fundwright_ui.runtime.waiting import Event

log = structlog.get_logger()

T = TypeVar("T")

REPLACED: Mapping[str, str] = {
    "Layout.__aenter__": "After it, one rendering at a time needs neither ReactPy's queue nor its locks.",
    "Layout.__aexit__": "After it, effects are awaited, and a late request for a rendering finds nothing instead of failing.",
    "Layout.deliver": "Not called: `handle` runs a handler in its turn, says whether it is still there, and raises what it raises.",
    "Layout.render": "Renders one component at a time, in the order of the requests. ReactPy starts a task for each.",
    "Layout._create_layout_update": "After it, effects that have ended are awaited, and the memory of the rendering is released.",
    "Layout._render_component": "Begins a failed component anew, unmounts what it had shown, and gives its failure an error id.",
    "Layout._render_model": "Takes an element without components and handlers as it is, without a copy and a state.",
    "Layout._render_model_children": "Keeps the place of None, and makes text encodable where its component is still known.",
    "Layout._serialize_event_handler": "Names the code of a handler besides its place, so that a click presses only what was seen.",
    "Layout._schedule_render_task": "Notes the request for `render`. ReactPy starts a task or fills its queue.",
    "Layout._unmount_model_states": "Waits for the end of effects after the rendering, not in the middle of it.",
    "LifeCycleHook.affect_component_will_unmount": "Not called: `_end_effects` ends the effects of a component.",
}
"""What is replaced or extended in ReactPy, and why."""

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
"""What else of ReactPy the replacements call, or read and write the attributes of."""

_FINGERPRINT_MARK = "|"
"""Separates the position and the fingerprint in the name of a handler."""
_RETRY = f"retry{_FINGERPRINT_MARK}"
"""Stands before an error id in the name of what renders the component that failed with it once more."""


class GuardedLayout(Layout):
    """Renders one component at a time, runs handlers when asked and raises what they raise.

    A component that fails becomes a problem node. It is made anew the next time its parent renders, or when the person asks
    for it. `has_effects=False` is for first paint: nothing given to `use_effect` runs.

    ReactPy renders each change in a task of its own and takes the results in whatever order they come, so that an older
    rendering of a component may arrive after a newer one of its parent. Here a queue keeps the order.
    """

    def __init__(self, root: Component, *, has_effects: bool = True) -> None:
        super().__init__(root)
        self._has_effects = has_effects
        self._waiting: dict[Any, None] = {}
        self._wanted: set[Any] = set()
        self._has_work = Event()
        self._is_rendering = False
        self._without_effects: list[Any] = []
        self._living: set[int] = set()
        self._ending_effects: list[Any] = []

    async def __aenter__(self) -> Self:
        await super().__aenter__()
        self._rendering_queue = self._render_tasks_ready = _UNUSED
        self._model_states_by_life_cycle_state_id = _States(self._model_states_by_life_cycle_state_id)
        return self

    async def __aexit__(self, *exception: Any) -> None:
        await super().__aexit__(*exception)
        await self._effects_ended()
        # ReactPy deletes this attribute. A component that requests a render during or after unmounting then finds nothing to render.
        self._model_states_by_life_cycle_state_id = {}

    async def handle(self, target: str, data: dict[str, Any], seq: int) -> bool:
        """Run the handler named `target`. False when it is gone: the event was sent before the page changed."""
        if target.startswith(_RETRY):
            return self._retry(target.removeprefix(_RETRY))
        place, _, fingerprint = target.rpartition(_FINGERPRINT_MARK)
        handler = self._event_handlers.get(place)
        if handler is None or _code_fingerprint(handler) != fingerprint:
            return False
        # ReactPy hands this number to the next rendering of an input, so that the client knows what we have seen.
        self._last_event_seq_by_target[place] = seq
        await _finished(handler, data)
        return True

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being rendered or waits for it."""
        return not self._is_rendering and self._next() is None

    def rest(self) -> None:
        """Let go of what fills the memory until something must be rendered."""
        for state in self._model_states_by_life_cycle_state_id.values():
            if hasattr(state, "_parent_ref") and _error_id(state) is None and _was_given_much(state):
                state.life_cycle_state = state.life_cycle_state._replace(
                    component=_Resting(state.life_cycle_state.component.type)
                )

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

    async def _create_layout_update(self, old_state: Any) -> LayoutUpdateMessage:
        update = await super()._create_layout_update(old_state)
        await self._effects_ended()
        self._living.clear()
        for hook in self._without_effects:
            hook._effect_stops.pop()
        self._without_effects.clear()
        _forget(self._model_states_by_life_cycle_state_id[old_state.life_cycle_state.id], {})
        return update

    def _next(self) -> Any:
        """What to render next, or None. Components that were unmounted or rendered with their parent no longer wait:
        they must not count as work, since no rendering would ever say that it is done."""
        while self._waiting:
            component_id = next(iter(self._waiting))
            state = self._model_states_by_life_cycle_state_id.get(component_id)
            if state is not None and self._wants_rendering(component_id, state):
                if _can_render(state):
                    return self._outermost_waiting(state)
                self._ask_for(_parent_of(state))
            del self._waiting[component_id]
        return None

    def _outermost_waiting(self, state: Any) -> Any:
        """The outermost component around this one that waits, too, or this one. That component renders this one or removes it: by
        itself, this one might find an address that is not for its screen."""
        outermost = state
        while hasattr(state, "_parent_ref"):
            state = state.parent
            if _can_render(state):
                component_id = state.life_cycle_state.id
                if component_id in self._waiting and self._wants_rendering(component_id, state):
                    outermost = state
        return outermost

    def _ask_for(self, component_id: Any) -> None:
        """Have this component rendered though nothing of its own has changed."""
        self._wanted.add(component_id)
        self._schedule_render_task(component_id)

    def _wants_rendering(self, component_id: Any, state: Any) -> bool:
        if component_id in self._wanted:
            return True
        if _error_id(state) is not None:
            return False  # begun by itself, it would ask its questions anew, fail, and begin again with each answer
        hook = state.life_cycle_state.hook
        return hook._scheduled_render or not hook._rendered_atleast_once

    def _retry(self, error_id: str) -> bool:
        """Render the component that failed with this id, and nothing else. False when it is gone or was rendered since."""
        for component_id, state in self._model_states_by_life_cycle_state_id.items():
            if _error_id(state) == error_id:
                self._ask_for(component_id)
                return True
        return False

    def _schedule_render_task(self, lcs_id: Any) -> None:
        self._waiting[lcs_id] = None
        self._has_work.set()

    async def _render_component(
        self, exit_stack: AsyncExitStack, old_state: Any, parent: Any, index: int, key: Any, component: Component
    ) -> Any:
        if old_state is not None and old_state.is_component_state:
            self._wanted.discard(old_state.life_cycle_state.id)
            _fill(old_state.life_cycle_state.hook)
            if _error_id(old_state) is not None:
                await self._begin_anew(old_state)
        state = await super()._render_component(exit_stack, old_state, parent, index, key, component)
        model = state.model.current
        if "error" in model:
            await self._let_children_go(old_state, state)
            # ReactPy has logged the trace just before this line.
            model["error"] = new_error_id()
            log.error("ui.render_failed", error_id=model["error"], component=component.type.__qualname__)
        elif component.key is not None:
            model["attributes"] = {"key": component.key}
        self._tidy(state.life_cycle_state)
        return state

    async def _begin_anew(self, state: Any) -> None:
        """Forget the state of a component that failed: its hooks were left half called, and would not line up again."""
        hook = state.life_cycle_state.hook
        self._end_effects(hook)
        hook._effect_funcs.clear()
        hook._state.clear()
        hook._rendered_atleast_once = False

    async def _let_children_go(self, before: Any, failed: Any) -> None:
        """ReactPy would leave what a component had shown before it failed mounted, with all its effects."""
        if before is None or before.life_cycle_state.id != failed.life_cycle_state.id or failed.children_by_key:
            return
        await self._unmount_model_states(list(before.children_by_key.values()))

    async def _unmount_model_states(self, old_states: list[Any]) -> None:
        """ReactPy waits here until the effects have ended, in the middle of a rendering. The person could move meanwhile, and what
        is left of the rendering would find an address that is not for its screen."""
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
        """ReactPy leaves None out. Kept as nothing, it keeps the place of what follows: a widget goes on when an alert comes
        to stand before it, instead of being made anew."""
        children: list[Any] = list(raw_children) if isinstance(raw_children, (list, tuple)) else [raw_children]
        if new_state.is_component_state:
            for child in children:
                _find_living(child, self._living)
        children = ["" if child is None else whole(child) if type(child) is str else child for child in children]
        await super()._render_model_children(exit_stack, old_state, new_state, children)

    async def _render_model(
        self, exit_stack: AsyncExitStack, old_state: Any, parent: Any, index: int, key: Any, raw_model: Any
    ) -> Any:
        """ReactPy copies each element and gives it a state. One without components and handlers in it is taken as it is."""
        if id(raw_model) in self._living:
            return await super()._render_model(exit_stack, old_state, parent, index, key, raw_model)
        if old_state is not None:
            await self._unmount_model_states([old_state])
        return raw_model

    def _tidy(self, life_cycle_state: Any) -> None:
        """After each rendering ReactPy adds an event that ends its effects, though mostly there are none. What asks for the next
        one is a closure over two cells and a method."""
        hook = life_cycle_state.hook
        hook._schedule_render_callback = partial(GuardedLayout._schedule_render_task, self, life_cycle_state.id)
        if not self._has_effects:
            hook._effect_funcs.clear()
        if not hook._effect_funcs:
            self._without_effects.append(hook)

    @staticmethod
    def _serialize_event_handler(handler: Any, target: str) -> dict[str, Any]:
        """ReactPy names a handler after its place. A button that another one has replaced there must not press that one, so
        the name also says what is done."""
        if (function := _wrapped_function(handler)) is not None:
            takes_payload(function)  # or it is refused here, where it is rendered
        entry = Layout._serialize_event_handler(handler, f"{target}{_FINGERPRINT_MARK}{_code_fingerprint(handler)}")
        if isinstance(handler, Handler) and handler.is_exclusive:
            entry["isExclusive"] = True
        return entry


def _find_living(raw: Any, living: set[int]) -> bool:
    """Whether there are components or handlers in `raw`; the elements of which that is true are added to `living`, as `id`s.
    Whatever the browser has no form for is replaced on the way: here it is still known which component has rendered it.
    Raises ValueError for two children with one key, as ReactPy does for the elements that it looks into, and Unserializable."""
    if isinstance(raw, Component):
        return True
    if not isinstance(raw, dict):
        return False
    element = cast(dict[str, Any], raw)
    is_living = bool(element.get("eventHandlers"))
    if given := element.get("attributes"):
        element["attributes"] = _plain_attributes(element["tagName"], given)
    keys: list[object] = []
    children = element.get("children", ())
    for index, child in enumerate(children):
        if type(child) is str:
            if not child.isascii():
                children[index] = whole(child)
            continue
        is_living = _find_living(child, living) or is_living
        if isinstance(child, dict) and (key := cast(dict[str, Any], child).get("attributes", _NOTHING).get("key")) is not None:
            keys.append(key)
    if len(keys) != len(set(keys)):
        raise ValueError(f"Two children of a {element['tagName']} have one key: {keys}")
    if is_living:
        living.add(id(element))
    return is_living


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


def _error_id(state: Any) -> str | None:
    """The id of the failure that this component shows."""
    return getattr(state.model, "current", {}).get("error")


def at_unmount(call: Callable[[], None]) -> None:
    """Call `call` when the component that is being rendered for the first time leaves the page.
    `use_effect` would have a task wait for that, at 2 kB each."""
    hook: Any = HOOK_STACK.current_hook()
    hook._effect_stops.append(_Stop(call))


def use_kept(make: Callable[[], T]) -> T:
    """What `make` answers when the component that is being rendered is rendered for the first time."""
    return HOOK_STACK.current_hook().use_state(make)


def rerenderer() -> Callable[[], None]:
    """Has the component that is being rendered rendered again. A state that is changed only for that would cost 0.5 kB."""
    return HOOK_STACK.current_hook().schedule_render


class _Stop:
    """Stands for the event by which ReactPy ends an effect."""

    __slots__ = ("set",)

    def __init__(self, call: Callable[[], None]) -> None:
        self.set = call


class _Forgotten(Ref[dict[str, Any]]):
    """Stands for a model that was handed over; what ReactPy writes into it is not kept."""

    __slots__ = ()

    @property
    def current(self) -> dict[str, Any]:
        return {}

    @current.setter
    def current(self, _model: dict[str, Any]) -> None:
        pass


class _Unused:
    """Stands for the queue and the locks by which ReactPy would keep renderings apart: only one runs at a time anyway.

    Its locks also hand over to the event loop each time, so that a page could change its address in the middle of a rendering.
    """

    async def acquire(self) -> None:
        pass

    def release(self) -> None:
        pass

    async def close(self) -> None:
        pass


class _States(dict[Any, Any]):
    """The states of the components of a page, by their ids. A component is added before it is first rendered."""

    def __setitem__(self, component_id: Any, state: Any) -> None:
        state.life_cycle_state.hook._render_access = _UNUSED
        super().__setitem__(component_id, state)


class _NoEffects(tuple[Any, ...]):
    """The empty list of the components that have no effects."""

    __slots__ = ()

    def clear(self) -> None:
        pass


_EFFECTS = ("_effect_funcs", "_effect_tasks", "_effect_stops")
_NO_EFFECTS = _NoEffects()
_FORGOTTEN = _Forgotten()
_UNUSED: Any = _Unused()
_NOTHING: Mapping[Any, Any] = MappingProxyType({})


def _forget(state: Any, contexts: dict[Any, Any]) -> bool:
    """ReactPy keeps what it rendered a second time, and a state for each node: most of what a page would cost.
    The view has the tree. What renders again needs only components, handlers and what stands above them, and the paths of
    the parents of components. Answers whether `state` is still needed."""
    if "error" not in state.model.current:
        state.model = _FORGOTTEN
    if state.is_component_state:
        contexts = _thin(state.life_cycle_state.hook, contexts)
    children = [child for child in state.children_by_key.values() if _forget(child, contexts)]
    state.children_by_key = _Children(children) if children else _NOTHING
    state.targets_by_event = state.targets_by_event or _NOTHING
    if not any(child.is_component_state for child in children):
        state.patch_path = state.key_path = ""
    return state.is_component_state or bool(children or state.targets_by_event)


class _Resting(NamedTuple):
    """Stands for a component that has let go of what it was given: its parent gives that anew."""

    type: Any


def _was_given_much(state: Any) -> bool:
    """Whether the component was given elements, or what a query has answered."""
    component = state.life_cycle_state.component
    if isinstance(component, ContextProvider) or not _can_render(state):
        return False
    given = (*component._args, *component._kwargs.values())
    return any(isinstance(part, (VdomDict, BaseModel)) for value in given for part in _parts(value))


def _parts(value: object) -> Iterable[object]:
    return cast(Iterable[object], value) if isinstance(value, (list, tuple)) else (value,)


def _can_render(state: Any) -> bool:
    return state.is_component_state and not isinstance(state.life_cycle_state.component, _Resting)


def _parent_of(state: Any) -> Any:
    """The id of the component that has rendered this one."""
    parent = state.parent
    while not parent.is_component_state:
        parent = parent.parent
    return parent.life_cycle_state.id


class _Children:
    """The few children that a node keeps, by their keys. A dictionary takes 0.2 kB, however few there are."""

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


def _thin(hook: Any, contexts: dict[Any, Any]) -> dict[Any, Any]:
    """ReactPy gives each component a copy of `contexts`, those of its parent, and lists that mostly stay empty: until it is
    rendered again it shares them with the others. Answers its contexts."""
    for name in _EFFECTS:
        if not getattr(hook, name):
            setattr(hook, name, _NO_EFFECTS)
    if hook._context_providers == contexts:
        hook._context_providers = contexts
    return hook._context_providers


def _fill(hook: Any) -> None:
    for name in _EFFECTS:
        if getattr(hook, name) is _NO_EFFECTS:
            setattr(hook, name, [])


def event_of(target: str) -> str:
    """The event in the name of a handler, such as `onClick`."""
    return target.rpartition(_FINGERPRINT_MARK)[0].rpartition(":")[2]


async def _finished(handler: Any, data: dict[str, Any]) -> None:
    """ReactPy awaits coroutine functions only; what a lambda answers, such as `lambda: state.set(1)`, would never be done.
    It also hands every function the payload."""
    if not isinstance(handler, Handler):
        data = read_element(data)
    function = _wrapped_function(handler)
    if function is None:
        await handler.function([data])
    elif inspect.isawaitable(result := function(data) if takes_payload(function) else function()):
        await result


def _wrapped_function(handler: Any) -> Call | None:
    """The function that ReactPy's own handler was made of; None for one of ours, or for several in one."""
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
