from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import ip_address
from typing import Any

import httpx2
import pytest

from fundwright.core import fetch
from fundwright.core.fetch import ForbiddenAddress, TooLarge

pytestmark = pytest.mark.security(43)


@asynccontextmanager
async def server(answer: bytes) -> AsyncIterator[tuple[str, list[str]]]:
    """The port of the server, and the requests that it received."""
    heard: list[str] = []

    async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(answer)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(reply, "127.0.0.1", 0) as serving:
        yield str(serving.sockets[0].getsockname()[1]), heard


def plain(body: bytes, *headers: str) -> bytes:
    head = "\r\n".join(["HTTP/1.1 200 OK", f"Content-Length: {len(body)}", "Connection: close", *headers])
    return head.encode() + b"\r\n\r\n" + body


def known_as(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    """Every name resolves to this machine."""

    async def look_up(_host: str, _port: int) -> list[fetch.Address]:
        return [ip_address(address) for address in addresses]

    monkeypatch.setattr(fetch, "_look_up", look_up)


async def get(url: str, *, of: str | None = None, is_configured: bool = True, max_bytes: int = 1_000) -> httpx2.Response:
    async with fetch.client(of or url, is_configured=is_configured, timeout_s=2, max_bytes=max_bytes) as http:
        return await http.get(url)


class TestClient:
    async def test_reaches_the_host_it_is_for_under_its_name(self, monkeypatch: pytest.MonkeyPatch) -> None:
        known_as(monkeypatch, "127.0.0.1")
        async with server(plain(b"hello")) as (port, heard):
            answer = await get(f"http://models.example.org:{port}/v1?q=1")
        assert answer.text == "hello"
        assert str(answer.url) == f"http://models.example.org:{port}/v1?q=1"
        assert heard[0].startswith("GET /v1?q=1 HTTP/1.1\r\n")
        assert f"host: models.example.org:{port}\r\n" in heard[0].lower()

    @pytest.mark.parametrize(
        "url", ["http://evil.example/", "http://models.example.org.evil.example/", "ftp://models.example.org/"]
    )
    async def test_reaches_no_other(self, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
        known_as(monkeypatch, "127.0.0.1")
        with pytest.raises((ForbiddenAddress, httpx2.UnsupportedProtocol)):
            await get(url, of="http://models.example.org/")

    async def test_follows_no_redirect(self) -> None:
        async with server(b"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n") as (port, _):
            answer = await get(f"http://127.0.0.1:{port}/")
        assert answer.status_code == 302

    async def test_a_redirect_that_someone_follows_is_checked_again(self) -> None:
        async with server(b"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n") as (port, _):
            async with fetch.client(f"http://127.0.0.1:{port}", is_configured=True, timeout_s=2) as http:
                with pytest.raises(ForbiddenAddress):
                    await http.get(f"http://127.0.0.1:{port}/", follow_redirects=True)

    async def test_what_is_not_configured_leads_to_no_private_network(self, monkeypatch: pytest.MonkeyPatch) -> None:
        known_as(monkeypatch, "127.0.0.1")
        async with server(plain(b"secret")) as (port, heard):
            with pytest.raises(ForbiddenAddress, match="127.0.0.1"):
                await get(f"http://models.example.org:{port}/", is_configured=False)
        assert heard == []

    async def test_one_private_address_among_others_is_enough_to_refuse(self, monkeypatch: pytest.MonkeyPatch) -> None:
        known_as(monkeypatch, "198.41.0.4", "10.0.0.1")
        with pytest.raises(ForbiddenAddress, match="10.0.0.1"):
            await get("http://models.example.org/", is_configured=False)

    async def test_the_address_that_was_checked_is_the_one_that_is_used(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A name that resolves differently the second time does not lead elsewhere."""
        asked: list[str] = []

        async def look_up(host: str, _port: int) -> list[fetch.Address]:
            asked.append(host)
            return [ip_address("127.0.0.1")]

        monkeypatch.setattr(fetch, "_look_up", look_up)
        async with server(plain(b"hello")) as (port, _):
            await get(f"http://models.example.invalid:{port}/")
        assert asked == ["models.example.invalid"]

    async def test_tries_the_next_address_when_nobody_listens_at_the_first(self, monkeypatch: pytest.MonkeyPatch) -> None:
        known_as(monkeypatch, "::1", "127.0.0.1")
        async with server(plain(b"hello")) as (port, _):
            assert (await get(f"http://localhost:{port}/")).text == "hello"

    async def test_an_answer_has_a_bound(self) -> None:
        async with server(plain(b"x" * 1_001)) as (port, _):
            with pytest.raises(TooLarge):
                await get(f"http://127.0.0.1:{port}/")

    async def test_an_answer_that_is_packed_all_the_same_is_refused(self) -> None:
        async with server(plain(b"x", "Content-Encoding: gzip")) as (port, _):
            with pytest.raises(TooLarge):
                await get(f"http://127.0.0.1:{port}/")

    async def test_waits_no_longer_than_it_may(self) -> None:
        async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read()
            writer.close()

        async with await asyncio.start_server(silent, "127.0.0.1", 0) as serving:
            url = f"http://127.0.0.1:{serving.sockets[0].getsockname()[1]}/"
            async with fetch.client(url, is_configured=True, timeout_s=0.1) as http:
                with pytest.raises(httpx2.ReadTimeout):
                    await http.get(url)

    async def test_the_certificate_has_to_be_that_of_the_name(self, monkeypatch: pytest.MonkeyPatch) -> None:
        known_as(monkeypatch, "127.0.0.1")
        asked: list[str | None] = []
        wrap = ssl.SSLContext.wrap_bio

        def wrapped(self: ssl.SSLContext, *arguments: Any, **options: Any) -> ssl.SSLObject:
            asked.append(str(options.get("server_hostname")))
            return wrap(self, *arguments, **options)

        monkeypatch.setattr(ssl.SSLContext, "wrap_bio", wrapped)
        async with server(b"no TLS here") as (port, _):
            with pytest.raises(httpx2.HTTPError):
                await get(f"https://models.example.org:{port}/")
        assert len(asked) == 1 and "models.example.org" in str(asked[0])


class TestMayReach:
    @pytest.mark.parametrize("address", ["127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "::1", "fd00::1", "100.64.0.1"])
    def test_a_private_address_when_it_is_configured(self, address: str) -> None:
        assert fetch.may_reach(ip_address(address), is_configured=True)
        assert not fetch.may_reach(ip_address(address), is_configured=False)

    @pytest.mark.parametrize(
        "address", ["169.254.169.254", "fe80::1", "0.0.0.0", "::", "224.0.0.1", "ff02::1", "::ffff:169.254.169.254", "255.255.255.255",
                    "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::"],
    )  # fmt: skip
    def test_never_what_is_nobody_s_or_the_cloud_s(self, address: str) -> None:
        assert not fetch.may_reach(ip_address(address), is_configured=True)

    @pytest.mark.parametrize("address", ["198.41.0.4", "2001:503:ba3e::2:30", "::ffff:198.41.0.4", "64:ff9b::c629:4"])
    def test_everything_public(self, address: str) -> None:
        assert fetch.may_reach(ip_address(address), is_configured=False)

    @pytest.mark.parametrize("address", ["::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::"])
    def test_not_a_private_address_in_disguise(self, address: str) -> None:
        assert not fetch.may_reach(ip_address(address), is_configured=False)
