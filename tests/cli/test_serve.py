"""What `fundwright serve` refuses before it opens anything."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def test_a_prefix_that_is_not_that_of_the_public_url(tmp_path: Path) -> None:
    done = subprocess.run(
        [Path(sys.executable).parent / "fundwright", "--data", tmp_path / "data", "serve", "--port", "0", "--root-path", "other/"],
        capture_output=True, text=True, check=False, timeout=60,
        env=os.environ | {"FUNDWRIGHT_PUBLIC_URL": "https://fundwright.test/app/"},
    )  # fmt: skip
    assert done.returncode != 0
    assert "--root-path /other is not the path of FUNDWRIGHT_PUBLIC_URL, https://fundwright.test/app." in done.stderr
    assert not (tmp_path / "data").exists()
