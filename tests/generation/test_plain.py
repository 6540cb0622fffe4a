from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from fundwright.generation.citing import numbers_in
from fundwright.generation.plain import as_markdown

PARSED = MarkdownIt("commonmark").enable(["table", "strikethrough"])


@pytest.mark.security(39)
@pytest.mark.parametrize(
    "text",
    [
        *("[1] and [2, 3]", "[a](https://x.example)", "![a](https://x.example/a.png)", "<img src=x onerror=alert(1)>", "<https://x.example>", "a {onclick=x}"),
        *("**bold** _it_ __b__ ~~old~~ `code`", "# Heading", "- item", "+ item", "> quote", "12. item", "3) item", "a\\*b", "&lt; &#65;"),
        *("Smith & Sons, 5 < 6, a_b_c, C#, 2026-10: R&D; (x) | y!", "~/x", "* x", "***", "---"),
    ],
)  # fmt: skip
def test_any_text_is_shown_as_it_is(text: str) -> None:
    tokens = PARSED.parse(f"“{as_markdown(text)}” and {as_markdown(text)}")
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    shown = tokens[1].children or []
    assert {token.type for token in shown} == {"text"}
    assert "".join(token.content for token in shown) == f"“{text}” and {text}"
    assert not numbers_in(as_markdown(text))


@pytest.mark.parametrize(
    "text", ["# Heading", "- item", "+ item", "> quote", "12. item", "3) item", "* x", "C# and C", "a_b & c"]
)
def test_at_the_start_of_a_line_too(text: str) -> None:
    (_, inline, _) = PARSED.parse(as_markdown(text))
    assert "".join(token.content for token in inline.children or []) == text


def test_it_stays_in_one_line() -> None:
    assert as_markdown("Bob\n\n# Fake") == "Bob # Fake"


def test_ordinary_titles_stay_as_they_are() -> None:
    title = "R&D for C# and file_name: Smith & Sons (5 < 6), 100% ~ 2026-10-01!"
    assert as_markdown(title) == title
