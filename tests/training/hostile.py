"""A reader of a plug-in that does what a document tells it, for tests of the sandbox."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterable
from pathlib import Path

from fundwright.core.plugins import hookimpl
from fundwright.core.sandbox_forks import FRAME
from fundwright.training.readers import Block, Reader, Unreadable

_HEAD = b"HOSTILE\x00"
_CHANNEL = 3


def cuts(*spans: tuple[int, int], heading: str = "") -> bytes:
    return json.dumps([{"start": start, "end": end, "heading": heading, "page": None} for start, end in spans]).encode()


def send(kind: bytes, content: bytes) -> None:
    whole = memoryview(FRAME.pack(kind, len(content)) + content)
    while whole:
        whole = whole[os.write(_CHANNEL, whole) :]


FORGED = {
    "no result": [(b"E", b"")],
    "no text": [(b"D", b"\xff"), (b"E", b"")],
    "null characters": [(b"D", b"a\x00b"), (b"E", b"")],
    "null characters in a heading": [(b"D", b"text"), (b"D", cuts((0, 4), heading="\x00")), (b"E", b"")],
    "no chunks": [(b"D", b"text"), (b"D", b"{}"), (b"E", b"")],
    "chunks of other text": [(b"D", b"text"), (b"D", cuts((2, 5))), (b"E", b"")],
    "chunks as long as the text": [(b"D", b"x" * 10_000), (b"D", cuts((0, 10_000))), (b"E", b"")],
    "chunks that overlap": [(b"D", b"x" * 5_000), (b"D", cuts(*((start, start + 4_000) for start in range(100)))), (b"E", b"")],
    "more chunks than text": [(b"D", b"x" * 1_000), (b"D", cuts(*((place, place + 1) for place in range(100)))), (b"E", b"")],
    "chunks without end": [(b"D", b"text"), (b"D", b" " * 3_000_000 + cuts((0, 4))), (b"E", b"")],
}
"""What a parser that has been taken over may send in place of its results."""


def document(deed: str) -> bytes:
    return _HEAD + deed.encode()


class HostileReader:
    media_type = "application/x-hostile"
    label = "hostile"

    def recognises(self, head: bytes, filename: str) -> bool:
        return head.startswith(_HEAD)

    def read(self, path: Path, filename: str) -> list[Block]:
        match path.read_bytes().removeprefix(_HEAD).decode():
            case "loop":  # holds the GIL
                re.match(r"(a+)+$", "a" * 60 + "b")
            case "allocate":
                bytearray(4_000_000_000)
            case "kill":
                os.kill(os.getppid(), signal.SIGKILL)
            case "crash":
                os._exit(1)
            case forged if forged in FORGED:
                for kind, content in FORGED[forged]:
                    send(kind, content)
                os._exit(0)
            case "a reason with null characters":
                raise Unreadable("No\x00.")
            case "flood":
                return [Block(text="word " * 30_000_000)]
            case deed:
                raise ValueError(deed)
        return [Block(text="Nothing happened.")]


@hookimpl
def document_readers() -> Iterable[Reader]:
    return [HostileReader()]
