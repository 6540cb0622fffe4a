"""The entry point of `fundwright`."""

from __future__ import annotations

import gc
import sys
from types import ModuleType

import pytest

from fundwright import __main__


class Interrupted(ModuleType):
    """A module that is being imported when Ctrl-C is pressed."""

    def __getattr__(self, name: str) -> object:
        raise KeyboardInterrupt


def test_ctrl_c_during_the_imports_ends_like_ctrl_c_later(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(gc, "disable", lambda: None)
    monkeypatch.setitem(sys.modules, "fundwright.cli", Interrupted("fundwright.cli"))
    with pytest.raises(SystemExit) as ended:
        __main__.main()
    assert ended.value.code == 130
    assert capsys.readouterr().err == "\nCanceled.\n"
