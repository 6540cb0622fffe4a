"""Types of training: documents, runs, and passages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import IntEnum, StrEnum
from typing import Annotated, ClassVar, Literal
from uuid import UUID

from babel.dates import format_skeleton
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, Json, NonNegativeInt, StringConstraints

from fundwright.core.days import OptionalDay
from fundwright.core.jobs import JobPayload, JobState
from fundwright.core.messages import current_language, from_stored, t
from fundwright.core.paging import Page, PageRequest
from fundwright.core.sizes import file_size
from fundwright.core.visible import visible_line
from fundwright.insights.schemas import CountedJob, UsageField
from fundwright.language.schemas import HeadingPath
from fundwright.reading.document import Mark
from fundwright.reading.entries import Entry, entries_of
from fundwright.reading.facts import Fact
from fundwright.reading.kinds import DocumentKind
from fundwright.reading.lines import Aside
from fundwright.reading.report import ReadingReport
from fundwright.workspaces.schemas import Access


class TrainDocuments(CountedJob):
    """The job that reads, splits, and embeds the documents of a training run."""

    job_kind: ClassVar[str] = "train"
    version: ClassVar[int] = 3
    """Earlier releases do not keep what they have read, so they leave these jobs alone."""
    counted_as: ClassVar[UsageField] = "trainings"

    run_id: UUID
    reads_again: bool = False
    """Whether the run was not started by a person: documents that cannot be read again stay as an earlier release has read them."""


class ProposeKinds(JobPayload):
    """The job that proposes kinds for documents that were trained before kinds existed."""

    job_kind: ClassVar[str] = "propose_kinds"


class RemoveFiles(JobPayload):
    """The job that deletes files of removed documents, unless other documents have the same content."""

    job_kind: ClassVar[str] = "remove_files"

    sha256: tuple[str, ...]


class FindFacts(JobPayload):
    """The job that finds the facts of a document again, because a person has chosen its kind: which facts there are depends on it."""

    job_kind: ClassVar[str] = "find_facts"

    document_id: UUID


class DocumentState(StrEnum):
    """`waiting` to be trained, `trained`, or `failed` in the last run that read it."""

    WAITING = "waiting"
    TRAINED = "trained"
    FAILED = "failed"

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {
            DocumentState.WAITING: t("Not trained yet"),
            DocumentState.TRAINED: t("Trained"),
            DocumentState.FAILED: t("Failed"),
        }[self]


class DocumentSource(StrEnum):
    UPLOAD = "upload"
    PASTE = "paste"


class Usage(BaseModel):
    """The storage that an account's own documents use in all workspaces. `most_bytes` is the limit, or None."""

    model_config = ConfigDict(frozen=True)

    size_bytes: int
    most_bytes: int | None

    @property
    def text(self) -> str:
        """In the reader's language."""
        used = file_size(self.size_bytes)
        return used if self.most_bytes is None else t("{used} of {limit}", used=used, limit=file_size(self.most_bytes))


class DocumentRead(BaseModel):
    """A document of the knowledge base. `error` says why the last run could not read it, `model_id` names the model that embedded
    it, `is_kind_chosen` and `is_date_chosen` say whether a person chose its kind and date, and `is_underway` whether a run will train it.
    `dated` is January 1 if only the year is known, and the first of the month if only the month is. With `is_always_used`, drafts use it
    although they would leave it out. `report` says what of its
    file was read, or is None if an earlier release read it. `resembles` is the earlier document of which
    it seems to be a new version, and `replaced_by` its newest version. `access` is what the reader may
    do if it is restricted to chosen members of the workspace, or else None."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    id: UUID
    title: str
    filename: str
    media_type: str
    sha256: str
    size_bytes: int
    source: DocumentSource
    is_sample: bool
    kind: DocumentKind
    is_kind_chosen: bool
    dated: date | None
    is_date_chosen: bool
    is_always_used: bool
    state: DocumentState
    error: str | None
    report: ReadingReport | None
    resembles: UUID | None
    replaced_by: UUID | None
    chunk_count: int
    model_id: str | None
    created_at: datetime
    trained_at: datetime | None
    is_underway: bool = False
    added_by: str = ""
    """The name of the account; "" for samples and deleted accounts."""
    collection_id: UUID | None = None
    collection: str = ""
    """The name of the collection that it is in."""
    access: Access | None = None

    @property
    def dated_text(self) -> str:
        """The month and year of its date, or only the year, in the reader's language; "" without a date."""
        return in_months(self.dated)

    @property
    def is_scan(self) -> bool:
        """Whether the text of most of its pages was recognized in pictures."""
        return self.report is not None and self.report.is_scan

    @property
    def is_changeable(self) -> bool:
        """Whether members of the workspace who may edit documents may edit this one."""
        return self.access in (None, Access.EDIT)


class IncompleteDocument(BaseModel):
    """A document and what was not read of it, in the reader's language."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    title: str
    unread: str


class IncompleteDocuments(BaseModel):
    """The first documents with parts that were not read, and how many more there are."""

    model_config = ConfigDict(frozen=True)

    documents: tuple[IncompleteDocument, ...] = ()
    more: int = 0


class VersionOffer(BaseModel):
    """A document that seems to be a new version of an earlier one, which it could replace."""

    model_config = ConfigDict(frozen=True)

    newer: DocumentRead
    earlier: DocumentRead

    @property
    def is_scan_of_text(self) -> bool:
        """Whether the text of the newer one was recognized in pictures, and that of the earlier one is in its file."""
        return self.newer.is_scan and not self.earlier.is_scan


class VersionNote(BaseModel):
    """`added` is when a document was added that is the newest version of others, and `replaced_at` when the newest version of a replaced one
    was added."""

    model_config = ConfigDict(frozen=True)

    added: datetime | None = None
    replaced_at: datetime | None = None


class Replacement(BaseModel):
    """The newer document that replaces another."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    document_id: UUID


class DocumentQuery(PageRequest):
    """Which documents to list: those of one kind, those in one collection, those with `text` in their titles, those that are restricted to chosen members of the
    workspace or those that are not, or only those that questions and drafts search. The sample is not searched once a document of your own is trained."""

    sorts: ClassVar[tuple[str, ...]] = ("title", "kind", "state", "size_bytes", "chunk_count", "created_at", "trained_at")

    kind: DocumentKind | None = None
    collection: UUID | None = None
    text: str = Field(default="", max_length=200)
    is_restricted: bool | None = None
    is_searched: bool = False


class AcceptedFormat(BaseModel):
    """A format of files that are read."""

    label: str
    media_type: str
    suffixes: tuple[str, ...]
    """How the names of its files end, such as “.pdf”."""


class PastedText(BaseModel):
    """Pasted text, and the collection to put it into. Markdown headings in it are recognized."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    title: str = Field(min_length=1, max_length=200)
    text: str = Field(min_length=1, max_length=2_000_000)
    collection_id: UUID | None = None


MAX_COLLECTION_NAME = 80


def _visible(name: str) -> str:
    if not (line := visible_line(name, most=MAX_COLLECTION_NAME)):
        raise ValueError(t("The name has no visible characters. Enter another name."))
    return line


class CollectionForm(BaseModel):
    """The name of a collection, which no other collection that you see has, ignoring case."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_COLLECTION_NAME),
        AfterValidator(_visible),
    ]


class CollectionRead(BaseModel):
    """A collection. `documents` counts those that the reader sees, `created_by` is "" once that account is deleted, and `access` is what
    the reader may do with it if it is restricted to chosen members of the workspace, or else None."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    name: str
    documents: int
    created_by: str
    created_at: datetime
    access: Access | None = None

    @property
    def is_changeable(self) -> bool:
        """Whether members of the workspace who may edit documents may change this collection."""
        return self.access in (None, Access.EDIT)


class RunQuery(PageRequest):
    """Which training runs to list, newest first unless `sort` is state, documents, chunks, duration_s, or created_at."""

    sorts: ClassVar[tuple[str, ...]] = ("state", "documents", "chunks", "duration_s", "created_at")


class RunDocumentQuery(PageRequest):
    """Which documents of a run to list, in its order unless `sort` is a field of `DocumentQuery`."""

    sorts: ClassVar[tuple[str, ...]] = DocumentQuery.sorts


class RunFailureQuery(PageRequest):
    """Which documents that a run could not train to list, in its order unless `sort` is title or reason."""

    sorts: ClassVar[tuple[str, ...]] = ("title", "reason")


class CollectionQuery(PageRequest):
    """Which collections to list, by name unless `sort` is name, documents, or created_at. `text` is part of a name."""

    sorts: ClassVar[tuple[str, ...]] = ("name", "documents", "created_at")

    text: str = Field(default="", max_length=200)
    is_restricted: bool | None = None


class CollectionChoice(BaseModel):
    """The collection to put a document into, or null for none."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    collection_id: UUID | None


class DocumentTitle(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    title: str = Field(min_length=1, max_length=200)


class DateChoice(BaseModel):
    """The date chosen for a document, or None if it has none. It is kept when the document is trained again."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    dated: OptionalDay


class KindChoice(BaseModel):
    """The kind chosen for a document. It is kept when the document is trained again."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: DocumentKind


class DocumentFailure(BaseModel):
    """Why a run could not read a document."""

    model_config = ConfigDict(frozen=True)

    document_id: UUID
    title: str
    reason: Annotated[str, BeforeValidator(from_stored)]


class RunRead(BaseModel):
    """A training run. `done` of `total` counts documents; `message` names the document being read."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    job_id: UUID
    state: JobState
    done: int
    total: int
    message: str
    documents: int
    chunks: int
    failed: tuple[DocumentFailure, ...]
    model_id: str | None
    error: str | None
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None

    @property
    def duration_s(self) -> float | None:
        if self.started_at is None or self.ended_at is None:
            return None
        return (self.ended_at - self.started_at).total_seconds()


class RunStart(BaseModel):
    """Which documents to train. If `document_ids` is null, all that are not yet trained with the model in use."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    document_ids: tuple[UUID, ...] | None = None


def in_months(dated: date | None) -> str:
    """Return the month and year of a document's date in the reader's language, only the year for January 1, and "" without a date."""
    if dated is None:
        return ""
    is_year = (dated.month, dated.day) == (1, 1)
    return format_skeleton("y" if is_year else "yMMMM", dated, locale=current_language())


class PassagePlace(BaseModel):
    """The position of a passage; offsets count characters of its document's text. `heading` and `page` apply to its beginning; if
    they change within it, `places` has (start in the passage, heading, page) of each part."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    heading: HeadingPath
    page: int | None
    start: int
    end: int
    places: tuple[tuple[int, HeadingPath, int | None], ...] = ()

    def place_at(self, offset: int) -> tuple[tuple[str, ...], int | None]:
        """Return the headings above a character of the passage, and its page."""
        found = (self.heading, self.page)
        for start, heading, page in self.places:
            if start <= offset:
                found = (heading, page)
        return found


class Passage(PassagePlace):
    """A passage found by a search. `score` in 0..1 sorts the results of one question; `similarity` is the cosine of the embeddings
    of passage and question."""

    document_id: UUID
    document_title: str
    document_kind: DocumentKind
    document_date: Annotated[datetime, AfterValidator(lambda at: at.astimezone(UTC))] | None = None
    """When the document was added, if it has replaced an earlier version."""
    dated: date | None = None
    """The date of the document."""
    text: str
    aside: Aside | None = None
    """Why it is no statement of the document: “box” for boxes that are not checked and rows that are answered with no, “speaker_notes” for the
    notes of a slide, or “quote” for what an email quotes of another message. Null if it is one."""
    score: float
    similarity: float

    def entries(self) -> list[Entry]:
        """Return the entries of its text, in order."""
        return entries_of(self.text, lambda offset: self.place_at(offset)[0])


def label_of(labels: Sequence[str], page: int | None) -> str:
    """What a document with these labels of pages calls a page, or "" if that is its number."""
    return labels[page - 1] if page is not None and page <= len(labels) else ""


class DocumentText(BaseModel):
    """The whole text of a document, and its passages in order."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    title: str
    kind: DocumentKind
    dated: date | None = None
    is_always_used: bool = False
    text: str
    passages: tuple[PassagePlace, ...]


@dataclass(frozen=True)
class TrainedDocument:
    """What reading found in a document. Offsets count characters of `text`, and `passages` are its statements, in order."""

    id: UUID
    owner_id: UUID
    text: str
    passages: Sequence[PassagePlace]
    facts: Sequence[Fact]


class Unsearched(BaseModel):
    """The documents that are not searchable yet: their number, how many of them are being trained, and the titles of the newest."""

    model_config = ConfigDict(frozen=True)

    count: int
    underway: int
    titles: tuple[str, ...]


class NearestPassage(BaseModel):
    """The passage that is most similar to a text. `similarity` is the cosine of the embeddings, at most 1."""

    model_config = ConfigDict(frozen=True)

    passage_id: UUID
    document_title: str
    similarity: float


class PassageInContext(PassagePlace):
    """A passage with the text around it, to show the source of a citation."""

    document_id: UUID
    document_title: str
    before: str
    text: str
    after: str


MAX_QUOTES = 20
Quotes = Annotated[tuple[tuple[NonNegativeInt, NonNegativeInt], ...], Field(max_length=MAX_QUOTES)]
"""Where in a passage the statements are that are cited: the first character of each, and the one after it."""


class ViewQuery(BaseModel):
    """What of a document to show: a page, a part of it if it is long, the hit with this number of the search `find`, or the passage with this id,
    of which only the `quotes` are highlighted if there are any.
    With `hidden`, text that a person does not see is shown, too. PDF and image documents are shown as pictures of their pages unless `view` is text."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    page: int | None = Field(default=None, ge=1, le=2**31 - 1)
    part: int | None = Field(default=None, ge=1, le=2**31 - 1)
    find: str = Field(default="", max_length=200)
    hit: int | None = Field(default=None, ge=1, le=2**31 - 1)
    passage: UUID | None = None
    quotes: Json[Quotes] = ()
    hidden: bool = False
    view: Literal["pages", "text"] = "pages"
    zoom: Literal["50", "75", "100", "150", "200"] = "100"


class PictureWidth(IntEnum):
    """The width of a picture of a page, in pixels."""

    NORMAL = 1_200
    LARGE = 2_400


class PageWord(BaseModel):
    """A word and its box, as shares of the page's width and height from its top left."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    text: str
    left: float
    top: float
    right: float
    bottom: float


class PageText(BaseModel):
    """The words of a page in the order of the file, the number of pages of the file, the page's height as a share of its width, and its width in
    points. The pages of image files have no points."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    pages: int
    height: float
    width: float | None = None
    words: tuple[PageWord, ...]


class BlockQuery(PageRequest):
    """Which blocks of a document to return, in reading order."""

    page_size: int = Field(default=100, ge=1, le=1_000)


class TextRun(BaseModel):
    """Text that a person sees, or that is marked as struck through, deleted with tracked changes, or hidden in another way."""

    model_config = ConfigDict(frozen=True)

    text: str
    mark: Mark | None = None


class BlockRead(BaseModel):
    """A part of a document. The blocks of a document are a tree: `parent` is the number of the block around this one. Cells are in tables, and
    other blocks in cells, notes, margins (headers and footers), figures, attachments, and what emails quote of other messages. A note follows the block that refers to it.
    Only the fields of its type are there, unless they have their default value."""

    model_config = ConfigDict(frozen=True)

    type: Literal["heading", "paragraph", "item", "table", "cell", "field", "note", "margin", "figure", "quote", "attachment"]
    number: int
    """From 1, in reading order."""
    parent: int | None = None
    page: int | None = None
    """From 1. None if the format has no pages. Blocks in an attachment have the page of the attachment."""
    page_label: str | None = None
    """What the file calls the page, such as “iv”, if it says so."""
    box: tuple[int, int, int, int] | None = None
    """Left, top, right, and bottom of what stands on a page of a PDF file, in points from the top left of the page as its picture shows it. An item has
    the box of its paragraph, and blocks in an attachment have none."""
    sheet: str | None = None
    """The name of the sheet of a spreadsheet that a table or paragraph is on."""
    cells: str | None = None
    """Its cells there, such as “B2:F14”. Those of a table go from its first row with names of columns to its last one."""
    text: tuple[TextRun, ...] = ()
    """The text of a heading, a paragraph, or an item, or the caption of a table."""
    level: int | None = None
    """That of a heading, from 1."""
    is_preformatted: bool = False
    """Whether spaces and line breaks are part of the text."""
    confidence: float | None = None
    """How certain text recognition is of a paragraph, from 0 to 1."""
    marker: str | None = None
    """The number of an item, such as “2.1.1”."""
    is_checked: bool | None = None
    """Whether the box of an item is checked. None if it has no box."""
    is_for_speaker: bool = False
    """Whether a note is for the person who presents its slide. It answers questions, but is never quoted in drafts."""
    head_rows: int | None = None
    """How many of the first rows of a table name its columns."""
    row: int | None = None
    """The first row of a cell, from 1, and so for its column."""
    column: int | None = None
    row_span: int = 1
    column_span: int = 1
    label: str | None = None
    """The label of a form field."""
    value: str | None = None
    filename: str | None = None
    """The name of an attachment."""


class BlockPage(Page[BlockRead]):
    """Blocks of a document. `version` is increased when the meaning of a field changes."""

    version: Literal[1]
