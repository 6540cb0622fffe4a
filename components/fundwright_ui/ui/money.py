"""Amounts of money: whole cents internally, formatted for the reader's language."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal

from babel.numbers import NumberFormatError, format_currency, format_decimal, get_group_symbol, parse_decimal
from pydantic import BeforeValidator

from fundwright.core.messages import current_language, t

_MAX_CHARACTERS = 40
_DOLLARS = r"(?:US ?\$|\$ ?US|\$|USD)"
_SIGN = re.compile(rf"^{_DOLLARS}|{_DOLLARS}$", re.IGNORECASE)


def money(cents: int, currency: str = "usd") -> str:
    """`$1,234.50`, or `1.234,50 $` in German."""
    return format_currency(Decimal(cents) / 100, currency.upper(), locale=current_language())


def money_text(cents: int) -> str:
    """The amount as text for a form field, without a currency sign."""
    return format_decimal(Decimal(cents) / 100, format="0.00", locale=current_language())


def _cents(typed: object) -> object:
    text = unicodedata.normalize("NFKC", str(typed)).strip()  # with plain spaces only
    text = _SIGN.sub("", text, count=1).strip()
    try:
        # `1e999990` is a number, too: written out, it would block the server for half a minute.
        if len(text) > _MAX_CHARACTERS or any(character.isalpha() for character in text):
            raise ValueError(text)
        group = get_group_symbol(current_language())
        text = text.replace(" ", group) if group.isspace() else text
        amount = parse_decimal(text, locale=current_language(), strict=True) * 100
        cents = int(amount)
    except (NumberFormatError, ValueError, ArithmeticError):
        raise ValueError(t("Enter an amount such as {example}.", example=money_text(123_450))) from None
    if cents != amount:
        raise ValueError(t("Enter an amount with at most two decimal places."))
    return cents


ParsedCents = BeforeValidator(_cents)
"""Convert typed text to cents: `Annotated[Cents, ParsedCents]` as a field of a form's model."""

EmptyAsNone = BeforeValidator(lambda typed: None if typed == "" else typed)
"""Convert an empty field to None."""
