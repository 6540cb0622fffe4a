"""Hostile files for each reader: small files, changed at random. A number stands for each, so that a failure can be repeated.

What tries them runs in a process of the sandbox, which imports this module by name.
"""

from __future__ import annotations

import io
import json
import re
import traceback
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from random import Random

from fundwright.reading import stored
from fundwright.reading.formats import HEAD_BYTES, Reader, Unreadable, read
from fundwright.reading.plugin import document_readers
from fundwright.training import extraction
from tests.fuzzing.texts import ODD, Change, changed

READERS: Mapping[str, Reader] = {reader.suffixes[0]: reader for reader in document_readers()}
"""Each reader by how the names of its files usually end."""
_OWN_CODE = str(Path(stored.__file__).parent)
_NUMBERS = (b"0", b"-1", b"2147483647", b"99999999999", b"1e309", b"0.0000001", b"NaN")
_PIECES = (b"\xff\xff\xff\xff", bytes(4), b"\xff\xff\xff\x7f", *(text.encode() for text in ODD))
_TOKEN = re.compile(rb"[A-Za-z0-9_:.#/-]{1,60}")
_OPENING = re.compile(rb"<\w[^<>/]{0,200}>|\{|\[|\(|<<|\\\w{1,20}|\|")


def hostile(number: int, suffix: str, samples: Sequence[bytes]) -> bytes:
    """The file with this number. Its reader recognizes it."""
    chance = Random(f"{suffix} {number}")
    while True:
        content = chance.choice(samples)
        content = _with_changed_parts(content, chance) if zipfile.is_zipfile(io.BytesIO(content)) else _changed(content, chance)
        if READERS[suffix].recognizes(content[:HEAD_BYTES], f"a{suffix}"):
            return content


def _with_changed_parts(content: bytes, chance: Random) -> bytes:
    """A package with parts that are changed, missing, or replaced by others, or with damage of the package itself."""
    if chance.random() < 0.1:
        return _changed(content, chance)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
    except (OSError, ValueError, zipfile.BadZipFile):
        return _changed(content, chance)
    for name in chance.choices(list(parts), k=chance.choice((1, 1, 1, 2, 3))):
        kind = chance.random()
        if kind < 0.05:
            parts.pop(name, None)
        elif kind < 0.1 and parts:
            parts[name] = chance.choice(list(parts.values()))
        elif name in parts:
            parts[name] = _changed(parts[name], chance)
    with zipfile.ZipFile(target := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            stored_as = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            archive.writestr(name, part, stored_as)
    return target.getvalue()


def _changed(content: bytes, chance: Random) -> bytes:
    """Content with damaged bytes, with words and numbers in the place of others, or with what opens something a thousand times."""
    kind, tokens = chance.random(), list(_TOKEN.finditer(content))
    if kind < 0.3 or not tokens:
        return changed(content, [_change(chance) for _ in range(chance.choice((1, 1, 2, 6)))])
    if kind < 0.9 or not (openings := list(_OPENING.finditer(content))):
        for _ in range(chance.choice((1, 1, 2, 4))):
            old = chance.choice(tokens)[0]
            others = [chance.choice(tokens)[0] for _ in range(20)]
            new = chance.choice(_NUMBERS if old.isdigit() and chance.random() < 0.5 else [*others, chance.choice(_PIECES)])
            content = content.replace(old, new, chance.choice((1, 1, 3, -1)))
        return content
    opening = chance.choice(openings)
    return content[: opening.start()] + opening[0] * chance.choice((2, 20, 300, 3_000)) + content[opening.start() :]


def _change(chance: Random) -> Change:
    piece = chance.choice([chance.randbytes(chance.randint(0, 16)), chance.choice(_PIECES)])
    return chance.randrange(2**20), chance.randrange(5), chance.choice((1, 2, 4, 16, 100)), piece


def try_all(suffix: str, samples: Sequence[bytes], numbers: Sequence[int]) -> Iterator[bytes]:
    """Read hostile files one after another. Yields JSON for each: its number, how it ended, and what is wrong with that, if anything is."""
    for number in numbers:
        end, wrong = ending(hostile(number, suffix, samples), suffix)
        yield json.dumps({"number": number, "end": end, "wrong": wrong}).encode()


def ending(content: bytes, suffix: str) -> tuple[str, str]:
    """How reading a file ends, and what is wrong with that."""
    readers, filename = [READERS[suffix], *READERS.values()], f"a{suffix}"
    try:
        document = read(readers, content, filename)
        checked = extraction._checked([stored.pack(document)])
        if isinstance(checked, str):
            return "read", f"What was read is no document: {checked}"
        divided = extraction._divided(checked, filename, "A")
        divided.text.encode()
        assert all(0 <= span.start < span.end <= len(divided.text) for span in divided.chunks)
    except Unreadable as refused:
        return "refused", _fault(refused.__cause__)
    except Exception as error:  # whatever it is, it is no refusal
        return "failed", "".join(traceback.format_exception(error)[-6:])
    return "read", ""


def _fault(cause: BaseException | None) -> str:
    """What is wrong with the reason of a refusal. Libraries raise anything for damaged files, but our own code has to expect them."""
    if cause is None:
        return ""
    frames = traceback.extract_tb(cause.__traceback__)
    is_own = bool(frames) and frames[-1].filename.startswith(_OWN_CODE)
    if is_own or isinstance(cause, MemoryError):
        return "".join(traceback.format_exception(cause)[-6:])
    return ""


def numbers_from(start: int, size: int) -> Iterator[list[int]]:
    """Endless batches of numbers."""
    for first in count(start, size):
        yield list(range(first, first + size))
