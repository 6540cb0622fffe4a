"""The notices for the lists of the other frameworks, from the benchmark's database, whose address is in `NOTICES_URL`."""

import os
from typing import Any
from zoneinfo import ZoneInfo

from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool

PAGE_SIZE = 25
WASHINGTON = ZoneInfo("America/New_York")
ORDERS = {"": "posted_at DESC", "title": "title", "agency": "agency", "due": "due_at", "posted": "posted_at"}
COLUMNS = {
    "title": "Title",
    "agency": "Agency",
    "type": "Type",
    "due": "Due",
    "posted": "Posted",
    "code": "Set-aside",
    "marks": "Category",
}
OPEN = "(closes_at IS NULL OR closes_at > now())"

pool = ConnectionPool(
    os.environ["NOTICES_URL"], min_size=2, max_size=4, kwargs={"row_factory": dict_row, "autocommit": True}, open=True
)


def find(
    *, q: str = "", agency: str = "", type: str = "", code: str = "", state: str = "", sort: str = "", descending: bool = False,
    offset: int = 0,
) -> tuple[list[dict[str, str]], int]:  # fmt: skip
    """25 notices and the number of matches. Searches are ranked by relevance, as in our own list."""
    conditions, given = ["kind = 'contract'"], {"q": q, "agency": agency, "type": type, "code": code, "offset": offset}
    if q:
        conditions.append("search @@ websearch_to_tsquery('english', %(q)s)")
    conditions += [f"{column} = %({name})s" for name, column in _FILTERS.items() if given[name]]
    if state:
        conditions.append(OPEN if state == "open" else f"NOT {OPEN}")
    where = " AND ".join(conditions)
    order = ORDERS[sort] + (" DESC NULLS LAST" if descending and sort else "")
    if q and not sort:
        order = "ts_rank(search, websearch_to_tsquery('english', %(q)s)) DESC, " + order
    with pool.connection() as connection:
        total = connection.execute(f"SELECT count(*) AS number FROM opportunity WHERE {where}", given).fetchone()
        found = connection.execute(
            f"SELECT id, title, agency, type, due_at, posted_at, set_aside_code, {OPEN} AS is_open FROM opportunity "
            f"WHERE {where} ORDER BY {order}, id OFFSET %(offset)s LIMIT {PAGE_SIZE}",
            given,
        ).fetchall()
    return [_row(each) for each in found], total["number"] if total else 0


def read(id: str) -> dict[str, Any]:
    """One notice with its text."""
    with pool.connection() as connection:
        found = connection.execute(
            "SELECT title, agency, office, type, number, description FROM opportunity "
            "JOIN opportunity_text ON opportunity_id = id WHERE id = %s",
            [id],
        ).fetchone()
    assert found is not None
    return found


def choices(name: str) -> list[str]:
    """The options of a filter."""
    column = _FILTERS[name]
    with pool.connection() as connection:
        found = connection.execute(
            f"SELECT DISTINCT {column} AS value FROM opportunity WHERE kind = 'contract' AND {column} <> '' ORDER BY 1"
        )
        return [each["value"] for each in found]


_FILTERS = {"agency": "agency", "type": "type", "code": "set_aside_code"}


def _row(notice: dict[str, Any]) -> dict[str, str]:
    return {
        "id": str(notice["id"]),
        "title": notice["title"],
        "agency": notice["agency"],
        "type": notice["type"],
        "due": _day(notice["due_at"]),
        "posted": _day(notice["posted_at"]),
        "code": notice["set_aside_code"],
        "marks": "" if notice["is_open"] else "Closed",
    }


def _day(at: Any) -> str:
    return f"{at.astimezone(WASHINGTON):%b %-d, %Y}" if at else ""
