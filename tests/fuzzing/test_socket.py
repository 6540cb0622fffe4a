"""Malicious frames on real screens, with a session of each kind of person and without one.

Each example is a visit: one page, then events with nearly valid payloads, ids of Ada's objects, names of handlers on other pages,
navigation, and invalid frames. After each visit, the connection is alive or was closed according to the protocol, a new one works,
the log contains no failure, Ada's work is neither shown nor changed, and nothing has changed that the role may not change.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
import uvicorn
from hypothesis import strategies as st
from structlog.testing import capture_logs
from websockets.exceptions import ConnectionClosed

from fundwright.accounts.schemas import WorkspaceRole
from fundwright.core.assembly import Core
from fundwright_ui.app import build_app
from fundwright_ui.runtime.wire import LowMemoryWebSocket
from tests.access.people import KINDS, Kind, granted
from tests.access.table import SCREENS
from tests.access.test_events import anything, events, records
from tests.access.test_ids import World, records_of
from tests.fuzzing.conftest import Fuzz
from tests.fuzzing.people import PRIVATE_TABLES, secrets_of, sign_in
from tests.fuzzing.test_files import Run, in_a_thread
from tests.fuzzing.texts import ODD, json_texts, json_values, mutated
from tests.support.polling import eventually
from tests.ui.runtime import conftest as runtime

DOCUMENTED_CODES = frozenset((1000, 1001, 1008, 1009, 4401, 4429))
CHANGES = {None: set[str](), WorkspaceRole.VIEWER: set[str](), WorkspaceRole.REVIEWER: {"category", "label", "trash_item"}}
"""Tables, besides `feedback`, in which people without full permissions can change something. Everybody may send feedback."""
TIMEOUT_S = 20

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Event:
    """An event that is possible on the page, with a valid payload except for `changes` and `fields`."""

    place: int
    changes: Sequence[tuple[str, object]]
    fields: Sequence[tuple[int, object]]
    is_elsewhere: bool
    """Whether it is sent to a handler of the previous page."""


@dataclass(frozen=True)
class Frame:
    """Sent unchanged, except that SEQ is replaced by the next number."""

    content: str | bytes


@dataclass(frozen=True)
class Move:
    path: str


@dataclass(frozen=True)
class Loss:
    """The connection breaks, and the page resumes with a frame count that is off by this number."""

    miscounted: int


@dataclass(frozen=True)
class Visit:
    path: str
    steps: Sequence[Event | Frame | Move | Loss]


NAMES = (
    "value",
    "checked",
    "name",
    "fields",
    "submitter",
    "key",
    "id",
    "ids",
    "number",
    "page",
    "page_size",
    "sort",
    "filters",
    "code",
    "act",
    "words",
    "answer",
)
FRAMES = (
    '{"type": "event", "seq": SEQ, "received": 0, "target": "x", "data": {}}', '{"type": "location", "seq": SEQ, "path": "/dashboard/train?q=x"}',
    '{"type": "ping", "received": 1}', '{"type": "fault", "seq": SEQ, "id": "x", "part": "DataTable", "message": "m"}',
    '{"type": "hello", "path": "/", "hash": null}', '{"type": "event", "seq": SEQ, "target": "retry|x", "data": {"value": "\\ud83d"}}',
)  # fmt: skip


def visits(world: World, kind: Kind | None) -> st.SearchStrategy[Visit]:
    """Visits, mostly of screens that the person may open, and mostly with events."""
    ids = st.sampled_from(sorted(world.ids.values()))
    values = st.one_of(
        ids, json_values(), st.sampled_from([*ODD, "-1", "2026-13-45", "1e400", 10**30, float("nan"), ["x"], {"a": 1}])
    )
    open_to = [path for path, need in SCREENS.items() if need is None or (kind and need in granted(kind))]
    names = st.sampled_from(["q", "page", "sort", "open", "next", "id", "pending"])
    good = st.builds(_address, st.sampled_from(open_to), ids)
    paths = _weighted(
        (6, good),
        (2, st.builds("{}?{}={}".format, good, names, st.one_of(ids, st.sampled_from(["new", "%ff", "%00", "-1", "9" * 30])))),
        (1, st.builds(_address, st.sampled_from(sorted(SCREENS)), ids)),
        (1, mutated(*sorted(SCREENS))),
    )
    event = st.builds(
        Event, st.integers(0, 2**16), st.lists(st.tuples(st.sampled_from(NAMES), values), max_size=2),
        st.lists(st.tuples(st.integers(0, 12), values), max_size=3), st.integers(0, 9).map(lambda number: number == 9),
    )  # fmt: skip
    frame = st.builds(Frame, st.one_of(st.sampled_from(FRAMES), mutated(*FRAMES), json_texts(), st.binary(max_size=50)))
    step = _weighted((7, event), (2, frame), (1, st.builds(Move, paths)))
    losses = st.builds(Loss, st.sampled_from([0, 0, 0, -1, 5, 10**6]))
    return st.builds(
        lambda path, steps, end: Visit(path, [*steps, *end]),
        paths,
        st.lists(step, min_size=6, max_size=12),
        st.lists(losses, max_size=1),
    )


def _address(path: str, id: str) -> str:
    return path.replace("{id}", id).replace("{token}", id)


def _weighted(*choices: tuple[int, st.SearchStrategy[Any]]) -> st.SearchStrategy[Any]:
    numbered = [strategy for weight, strategy in choices for _ in range(weight)]
    return st.integers(0, len(numbered) - 1).flatmap(numbered.__getitem__)


@pytest.fixture
async def server(committed: Core, world: World) -> AsyncIterator[runtime.Server]:
    """The whole application, in which Ada has a record of each kind."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]
    served = runtime.Server(f"http://127.0.0.1:{port}", committed, world.owner)
    served.set(port=port, resume_s=0.2)
    app = build_app(committed)
    serving = uvicorn.Server(
        uvicorn.Config(app, port=port, log_config=None, lifespan="off", ws=LowMemoryWebSocket, timeout_graceful_shutdown=1)
    )
    task = asyncio.create_task(serving.serve())
    await eventually(lambda: serving.started)
    yield served
    await app.state.tracker.close()
    serving.should_exit = True
    await task


class Visitor:
    """A person of this kind, who signs in again if a visit has ended the session."""

    def __init__(self, server: runtime.Server, world: World, kind: Kind | None, outcomes: Counter[str]) -> None:
        self._server = server
        self._world = world
        self._kind = kind
        self._token: str | None = None
        self._secrets = secrets_of(world, seen_by=kind)
        self._outcomes = outcomes

    async def make(self, visit: Visit) -> None:
        """Raises AssertionError if something is wrong afterward."""
        if self._kind and not self._token:
            self._token = await sign_in(self._server.core, self._kind)
        core, owner = self._server.core, self._world.owner
        before, hers = await records(core), await records_of(core, owner)
        code, frames = 0, list[dict[str, Any]]()
        with capture_logs() as logs:
            try:
                async with asyncio.timeout(TIMEOUT_S):
                    await self._go(visit, frames)
            except ConnectionClosed as closed:
                code = closed.rcvd.code if closed.rcvd else 1006
                assert code in DOCUMENTED_CODES, code
            await self._look_in()
        self._outcomes[f"closed with {code}" if code else "not closed"] += 1
        if code == 4401 or any(frame["type"] in ("signed_out", "handover") for frame in frames):
            self._token = None
        assert [line for line in logs if "exc_info" in line or line["log_level"] in ("error", "critical")] == []
        sent = json.dumps([str(step) for step in visit.steps]) + visit.path
        self._secrets = [
            secret for secret in self._secrets if secret not in sent
        ]  # from now on, sent text may be saved and shown
        shown = [(secret, frame) for frame in map(json.dumps, frames) for secret in self._secrets if secret in frame]
        assert shown == [], visit
        after, hers_now = await records(core), await records_of(core, owner)
        changed = {table for table in before if before[table] != after[table]} - {"feedback"}
        assert self._kind not in CHANGES or changed <= CHANGES[self._kind], changed
        assert {table for table in PRIVATE_TABLES if hers[table] != hers_now[table]} == set()

    async def _go(self, visit: Visit, frames: list[dict[str, Any]]) -> None:
        """Reload the page whenever the server requests it, as a browser does, until all steps are done."""
        steps, path = list(visit.steps), visit.path
        for _ in visit.steps:
            async with self._server.socket(token=self._token) as client:
                try:
                    await client.websocket.send(json.dumps({"type": "hello", "path": path, "hash": None}))
                    path = await mounted(client)
                    if not path:
                        earlier = ["nobody's handler"]
                        while steps and not has_left(client):
                            earlier = await self._make(client, steps.pop(0), earlier)
                        path = visit.path
                finally:
                    frames.extend(client.frames)
            if not steps or any(frame["type"] in ("signed_out", "handover") for frame in frames):
                return

    async def _make(self, client: runtime.Client, step: Event | Frame | Move | Loss, earlier: list[str]) -> list[str]:
        """Returns the handlers of the previous page."""
        match step:
            case Event():
                await self._fire(client, step, earlier)
            case Move(path):
                earlier = [node["e"][event]["h"] for _, node, event in events(client)] or earlier
                client.seq += 1
                await client.websocket.send(json.dumps({"type": "location", "seq": client.seq, "path": path}))
                await client.answered(client.seq)
            case Frame(bytes() as content):
                await client.websocket.send(content)
            case Frame(content):
                client.seq += "SEQ" in content
                await client.websocket.send(content.replace("SEQ", str(client.seq)))
            case Loss(miscounted):
                await self._lose(client, miscounted)
                return earlier
        await client.websocket.send('{"type": "ping"}')
        await client.until("pong")
        return earlier

    async def _fire(self, client: runtime.Client, event: Event, earlier: Sequence[str]) -> None:
        found = list(events(client))
        if not found:
            return
        _, node, name = found[event.place % len(found)]
        data = {**anything(client, node), **dict(event.changes)}
        if isinstance(fields := data["fields"], dict) and fields:
            names = sorted(fields)
            data["fields"] = fields | {names[place % len(names)]: value for place, value in event.fields}
        target = earlier[event.place % len(earlier)] if event.is_elsewhere else node["e"][name]["h"]
        client.seq += 1
        await client.websocket.send(json.dumps({"type": "event", "seq": client.seq, "target": target, "data": data}))
        done = await client.answered(client.seq)
        self._outcomes["events refused" if done.get("refused") else "events"] += 1

    async def _lose(self, client: runtime.Client, miscounted: int) -> None:
        client.websocket.transport.abort()
        async with self._server.socket(token=self._token) as again:
            hello = {"type": "hello", "path": "/", "session": client.session, "received": max(0, client.received + miscounted)}
            await again.websocket.send(json.dumps(hello))
            client.frames.append(json.loads(await again.websocket.recv()))

    async def _look_in(self) -> None:
        """Check that other people are served."""
        async with self._server.socket() as client:
            await client.hello("/pricing")
            assert client.text


async def mounted(client: runtime.Client) -> str:
    """The path to which the page is redirected, if it is."""
    while True:
        frame = json.loads(await client.websocket.recv())
        client.frames.append(frame)
        if frame["type"] == "mount":
            client.session, client.tree = frame["session"], frame["tree"]
            return ""
        if frame["type"] == "navigate":
            return frame["path"]


def has_left(client: runtime.Client) -> bool:
    return any(frame["type"] in ("signed_out", "handover") or frame.get("reload") for frame in client.frames)


@pytest.mark.parametrize("kind", [None, *KINDS], ids=["nobody", *KINDS])
async def test_visits(server: runtime.Server, world: World, fuzz: Fuzz, kind: Kind | None) -> None:
    visitor = Visitor(server, world, kind, fuzz.outcomes)

    def work(run: Run[Any]) -> None:
        def check(visit: Visit) -> None:
            run(visitor.make(visit))

        fuzz(check, examples=5, visit=visits(world, kind))

    await in_a_thread(work)
    assert fuzz.outcomes["events"] > fuzz.tried
    assert fuzz.outcomes["not closed"] > fuzz.tried / 2
