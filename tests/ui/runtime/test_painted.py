"""The socket of a page continues what was painted for it, and only that."""

import asyncio
import json
from dataclasses import dataclass
from typing import Any, cast

import pytest

from fundwright.accounts.models import Account
from fundwright.accounts.schemas import Actor
from fundwright.core.live import publish
from fundwright_ui.runtime.view import View
from tests.support.polling import eventually
from tests.ui.runtime.conftest import EMAIL, Continued, Server

PATH = "/continued"


@pytest.fixture(autouse=True)
def fresh() -> None:
    Continued.reset()


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> list[View]:
    """The views that have been closed."""
    views: list[View] = []
    close = View.close

    async def close_and_note(view: View) -> None:
        await close(view)
        views.append(view)

    monkeypatch.setattr(View, "close", close_and_note)
    return views


@dataclass(frozen=True)
class Page:
    tree: Any
    hash: str


async def paint(server: Server, token: str | None, path: str = PATH) -> Page:
    html = (await server.get(path, token=token)).text
    page = json.loads(html.split('id="page">')[1].split("</script>")[0])
    return Page(page["tree"], page["hash"])


async def paint_and_forget(server: Server, token: str, path: str = PATH) -> Page:
    """Paint a page, and let its socket take over what was kept."""
    page = await paint(server, token, path)
    async with server.socket(token=token) as client:
        await client.hello(path, page.hash)
    Continued.reset()
    return page


class TestTake:
    async def test_nothing_is_rendered_or_read_again(self, server: Server) -> None:
        token = await server.sign_in()
        page = await paint(server, token)
        before = Continued.renderings
        async with server.socket(token=token) as client:
            assert (await client.hello(PATH, page.hash))["tree"] is None
        assert (Continued.renderings, Continued.reads) == (before, 1)

    async def test_the_page_goes_on_as_if_its_socket_had_rendered_it(self, server: Server) -> None:
        token = await server.sign_in()
        page = await paint(server, token)
        async with server.socket(token=token) as client:
            client.tree = page.tree
            await client.hello(PATH, page.hash)
            await client.click("add")
            assert client.text == "Addfirst 1 "
            await client.go(f"{PATH}?q=there")
            assert client.text == "Addfirst 1 there"

    async def test_what_first_paint_must_not_do_is_done_once_the_page_is_open(self, server: Server) -> None:
        token = await server.sign_in()
        page = await paint(server, token)
        assert Continued.visits == 0
        async with server.socket(token=token) as client:
            await client.hello(PATH, page.hash)
            await eventually(lambda: Continued.visits == 1)

    async def test_a_change_between_paint_and_socket_arrives(self, server: Server) -> None:
        token = await server.sign_in()
        page = await paint(server, token)
        Continued.word = "second"
        delivered = asyncio.Event()
        with server.core.live.subscribed("words", lambda _payload: delivered.set()):
            async with server.core.database.transaction() as session:
                await publish(session, "words")
            await delivered.wait()
        async with server.socket(token=token) as client:
            client.tree = page.tree
            assert (await client.hello(PATH, page.hash))["tree"] is None
            await client.until("patch")
            assert client.text == "Addsecond 0 "

    async def test_a_page_that_was_painted_while_it_was_loading_goes_on_loading(
        self, server: Server, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("fundwright_ui.runtime.document._FIRST_PAINT_TIMEOUT_S", 0.01)
        token = await server.sign_in()
        page = await paint(server, token, "/private")
        assert "None" in json.dumps(page.tree)
        async with server.socket(token=token) as client:
            client.tree = page.tree
            assert (await client.hello("/private", page.hash))["tree"] is None
            await client.until("patch")
            assert client.text.endswith("answered")

    async def test_a_page_with_effects_is_rendered_again(self, server: Server, closed: list[View]) -> None:
        token = await server.sign_in()
        page = await paint(server, token, "/restless")
        async with server.socket(token=token) as client:
            await client.hello("/restless", page.hash)
            await eventually(lambda: len(closed) == 1)


class TestWho:
    """The page in the memory of the server is one that the same sign-in session has just got."""

    @pytest.mark.security(32)
    async def test_not_another_account(self, server: Server) -> None:
        ada = await server.sign_in()
        await server.add_account("bob@example.org")
        bob = await server.sign_in("bob@example.org")
        page = await paint(server, ada)
        async with server.socket(token=bob) as client:
            await client.hello(PATH, page.hash)
        assert Continued.reads == 2

    @pytest.mark.security(32)
    async def test_not_another_sign_in_session_of_the_account(self, server: Server) -> None:
        page = await paint(server, await server.sign_in())
        async with server.socket(token=await server.sign_in()) as client:
            await client.hello(PATH, page.hash)
        assert Continued.reads == 2

    async def test_not_after_the_account_has_changed(self, server: Server) -> None:
        token = await server.sign_in()
        page = await paint(server, token)
        async with server.core.database.transaction() as session:
            account = await session.get_one(Account, server.actor.id)
            account.time_zone = "Asia/Tokyo"
        async with server.socket(token=token) as client:
            await client.hello(PATH, page.hash)
        assert Continued.reads == 2

    async def test_not_at_another_address(self, server: Server) -> None:
        token = await server.sign_in()
        page = await paint(server, token)
        async with server.socket(token=token) as client:
            await client.hello(f"{PATH}?other=1", page.hash)
        assert Continued.reads == 2

    async def test_not_twice(self, server: Server) -> None:
        token = await server.sign_in()
        page = await paint_and_forget(server, token)
        async with server.socket(token=token) as client:
            assert (await client.hello(PATH, page.hash))["tree"] is None  # rendered again, and found to be the same
        assert Continued.reads == 1

    async def test_nothing_is_kept_of_what_a_program_that_only_asks_for_headers_gets(
        self, server: Server, closed: list[View]
    ) -> None:
        async with server.client(cookies={"session": await server.sign_in()}) as http:
            await http.head(PATH)
        await eventually(lambda: len(closed) == 1)

    async def test_nothing_is_kept_for_visitors(self, server: Server, closed: list[View]) -> None:
        await server.get("/public")
        await eventually(lambda: len(closed) == 1)

    async def test_nothing_is_kept_of_what_was_not_found(self, server: Server, closed: list[View]) -> None:
        await server.get("/missing", token=await server.sign_in())
        await eventually(lambda: len(closed) == 1)


class TestKeep:
    async def test_a_page_whose_socket_does_not_come_is_closed(
        self, server: Server, closed: list[View], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("fundwright_ui.runtime.painted._KEPT_S", 0.05)
        token, live = await server.sign_in(), cast(Any, server.core.live)
        before = len(live._listeners.get("words", ()))
        await server.get(PATH, token=token)
        await eventually(lambda: len(closed) == 1)
        assert len(live._listeners.get("words", ())) <= before

    async def test_an_account_has_at_most_four_and_the_oldest_is_closed(self, server: Server, closed: list[View]) -> None:
        token = await server.sign_in()
        for number in range(6):
            await server.get(f"{PATH}?q={number}", token=token)
        await eventually(lambda: len(closed) == 2)
        assert [view.found.location.query["q"] for view in closed] == ["0", "1"]

    async def test_all_accounts_together_have_a_limit(
        self, server: Server, closed: list[View], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("fundwright_ui.runtime.painted._MAX_PAGES", 1)
        await server.add_account("bob@example.org")
        await server.get(PATH, token=await server.sign_in())
        await server.get(PATH, token=await server.sign_in("bob@example.org"))
        await eventually(lambda: len(closed) == 1)
        actor = closed[0].connection.actor
        assert isinstance(actor, Actor) and actor.email == EMAIL

    async def test_a_long_page_is_not_kept(self, server: Server, closed: list[View], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("fundwright_ui.runtime.painted._MAX_CHARACTERS", 100)
        await server.get(PATH, token=await server.sign_in())
        await eventually(lambda: len(closed) == 1)
