"""Types of generation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, ClassVar, Literal, TypedDict
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainSerializer, StringConstraints

from fundwright.core.jobs import JobPayload
from fundwright.core.messages import number, t
from fundwright.core.paging import PageRequest
from fundwright.core.visible import visible_line
from fundwright.insights.schemas import CountedJob, UsageField
from fundwright.language.schemas import heading_text
from fundwright.workspaces.schemas import Access

MAX_SOURCES = 10_000
MAX_COMPANY_CHARACTERS = 200
LARGEST_INTEGER = 2**31 - 1
"""The largest value of an integer column."""


class DraftState(StrEnum):
    """`canceled` by the author, or `failed`. In both cases, the draft can be continued."""

    QUEUED = "queued"
    WRITING = "writing"
    FINISHED = "finished"
    CANCELED = "canceled"
    FAILED = "failed"

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {
            DraftState.QUEUED: t("Waiting"),
            DraftState.WRITING: t("Writing"),
            DraftState.FINISHED: t("Finished"),
            DraftState.CANCELED: t("Canceled"),
            DraftState.FAILED: t("Failed"),
        }[self]

    @property
    def is_over(self) -> bool:
        return self not in (DraftState.QUEUED, DraftState.WRITING)


class WriteDraft(CountedJob):
    """The job that writes the unfinished sections of a draft."""

    job_kind: ClassVar[str] = "draft"
    counted_as: ClassVar[UsageField] = "drafts"

    draft_id: UUID


class WriteSection(JobPayload):
    """The job that regenerates a section. Its result replaces the text unless the section changed in the meantime."""

    job_kind: ClassVar[str] = "draft_section"

    section_id: UUID
    instructions: str = ""


class WrittenDraft(TypedDict):
    draft_id: str
    slug: str


class WrittenSection(WrittenDraft):
    outcome: Rewriting


class SectionState(StrEnum):
    WAITING = "waiting"
    WRITING = "writing"
    DONE = "done"


class Rewriting(StrEnum):
    """The outcome of the last request to regenerate a section."""

    UNDERWAY = "underway"
    REPLACED = "replaced"
    SAME = "same"
    NOTHING_FOUND = "nothing_found"
    KEPT_AS_VERSION = "kept_as_version"
    CANCELED = "canceled"
    FAILED = "failed"


class Provenance(StrEnum):
    """Where a sentence comes from. `quoted`: it stands word for word in a cited passage. `edited`: a part of a sentence there, or with words of
    little meaning added, dropped, or replaced. `written`: in other words. `no_source`: it cites nothing."""

    QUOTED = "quoted"
    EDITED = "edited"
    WRITTEN = "written"
    NO_SOURCE = "no_source"

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {
            Provenance.QUOTED: t("Quoted"),
            Provenance.EDITED: t("Edited quotation"),
            Provenance.WRITTEN: t("In other words"),
            Provenance.NO_SOURCE: t("No source"),
        }[self]


class PassageQuote(BaseModel):
    """Characters of the passage that [number] cites, counted from 0."""

    model_config = ConfigDict(frozen=True)

    number: int
    start: int
    end: int


class ClaimCheck(BaseModel):
    """Where a sentence, a list item, or a cell comes from, given by the characters `start` to `end` of its section's text.

    `numbers` are the citations it was compared with, and `quotes` the words there that it repeats. If it is in other words, `found` counts its figures
    and names that stand in one record of each passage, and `missing` lists those that do not, and words that turn the meaning, such as “not.”
    """

    model_config = ConfigDict(frozen=True)

    start: int
    end: int
    provenance: Provenance
    numbers: tuple[int, ...]
    quotes: tuple[PassageQuote, ...]
    found: int = 0
    missing: tuple[str, ...]
    cited: tuple[int, ...] = ()
    """What it cites, or if it cites nothing, what a later sentence of its paragraph cites."""

    @property
    def is_open(self) -> bool:
        """Whether a person must look at it: something is missing in the passages, or it has no source."""
        return bool(self.missing) or self.provenance is Provenance.NO_SOURCE


class Checking(StrEnum):
    """Whether the claims of a section have been checked. `too_long`: only the first ones, because all would take too long."""

    DONE = "done"
    OUTSTANDING = "outstanding"
    TOO_LONG = "too_long"


class KeptChecks(BaseModel):
    """The checks of the claims of a section, as kept with it: of which revision of its text, and by which version of the checker."""

    revision: int
    checker: int
    is_too_long: bool = False
    claims: tuple[ClaimCheck, ...] = ()


class MatchSource(TypedDict):
    """The passage that a possible match quotes, as its citation will store it."""

    passage_id: str
    document_id: str
    document_title: str
    heading: Sequence[str]
    page: int | None
    text: str


class PossibleMatchRecord(TypedDict):
    """A possible match as stored with its section. `number` is the number of its citation, once the whole text is written."""

    question: str
    text: str
    number: int | None
    source: MatchSource | None


class PossibleMatchRead(BaseModel):
    """A quotation that may answer an open question and must be reviewed. `question` is the open question, and `number` the number
    of the citation."""

    model_config = ConfigDict(frozen=True)

    question: str
    text: str
    number: int | None


class DraftSectionRead(BaseModel):
    """A section in its current state. `text` is Markdown with citations [n]; `open_questions` says what the documents do not
    answer.

    While the section is being written, `text` is what the writer has written so far.
    """

    model_config = ConfigDict(frozen=True)

    id: UUID
    ordinal: int
    heading: str
    is_added: bool
    """Whether a person added it, so that its heading is not from the template."""
    text: str
    revision: int
    state: SectionState
    rewriting: Rewriting | None
    error: str | None
    """Why the section could not be regenerated."""
    open_questions: tuple[str, ...]
    possible_matches: tuple[PossibleMatchRead, ...] = ()
    done_questions: tuple[str, ...]
    dropped_citations: int
    """The number of citations that the writer made up (numbers without a passage) and that were removed."""
    checks: tuple[ClaimCheck, ...] = ()
    """The check of each claim of a finished section, in text order."""
    checking: Checking = Checking.OUTSTANDING
    """Whether `checks` are complete. Claims are checked after each change of the text."""


_MAX_TITLE_CHARACTERS = 300
_Heading = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=_MAX_TITLE_CHARACTERS)]
_Instructions = Annotated[str, StringConstraints(strip_whitespace=True, max_length=2_000)]
_MAX_CHARACTERS = 200_000


def _short_enough(text: str) -> str:
    if len(text) > _MAX_CHARACTERS:
        raise ValueError(
            t(
                "A section can have at most {most} characters, and this one has {n}. Move a part of it to another section.",
                most=number(_MAX_CHARACTERS),
                n=number(len(text)),
            )
        )
    return text


_Text = Annotated[str, AfterValidator(_short_enough), Field(json_schema_extra={"maxLength": _MAX_CHARACTERS})]


def _visible(title: str) -> str:
    """Pages of share links, files, and activity show it."""
    if not (line := visible_line(title, most=_MAX_TITLE_CHARACTERS)):
        raise ValueError(t("The title has no visible characters. Enter another title."))
    return line


class DraftTitle(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    title: Annotated[_Heading, AfterValidator(_visible)]


class DraftSources(BaseModel):
    """The documents that a draft is based on. An empty list means all of your documents."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    document_ids: tuple[UUID, ...] = Field(default=(), max_length=MAX_SOURCES)


class SectionSave(BaseModel):
    """The whole new content of a section. `based_on` is the `revision` that was edited.

    An open editor identifies itself with `editor` and numbers its saves with `sequence`, so that a repeated save counts once.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    heading: _Heading
    text: _Text
    based_on: int = Field(ge=0)
    editor: str = Field(default="", max_length=64)
    sequence: int = Field(default=0, ge=0, le=LARGEST_INTEGER)


class NewSection(BaseModel):
    """A section to add at `position` (from 0; at the end by default). With `instructions`, the writer writes it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    heading: _Heading
    instructions: _Instructions = ""
    position: int | None = Field(default=None, ge=0, le=1_000)


class SectionPosition(BaseModel):
    """The position of a section in the draft, counted from 0."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    position: int = Field(ge=0, le=1_000)


class Regeneration(BaseModel):
    """`instructions` describe what the section should say, in your own words."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    instructions: _Instructions = ""


class QuestionChange(BaseModel):
    """One of the section's questions, and whether it is done."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str = Field(max_length=2_000)
    is_done: bool


class MatchDecision(BaseModel):
    """Whether a possible match, identified by its question and text, is added to the section with its citation or dismissed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str = Field(max_length=2_000)
    text: str = Field(max_length=10_000)
    is_accepted: bool


class VersionOrigin(StrEnum):
    WRITER = "writer"
    PERSON = "person"
    RESTORED = "restored"

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {
            VersionOrigin.WRITER: t("Generated"),
            VersionOrigin.PERSON: t("Edited"),
            VersionOrigin.RESTORED: t("Restored"),
        }[self]


class VersionRead(BaseModel):
    """A version of a section's text, current from `created_at` on. `author` is empty if the writer wrote it."""

    model_config = ConfigDict(frozen=True)

    number: int
    heading: str
    text: str
    origin: VersionOrigin
    author: str
    created_at: datetime
    changed_at: datetime
    is_current: bool


class DiffPiece(BaseModel):
    """Text that both versions share, or that only one of them has."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["same", "removed", "added"]
    text: str


class KeptText(BaseModel):
    """Heading and text to keep as a version of a section, which stays as it is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    heading: _Heading
    text: _Text


class SectionText(BaseModel):
    """A text to compare with the text of a section."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: _Text


class SectionComparison(BaseModel):
    """The current section, and the differences between its text and another text."""

    model_config = ConfigDict(frozen=True)

    section: DraftSectionRead
    pieces: tuple[DiffPiece, ...]
    changed_by: str
    """Who made the section as it is; empty if the writer did."""
    is_own_change: bool
    """Whether the reader made it, for example in another tab."""
    changed_at: datetime | None


class VersionDiff(BaseModel):
    """The changes from a version's text to the current text."""

    model_config = ConfigDict(frozen=True)

    number: int
    pieces: tuple[DiffPiece, ...]


CitedHeading = Annotated[
    tuple[str, ...], PlainSerializer(lambda path: heading_text(path) or None, return_type=str | None, when_used="json")
]
"""Like `HeadingPath`; null in JSON if there is none."""


class CitationRead(BaseModel):
    """What [number] refers to, as it was when the draft was written, even if the document has been removed since.

    `quotes` are the (start, end) character ranges of `text` that support the draft. If the document is hidden from the reader
    (`is_restricted`), only the number is known.
    """

    model_config = ConfigDict(frozen=True)

    number: int
    passage_id: UUID | None
    document_id: UUID | None
    document_title: str
    heading: CitedHeading
    page: int | None
    page_label: str = ""
    """What the document calls the page, if that is not its number."""
    text: str
    quotes: tuple[tuple[int, int], ...] = ()
    is_restricted: bool = False


@dataclass(frozen=True)
class SuggestedCompany:
    """On whose behalf the next draft may be written: the company of the last draft, and the legal name that people accepted as a fact, or
    else the company that most of the workspace's own documents name; each is "" if there is none."""

    of_last_draft: str = ""
    of_documents: str = ""

    @property
    def name(self) -> str:
        return self.of_last_draft or self.of_documents

    @property
    def is_doubtful(self) -> bool:
        """Whether the documents name another company than the last draft."""
        return bool(self.of_documents) and self.name != self.of_documents


class DraftQuery(PageRequest):
    """Which drafts to list: `text` is searched in titles, and `is_restricted` are those that only chosen members of the workspace see, or
    all others. By default, the newest come first."""

    sorts: ClassVar[tuple[str, ...]] = ("title", "template_title", "opportunity_title", "state", "created_at", "ended_at")

    text: str = Field(default="", max_length=500)
    state: DraftState | None = None
    opportunity_id: UUID | None = None
    is_restricted: bool | None = None


class DraftLink(BaseModel):
    """The title of a draft, and the path of its page."""

    model_config = ConfigDict(frozen=True)

    title: str
    path: str


class DraftRow(BaseModel):
    """A draft in a list. `number` tells drafts with the same title apart: 1 for the oldest. `access` is what the reader may do if it is
    restricted to chosen members of the workspace, or else None."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    slug: str
    title: str
    template: str
    template_title: str
    opportunity_id: UUID
    opportunity_title: str
    state: DraftState
    writer_label: str
    created_at: datetime
    created_by: str = ""
    """The name of the account; "" once it is deleted."""
    ended_at: datetime | None
    job_id: UUID | None
    number: int = 1
    access: Access | None = None

    @property
    def listed_title(self) -> str:
        """The title in a list. What is exported has no number."""
        return self.title if self.number == 1 else f"{self.title} ({self.number})"

    @property
    def is_changeable(self) -> bool:
        """Whether members of the workspace who may edit drafts may edit this one."""
        return self.access in (None, Access.EDIT)


class DraftRead(DraftRow):
    """A draft with its text. `document_ids` lists the documents it is based on; an empty list means all. A letter has no section
    headings."""

    writer_id: str
    opportunity_number: str
    is_letter: bool
    company: str
    document_ids: tuple[UUID, ...]
    error: str | None
    sections: tuple[DraftSectionRead, ...]
    citations: tuple[CitationRead, ...]

    @property
    def is_complete(self) -> bool:
        """Whether every section is written."""
        return self.done_sections == len(self.sections)

    @property
    def is_being_written(self) -> bool:
        """Whether a writer is working on the draft or one of its sections."""
        return not self.state.is_over or any(section.rewriting is Rewriting.UNDERWAY for section in self.sections)

    @property
    def done_sections(self) -> int:
        return sum(section.state == SectionState.DONE for section in self.sections)

    @property
    def checks(self) -> Sequence[ClaimCheck]:
        """The checks of the claims of all sections."""
        return [check for section in self.sections for check in section.checks]

    @property
    def is_checked(self) -> bool:
        """Whether no check of a finished section is outstanding."""
        done = (section for section in self.sections if section.state == SectionState.DONE)
        return all(section.checking is not Checking.OUTSTANDING for section in done)

    @property
    def open_questions(self) -> tuple[tuple[str, str], ...]:
        """(heading, what is missing) of everything that the documents do not answer."""
        return tuple((section.heading, missing) for section in self.sections for missing in section.open_questions)


class DraftStart(BaseModel):
    """`opportunity_id` is the opportunity's id, its number, or its source id, and `template` the name of a template, or the title of one
    of the workspace's own. The draft is based on the documents in `document_ids`, or on all if the list is empty, and is written on
    behalf of `company`."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    opportunity_id: str = Field(min_length=1, max_length=200)
    template: str = Field(max_length=200)
    document_ids: tuple[UUID, ...] = Field(default=(), max_length=MAX_SOURCES)
    company: str = Field(default="", max_length=MAX_COMPANY_CHARACTERS)


class ExportFormat(StrEnum):
    MARKDOWN = "md"
    DOCX = "docx"


class CitationStyle(StrEnum):
    """How an exported draft shows its citations: as footnotes, or not at all."""

    FOOTNOTES = "footnotes"
    NONE = "none"


class ExportWarningKind(StrEnum):
    """Why a person should check part of a draft before it is submitted. `unsupported`: the cited passages do not state its figures or names.
    `placeholder`: something is to be filled in. `unsigned`: a letter ends without a name. `empty`: the section is left out, because it has no text.
    `internal`: a note that is not meant for others, or a sentence that cites a document of the kinds Internal or About others."""

    UNSUPPORTED = "unsupported"
    PLACEHOLDER = "placeholder"
    UNSIGNED = "unsigned"
    EMPTY = "empty"
    INTERNAL = "internal"

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {
            ExportWarningKind.UNSUPPORTED: t("Not in the sources"),
            ExportWarningKind.PLACEHOLDER: t("To fill in"),
            ExportWarningKind.UNSIGNED: t("No signature"),
            ExportWarningKind.EMPTY: t("Empty section"),
            ExportWarningKind.INTERNAL: t("Not for release"),
        }[self]


class ExportWarning(BaseModel):
    """A sentence to check, given by the characters `start` to `end` of its section's text, and by `text`, which leaves out citations; both are
    empty for a whole section. `details` are the figures and names, or the placeholders."""

    model_config = ConfigDict(frozen=True)

    kind: ExportWarningKind
    section_id: UUID
    heading: str
    start: int
    end: int
    text: str
    details: tuple[str, ...] = ()


class ExportedDraft(BaseModel):
    """A file to download."""

    model_config = ConfigDict(frozen=True)

    filename: str
    media_type: str
    content: bytes
