"""Serves, rebuilds the web client when it changes, and starts the server anew when a Python file changes."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
FUNDWRIGHT = Path(sys.executable).parent / "fundwright"
LOOK_EVERY_S = 0.5


def main(port: int) -> None:
    bundler = subprocess.Popen(["npm", "run", "--silent", "build", "--", "--watch"], cwd=PROJECT)
    server = None
    seen = None
    try:
        while True:
            found = newest_change()
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


def newest_change() -> tuple[int, float]:
    """How many Python files there are, and when the newest was written."""
    times = [path.stat().st_mtime for folder in ("src", "components") for path in (PROJECT / folder).rglob("*.py")]
    return len(times), max(times)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8000)
    main(parser.parse_args().port)
