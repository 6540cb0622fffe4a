"""The fallback transport for pages whose WebSockets are blocked: server-sent events to the page, POST requests from it."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
import time
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from sys import getsizeof
from typing import TypedDict
from uuid import UUID

from fastapi import Request
from fastapi.responses import Response, StreamingResponse
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.types import Receive, Scope, Send

from fundwright_ui.runtime.host import Host, set_language
from fundwright_ui.runtime.session import Site
from fundwright_ui.runtime.socket import Sockets
from fundwright_ui.runtime.transport import TransportClosed

_MAX_HELLO_BYTES = 400_000
_MAX_POST_BYTES = 4_000_000  # room for one frame of the maximum size: a million characters of up to 4 bytes
_MAX_FRAMES_OF_POST = 100
_MAX_CODE_BYTES = 10
_MAX_NUMBER_DIGITS = 15
_MAX_WAITING_BYTES = 8_000_000
_MAX_WAITING_BYTES_OF_OWNER = 16_000_000
_MAX_WAITING_BYTES_OF_VISITORS = 64_000_000
_MAX_WAITING_BYTES_OF_SESSIONS = 128_000_000
_WAITING_S = 30.0  # a frame is processed in milliseconds, and a missing post is sent again within seconds
_MAX_WAITING_FRAMES = 1_000  # a page that waits for responses sends far fewer
_MAX_EARLY_POSTS = 16
_BODY_TIMEOUT_S = 10.0
_WRITE_TIMEOUT_S = 60.0  # the page itself gives up a silent connection after 30 s
_COMMENT_EVERY_S = 15.0
_PART_BYTES = 5_000  # makes 6,700 characters of base64; a notification has room for 7,900
_FORWARDED_BYTES_PER_S = 250_000
_MIN_FORWARDED_BYTES = 2_000  # even a small post costs a transaction and a message to every process
_MAX_FORWARDING_DEBT_S = 4.0
_MAX_FORWARDING_OWNERS = 1_000
_ABNORMAL = 1006
_POLICY = 1008
_HEADERS = {
    "Cache-Control": "no-store, no-transform",
    "X-Accel-Buffering": "no",  # nginx would otherwise collect frames until a buffer is full
}


@dataclass(frozen=True)
class _Post:
    """The body of a request about a stream: frames, one per line. Without a number, it is the code that closes the stream."""

    number: int | None
    body: str


class _Memory:
    """Limits the memory of what has arrived and has not been processed, for each owner, and for all visitors and all sessions."""

    def __init__(self) -> None:
        self._used = Counter[UUID | str | type]()

    def take(self, owner: UUID | str, size_bytes: int) -> bool:
        """Take memory for the owner until `give`. Returns False, without taking any, when a limit is reached."""
        most = _MAX_WAITING_BYTES_OF_SESSIONS if isinstance(owner, UUID) else _MAX_WAITING_BYTES_OF_VISITORS
        if self._used[owner] + size_bytes > _MAX_WAITING_BYTES_OF_OWNER or self._used[type(owner)] + size_bytes > most:
            return False
        self._used[owner] += size_bytes
        self._used[type(owner)] += size_bytes
        return True

    def give(self, owner: UUID | str, size_bytes: int) -> None:
        self._used[owner] -= size_bytes
        self._used[type(owner)] -= size_bytes
        if not self._used[owner]:
            del self._used[owner]


class EventStream:
    """A transport over server-sent events. Its key identifies the stream in posts and is known only to the server and one page."""

    def __init__(self, request: HTTPConnection, key: str, hello: str, *, owner: UUID | str, memory: _Memory) -> None:
        self.key = key
        self._owner = owner
        self._memory = memory
        self._limit: asyncio.TimerHandle | None = None
        self._request = request
        self._inbox = asyncio.Queue[str | None]()
        self._hello = hello
        self._waiting_bytes = 0
        self._next_post = 1
        self._early: dict[int, list[str]] = {}
        self._code: int | None = None
        self._send: Send | None = None

    @property
    def request(self) -> HTTPConnection:
        return self._request

    @property
    def is_over(self) -> bool:
        """Whether the stream has ended, so that posts are lost."""
        return self._code is not None

    async def send(self, text: str) -> None:
        await self._write(f"data: {text}\n\n")

    async def receive(self) -> str:
        text = await self._inbox.get()
        if text is None:
            self._inbox.put_nowait(None)
            raise TransportClosed(self._code or _ABNORMAL)
        self._give(text)
        return text

    async def close(self, code: int) -> None:
        with suppress(TransportClosed):
            await self._write(f"event: close\ndata: {code}\n\n")
        self.end(code)

    def end(self, code: int) -> None:
        """End the stream with a WebSocket close code."""
        if self._code is None:
            self._code = code
            self._inbox.put_nowait(None)

    def _take(self, *frames: str) -> bool:
        """Count the memory of frames that wait. They may wait for half a minute, from when the last one was processed."""
        size_bytes = sum(map(getsizeof, frames))
        if self._waiting_bytes + size_bytes > _MAX_WAITING_BYTES or not self._memory.take(self._owner, size_bytes):
            return False
        self._waiting_bytes += size_bytes
        if self._limit is None:
            self._expire_later()
        return True

    def _give(self, frame: str) -> None:
        self._waiting_bytes -= getsizeof(frame)
        self._memory.give(self._owner, getsizeof(frame))
        self._expire_later()

    def _expire_later(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
        is_needed = self._waiting_bytes > 0 and self._code is None
        self._limit = asyncio.get_running_loop().call_later(_WAITING_S, self.end, _ABNORMAL) if is_needed else None

    def _forget(self) -> None:
        """Release what nobody will process any more."""
        self._early.clear()
        while not self._inbox.empty():
            self._inbox.get_nowait()
        self._inbox.put_nowait(None)
        self._memory.give(self._owner, self._waiting_bytes)
        self._waiting_bytes = 0
        self._expire_later()

    def receive_post(self, post: _Post) -> None:
        """Process posts in the order of their numbers, because one that another process forwards may arrive late."""
        frames = post.body.split("\n")
        if post.number is None:
            self.end(int(post.body) if post.body.isdecimal() else _ABNORMAL)
        if self._code is not None or post.number is None or post.number < self._next_post or post.number in self._early:
            return
        if (
            len(frames) > _MAX_FRAMES_OF_POST
            or len(self._early) >= _MAX_EARLY_POSTS
            or self._inbox.qsize() + len(frames) > _MAX_WAITING_FRAMES
            or not self._take(*frames)
        ):
            self.end(_POLICY)
            return
        self._early[post.number] = frames
        while self._next_post in self._early:
            for frame in self._early.pop(self._next_post):
                self._inbox.put_nowait(frame)
            self._next_post += 1

    async def run(self, serve: Callable[[EventStream], Awaitable[None]], receive: Receive, send: Send) -> None:
        """Write the stream as the response until `serve` returns."""
        self._send = send
        if self._take(self._hello):
            self._inbox.put_nowait(self._hello)
        else:
            self.end(_POLICY)
        helpers = [asyncio.create_task(self._watch(receive)), asyncio.create_task(self._comment())]
        try:
            await self._write(f"event: key\ndata: {self.key}\n\n")
            await serve(self)
        finally:
            self.end(_ABNORMAL)
            self._forget()
            for task in helpers:
                task.cancel()
            await asyncio.gather(*helpers, return_exceptions=True)

    async def _watch(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self.end(_ABNORMAL)

    async def _comment(self) -> None:
        """Send comments at intervals, because proxies end a response that sends nothing."""
        with suppress(TransportClosed):
            while True:
                await asyncio.sleep(_COMMENT_EVERY_S)
                await self._write(": \n\n")

    async def _write(self, text: str) -> None:
        if self._code is not None or self._send is None:
            raise TransportClosed(self._code or _ABNORMAL)
        try:
            async with asyncio.timeout(_WRITE_TIMEOUT_S):
                await self._send({"type": "http.response.body", "body": text.encode(), "more_body": True})
        except TimeoutError:  # the page reads nothing; a WebSocket would detect this with pings, a response has none
            self.end(_ABNORMAL)
            raise TransportClosed(_ABNORMAL) from None


class _EventStreamResponse(StreamingResponse):
    """A response that is written by `run(receive, send)`."""

    def __init__(self, run: Callable[[Receive, Send], Awaitable[None]]) -> None:
        super().__init__(iter(()), headers=_HEADERS, media_type="text/event-stream")
        self._run = run

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        await self._run(receive, send)
        with suppress(TimeoutError):  # the web server closes a connection whose response was not completed
            async with asyncio.timeout(_WRITE_TIMEOUT_S):
                await send({"type": "http.response.body", "body": b"", "more_body": False})


class _ForwardingLimit:
    """Limits how much is forwarded to other processes for each owner: a session, or a network address while signed out.

    Forwarding costs every process some work, even if the stream no longer exists, and a key is valid for as long as its session.
    Each post adds the time that its bytes take at the allowed rate to the owner's debt, and the debt decreases with time. A post of
    any size is forwarded while the debt is below the limit.
    """

    def __init__(self) -> None:
        self._paid_at: dict[UUID | str, float] = {}

    def is_reached(self, owner: UUID | str) -> bool:
        return self._paid_at.get(owner, 0.0) > time.monotonic() + _MAX_FORWARDING_DEBT_S

    def charge(self, owner: UUID | str, size_bytes: int) -> bool:
        """Charge a post to the owner. Returns False, without charging it, when the limit is reached."""
        if self.is_reached(owner):
            return False
        moment = time.monotonic()
        if len(self._paid_at) >= _MAX_FORWARDING_OWNERS:
            self._paid_at = {each: paid_at for each, paid_at in self._paid_at.items() if paid_at > moment}
        debt_s = max(size_bytes, _MIN_FORWARDED_BYTES) / _FORWARDED_BYTES_PER_S
        self._paid_at[owner] = max(moment, self._paid_at.get(owner, 0.0)) + debt_s
        return True


class _Part(TypedDict):
    """A message of a stream's topic: a part of a post to another process."""

    number: int | None
    part: str
    left: int


class Streams:
    """Opens event streams for our own pages and routes posts to them.

    Any process accepts a post. If the stream is in another process, the post is forwarded over the live bus, so sticky sessions
    are not needed.
    """

    def __init__(self, site: Site, sockets: Sockets) -> None:
        self._host = site.host
        self._sockets = sockets
        self._streams: dict[str, EventStream] = {}
        self._forwarding_limit = _ForwardingLimit()
        self._memory = _Memory()

    async def open(self, request: Request) -> Response:
        """`POST {base}/stream` with `hello`: opens a stream. The response ends when the person leaves the page."""
        self._require_own_page(request)
        hello = await self._body(request, _MAX_HELLO_BYTES, self._host.network_of(request))
        actor = await self._host.authenticate(request)
        set_language(self._host.language_of(actor, request))
        key = _signed(self._host, secrets.token_urlsafe(32), actor.session_id if actor else None)
        owner = actor.session_id if actor else None
        stream = EventStream(request, key, hello, owner=owner or self._host.network_of(request), memory=self._memory)

        async def run(receive: Receive, send: Send) -> None:
            with self._registered(stream):
                await stream.run(lambda stream: self._sockets.serve(stream, actor), receive, send)

        return _EventStreamResponse(run)

    async def receive_frames(self, request: Request) -> Response:
        """`POST {base}/stream/frames`: frames, one per line, processed in the order of the header `X-Stream-Post`."""
        number = request.headers.get("x-stream-post", "")[:_MAX_NUMBER_DIGITS]
        return await self._pass(request, int(number) if number.isdecimal() else 0, _MAX_POST_BYTES)

    async def close(self, request: Request) -> Response:
        """`POST {base}/stream/close`: the person has left the page, or the page no longer uses the stream."""
        return await self._pass(request, None, _MAX_CODE_BYTES)

    async def _pass(self, request: Request, number: int | None, max_bytes: int) -> Response:
        self._require_own_page(request)
        key = request.headers.get("x-stream", "")
        # No check of the sign-in session here: the page's session checks it before it acts. A check here would count as a use,
        # and idle pages send posts, too.
        session_id = self._host.session_named_by(request)
        if not hmac.compare_digest(_signed(self._host, key.partition(".")[0], session_id).encode(), key.encode()):
            return Response(status_code=410)
        owner = session_id or self._host.network_of(request)
        is_elsewhere = key not in self._streams
        if is_elsewhere and not self._host.has_other_processes:
            return Response(status_code=410)
        if is_elsewhere and self._forwarding_limit.is_reached(owner):
            return Response(status_code=429)
        post = _Post(number, await self._body(request, max_bytes, owner))
        if (stream := self._streams.get(key)) is not None:
            stream.receive_post(post)
            if stream.is_over and number is not None:
                return Response(status_code=410)
        elif self._forwarding_limit.charge(owner, len(post.body.encode())):
            await self._relay(key, post)
        else:
            return Response(status_code=429)
        return Response(status_code=204)

    async def _relay(self, key: str, post: _Post) -> None:
        content = post.body.encode()
        parts = [content[start : start + _PART_BYTES] for start in range(0, len(content), _PART_BYTES)]
        passed = [
            _Part(number=post.number, part=b64encode(part).decode(), left=len(parts) - index - 1)
            for index, part in enumerate(parts)
        ]
        await self._host.publish(_topic(key), passed)

    @contextmanager
    def _registered(self, stream: EventStream) -> Iterator[None]:
        parts: list[bytes] = []

        def on_part(passed: _Part) -> None:
            """Process a part that another process forwarded. An empty message means that the bus may have lost some: the stream ends,
            and the page resends them."""
            if not passed:
                stream.end(_ABNORMAL)
                return
            parts.append(b64decode(passed["part"]))
            if passed["left"] == 0:
                stream.receive_post(_Post(passed["number"], b"".join(parts).decode()))
                parts.clear()

        self._streams[stream.key] = stream
        try:
            with self._host.core.live.subscribed(_topic(stream.key), on_part):
                yield
        finally:
            del self._streams[stream.key]

    async def _body(self, request: Request, max_bytes: int, owner: UUID | str) -> str:
        """Raises HTTPException 413, 408, or 429."""
        content = bytearray()
        try:
            async with asyncio.timeout(_BODY_TIMEOUT_S):
                async for piece in request.stream():
                    if not self._memory.take(owner, len(piece)):
                        raise HTTPException(429, "Too much is waiting to be processed")
                    content += piece
                    if len(content) > max_bytes:
                        raise HTTPException(413, f"The request is larger than {max_bytes} bytes")
        except TimeoutError:
            raise HTTPException(408, "The request took too long") from None
        finally:
            self._memory.give(owner, len(content))
        return content.decode("utf-8", "replace")

    def _require_own_page(self, request: Request) -> None:
        """Refuse requests from other sites, which can send neither this header nor our origin. Raises the host's refusal."""
        origin = request.headers.get("origin", "")
        if origin not in self._sockets.origins or "x-requested-with" not in request.headers:
            raise self._host.refusal_of(origin)


def _signed(host: Host, random: str, session_id: UUID | None) -> str:
    """The key of a stream: signed, and valid only for the session that opened the stream."""
    digest = hmac.digest(host.stream_key, f"{random} {session_id}".encode(), "sha256")
    return f"{random}.{digest.hex()}"


def _topic(key: str) -> str:
    return f"stream:{hashlib.sha256(key.encode()).hexdigest()}"
