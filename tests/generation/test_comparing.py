from __future__ import annotations

import pytest

from fundwright.generation.comparing import compare


def shown(old: str, new: str) -> str:
    marks = {"same": "{}", "removed": "[-{}-]", "added": "[+{}+]"}
    return "".join(marks[piece.kind].format(piece.text) for piece in compare(old, new))


def test_words_that_changed_are_next_to_those_that_did_not() -> None:
    assert shown("We repair old roofs [1].\n", "We repair new roofs [1].\n") == "We repair [-old-][+new+] roofs [1].\n"


def test_whole_lines_are_added_and_removed() -> None:
    assert shown("one\n\ntwo\n", "one\n\nthree\n\ntwo\n") == "one\n\n[+three\n\n+]two\n"
    assert shown("one\n\ntwo\n", "one\n") == "one\n[-\ntwo\n-]"


@pytest.mark.parametrize(("old", "new"), [("", ""), ("", "new"), ("old", ""), ("a b c", "c b a"), ("- x\n- y", "- y\n- x\n")])
def test_both_texts_can_be_read_from_the_pieces(old: str, new: str) -> None:
    pieces = compare(old, new)
    assert "".join(piece.text for piece in pieces if piece.kind != "added") == old
    assert "".join(piece.text for piece in pieces if piece.kind != "removed") == new


def test_blocks_too_long_to_compare_word_by_word_are_shown_whole() -> None:
    """Comparing 100,000 words with as many others would take minutes, and so would this test."""
    pieces = compare("one two " * 25_000, "three one " * 25_000)
    assert [piece.kind for piece in pieces] == ["removed", "added"]


@pytest.mark.slow
def test_texts_made_to_take_long_are_shown_whole_from_somewhere_on() -> None:
    """Many blocks that are only slightly too long, and pairs of lines of which only one is the same. They took 25 seconds each."""
    ups, downs = ("\n".join(f"{words * 350}\n{place}" for place in range(140)) for words in ("a b ", "b b a "))
    assert compare(ups, downs)[-1].text.endswith("139")
    evens = "\n".join("x" if place % 2 else f"old {place}" for place in range(1_400))
    odds = "\n".join(f"new {place}" if place % 2 else "x" for place in range(1_400))
    assert {piece.kind for piece in compare(evens, odds)} == {"same", "removed", "added"}


def test_thousands_of_equal_lines_are_not_compared_with_each_other() -> None:
    """Comparing each of 20,000 lines with every other one would take minutes, and so would this test."""
    pieces = compare("a\n" * 20_000, "a\n" * 20_001)
    assert [piece.kind for piece in pieces] == ["removed", "added"]
