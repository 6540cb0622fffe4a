from __future__ import annotations

import pytest

from fundwright.reading.topics import Topic, topic_of, topics_of


@pytest.mark.parametrize(
    ("heading", "topic"),
    [
        ("3. CORE COMPETENCIES (2026)", Topic.CAPABILITIES),
        ("What we do (self-performed unless noted)", Topic.CAPABILITIES),
        ("Past performance", Topic.PAST_PERFORMANCE),
        ("Recent projects and clients", Topic.PAST_PERFORMANCE),
        ("Key personnel", Topic.PEOPLE),
        ("Our team", Topic.PEOPLE),
        ("Facilities & equipment", Topic.FACILITIES),
        ("Why us", Topic.DIFFERENTIATORS),
        ("What sets us apart", Topic.DIFFERENTIATORS),
        ("Point of contact", Topic.CONTACT),
        ("How to reach us", Topic.CONTACT),
        ("UEI and CAGE codes", Topic.COMPANY_DATA),
        ("Statement of need", Topic.NEED),
        ("SPECIFIC AIMS", Topic.AIMS),
        ("Technical approach", Topic.APPROACH),
        ("Evaluation and expected outcomes", Topic.OUTCOMES),
        ("Deliverables", Topic.OFFER),
        ("Reviewer comments", Topic.REVIEW),
        ("Lessons learned", Topic.CHALLENGES),
        ("What we don't do", Topic.NOT_OFFERED),
        ("Nos compétences", Topic.CAPABILITIES),
        ("Ansprechpartner", Topic.CONTACT),
    ],
)
def test_a_heading_names_a_topic(heading: str, topic: Topic) -> None:
    assert topic_of(heading) is topic


@pytest.mark.parametrize("heading", ["Loretta Banks", "01 Lapwai Creek Fish Passage", "Tab 3", "", "x" * 10_000])
def test_most_headings_name_none(heading: str) -> None:
    assert topic_of(heading) is None


def test_a_heading_that_names_two_topics_alike_has_both() -> None:
    assert topics_of("Facilities and personnel").keys() == {Topic.FACILITIES, Topic.PEOPLE}
    assert topic_of("Facilities and personnel") is None
