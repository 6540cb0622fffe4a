"""Writes the names, versions, and hashes of all locked Python and npm packages to var/sbom, as CycloneDX files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
FOLDER = PROJECT / "var/sbom"
PYTHON = ("-m", "cyclonedx_py", "requirements", "requirements.lock", "--pyproject", "pyproject.toml", "--output-reproducible")
NPM = ("npm", "sbom", "--package-lock-only", "--sbom-format", "cyclonedx", "--sbom-type", "application")


def main(folder: Path = FOLDER) -> None:
    """Write `python.cdx.json` and `npm.cdx.json`."""
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / "python.cdx.json", sys.executable, *PYTHON)
    write(folder / "npm.cdx.json", *NPM)


def write(path: Path, *command: str) -> None:
    done = subprocess.run(command, cwd=PROJECT, stdout=subprocess.PIPE, check=True)
    path.write_bytes(done.stdout)
    print(path)


if __name__ == "__main__":
    main()
