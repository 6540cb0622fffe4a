"""Malicious frames sent to a live server: `FUNDWRIGHT_SOAK_FRAMES` sets the number (500 by default).

Hypothesis generates pages: the frames that one connection sends, in order. Each page is opened, gets all of them, and is left,
lost, or resumed. Before that, another connection starts with anything instead of `hello`, or with a malformed `hello`. Afterward,
the server must be in its initial state: it responds to a new visitor, as many pages can be open as before, and nothing is retained.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import json
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, Literal

import psutil
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs
from websockets.exceptions import ConnectionClosed

from fundwright_ui.runtime.frames import read_frame
from fundwright_ui.runtime.session import Session
from tests.support.polling import eventually
from tests.ui.runtime.conftest import Server, find

FRAMES = int(os.environ.get("FUNDWRIGHT_SOAK_FRAMES", "500"))
FRAMES_A_PAGE = 25
PAGES_A_BATCH = 20
PAGES_AT_ONCE = 10
MAX_OPEN_PAGES = 50
TOO_MANY = 4429
MAX_POOLED = 10  # the pools of the database and of threads open their members one by one
MAX_MORE_OBJECTS = 20_000  # four a frame; a session is some thousands
MAX_GROWTH_BYTES = 15_000_000
IS_ALONE = "FUNDWRIGHT_SOAK_FRAMES" in os.environ  # after 2,000 other tests in the same process, the memory is not meaningful
WARM_UP_BATCHES = 3

FAILURES = frozenset(("ui.session_failed", "ui.exchange_failed", "ui.not_canceled", "ui.failed"))

Ending = Literal["left", "lost", "resumed"]


@dataclass(frozen=True)
class Page:
    """The frames that one connection sends after `hello`, and how it ends. `ADD` in a frame stands for the name of a handler."""

    opening: str | bytes
    """The first frame of another connection."""
    frames: Sequence[str | bytes]
    ending: Ending


ADD = "the handler of the button"
_DEEPEST = 200_000
_TYPES = ("event", "location", "fault", "ping", "hello", "mount", "", None, 1, [])
_FIELDS = ("type", "seq", "received", "target", "data", "path", "id", "part", "message", "hash", "session")

_odd_numbers = st.sampled_from([-1, 0, 1, 2, 3, 10**9, 2**53, 10**400, 1.5, True, None, "1", [1], float("inf"), float("nan")])
_texts = st.one_of(
    st.text(max_size=40), st.sampled_from(["\ud83d", "\x00", "x" * 10_000, "/public", "//[", "/echo/%ff", "retry|", ADD])
)
_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), _texts),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(_texts, inner, max_size=4)),
    max_leaves=12,
)
_seqs = st.one_of(st.integers(min_value=0, max_value=60), _odd_numbers)
_good = st.one_of(
    st.fixed_dictionaries(
        {"type": st.just("event"), "seq": _seqs, "target": _texts, "data": st.dictionaries(_texts, _values, max_size=3)}
    ),
    st.fixed_dictionaries(
        {"type": st.just("event"), "seq": _seqs, "target": st.just(ADD), "data": st.just({}), "received": _seqs}
    ),
    st.fixed_dictionaries({"type": st.just("location"), "seq": _seqs, "path": _texts}),
    st.fixed_dictionaries({"type": st.just("fault"), "seq": _seqs, "id": _texts, "part": _texts, "message": _texts}),
    st.fixed_dictionaries({"type": st.just("ping"), "received": _seqs}),
)
_anything = st.dictionaries(st.one_of(st.sampled_from(_FIELDS), _texts), st.one_of(st.sampled_from(_TYPES), _values), max_size=6)


def _without_one(frame: dict[str, Any], index: int) -> dict[str, Any]:
    missing = sorted(frame)[index % len(frame)]
    return {name: value for name, value in frame.items() if name != missing}


def _twice(frame: dict[str, Any], index: int) -> str:
    """A frame that has one of its fields twice, with two values."""
    text = json.dumps(frame)
    return f'{{"{sorted(frame)[index % len(frame)]}": {index}, {text[1:]}'


_indexes = st.integers(min_value=0, max_value=5)
_frames = st.one_of(
    _good.map(json.dumps),
    st.builds(_without_one, _good, _indexes).map(json.dumps),
    st.builds(_twice, _good, _indexes),
    _anything.map(json.dumps),
    _values.map(json.dumps),
    st.text(max_size=200).filter(lambda text: text.isascii() or not _has_surrogates(text)),
    st.binary(max_size=200),
    st.builds(
        lambda start, depth: start * depth,
        st.sampled_from(["[", '{"a":', '[{"a":', "]"]),
        st.sampled_from([10, 199, 201, _DEEPEST]),
    ),
    st.sampled_from([1_000, 999_000, 1_100_000]).map(lambda size: json.dumps({"type": "event", "seq": 1, "target": "x" * size})),
)
_hello = st.fixed_dictionaries(
    {
        "type": st.just("hello"),
        "path": st.one_of(_texts, st.sampled_from(["/public", "/private", "/missing", "/notes?q=%ff#part"])),
        "hash": st.one_of(st.none(), _texts),
        "complete": st.booleans(),
        "build": st.one_of(st.none(), _texts),
        "session": st.one_of(st.none(), _texts),
        "received": _seqs,
    }
)
_openings = st.one_of(
    _hello.map(json.dumps),
    st.builds(_without_one, _hello, _indexes).map(json.dumps),
    st.builds(_twice, _hello, _indexes),
    _frames,
)
_pages = st.builds(
    Page,
    _openings,
    st.lists(_frames, min_size=FRAMES_A_PAGE, max_size=FRAMES_A_PAGE),
    st.sampled_from(["left", "lost", "resumed"]),
)


def _has_surrogates(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def made_pages(number: int) -> list[Page]:
    """Batch `number`, the same in each run, so that failures can be reproduced. All pages would not fit into memory."""
    pages: list[Page] = []

    @seed(number)
    @settings(
        max_examples=PAGES_A_BATCH,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(_pages)
    def collect(page: Page) -> None:
        pages.append(page)

    collect()
    return pages


async def send(server: Server, page: Page) -> bool:
    """Open a page, send all frames of `page` without waiting for responses, and end the connection as specified. Returns whether it could be
    opened: pages that were left count until their events have been handled."""
    async with server.socket() as stranger:
        with suppress(ConnectionClosed):
            await stranger.websocket.send(page.opening)
            await stranger.websocket.recv()
    async with server.socket() as client:
        try:
            await client.hello("/public")
        except ConnectionClosed as closed:
            if closed.rcvd is None or closed.rcvd.code != TOO_MANY:
                raise
            return False
        target = find(client.tree, "add")["e"]["onClick"]["h"]
        with suppress(ConnectionClosed):
            for frame in page.frames:
                await client.websocket.send(frame if isinstance(frame, bytes) else frame.replace(ADD, target))
            if page.ending == "left":
                return True
            await client.websocket.send('{"type": "ping"}')
            await client.until("pong")
        client.websocket.transport.abort()
    if page.ending == "resumed":
        async with server.socket() as again:
            hello = {"type": "hello", "path": "/public", "session": client.session, "received": client.received}
            await again.websocket.send(json.dumps(hello))
            await again.websocket.recv()
    return True


async def send_all(server: Server, pages: Sequence[Page]) -> None:
    waiting = list(pages)

    async def work() -> None:
        while waiting:
            page = waiting.pop()
            if not await send(server, page):
                waiting.append(page)

    async with asyncio.TaskGroup() as workers:
        for _ in range(PAGES_AT_ONCE):
            workers.create_task(work())


@asynccontextmanager
async def open_page(server: Server) -> AsyncIterator[None]:
    async with server.socket() as client:
        await client.hello("/public")
        await client.click("add")
        assert client.text.endswith("count 1")
        yield


async def as_many_pages_open_as_may_be(server: Server) -> None:
    """All slots are free again: none is occupied by a closed page."""
    opened = [open_page(server) for _ in range(MAX_OPEN_PAGES)]
    for page in opened:
        await page.__aenter__()
    for page in opened:
        await page.__aexit__(None, None, None)


@dataclass(frozen=True)
class Held:
    """Objects retained by this process."""

    sessions: int
    descriptors: int
    objects: int
    resident_bytes: int


async def settled(earlier_sessions: int) -> Held:
    """Retained objects once the sessions that have ended are gone."""
    await eventually(lambda: living_sessions() <= earlier_sessions)
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)  # otherwise, free memory between large frames would count as used
    process = psutil.Process()
    return Held(living_sessions(), process.num_fds(), len(gc.get_objects()), process.memory_info().rss)


def living_sessions() -> int:
    gc.collect()
    return sum(isinstance(each, Session) for each in gc.get_objects())


@pytest.mark.slow
@pytest.mark.security(33)
async def test_malformed_frames_leave_the_server_as_it_was(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fundwright_ui.runtime.render_slots._MAX_FRAMES_PER_S", FRAMES)  # its pages are of one visitor
    server.set(resume_s=0.2)
    earlier_sessions = living_sessions()  # objects of other tests in this process
    # Modules and pools that a process loads once, with as many pages as possible.
    await as_many_pages_open_as_may_be(server)
    for batch in range(WARM_UP_BATCHES):
        await send_all(server, made_pages(batch))
    before = await settled(earlier_sessions)

    sent, batch = 0, WARM_UP_BATCHES - 1
    while sent < FRAMES:
        batch += 1
        pages = made_pages(batch)
        with capture_logs() as logs:
            await send_all(server, pages)
        assert not [each for each in logs if each["event"] in FAILURES]
        sent += sum(1 + len(page.frames) for page in pages)
    del pages, logs

    await as_many_pages_open_as_may_be(server)
    after = await settled(earlier_sessions)
    assert after.sessions <= earlier_sessions
    assert after.descriptors <= before.descriptors + MAX_POOLED
    assert after.objects - before.objects < MAX_MORE_OBJECTS
    if IS_ALONE:
        assert after.resident_bytes - before.resident_bytes < MAX_GROWTH_BYTES


@pytest.mark.slow
def test_what_is_sent_covers_what_is_understood_and_what_is_not() -> None:
    """A fuzzer that sends only invalid frames, or none, would test nothing."""
    pages = [page for batch in range(1, 4) for page in made_pages(batch)]
    texts = [frame for page in pages for frame in page.frames if isinstance(frame, str)]
    read = [read_frame(text) for text in texts]
    assert {type(each).__name__ for each in read} >= {"Event", "Moved", "Fault", "Ping", "NoneType"}
    assert any(isinstance(frame, bytes) for page in pages for frame in page.frames)
    assert {page.ending for page in pages} == {"left", "lost", "resumed"}
    openings = [read_frame(page.opening) for page in pages if isinstance(page.opening, str)]
    assert {type(each).__name__ for each in openings} >= {"Hello", "NoneType"}
    assert max(map(len, texts)) > 1_000_000
