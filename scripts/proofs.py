"""Which items of a list tests prove: `security` lists the tests of each, `pains` runs them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

PROJECT = Path(__file__).resolve().parent.parent
FOLDERS = ("tests", "e2e")  # not in one run: the browser's loop and that of asynchronous tests cannot be one
SECURITY_ITEMS = range(1, 48)
PAINS = (
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


class Proof(NamedTuple):
    item: int
    test: str
    outcome: str | None
    """passed, failed or skipped; None when it was only collected."""


def main(what: str) -> bool:
    """Answers whether all is well; a list never says otherwise."""
    if what == "pains":
        return print_pains()
    print_security()
    return True


def print_security() -> None:
    proofs = by_item(gather("security", "--collect-only"))
    for item in SECURITY_ITEMS:
        first, *others = [proof.test for proof in proofs[item]] or ["no test"]
        print(f"  {item:>3}  {first}" + (f" and {len(others)} more" if others else ""))


def print_pains() -> bool:
    proofs = by_item(gather("pain"))
    for item, pain in enumerate(PAINS, start=1):
        print(f"  {item:>3}  {pain:<52}{state_of(proofs[item])}")
    return all(is_proved(proofs[item]) for item in range(1, len(PAINS) + 1))


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


def gather(marker: str, *options: str, folders: Iterable[str | Path] = FOLDERS) -> list[Proof]:
    """Run the tests that carry the marker. What pytest says is printed, to stderr, when it is not content."""
    proofs: list[Proof] = []
    for folder in folders:
        with TemporaryDirectory(prefix="fundwright-proofs-") as scratch:
            found = Path(scratch) / "proofs.json"
            done = subprocess.run(
                [sys.executable, "-m", "pytest", "-q", "-c", "pyproject.toml", "-p", "tests.plugins",
                 "--proofs", marker, found, *options, folder],
                cwd=PROJECT, capture_output=True, text=True, check=False,
            )  # fmt: skip
            if done.returncode:
                print(done.stdout, done.stderr, file=sys.stderr)
            if found.exists():
                proofs += [Proof(*proof) for proof in json.loads(found.read_text())]
    return proofs


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1]) else 1)
