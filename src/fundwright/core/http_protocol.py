"""HTTP connections that end when a request does not arrive in time, and whose bytes are parsed in turns. uvicorn has no such limits, and parses all that
has arrived in one step."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from contextvars import copy_context
from enum import Enum, auto
from typing import TYPE_CHECKING, Any

import h11
from uvicorn._types import ASGIReceiveEvent, ASGISendEvent
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from fundwright.core.connections import PLACE, Connections, Place
from fundwright.core.fair_loop import work_behind_pages, work_for

_HEAD_S = 10.0
_BODY_S = 30.0
_BODY_BYTES_PER_S = 2_000
"""A bad mobile connection sends more. A body has 30 seconds, and as long as its bytes take at this rate."""
_REST_S = 5.0
"""For the rest of a body that has already been answered, such as an upload for which there is no room. The client then finds the answer
rather than a closed connection."""
_LOOK_AGAIN_S = 1.0
_MOST_UNPARSED_BYTES = 64_000
"""With more than this, the connection is not read."""

_UNREADABLE = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class _Phase(Enum):
    IDLE = auto()
    """Between requests. uvicorn ends it after `timeout_keep_alive`."""
    HEAD = auto()
    BODY = auto()
    ANSWER = auto()
    REST = auto()


_LIMITS = {_Phase.HEAD: _HEAD_S, _Phase.BODY: _BODY_S, _Phase.REST: _REST_S}


if TYPE_CHECKING:
    _Protocol = asyncio.Protocol
else:
    _Protocol = object


class _ParsedInTurns(ABC, _Protocol):
    """What has arrived over a connection is parsed as work for the party of its place, a piece at a time. A piece of chunks of one byte, of pings, or of data
    that expands a thousandfold takes some milliseconds, and others have their turns after it."""

    transport: asyncio.Transport
    loop: asyncio.AbstractEventLoop
    _PIECE_BYTES: int

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self._unparsed = bytearray()
        self._is_in_line = False
        self._has_ended = False
        self._place: Place | None = None
        self._turns = copy_context()
        self._party: Hashable = None
        """For whom `_turns` are."""

    def data_received(self, data: bytes) -> None:
        self._unparsed += data
        self.parse_soon()

    def eof_received(self) -> bool | None:
        self._has_ended = bool(self._unparsed)
        return self._has_ended

    def parse_soon(self) -> None:
        """Parse the next piece when it is its turn, unless its reader is not ready. Call it whenever reading has continued."""
        if len(self._unparsed) > _MOST_UNPARSED_BYTES:
            self.transport.pause_reading()
        if self._unparsed and not self._is_in_line and not self.is_held_back():
            self._is_in_line = True
            if self._place is not None and self._place.party != self._party:
                self._party = self._place.party
                self._turns = self._turns.copy()
                self._turns.run(work_for, self._party)
                self._turns.run(work_behind_pages)
            self.loop.call_soon(self._parse_piece, context=self._turns)

    @abstractmethod
    def is_held_back(self) -> bool:
        """Whether the reader of what is parsed is not ready for more."""

    def parse(self, piece: bytes) -> None:
        super().data_received(piece)

    def _parse_piece(self) -> None:
        self._is_in_line = False
        if self.transport.is_closing():
            self._unparsed.clear()
            return
        if not self._unparsed or self.is_held_back():
            return
        piece = bytes(self._unparsed[: self._PIECE_BYTES])
        del self._unparsed[: self._PIECE_BYTES]
        try:
            self.parse(piece)
        except Exception:  # as asyncio does for what `data_received` raises
            self._unparsed.clear()
            self.transport.abort()
            raise
        if isinstance(successor := self.transport.get_protocol(), _ParsedInTurns) and successor is not self:
            successor.take_over(bytes(self._unparsed), has_ended=self._has_ended)
            self._unparsed.clear()
        elif self._unparsed:
            self.parse_soon()
        elif self._has_ended:
            self.transport.close()
        elif not self.is_held_back():
            self.transport.resume_reading()

    def take_over(self, rest: bytes, *, has_ended: bool) -> None:
        """Continue with what another protocol has not parsed, after the upgrade to a socket."""
        self._unparsed += rest
        self._has_ended = has_ended
        if self._unparsed:
            self.parse_soon()
        elif has_ended:
            self.transport.close()


class PlacedSocket(_ParsedInTurns, WebSocketsSansIOProtocol):
    """A socket that gives back the place of its connection, which it took over from HTTP."""

    _PIECE_BYTES = 1_000

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._place = self.app_state.get(PLACE)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._place is not None:
            self._place.end()

    def is_held_back(self) -> bool:
        return self.read_paused or not self.writable.is_set()

    def parse(self, piece: bytes) -> None:
        super().parse(piece)
        if self.conn.handshake_exc is not None and not self.handshake_initiated:  # uvicorn does not answer what it cannot read
            self.transport.write(b"".join(self.conn.data_to_send()) or _UNREADABLE)
            self.transport.close()

    def resume_writing(self) -> None:
        super().resume_writing()
        self.parse_soon()

    async def receive(self) -> ASGIReceiveEvent:
        message = await super().receive()
        self.parse_soon()
        return message

    async def send(self, message: ASGISendEvent) -> None:
        await super().send(message)
        self.parse_soon()  # uvicorn reads on for the peer's close frame


class _Flow(FlowControl):
    """Calls `on_resumed` whenever reading continues."""

    def __init__(self, transport: asyncio.Transport, on_resumed: Callable[[], None]) -> None:
        super().__init__(transport)
        self._on_resumed = on_resumed

    def resume_reading(self) -> None:
        super().resume_reading()
        self._on_resumed()


class BoundedHttp(_ParsedInTurns, H11Protocol):
    """Has a place among the `connections`, and limits of time for the head and the body of each request."""

    _PIECE_BYTES = 4_000

    def __init__(self, *, connections: Connections, **given: Any) -> None:
        super().__init__(**given)
        self._places = connections
        self._phase: tuple[_Phase, object] | None = None
        self._since = 0.0
        self._received_bytes = 0
        self._limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._place = self._places.admit(self.client[0] if self.client else "", transport.abort)
        if self._place is None:
            self._end(503, "Too many connections are open. Try again in a minute.")
            return
        self.flow = _Flow(transport, self.parse_soon)
        self.app_state = {**self.app_state, PLACE: self._place}
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._unparsed.clear()
        self._cancel()
        if self._place is not None:
            self._place.end()

    def data_received(self, data: bytes) -> None:
        self._received_bytes += len(data)
        self._unset_keepalive_if_required()  # it could end the connection before it is the turn of this data
        super().data_received(data)

    def is_held_back(self) -> bool:
        return self.flow.read_paused

    def parse(self, piece: bytes) -> None:
        super().parse(piece)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def shutdown(self) -> None:
        """Have the server, which shuts down, answer what has arrived."""
        while self._unparsed and not self.is_held_back() and not self.transport.is_closing():
            self._parse_piece()
        protocol = self.transport.get_protocol()
        if isinstance(protocol, PlacedSocket):
            protocol.shutdown()
        elif not self.transport.is_closing():
            super().shutdown()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """The protocol of the socket takes over the place, which it finds in the state."""
        self._cancel()
        if self._place is not None:
            self._place.wait(is_waiting=False)
        super().handle_websocket_upgrade(event)

    def _watch(self) -> None:
        if self.transport.is_closing() or self.transport.get_protocol() is not self or self._place is None:
            return
        phase = self._find_phase()
        if (phase, self.cycle) == self._phase:
            return
        self._phase, self._since, self._received_bytes = (phase, self.cycle), self.loop.time(), 0
        self._place.wait(is_waiting=phase is not _Phase.ANSWER)
        self._cancel()
        if phase in _LIMITS:
            self._limit = self.loop.call_later(_LIMITS[phase], self._check)

    def _find_phase(self) -> _Phase:
        if self.cycle is not None and not self.cycle.response_complete:
            return _Phase.BODY if self.cycle.more_body else _Phase.ANSWER
        if self.conn.their_state is h11.SEND_BODY:
            return _Phase.REST
        return _Phase.HEAD if self.cycle is None or self.conn.trailing_data[0] else _Phase.IDLE

    def _check(self) -> None:
        """End the connection, unless enough of the body has arrived."""
        phase = self._phase[0] if self._phase else None
        if phase is _Phase.BODY:
            if self._unparsed or self.flow.read_paused or self.cycle.waiting_for_100_continue:  # it is we who do not read
                self._since += _LOOK_AGAIN_S
                self._limit = self.loop.call_later(_LOOK_AGAIN_S, self._check)
                return
            until = self._since + _LIMITS[phase] + self._received_bytes / _BODY_BYTES_PER_S
            if until > self.loop.time():
                self._limit = self.loop.call_at(until, self._check)
                return
        self._end(408, "The request did not arrive in time. Check your connection and try again.")

    def _end(self, status: int, sentence: str) -> None:
        is_answered = self._phase is not None and self._phase[0] is _Phase.REST
        if not is_answered and (self.cycle is None or self.cycle.response_complete or not self.cycle.response_started):
            head = f"HTTP/1.1 {status} {STATUS_PHRASES[status].decode()}\r\nContent-Type: text/plain; charset=utf-8"
            rest = f"Content-Length: {len(sentence)}\r\nRetry-After: 5\r\nConnection: close\r\n\r\n{sentence}"
            self.transport.write(f"{head}\r\n{rest}".encode())
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.close()

    def _cancel(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None
