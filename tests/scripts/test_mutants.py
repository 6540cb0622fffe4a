"""`make mutants` breaks items of the checklists on purpose."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from scripts import mutants
from scripts.mutants import LISTS, PROJECT, Mutant, failing_tests, verdict_on

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
addopts = "-p no:schemathesis -p no:hypothesispytest -p no:playwright -p no:openxml_audit"
"""
"""Exclude plug-ins that take seconds to import."""


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
    (copy / "tests/support").mkdir()
    shutil.copy(PROJECT / "tests/support/plugins.py", copy / "tests/support/plugins.py")
    return copy


@pytest.mark.slow
class TestVerdict:
    @pytest.mark.parametrize(
        ("items", "before", "after", "tests", "reason"),
        [
            ("1", "def is_on(): return True", "def is_on(): return False", ["tests/test_lamp.py::test_is_on"], ""),
            pytest.param(
                "2", "def is_on(): return True", "def is_on(): return False", [], "the tests of 2 pass", marks=pytest.mark.slow
            ),
            ("1+2", "def is_on(): return True", "def is_on(): return False", [], "the tests of 2 pass"),
            pytest.param(
                "1", "def is_on(): return True", "def is_on(:", [], "the tests of 1 could not be run", marks=pytest.mark.slow
            ),
            (
                "1",
                "def is_on(): return True",
                "def is_on(): return lit",
                [],
                "it uses undefined names: src/lamp.py:1:21: F821",
            ),
            ("1", "def is_off(): return True", "def is_off(): return False", [], "it does not apply"),
        ],
    )
    def test_says_which_tests_noticed(
        self, copy: Path, tmp_path: Path, items: str, before: str, after: str, tests: list[str], reason: str
    ) -> None:
        path = tmp_path / "security" / f"{items}-lamp.patch"
        path.parent.mkdir()
        path.write_text(patch(items, before, after))
        verdict = verdict_on(Mutant(path), copy)
        assert (list(verdict.tests), reason in verdict.reason, bool(verdict.reason)) == (tests, True, bool(reason))
        assert (copy / "src/lamp.py").read_text() == "def is_on(): return True\n"

    def test_does_not_count_a_test_that_fails_without_the_mutant(self, copy: Path) -> None:
        tests = {f"tests/test_lamp.py::{name}": "security" for name in ("test_is_on", "test_fails_anyway")}
        assert failing_tests(tests, copy) == {"tests/test_lamp.py::test_fails_anyway"}


class TestKnownTests:
    def test_are_kept_below_the_sentence(self, tmp_path: Path) -> None:
        path = tmp_path / "1-lamp.patch"
        path.write_text(patch("1", "on", "off"))
        mutant = Mutant(path)
        assert mutant.known_tests == []
        for tests in (["tests/test_a.py::test[two words]", "b", "b"], ["c"]):
            mutant.keep(tests)
            assert mutant.known_tests == list(dict.fromkeys(tests))
        assert mutant.sentence == "Breaks 1."
        assert path.read_text() == patch("1", "on", "off").replace("Breaks 1.\n", "Breaks 1.\nCaught by c\n")

    @pytest.mark.slow
    @pytest.mark.parametrize("known", ["tests/test_lamp.py::test_is_on", "tests/test_lamp.py::test_renamed"])
    def test_run_first(self, copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, known: str) -> None:
        path = tmp_path / "security/1-lamp.patch"
        path.parent.mkdir()
        path.write_text(patch("1", "def is_on(): return True", "def is_on(): return False"))
        Mutant(path).keep([known])
        ran: list[object] = []
        run = mutants.run_marked_tests

        def noted(*arguments: Any, runs: list[list[object]], **options: Any) -> object:
            ran.extend(runs)
            return run(*arguments, runs=runs, **options)

        monkeypatch.setattr(mutants, "run_marked_tests", noted)
        assert list(verdict_on(Mutant(path), copy).tests) == ["tests/test_lamp.py::test_is_on"]
        assert ran == [[known]] if known.endswith("is_on") else ran == [[known], ["tests"]]


class TestEveryPromise:
    def test_has_a_mutant(self) -> None:
        assert mutants.without_mutant() == set()


class TestEveryMutant:
    @pytest.mark.parametrize("mutant", mutants.all_mutants(), ids=lambda mutant: mutant.name)
    def test_applies_to_this_source_and_says_what_it_breaks(self, mutant: Mutant) -> None:
        checked = mutants.apply(mutant.path, PROJECT, "--check")
        assert checked.returncode == 0, checked.stderr
        assert mutant.sentence.endswith(".")
        assert "\n\ndiff --git a/" in mutant.path.read_text(), "`keep` looks for this"
        _, items = LISTS[mutant.list_name]
        assert set(mutant.items) <= set(range(1, len(items) + 1))
