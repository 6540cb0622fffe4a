"""Takes the models of text recognition, PP-OCRv6, out of the wheel of rapidocr, and checks their hashes. `scripts/setup.py` does this once.

None of the wheel's code is used: `fundwright.reading.recognition` runs the models.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from fundwright.core.errors import FundwrightError
from scripts.weights import find

NAME = "PP-OCRv6"
FILES = {
    "detector.onnx": ("PP-OCRv6_det_small.onnx", "090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f"),
    "recognizer.onnx": ("PP-OCRv6_rec_small.onnx", "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884"),
    "LICENSE": ("LICENSE", "3e0af25fdd06aa9586ae97adb00ea927ebe5a3805ac77d2d3a81ce5f55693333"),
}
"""Our name of each file, its name in the wheel, and its SHA-256."""


def unpack(source: Path, models: Path) -> Path:
    """Copy the files from below `source` to `models`/PP-OCRv6, atomically. Raises WrongWeights if one is missing or differs."""
    files = {name: find(source, original, sha256) for name, (original, sha256) in FILES.items()}
    models.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=models, prefix="incoming-") as folder:
        target, final = Path(folder) / NAME, models / NAME
        target.mkdir()
        for name, path in files.items():
            shutil.copyfile(path, target / name)
        if final.exists():
            final.replace(Path(folder) / "old")
        target.replace(final)
    return final


def main() -> int:
    parser = argparse.ArgumentParser(description="Takes the models of text recognition out of the wheel of rapidocr.")
    parser.add_argument("models", type=Path, help=f"folder that receives {NAME}")
    parser.add_argument("source", type=Path, help="folder below which the unpacked wheel lies")
    arguments = parser.parse_args()
    try:
        unpack(arguments.source, arguments.models)
    except FundwrightError as error:
        sys.stderr.write(f"{error.sentence}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
