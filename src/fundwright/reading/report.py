"""The report on reading a document: what was read, and what the file holds that was not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict, Field

from fundwright.core.messages import nt, percent, t
from fundwright.core.visible import visible_line
from fundwright.reading import document
from fundwright.reading.document import Attachment, Document, Figure, Mark, Missing, Note, Paragraph, Table, runs_in, walk

_NAME_CHARACTERS, _LABEL_CHARACTERS = 100, 20
_UNCERTAIN = 0.8
"""Pages that are recognized with less confidence are named."""


class UnreadPart(BaseModel):
    """Something in a file that was not read, `count` times on `page` or in the attachment `name`."""

    model_config = ConfigDict(frozen=True)

    missing: Missing
    page: int | None = None
    name: str = ""
    count: int = 1

    def text(self, *, on_slide: bool) -> str:
        """In the reader's language."""
        what = {
            Missing.TEXT: t("part of the text"),
            Missing.CHARACTERS: t("text in a font without a character map"),
            Missing.PICTURE: nt("{n} picture", "{n} pictures", self.count),
            Missing.PAGES: nt("{n} page at the end of the file", "{n} pages at the end of the file", self.count),
            Missing.CHART: nt("{n} chart", "{n} charts", self.count),
            Missing.DIAGRAM: nt("{n} diagram", "{n} diagrams", self.count),
            Missing.COMMENTS: t("comments"),
            Missing.SPEAKER_NOTES: t("speaker notes"),
            Missing.SHAPES: t("text in shapes"),
            Missing.MEDIA: nt("{n} audio or video clip", "{n} audio or video clips", self.count),
            Missing.OBJECT: nt("{n} embedded object", "{n} embedded objects", self.count),
            Missing.ATTACHMENT: t("a file"),
            Missing.UNKNOWN: t("possibly other parts, because the file could not be compared"),
        }[self.missing]
        if self.page is not None and on_slide:
            return t("slide {page}: {what}", page=self.page, what=what)
        if self.page is not None:
            return t("page {page}: {what}", page=self.page, what=what)
        return t("“{name}”: {what}", name=self.name, what=what) if self.name else what


class RecognizedPage(BaseModel):
    """A page that is a picture whose text was recognized, how certain that is, from 0 to 1, and by how many degrees the page was turned
    counterclockwise to be upright."""

    model_config = ConfigDict(frozen=True)

    page: int | None
    confidence: float
    turn: float = 0.0


class ReadingReport(BaseModel):
    """How many of each were read, which pages were recognized, what answers and drafts leave out, and what was not read."""

    model_config = ConfigDict(frozen=True)

    pages: int = 0
    are_slides: bool = Field(default=False, description="Whether the pages are slides.")
    sheets: int = Field(default=0, description="Sheets of a spreadsheet that are not hidden.")
    tables: int = 0
    fields: int = Field(default=0, description="Fields of forms that are filled in.")
    notes: int = 0
    pictures: int = Field(default=0, description="Pictures with a text that describes them.")
    attachments: int = 0
    recognized: tuple[RecognizedPage, ...] = ()
    is_scan: bool = Field(default=False, description="Whether the text of most pages was recognized in pictures.")
    struck_words: int = Field(default=0, description="Words that are struck through, which answers and drafts leave out.")
    deleted_words: int = Field(default=0, description="Words that are deleted with tracked changes, which they leave out, too.")
    hidden_words: int = Field(
        default=0, description="Words that a person does not see, such as white ones, which they leave out, too."
    )
    unread: tuple[UnreadPart, ...] = ()

    @property
    def turns(self) -> dict[int, float]:
        """The turns of the pages that were recognized. A file without pages has page 1."""
        return {each.page or 1: each.turn for each in self.recognized}

    @property
    def read_text(self) -> str:
        """What was read, in the reader's language, or "" if it is text only."""
        pages = nt("{n} slide", "{n} slides", self.pages) if self.are_slides else nt("{n} page", "{n} pages", self.pages)
        counts = (
            (self.pages, pages),
            (self.sheets, nt("{n} sheet", "{n} sheets", self.sheets)),
            (self.tables, nt("{n} table", "{n} tables", self.tables)),
            (self.fields, nt("{n} form field", "{n} form fields", self.fields)),
            (self.notes, nt("{n} note", "{n} notes", self.notes)),
            (self.pictures, nt("{n} picture with a description", "{n} pictures with descriptions", self.pictures)),
            (self.attachments, nt("{n} included file", "{n} included files", self.attachments)),
            (
                len(self.recognized),
                nt("{n} page read by text recognition", "{n} pages read by text recognition", len(self.recognized)),
            ),
        )
        return ", ".join(text for count, text in counts if count)

    @property
    def left_out_text(self) -> str:
        """What answers and drafts leave out because it is struck through, deleted, or hidden, in the reader's language."""
        counts = (
            (self.struck_words, nt("{n} struck-through word", "{n} struck-through words", self.struck_words)),
            (self.deleted_words, nt("{n} deleted word", "{n} deleted words", self.deleted_words)),
            (self.hidden_words, nt("{n} hidden word", "{n} hidden words", self.hidden_words)),
        )
        return ", ".join(text for count, text in counts if count)

    @property
    def uncertain_text(self) -> str:
        """Which pages were recognized with little confidence, in the reader's language."""
        return ", ".join(
            t("page {page} ({confidence})", page=each.page or 1, confidence=percent(each.confidence))
            for each in self.recognized
            if each.confidence < _UNCERTAIN
        )

    @property
    def unread_text(self) -> str:
        """What was not read, in the reader's language."""
        return "; ".join(each.text(on_slide=self.are_slides) for each in self.unread)


def report_of(read: Document) -> ReadingReport:
    blocks = list(walk(read.blocks))
    unseen = Counter[Mark | None]()
    for run in (run for block in blocks for run in runs_in(block)):
        unseen[run.mark] += len(run.text.split())
    return ReadingReport(
        pages=read.pages,
        are_slides=read.are_slides,
        sheets=read.sheets,
        tables=sum(isinstance(block, Table) for block in blocks),
        fields=max(read.fields, sum(isinstance(block, document.Field) for block in blocks)),
        notes=sum(isinstance(block, Note) for block in blocks),
        pictures=sum(isinstance(block, Figure) and bool(block.blocks) for block in blocks),
        attachments=sum(isinstance(block, Attachment) and bool(block.blocks) for block in blocks),
        recognized=tuple(_recognized(blocks, {scan.page: scan.turn for scan in read.scans})),
        is_scan=2 * sum(bool(scan.words) for scan in read.scans) > max(read.pages, 1),
        struck_words=unseen[Mark.STRUCK],
        deleted_words=unseen[Mark.DELETED],
        hidden_words=unseen[Mark.HIDDEN],
        unread=tuple(
            UnreadPart(
                missing=each.missing, page=each.page, name=visible_line(each.name, most=_NAME_CHARACTERS), count=each.count
            )
            for each in read.unread
        ),
    )


def page_labels_of(read: Document) -> list[str]:
    """What the file calls its pages, short enough to show, or nothing if these are their numbers."""
    return [visible_line(label, most=_LABEL_CHARACTERS) for label in read.page_labels]


def _recognized(blocks: list[document.Block], turns: dict[int, float]) -> Iterator[RecognizedPage]:
    """The pages with recognized text, each with the mean confidence of its paragraphs, by length."""
    sums = dict[int | None, tuple[float, int]]()
    for block in blocks:
        if isinstance(block, Paragraph) and block.confidence is not None:
            length = sum(len(run.text) for run in block.runs)
            confidence, total = sums.get(block.page, (0.0, 0))
            sums[block.page] = confidence + block.confidence * length, total + length
    for page, (confidence, total) in sums.items():
        yield RecognizedPage(page=page, confidence=confidence / max(total, 1), turn=turns.get(page or 1, 0.0))
