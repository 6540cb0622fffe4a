"""One page of a list."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from itertools import count
from typing import ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, field_validator

from fundwright.core.messages import t

T = TypeVar("T")

_LARGEST_PAGE = 100
_READ_AT_ONCE = 1_000


class Page(BaseModel, Generic[T]):
    """`items` of page number `page` (from 1) out of `total` items."""

    model_config = ConfigDict(frozen=True)

    items: list[T]
    total: int
    page: int
    page_size: int


class PageRequest(BaseModel):
    """Which page to read. `sort` is one of the fields in `sorts`, `-field` for descending; the list has an order of its own without."""

    model_config = ConfigDict(frozen=True)

    sorts: ClassVar[tuple[str, ...]] = ()
    """The fields by which the list can be sorted. A subclass names them."""

    page: int = Field(default=1, ge=1, le=100_000)
    page_size: int = Field(default=25, ge=1, le=_LARGEST_PAGE)
    sort: str = ""

    @field_validator("sort")
    @classmethod
    def _is_known(cls, sort: str) -> str:
        if sort and sort.removeprefix("-") not in cls.sorts:
            raise ValueError(
                t(
                    "This list cannot be sorted by “{sort}”. It can be sorted by: {sorts}.",
                    sort=sort[:50],
                    sorts=", ".join(cls.sorts),
                )
                if cls.sorts
                else t("This list cannot be sorted. Leave out `sort`.")
            )
        return sort

    @property
    def offset(self) -> int:
        return (self.page - 1) * self.page_size

    @property
    def sort_field(self) -> str:
        return self.sort.removeprefix("-")

    @property
    def is_descending(self) -> bool:
        return self.sort.startswith("-")


R = TypeVar("R", bound=PageRequest)


async def iterate_all(read: Callable[[R], Awaitable[Page[T]]], request: R) -> AsyncIterator[T]:
    """Yield every item of a list in the order of `request`, ignoring its page."""
    for number in count(1):
        page = await read(request.model_copy(update={"page": number, "page_size": _READ_AT_ONCE}))
        for item in page.items:
            yield item
        if number * _READ_AT_ONCE >= page.total:
            return
