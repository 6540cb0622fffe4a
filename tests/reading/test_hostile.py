"""Hostile files, FUNDWRIGHT_SOAK_FILES of them for each reader (a few by default), in the sandbox with the limits of the product.

Each is read or refused with a sentence: no other error, no crash, no more than the memory and time that a document may take. Nothing can be written there, see
tests/core/test_sandbox.py.
"""

from __future__ import annotations

import json
import os
import secrets
from collections import Counter
from functools import cache, partial
from itertools import islice
from pathlib import Path

import pytest

from fundwright.core.assembly import Core
from fundwright.reading.formats import Unreadable
from fundwright.training.extraction import LIMITS
from tests.reading import hostile
from tests.reading.samples import samples

FILES = int(os.environ.get("FUNDWRIGHT_SOAK_FILES", "0"))
_FEW, _BATCH = 4, 50
_CASES = Path(__file__).parent.parent.parent.parent / "shared/cases/documents"
_LARGEST_CASE_BYTES = 200_000


@cache
def _samples() -> dict[str, list[bytes]]:
    found = dict[str, list[bytes]]()
    for suffix, content in samples():
        found.setdefault(suffix, []).append(content)
    for path in sorted(_CASES.glob("*")) if FILES and _CASES.is_dir() else ():
        if path.suffix in found and path.stat().st_size <= _LARGEST_CASE_BYTES:
            found[path.suffix].append(path.read_bytes())
    return found


@pytest.mark.parametrize("suffix", hostile.READERS)
async def test_every_file_is_read_or_refused(core: Core, suffix: str) -> None:
    ends, wrong = Counter[str](), list[str]()
    start = secrets.randbelow(10**9) if FILES else 0
    batches = hostile.numbers_from(start, _BATCH if FILES else _FEW)
    for numbers in islice(batches, max(1, FILES // _BATCH)):
        while numbers:
            work = partial(hostile.try_all, suffix, _samples()[suffix], numbers)
            try:
                async for result in core.sandbox.stream(work, limits=LIMITS, name="it"):
                    found = json.loads(result)
                    ends[found["end"]] += 1
                    wrong += [f"{found['number']}: {found['wrong']}"] if found["wrong"] else []
                    numbers = numbers[1:]
            except Unreadable as ended:  # the process has, in the middle of a file
                ends["ended"] += 1
                wrong.append(f"{numbers[0]}: {ended.sentence}")
                numbers = numbers[1:]
    print(
        f"{suffix}: {sum(ends.values()):,} files from {start}: {', '.join(f'{count:,} {end}' for end, count in ends.most_common())}"
    )
    assert not wrong, f"{len(wrong)} of them:\n" + "\n".join(wrong[:20])


def test_each_sample_is_read() -> None:
    assert {(suffix, hostile.ending(content, suffix)) for suffix, content in samples()} == {
        (suffix, ("read", "")) for suffix in hostile.READERS
    }
