"""The socket's own protocol: compression that costs memory only while it works, and time only where it pays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from uvicorn._types import ASGIReceiveEvent, ASGISendEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.extensions import Extension
from websockets.extensions.permessage_deflate import PerMessageDeflate, ServerPerMessageDeflateFactory
from websockets.frames import Frame
from websockets.typing import ExtensionParameter

from fundwright_ui.runtime.waiting import Event, Queue

SMALL_BYTES = 256
"""Setting zlib up takes 50 µs, half as long as such a message's whole way: it goes as it is."""

_LEVEL = 4
"""Messages come out as large as with level 6, in half the time."""


class _Deflate(PerMessageDeflate):
    def encode(self, frame: Frame) -> Frame:
        return frame if frame.fin and len(frame.data) < SMALL_BYTES else super().encode(frame)


class _DeflateFactory(ServerPerMessageDeflateFactory):
    def process_request_params(
        self, params: Sequence[ExtensionParameter], accepted_extensions: Sequence[Extension]
    ) -> tuple[list[ExtensionParameter], PerMessageDeflate]:
        agreed, found = super().process_request_params(params, accepted_extensions)
        return agreed, _Deflate(
            found.remote_no_context_takeover,
            found.local_no_context_takeover,
            found.remote_max_window_bits,
            found.local_max_window_bits,
            {"level": _LEVEL},
        )


class FrugalWebSocket(WebSocketsSansIOProtocol):
    """Compresses each message by itself. uvicorn remembers earlier ones, at 45 kB for each open page, with a window of 4 kB;
    a window of 32 kB that is given back makes large messages smaller, and small ones are small anyway."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.queue: Any = Queue[ASGIReceiveEvent]()
        self.writable = Event()
        self.writable.set()
        self.conn.available_extensions = [_DeflateFactory(server_no_context_takeover=True, client_no_context_takeover=True)]

    async def send(self, message: ASGISendEvent) -> None:
        await super().send(message)
        if message["type"] == "websocket.http.response.body" and not message.get("more_body", False):
            self.handshake_complete = True  # a refusal is complete, too; uvicorn would log each one as an error
        if message["type"] == "websocket.accept":
            # Three copies of the headers, kept as long as the page is open: these two, and one in the parser's frame.
            del self.request, self.response
            self.conn.parser = self.conn.parse()
            next(self.conn.parser)

    async def receive(self) -> ASGIReceiveEvent:
        await self.writable.wait()
        message = await super().receive()
        if not self.writable.is_set():  # uvicorn has just resumed reading
            self.transport.pause_reading()
        return message

    def pause_writing(self) -> None:
        """Read nothing more, not even pings, from a client that does not read what was sent: the answers would pile up."""
        super().pause_writing()
        self.transport.pause_reading()

    def resume_writing(self) -> None:
        super().resume_writing()
        if not self.read_paused:
            self.transport.resume_reading()

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self.transport.abort()  # uvicorn closes the connection only after everything unsent has been sent
