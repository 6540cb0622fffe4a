"""Topics of questions that people write into templates."""

from __future__ import annotations

import pytest

from fundwright.language.topics import Topic, topic_asked
from fundwright.templates.builtin import TEMPLATES
from fundwright.templates.schemas import TemplateQuestion, TemplateSection


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("Who are the key personnel, with which qualifications?", Topic.PEOPLE),
        ("Which past contracts show relevant experience?", Topic.PAST_PERFORMANCE),
        ("Describe your technical approach.", Topic.APPROACH),
        ("What equipment do we own?", Topic.FACILITIES),
        ("What certifications do we hold?", Topic.COMPANY_DATA),
        ("Describe the management structure and key staff", Topic.PEOPLE),
        ("What is our safety record?", None),
        ("Make it shorter", None),
        ("", None),
    ],
)
def test_are_named_in_the_question(question: str, topic: Topic | None) -> None:
    assert topic_asked(question) == topic


def test_of_included_templates_are_found_without_being_named() -> None:
    found: list[tuple[Topic | None, Topic | None]] = []
    for section in (section for template in TEMPLATES for section in template.sections):
        asked = tuple(TemplateQuestion(ask=question.ask) for question in section.questions)
        planned = TemplateSection(heading=section.heading, questions=asked).planned
        found += [(new.topic, old.topic) for new, old in zip(planned.questions, section.questions, strict=True)]
    assert (len(found), sum(new == old for new, old in found)) == (17, 16)  # “Why we fit this opportunity” names differences
