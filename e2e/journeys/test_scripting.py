"""The script in docs/scripting.md, run as published, with only the page objects and Playwright."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

from e2e.application import PROJECT, Application, launch_options
from e2e.conftest import EMAIL, PASSWORD
from tests.support.python_path import python_path


def test_it_signs_in_searches_and_exports(application: Application, tmp_path: Path) -> None:
    script = re.search(
        r'^```python\n("""python find\.py .*?)```', (PROJECT / "docs/scripting.md").read_text(), re.DOTALL | re.MULTILINE
    )
    assert script
    (tmp_path / "find.py").write_text(script[1])
    chromium = launch_options().get("executable_path")
    environment = {**os.environ, **python_path(PROJECT), "PASSWORD": PASSWORD} | ({"CHROMIUM": chromium} if chromium else {})
    done = subprocess.run(
        [sys.executable, "find.py", application.url, EMAIL, "maintenance", "found.csv"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    with (tmp_path / "found.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    count = re.match(r"[\d,]+", done.stdout)
    assert count
    assert int(count[0].replace(",", "")) == len(rows) > 0
