from __future__ import annotations

import pytest

from fundwright.language.schemas import headings_below


@pytest.mark.parametrize(
    ("title", "path", "below"),
    [
        ("Capability Statement – Tidewater", ("Capability statement: Tidewater", "Core competencies"), ("Core competencies",)),
        ("Sample: Past performance groundwater database", ("PAST PERFORMANCE: GROUNDWATER DATABASE MODERNIZATION",), ()),
        ("Past performance of Tidewater", ("Past performance", "NAVSUP"), ("Past performance", "NAVSUP")),
        ("Sample: Resume Tomas Okafor", ("TOMAS OKAFOR", "Experience"), ("Experience",)),
        ("cap", ("Capability Statement", "Core competencies"), ("Capability Statement", "Core competencies")),
        ("Annual report", (), ()),
    ],
)
def test_headings_that_repeat_the_title_are_left_out(title: str, path: tuple[str, ...], below: tuple[str, ...]) -> None:
    assert headings_below(title, path) == below
