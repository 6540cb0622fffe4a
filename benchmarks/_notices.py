"""An installation with all of the real notices, for measurements in a browser."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import BrowserContext

from e2e.application import PROJECT, run_command

NOTICES = PROJECT.parent / "shared/data/sam/ContractOpportunitiesFullCSV-large.csv.gz"
EMAIL, PASSWORD = "ada@example.org", "a quiet harbor at dawn"


@contextmanager
def all_notices() -> Iterator[Path]:
    """The data folder, which is removed at the end. Ends the process if the real data is missing."""
    if not NOTICES.exists():
        print("The real data is missing; nothing was measured.")
        raise SystemExit
    with tempfile.TemporaryDirectory(prefix="fundwright-bench-") as folder:
        run_command(Path(folder), {}, "import", "sam", str(NOTICES))
        yield Path(folder)


def sign_in(context: BrowserContext) -> str:
    """Give the browser the session cookie of the account; returns its token."""
    token: str = context.request.post("/signin", data={"email": EMAIL, "password": PASSWORD}).json()["token"]
    context.request.post("/session", data={"token": token}, headers={"X-Requested-With": "fundwright"})
    return token
