"""Where the processes that tests start find modules."""

from __future__ import annotations

import os
from pathlib import Path


def python_path(*folders: Path) -> dict[str, str]:
    """The variable by which a process finds modules in `folders`, then where this process was told to look. Without the latter, the
    process would run the installed source instead of the copy that `make mutants` has broken."""
    return {"PYTHONPATH": os.pathsep.join([*map(str, folders), *filter(None, [os.environ.get("PYTHONPATH")])])}
