"""A pytest plug-in for scripts/checklists.py that records the results of the tests with a marker, and the items in the marker."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--results", nargs=2, metavar=("MARKER", "FILE"), help="Run the tests with this marker, and write their results as JSON."
    )
    parser.addoption("--item", type=int, help="With --results: run only the tests of this item.")


def pytest_configure(config: pytest.Config) -> None:
    if config.option.results:
        marker, file = config.option.results
        config.option.markexpr = marker
        config.pluginmanager.register(ResultWriter(marker, Path(file), config.option.item))


class ResultWriter:
    def __init__(self, marker: str, file: Path, item: int | None) -> None:
        self._marker = marker
        self._file = file
        self._item = item
        self._marked = re.compile(rf"mark\.{marker}\(" + ("" if item is None else rf"[^)]*\b{item}\b"))
        self._items: dict[str, list[int]] = {}
        self._outcomes: dict[str, str] = {}

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Ignore files without the marker, because importing them would take longer than running the marked tests."""
        is_test = collection_path.name.startswith("test_") and collection_path.suffix == ".py"
        return True if is_test and not self._marked.search(collection_path.read_text()) else None

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        if self._item is not None:
            others = [test for test in items if self._item not in self._items_of(test)]
            config.hook.pytest_deselected(items=others)
            items[:] = [test for test in items if test not in others]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for test in session.items:
            self._items[test.nodeid] = self._items_of(test)

    def _items_of(self, test: pytest.Item) -> list[int]:
        return [item for mark in test.iter_markers(self._marker) for item in mark.args]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or not report.passed:
            self._outcomes[report.nodeid] = report.outcome

    def pytest_sessionfinish(self) -> None:
        results = [[item, test, self._outcomes.get(test)] for test, items in self._items.items() for item in items]
        self._file.write_text(json.dumps(results))
