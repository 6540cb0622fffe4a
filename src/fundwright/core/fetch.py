"""Outgoing HTTP requests: only to the host that a setting names, at an address that was checked, within limits.

Content written by others (a response, a redirect, DNS) cannot lead a request to another host or into the network behind this
machine. The address is looked up here, checked, and connected to as checked.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

import httpx2

_MAX_ANSWER_BYTES = 50_000_000

Address = IPv4Address | IPv6Address
_NAT64 = IPv6Network("64:ff9b::/96")


class ForbiddenAddress(httpx2.ConnectError):
    """The request would go to a forbidden address. Nothing was sent."""


class TooLarge(httpx2.ReadError):
    """The response is longer than allowed."""


def client(url: str, *, is_configured: bool, timeout_s: float, max_bytes: int = _MAX_ANSWER_BYTES) -> httpx2.AsyncClient:
    """A client for the host of `url` only, which does not follow redirects.

    An address in a private network, or on this machine, is allowed if the operator has set `url`.
    """
    transport = GuardedTransport(httpx2.URL(url).host, is_configured=is_configured, max_bytes=max_bytes)
    # A compressed response could be small in transit and huge afterward.
    headers = {"Accept-Encoding": "identity"}
    return httpx2.AsyncClient(transport=transport, timeout=timeout_s, headers=headers, follow_redirects=False, trust_env=False)


class GuardedTransport(httpx2.AsyncBaseTransport):
    """Checks each request, including those after a redirect. Raises ForbiddenAddress or TooLarge."""

    def __init__(self, host: str, *, is_configured: bool, max_bytes: int) -> None:
        self._host = host
        self._is_configured = is_configured
        self._max_bytes = max_bytes
        self._inner = httpx2.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        url = request.url
        if url.scheme not in ("http", "https") or url.host != self._host:
            raise ForbiddenAddress(f"{url.scheme}://{url.host} is not the address that is configured")
        addresses = await self._checked_addresses(url.host, url.port or (443 if url.scheme == "https" else 80))
        request.extensions = {**request.extensions, "sni_hostname": url.host}  # the certificate and the Host header keep the name
        try:
            answer = await self._send(request, addresses)
        finally:
            request.url = url
        if answer.headers.get("content-encoding", "identity") != "identity":
            await answer.aclose()
            raise TooLarge(f"{url.host} packs its answers, though it was asked not to")
        assert isinstance(answer.stream, httpx2.AsyncByteStream)
        return httpx2.Response(
            answer.status_code,
            headers=answer.headers,
            stream=_Bounded(answer.stream, self._max_bytes),
            extensions=answer.extensions,
        )

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def _send(self, request: httpx2.Request, addresses: Sequence[Address]) -> httpx2.Response:
        """Connect to the first address that responds."""
        *others, last = addresses
        for address in others:
            request.url = request.url.copy_with(host=str(address))
            with suppress(httpx2.ConnectError, httpx2.ConnectTimeout):
                return await self._inner.handle_async_request(request)
        request.url = request.url.copy_with(host=str(last))
        return await self._inner.handle_async_request(request)

    async def _checked_addresses(self, host: str, port: int) -> Sequence[Address]:
        addresses = await _look_up(host, port)
        for address in addresses:
            if not may_reach(address, is_configured=self._is_configured):
                raise ForbiddenAddress(f"{host} leads to {address}, which is in a network that may not be reached")
        return addresses


def may_reach(address: Address, *, is_configured: bool) -> bool:
    """Metadata addresses of clouds, and unassigned addresses, are never reached."""
    real = _mapped_ipv4(address)
    if real.is_link_local or real.is_multicast or real.is_unspecified or (real.is_reserved and not real.is_loopback):
        return False
    return real.is_global or is_configured


def _mapped_ipv4(address: Address) -> Address:
    """The IPv4 address that an IPv6 address maps to."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour or address


async def _look_up(host: str, port: int) -> Sequence[Address]:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise httpx2.ConnectError(f"{host} is not known") from error
    return [ip_address(str(where[0]).partition("%")[0]) for *_, where in found]


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, max_bytes: int) -> None:
        self._stream = stream
        self._max_bytes = max_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        received = 0
        async for piece in self._stream:
            received += len(piece)
            if received > self._max_bytes:
                raise TooLarge(f"The answer is longer than {self._max_bytes} bytes")
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()
