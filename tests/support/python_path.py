"""Module search paths for processes that tests start."""

from __future__ import annotations

import os
from pathlib import Path


def python_path(*folders: Path) -> dict[str, str]:
    """The variable that makes a process look for modules in `folders` first, then where this process looks. Without the latter, the
    process would run the installed source instead of the copy that `make mutants` has broken."""
    return {"PYTHONPATH": os.pathsep.join([*map(str, folders), *filter(None, [os.environ.get("PYTHONPATH")])])}
