"""The models of text recognition are those that were tried."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.recognition import FILES, unpack
from scripts.weights import WrongWeights


def test_other_models_are_refused(tmp_path: Path) -> None:
    for original, _ in FILES.values():
        (tmp_path / original).write_bytes(b"something else")
    with pytest.raises(WrongWeights, match="differs"):
        unpack(tmp_path, tmp_path / "models")
    assert not (tmp_path / "models").exists()
