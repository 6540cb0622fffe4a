"""Pages of PDF and image documents as pictures with words, made in the sandbox and kept beside the original."""

from __future__ import annotations

from functools import partial

import msgspec

from fundwright.core.assembly import Core
from fundwright.core.errors import NotFound
from fundwright.core.messages import t
from fundwright.core.sandbox import Limits
from fundwright.reading import images, pdf_pages
from fundwright.reading.formats import Unreadable
from fundwright.reading.pdf_pages import PageWords
from fundwright.training.schemas import DocumentRead, PictureWidth

_MODULES = {"application/pdf": pdf_pages} | {reader.media_type: images for reader in images.IMAGE_READERS}
"""What shows the pages of a format."""
_VERSION = 3
"""Increased whenever pictures or words are made differently."""
LIMITS = Limits(
    error=Unreadable,
    silent_seconds=10,
    total_seconds=10,
    memory_bytes=500_000_000,
    output_bytes=20_000_000,
    at_once_each=1,
    gives_way_after_s=2,
    modules=(
        *(f"PIL.{name}ImagePlugin" for name in ("Jpeg", "Png", "Tiff", "WebP")),
        *("fundwright.reading.images", "fundwright.reading.pdf_pages", "pypdfium2"),
    ),
)


def has_pages(document: DocumentRead) -> bool:
    """Whether the pages of a document are shown as pictures."""
    return document.media_type in _MODULES


def tag_of(document: DocumentRead, number: int, width: PictureWidth) -> str:
    """The entity tag of a picture."""
    return f'"{document.sha256}-{_picture(document, number, width)}"'


async def picture(core: Core, document: DocumentRead, number: int, width: PictureWidth) -> bytes:
    """Return a page as WebP. Raises NotFound or Unreadable."""
    part = _picture(document, number, width)
    found = await core.files.find_derived(document.sha256, part)
    if found is None:
        path = core.files.path(document.sha256)
        show = _MODULES[document.media_type].picture
        work = partial(show, path, document.filename, number, width.value, _turn(document, number))
        name = t("“{name}”", name=document.filename)
        results = await core.sandbox.run(
            work, limits=LIMITS, name=name, readable=(path,), content=(document.sha256, part), is_valid=_are_pictures
        )
        if not results:
            raise NotFound(t("The page"))
        (found,) = results
        await core.files.keep_derived(document.sha256, part, found)
    return found


async def words(core: Core, document: DocumentRead, number: int) -> PageWords:
    """Return the words of a page that the file says itself. Raises NotFound or Unreadable."""
    part = f"{_VERSION}-{number}.json"
    found = await core.files.find_derived(document.sha256, part)
    if found is None:
        path = core.files.path(document.sha256)
        work = partial(_MODULES[document.media_type].words, path, document.filename, number)
        name = t("“{name}”", name=document.filename)
        (found,) = await core.sandbox.run(
            work, limits=LIMITS, name=name, readable=(path,), content=(document.sha256, part), is_valid=_are_words
        )
        page = msgspec.json.decode(found, type=PageWords)
        if number <= page.pages:
            await core.files.keep_derived(document.sha256, part, found)
    else:
        page = msgspec.json.decode(found, type=PageWords)
    if number > page.pages:
        raise NotFound(t("The page"))
    return page


def _are_pictures(results: list[bytes]) -> bool:
    """Whether this is one WebP file at most. The process that made it may be compromised."""
    return len(results) < 2 and all(each[:4] == b"RIFF" and each[8:12] == b"WEBP" for each in results)


def _are_words(results: list[bytes]) -> bool:
    try:
        (found,) = results
        msgspec.json.decode(found, type=PageWords)
    except ValueError:
        return False
    return True


def _picture(document: DocumentRead, number: int, width: PictureWidth) -> str:
    return f"{_VERSION}-{number}-{width.value}-{_turn(document, number):g}.webp"


def _turn(document: DocumentRead, number: int) -> float:
    """By how many degrees a page was turned to be read."""
    return document.report.turns.get(number, 0.0) if document.report is not None else 0.0
