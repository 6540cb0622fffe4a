"""For scripts/proofs.py: writes down which tests carry a marker, for which items of its list, and what became of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--proofs", nargs=2, metavar=("MARKER", "FILE"), help="Write what tests with this marker prove, as JSON.")


def pytest_configure(config: pytest.Config) -> None:
    if config.option.proofs:
        marker, file = config.option.proofs
        config.option.markexpr = marker
        config.pluginmanager.register(Proofs(marker, Path(file)))


class Proofs:
    def __init__(self, marker: str, file: Path) -> None:
        self._marker = marker
        self._file = file
        self._items: dict[str, list[int]] = {}
        self._outcomes: dict[str, str] = {}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for test in session.items:
            self._items[test.nodeid] = [item for mark in test.iter_markers(self._marker) for item in mark.args]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or not report.passed:
            self._outcomes[report.nodeid] = report.outcome

    def pytest_sessionfinish(self) -> None:
        proofs = [[item, test, self._outcomes.get(test)] for test, items in self._items.items() for item in items]
        self._file.write_text(json.dumps(proofs))
