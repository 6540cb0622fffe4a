"""Runs the tests that prove the items of a list, `security` or `pains`, and says of each item what became of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

PROJECT = Path(__file__).resolve().parent.parent
FOLDERS = ("tests", "e2e")  # not in one run: the browser's loop and that of asynchronous tests cannot be one
PROMISES = (
    "After four wrong passwords even the right one is refused, with the same text",
    "A ban is for an account or an address, and ends by itself",
    "Wrong passwords are counted across restarts and workers",
    "A forged X-Forwarded-For does not change who is counted",
    "A known and an unknown user cost one hash each",
    "A known and an unknown user take the same time",
    "Sign-up, reset, resend and invitation say the same of every address",
    "Letters can be asked for only so often",
    "There is no default account; the first administrator needs a secret",
    "Passwords: 8 characters and more, never cut, case kept",
    "No rules of composition; managers and pasting work",
    "Passwords that everybody tries are refused",
    "Changing a password needs the current one",
    "argon2id; old hashes are renewed at the next sign-in",
    "An administrator starts a reset and never sees the password",
    "A reset link is random, hashed, short-lived, for one use, on our own host",
    "The session is a new one after each sign-in; a planted one is useless",
    "Signing out ends the session on the server",
    "Another password ends the other sessions",
    "Disabling or deleting an account ends its sessions at once",
    "A role change counts at the next request and the next event",
    "A token is replaced; an old copy ends the session",
    "A session ends without use, and ends at last",
    "People see and end their sessions; administrators anybody's",
    "The cookie: __Host-, Secure, HttpOnly, SameSite, Path=/",
    "A sensitive change asks for the password again and is told by letter",
    "The socket refuses a foreign, null or missing origin",
    "Allowed origins are configured, not taken from Host",
    "Without a session nothing private runs",
    "Ending a session closes its sockets; their next frame is refused",
    "Each event is checked again; what is on another page cannot be pressed",
    "A reconnect goes on with the same person's page only",
    "Frames, events and sockets have bounds, and say so",
    "A sign-in over the socket is handed over by a one-time code",
    "A content security policy without unsafe-inline or unsafe-eval",
    "nosniff, Referrer-Policy, COOP, HSTS; signed-in pages are not kept",
    "Changes come from our own pages; no GET changes anything",
    "The way back after signing in stays on this site",
    "Text from models, files and people is rendered by an allow-list",
    "What belongs to somebody else is not found, by any id",
    "Retrieval asks for the owner's passages alone",
    "Uploads: by content, bounded, without paths, within a quota",
    "Outbound requests reach only what is configured",
    "API keys: shown once, hashed, scoped, expiring, revocable",
    "The audit trail: complete, append-only, no secrets, no forged lines",
    "An error shows an id, never a trace",
    "When the database is down, nobody gets in",
)
REGRESSIONS = (
    "A lost connection takes what was done with it",
    "A proxy that cuts idle sockets loads the page anew",
    "A laptop that slept finds a blank page",
    "A login that ended shows Reconnecting for ever",
    "A restart of the server empties forms",
    "Fast typing loses characters or the cursor",
    "Clicks are lost while the page changes",
    "A double click makes two records",
    "One call that blocks freezes everybody",
    "Memory grows with each page that was open",
    "A second process does not know the page",
    "One person is shown what belongs to another",
    "A script of another site opens the socket",
    "The socket outlives signing out and roles",
    "The address is out of step with the page",
    "A change makes the page flicker or scroll",
    "Uploads are held in memory",
    "A long table is sent whole",
    "A message too long kills the socket, for ever",
    "A proxy or a path prefix breaks the socket",
)
LISTS = {"security": ("security", PROMISES), "pains": ("pain", REGRESSIONS)}
"""The marker and the items of each list."""


class Proof(NamedTuple):
    item: int
    test: str
    outcome: str | None
    """passed, failed or skipped; None when it was only collected."""


def main(what: str) -> bool:
    """Returns whether every item of the list has a test that passed and none that failed."""
    marker, items = LISTS[what]
    proofs = by_item(gather(marker))
    tell(items, proofs)
    return all(is_proved(proofs[item]) for item in range(1, len(items) + 1))


def tell(items: Sequence[str], proofs: Mapping[int, Sequence[Proof]]) -> None:
    width = max(map(len, items)) + 2
    for item, sentence in enumerate(items, start=1):
        print(f"  {item:>3}  {sentence:<{width}}{state_of(proofs.get(item, ()))}")
        for name in dict.fromkeys(proof.test.partition("[")[0] for proof in proofs.get(item, ())):
            print(f"         {name}")


def state_of(proofs: Sequence[Proof]) -> str:
    failed, passed, skipped = (
        [proof.test for proof in proofs if proof.outcome == outcome] for outcome in ("failed", "passed", "skipped")
    )
    if failed:
        return f"FAILED: {', '.join(failed)}"
    if not passed:
        return "no test" + (f", {len(skipped)} skipped" if skipped else "")
    return f"{len(passed)} test{'s' if len(passed) > 1 else ''} passed" + (f", {len(skipped)} skipped" if skipped else "")


def is_proved(proofs: Sequence[Proof]) -> bool:
    outcomes = {proof.outcome for proof in proofs}
    return "passed" in outcomes and "failed" not in outcomes


def by_item(proofs: Iterable[Proof]) -> dict[int, list[Proof]]:
    sorted_out: dict[int, list[Proof]] = defaultdict(list)
    for proof in proofs:
        sorted_out[proof.item].append(proof)
    return sorted_out


def gather(
    marker: str,
    *options: str,
    runs: Iterable[Sequence[str | Path]] = tuple((folder,) for folder in FOLDERS),
    project: Path = PROJECT,
    is_quiet: bool = False,
) -> list[Proof]:
    """Run the tests of `project` that carry the marker: for each element of `runs`, those in its folders or with its names.

    If tests fail, the output of pytest is printed to stderr.
    """
    proofs: list[Proof] = []
    for paths in runs:
        with TemporaryDirectory(prefix="fundwright-proofs-") as scratch:
            Path(scratch).chmod(0o755)  # the embedded PostgreSQL of root runs as another user
            found = Path(scratch) / "proofs.json"
            done = subprocess.run(
                [sys.executable, "-m", "pytest", "-q", "-c", "pyproject.toml", "-p", "tests.support.plugins",
                 "--proofs", marker, found, *options, *paths],
                cwd=project, capture_output=True, text=True, check=False,
                env={**os.environ, "PYTHONPATH": f"{project / 'src'}:{project / 'components'}", "PYTEST_DEBUG_TEMPROOT": scratch},
            )  # fmt: skip
            if done.returncode and not is_quiet:
                print(done.stdout, done.stderr, file=sys.stderr)
            if found.exists():
                proofs += [Proof(*proof) for proof in json.loads(found.read_text())]
    return proofs


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1]) else 1)
