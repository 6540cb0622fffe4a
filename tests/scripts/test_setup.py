"""Setup repeats a step when its inputs have changed, and never treats an interrupted step as done."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import setup

PROJECT = Path(__file__).parents[2]


class Step:
    """A setup step that creates a folder from one file."""

    def __init__(self, folder: Path) -> None:
        self.source = folder / "source"
        self.source.write_text("first")
        self.stamp = folder / "made/stamp"
        self.times = 0
        self.fails = False

    def run(self) -> int:
        """Returns how often the step has run."""
        setup.step("Step", self._action, self.stamp, [self.source])
        return self.times

    def _action(self) -> None:
        if self.fails:
            raise KeyboardInterrupt
        self.times += 1


@pytest.fixture
def step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Step:
    monkeypatch.setattr(setup, "PROJECT", tmp_path)
    return Step(tmp_path)


class TestStep:
    def test_is_done_once(self, step: Step) -> None:
        assert [step.run(), step.run()] == [1, 1]

    def test_is_done_again_when_its_source_has_changed(self, step: Step) -> None:
        step.run()
        step.source.write_text("second")
        assert step.run() == 2

    def test_is_done_again_when_what_it_made_is_gone(self, step: Step) -> None:
        step.run()
        step.stamp.unlink()
        assert step.run() == 2

    def test_is_done_again_after_an_interruption_also_when_the_source_is_as_before(self, step: Step) -> None:
        step.run()
        step.source.write_text("second")
        step.fails = True
        with pytest.raises(KeyboardInterrupt):
            step.run()
        step.source.write_text("first")
        step.fails = False
        assert step.run() == 2


class TestIndex:
    def test_uv_uses_the_index_that_the_environment_sets_for_pip(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("UV_DEFAULT_INDEX", raising=False)
        monkeypatch.setenv("PIP_INDEX_URL", "https://index.example.org/simple")
        assert setup.uv_environment()["UV_DEFAULT_INDEX"] == "https://index.example.org/simple"


class TestLockedEntry:
    LOCK = "aiosmtplib==5.1.3 \\\n    --hash=sha256:ab\nuv==0.13.8 \\\n    --hash=sha256:01 \\\n    --hash=sha256:02\nuvicorn==0.61.0 \\\n    --hash=sha256:03\n"

    @pytest.fixture(autouse=True)
    def lock(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "requirements.lock").write_text(self.LOCK)
        monkeypatch.setattr(setup, "LOCK", tmp_path / "requirements.lock")

    def test_is_the_version_with_all_its_hashes_and_nothing_else(self) -> None:
        assert setup.locked_entry("uv") == "uv==0.13.8 \\\n    --hash=sha256:01 \\\n    --hash=sha256:02"

    def test_a_package_that_is_not_locked_stops_setup(self) -> None:
        with pytest.raises(setup.SetupFailed, match=r"requirements\.lock does not list pip\."):
            setup.locked_entry("pip")


class TestMissing:
    def test_a_missing_node_is_reported_in_one_message(self, tmp_path: Path) -> None:
        environment = {**os.environ, "PATH": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, PROJECT / "scripts/setup.py", "app"], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 1
        assert done.stderr.startswith("Fundwright needs Node.js 20.19 or newer with npm") and done.stderr.count("\n") == 1
