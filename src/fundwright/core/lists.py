"""What queries of lists have in common: searching in texts, the order that is asked for, and how many there are in all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, Select, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.paging import PageRequest


def contains(text: str, *columns: Any) -> ColumnElement[bool]:
    """Whether one of the columns has `text` in it, whatever its case; `%` and `_` stand for themselves."""
    return or_(*(column.icontains(text, autoescape=True) for column in columns))


def ordered_by(request: PageRequest, columns: Mapping[str, Any], *, default: Any) -> ColumnElement[Any]:
    """By the column that `request.sort` names, empty cells last, else by `default`."""
    column = columns.get(request.sort_field)
    if column is None:
        return default
    return column.desc().nulls_last() if request.is_descending else column.asc().nulls_last()


async def count_all(session: AsyncSession, found: Select[*tuple[Any, ...]]) -> int:
    """How many rows a query finds, whatever their order."""
    return await session.scalar(select(func.count()).select_from(found.order_by(None).subquery())) or 0
