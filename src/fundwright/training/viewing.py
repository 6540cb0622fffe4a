"""The screen of a document: its pages as pictures or its blocks, with cited words or those of a search highlighted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import Actor, Permission
from fundwright.core.assembly import Core
from fundwright.core.errors import FundwrightError, Invalid, NotFound
from fundwright.core.messages import t
from fundwright.reading.pdf_pages import PageWords
from fundwright.training import pictures, service
from fundwright.training.display import Portion, Position, ShownPage
from fundwright.training.highlighting import CitedWords
from fundwright.training.page_marks import shown_page
from fundwright.training.portions import portion, recognized_words
from fundwright.training.repository import indexing, texts
from fundwright.training.schemas import DocumentRead, PassageInContext, PictureWidth, Quotes, ViewQuery


@dataclass(frozen=True)
class DocumentView:
    """A document as its screen shows it: `page` is one of its pages as a picture, `portion` a part of its blocks, or at least its place among
    them. Both are None if the document was not read yet, or not by this release. `problem` says why there is no picture."""

    document: DocumentRead
    portion: Portion | None
    page: ShownPage | None = None
    problem: str = ""
    has_pictures: bool = False
    is_passage_missing: bool = False

    @property
    def place(self) -> Position | None:
        """Where in the document this is."""
        if self.page is not None:
            return self.page.position
        return self.portion.position if self.portion is not None else None

    @property
    def is_cited(self) -> bool:
        """Whether cited words are highlighted."""
        return self.page.is_cited if self.page is not None else self.portion is not None and self.portion.is_cited


@needs(Permission.READ)
async def read_view(core: Core, actor: Actor, document_id: UUID, query: ViewQuery) -> DocumentView:
    """Return what the screen of a document shows. Opens its own transaction. Raises NotFound."""
    async with core.database.reading() as session:
        document = await service.get_document(session, actor, document_id)
        structure = await indexing.find_structure(session, actor.workspace_id, document_id)
        passage = await _passage_in(session, actor, document_id, query.passage)
    cited = _cited(passage, query.quotes)
    shown = await core.computing.run(partial(portion, structure, query, cited)) if structure is not None else None
    has_pictures = pictures.has_pages(document)
    view = DocumentView(
        document, shown, has_pictures=has_pictures, is_passage_missing=query.passage is not None and passage is None
    )
    if not has_pictures or query.view == "text":
        return view
    try:
        page = await _page(core, document, structure, query, shown, cited)
    except FundwrightError as error:
        return DocumentView(document, shown, problem=error.sentence, is_passage_missing=view.is_passage_missing)
    return DocumentView(document, shown, page, has_pictures=True, is_passage_missing=view.is_passage_missing)


@needs(Permission.READ)
async def get_page_picture(
    core: Core, actor: Actor, document_id: UUID, number: int, width: PictureWidth, *, known_tags: str = ""
) -> tuple[str, bytes | None]:
    """Return the entity tag of a page of a PDF or image document, and the page as WebP unless its tag is among those that are known. Opens its own
    transaction. Raises NotFound, Invalid for other formats, or Unreadable."""
    async with core.database.reading() as session:
        document = await _get_with_pages(session, actor, document_id)
    tag = pictures.tag_of(document, number, width)
    return tag, None if tag in known_tags else await pictures.picture(core, document, number, width)


@needs(Permission.READ)
async def get_page_words(core: Core, actor: Actor, document_id: UUID, number: int) -> PageWords:
    """Return the words of a page of a PDF or image document. Opens its own transaction. Raises NotFound, Invalid for other formats, or Unreadable."""
    async with core.database.reading() as session:
        document = await _get_with_pages(session, actor, document_id)
        structure = await indexing.find_structure(session, actor.workspace_id, document_id)
    return await _words(core, document, structure, number)


@needs(Permission.READ)
async def find_document_of(session: AsyncSession, actor: Actor, passage_id: UUID) -> UUID:
    """Return the document of a passage. Raises NotFound."""
    return (await texts.get_passage(session, actor.workspace_id, passage_id)).document_id


async def _passage_in(session: AsyncSession, actor: Actor, document_id: UUID, passage_id: UUID | None) -> PassageInContext | None:
    if passage_id is None:
        return None
    try:
        passage = await texts.get_passage(session, actor.workspace_id, passage_id)
    except NotFound:
        return None
    return passage if passage.document_id == document_id else None


async def _get_with_pages(session: AsyncSession, actor: Actor, document_id: UUID) -> DocumentRead:
    document = await service.get_document(session, actor, document_id)
    if not pictures.has_pages(document):
        raise Invalid(t("Only pages of PDF and image files are shown as pictures. Download the original instead."))
    return document


def _cited(passage: PassageInContext | None, quotes: Quotes) -> CitedWords:
    if passage is None:
        return CitedWords()
    return CitedWords(passage.text, quotes, passage.place_at(min(quotes)[0] if quotes else 0)[1])


async def _page(
    core: Core, document: DocumentRead, structure: bytes | None, query: ViewQuery, shown: Portion | None, cited: CitedWords
) -> ShownPage:
    number = shown.position.page if shown is not None else query.page or 1
    words = await _words(core, document, structure, number)
    current = shown.hit_on_page if shown is not None else -1
    labels = shown.position.labels if shown is not None else ()
    return await core.computing.run(
        partial(shown_page, number, words, labels=labels, find=query.find, current=current, cited=cited, structure=structure)
    )


async def _words(core: Core, document: DocumentRead, structure: bytes | None, number: int) -> PageWords:
    """The words of a page: those that were recognized in it, or those that the file says itself."""
    if structure is not None and document.report is not None and number in document.report.turns:
        recognized = await core.computing.run(partial(recognized_words, structure, number))
        if recognized is not None:
            return recognized
    return await pictures.words(core, document, number)
