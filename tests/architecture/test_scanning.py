"""Scanners of untrusted text take linear time, and one function writes the cells of all exports."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
_CPU_SECONDS = 20
"""The linear scanners need less than a second for these texts; quadratic ones need more than five minutes."""

_SCANNERS = {
    "a description's plain text": "from fundwright.opportunities.reading import plain_text as scan",
    "a stream's citations": "from fundwright.generation.citing import CitationStream; scan = CitationStream(int).feed",
    "the sentences that a claim rests on": (
        "from fundwright.generation.citing import quotes_in; scan = lambda text: quotes_in(text, ['one claim'])"
    ),
}
_TEXTS = {
    "spaces": "' ' * 1_000_000 + 'x'",
    "spaces after an entity": "'&amp;' + ' ' * 1_000_000 + 'x'",
    "tabs": "'&amp;' + chr(9) * 1_000_000 + 'x'",
    "blank lines": "chr(10) * 1_000_000 + 'x'",
    "brackets": "'[' * 1_000_000",
}


@pytest.mark.parametrize("text", _TEXTS.values(), ids=_TEXTS)
@pytest.mark.parametrize("scanner", _SCANNERS.values(), ids=_SCANNERS)
def test_a_megabyte_of_hostile_text_is_scanned_in_linear_time(scanner: str, text: str) -> None:
    pytest.importorskip("resource")
    code = f"import resource; resource.setrlimit(resource.RLIMIT_CPU, ({_CPU_SECONDS},) * 2); {scanner}; scan({text})"
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr or f"killed after {_CPU_SECONDS} s of CPU time"


def test_one_module_writes_csv() -> None:
    """Only there are cells that a spreadsheet would run as formulas made text."""
    writers = {
        path.relative_to(PROJECT).as_posix()
        for path in (PROJECT / "src").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in ("writer", "DictWriter") and ast.unparse(node.value) == "csv"
    }
    assert writers == {"src/fundwright/core/spreadsheets.py"}
