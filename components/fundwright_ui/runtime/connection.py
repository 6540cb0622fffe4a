"""The page as components see it: the actor, the address, and commands to the browser."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Generic, Literal, NamedTuple, Protocol, cast

from reactpy import create_context, use_context
from reactpy.types import Context
from typing_extensions import TypeVar

from fundwright_ui.runtime.faults import error_id_of
from fundwright_ui.runtime.host import Actor, Client, Services, set_language, t
from fundwright_ui.runtime.layout import rerenderer_of_current
from fundwright_ui.runtime.router import Location
from fundwright_ui.runtime.waiting import cancel

S = TypeVar("S", bound=Services, default=Services, covariant=True)
A = TypeVar("A", bound=Actor, default=Actor, covariant=True)
C = TypeVar("C", bound=Client, default=Client, covariant=True)

Variant = Literal["success", "info", "warning", "error"]
Frame = dict[str, Any]


def toast_frame(message: str, variant: Variant) -> Frame:
    """The frame that shows a toast. That of an unexpected error has the id under which the log describes it."""
    error_id = error_id_of(message)
    return {"type": "toast", "message": message, "variant": variant, **({"error_id": error_id} if error_id else {})}


Continuation = Callable[[], Awaitable[None]]

_FIRST_RETRY_S = 1.0
_LONGEST_RETRY_S = 60.0
_UNDO_S = 10.0
_MOST_SHOWN = 3
_LONGEST_SHOWN = 50
_ANYTHING = "{text}"
_PLACE = re.compile(r"\{(\w+)\}")
_PLACES = {"id": r"[\da-fA-F-]{32,36}", "n": r"\d{1,9}", "text": r"(?s:.*)"}
"""What each place in the form of a value can be."""


@dataclass(frozen=True, eq=False)
class _Shown:
    """What one rendering shows."""

    location: Location


_rendering: ContextVar[_Shown | None] = ContextVar("rendering", default=None)
"""The rendering in which a component was called, or which started the task. It may have ended."""


class Parameters:
    """What a screen reads from the query of its address. It says which parameters it does not know, and what is not valid."""

    def __init__(self) -> None:
        self.shown: tuple[str, ...] = ()
        """The sentences that the page shows."""
        self._opened: dict[str, tuple[str, ...]] = {}
        self._lists: dict[tuple[str, ...], tuple[str, ...]] = {}

    def open(self, forms: Mapping[str, Iterable[str]]) -> None:
        """Note parameters that say what is open, each with the forms of its values, in addition to those that other parts of the screen
        know. In a form, `{id}` is an id, `{n}` a number, and `{text}` anything."""
        for name, known in forms.items():
            self._opened[name] = tuple(dict.fromkeys((*self._opened.get(name, ()), *known)))

    def read(self, name: str) -> None:
        """Note a parameter that is read. Unless its values are known, it can have any."""
        if name not in self._opened and name not in self._listed:
            self._opened[name] = (_ANYTHING,)

    @property
    def _listed(self) -> set[str]:
        return {name for names in self._lists for name in names}

    def narrow(self, names: Iterable[str], problems: tuple[str, ...]) -> None:
        """Note the parameters of a list, and what is wrong with them."""
        self._lists[tuple(names)] = problems

    def sentences(self, query: Mapping[str, str]) -> tuple[str, ...]:
        """What to say about the query of the address, once the whole screen has been rendered."""
        listed = self._listed
        known = sorted({*self._opened, *listed})
        unknown = [name for name in query if name not in known]
        opened = [(name, value) for name, value in query.items() if value and name in self._opened and name not in listed]
        return (
            *(
                t("There is no parameter “{name}” here. The parameters are: {names}.", name=name[:50], names=", ".join(known))
                if known
                else t("There is no parameter “{name}” here. Remove it: this address has none.", name=name[:50])
                for name in unknown[:_MOST_SHOWN]
            ),
            *(
                not_a_value(value, name, self._opened[name])
                for name, value in opened
                if not any(re.fullmatch(_pattern(form), value) for form in self._opened[name])
            ),
            *(problem for problems in self._lists.values() for problem in problems),
        )


def not_a_value(value: str, name: str, forms: Iterable[str]) -> str:
    """The sentence about a value that a parameter cannot have, with those that it can have, if they can be listed."""
    values = [_PLACE.sub("…", form) for form in forms]
    if not values or "…" in values:
        return t("“{value}” is not a valid value for “{name}”.", value=value[:_LONGEST_SHOWN], name=name)
    return t(
        "“{value}” is not a valid value for “{name}”. Choose one of these: {values}.",
        value=value[:_LONGEST_SHOWN],
        name=name,
        values=", ".join(values),
    )


@lru_cache(maxsize=1_000)  # names that people give are forms, too
def _pattern(form: str) -> str:
    parts = _PLACE.split(form)
    return "".join(_PLACES.get(part, r"\w+") if place % 2 else re.escape(part) for place, part in enumerate(parts))


class FailedQuery(Protocol):
    """A query whose last load failed and will be retried."""

    @property
    def failure(self) -> str | None:
        """The error message to show."""
        ...

    @property
    def is_stale(self) -> bool:
        """Whether an earlier value is still shown."""
        ...

    def reload(self) -> None: ...


class Load(NamedTuple):
    """A query that is running."""

    is_first: bool
    """Its component has no result yet and can only show that it is loading."""
    is_reload: bool
    """It refreshes what is already on the page."""
    is_live: bool
    """It was started by a live message, so nothing waits for it."""
    started_at: float
    """In the event loop's time."""


class Move(NamedTuple):
    """The arguments of `Connection.navigate`."""

    path: str
    replace: bool = False
    reload: bool = False

    @property
    def leaves_the_document(self) -> bool:
        return self.reload or not self.path.startswith("/")

    def frame(self) -> Frame:
        return {"type": "navigate", "path": self.path, "replace": self.replace, "reload": self.leaves_the_document}


Undo = Callable[[Any], Awaitable[object]]
"""Undoes something within the given database session."""


@dataclass(frozen=True, eq=False)
class UndoOffer:
    message: str
    undo: Undo
    made_at: float = field(default_factory=time.monotonic)

    @property
    def is_recent(self) -> bool:
        """Whether a toast still shows it."""
        return time.monotonic() - self.made_at < _UNDO_S


class Connection(Generic[S, A, C]):
    """One per page or socket. The object stays the same while its attributes change, so read them in each render.

    The type parameters are the product's own types of services, actors, and clients.
    """

    def __init__(
        self,
        core: S,
        actor: A | None,
        *,
        client: C,
        location: Location,
        language: str = "en",
        base: str = "",
        is_live: bool = False,
        may_open: bool = False,
        send: Callable[[Frame], None] = lambda _frame: None,
        move: Callable[[Move], None] | None = None,
        act_for: Callable[[A | None], None] = lambda _actor: None,
    ) -> None:
        self.core = core
        self._reading: Callable[[], AbstractAsyncContextManager[Any]] | None = None
        self.actor = actor
        self._location = location
        self._shown: _Shown | None = None
        self.language = language
        self.base = base
        """Path prefix behind a proxy; every `href` needs it, see `href()`."""
        self._is_live = is_live
        self.is_subscribing = is_live or may_open
        """Whether live topics are followed. A page that a socket may continue follows them from its first paint on, so that it misses nothing."""
        self._on_open: dict[Callable[[], None], None] = {}
        self.client = client
        self.title: str | None = None
        """The title from `set_title`; None shows the screen's own title."""
        self.help: str | None = None
        """The address of the help topic that the screen declares."""
        self.is_missing = False
        """Whether the item in the address was not found. First paint then responds with 404."""
        self.ask_reauthentication: Callable[[Continuation], None] | None = None
        """Opens the re-authentication dialog and then calls its argument; None if the page has no dialog."""
        self.offer_undo: Callable[[UndoOffer], None] | None = None
        """Shows a toast with a button that undoes something; None if the page has none."""
        self.undo_offer: UndoOffer | None = None
        """What can be undone, also after moving to another area."""
        self.parameters = Parameters()
        """Of the query of the address."""
        self._left: dict[str, str] = {}
        self._send = send
        self._act_for = act_for
        self._move = move or (lambda wanted: send(wanted.frame()))
        self.failing: tuple[FailedQuery, ...] = ()
        """Queries that are retried, with growing delays, until they succeed."""
        self.on_failing: Callable[[], None] = lambda: None
        """Called when `failing` or one of its messages has changed."""
        self.has_text_field: Callable[[], bool] = lambda: False
        """Whether the page has a field that may hold unsaved text."""
        self._retry: asyncio.TimerHandle | None = None
        self._retry_delay_s = _FIRST_RETRY_S
        self._queries: dict[asyncio.Task[Any], Load] = {}
        self._handling: tuple[asyncio.Future[None], ...] = ()
        self._closing: dict[Callable[[], None], None] = {}
        self.on_reachable: set[Callable[[bool], None]] = set()
        """Called with False when the page has lost its connection to the server, and with True when it has it again."""
        self.on_idle: set[Callable[[], None]] = set()
        """Called when the page becomes idle, to release memory."""

    def reading(self) -> AbstractAsyncContextManager[Any]:
        """Open a session that only reads, as `Database.reading` does; the reads of the page share a transaction."""
        if self._reading is None:
            self._reading = self.core.database.together()
        return self._reading()

    @property
    def is_live(self) -> bool:
        """False during first paint, when nothing may have side effects. What reads it then, a query or a component, runs again when a socket
        continues the page."""
        if not self._is_live and (again := _again.get() or rerenderer_of_current()) is not None:
            self.when_open(again)
        return self._is_live

    @property
    def is_painting(self) -> bool:
        """Whether no socket has continued the page yet."""
        return not self._is_live

    def when_open(self, call: Callable[[], None]) -> None:
        """Call `call`, once, when a socket continues the page that is being painted."""
        self._on_open[call] = None

    def open(self, actor: Actor | None, client: Client, *, send: Callable[[Frame], None], move: Callable[[Move], None]) -> None:
        """Continue the page that was painted, for a socket."""
        self.actor, self.client = cast("A | None", actor), cast(C, client)
        self._send, self._move = send, move
        self._is_live = True
        waiting, self._on_open = self._on_open, {}
        for call in waiting:
            call()
        if self.failing:
            self.retry_failing()

    def toast(self, message: str, variant: Variant = "success", *, undo: Undo | None = None) -> None:
        """Show a toast for three seconds; an error or a warning stays until it is closed, an error also until the page shows another
        screen. With `undo`, show a notice for ten seconds instead, with a button that runs `undo(session)` in a
        transaction."""
        if undo is not None and self.offer_undo is not None:
            self.undo_offer = UndoOffer(message, undo)
            self.offer_undo(self.undo_offer)
        else:
            self._send(toast_frame(message, variant))

    def navigate(self, path: str, *, replace: bool = False, reload: bool = False) -> None:
        """Navigate to one of our own paths: show its screen immediately, and send the new address to the browser.

        `replace` replaces the history entry. `reload` reloads the document, as an `https://` address always does. Does nothing
        in a handler whose event is older than the person's own last navigation.
        """
        self._move(Move(path, replace, reload))

    def handover(self, code: str, next: str = "/") -> None:
        """Finish a sign-in: the browser exchanges the one-time `code` for its cookie and loads `next`."""
        self._send({"type": "handover", "code": code, "next": next})

    def sign_out(self, *, next: str = "/", forget: bool = False) -> None:
        """Make the browser delete its token and load `next`. The default, the root, redirects to the login page.

        The browser keeps the unsaved text of the account, unless `forget` says that the account was deleted.
        """
        self._send({"type": "signed_out", "next": next, "forget": forget})

    def download(self, url: str) -> None:
        """Save the file at `url`, one of our own paths."""
        self._send({"type": "download", "url": self.href(url)})

    def forget_draft(self, form: str) -> None:
        """Tell the browser that this form was saved, so that it deletes the draft."""
        self._send({"type": "saved", "form": form})

    def set_title(self, title: str) -> None:
        """Show `title` instead of the screen's own title until the path changes."""
        self.title = title

    def href(self, path: str) -> str:
        """`path` with the proxy's prefix, as links need it."""
        return f"{self.base}{path}" if path.startswith("/") else path

    @property
    def location(self) -> Location:
        """Where the page is; for a component that is rendered, where it was when the rendering began."""
        shown = self._shown
        return self._location if shown is None or _rendering.get() is not shown else shown.location

    def move_to(self, location: Location) -> None:
        self._location = location

    @contextmanager
    def rendering(self) -> Iterator[None]:
        """Show the components that are rendered in this context one location, although a handler may move the page meanwhile."""
        self._shown = _Shown(self._location)
        token = _rendering.set(self._shown)
        try:
            yield
        finally:
            _rendering.reset(token)
            if self._shown.location.path != self._location.path:
                self.title, self.parameters = None, Parameters()  # they are of the screen that the page has left
            self._shown = None

    def leave(self) -> None:
        """Keep the current address for `href_back`, if it has a query."""
        self.parameters = Parameters()
        self._left.pop(self.location.path, None)
        if self.location.query:
            self._left[self.location.path] = self.location.address

    def href_back(self, path: str) -> str:
        """`href` of the page at `path` as the person left it: with its filters, order, and page of a list."""
        return self.href(self._left.get(path, path))

    def run_query(
        self, work: Coroutine[Any, Any, None], *, is_first: bool, is_reload: bool, is_live: bool, again: Callable[[], None]
    ) -> asyncio.Task[None]:
        """Run `work` now, for the actor. Unless it `is_live`, first paint and the end of an event wait for it for a limited time. `again` runs it
        once more, without anything waiting for it."""
        context = copy_context()
        # The publisher of a live message may act for another account, and in another language.
        context.run(self._act_for, self.actor)
        context.run(set_language, self.language)
        context.run(_again.set, again)
        task = asyncio.create_task(work, context=context)
        self._queries[task] = Load(is_first, is_reload, is_live, asyncio.get_running_loop().time())
        task.add_done_callback(self._queries.pop)
        return task

    @contextmanager
    def handling(self) -> Iterator[None]:
        """Mark a handler of this page as running."""
        running = asyncio.get_running_loop().create_future()
        self._handling = (*self._handling, running)
        try:
            yield
        finally:
            self._handling = tuple(other for other in self._handling if other is not running)
            running.set_result(None)

    async def wait_for_handlers(self) -> None:
        """Wait until every handler that is running now has ended."""
        if self._handling:
            await asyncio.wait(self._handling)

    @property
    def pending_queries(self) -> list[asyncio.Task[Any]]:
        """The running queries that the page waits for."""
        return [task for task, load in self._queries.items() if not (load.is_live or task.done() or task.cancelling())]

    @property
    def has_first_load(self) -> bool:
        """Whether a part of the page is still waiting for its first result."""
        return any(load.is_first for load in self._running_loads())

    @property
    def awaited_since(self) -> float | None:
        """The start time of the latest running query that is not a reload, in the event loop's time. None if there is none."""
        return max((load.started_at for load in self._running_loads() if load.is_first or not load.is_reload), default=None)

    def _running_loads(self) -> Iterator[Load]:
        return (load for task, load in self._queries.items() if not task.done())

    def add_failing(self, query: FailedQuery) -> None:
        """Retry `query` automatically, with growing delays."""
        if query not in self.failing:
            self.failing = (*self.failing, query)
        if self._retry is None and self._is_live:
            self._retry = asyncio.get_running_loop().call_later(self._retry_delay_s, self.retry_failing)
            self._retry_delay_s = min(2 * self._retry_delay_s, _LONGEST_RETRY_S)
        self.on_failing()

    def remove_failing(self, query: FailedQuery) -> None:
        if query not in self.failing:
            return
        self.failing = tuple(each for each in self.failing if each is not query)
        if not self.failing:
            self._retry_delay_s = _FIRST_RETRY_S
            self._cancel_retry()
        self.on_failing()

    def retry_failing(self) -> None:
        """Retry every failed query now."""
        self._cancel_retry()
        for query in self.failing:
            query.reload()

    def _cancel_retry(self) -> None:
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None

    def on_close(self, close: Callable[[], None]) -> None:
        """Call `close` when the page is closed, unless `close_now` does it earlier."""
        self._closing[close] = None

    def close_now(self, close: Callable[[], None]) -> None:
        self._closing.pop(close, None)
        close()

    def set_reachable(self, is_reachable: bool) -> None:
        for changed in self.on_reachable:
            changed(is_reachable)

    def release_memory(self) -> None:
        for release in self.on_idle:
            release()

    async def close(self) -> None:
        """Cancel running queries and end all subscriptions."""
        self._cancel_retry()
        for close in list(self._closing):
            self.close_now(close)
        await cancel(self._queries)


_again: ContextVar[Callable[[], None] | None] = ContextVar("again", default=None)
"""Runs the current query again."""

ConnectionContext: Context[Connection | None] = create_context(None)


def use_connection() -> Connection:
    """The connection of the page this component is shown on."""
    connection = use_context(ConnectionContext)
    if connection is None:
        raise RuntimeError("This component is rendered outside a page: mount it through the runtime or `mounted()`.")
    return connection
