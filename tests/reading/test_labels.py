from __future__ import annotations

import pytest

from fundwright.reading.facts import FactField
from fundwright.reading.labels import STATE, Meaning, is_label, meaning_of


@pytest.mark.parametrize(
    ("label", "meaning"),
    [
        ("Customer", FactField.CUSTOMER),
        ("Funder", FactField.CUSTOMER),
        ("Buying office", FactField.CUSTOMER),
        ("Contract no.", FactField.CONTRACT),
        ("Program / award no.", FactField.CONTRACT),
        ("Contract #", FactField.CONTRACT),
        ("Final value", FactField.VALUE),
        ("Award amount", FactField.VALUE),
        ("PoP", FactField.PERIOD),
        ("Period of performance", FactField.PERIOD),
        ("Scope of work", FactField.WORK),
        ("Outcome reported", FactField.WORK),
        ("Project title", FactField.TITLE),
        ("CPARS rating", FactField.RATING),
        ("Status / remarks", STATE),
        ("Auftraggeber", FactField.CUSTOMER),
        ("Owner's rep", None),
        ("Total prime contract", None),
        ("Client phone", None),
        ("Shoe size", None),
    ],
)
def test_the_label_of_a_project_says_what_its_value_is(label: str, meaning: Meaning | None) -> None:
    assert meaning_of(label) is meaning


@pytest.mark.parametrize(
    ("label", "meaning"),
    [
        ("Name", FactField.NAME),
        ("POSITION TITLE", FactField.ROLE),
        ("Proposed role", FactField.ROLE),
        ("Yrs experience", FactField.QUALIFICATIONS),
        ("Registrations", FactField.QUALIFICATIONS),
        ("Lapsed", None),
        ("eRA COMMONS USER NAME", None),
    ],
)
def test_the_label_of_a_person_says_what_its_value_is(label: str, meaning: Meaning | None) -> None:
    assert meaning_of(label, is_person=True) is meaning


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("UEI", True),
        ("Contract no.", True),
        ("Period of performance", True),
        ("Granger Bros. Construction", False),
        ("Two perched pipes", False),
        ("of the", False),
        ("", False),
    ],
)
def test_a_label_has_only_words_of_labels(text: str, expected: bool) -> None:
    assert is_label(text) is expected
