"""Amounts of money that people type."""

from __future__ import annotations

from typing import Annotated

import pytest
from pydantic import BaseModel, ValidationError

from fundwright.core.messages import using_language
from fundwright_ui.ui.money import ParsedCents, money


class Price(BaseModel):
    cents: Annotated[int, ParsedCents]


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_an_amount_is_accepted_as_it_is_shown(language: str) -> None:
    with using_language(language):
        assert Price.model_validate({"cents": money(123_450)}).cents == 123_450


@pytest.mark.parametrize(
    ("language", "typed", "cents"),
    [
        ("en", "$49", 4_900),
        ("en", "49.5 $", 4_950),
        ("en", "US$ 1,234.50", 123_450),
        ("en", "usd 49", 4_900),
        ("de", "49,50 USD", 4_950),
        ("fr", "1 234,50", 123_450),
        ("fr", "1 234,50 $", 123_450),
    ],
)
def test_amounts_with_a_currency_sign_are_accepted(language: str, typed: str, cents: int) -> None:
    with using_language(language):
        assert Price.model_validate({"cents": typed}).cents == cents


@pytest.mark.parametrize("typed", ["", "$", "$$5", "$5$", "49 €", "1 23", "1e5", "12,34"])
def test_other_texts_are_refused(typed: str) -> None:
    with using_language("en"), pytest.raises(ValidationError):
        Price.model_validate({"cents": typed})
