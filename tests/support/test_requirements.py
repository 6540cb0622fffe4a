from __future__ import annotations

import subprocess
from typing import Any

import pytest

from tests.soak.__main__ import passes
from tests.support.requirements import REQUIRED, missing

_SENTENCE = "PgBouncer is missing: apt-get install pgbouncer"


def test_what_is_missing_skips_a_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(REQUIRED, raising=False)
    with pytest.raises(pytest.skip.Exception, match=_SENTENCE):
        missing(_SENTENCE)


def test_what_is_missing_fails_in_soak(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(_command: object, *, env: dict[str, str], **_options: Any) -> subprocess.CompletedProcess[bytes]:
        monkeypatch.setenv(REQUIRED, env[REQUIRED])
        return subprocess.CompletedProcess((), 0)

    monkeypatch.setattr(subprocess, "run", run)
    assert passes("tests", "-m", "slow")
    with pytest.raises(pytest.fail.Exception, match=_SENTENCE):
        missing(_SENTENCE)
