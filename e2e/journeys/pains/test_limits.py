"""Input beyond the server's limits is refused with one message, and the page continues."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, WebSocket, expect
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from e2e.application import Application
from e2e.pages.laboratory import MovingPage, TypingPage
from e2e.pages.polling import eventually
from e2e.pages.ready import ready, until

TOO_MUCH = "Too many actions at once. Wait a moment and try again."
TOO_MANY = "Too many pages are open. Close some and reload this one."
TOO_LARGE = "That was too much to send at once. Upload long content as a file."
LONG = "pier harbor " * 90_000
MAX_PAGES = 50
MAX_WAITING = 200
OVERDUE_AFTER = 5
"""Retries with growing delays take longer than the two seconds after which a lost connection is reported."""
FLOOD = "(button) => { for (let n = 0; n < 400; n += 1) button.click(); }"
FLOOD_AND_FOLLOW = """(button) => {
  for (let n = 0; n < 400; n += 1) button.click();
  const link = document.body.appendChild(document.createElement("a"));
  link.href = "/laboratory/typing";
  link.click();
  let bursts = 0;
  const clicking = setInterval(() => {
    for (let n = 0; n < 10; n += 1) button.click();
    bursts += 1;
    if (bursts === 100) clearInterval(clicking);
  }, 2);
}"""
TYPE_FAST = "() => { for (let n = 0; n < 400; n += 1) document.execCommand('insertText', false, String(n % 10)); }"
# No faster than the server accepts events: a hundred at once, then fewer than a hundred per second.
CLICK_STEADILY = """(button) => {
  window.clicks = 0;
  const click = () => { button.click(); window.clicks += 1; };
  for (let n = 0; n < 90; n += 1) click();
  const clicking = setInterval(() => window.clicks < 230 ? click() : clearInterval(clicking), 12);
}"""
pytestmark = pytest.mark.security(33)


@pytest.fixture
def sockets(page: Page) -> list[WebSocket]:
    """The sockets that the page has opened."""
    opened: list[WebSocket] = []
    page.on("websocket", lambda websocket: opened.append(websocket))
    return opened


class TestFlood:
    @pytest.mark.slow
    def test_of_clicks_is_refused_once_and_the_next_click_works(self, moving: MovingPage, sockets: list[WebSocket]) -> None:
        page = moving.open().page
        moving.press.evaluate(FLOOD)
        expect(page.get_by_text(TOO_MUCH)).to_have_count(1)
        page.get_by_role("button", name="Close").click()
        expect(page.get_by_text(TOO_MUCH)).to_have_count(0)
        ready(page)
        before = int(moving.pressed.inner_text().removeprefix("pressed "))
        assert 100 <= before < 400

        def press() -> bool | None:
            moving.press.click()
            ready(page)
            return moving.pressed.inner_text() == f"pressed {before + 1}" or None

        eventually(press)  # after a moment, as the message says
        assert len(sockets) == 1

    @pytest.mark.slow
    def test_of_clicks_does_not_keep_a_link_from_being_followed(self, moving: MovingPage) -> None:
        page = moving.open().page
        moving.press.evaluate(FLOOD_AND_FOLLOW)
        ready(page)
        expect(page).to_have_url(re.compile("/laboratory/typing$"))
        expect(page.get_by_role("heading", name="Typing")).to_be_visible()

    def test_of_keys_loses_none(self, typing: TypingPage, sockets: list[WebSocket]) -> None:
        page = typing.open().page
        typing.plain.focus()
        page.evaluate(TYPE_FAST)
        ready(page)
        expect(typing.heard).to_have_text(f"[{'0123456789' * 40}] [] []")
        expect(typing.plain).to_have_value("0123456789" * 40)
        assert len(sockets) == 1

    @pytest.mark.slow
    def test_of_events_that_wait_for_a_slow_one_is_refused_from_a_number_on(self, moving: MovingPage) -> None:
        page = moving.open().page
        moving.queue_up.evaluate(CLICK_STEADILY)
        expect(page.get_by_text(TOO_MUCH)).to_have_count(1)
        until(page, "window.clicks === 230")
        ready(page)
        expect(moving.pressed).to_have_text(re.compile(rf"pressed ({MAX_WAITING}|{MAX_WAITING + 1})$"))  # one more has a slot


class TestOpenPages:
    @pytest.fixture
    def others(self, laboratory: Application) -> Iterator[list[ClientConnection]]:
        """As many pages as one address may have open, each of a different visitor."""
        address = urlsplit(laboratory.url)
        with ExitStack() as stack:
            opened: list[ClientConnection] = []
            for number in range(MAX_PAGES):
                cookie = {"Cookie": f"visitor={number:022}"}
                websocket = stack.enter_context(
                    connect(f"ws://{address.netloc}/socket", origin=Origin(laboratory.url), additional_headers=cookie)
                )
                websocket.send(json.dumps({"type": "hello", "path": "/laboratory/moving", "hash": None}))
                assert json.loads(websocket.recv())["type"] == "mount"
                opened.append(websocket)
            yield opened

    @pytest.mark.pain(19)
    @pytest.mark.slow
    def test_one_too_many_shows_a_message_and_opens_when_another_closes(
        self, page: Page, others: list[ClientConnection], laboratory: Application, sockets: list[WebSocket]
    ) -> None:
        moving = MovingPage(page, laboratory.url)
        page.goto(moving.url)
        expect(page.get_by_text(TOO_MANY)).to_have_count(1)
        moving.note.fill("half a sentence")
        with page.expect_event("websocket", lambda _: len(sockets) >= OVERDUE_AFTER):
            pass
        expect(page.get_by_text(TOO_MANY)).to_have_count(1)
        expect(page.get_by_text("Reconnecting…")).to_have_count(0)
        others[0].close()
        ready(page)
        expect(page.get_by_text(TOO_MANY)).to_have_count(0)
        expect(moving.note).to_have_value("half a sentence")
        moving.press.click()
        ready(page)
        expect(moving.pressed).to_have_text("pressed 1")


def test_a_field_says_that_its_text_is_too_long_and_keeps_it(typing: TypingPage, sockets: list[WebSocket]) -> None:
    page = typing.open().page
    typing.text.fill(LONG)
    expect(page.get_by_text(TOO_LARGE)).to_have_count(1)
    ready(page)
    assert typing.text.input_value() == LONG
    typing.text.fill("short")
    ready(page)
    expect(typing.heard).to_have_text("[short] [] []")
    assert len(sockets) == 1


def test_a_page_with_the_longest_possible_address_works(moving: MovingPage) -> None:
    moving.url += f"?q={'x' * 50_000}"
    page = moving.open().page
    moving.press.click()
    ready(page)
    expect(moving.pressed).to_have_text("pressed 1")
