"""Shared parts of list queries: text search, order, and totals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, Select, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.paging import PageRequest


def contains(text: str, *columns: Any) -> ColumnElement[bool]:
    """Whether one of the columns contains `text`, ignoring case; `%` and `_` are literal."""
    return or_(*(column.icontains(text, autoescape=True) for column in columns))


def ordered_by(request: PageRequest, columns: Mapping[str, Any], *, default: Any) -> ColumnElement[Any]:
    """Order by the column that `request.sort` names, empty cells last; otherwise by `default`. `columns` are those of `request.sorts`."""
    assert not request.sorts or columns.keys() == set(request.sorts), (
        f"{type(request).__name__} and the query have different orders."
    )
    if not request.sort:
        return default
    column = columns[request.sort_field]
    return column.desc().nulls_last() if request.is_descending else column.asc().nulls_last()


async def count_all(session: AsyncSession, found: Select[*tuple[Any, ...]]) -> int:
    """The number of rows of a query, ignoring its order."""
    return await session.scalar(select(func.count()).select_from(found.order_by(None).subquery())) or 0
