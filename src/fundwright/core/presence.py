"""Who has something open now, in all processes.

Nothing is stored. Each process announces its visits as live messages, and knows those of the others from theirs. A process whose pages
share a subject with pages of another one announces every few seconds that it runs; the visits of one that is silent end with its lease.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID, uuid4

import structlog

from fundwright.core.database import Database
from fundwright.core.errors import FundwrightError
from fundwright.core.fair_loop import of_the_server
from fundwright.core.live import LiveBus, publish_messages
from fundwright.core.scopes import NOBODY

_BEAT_S = 3.0
_LEASE_S = 10.0
_GRACE_S = 2.0
"""How long a page that has lost its connection is still shown. Most are back sooner."""
_RETRY_S = 1.0
_MOST_NAME_CHARACTERS = 100
_HOSTS = "presence"
"""The topic on which processes announce that they run."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, order=True)
class Present:
    """An account that has a subject open. `place` is the part of it that this person is editing, or empty."""

    name: str
    id: UUID
    place: str = ""


@dataclass(slots=True)
class _Room:
    """A subject that pages of this process have open, with all visits to it: each with its process and its person."""

    own: dict[str, Visit] = field(default_factory=dict)
    visits: dict[str, tuple[str, Present]] = field(default_factory=dict)
    leave: Callable[[], None] = lambda: None

    def has_guests(self, host: str) -> bool:
        """Whether pages of another process have the subject open."""
        return any(each != host for each, _ in self.visits.values())


class Visit:
    """One page that has a subject open, until `leave` is called."""

    def __init__(self, presence: Presence, topic: str, who: Present) -> None:
        self.id = uuid4().hex
        self.topic = topic
        self.who = who
        self._presence = presence
        self._watchers: dict[Callable[[], None], None] = {}
        self._loss: asyncio.TimerHandle | None = None
        presence.enter(self)

    @property
    def others(self) -> tuple[Present, ...]:
        """The other people who have it open, by name. Someone who edits several parts is listed with each of them."""
        return self._presence.others_of(self)

    def update(self, who: Present) -> None:
        """Announce a change of the name or the place."""
        if who != self.who:
            self.who = who
            self._presence.announce(self)

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call `changed` whenever a visit begins, changes, or ends, until the returned function is called."""
        self._watchers[changed] = None
        return lambda: self._watchers.pop(changed, None)

    def notify(self) -> None:
        for changed in tuple(self._watchers):
            changed()

    def set_reachable(self, is_reachable: bool) -> None:
        """The page has lost its connection, or has it again. After a while without one, it is no longer shown to others."""
        if self._loss is not None:
            self._loss.cancel()
            self._loss = None
        if is_reachable:
            self._presence.enter(self)
        else:
            self._loss = asyncio.get_running_loop().call_later(_GRACE_S, self._presence.leave, self)

    def leave(self) -> None:
        if self._loss is not None:
            self._loss.cancel()
        self._presence.leave(self)


class Presence:
    """The visits of one process, and those of the others to the same subjects."""

    def __init__(self, database: Database, live: LiveBus, *, beat_s: float = _BEAT_S, lease_s: float = _LEASE_S) -> None:
        self._database = database
        self._live = live
        self._beat_s, self._lease_s = beat_s, lease_s
        self._host = uuid4().hex
        self._rooms: dict[str, _Room] = {}
        self._heard_at: dict[str, float] = {}
        self._silent: set[str] = set()
        self._waiting: list[tuple[str, dict[str, object]]] = []
        self._sender: asyncio.Task[None] | None = None
        self._beating: asyncio.TimerHandle | None = None
        self._end_listening: Callable[[], None] = lambda: None

    def visit(self, subject: str, who: Present) -> Visit:
        """Announce that a page of `who` has the subject open. The caller has checked that this person may see it."""
        return Visit(self, f"{_HOSTS}:{subject}", replace(who, name=who.name[:_MOST_NAME_CHARACTERS]))

    async def close(self) -> None:
        """Announce what has ended."""
        self._stop_beating()
        if self._sender is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(_RETRY_S):
                    await self._sender

    # Visits of this process

    def enter(self, visit: Visit) -> None:
        room = self._rooms.get(visit.topic)
        is_new = room is None
        if room is None:
            if not self._rooms:
                self._end_listening = self._live.subscribe(_HOSTS, self._on_beat)
                self._beat_later()
            room = self._rooms[visit.topic] = _Room()
            room.leave = self._live.subscribe(visit.topic, lambda message: self._on_message(visit.topic, message))
        if visit.id not in room.own:
            room.own[visit.id] = visit
            self._send(visit, asks=is_new)

    def leave(self, visit: Visit) -> None:
        room = self._rooms.get(visit.topic)
        if room is None or room.own.pop(visit.id, None) is None:
            return
        self._queue(visit.topic, {"visit": visit.id, "host": self._host})
        if room.own:
            return
        room.leave()
        del self._rooms[visit.topic]
        if not self._rooms:
            self._end_listening()
            self._stop_beating()

    def announce(self, visit: Visit) -> None:
        room = self._rooms.get(visit.topic)
        if room is not None and visit.id in room.own:
            self._send(visit)

    def others_of(self, visit: Visit) -> tuple[Present, ...]:
        room = self._rooms.get(visit.topic)
        if room is None:
            return ()
        return tuple(sorted({who for _, who in room.visits.values() if who.id != visit.who.id}))

    # Sending

    def _send(self, visit: Visit, *, asks: bool = False) -> None:
        """`asks` that the other processes announce their visits, too."""
        who = visit.who
        content: dict[str, object] = {
            "visit": visit.id,
            "host": self._host,
            "id": str(who.id),
            "name": who.name,
            "place": who.place,
        }
        self._queue(visit.topic, content | ({"asks": True} if asks else {}))

    def _queue(self, topic: str, message: dict[str, object]) -> None:
        self._waiting.append((topic, message))
        if self._sender is None:
            self._sender = asyncio.create_task(self._send_waiting(), context=of_the_server())

    async def _send_waiting(self) -> None:
        """Send what waits, in order. While the database cannot be reached, keep it."""
        try:
            while messages := self._waiting:
                self._waiting = []
                try:
                    async with self._database.transaction(scope=NOBODY) as session:
                        await publish_messages(session, messages)
                except FundwrightError:
                    self._waiting = messages + self._waiting
                    await asyncio.sleep(_RETRY_S)
        finally:
            self._sender = None

    # Receiving

    def _on_message(self, topic: str, message: dict[str, Any]) -> None:
        room = self._rooms.get(topic)
        if room is None:
            return
        if not message:  # some may have been lost
            self._begin_again(room)
            return
        host, id = message["host"], message["visit"]
        self._hear(host)
        if "id" in message:
            self._change(room, {id: (host, Present(message["name"], UUID(message["id"]), message["place"]))})
        else:
            self._change(room, {}, gone=[id])
        if message.get("asks") and host != self._host:
            for visit in room.own.values():
                self._send(visit)

    def _begin_again(self, room: _Room) -> None:
        """Forget the visits that may have ended unheard, and ask for the others."""
        self._change(room, {}, gone=[id for id in room.visits if id not in room.own])
        for visit in room.own.values():
            self._send(visit, asks=True)

    def _change(self, room: _Room, visits: dict[str, tuple[str, Present]], *, gone: Iterable[str] = ()) -> None:
        before = set(room.visits.values())
        room.visits.update(visits)
        for id in gone:
            room.visits.pop(id, None)
        if set(room.visits.values()) != before:
            for visit in tuple(room.own.values()):
                visit.notify()

    # Leases

    def _on_beat(self, message: dict[str, Any]) -> None:
        if message:
            self._hear(message["host"])

    def _hear(self, host: str) -> None:
        """Note that a process runs. If its lease had ended, ask for its visits, which have ended here, too."""
        self._heard_at[host] = asyncio.get_running_loop().time()
        if host in self._silent:
            self._silent.remove(host)
            for room in self._rooms.values():
                for visit in room.own.values():
                    self._send(visit, asks=True)

    def _beat_later(self) -> None:
        self._beating = asyncio.get_running_loop().call_later(self._beat_s, self._beat)

    def _stop_beating(self) -> None:
        if self._beating is not None:
            self._beating.cancel()
            self._beating = None

    def _beat(self) -> None:
        """Announce that this process runs, if another one shows its visits, and end the visits of those that no longer do."""
        oldest = asyncio.get_running_loop().time() - self._lease_s
        silent = {host for host, at in self._heard_at.items() if at < oldest and host != self._host}
        for host in silent:
            del self._heard_at[host]
        self._silent |= silent
        for room in tuple(self._rooms.values()):
            self._change(room, {}, gone=[id for id, (host, _) in room.visits.items() if host in silent])
        if any(room.has_guests(self._host) for room in self._rooms.values()):
            self._queue(_HOSTS, {"host": self._host})
        self._beat_later()
