"""Whole lists are read in large pages."""

from __future__ import annotations

from fundwright.core.paging import Page, PageRequest, iterate_all


async def test_a_whole_list_takes_few_queries() -> None:
    """Each one counts and sorts all items: with a hundred at a time, 50,000 entries took more than a minute to export."""
    pages: list[PageRequest] = []

    async def read(query: PageRequest) -> Page[int]:
        pages.append(query)
        items = list(range(2_500))[query.offset : query.offset + query.page_size]
        return Page(items=items, total=2_500, page=query.page, page_size=query.page_size)

    found = [item async for item in iterate_all(read, PageRequest(page=7))]
    assert found == list(range(2_500)) and len(pages) == 3
