"""The WebSocket implementation: compresses messages without keeping state between them, and leaves short messages as they are."""

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
"""Shorter messages are not compressed: initializing zlib takes 50 µs, half of the time in which such a message arrives."""

_LEVEL = 5
"""Level 4 saves a tenth of the time, but messages are 1 to 3% larger; with level 6, they are 1% smaller and take up to 70% longer."""


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


class LowMemoryWebSocket(WebSocketsSansIOProtocol):
    """Compresses each message separately, with a window of 32 kB that is released afterward.

    uvicorn keeps a window of 4 kB between messages, which takes 45 kB for each open page and compresses large messages less.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.queue: Any = Queue[ASGIReceiveEvent]()
        self.writable = Event()
        self.writable.set()
        self.conn.available_extensions = [_DeflateFactory(server_no_context_takeover=True, client_no_context_takeover=True)]

    async def send(self, message: ASGISendEvent) -> None:
        await super().send(message)
        if message["type"] == "websocket.http.response.body" and not message.get("more_body", False):
            self.handshake_complete = True  # otherwise uvicorn would log each refusal as an error
        if message["type"] == "websocket.accept":
            # Release three copies of the headers that would be kept while the page is open: these two, and one in the parser's frame.
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
        """Stop reading, even pings, from a client that does not read, so that responses do not accumulate in memory."""
        super().pause_writing()
        self.transport.pause_reading()

    def resume_writing(self) -> None:
        super().resume_writing()
        if not self.read_paused:
            self.transport.resume_reading()

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self.transport.abort()  # uvicorn closes the connection only after everything unsent has been sent
