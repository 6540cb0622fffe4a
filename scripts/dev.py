"""Serves the application, rebuilds the web client when it changes, and restarts the server when a file that it loads at startup
changes.

Open pages reconnect at their URL and keep their input. If the server fails to start, the error is printed, and it is started again
after the next change. `--watch` adds the folder of a package of yours, including its scripts.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from watchfiles import PythonFilter, run_process

from scripts.setup import message_catalogs

PROJECT = Path(__file__).resolve().parent.parent
FUNDWRIGHT = Path(sys.executable).parent / "fundwright"
STOP_TIMEOUT_S = 30


def main(port: int, *, watched: Sequence[Path] = (), is_web_built: bool = False) -> None:
    bundler = None if is_web_built else subprocess.Popen(["npm", "run", "--silent", "build", "--", "--watch"], cwd=PROJECT)
    try:
        run_process(
            PROJECT / "src",
            PROJECT / "components",
            *watched,
            target=shlex.join([str(FUNDWRIGHT), "serve", "--port", str(port)]),
            target_type="command",
            watch_filter=PythonFilter(extra_extensions=(".po", ".js")),
            callback=lambda _: message_catalogs(),
            sigint_timeout=STOP_TIMEOUT_S,
        )
    finally:
        if bundler:
            bundler.terminate()
            bundler.wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--watch", type=Path, action="append", default=[], metavar="FOLDER", help="a package of yours")
    parser.add_argument("--web-is-built", action="store_true", help="leave the web client as it is")
    options = parser.parse_args()
    os.chdir(PROJECT)
    main(options.port, watched=options.watch, is_web_built=options.web_is_built)
