"""What a question wants, names, and counts."""

from __future__ import annotations

import pytest

from fundwright.asking.questions import Kind, parse


@pytest.mark.parametrize(
    ("question", "kind", "value", "no_value"),
    [
        ("How many trucks do we own?", Kind.COUNT, "eleven trucks", "trucks"),
        ("What did the pumps cost?", Kind.AMOUNT, "$4,100", "4 pumps of 2020"),
        ("How long did it take?", Kind.DURATION, "94 days", "94 users"),
        ("When are offers due?", Kind.DATE, "Feb 27, 2026", "27 offers"),
        ("Where did Dana study?", Kind.DEGREE, "B.S., University of Idaho", "Project Manager"),
        ("Who is the evaluator?", Kind.PERSON, "Constance Young", "an evaluator"),
        ("How can I reach Jane?", Kind.CONTACT, "515-555-0142", "Jane"),
        ("How big is the shop?", Kind.QUANTITY, "6,800 square feet", "Phase 2"),
    ],
)
def test_a_question_wants_a_kind_of_value(question: str, kind: Kind, value: str, no_value: str) -> None:
    parsed = parse(question)
    assert (parsed.kind, parsed.has_value(value), parsed.has_value(no_value)) == (kind, True, False)


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What did we do at Wells harbor for the Oneida Nation's council?", ("wells", "oneida", "nation")),
        ("What Is Our Bonding Capacity?", ()),
        ("Wie viele Mitarbeiter haben wir?", ()),
        ("When does our 27001 run out?", ("27001",)),
        ("Are we in 8(a)?", ("8(a)",)),
    ],
)
def test_names_and_codes_are_told_from_other_words(question: str, names: tuple[str, ...]) -> None:
    assert parse(question).names == names


@pytest.mark.parametrize(
    ("question", "is_about_us"),
    [
        ("What is our UEI?", True),
        ("What is a UEI?", False),
        ("When do we have to submit?", False),
        ("Who owns Granite Fork?", False),
    ],
)
def test_questions_about_us_are_told_from_those_about_others(question: str, is_about_us: bool) -> None:
    assert parse(question).is_about_us is is_about_us
