from __future__ import annotations

import pytest

from fundwright.language.extractive.claims import Others

OTHERS = Others(company="Meridian Language Group, Inc.", customers=("Banner Desert Health",))


@pytest.mark.parametrize(
    "sentence",
    [
        "We answered 96,500 video calls.",
        "Meridian supplied 38,400 interpreter days in 61 languages.",
        "The agency network of 42 stations measures nitrate.",
        "The network has 42 stations.",
        "The clinic treats 200 patients a week.",
        "No deadlines were missed.",
    ],
)
def test_may_be_claimed(sentence: str) -> None:
    assert OTHERS.may_claim(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "The district enrolls 15,000 students.",
        "The agency hears about 300,000 cases a year in 69 courts.",
        "The system has 2,900 beds.",
        "Banner Desert Health runs eleven hospitals.",
        "In 2022 two assignments were missed when a subcontractor changed its schedule without notice.",
        "The contractor shall provide interpreters.",
    ],
)
def test_says_nothing_good_of_us(sentence: str) -> None:
    assert not OTHERS.may_claim(sentence)
