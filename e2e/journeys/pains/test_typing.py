"""A field contains exactly what was typed, however late the server responds, and accepts the server's changes."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from e2e.pages.laboratory import TypingPage
from e2e.pages.network import slow_down
from e2e.pages.ready import ready

SENTENCE = "The quick brown fox jumps over lazy dogs"
pytestmark = pytest.mark.pain(6)


@pytest.fixture(autouse=True)
def opened(typing: TypingPage) -> None:
    slow_down(typing.page, latency_ms=300)
    typing.open()


def test_forty_characters_at_once(typing: TypingPage) -> None:
    assert len(SENTENCE) == 40
    typing.plain.press_sequentially(SENTENCE)
    assert typing.plain.input_value() == SENTENCE
    ready(typing.page)
    expect(typing.plain).to_have_value(SENTENCE)
    expect(typing.heard).to_have_text(f"[{SENTENCE}] [] []")


def test_the_server_s_upper_case_arrives_and_nothing_is_lost_on_the_way(typing: TypingPage) -> None:
    typing.code.press_sequentially(SENTENCE)
    assert typing.code.input_value().upper() == SENTENCE.upper()
    ready(typing.page)
    expect(typing.code).to_have_value(SENTENCE.upper())


def test_the_server_trims_after_the_field_was_left(typing: TypingPage) -> None:
    typing.name.press_sequentially("  Ada Example  ")
    typing.page.keyboard.press("Tab")
    ready(typing.page)
    expect(typing.name).to_have_value("Ada Example")
    expect(typing.heard).to_have_text("[] [] [Ada Example]")


def test_the_cursor_stays_in_the_middle(typing: TypingPage) -> None:
    typing.code.press_sequentially("begin end")
    ready(typing.page)
    for _ in range(4):
        typing.code.press("ArrowLeft")
    typing.code.press_sequentially(" middle")
    ready(typing.page)
    expect(typing.code).to_have_value("BEGIN MIDDLE END")
    typing.code.press_sequentially("s")
    ready(typing.page)
    expect(typing.code).to_have_value("BEGIN MIDDLES END")


def test_an_input_method(typing: TypingPage) -> None:
    typing.plain.press_sequentially("go ")
    typing.compose("n", "に", "にほ", "にほん", "日本")
    assert typing.plain.input_value() == "go 日本"
    typing.plain.press_sequentially("!")
    ready(typing.page)
    expect(typing.plain).to_have_value("go 日本!")
    expect(typing.heard).to_have_text("[go 日本!] [] []")


def test_an_input_method_where_the_server_changes_the_text(typing: TypingPage) -> None:
    typing.code.press_sequentially("ab")
    typing.compose("n", "に", "日本")
    typing.code.press_sequentially("cd")
    ready(typing.page)
    expect(typing.code).to_have_value("AB日本CD")


def test_paste_and_undo(typing: TypingPage) -> None:
    typing.plain.press_sequentially("before after")
    for _ in range(5):
        typing.plain.press("ArrowLeft")
    typing.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    typing.page.evaluate("navigator.clipboard.writeText('pasted ')")
    typing.plain.press("ControlOrMeta+v")
    expect(typing.plain).to_have_value("before pasted after")
    ready(typing.page)
    typing.plain.press("ControlOrMeta+z")
    expect(typing.plain).to_have_value("before after")
    ready(typing.page)
    expect(typing.plain).to_have_value("before after")
    expect(typing.heard).to_have_text("[before after] [] []")


def test_two_fields_for_one_value(typing: TypingPage) -> None:
    """Text typed into one field appears in the other one."""
    typing.plain.press_sequentially(SENTENCE)
    ready(typing.page)
    expect(typing.text).to_have_value(SENTENCE)
    typing.text.press("End")
    typing.text.press_sequentially("!")
    ready(typing.page)
    expect(typing.text).to_have_value(f"{SENTENCE}!")
