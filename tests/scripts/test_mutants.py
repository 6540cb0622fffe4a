"""`make mutants` breaks promises on purpose."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from scripts import mutants
from scripts.mutants import LISTS, PROJECT, Mutant, verdict_on

LAMP = """
import pytest
from lamp import is_on

@pytest.mark.security(1)
def test_is_on():
    assert is_on()

@pytest.mark.security(2)
def test_asks_nothing():
    assert True

@pytest.mark.security(3)
def test_fails_anyway():
    assert not is_on()
"""
SETTINGS = """
[tool.pytest.ini_options]
markers = ["security(*items): a promise"]
"""


def patch(item: str, before: str, after: str) -> str:
    return f"Breaks {item}.\n\ndiff --git a/src/lamp.py b/src/lamp.py\n--- a/src/lamp.py\n+++ b/src/lamp.py\n@@ -1 +1 @@\n-{before}\n+{after}\n"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A project with three promises."""
    copy = tmp_path / "copy"
    for name, content in {
        "src/lamp.py": "def is_on(): return True\n",
        "tests/test_lamp.py": LAMP,
        "pyproject.toml": SETTINGS,
    }.items():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_text(content)
    shutil.copy(PROJECT / "tests/plugins.py", copy / "tests/plugins.py")
    return copy


class TestVerdict:
    @pytest.mark.parametrize(
        ("items", "before", "after", "is_caught", "reason"),
        [
            ("1", "def is_on(): return True", "def is_on(): return False", True, "tests/test_lamp.py::test_is_on"),
            ("2", "def is_on(): return True", "def is_on(): return False", False, "the tests of 2 pass"),
            ("1+2", "def is_on(): return True", "def is_on(): return False", False, "the tests of 2 pass"),
            ("3", "def is_on(): return True", "def is_on(): return 1", False, "test_fails_anyway fails without the mutant, too"),
            ("1", "def is_on(): return True", "def is_on(:", False, "none of them could be run"),
            ("1", "def is_off(): return True", "def is_off(): return False", False, "it does not apply"),
        ],
    )
    def test_says_whether_a_test_noticed(
        self, copy: Path, tmp_path: Path, items: str, before: str, after: str, is_caught: bool, reason: str
    ) -> None:
        path = tmp_path / "security" / f"{items}-lamp.patch"
        path.parent.mkdir()
        path.write_text(patch(items, before, after))
        verdict = verdict_on(Mutant(path), copy)
        assert (verdict.is_caught, reason in verdict.reason) == (is_caught, True)
        assert (copy / "src/lamp.py").read_text() == "def is_on(): return True\n"


class TestEveryMutant:
    @pytest.mark.parametrize("mutant", mutants.all_mutants(), ids=lambda mutant: mutant.name)
    def test_applies_to_this_source_and_says_what_it_breaks(self, mutant: Mutant) -> None:
        assert mutants.apply(mutant.path, PROJECT, "--check").stderr == ""
        assert mutant.sentence.endswith(".")
        _, items = LISTS[mutant.list]
        assert set(mutant.items) <= set(range(1, len(items) + 1))
