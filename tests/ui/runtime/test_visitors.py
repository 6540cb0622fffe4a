"""Signed-out visitors who share a network address cannot lock each other out."""

from __future__ import annotations

from contextlib import AsyncExitStack

import pytest
from websockets.exceptions import ConnectionClosed

from tests.ui.runtime.conftest import Client, Server

GREEDY, CALM = "g" * 22, "c" * 22
FULL = "Too many pages are open. Close some and reload this one."

pytestmark = pytest.mark.security(33)


@pytest.fixture(autouse=True)
def three_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fundwright_ui.runtime.socket._MAX_SESSIONS_PER_PARTY", 3)


class Visitors:
    def __init__(self, server: Server) -> None:
        self._server = server
        self._open = AsyncExitStack()

    async def __aenter__(self) -> Visitors:
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await self._open.aclose()

    async def open_page(self, visitor: str | None = None, *, token: str | None = None) -> Client:
        page = await self._open.enter_async_context(self._server.socket(visitor=visitor, token=token))
        await page.hello("/public")
        return page


async def why_closed(page: Client) -> tuple[str, int]:
    sentence = (await page.until("refused"))["sentence"]
    with pytest.raises(ConnectionClosed) as closed:
        await page.until("never")
    assert closed.value.rcvd is not None
    return sentence, closed.value.rcvd.code


async def works(page: Client) -> bool:
    await page.click("add")
    return page.text.endswith("count 1")


async def test_the_visitor_with_the_most_pages_gives_way(server: Server) -> None:
    async with Visitors(server) as visitors:
        oldest, *others = [await visitors.open_page(GREEDY) for _ in range(3)]
        newcomer = await visitors.open_page(CALM)
        assert await why_closed(oldest) == (FULL, 4429)
        assert [await works(page) for page in (newcomer, *others)] == [True] * 3


async def test_nobody_gives_way_to_a_visitor_who_has_as_many(server: Server) -> None:
    async with Visitors(server) as visitors:
        pages = [await visitors.open_page(visitor) for visitor in (GREEDY, GREEDY, CALM)]
        async with server.socket(visitor=CALM) as refused:
            with pytest.raises(ConnectionClosed):
                await refused.hello("/public")
        assert refused.frames[-1]["sentence"] == FULL
        assert [await works(page) for page in pages] == [True] * 3


async def test_more_cookies_make_room_for_no_more_pages(server: Server) -> None:
    async with Visitors(server) as visitors:
        pages = [await visitors.open_page(letter * 22) for letter in "abc"]
        async with server.socket(visitor="d" * 22) as refused:
            with pytest.raises(ConnectionClosed):
                await refused.hello("/public")
        assert [await works(page) for page in pages] == [True] * 3


async def test_programs_without_the_cookie_count_as_one_visitor(server: Server) -> None:
    async with Visitors(server) as visitors:
        pages = [await visitors.open_page(visitor) for visitor in (None, "", "made up")]
        await visitors.open_page(CALM)
        assert await why_closed(pages[0]) == (FULL, 4429)


async def test_a_person_has_pages_of_their_own(server: Server) -> None:
    token = await server.sign_in()
    async with Visitors(server) as visitors:
        pages = [await visitors.open_page(letter * 22) for letter in "abc"]
        pages += [await visitors.open_page("a" * 22, token=token) for _ in range(3)]
        assert [await works(page) for page in pages] == [True] * 6


class TestCookie:
    async def test_distinguishes_visitors(self, server: Server) -> None:
        one, another = [(await server.get("/public")).headers["set-cookie"] for _ in range(2)]
        assert one.startswith("visitor=") and one != another
        assert "httponly" in one.lower() and "samesite=lax" in one.lower() and "max-age" not in one.lower()
        value = one.partition("=")[2].partition(";")[0]
        again = await server.get("/public", headers={"Cookie": f"visitor={value}"})
        assert "set-cookie" not in again.headers

    async def test_is_for_the_signed_out_alone(self, server: Server) -> None:
        answer = await server.get("/public", token=await server.sign_in())
        assert "visitor=" not in answer.headers.get("set-cookie", "")
