"""The entry point of `fundwright` and `python -m fundwright`."""

from __future__ import annotations

import gc
import signal
import sys


def main() -> None:
    """Run the command line. An expected refusal is one sentence on standard error and exit code 1; Ctrl-C ends with exit code 130,
    also while modules are imported."""
    try:
        _run()
    except KeyboardInterrupt:
        sys.stderr.write("\nCanceled.\n")
        sys.exit(128 + signal.SIGINT)


def _run() -> None:
    gc.disable()  # objects created by imports are permanent; collecting garbage during the imports would take a fifth of their time
    from fundwright.cli import app
    from fundwright.core.errors import FundwrightError

    gc.freeze()
    gc.enable()
    gc.set_threshold(20_000, 20, 50)  # collections after 5,000 objects take a twentieth of the time of painting a page
    # Python's default for SIGTERM ends the process immediately and would leave the embedded PostgreSQL behind.
    signal.signal(signal.SIGTERM, _exit)
    try:
        app()
    except FundwrightError as error:
        sys.exit(error.sentence)


def _exit(_number: int, _frame: object) -> None:
    raise SystemExit(0)


if __name__ == "__main__":
    main()
