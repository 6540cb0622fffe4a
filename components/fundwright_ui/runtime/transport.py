"""Carries the frames of one page. Sessions know only this interface; a WebSocket is one implementation."""

from __future__ import annotations

from typing import Protocol

from starlette.requests import HTTPConnection
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

_ABNORMAL = 1006


class TransportClosed(Exception):
    """The transport is closed. `code` is a WebSocket close code (RFC 6455, section 7.4.1) for every kind of transport."""

    def __init__(self, code: int) -> None:
        super().__init__(f"closed with code {code}")
        self.code = code


class MalformedFrame(Exception):
    """A received message is not text. The transport stays open, and the next frame can be received."""


class Transport(Protocol):
    """Carries text frames in order in both directions. One task sends, and one task receives."""

    @property
    def request(self) -> HTTPConnection:
        """The request that opened the transport: address, headers, and cookies."""
        ...

    async def send(self, text: str) -> None:
        """Raises TransportClosed."""
        ...

    async def receive(self) -> str:
        """The next frame. Raises TransportClosed or MalformedFrame."""
        ...

    async def close(self, code: int) -> None:
        """Close the transport. Does nothing if it is already closed."""
        ...


class WebSocketTransport:
    """An accepted WebSocket."""

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
