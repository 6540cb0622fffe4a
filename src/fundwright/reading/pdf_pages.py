"""Pages of a PDF file as pictures, and the words on them with their places. Runs in the sandbox."""

from __future__ import annotations

import ctypes
import io
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct
from PIL import Image

from fundwright.core.messages import t
from fundwright.core.unpickling import sent
from fundwright.reading.document import MOST_POINTS, MOST_WORDS, PageWidth, Word, without_signs
from fundwright.reading.formats import Unreadable, file_missing
from fundwright.reading.placed import Box, around

_MOST_PIXELS, _MOST_DOWN = 12_000_000, 16_000
"""A WebP is at most 16,383 pixels wide and high."""
_MOST_CHARACTERS = 60_000
_UNITS = 10_000
"""Into how many parts a page is divided in each direction."""
_QUALITY = 80
_HYPHENS = "\x02\ufffe\xad"
"""What pdfium returns for a hyphen at the end of a line."""


@sent
class PageWords(Struct, frozen=True):
    """The words of a page in the order of the file, its height as a share of its width, its width in points if it has one, and the number of pages of
    the file."""

    pages: Annotated[int, Meta(ge=0, le=2**31 - 1)]
    height: Annotated[float, Meta(ge=0, le=1_000_000)] = 1.0
    words: Annotated[tuple[Word, ...], Meta(max_length=MOST_WORDS)] = ()
    width: PageWidth | None = None


def words(path: Path, filename: str, number: int) -> Iterator[bytes]:
    """Yield the words of a page as JSON of `PageWords`. A page that does not exist has none. Raises Unreadable."""
    document = _opened(path, filename)
    if number > len(document):
        yield msgspec.json.encode(PageWords(len(document)))
        return
    page = _page(document, number, filename)
    width, height = page.get_size()
    found = tuple(islice(_words_on(page), MOST_WORDS))
    yield msgspec.json.encode(PageWords(len(document), height / max(width, 1), found, min(max(width, 1), MOST_POINTS)))


def picture(path: Path, filename: str, number: int, width: int, turn: float) -> Iterator[bytes]:
    """Yield a page as WebP, turned by so many degrees, counterclockwise, and of this width in pixels unless it is very high; nothing if it does
    not exist. Raises Unreadable."""
    document = _opened(path, filename)
    if number > len(document):
        return
    document.init_forms()
    page = _page(document, number, filename)
    across, down = page.get_size()
    # A page that is turned is as wide as it was high.
    scale = min(
        width / max(min(across, down) if turn else across, 1),
        (_MOST_PIXELS / max(across * down, 1)) ** 0.5,
        _MOST_DOWN / max(down, across, 1),
    )
    yield as_webp(page.render(scale=scale).to_pil().convert("RGB"), width, turn)


def as_webp(picture: Image.Image, width: int, turn: float) -> bytes:
    """A page that was turned by so many degrees, of this width in pixels unless it is very high."""
    straight = picture.rotate(turn, Image.Resampling.BICUBIC, expand=True, fillcolor="white") if turn else picture
    scale = min(width / straight.width, (_MOST_PIXELS / (straight.width * straight.height)) ** 0.5, _MOST_DOWN / straight.height)
    size = max(1, round(straight.width * scale)), max(1, round(straight.height * scale))
    written = io.BytesIO()
    (straight.resize(size, Image.Resampling.BICUBIC, reducing_gap=2.0) if size != straight.size else straight).save(
        written, "WEBP", quality=_QUALITY, method=2
    )
    return written.getvalue()


def _opened(path: Path, filename: str) -> Any:
    import pypdfium2

    try:
        return pypdfium2.PdfDocument(path.read_bytes())
    except FileNotFoundError as error:
        raise file_missing(filename) from error
    except pypdfium2.PdfiumError as error:
        raise cannot_show(filename) from error


def _page(document: Any, number: int, filename: str) -> Any:
    import pypdfium2

    try:
        return document[number - 1]
    except pypdfium2.PdfiumError as error:  # the file counts more pages than it has
        raise cannot_show(filename) from error


def cannot_show(filename: str) -> Unreadable:
    return Unreadable(
        t("The pages of “{filename}” cannot be shown: the file is damaged or protected by a password.", filename=filename)
    )


def _words_on(page: Any) -> Iterator[Word]:
    """Words are divided by spaces, ends of lines, and characters without a place."""
    from pypdfium2 import raw

    text = page.get_textpage()
    letters, box = list[str](), list[Box]()

    def word() -> Iterator[Word]:
        clean = without_signs("".join(letters)).translate(_UNSHOWN).strip()
        if clean and box:
            shares = (min(max(each / _UNITS, -1), 2) for each in around(box))
            yield Word(clean, *shares)
        letters.clear()
        box.clear()

    for place in range(min(text.count_chars(), _MOST_CHARACTERS)):
        code = raw.FPDFText_GetUnicode(text, place)
        character = chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
        if character.isspace():
            yield from word()
            continue
        found = _box_of(page, text, place)
        if found is not None and box and _is_elsewhere(box[-1], found):
            yield from word()
        letters.append(character if character not in _HYPHENS else "-")
        if found is not None:
            box.append(found)
    yield from word()


_UNSHOWN = dict.fromkeys((*range(0x20), 0x7F))


def _box_of(page: Any, text: Any, place: int) -> Box | None:
    """The box of a character as it is shown, on a page that is turned, too."""
    from pypdfium2 import raw

    found = raw.FS_RECTF()
    if not raw.FPDFText_GetLooseCharBox(text, place, found):
        return None
    corners = [_shown(page, x, y) for x, y in ((found.left, found.top), (found.right, found.bottom))]
    across, down = sorted(x for x, _ in corners), sorted(y for _, y in corners)
    return across[0], down[0], across[1], down[1]


def _shown(page: Any, x: float, y: float) -> tuple[int, int]:
    from pypdfium2 import raw

    across, down = ctypes.c_int(), ctypes.c_int()
    raw.FPDF_PageToDevice(page, 0, 0, _UNITS, _UNITS, 0, x, y, across, down)
    return across.value, down.value


def _is_elsewhere(before: Box, after: Box) -> bool:
    """Whether a character is on another line than the one before it."""
    return after[1] > before[3] or after[3] < before[1]
