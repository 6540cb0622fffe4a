"""A reader of a plug-in that does what a document tells it, for tests of the sandbox."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterable
from pathlib import Path

from fundwright.core.plugins import hookimpl
from fundwright.training.readers import Block, Reader

_HEAD = b"HOSTILE\x00"


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
            case "flood":
                return [Block(text="word " * 30_000_000)]
            case deed:
                raise ValueError(deed)
        return [Block(text="Nothing happened.")]


@hookimpl
def document_readers() -> Iterable[Reader]:
    return [HostileReader()]
