"""Image files that are made to take long, to need much memory, or to confuse: each ends with a sentence within the limits of the sandbox."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PIL import Image

from fundwright.core.assembly import Core
from fundwright.core.sandbox import Limits
from fundwright.reading import images
from fundwright.reading.formats import Unreadable
from fundwright.reading.plugin import document_readers
from fundwright.training import extraction, pictures
from tests.reading.pictures import saved

pytestmark = pytest.mark.security(53)

_ENTRY = 12
_TOO_MANY_PIXELS, _DAMAGED, _NO_TEXT = "more than 89,478,485 pixels", "damaged", "no text"
_TOO_MANY_PAGES = "more than 1,000 pages. Divide it into several files"


def _zeros(count: int) -> bytes:
    return zlib.compress(bytes(count), 9)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(width: int, height: int, *, color: int, data: bytes, extra: bytes = b"") -> bytes:
    header = _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, color, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + extra + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def tiff(frames: int, *, after: int | None = None, **changes: int) -> bytes:
    """Frames of 64 by 64 pixels. The last one names the frame with the number `after` as the next one. `changes` are the values of tags."""
    size, target = 2 + 8 * _ENTRY + 4, bytearray(b"II*\0" + struct.pack("<I", 8))
    for number in range(frames):
        values = {
            "width": 64,
            "height": 64,
            "bits": 1,
            "packing": 1,
            "color": 0,
            "place": 8 + size * frames,
            "rows": 64,
            "bytes": 512,
        }
        values |= changes
        target += struct.pack("<H", 8)
        for tag, value in zip((256, 257, 258, 259, 262, 273, 278, 279), values.values(), strict=True):
            target += struct.pack("<HHII", tag, 4, 1, value)
        following = number + 1 if number + 1 < frames else after
        target += struct.pack("<I", 8 + size * following if following is not None else 0)
    return bytes(target) + bytes(512)


def _cut(form: str) -> bytes:
    content = saved(Image.effect_noise((300, 400), 90).convert("RGB"), form=form)
    return content[: len(content) // 2]


def _huge_jpeg() -> bytes:
    content = bytearray(saved(Image.new("RGB", (8, 8)), form="JPEG"))
    size = content.index(b"\xff\xc0") + 5
    content[size : size + 4] = struct.pack(">HH", 65_500, 65_500)
    return bytes(content)


def _scans() -> bytes:
    """A progressive JPEG that draws its picture thousands of times."""
    content = saved(Image.new("L", (4_000, 4_000), 128), form="JPEG", progressive=True)
    start = content.rindex(b"\xff\xda")
    return content[:-2] + content[start:-2] * 5_000 + content[-2:]


FILES: dict[str, tuple[Callable[[], bytes], str]] = {
    "a bomb.png": (lambda: png(60_000, 60_000, color=0, data=_zeros(1_000_000)), _TOO_MANY_PIXELS),
    "a profile.png": (lambda: png(64, 64, color=0, data=_zeros(65 * 64), extra=_chunk(b"iCCP", b"k\0\0" + _zeros(200_000_000))), _DAMAGED),
    "a note.png": (lambda: png(64, 64, color=0, data=_zeros(65 * 64), extra=_chunk(b"zTXt", b"k\0\0" + _zeros(200_000_000))), _DAMAGED),
    "cut.png": (lambda: _cut("PNG"), _DAMAGED),
    "huge.jpg": (_huge_jpeg, _TOO_MANY_PIXELS),
    "cut.jpg": (lambda: _cut("JPEG"), _DAMAGED),
    "huge.tif": (lambda: tiff(1, width=4_000_000_000), _TOO_MANY_PIXELS),
    "cut.tif": (lambda: _cut("TIFF"), _DAMAGED),
    "data elsewhere.tif": (lambda: tiff(1, place=4_000_000_000), _DAMAGED),
    "a circle.tif": (lambda: tiff(3, after=0), _NO_TEXT),
    "itself.tif": (lambda: tiff(1, after=0), _NO_TEXT),
    "a thousand.tif": (lambda: tiff(1_000), _NO_TEXT),
    "thousands.tif": (lambda: tiff(60_000), _TOO_MANY_PAGES),
}  # fmt: skip


async def read(core: Core, path: Path, limits: Limits = extraction.LIMITS) -> None:
    work = partial(extraction._read, list(document_readers()), path, path.name)
    await core.sandbox.run(work, limits=limits, name=path.name, readable=(path,))


async def show(core: Core, path: Path, *, limits: Limits = pictures.LIMITS, number: int = 1) -> list[bytes]:
    work = partial(images.picture, path, path.name, number, 1_200, 0.0)
    return await core.sandbox.run(work, limits=limits, name=path.name, readable=(path,))


@pytest.mark.parametrize("name", FILES)
async def test_each_is_refused_with_a_reason_and_shown_or_not(core: Core, tmp_path: Path, name: str) -> None:
    make, reason = FILES[name]
    path = tmp_path / name
    path.write_bytes(make())
    with pytest.raises(Unreadable, match=reason):
        await read(core, path)
    if reason in (_NO_TEXT, _TOO_MANY_PAGES):
        assert len(await show(core, path)) == 1
    else:
        with pytest.raises(Unreadable, match=reason):
            await show(core, path)


async def test_a_picture_that_takes_forever_is_ended(core: Core, tmp_path: Path) -> None:
    path = tmp_path / "scans.jpg"
    path.write_bytes(_scans())
    with pytest.raises(Unreadable, match="took too long"):
        await read(core, path, replace(extraction.LIMITS, silent_seconds=2))
    with pytest.raises(Unreadable, match="took too long"):
        # On a busy machine, it would say that others are waiting.
        await show(core, path, limits=replace(pictures.LIMITS, total_seconds=2, gives_way_after_s=None))


@pytest.mark.slow
async def test_the_largest_picture_is_shown_within_the_memory_of_a_page_and_a_larger_one_is_refused(
    core: Core, tmp_path: Path
) -> None:
    for channels, color in ((3, 2), (4, 6)):
        path = tmp_path / f"{channels}.png"
        path.write_bytes(png(9_400, 9_400, color=color, data=_zeros((9_400 * channels + 1) * 9_400)))
        if channels == 3:
            assert len(await show(core, path)) == 1
        else:
            with pytest.raises(Unreadable, match="more than 500 MB of memory"):
                await show(core, path)


async def test_pages_beyond_the_last_one_do_not_exist(core: Core, tmp_path: Path) -> None:
    (tmp_path / "a.tif").write_bytes(tiff(2))
    (tmp_path / "a.png").write_bytes(saved(Image.new("RGB", (40, 40))))
    assert [len(await show(core, tmp_path / "a.tif", number=number)) for number in (2, 3)] == [1, 0]
    assert [len(await show(core, tmp_path / "a.png", number=number)) for number in (1, 2)] == [1, 0]
    assert io.BytesIO((await show(core, tmp_path / "a.png"))[0]).read(4) == b"RIFF"
