"""A plug-in's reader that runs the instructions in a document, for tests of the sandbox."""

from __future__ import annotations

import os
import re
import signal
import zlib
from collections.abc import Iterable

from fundwright.core.plugins import hookimpl
from fundwright.core.sandbox_forks import FRAME
from fundwright.reading.document import Document, Paragraph, plain
from fundwright.reading.formats import Reader, Unreadable

_HEAD = b"HOSTILE\x00"
_CHANNEL = 3


def send(kind: bytes, content: bytes) -> None:
    whole = memoryview(FRAME.pack(kind, len(content)) + content)
    while whole:
        whole = whole[os.write(_CHANNEL, whole) :]


def _document(*blocks: str) -> bytes:
    names = '"page_labels":["a\\u0000"],"unread":[{"missing":"picture","name":"a\\u0000"}]'
    return zlib.compress(f'{{"blocks":[{",".join(blocks)}],{names}}}'.encode())


def _changed(before: bytes, after: bytes) -> bytes:
    return zlib.compress(zlib.decompress(ALLOWED).replace(before, after))


def _nested(depth: int) -> str:
    return '{"type":"note","blocks":[' * depth + "]}" * depth


ALLOWED = _document(
    '{"type":"paragraph","runs":[{"text":"text\\u0000"}],"page":1}', '{"type":"heading","runs":[{"text":"One"}],"level":1}'
)
"""A valid result, with null characters, which are left out. Most of `FORGED` differ from it in only one respect."""

FORGED = {
    "no result": [],
    "two results": [ALLOWED, ALLOWED],
    "no document": [b"text"],
    "a document without end": [zlib.compress(b" " * 301_000_000)],
    "no text": [_changed(b"One", b"\xff")],
    "no blocks": [zlib.compress(b"{}")],
    "a block of no kind": [_document('{"type":"video","runs":[{"text":"text"}]}')],
    "a text that is a number": [_document('{"type":"paragraph","runs":[{"text":1}]}')],
    "a page that no column holds": [_changed(b'"page":1', b'"page":1099511627776')],
    "a level that is none": [_changed(b'"level":1', b'"level":0')],
    "blocks in blocks without end": [_document(_nested(100_000))],
}
"""What a compromised parser may send instead of its results."""


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
                for content in FORGED.get(forged, [ALLOWED]):
                    send(b"D", content)
                send(b"E", b"")
                os._exit(0)
            case "a reason with null characters":
                raise Unreadable("No\x00.")
            case "flood":
                while True:
                    send(b"D", b"word " * 1_000_000)
            case action:
                raise ValueError(action)
        return Document((Paragraph(plain("Nothing happened.")),))


@hookimpl
def document_readers() -> Iterable[Reader]:
    return [HostileReader()]
