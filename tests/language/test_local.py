from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path
from statistics import median

import pytest

from fundwright.core.settings import Settings
from fundwright.language.local import OnnxEmbedder
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


@pytest.mark.security(53)
def test_other_threads_run_while_a_long_text_is_tokenized() -> None:
    """They would not during a call that holds the interpreter's lock."""
    embedder = OnnxEmbedder(Settings.read().models / "all-MiniLM-L6-v2", id="test")

    def share_of_longest_pause() -> float:
        ended, took = threading.Event(), list[float]()

        def tokenize() -> None:
            start = time.perf_counter()
            embedder._tokens("1,234.5 " * 2_500)
            took.append(time.perf_counter() - start)
            ended.set()

        thread = threading.Thread(target=tokenize)
        longest, last = 0.0, time.perf_counter()
        thread.start()
        while not ended.is_set():
            now = time.perf_counter()
            longest, last = max(longest, now - last), now
        thread.join()
        return longest / took[0]

    assert median(share_of_longest_pause() for _ in range(15)) < 0.5
