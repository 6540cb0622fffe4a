"""`make pains` and `make security` run what is marked and say of each item what became of its tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts import proofs
from scripts.proofs import Proof, by_item, gather, state_of

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


class TestGather:
    def test_runs_what_is_marked(self, folder: Path) -> None:
        found = by_item(gather("pain", runs=[[folder]]))
        assert {item: [proof.outcome for proof in proofs] for item, proofs in found.items()} == {
            1: ["passed", "passed", "failed"], 2: ["failed"], 3: ["skipped"], 4: ["failed"],
        }  # fmt: skip

    def test_only_lists_when_told_so(self, folder: Path) -> None:
        [found] = gather("security", "--collect-only", runs=[[folder]])
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
        assert state_of([Proof(1, f"test {n}", outcome) for n, outcome in enumerate(outcomes)]) == state


def prove(monkeypatch: pytest.MonkeyPatch, *found: Proof) -> None:
    monkeypatch.setattr(proofs, "gather", lambda _marker: list(found))


class TestPains:
    def test_all_of_them_have_a_line(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        prove(monkeypatch, *(Proof(item, "test", "passed") for item in range(1, 21)))
        assert proofs.main("pains")
        assert len([line for line in capsys.readouterr().out.splitlines() if line.endswith("1 test passed")]) == 20

    @pytest.mark.parametrize("outcome", ["failed", "skipped"])
    def test_one_that_is_not_proved_absent_fails_all(self, monkeypatch: pytest.MonkeyPatch, outcome: str) -> None:
        prove(monkeypatch, *(Proof(item, "test", "passed") for item in range(1, 20)), Proof(20, "test", outcome))
        assert not proofs.main("pains")


class TestSecurity:
    def test_names_the_tests_of_each_promise_and_fails_for_one_without_a_test(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        prove(monkeypatch, Proof(1, "a.py::test[x]", "passed"), Proof(1, "a.py::test[y]", "passed"))
        assert not proofs.main("security")
        first, name, *others = capsys.readouterr().out.splitlines()
        assert first.endswith("2 tests passed") and name.strip() == "a.py::test"
        assert len(others) == 46 and all(line.endswith("no test") for line in others)

    def test_a_test_that_fails_fails(self, monkeypatch: pytest.MonkeyPatch) -> None:
        every = [Proof(item, "test", "passed") for item in range(1, 48)]
        prove(monkeypatch, *every)
        assert proofs.main("security")
        prove(monkeypatch, *every, Proof(1, "test", "failed"))
        assert not proofs.main("security")
