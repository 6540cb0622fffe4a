"""The part of a passage around an answer, as it is shown."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from fundwright.reading.kinds import DocumentKind
from fundwright.training.schemas import Passage
from fundwright_ui.screens.training.excerpt import excerpt


def shown(text: str, answer: str) -> str:
    """The elements with text of an excerpt, each with its tag: “li Pumps”."""
    passage = Passage(
        id=uuid4(),
        heading=(),
        page=None,
        start=0,
        end=len(text),
        document_id=uuid4(),
        document_title="About us",
        document_kind=DocumentKind.ABOUT_US,
        text=text,
        score=1.0,
        similarity=1.0,
    )
    start = text.index(answer)
    return _flat(excerpt(passage, start, start + len(answer)))


def _flat(element: Any) -> str:
    if not isinstance(element, dict):
        return str(element or "")
    inside = "".join(map(_flat, element.get("children", ())))
    tag = element["tagName"]
    return inside if tag in ("div", "table", "tbody", "thead") else f"<{tag}>{inside}"


@pytest.mark.parametrize(
    ("text", "answer", "expected"),
    [
        (
            "| Funder | Award |\n| - | - |\n| HUD |  |\n| City of Ames | $610,000 |",
            "| City of Ames | $610,000 |",
            "<tr><th>Funder<th>Award<tr><td>HUD<td><tr><td><mark>City of Ames<td><mark>$610,000",
        ),
        ("Client: Ames\nValue: $9", "Value: $9", "<tr><th>Client<td>Ames<tr><th>Value<td><mark>$9"),
        ("- Pumps\n- Valves", "Valves", "<ul><li>Pumps<li><mark>Valves"),
        ("2.1 Inspect bridges\n2.2 Rate loads", "Rate loads", "<ul><li>2.1 Inspect bridges<li>2.2 <mark>Rate loads"),
        (
            "We sew tents of canvas in Duluth. Our crew has\nbeen cutting since 2006.",
            "Our crew has\nbeen cutting since 2006.",
            "<p>We sew tents of canvas in Duluth. <mark>Our crew has been cutting since 2006.",
        ),
        ("Ada Flint\n12 Dock Road", "12 Dock Road", "<p>Ada Flint<br><mark>12 Dock Road"),
        (
            "SCOPE OF WORK\n\nWe built 42 stations. Each measures light.",
            "We built 42 stations.",
            "<p><strong>SCOPE OF WORK<p><mark>We built 42 stations. Each measures light.",
        ),
        ("THINGS WE MAKE\n- Pumps", "Pumps", "<p><strong>THINGS WE MAKE<ul><li><mark>Pumps"),
    ],
)
def test_a_passage_looks_as_in_its_document(text: str, answer: str, expected: str) -> None:
    assert shown(text, answer) == expected


def test_what_is_far_from_the_answer_is_left_out() -> None:
    assert shown(f"We sew tents. {'Far away. ' * 50}We cut.", "We cut.").count("Far away.") < 25
