"""For scripts/proofs.py: writes down which tests carry a marker, for which items of its list, and what became of them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--proofs", nargs=2, metavar=("MARKER", "FILE"), help="Write what tests with this marker prove, as JSON.")
    parser.addoption("--item", type=int, help="With --proofs: run only the tests of this item.")


def pytest_configure(config: pytest.Config) -> None:
    if config.option.proofs:
        marker, file = config.option.proofs
        config.option.markexpr = marker
        config.pluginmanager.register(Proofs(marker, Path(file), config.option.item))


class Proofs:
    def __init__(self, marker: str, file: Path, item: int | None) -> None:
        self._marker = marker
        self._file = file
        self._item = item
        self._marked = re.compile(rf"mark\.{marker}\(" + ("" if item is None else rf"[^)]*\b{item}\b"))
        self._items: dict[str, list[int]] = {}
        self._outcomes: dict[str, str] = {}

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Importing all other tests would take longer than running these."""
        is_test = collection_path.name.startswith("test_") and collection_path.suffix == ".py"
        return True if is_test and not self._marked.search(collection_path.read_text()) else None

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        if self._item is not None:
            others = [test for test in items if self._item not in self._proved_by(test)]
            config.hook.pytest_deselected(items=others)
            items[:] = [test for test in items if test not in others]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for test in session.items:
            self._items[test.nodeid] = self._proved_by(test)

    def _proved_by(self, test: pytest.Item) -> list[int]:
        return [item for mark in test.iter_markers(self._marker) for item in mark.args]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or not report.passed:
            self._outcomes[report.nodeid] = report.outcome

    def pytest_sessionfinish(self) -> None:
        proofs = [[item, test, self._outcomes.get(test)] for test, items in self._items.items() for item in items]
        self._file.write_text(json.dumps(proofs))
