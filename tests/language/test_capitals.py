"""Abbreviations and capitals in titles."""

from __future__ import annotations

import pytest

from fundwright.language.capitals import title_of_words, without_capitals


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("usda sbir", "USDA SBIR"),
        ("Usda Sbir", "USDA SBIR"),
        ("USDA SBIR", "USDA SBIR"),
        ("cv whitfield", "CV Whitfield"),
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
