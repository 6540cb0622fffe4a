"""`make test`."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts import check

_ONCE = """
from pathlib import Path

def test_is_late_once():
    seen = Path(__file__).with_name("seen")
    was_seen = seen.exists()
    seen.touch()
    assert was_seen
"""
_ALWAYS = "\ndef test_fails():\n    assert False\n"
_MANY = """
import pytest

@pytest.mark.parametrize("number", range(6))
def test_fails_once(number):
    from pathlib import Path
    seen = Path(__file__).with_name(str(number))
    was_seen = seen.exists()
    seen.touch()
    assert was_seen
"""
_CRASH = "\ndef test_ends_everything():\n    import pytest\n    pytest.exit('lost', returncode=3)\n"


@pytest.fixture(autouse=True)
def _own_logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "LOGS", tmp_path / "logs")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # importing all plug-ins takes four fifths of a run
    monkeypatch.setenv("PYTEST_PLUGINS", "xdist.plugin")


def _passes(tmp_path: Path, tests: str) -> bool:
    (tmp_path / "test_some.py").write_text(tests)
    return check.main([check.pytest("some", str(tmp_path / "test_some.py"), f"--rootdir={tmp_path}", "-c", "/dev/null")])


def test_names_a_test_that_passes_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _passes(tmp_path, _ONCE)
    assert "passed when run again: test_some.py::test_is_late_once" in capsys.readouterr().out


@pytest.mark.parametrize("tests", [_ALWAYS, _ONCE + _ALWAYS, _MANY, _ONCE + _CRASH], ids=["always", "one", "many", "crash"])
def test_fails_when(tmp_path: Path, tests: str) -> None:
    assert not _passes(tmp_path, tests)
