"""Reads image files with text recognition."""

from __future__ import annotations

import io
import warnings
from itertools import takewhile

from PIL import Image, ImageOps, ImageSequence

from fundwright.core.messages import t
from fundwright.reading.checkboxes import with_boxes
from fundwright.reading.document import Document
from fundwright.reading.formats import Unreadable
from fundwright.reading.paragraphs import words_of
from fundwright.reading.placed import paragraphs_of
from fundwright.reading.recognition import blocks_of_paragraphs, may_recognize, recognized


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
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            try:
                picture = Image.open(io.BytesIO(content), formats=(self.label,))
                frames = ImageSequence.Iterator(picture) if picture.format == "TIFF" else [picture]
                pages = [paragraphs_of(recognized(_upright(each))) for each in takewhile(lambda _: may_recognize(), frames)]
            except (Image.DecompressionBombWarning, Image.DecompressionBombError) as error:
                raise Unreadable(
                    t(
                        "“{filename}” has more than {count} pixels. Save a smaller copy and add that.",
                        filename=filename,
                        count=Image.MAX_IMAGE_PIXELS,
                    )
                ) from error
        words = words_of(line.text for groups in pages for group in groups for line in group)
        numbered = enumerate(pages, 1) if len(pages) > 1 else ((None, groups) for groups in pages)
        return Document(
            tuple(with_boxes([block for page, groups in numbered for block in blocks_of_paragraphs(groups, words, page)]))
        )


def _upright(picture: Image.Image) -> Image.Image:
    """A page as it is shown: turned as its camera says, and on white where it is transparent."""
    picture = ImageOps.exif_transpose(picture)
    if not picture.has_transparency_data:
        return picture.convert("RGB")
    paper = Image.new("RGBA", picture.size, "white")
    paper.alpha_composite(picture.convert("RGBA"))
    return paper.convert("RGB")


IMAGE_READERS = (
    ImageReader("JPEG", "image/jpeg", (".jpg", ".jpeg"), (b"\xff\xd8\xff",)),
    ImageReader("PNG", "image/png", (".png",), (b"\x89PNG\r\n\x1a\n",)),
    ImageReader("TIFF", "image/tiff", (".tif", ".tiff"), (b"II*\0", b"MM\0*")),
)
