"""A plug-in's reader that runs the instructions in a document, for tests of the sandbox."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterable, Sequence

from fundwright.core.plugins import hookimpl
from fundwright.core.sandbox_forks import FRAME
from fundwright.reading.document import Document, Paragraph, plain
from fundwright.reading.formats import Reader, Unreadable

_HEAD = b"HOSTILE\x00"
_CHANNEL = 3


def chunk_spans(*spans: tuple[int, int], heading: Sequence[str] = (), page: int | None = None) -> bytes:
    return json.dumps([{"start": start, "end": end, "heading": heading, "page": page} for start, end in spans]).encode()


def results(text: bytes, *chunks: bytes, title: bytes = b"") -> list[tuple[bytes, bytes]]:
    return [(b"D", b"about_us"), (b"D", title), (b"D", text), *((b"D", each) for each in chunks), (b"E", b"")]


def send(kind: bytes, content: bytes) -> None:
    whole = memoryview(FRAME.pack(kind, len(content)) + content)
    while whole:
        whole = whole[os.write(_CHANNEL, whole) :]


FORGED = {
    "no result": [(b"E", b"")],
    "no kind": [(b"D", b"text"), (b"D", b""), (b"D", b"text"), (b"E", b"")],
    "no text": results(b"\xff"),
    "null characters": results(b"a\x00b"),
    "a title with hidden characters": results(b"text", chunk_spans((0, 4)), title=b"a\x00b"),
    "a title without end": results(b"text", chunk_spans((0, 4)), title=b"a" * 300),
    "null characters in a heading": results(b"text", chunk_spans((0, 4), heading=["One", "\x00"])),
    "a page that no column holds": results(b"text", chunk_spans((0, 4), page=2**40)),
    "no chunks": results(b"text", b"{}"),
    "chunks of other text": results(b"text", chunk_spans((2, 5))),
    "chunks as long as the text": results(b"x" * 10_000, chunk_spans((0, 10_000))),
    "chunks that overlap": results(b"x" * 5_000, chunk_spans(*((start, start + 4_000) for start in range(100)))),
    "more chunks than text": results(b"x" * 1_000, chunk_spans(*((place, place + 1) for place in range(100)))),
    "chunks without end": results(b"text", b" " * 6_000_000 + chunk_spans((0, 4))),
}
"""What a compromised parser may send instead of its results."""

ALLOWED = results(b"text", chunk_spans((0, 4)))
"""A valid result; all of `FORGED` except the first two differ from this in only one respect."""


def document(action: str) -> bytes:
    return _HEAD + action.encode()


class HostileReader:
    media_type = "application/x-hostile"
    label = "hostile"
    suffixes = (".hostile",)

    def recognizes(self, head: bytes, filename: str) -> bool:
        return head.startswith(_HEAD)

    def read(self, content: bytes, filename: str) -> Document:
        match content.removeprefix(_HEAD).decode().strip():
            case "loop":  # holds the GIL
                re.match(r"(a+)+$", "a" * 60 + "b")
            case "allocate":
                bytearray(4_000_000_000)
            case "kill":
                os.kill(os.getppid(), signal.SIGKILL)
            case "crash":
                os._exit(1)
            case forged if forged in FORGED or forged == "nothing else":
                for kind, content in FORGED.get(forged, ALLOWED):
                    send(kind, content)
                os._exit(0)
            case "a reason with null characters":
                raise Unreadable("No\x00.")
            case "flood":
                return Document((Paragraph(plain("word " * 30_000_000)),))
            case action:
                raise ValueError(action)
        return Document((Paragraph(plain("Nothing happened.")),))


@hookimpl
def document_readers() -> Iterable[Reader]:
    return [HostileReader()]
