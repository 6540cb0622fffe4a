"""Runs the tests of a checklist, `security` or `pains`, and prints the results for each item."""

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
FOLDERS = ("tests", "e2e")  # in separate runs, because the event loops of Playwright and of asynchronous tests conflict
PROMISES = (
    "After four wrong passwords, even the right one is refused, with the same message",
    "A ban applies to an account or an address, and ends automatically",
    "Wrong passwords are counted across restarts and processes",
    "A forged X-Forwarded-For header does not change the address that is counted",
    "A sign-in computes one password hash, whether the account exists or not",
    "A sign-in takes the same time, whether the account exists or not",
    "Registration, reset, resend, and invitation respond the same for every address",
    "The number of emails that can be requested is limited",
    "There is no default account; the first administrator needs a secret",
    "Passwords have 8 or more characters, are never truncated, and are case-sensitive",
    "No composition rules; password managers and pasting work",
    "Common passwords are refused",
    "Changing a password requires the current one",
    "Passwords are hashed with argon2id; old hashes are renewed at the next sign-in",
    "An administrator starts a reset and never sees the password",
    "A reset link is random, hashed, short-lived, single-use, and on our own host",
    "Each sign-in starts a new session; a planted one is useless",
    "Signing out ends the session on the server",
    "A password change ends the other sessions",
    "Disabling or deleting an account ends its sessions immediately",
    "A role change takes effect at the next request and the next event",
    "A session token is renewed; use of an old copy ends the session",
    "A session expires without use, and after a maximum time",
    "People see and end their own sessions, administrators anyone's",
    "The cookie: __Host-, Secure, HttpOnly, SameSite, Path=/",
    "A sensitive change requires re-authentication, and the owner is notified by email",
    "The socket refuses a foreign, null, or missing origin",
    "Allowed origins are configured, not taken from the Host header",
    "Without a session, nothing private runs",
    "Ending a session closes its sockets; their next frame is refused",
    "Each event is authorized again; controls of another page cannot be used",
    "A reconnect resumes only pages of the same person",
    "Frames, events, and sockets have limits, and their messages say so",
    "A sign-in over the socket is handed over with a one-time code",
    "A content security policy without unsafe-inline or unsafe-eval",
    "nosniff, Referrer-Policy, COOP, HSTS; signed-in pages are not cached",
    "Changes come from our own pages; no GET request changes anything",
    "The redirect after sign-in stays on this site",
    "Text from models, files, and people is rendered with an allowlist",
    "Data of other accounts is not found, by any id",
    "Searches return only the owner's passages",
    "Uploads: checked by content, limited in size, without paths, within a quota",
    "Outbound requests reach only configured hosts",
    "API tokens: shown once, hashed, scoped, expiring, revocable",
    "The audit trail: complete, append-only, no secrets, no forged entries",
    "An error shows an id, never a traceback",
    "When the database is unavailable, nobody gets access",
    "What is in the trash is not found, returns complete and once, and is deleted after 30 days",
    "Only members reach a workspace, with no more than their role, and no longer once they are removed",
    "A share link shows only what was shared, to those who may open it, and nothing once it has ended",
    "What is restricted to chosen members is hidden from all others, and so is what cites or quotes it",
    "Comments belong to the members of a workspace, who change only their own, and their text has no effect",
    "Nobody can stop anyone: the worst use of one account, guest, or address leaves others their turn",
    "What serves cannot switch off what keeps workspaces apart and the audit trail complete",
)
REGRESSIONS = (
    "A lost connection loses what was done on the page",
    "A proxy that closes idle sockets makes the page reload",
    "A laptop that wakes from sleep shows a blank page",
    "An expired session shows “Reconnecting” forever",
    "A restart of the server empties forms",
    "Fast typing loses characters or the cursor position",
    "Clicks are lost while the page changes",
    "A double click creates two records",
    "One blocking call freezes all pages",
    "Memory grows with each page that was opened",
    "A second process does not know the page",
    "One person sees another person's data",
    "A script of another site opens the socket",
    "The socket stays open after sign-out and role changes",
    "The address does not match the page",
    "A change makes the page flicker or scroll",
    "Uploads are held in memory",
    "A long table is sent as a whole",
    "A message that is too long closes the socket repeatedly",
    "A proxy or a path prefix breaks the socket",
)
LISTS = {"security": ("security", PROMISES), "pains": ("pain", REGRESSIONS)}
"""The pytest marker and the items of each checklist."""


class Result(NamedTuple):
    item: int
    test: str
    outcome: str | None
    """`passed`, `failed`, or `skipped`; None if the test was only collected."""


def main(name: str) -> bool:
    """Returns whether every item of the checklist has a test that passed and none that failed."""
    marker, items = LISTS[name]
    results = by_item(run_marked_tests(marker))
    print_results(items, results)
    return all(has_passed(results[item]) for item in range(1, len(items) + 1))


def print_results(items: Sequence[str], results: Mapping[int, Sequence[Result]]) -> None:
    width = max(map(len, items)) + 2
    for item, sentence in enumerate(items, start=1):
        print(f"  {item:>3}  {sentence:<{width}}{state_of(results.get(item, ()))}")
        for name in dict.fromkeys(result.test.partition("[")[0] for result in results.get(item, ())):
            print(f"         {name}")


def state_of(results: Sequence[Result]) -> str:
    failed, passed, skipped = (
        [result.test for result in results if result.outcome == outcome] for outcome in ("failed", "passed", "skipped")
    )
    if failed:
        return f"FAILED: {', '.join(failed)}"
    if not passed:
        return "no test" + (f", {len(skipped)} skipped" if skipped else "")
    return f"{len(passed)} test{'s' if len(passed) > 1 else ''} passed" + (f", {len(skipped)} skipped" if skipped else "")


def has_passed(results: Sequence[Result]) -> bool:
    outcomes = {result.outcome for result in results}
    return "passed" in outcomes and "failed" not in outcomes


def by_item(results: Iterable[Result]) -> dict[int, list[Result]]:
    results_by_item: dict[int, list[Result]] = defaultdict(list)
    for result in results:
        results_by_item[result.item].append(result)
    return results_by_item


def run_marked_tests(
    marker: str,
    *options: str,
    runs: Iterable[Sequence[str | Path]] = tuple((folder,) for folder in FOLDERS),
    project: Path = PROJECT,
    is_quiet: bool = False,
) -> list[Result]:
    """Run the tests of `project` that carry the marker: for each element of `runs`, those in its folders or with its names.

    If tests fail, the output of pytest is printed to stderr.
    """
    results: list[Result] = []
    for paths in runs:
        with TemporaryDirectory(prefix="fundwright-checklist-") as scratch:
            Path(scratch).chmod(0o755)  # as root, the embedded PostgreSQL runs as another user
            found = Path(scratch) / "results.json"
            done = subprocess.run(
                [sys.executable, "-m", "pytest", "-q", "-c", "pyproject.toml", "-p", "tests.support.plugins",
                 "--results", marker, found, *options, *paths],
                cwd=project, capture_output=True, text=True, check=False,
                env={**os.environ, "PYTHONPATH": f"{project / 'src'}:{project / 'components'}", "PYTEST_DEBUG_TEMPROOT": scratch},
            )  # fmt: skip
            if done.returncode and not is_quiet:
                print(done.stdout, done.stderr, file=sys.stderr)
            if found.exists():
                results += [Result(*result) for result in json.loads(found.read_text())]
    return results


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1]) else 1)
