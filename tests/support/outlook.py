"""Messages of Outlook: the smallest compound files (MS-CFB) that hold them."""

from __future__ import annotations

import struct

_SECTOR, _SMALL_SECTOR = 512, 64
_END, _FREE, _FAT, _NONE = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD, 0xFFFFFFFF
_STREAM, _ROOT = 2, 5
_TEXT, _BYTES = 0x1F, 0x102


def written_msg(texts: dict[int, str], html: bytes = b"") -> bytes:
    """A message with these properties (MS-OXPROPS), such as 0x0037 for the subject and 0x1000 for the body."""
    properties = {(0x001A, _TEXT): "IPM.Note".encode("utf-16-le")}
    properties |= {(number, _TEXT): text.encode("utf-16-le") for number, text in texts.items()}
    properties |= {(0x1013, _BYTES): html} if html else {}
    listed = b"".join(struct.pack("<HHIII", kind, number, 6, len(value), 0) for (number, kind), value in properties.items())
    streams = {f"__substg1.0_{number:04X}{kind:04X}": value for (number, kind), value in properties.items()}
    return _compound(streams | {"__properties_version1.0": bytes(32) + listed})


def _compound(streams: dict[str, bytes]) -> bytes:
    """Sector 0 is the allocation table, then come the directory, the table of small sectors, and these. All streams have less than 4,096 bytes, so they are in small sectors."""
    entries, small_table, small = list[bytes](), list[int](), b""
    for place, (name, stream) in enumerate(sorted(streams.items()), 1):
        right = place + 1 if place < len(streams) else _NONE
        start = len(small_table)
        small += stream.ljust(-(-len(stream) // _SMALL_SECTOR) * _SMALL_SECTOR, b"\0")
        small_table += _chain(start, len(small) // _SMALL_SECTOR - start)
        entries.append(_entry(name, _STREAM, right=right, start=start, size=len(stream)))
    parts = [bytes((len(entries) + 1) * 128), struct.pack(f"<{len(small_table)}I", *small_table), small]
    table, starts = [_FAT], list[int]()
    for part in parts:
        starts.append(len(table))
        table += _chain(len(table), -(-len(part) // _SECTOR))
    parts[0] = b"".join([_entry("Root Entry", _ROOT, child=1, start=starts[2], size=len(small)), *entries])
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
    header += struct.pack("<IIIIIIIII", 0, 1, starts[0], 0, 4_096, starts[1], starts[2] - starts[1], _END, 0)
    header += struct.pack("<109I", 0, *[_FREE] * 108)
    table += [_FREE] * (_SECTOR // 4 - len(table))
    sectors = [header, struct.pack(f"<{len(table)}I", *table), *parts]
    return b"".join(part.ljust(-(-len(part) // _SECTOR) * _SECTOR, b"\0") for part in sectors)


def _chain(start: int, sectors: int) -> list[int]:
    return [*range(start + 1, start + sectors), _END] if sectors else []


def _entry(name: str, kind: int, *, right: int = _NONE, child: int = _NONE, start: int = _END, size: int = 0) -> bytes:
    encoded = f"{name}\0".encode("utf-16-le")
    links = struct.pack("<BBIII", kind, 1, _NONE, right, child)
    return encoded.ljust(64, b"\0") + struct.pack("<H", len(encoded)) + links + bytes(36) + struct.pack("<IQ", start, size)
