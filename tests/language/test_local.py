from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fundwright.core.settings import Settings
from tests.support.python_path import python_path

LOAD = """
import sys
from pathlib import Path
from fundwright.language.local import OnnxEmbedder
OnnxEmbedder(Path(sys.argv[1]), id="test")
"""


@pytest.mark.security(43)
def test_loading_the_model_leaves_nothing_in_the_home_folder(tmp_path: Path) -> None:
    """onnxruntime writes a device id and a database of events there when it reports to its maker. It does not where a variable says that
    the machine runs tests, so the process gets none of them."""
    subprocess.run(
        [sys.executable, "-c", LOAD, Settings.read().models / "all-MiniLM-L6-v2"],
        env={"HOME": str(tmp_path), **python_path()},
        check=True,
    )
    assert list(tmp_path.iterdir()) == []
