"""How the frames of one page travel. A session knows only this; a WebSocket is one of several ways."""

from __future__ import annotations

from typing import Protocol

from starlette.requests import HTTPConnection
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

_ABNORMAL = 1006


class TransportClosed(Exception):
    """The other end is gone. `code` is a WebSocket close code (RFC 6455, section 7.4.1), whatever the transport."""

    def __init__(self, code: int) -> None:
        super().__init__(f"closed with code {code}")
        self.code = code


class MalformedFrame(Exception):
    """Something arrived that is not text. The transport stays open, and the next frame can be received."""


class Transport(Protocol):
    """Carries frames, which are text, in order and both ways. One task sends, one task receives."""

    @property
    def request(self) -> HTTPConnection:
        """The request that opened it: address, headers, and cookies."""
        ...

    async def send(self, text: str) -> None:
        """Raises TransportClosed."""
        ...

    async def receive(self) -> str:
        """The next frame. Raises TransportClosed or MalformedFrame."""
        ...

    async def close(self, code: int) -> None:
        """Closes it; does nothing when the other end is gone already."""
        ...


class WebSocketTransport:
    """A WebSocket that was accepted."""

    __slots__ = ("_websocket",)

    def __init__(self, websocket: WebSocket) -> None:
        self._websocket = websocket

    @property
    def request(self) -> HTTPConnection:
        return self._websocket

    async def send(self, text: str) -> None:
        if self._websocket.application_state is not WebSocketState.CONNECTED:
            raise TransportClosed(_ABNORMAL)
        try:
            await self._websocket.send_text(text)
        except WebSocketDisconnect as lost:
            raise TransportClosed(lost.code) from None

    async def receive(self) -> str:
        if self._websocket.client_state is not WebSocketState.CONNECTED:
            raise TransportClosed(_ABNORMAL)
        message = await self._websocket.receive()
        if message["type"] == "websocket.disconnect":
            raise TransportClosed(message.get("code", _ABNORMAL))
        text = message.get("text")
        if text is None:
            raise MalformedFrame
        return text

    async def close(self, code: int) -> None:
        if self._websocket.application_state is not WebSocketState.CONNECTED:
            return
        try:
            await self._websocket.close(code)
        except WebSocketDisconnect:
            return
