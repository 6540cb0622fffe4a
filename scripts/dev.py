"""Serves, rebuilds the web client when it changes, and starts the server anew when a Python file changes.

Open pages come back by themselves, where they were and with what was typed. A server that does not start says why and is started
again at the next change. `--watch` adds the folder of a package of yours, whose scripts count too.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
FUNDWRIGHT = Path(sys.executable).parent / "fundwright"
LOOK_EVERY_S = 0.5


def main(port: int, *, watched: Sequence[Path] = (), is_web_built: bool = False) -> None:
    bundler = None if is_web_built else subprocess.Popen(["npm", "run", "--silent", "build", "--", "--watch"], cwd=PROJECT)
    server = None
    seen = None
    try:
        while True:
            found = newest_change(watched)
            if found != seen:
                if server:
                    server.terminate()
                    server.wait()
                server = subprocess.Popen([FUNDWRIGHT, "serve", "--port", str(port)], cwd=PROJECT)
                seen = found
            time.sleep(LOOK_EVERY_S)
    except KeyboardInterrupt:
        pass
    finally:
        for process in (bundler, server):
            if process:
                process.terminate()
                process.wait()


def newest_change(watched: Sequence[Path]) -> tuple[int, float]:
    """How many files there are that the server reads at its start, and when the newest was written."""
    ours = [path for folder in ("src", "components") for path in (PROJECT / folder).rglob("*.py")]
    others = [path for folder in watched for kind in ("*.py", "*.js") for path in folder.rglob(kind)]
    times = [path.stat().st_mtime for path in (*ours, *others) if path.exists()]
    return len(times), max(times)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--watch", type=Path, action="append", default=[], metavar="FOLDER", help="a package of yours")
    parser.add_argument("--web-is-built", action="store_true", help="leave the web client as it is")
    options = parser.parse_args()
    main(options.port, watched=options.watch, is_web_built=options.web_is_built)
