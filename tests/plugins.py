"""`make security`: which items of the security checklist, and which known pains, have a test that proves them."""

from __future__ import annotations

from collections import defaultdict

import pytest

LISTS = {"security": ("Security checklist", 47), "pain": ("Pains of server-driven interfaces", 20)}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--covered", action="store_true", help="Print the items of each list that tests prove.")


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    if not session.config.option.covered:
        return
    for marker, (title, size) in LISTS.items():
        proofs: dict[int, list[str]] = defaultdict(list)
        for test in session.items:
            for mark in test.iter_markers(marker):
                for item in mark.args:
                    proofs[int(item)].append(test.nodeid)
        print(f"\n{title}: {len(proofs)} of {size} items")
        for item in sorted(proofs):
            print(f"  {item:>3}  {proofs[item][0]}" + (f" and {len(proofs[item]) - 1} more" if len(proofs[item]) > 1 else ""))
        print("  not yet: " + (", ".join(str(item) for item in range(1, size + 1) if item not in proofs) or "none"))


def pytest_report_collectionfinish() -> str:
    return ""
