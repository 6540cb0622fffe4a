"""Reads image files with text recognition, and shows them."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path

import msgspec
from PIL import Image, ImageOps

from fundwright.core.messages import t
from fundwright.core.sandbox_progress import report_progress
from fundwright.reading.checkboxes import with_boxes
from fundwright.reading.document import Document, Missing, Unread
from fundwright.reading.formats import Unreadable, file_missing
from fundwright.reading.paragraphs import words_of
from fundwright.reading.pdf_pages import PageWords, as_webp, cannot_show
from fundwright.reading.recognition import Recognized, blocks_of, may_recognize, recognized

_MOST_PAGES = 1_000
"""Going to a page takes the longer the more there are before it."""


class ImageReader:
    """Reads one of these formats, each with Pillow. Its pages have numbers if there are several."""

    def __init__(self, label: str, media_type: str, suffixes: tuple[str, ...], marks: tuple[bytes, ...]) -> None:
        """Each such file begins with one of the `marks`."""
        self.label = label
        self.media_type = media_type
        self.suffixes = suffixes
        self._marks = marks

    def recognizes(self, head: bytes, filename: str) -> bool:
        return head.startswith(self._marks)

    def read(self, content: bytes, filename: str) -> Document:
        with _opened(io.BytesIO(content), filename, self.label) as picture:
            count = _frames(picture, filename)
            recognized_pages = list[Recognized]()
            for number in takewhile(lambda _: may_recognize(), range(count)):
                picture.seek(number)
                recognized_pages.append(recognized(_upright(picture)))
        pages = [each.parts() for each in recognized_pages]
        words = words_of(line.text for each in recognized_pages for line in each.lines)
        numbered = enumerate(pages, 1) if count > 1 else ((None, parts) for parts in pages)
        return Document(
            tuple(with_boxes([block for page, parts in numbered for block in blocks_of(parts, words, page)])),
            pages=count if count > 1 else 0,
            unread=(Unread(Missing.PAGES),) * (count - len(pages)),
            scans=tuple(each.scan(page) for page, each in enumerate(recognized_pages, 1)),
        )


def words(path: Path, filename: str, number: int) -> Iterator[bytes]:
    """Yield the size of a page as JSON of `PageWords`. Its words are those that were recognized when the file was read. Raises Unreadable."""
    with _shown(path, filename) as picture:
        pages = _frames(picture, filename)
        width, height = _upright(picture).size if _go_to(picture, number) else (1, 1)
        yield msgspec.json.encode(PageWords(pages, height / width))


def picture(path: Path, filename: str, number: int, width: int, turn: float) -> Iterator[bytes]:
    """Yield a page as WebP, see `pdf_pages.picture`. Raises Unreadable."""
    with _shown(path, filename) as picture:
        if _go_to(picture, number):
            yield as_webp(_upright(picture), width, turn)


@contextmanager
def _shown(path: Path, filename: str) -> Iterator[Image.Image]:
    try:
        with _opened(path, filename) as picture:
            yield picture
    except (Unreadable, MemoryError):
        raise
    except Exception as error:  # Pillow can raise anything
        raise cannot_show(filename) from error


@contextmanager
def _opened(source: Path | io.BytesIO, filename: str, *formats: str) -> Iterator[Image.Image]:
    """An image file of one of these formats, or of all. What Pillow refuses to decode is unreadable."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        try:
            with Image.open(source, formats=formats or [reader.label for reader in IMAGE_READERS]) as picture:
                yield picture
        except FileNotFoundError as error:
            raise file_missing(filename) from error
        except (Image.DecompressionBombWarning, Image.DecompressionBombError) as error:
            raise Unreadable(
                t(
                    "“{filename}” has more than {count} pixels. Save a smaller copy and add that.",
                    filename=filename,
                    count=Image.MAX_IMAGE_PIXELS,
                )
            ) from error


def _frames(picture: Image.Image, filename: str) -> int:
    """The number of pages, of which only TIFF files have several. Raises Unreadable if there are very many."""
    if picture.format != "TIFF":
        return 1
    for count in range(1, _MOST_PAGES + 1):
        report_progress()
        try:
            picture.seek(count)
        except EOFError:
            return count
    raise Unreadable(
        t(
            "“{filename}” has more than {count} pages. Divide it into several files and add those.",
            filename=filename,
            count=_MOST_PAGES,
        )
    )


def _go_to(picture: Image.Image, number: int) -> bool:
    """Go to a page, without counting them all. Returns whether there is one."""
    if number > (_MOST_PAGES if picture.format == "TIFF" else 1):
        return False
    try:
        picture.seek(number - 1)
    except EOFError:
        return False
    return True


def _upright(picture: Image.Image) -> Image.Image:
    """A page as it is shown: turned as its camera says, and on white where it is transparent. Large ones are not copied."""
    ImageOps.exif_transpose(picture, in_place=True)
    if not picture.has_transparency_data:
        return picture if picture.mode == "RGB" else picture.convert("RGB")
    paper = Image.new("RGBA", picture.size, "white")
    paper.alpha_composite(picture.convert("RGBA"))
    return paper.convert("RGB")


IMAGE_READERS = (
    ImageReader("JPEG", "image/jpeg", (".jpg", ".jpeg"), (b"\xff\xd8\xff",)),
    ImageReader("PNG", "image/png", (".png",), (b"\x89PNG\r\n\x1a\n",)),
    ImageReader("TIFF", "image/tiff", (".tif", ".tiff"), (b"II*\0", b"MM\0*")),
)
