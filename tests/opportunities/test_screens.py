from datetime import UTC, datetime
from uuid import uuid4

from fundwright_ui.screens.opportunities_list import query_of
from fundwright_ui.screens.opportunity import deadline


class TestQueryOf:
    def test_reads_the_address(self) -> None:
        category = uuid4()
        query = query_of(
            "contract",
            {"q": "roof", "agency": "VA|GSA", "due_from": "2026-01-31", "availability": "open", "page": "3", "sort": "-due",
             "category": str(category)},
        )  # fmt: skip
        assert (query.text, query.agency, query.page, query.sort) == ("roof", ("VA", "GSA"), 3, "-due")
        assert (str(query.due_from), query.availability, query.category) == ("2026-01-31", "open", category)

    def test_leaves_out_what_cannot_be_understood(self) -> None:
        query = query_of("grant", {"q": "x" * 900, "page": "0", "due_to": "soon", "availability": "ajar", "category": "1"})
        assert (query.kind, query.page, query.due_to, query.availability, query.category) == ("grant", 1, None, None, None)
        assert len(query.text) == 500


class TestDeadline:
    def test_names_the_time_only_when_the_source_does(self) -> None:
        assert deadline(datetime(2026, 3, 24, 3, 59, 59, tzinfo=UTC), "en") == "March 23, 2026"
        assert "5:00" in deadline(datetime(2026, 3, 23, 21, tzinfo=UTC), "en")
