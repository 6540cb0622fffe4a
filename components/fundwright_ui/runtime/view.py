"""One rendered page: the routed screen inside its shell, kept up to date as a tree of nodes."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Self

from reactpy import component, html
from reactpy.types import Component, VdomDict

from fundwright_ui.runtime.connection import Connection, ConnectionContext, Parameters
from fundwright_ui.runtime.diff import ElementNode, Node, Operation, diff
from fundwright_ui.runtime.encoding import digest, encode
from fundwright_ui.runtime.events import Payload, handler
from fundwright_ui.runtime.host import t
from fundwright_ui.runtime.html import shown_in
from fundwright_ui.runtime.layout import GuardedLayout, rerenderer
from fundwright_ui.runtime.packing import packing_of
from fundwright_ui.runtime.router import Found
from fundwright_ui.runtime.vdom import replaced, to_node
from fundwright_ui.runtime.waiting import Event

Shell = Callable[[str, Component], Component]
"""Adds the frame of an area to a screen. The frame stays mounted while the person moves within the area."""

_LOADING_AFTER_S = 0.15
"""How long a load may take before the page is shown without its result."""
_WHOLE_SCREEN_WITHIN_S = 4.0
"""How long the loading state at the start of a visit waits for further loads, so that the complete screen replaces it."""
_TOGETHER_WITHIN_S = 0.3
"""How long a result waits, before the page is shown for the first time, to be rendered together with those of other queries."""
_RENDERED_WITHIN_S = 0.5
"""How long changes wait for a rendering that goes on. Then the page gets what is rendered, and everything else that waits for it."""
_TIMER_TOLERANCE_S = 0.001
"""How much too early a timer may fire."""
_SCREEN = "screen:"
"""Prefix of the key of the component that holds the screen."""
_TRACKING = re.compile(r"utm_\w+|(fb|g|d|tw|tt|y)clid|msclkid|[gw]braid|mc_[ce]id|_g[al]|igsh(id)?|li_fat_id|mkt_tok")
"""Parameters that search engines, social networks, and newsletters add to links."""
_TEXT_INPUTS = frozenset(("text", "email", "url", "tel", "number", "date", "datetime-local", "time"))


class View:
    """Use as an async context manager. Entering one that was painted, and is open already, continues it. `on_change` is called after each
    rendering and when delayed changes can be sent."""

    def __init__(
        self,
        connection: Connection,
        found: Found,
        shell: Shell,
        *,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        self.connection = connection
        self.failure: Exception | None = None
        self._found = found
        self._on_change = on_change
        self._rerender: Callable[[], None] = lambda: None
        self._rerender_screen: Callable[[], None] = lambda: None
        self._held_until = self._rendered_until = 0.0
        self._is_arriving = True
        self._is_unseen = True
        self._is_loading_shown = False
        self._whole_screen_until = 0.0
        self._next_check_at = 0.0
        connection.help = found.screen.help
        connection.on_failing = lambda: self._rerender_screen()
        connection.has_text_field = self._has_text_field
        self._rendered = Event()
        self._tree: Node = {"f": 1}
        self._shown: Node = self._tree
        self._packed_tree = b""
        self._packing = packing_of(None)
        self._layout = GuardedLayout(_page(self, shell), rendering=connection.rendering, has_effects=connection.is_live)
        self._pumping: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        if self._pumping is None:
            await self._layout.__aenter__()
            try:
                self._apply(await self._layout.render())
            except BaseException:  # it may have rendered everything, and then been canceled
                await self.close()
                raise
            self._say_what_is_ignored()
            self._pumping = asyncio.create_task(self._pump())
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()

    async def close(self) -> None:
        """An AsyncExitStack would be shorter, but takes 1.5 kB for each open page."""
        self._held_until = 0.0
        try:
            await self.connection.close()
        finally:
            if self._pumping is not None:
                await _stopped(self._pumping)
            await self._layout.__aexit__(None, None, None)

    @property
    def can_open(self) -> bool:
        """Whether a socket can continue this view, which was painted: nothing has failed, and it has left out nothing but what runs again."""
        return self.failure is None and not self._layout.has_left_out_effects

    def open(self, on_change: Callable[[], None]) -> None:
        """Continue, for a socket, this view, which was painted."""
        self._on_change = on_change
        self._layout.run_effects()

    @property
    def tree(self) -> Node:
        if self._packed_tree:
            self._tree = self._shown = json.loads(self._packing.unpack(self._packed_tree))
            self._packed_tree = b""
        return self._tree

    @property
    def found(self) -> Found:
        return self._found

    @property
    def title(self) -> str:
        return self.connection.title or t(self._found.screen.title)

    def move(self, found: Found) -> None:
        """Show another screen, or the same one at another address."""
        if found.location.path != self._found.location.path:
            self.connection.leave()
            self.connection.title = None
            self._is_arriving, self._is_loading_shown, self._whole_screen_until = True, False, 0.0
        is_same_frame = found.screen == self._found.screen and found.location.path == self._found.location.path
        is_other_query = found.location.query != self._found.location.query
        self._found = found
        self.connection.move_to(found.location)
        self.connection.help = found.screen.help
        # The frame depends only on the path. A move to the same address means that something else has changed, such as the role.
        if is_same_frame and is_other_query:
            self._rerender_screen()
        else:
            self._rerender()

    def bind(self, rerender: Callable[[], None]) -> None:
        self._rerender = rerender

    def bind_screen(self, rerender: Callable[[], None]) -> None:
        self._rerender_screen = rerender

    async def handle(self, target: str, data: Payload, seq: int) -> bool:
        self._is_arriving = False  # the person acted on a page that is still loading, so show the result immediately
        with self.connection.handling():
            return await self._layout.handle(target, data, seq)

    async def settle(self, timeout_s: float) -> None:
        """Wait until nothing renders and no query runs, but not longer than `timeout_s` seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                while self.failure is None:
                    await self.rendered()
                    if not self.connection.pending_queries:
                        return
                    await asyncio.wait(self.connection.pending_queries, return_when=asyncio.FIRST_COMPLETED)

    async def rendered(self) -> None:
        """Wait until the tree shows every change made so far."""
        while self.failure is None and not self._layout.is_idle:
            self._rendered.clear()
            await self._rendered.wait()

    async def next_rendering(self, timeout_s: float) -> None:
        """Wait until something is rendered, but not longer than `timeout_s` seconds."""
        self._rendered.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await self._rendered.wait()

    @property
    def is_settled(self) -> bool:
        return self._layout.is_idle and not self.connection.pending_queries

    @property
    def _is_complete(self) -> bool:
        """Whether every component has a first result, even if it is reloading."""
        return self._layout.is_idle and not self.connection.has_first_load

    def holds_back(self) -> bool:
        """Whether to delay changes for a moment because they are being rendered, or because a query that reads something new has just started.

        A loading state appears only when the load takes longer, and fast results arrive together with the changes that led to them.
        """
        if self.failure is not None or self._layout.is_idle:
            self._rendered_until = 0.0
        else:
            self._rendered_until = self._rendered_until or asyncio.get_running_loop().time() + _RENDERED_WITHIN_S
            if self._is_before(self._rendered_until):
                return True
        began_at = self.connection.awaited_since
        if began_at is not None and began_at >= self._held_until:  # one that starts during a delay does not prolong it
            self._held_until = began_at + _LOADING_AFTER_S
        elif began_at is None:
            self._held_until = 0.0
        return self._is_before(self._held_until)

    def take_operations(self) -> list[Operation]:
        """The changes since the last call."""
        if self._packed_tree or self.holds_back():
            return []
        before, self._shown = self._shown, self._next_shown()
        return diff(before, self._shown)

    def _next_shown(self) -> Node:
        """The tree. While a visited screen shows its loading state, that state stays in place of a half-loaded screen, and only the
        frame around it is updated."""
        if self._is_complete:
            self._is_arriving = False
        if not self._is_arriving:
            return self._tree
        if not self._is_loading_shown:
            self._is_loading_shown = True
            return self._tree
        self._whole_screen_until = self._whole_screen_until or asyncio.get_running_loop().time() + _WHOLE_SCREEN_WITHIN_S
        if not self._is_before(self._whole_screen_until):
            self._is_arriving = False
            return self._tree
        return _with_screen(self._tree, _screen_in(self._shown))

    def _is_before(self, moment: float) -> bool:
        """Whether `moment` is in the future, in the loop's time. Schedules another check for then."""
        loop = asyncio.get_running_loop()
        if loop.time() + _TIMER_TOLERANCE_S >= moment:
            return False
        if moment != self._next_check_at:
            self._next_check_at = moment
            loop.call_at(moment, self._on_change)
        return True

    def mark_shown(self) -> None:
        """Note that the client has the current tree."""
        self._shown = self.tree
        self._is_unseen = False
        self._is_loading_shown = True

    def _has_text_field(self) -> bool:
        """Whether the page may contain typed text that only the browser has."""
        return any(_is_text_field(node) for node in _elements(self.tree))

    def release_memory(self) -> None:
        """Release memory while the page is idle: until something changes, the tree is kept compressed to about a twentieth."""
        if self._shown is self._tree and not self._packed_tree and self.is_settled:
            self._packing = packing_of(self._found.screen.path)
            self._packed_tree = self._packing.pack(encode(self._tree).encode())
            self._tree = self._shown = ""
            self._layout.release_memory()
            self.connection.release_memory()

    def hash(self) -> str:
        return digest(self.tree)

    async def _pump(self) -> None:
        try:
            while True:
                if self._is_unseen:
                    await self._layout.has_work()
                    await self._results_together()
                self._apply(await self._layout.render())
                if self._layout.is_idle:
                    self._is_unseen = self._is_unseen and bool(self.connection.pending_queries)
                    self._say_what_is_ignored()
                    self._on_change()
        except Exception as error:
            # The tree may be inconsistent, so the page must start over.
            self.failure = error
            self._rendered.set()
            self._on_change()

    def _say_what_is_ignored(self) -> None:
        """Render the banner about the address, if it has changed. Parts of the screen that still load, or have failed, may read more of it."""
        parameters, query = self.connection.parameters, self._own_query()
        if self.connection.failing:
            return
        if self.connection.pending_queries or not (query or parameters.shown):
            return
        sentences = parameters.sentences(query)
        if sentences != parameters.shown:
            parameters.shown = sentences
            self._rerender_screen()

    def _own_query(self) -> Mapping[str, str]:
        """The part of the query that is for the screen: newsletters, for example, add parameters to links."""
        if self._found.stands_in:
            return {}
        return {name: value for name, value in self._found.location.query.items() if not _TRACKING.fullmatch(name)}

    async def _results_together(self) -> None:
        """Until the page is shown or complete, wait a moment for the other results: a screen with six queries is then rendered twice, not
        seven times."""
        if pending := self.connection.pending_queries:
            await asyncio.wait(pending, timeout=_TOGETHER_WITHIN_S)

    def _apply(self, update: Any) -> None:
        self._tree = replaced(self.tree, update["path"], to_node(update["model"], self.tree))
        self._rendered.set()


@component
def _page(view: View, shell: Shell) -> Any:
    view.bind(rerenderer())
    found = view.found
    screen = _screen(view, found.screen.render, key=f"{_SCREEN}{found.location.path}")
    return ConnectionContext(shell(found.screen.area, screen), value=view.connection)


@component
def _screen(view: View, render: Callable[[], Component]) -> Any:
    view.bind_screen(rerenderer())
    return html.fragment(
        html.div(
            {"className": "fw-out-of-date", "aria-live": "polite"},
            _out_of_date(view.connection),
            _ignored(view.connection.parameters),
        ),
        render(),
    )


def _out_of_date(connection: Connection) -> VdomDict | None:
    """The banner above the screen if a part of it could not be reloaded. Its container is always rendered, so that screen readers
    announce the banner when it appears."""
    stale = next((query for query in connection.failing if query.is_stale), None)
    if stale is None:
        return None
    retry = {"type": "button", "className": "fw-button fw-button-outlined", "onClick": handler(connection.retry_failing)}
    return html.div(
        {"className": "fw-alert fw-alert-warning"},
        html.div(
            {"className": "fw-alert-body"},
            html.p({"className": "fw-alert-title"}, t("This page may be out of date.")),
            html.p(stale.failure or ""),
            html.button(retry, t("Try again")),
        ),
    )


def _ignored(parameters: Parameters) -> VdomDict | None:
    """The banner above the screen about the parts of its address that it does not know."""
    if not parameters.shown:
        return None
    return html.div(
        {"className": "fw-alert fw-alert-info"},
        html.details(  # on a phone, what can be used instead would fill a quarter of the screen
            {"className": "fw-alert-body"},
            html.summary({"className": "fw-alert-title"}, t("Part of this page’s address is not valid.")),
            *(html.p({"key": sentence}, sentence) for sentence in parameters.shown),
        ),
    )


def _screen_in(tree: Node) -> Node:
    """The part of `tree` that holds the screen. Raises LookupError."""
    for node in _elements(tree):
        if _is_screen(node):
            return node
    raise LookupError("The shell shows no screen.")


def _with_screen(tree: Node, screen: Node) -> Node:
    """Replace the screen in `tree` with `screen`."""
    if isinstance(tree, str) or "c" not in tree:
        return tree
    if _is_screen(tree):
        return screen
    return {**tree, "c": [_with_screen(child, screen) for child in tree["c"]]}


def _is_screen(node: ElementNode) -> bool:
    return "f" in node and str(node.get("k", "")).startswith(_SCREEN)


def _elements(node: Node) -> Iterator[ElementNode]:
    if isinstance(node, dict):
        yield node
        for child in shown_in(node):
            yield from _elements(child)


def _is_text_field(node: ElementNode) -> bool:
    about = node.get("a", {})
    is_text = node.get("t") == "textarea" or (node.get("t") == "input" and about.get("type", "text") in _TEXT_INPUTS)
    return is_text and not about.get("disabled") and not about.get("readOnly")


async def _stopped(task: asyncio.Task[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
