"""Untrusted text that becomes elements, files, or feeds: nothing in it is executed, and all results are well-formed."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from xml.etree.ElementTree import fromstring

import docx
import pytest
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from lxml import html as lxml_html
from openxml_audit import OpenXmlValidator

from fundwright.content.feed import rss
from fundwright.content.schemas import PostContent, PublishedPost
from fundwright.generation.citing import CitationStream
from fundwright.generation.exporting import export
from fundwright.generation.schemas import ExportFormat
from fundwright.opportunities import reading
from fundwright_ui.runtime.encoding import encode
from fundwright_ui.runtime.html import to_html
from fundwright_ui.widgets.markdown import rendered
from tests.fuzzing.conftest import Fuzz
from tests.fuzzing.texts import texts
from tests.generation.drafts import citation, draft, part

ELEMENTS = frozenset(
    (
        "a",
        "blockquote",
        "br",
        "code",
        "div",
        "em",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "li",
        "ol",
        "p",
        "pre",
        "s",
        "strong",
        "table",
    )
) | {"tbody", "td", "th", "thead", "tr", "ul"}
ATTRIBUTES = frozenset(("href", "target", "rel"))
ADDRESS = re.compile(r"(?i)(?:https?:|mailto:|#|/(?![/\\]))")
PIECES = (
    "# ", "- ", "1. ", "> ", "**", "_", "~~", "`", "```\n", "|a|b|\n|-|-|\n|", "\n\n", "\n", "    ", "\\", "[x]", "![x]", "(", ")", "<", ">",
    "(javascript:alert(1))", "(JaVaScRiPt&#58;alert(1))", "(java\tscript:alert(1))", "( javascript:x)", "(data:text/html,x)", "(vbscript:x)",
    "(//evil.example)", "(/\\evil.example)", "(\\\\evil.example)", "(https://a.example/?q=1 \"t\")", "(mailto:a@b.example)", "(#part)",
    "[x]: javascript:alert(1)\n\n", "<javascript:alert(1)>", "<https://a.example>", "<img src=x onerror=alert(1)>", "<script>alert(1)</script>",
    "<svg/onload=alert(1)>", "<!-- ", "]]>", "&lt;script&gt;", "&#x1;", "&NewLine;", "[1]", "[1; 2]", "</script>", "\u2028", "\x01", "https://b.example",
)  # fmt: skip


@st.composite
def markdown_texts(draw: DrawFn) -> str:
    return "".join(draw(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=6)), max_size=16)))


def node_of(element: object) -> object:
    if not isinstance(element, dict):
        return element
    children = [node_of(child) for child in element.get("children", ())]
    return {"t": element["tagName"], "a": dict(element.get("attributes", {})), "c": children}


def test_markdown_is_inert(fuzz: Fuzz) -> None:
    def check(text: str) -> None:
        markup = to_html({"t": "div", "c": [node_of(child) for child in rendered(text)]})
        encode(markup)
        for element in lxml_html.fragment_fromstring(markup).iter():
            if not isinstance(element.tag, str):
                assert element.text == " "  # a comment, as between two texts
                continue
            assert element.tag in ELEMENTS, markup
            assert set(element.attrib) <= ATTRIBUTES or dict(element.attrib) == {"class": "fw-prewrap"}, markup
            assert element.tag != "a" or ADDRESS.match(element.get("href", "")), markup

    fuzz(check, examples=70, text=st.one_of(markdown_texts(), texts(*PIECES)))


def test_descriptions_become_plain_text(fuzz: Fuzz) -> None:
    """Published descriptions are HTML, escaped once, twice, or not at all."""

    def check(text: str) -> None:
        plain = reading.plain_text(reading.clean(text))
        plain.encode()
        assert not set(plain) & set("\x00\x0b\x1f")
        assert to_html(plain).count("<") == 0

    pieces = (
        "<p>",
        "</p>",
        "<br/>",
        "<li>",
        "&lt;p&gt;",
        "&amp;lt;b&amp;gt;",
        "&#0;",
        "&#xD800;",
        "<script>x</script>",
        "<!--",
        "<",
        "&",
        "a\n",
    )
    fuzz(check, examples=70, text=st.lists(st.one_of(st.sampled_from(pieces), st.text(max_size=8)), max_size=12).map("".join))


def test_feeds_are_xml(fuzz: Fuzz) -> None:
    def check(title: str, summary: str) -> None:
        content = PostContent(title=f"A {title}"[:200], summary=summary[:500], text="text")
        post = PublishedPost(slug="a", title=content.title, summary=content.summary, author="Ada", published_at=datetime.now(UTC))
        feed = fromstring(rss([post], address="http://localhost"))
        found = feed.findtext("channel/item/title")
        assert found is not None
        assert found.split() == content.title.split()

    fuzz(check, examples=35, title=texts(*PIECES), summary=texts(*PIECES))


@pytest.mark.slow
def test_drafts_become_files(fuzz: Fuzz, tmp_path: Path) -> None:
    path = tmp_path / "draft.docx"

    def check(title: str, sections: list[str], heading: str) -> None:
        parts = tuple(part(n, heading, text) for n, text in enumerate(sections))
        hostile = draft(title=title, sections=parts, citations=(citation(1, title, (heading,)),), number=heading, company=title)
        word = export(hostile, ExportFormat.DOCX, author=heading)
        path.write_bytes(word.content)
        assert docx.Document(str(path)).paragraphs
        assert not OpenXmlValidator().validate(path).errors
        assert re.fullmatch(r"[A-Za-z0-9-]{1,80}\.docx", word.filename)
        assert export(hostile, ExportFormat.MARKDOWN).content.decode().startswith("# ")

    fuzz(
        check,
        examples=8,
        title=texts(*PIECES),
        sections=st.lists(markdown_texts(), min_size=1, max_size=3),
        heading=texts(*PIECES),
    )


def test_citations_of_models_that_stream(fuzz: Fuzz) -> None:
    """However the stream is split, it contains no number without a passage."""

    def cited(pieces: list[str]) -> str:
        stream = CitationStream(lambda number: number if number < 3 else None)
        return "".join(map(stream.feed, pieces)) + stream.close()

    def check(pieces: list[str]) -> None:
        written = cited(pieces)
        assert written == cited(["".join(pieces)])
        lists = re.findall(r"\[([0-9]{1,4}(?:\s*[,;]\s*[0-9]{1,4})*)\]", written)
        assert all(int(number) < 3 for numbers in lists for number in re.findall(r"[0-9]+", numbers))

    shapes = st.sampled_from(["[1]", "[", "1", ",", "2]", "[3;1]", " ", "\r\n", "٣]", "a.", "11," * 15, "[[", "]", "[9]", "٣"])
    fuzz(check, examples=70, pieces=st.lists(st.one_of(shapes, st.text(max_size=4)), max_size=12))


def test_elements_of_a_tree(fuzz: Fuzz) -> None:
    """All content of a screen is escaped, wherever it is."""
    hostile = texts('"><script>', "' onload='x", "</div>", "&quot;", "<!--", "-->", "<", "`", "\U0001f600")

    def check(text: str, title: str, href: str) -> None:
        tree = {
            "t": "div",
            "c": [
                {"t": "a", "a": {"title": title, "href": href}, "c": [text, title]},
                {"t": "textarea", "a": {"defaultValue": text}},
            ],
        }
        (link, field) = lxml_html.fragment_fromstring(to_html(tree))
        assert (link.tag, field.tag) == ("a", "textarea")
        assert set(link.attrib) <= {"title", "href"}
        assert not set(field.attrib)
        assert len(field) == 0

    fuzz(check, examples=50, text=hostile, title=hostile, href=hostile)
