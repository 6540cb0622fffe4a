"""A change of the checker reaches sections that were checked before only if `claims.CHECKER` is raised."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import fundwright
from fundwright.generation.claims import CHECKER

PACKAGE = Path(fundwright.__file__).parent
SOURCES = (
    *(PACKAGE / "generation" / name for name in ("checking.py", "claims.py", "normalizing.py")),
    *(PACKAGE / "reading" / name for name in ("records.py", "sentences.py", "unit_symbols.py", "units.py")),
)
RECORDED = (7, "566669b021b3bf13")
"""The version of the checker, and the digest of its sources."""


def test_a_changed_checker_has_a_new_version() -> None:
    digest = sha256(b"".join(path.read_bytes() for path in SOURCES)).hexdigest()[:16]
    assert (CHECKER, digest) == RECORDED, (
        "The checker has changed. If any verdict may be different, raise `CHECKER` in generation/claims.py, so that kept checks are "
        f"made again. In each case, record the version and {digest!r} here."
    )
