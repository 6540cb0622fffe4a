"""Abbreviations and capitals in titles."""

from __future__ import annotations

import pytest

from fundwright.reading.capitals import capitalized, title_of_words, without_capitals


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("usda sbir", "USDA SBIR"),
        ("Usda Sbir", "USDA SBIR"),
        ("USDA SBIR", "USDA SBIR"),
        ("cv whitfield", "CV Whitfield"),
        ("epa ppq acec", "EPA PPQ ACEC"),
        ("va isbn 9001", "VA ISBN 9001"),
        ("my va proposal", "My VA Proposal"),
        ("SBIR guide", "SBIR guide"),
        ("roofs of the harbor", "roofs of the harbor"),
        ("", ""),
    ],
)
def test_abbreviations_are_written_as_usual(words: str, title: str) -> None:
    assert title_of_words(words) == title


def test_programs_keep_their_capitals_in_title_case() -> None:
    assert without_capitals("USDA SBIR PHASE II SOLICITATION") == "USDA SBIR Phase II Solicitation"


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("resume dale trujillo", "Resume Dale Trujillo"),
        ("roofs of the harbor", "Roofs of the Harbor"),
        ("the plan of dan lee", "The Plan of Dan Lee"),
        ("rnd tbl 2026 v2", "RND TBL 2026 v2"),
        ("owner's manual", "Owner's Manual"),
        ("Roofs of the harbor", "Roofs of the harbor"),
        ("boats", "boats"),
        ("RFP 12", "RFP 12"),
        ("", ""),
    ],
)
def test_a_text_in_lower_case_gets_capitals(name: str, title: str) -> None:
    assert capitalized(name) == title
