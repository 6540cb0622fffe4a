"""`make pains` and `make security` run the marked tests and print the results for each item."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts import checklists
from scripts.checklists import Result, by_item, run_marked_tests, state_of

TESTS = """
import pytest

@pytest.mark.pain(1)
@pytest.mark.parametrize("n", (1, 2))
def test_works(n): ...

@pytest.mark.pain(1, 2)
def test_fails(): assert False

@pytest.mark.pain(3)
@pytest.mark.skip(reason="what it needs is not on this machine")
def test_is_skipped(): assert False

@pytest.fixture
def broken():
    yield
    raise RuntimeError

@pytest.mark.pain(4)
def test_fails_at_its_end(broken): ...

@pytest.mark.security(1)
def test_is_about_something_else(): assert False
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "test_marked.py").write_text(TESTS)
    return tmp_path


class TestRunMarkedTests:
    def test_runs_only_marked_tests(self, folder: Path) -> None:
        found = by_item(run_marked_tests("pain", runs=[[folder]]))
        assert {item: sorted(str(result.outcome) for result in results) for item, results in found.items()} == {
            1: ["failed", "passed", "passed"], 2: ["failed"], 3: ["skipped"], 4: ["failed"],
        }  # fmt: skip

    @pytest.mark.slow
    def test_only_collects_on_request(self, folder: Path) -> None:
        [found] = run_marked_tests("security", "--collect-only", runs=[[folder]])
        assert found.test.endswith("::test_is_about_something_else") and found.outcome is None


class TestState:
    @pytest.mark.parametrize(
        ("outcomes", "state"),
        [
            (["passed"], "1 test passed"),
            (["passed", "passed", "skipped"], "2 tests passed, 1 skipped"),
            (["passed", "failed"], "FAILED: test 1"),
            (["skipped"], "no test, 1 skipped"),
            ([], "no test"),
        ],
    )
    def test_is_one_line(self, outcomes: list[str], state: str) -> None:
        assert state_of([Result(1, f"test {n}", outcome) for n, outcome in enumerate(outcomes)]) == state


def set_results(monkeypatch: pytest.MonkeyPatch, *found: Result) -> None:
    monkeypatch.setattr(checklists, "run_marked_tests", lambda _marker: list(found))


class TestPains:
    def test_prints_a_line_for_each_item(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        set_results(monkeypatch, *(Result(item, "test", "passed") for item in range(1, 21)))
        assert checklists.main("pains")
        assert len([line for line in capsys.readouterr().out.splitlines() if line.endswith("1 test passed")]) == 20

    @pytest.mark.parametrize("outcome", ["failed", "skipped"])
    def test_fails_if_one_item_has_no_passing_test(self, monkeypatch: pytest.MonkeyPatch, outcome: str) -> None:
        set_results(monkeypatch, *(Result(item, "test", "passed") for item in range(1, 20)), Result(20, "test", outcome))
        assert not checklists.main("pains")


class TestSecurity:
    def test_names_the_tests_of_each_promise_and_fails_for_one_without_a_test(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        set_results(monkeypatch, Result(1, "a.py::test[x]", "passed"), Result(1, "a.py::test[y]", "passed"))
        assert not checklists.main("security")
        first, name, *others = capsys.readouterr().out.splitlines()
        assert first.endswith("2 tests passed") and name.strip() == "a.py::test"
        assert len(others) == len(checklists.PROMISES) - 1 and all(line.endswith("no test") for line in others)

    def test_fails_if_a_test_fails(self, monkeypatch: pytest.MonkeyPatch) -> None:
        every = [Result(item, "test", "passed") for item in range(1, len(checklists.PROMISES) + 1)]
        set_results(monkeypatch, *every)
        assert checklists.main("security")
        set_results(monkeypatch, *every, Result(1, "test", "failed"))
        assert not checklists.main("security")
