"""Amounts, days, and names as the pipeline shows them."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

from babel import Locale
from babel.dates import format_timedelta
from babel.numbers import format_compact_currency, format_currency
from reactpy.types import VdomDict

from fundwright.core.database import now
from fundwright.core.messages import current_language, t
from fundwright.opportunities.washington import day_in_washington
from fundwright.pipeline.schemas import OUTCOMES, Lead, PursuitRead, Stage
from fundwright_ui.screens.deadlines import due_chip
from fundwright_ui.ui import chip

_MILLION = 1_000_000


def dollars(value: int | Decimal) -> str:
    """`$1,250,000`, without cents."""
    language = current_language()
    pattern = Locale(language).currency_formats["standard"].pattern.replace(".00", "")
    return format_currency(value, "USD", pattern, locale=language, currency_digits=False)


def short_dollars(value: int) -> str:
    """`$1.3M`, or `$250,000`."""
    if value < _MILLION:
        return dollars(value)
    return format_compact_currency(value, "USD", locale=current_language(), fraction_digits=1)


def lead_name(lead: Lead) -> str:
    """The name, and whether the person is no longer a member."""
    if lead.is_member:
        return lead.name
    return t("{name} (former member)", name=lead.name) if lead.name else t("Former member")


def due_mark(pursuit: PursuitRead) -> VdomDict | None:
    """The days until the deadline, or that it has passed; nothing for a pursuit that was submitted or decided."""
    if pursuit.due_at is None or pursuit.stage is Stage.SUBMITTED or pursuit.stage in OUTCOMES:
        return None
    day, today = day_in_washington(pursuit.due_at), day_in_washington(now())
    return chip(t("Deadline passed"), color="warning") if day < today else due_chip(day, today)


def duration(span: timedelta) -> str:
    """`3 days`, in the largest unit."""
    return format_timedelta(span, granularity="minute", threshold=1.0, locale=current_language())
