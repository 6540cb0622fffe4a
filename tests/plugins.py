"""`make security` and `make pains`: which items of the security checklist, and which known pains, have a test that proves them."""

from __future__ import annotations

from collections import defaultdict

import pytest

LISTS = {"security": ("Security checklist", 47), "pain": ("Pains of server-driven interfaces", 20)}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--covered", choices=LISTS, help="Print the items of this list that tests prove.")


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    marker: str | None = session.config.option.covered
    if marker is None:
        return
    title, size = LISTS[marker]
    proofs: dict[int, list[str]] = defaultdict(list)
    for test in session.items:
        for mark in test.iter_markers(marker):
            for item in mark.args:
                proofs[int(item)].append(test.nodeid)
    print(f"\n{title}: {len(proofs)} of {size} items")
    for item in range(1, size + 1):
        tests = proofs.get(item, ["not yet"])
        print(f"  {item:>3}  {tests[0]}" + (f" and {len(tests) - 1} more" if len(tests) > 1 else ""))


def pytest_report_collectionfinish() -> str:
    return ""
