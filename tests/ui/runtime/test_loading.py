"""The content of a page while its queries run or fail."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from reactpy import component, html, use_state
from reactpy.types import Component
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor, Client, Role
from fundwright.authentication.reauthentication import ReauthenticationRequired
from fundwright.core import live
from fundwright.core.assembly import Core
from fundwright.core.errors import NotFound
from fundwright_ui.hooks import UNCHANGED, use_query, use_unchanged, use_url_state
from fundwright_ui.product import use_connection
from fundwright_ui.product.host import ProductHost
from fundwright_ui.runtime.connection import Connection
from fundwright_ui.runtime.router import Found, Router, Screen
from fundwright_ui.runtime.view import View
from fundwright_ui.testing import mounted
from fundwright_ui.ui import button, loading, page, problem, text_field
from tests.support.polling import eventually
from tests.support.slow_queries import Pages, Wire

TOPIC = f"test:{uuid4()}"
OUT_OF_DATE = "This page may be out of date"


class Thing:
    """The data that the screens read."""

    is_gone = False
    needs_reauthentication = False
    readings = 0
    renderings = 0


async def read(_session: AsyncSession) -> str:
    Thing.readings += 1
    if Thing.is_gone:
        raise NotFound("The thing")
    if Thing.needs_reauthentication:
        raise ReauthenticationRequired
    return f"reading {Thing.readings}"


@component
def things() -> Any:
    found = use_query(read, topics=[TOPIC])
    if found.error:
        return page("Things", problem(found.error, on_retry=found.reload))
    if found.value is None:
        return page("Things", loading())
    has_field = "form" in use_connection().location.query
    return page("Things", html.p(found.value), text_field("note", "Note") if has_field else None, details(key="details"))


@component
def details() -> Any:
    found = use_query(read)
    return html.p(f"details: {found.value}") if found.value else loading()


@component
def plain() -> Any:
    return page("Plain", html.p("nothing to read"))


@component
def parts() -> Any:
    is_open, set_open = use_state(False)
    return page("Parts", button("Open", on_click=lambda: set_open(True)), details(key="details") if is_open else None)


@component
def sorted_things() -> Any:
    url = use_url_state()
    order = url.get("order", "none")

    async def read_sorted(_session: AsyncSession) -> str:
        return f"things by {order}"

    found = use_query(read_sorted, key=(order,))
    return page(
        "Sorted",
        html.p(f"Order: {order}"),
        html.p("busy" if found.is_slow else "idle"),
        button("Sort by date", on_click=lambda: url.set(order="date")),
        html.p(found.value) if found.value else loading(),
    )


@component
def waiting() -> Any:
    url = use_url_state()
    order = url.get("order", "none")

    async def read_sorted(_session: AsyncSession) -> str:
        return f"things by {order}"

    found = use_query(read_sorted, key=(order,))
    if found.can_wait:
        return UNCHANGED
    Thing.renderings += 1
    sort = button("Sort by date", on_click=lambda: url.set(order="date"))
    return page("Waiting", html.p(found.value or "", " busy" if found.is_slow else None), sort, counter(key="counter"))


@component
def counter() -> Any:
    count, set_count = use_state(0)
    return html.div(html.p(f"count {count}"), button("Count", on_click=lambda: set_count(count + 1)))


@component
def turning() -> Any:
    url = use_url_state()
    turn = button("Turn", on_click=lambda: url.set(page=url.page + 1))
    search = button("Search", on_click=lambda: url.set(words="roof"))
    return page("Turning", bar(url.get("words")), html.p(f"page {url.page}"), turn, search)


@component
def bar(words: str) -> Any:
    if use_unchanged(words):
        return UNCHANGED
    Thing.renderings += 1
    return html.div(html.p(f"words {words}"), counter(key="counter"))


@component
def frame(screen: Component) -> Any:
    is_narrow, set_narrow = use_state(False)
    return html.div(button("Narrow", on_click=lambda: set_narrow(True)), "narrow" if is_narrow else "wide", screen)


def shell(area: str, screen: Component) -> Component:
    return frame(screen, key=area)


SCREENS = [
    Screen("/things", "Things", things, area="public"),
    Screen("/plain", "Plain", plain, area="public"),
    Screen("/parts", "Parts", parts, area="public"),
    Screen("/sorted", "Sorted", sorted_things, area="public"),
    Screen("/waiting", "Waiting", waiting, area="public"),
    Screen("/turning", "Turning", turning, area="public"),
]


@pytest.fixture
def pages(core: Core) -> Pages:
    Thing.is_gone, Thing.needs_reauthentication, Thing.readings, Thing.renderings = False, False, 0, 0
    return Pages(core, SCREENS, shell)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Timeouts expire immediately, but never before the test waits for them."""
    monkeypatch.setattr("fundwright_ui.runtime.session.KEEP_ALIVE_S", 0.01)
    monkeypatch.setattr("fundwright_ui.runtime.connection._FIRST_RETRY_S", 0.01)
    monkeypatch.setattr("fundwright_ui.runtime.view._LOADING_AFTER_S", 60.0)
    monkeypatch.setattr("fundwright_ui.runtime.view._WHOLE_SCREEN_WITHIN_S", 60.0)


@pytest.fixture
def shows_loading_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fundwright_ui.runtime.view._LOADING_AFTER_S", 0.0)


async def tell(core: Core) -> None:
    """Announce that the data has changed."""
    async with core.database.transaction() as session:
        await live.publish(session, TOPIC)


async def fail_to_reload(core: Core, pages: Pages, wire: Wire) -> None:
    pages.gate.is_broken = True
    await tell(core)
    await wire.until(lambda: OUT_OF_DATE in wire.text)


async def go_while_reading_takes_long(pages: Pages, wire: Wire) -> None:
    """Navigate to the things, whose loading state is then shown."""
    await wire.until_frame("mount")
    pages.gate.close_gate()
    wire.go("/things")
    await wire.until(lambda: wire.is_loading)


def patches(wire: Wire) -> int:
    return len(wire.of("patch"))


class TestAFreshSession:
    async def test_answers_hello_when_every_query_is_answered(self, pages: Pages) -> None:
        tree, hash = await pages.painted("/things")
        pages.gate.close_gate()
        async with pages.open("/things", shows=tree, hash=hash, complete=True) as wire:
            await wire.until_frame("pong", 3)
            assert not wire.of("mount")
            pages.gate.open_gate()
            await wire.until_frame("mount")
            assert "details: reading" in wire.text and not wire.is_loading

    async def test_leaves_the_page_as_it_is_and_reports_it_while_a_query_fails(self, pages: Pages) -> None:
        tree, hash = await pages.painted("/things")
        pages.gate.is_broken = True
        async with pages.open("/things", shows=tree, hash=hash, complete=True) as wire:
            await wire.until_frame("pong", 3)
            (refused,) = wire.of("refused")
            assert refused["sentence"].startswith(OUT_OF_DATE) and "The database is not responding" in refused["sentence"]
            assert not wire.of("mount")
            pages.gate.is_broken = False
            await wire.until_frame("mount")
            assert "details: reading" in wire.text

    async def test_continues_with_a_page_that_was_painted_while_loading(self, pages: Pages) -> None:
        pages.gate.close_gate()
        tree, hash = await pages.painted("/things", settle_s=0.01)
        async with pages.open("/things", shows=tree, hash=hash) as wire:
            await wire.until_frame("mount")
            assert wire.of("mount")[0]["tree"] is None and wire.is_loading
            pages.gate.open_gate()
            await wire.until(lambda: "details: reading" in wire.text)

    async def test_shows_what_failed_to_a_page_that_was_painted_so(self, pages: Pages) -> None:
        pages.gate.is_broken = True
        tree, hash = await pages.painted("/things")
        async with pages.open("/things", shows=tree, hash=hash) as wire:
            await wire.until_frame("mount")
            assert "The database is not responding" in wire.text
            pages.gate.is_broken = False
            await wire.until(lambda: "details: reading" in wire.text)

    async def test_shows_the_page_of_what_is_gone(self, pages: Pages) -> None:
        tree, hash = await pages.painted("/things")
        Thing.is_gone = True
        async with pages.open("/things", shows=tree, hash=hash, complete=True) as wire:
            await wire.until_frame("mount")
            assert "The thing was not found" in wire.text

    async def test_ends_when_the_page_is_left_meanwhile(self, pages: Pages) -> None:
        tree, hash = await pages.painted("/things")
        pages.gate.close_gate()
        async with pages.open("/things", shows=tree, hash=hash, complete=True) as wire:
            await wire.until_frame("pong")
            assert pages.gate.waiting == 1
            wire.leave()
            await eventually(lambda: not pages.gate.waiting)


class TestAMove:
    async def test_keeps_the_screen_until_the_next_one_is_read(self, pages: Pages) -> None:
        async with pages.open("/plain") as wire:
            await wire.until_frame("mount")
            pages.gate.close_gate()
            wire.go("/things")
            wire.say(type="ping")
            await until_waiting(pages, 1)
            assert "nothing to read" in wire.text
            await pages.gate.let_one_through()
            await until_waiting(pages, 1)
            pages.gate.open_gate()
            await wire.until(lambda: "details: reading" in wire.text)
            assert patches(wire) == 1

    @pytest.mark.usefixtures("shows_loading_at_once")
    async def test_shows_one_loading_state_until_the_whole_screen_is_read(self, pages: Pages) -> None:
        async with pages.open("/plain") as wire:
            await go_while_reading_takes_long(pages, wire)
            await pages.gate.let_one_through()
            await until_waiting(pages, 1)
            assert "reading" not in wire.text
            pages.gate.open_gate()
            await wire.until(lambda: "details: reading" in wire.text)
            assert "reading 1" in wire.text and patches(wire) == 2

    @pytest.mark.usefixtures("shows_loading_at_once")
    async def test_shows_what_there_is_when_the_rest_takes_long(self, pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("fundwright_ui.runtime.view._WHOLE_SCREEN_WITHIN_S", 0.01)
        async with pages.open("/plain") as wire:
            await go_while_reading_takes_long(pages, wire)
            await pages.gate.let_one_through()
            await wire.until(lambda: "reading 1" in wire.text)
            assert wire.is_loading

    @pytest.mark.usefixtures("shows_loading_at_once")
    async def test_does_not_delay_other_work(self, pages: Pages) -> None:
        async with pages.open("/plain") as wire:
            await go_while_reading_takes_long(pages, wire)
            await pages.gate.let_one_through()
            wire.press("Narrow")
            await wire.until(lambda: "narrow" in wire.text)
            await wire.until(lambda: "reading 1" in wire.text)


class TestAPart:
    async def test_that_is_opened_appears_with_what_it_shows(self, pages: Pages) -> None:
        async with pages.open("/parts") as wire:
            await wire.until_frame("mount")
            wire.press("Open")
            await wire.until(lambda: "details: reading" in wire.text)
            assert patches(wire) == 1

    @pytest.mark.usefixtures("shows_loading_at_once")
    async def test_that_takes_longer_says_that_it_is_loading(self, pages: Pages) -> None:
        async with pages.open("/parts") as wire:
            await wire.until_frame("mount")
            pages.gate.close_gate()
            wire.press("Open")
            await wire.until(lambda: wire.is_loading)


class TestAnotherKey:
    async def test_changes_address_and_screen_when_its_result_is_there(self, pages: Pages) -> None:
        async with pages.open("/sorted") as wire:
            await wire.until_frame("mount")
            pages.gate.close_gate()
            shown = len(wire.frames)
            wire.press("Sort by date")
            await until_waiting(pages, 1)
            assert wire.frames[shown:] == []
            pages.gate.open_gate()
            await wire.until_frame("done")
            assert "Order: date" in wire.text and "things by date" in wire.text
            assert [frame["type"] for frame in wire.frames[shown:]] == ["patch", "navigate", "done"]

    @pytest.mark.usefixtures("shows_loading_at_once")
    async def test_shows_what_has_changed_when_reading_takes_long(self, pages: Pages) -> None:
        async with pages.open("/sorted") as wire:
            await wire.until_frame("mount")
            pages.gate.close_gate()
            wire.press("Sort by date")
            await wire.until(lambda: "Order: date" in wire.text)
            assert wire.of("navigate") and "things by none" in wire.text
            pages.gate.open_gate()
            await wire.until(lambda: "things by date" in wire.text)

    @pytest.mark.usefixtures("shows_loading_at_once")
    async def test_is_shown_to_be_busy_only_when_reading_takes_long(self, pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("fundwright_ui.hooks.query._SLOW_AFTER_S", 60.0)
        async with pages.open("/sorted") as wire:
            await wire.until_frame("mount")
            pages.gate.close_gate()
            wire.press("Sort by date")
            await wire.until(lambda: "Order: date" in wire.text)
            wire.press("Narrow")
            await wire.until(lambda: "narrow" in wire.text)
            assert "idle" in wire.text
            pages.gate.open_gate()
            await wire.until(lambda: "things by date" in wire.text)
            monkeypatch.setattr("fundwright_ui.hooks.query._SLOW_AFTER_S", 0.0)
            pages.gate.close_gate()
            wire.go("/sorted?order=name")
            await wire.until(lambda: "busy" in wire.text)
            pages.gate.open_gate()
            await wire.until(lambda: "things by name" in wire.text)
            assert "idle" in wire.text

    async def test_is_shown_though_the_next_one_is_always_asked_for_before(
        self, pages: Pages, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("fundwright_ui.runtime.view._LOADING_AFTER_S", 0.05)
        async with pages.open("/sorted") as wire:
            await wire.until_frame("mount")
            pages.gate.close_gate()
            for number in range(1_000):
                wire.go(f"/sorted?order={number}")
                wire.say(type="ping")
                await wire.until_frame("pong", number + 1)
                if "Order: none" not in wire.text:
                    break
            assert "Order: none" not in wire.text
            pages.gate.open_gate()


class TestAComponentThatWaits:
    async def test_is_rendered_once_for_a_new_key(self, pages: Pages) -> None:
        async with pages.open("/waiting") as wire:
            await wire.until(lambda: "things by none" in wire.text)
            before = Thing.renderings
            wire.press("Sort by date")
            await wire.until_frame("done")
            assert "things by date" in wire.text and Thing.renderings == before + 1

    async def test_keeps_its_content_and_the_states_in_it(self, pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("fundwright_ui.hooks.query._SLOW_AFTER_S", 60.0)
        monkeypatch.setattr("fundwright_ui.runtime.session._SETTLE_TIMEOUT_S", 0.0)
        monkeypatch.setattr("fundwright_ui.runtime.view._LOADING_AFTER_S", 0.0)
        async with pages.open("/waiting") as wire:
            await wire.until(lambda: "things by none" in wire.text)
            pages.gate.close_gate()
            wire.press("Sort by date")
            await until_waiting(pages, 1)
            wire.press("Narrow")
            await wire.until(lambda: "narrow" in wire.text)
            wire.press("Count")
            await wire.until(lambda: "count 1" in wire.text)
            wire.press("Narrow")
            wire.press("Count")
            await wire.until(lambda: "count 2" in wire.text)
            assert "things by none" in wire.text and "busy" not in wire.text
            pages.gate.open_gate()
            await wire.until(lambda: "things by date" in wire.text)
            assert "count 2" in wire.text

    async def test_shows_that_it_loads_when_that_is_slow(self, pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("fundwright_ui.hooks.query._SLOW_AFTER_S", 0.0)
        monkeypatch.setattr("fundwright_ui.runtime.view._LOADING_AFTER_S", 0.0)
        async with pages.open("/waiting") as wire:
            await wire.until(lambda: "things by none" in wire.text)
            pages.gate.close_gate()
            wire.press("Sort by date")
            await wire.until(lambda: "things by none busy" in wire.text)
            pages.gate.open_gate()
            await wire.until(lambda: "things by date" in wire.text)
            assert "busy" not in wire.text


class TestAComponentWithUnchangedArguments:
    async def test_is_not_rendered_again_and_keeps_the_states_in_it(self, pages: Pages) -> None:
        async with pages.open("/turning") as wire:
            await wire.until_frame("mount")
            wire.press("Count")
            await wire.until(lambda: "count 1" in wire.text)
            before = Thing.renderings
            for number in (2, 3):
                wire.press("Turn")
                await wire.until(lambda number=number: f"page {number}" in wire.text)
                wire.press("Count")
                await wire.until(lambda number=number: f"count {number}" in wire.text)
            assert Thing.renderings == before

    async def test_is_rendered_when_they_change(self, pages: Pages) -> None:
        async with pages.open("/turning") as wire:
            await wire.until_frame("mount")
            wire.press("Turn")
            await wire.until(lambda: "page 2" in wire.text)
            before = Thing.renderings
            wire.press("Search")
            await wire.until(lambda: "words roof" in wire.text)
            assert Thing.renderings == before + 1

    async def test_is_rendered_when_the_role_of_the_actor_changes(self, core: Core, pages: Pages, actor: Actor) -> None:
        found = Router(SCREENS, ProductHost.addresses, redirects={}).route("/turning", actor)
        assert isinstance(found, Found)
        connection = Connection(core, actor, client=Client(address=""), location=found.location)
        async with View(connection, found, shell) as view:
            await view.settle(5)
            before = Thing.renderings
            view.move(found)
            await view.settle(5)
            assert Thing.renderings == before
            connection.actor = actor.model_copy(update={"role": Role.ADMIN})
            view.move(found)
            await view.settle(5)
            assert Thing.renderings == before + 1


class TestAReload:
    async def test_holds_nothing_back(self, core: Core, pages: Pages) -> None:
        async with pages.open("/things") as wire:
            await wire.until_frame("mount")
            pages.gate.close_gate()
            await tell(core)
            await until_waiting(pages, 1)
            wire.press("Narrow")
            await wire.until(lambda: "narrow" in wire.text)
            assert pages.gate.waiting == 1

    async def test_for_a_message_does_not_delay_an_event(self, core: Core, pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("fundwright_ui.runtime.session._SETTLE_TIMEOUT_S", 60.0)
        async with pages.open("/things") as wire:
            await wire.until_frame("mount")
            pages.gate.close_gate()
            await tell(core)
            await until_waiting(pages, 1)
            wire.press("Narrow")
            await wire.until_frame("done")
            assert pages.gate.waiting == 1

    async def test_is_one_for_all_messages_that_arrive_meanwhile(self, core: Core, pages: Pages) -> None:
        arrived: list[object] = []
        async with pages.open("/things") as wire:
            await wire.until_frame("mount")
            pages.gate.close_gate()
            await tell(core)
            await until_waiting(pages, 1)
            end = core.live.subscribe(TOPIC, arrived.append)
            for _ in range(5):
                await tell(core)
            await eventually(lambda: len(arrived) == 5)
            end()
            pages.gate.open_gate()
            await wire.until(lambda: "reading 4" in wire.text)
            wire.press("Narrow")
            await wire.until_frame("done")
            assert Thing.readings == 4

    async def test_for_a_message_starts_only_after_a_pause(
        self, core: Core, pages: Pages, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("fundwright_ui.hooks.query._PAUSE_FACTOR", 1e9)
        arrived: list[object] = []
        async with pages.open("/things") as wire:
            await wire.until_frame("mount")
            end = core.live.subscribe(TOPIC, arrived.append)
            await tell(core)
            await eventually(lambda: arrived)
            end()
            wire.press("Narrow")
            await wire.until_frame("done")
            assert Thing.readings == 2

    async def test_that_fails_leaves_the_screen_and_reports_it_above_it(self, core: Core, pages: Pages) -> None:
        async with pages.open("/things?form=1") as wire:
            await wire.until_frame("mount")
            fields = wire.fields
            await fail_to_reload(core, pages, wire)
            assert "The database is not responding" in wire.text
            assert "reading 1" in wire.text and wire.fields == fields
            (place,) = [node for node in wire.elements if node.get("a", {}).get("aria-live") == "polite"]
            assert OUT_OF_DATE in str(place)

    async def test_is_repeated_automatically(self, core: Core, pages: Pages) -> None:
        async with pages.open("/things") as wire:
            await wire.until_frame("mount")
            await fail_to_reload(core, pages, wire)
            pages.gate.is_broken = False
            await wire.until(lambda: OUT_OF_DATE not in wire.text)
            assert "reading 1" not in wire.text

    async def test_is_repeated_when_one_asks_for_it(self, core: Core, pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("fundwright_ui.runtime.connection._FIRST_RETRY_S", 60.0)
        async with pages.open("/things") as wire:
            await wire.until_frame("mount")
            await fail_to_reload(core, pages, wire)
            pages.gate.is_broken = False
            wire.press("Try again")
            await wire.until(lambda: OUT_OF_DATE not in wire.text)
            assert "reading 1" not in wire.text

    @pytest.mark.parametrize(("address", "is_kept"), [("/things", False), ("/things?form=1", True)])
    async def test_of_what_is_gone_shows_so_unless_something_may_have_been_typed(
        self, core: Core, pages: Pages, address: str, is_kept: bool
    ) -> None:
        async with pages.open(address) as wire:
            await wire.until_frame("mount")
            Thing.is_gone = True
            await tell(core)
            await wire.until(lambda: "The thing was not found" in wire.text)
            assert ("reading 1" in wire.text) == is_kept == (OUT_OF_DATE in wire.text)

    async def test_that_asks_who_the_person_is_shows_nothing_older(self, core: Core, pages: Pages) -> None:
        async with pages.open("/things?form=1") as wire:
            await wire.until_frame("mount")
            Thing.needs_reauthentication = True
            await tell(core)
            await wire.until(lambda: str(ReauthenticationRequired()) in wire.text)
            assert "reading 1" not in wire.text and OUT_OF_DATE not in wire.text


async def until_waiting(pages: Pages, count: int) -> None:
    """Wait until this many queries wait and nothing else is in progress."""
    async with asyncio.timeout(5):
        while pages.gate.waiting != count:
            await asyncio.sleep(0)
    for _ in range(20):
        await asyncio.sleep(0)


class Several:
    renderings = 0


@component
def several() -> Any:
    async def read_after(turns: int) -> int:
        for _ in range(turns):
            await asyncio.sleep(0)
        return turns

    found = [use_query(partial(read_after, 20 * n), key=[n], with_session=False) for n in range(5)]
    Several.renderings += 1
    return html.main(" ".join(str(each.value) for each in found))


@pytest.mark.parametrize("is_live", [False, True])
async def test_the_first_results_are_rendered_together(core: Core, is_live: bool) -> None:
    Several.renderings = 0
    async with mounted(core, None, several, is_live=is_live) as screen:
        assert screen.text == "0 20 40 60 80"
    assert Several.renderings == 2
