"""The queries and judgments for measuring search."""

from __future__ import annotations

import gzip
from collections import Counter
from io import BytesIO
from pathlib import Path

import pytest

from benchmarks.eval.frame.notices import PUBLISHED
from benchmarks.eval.relevance import Notice, read_queries
from fundwright import hooks
from fundwright.core.plugins import Plugins
from fundwright.opportunities.sources import ParsedNotice, Source
from fundwright_ui import extension


def test_enough_queries_of_five_kinds_of_organizations() -> None:
    queries = read_queries()

    organizations = Counter(query.organization for query in queries)
    assert len({query.text for query in queries}) == len(queries) >= 40
    assert len(organizations) == 5
    assert min(organizations.values()) >= 8


def test_grades_are_three_and_every_query_has_a_relevant_notice() -> None:
    for query in read_queries():
        grades = set(query.grades.values())
        assert grades <= {0, 1, 2}, query.text
        assert grades & {1, 2}, query.text


@pytest.mark.slow
def test_every_judged_notice_is_published_and_no_award(shared_data: Path) -> None:
    sources: dict[str, Source] = {source.name: source for source in Plugins([hooks, extension]).collect("opportunity_sources")}

    types: dict[Notice, str] = {}
    for name, file in PUBLISHED:
        content = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        for row in sources[name].parse(BytesIO(content)):
            if isinstance(row, ParsedNotice):
                types[Notice(name, row.external_id)] = row.type

    judged = {notice for query in read_queries() for notice in query.grades}
    assert {notice for notice in judged if types.get(notice, "Award Notice") == "Award Notice"} == set()
