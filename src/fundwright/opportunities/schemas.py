"""Types of opportunities."""

from __future__ import annotations

import re
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NotRequired, TypedDict, cast
from uuid import UUID

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from fundwright.core.days import Day, Moment
from fundwright.core.jobs import JobPayload, JobState
from fundwright.core.json_values import JsonObject
from fundwright.core.messages import nt, t
from fundwright.core.paging import Page, PageRequest
from fundwright.insights.schemas import CountedJob, UsageField
from fundwright.opportunities.washington import day_in_washington, moment

Kind = Literal["contract", "grant"]
Status = Literal["posted", "forecasted", "archived"]
Availability = Literal["open", "closed", "award"]

AWARD_NOTICE = "Award Notice"
NEVER_OPEN = frozenset({AWARD_NOTICE, "Justification", "Justification and Approval (J&A)"})
"""The types of notices that ask for nothing."""

Watching = Literal["me", "anyone"]
"""Who in the workspace watches a notice."""

Reason = Literal["number", "all_words", "words", "meaning"]

SEPARATOR = "|"
"""Between several values of a filter in the address of a list."""


_Values = Annotated[tuple[Annotated[str, Field(max_length=300)], ...], Field(max_length=100)]
"""Values of a filter, one of which a notice must have."""


def _as_list(given: object) -> object:
    """A single code, as in saved searches that are older than lists of codes, is a list of one."""
    return (given,) if isinstance(given, str) else given


def _beginnings(codes: tuple[str, ...]) -> tuple[str, ...]:
    for code in filter(None, codes):
        if not _NAICS.fullmatch(code):
            raise ValueError(
                t("“{value}” does not begin a NAICS code. Write its first 2 to 6 digits, such as 54.", value=code[:50])
            )
    return tuple(filter(None, codes))


_NAICS = re.compile(r"[0-9]{2,6}")
_Codes = Annotated[tuple[str, ...], Field(max_length=100), BeforeValidator(_as_list), AfterValidator(_beginnings)]


class OpportunityQuery(PageRequest):
    """Which opportunities to list. Filters are combined with "and", values of one filter with "or".

    `sort` is relevance (needs `text`), due, posted, title, agency, number, or type; `-posted` is newest first. The default is
    relevance for a search and newest first otherwise.

    Notices match `text` if they have all of its words or a number in it. If there are few, close matches follow: notices with some
    of the words or with a similar meaning. Quotes, minus, and "or" are conditions for close matches, too, and so are the filters.

    A search returns one notice of each solicitation (notices with the same number), at the place of the best one: the newest of
    those found that is not an award notice. If more than 600 notices match, this applies only to the best of them. Without `text`,
    every notice is listed.

    Words that hardly any notice has are replaced with similar words that many have, unless `verbatim` is set.
    """

    sorts: ClassVar[tuple[str, ...]] = ("relevance", "due", "posted", "title", "agency", "number", "type")

    kind: Kind | None = None
    text: str = Field(default="", max_length=500, description='Words, "exact phrases", -without, this or that.')
    agency: Annotated[_Values, Field(description="Agencies or sub-agencies, as published.")] = ()
    type: _Values = ()
    number: str = Field(default="", max_length=100, description="All notices with this number, however it is typed.")
    naics: _Codes = Field(default=(), description="The first 2 to 6 digits of NAICS codes, one of which a notice must have.")
    set_aside: _Values = ()
    activity_code: _Values = ()
    source: _Values = ()
    due_from: Day | None = None
    due_to: Day | None = None
    posted_from: Day | None = None
    posted_to: Day | None = None
    added_after: Moment | None = Field(
        default=None, description="Only notices that were first imported after this moment. A search finds no close matches then."
    )
    availability: Availability | None = Field(
        default=None, description="Open, closed, or award notices, which are neither; all of them by default."
    )
    category: UUID | None = None
    watched: Watching | None = Field(
        default=None, description="Only notices that you watch, or that anyone in the workspace watches."
    )
    sample: bool | None = None
    verbatim: bool = Field(default=False, description="Search the text as it is typed, misspelled words included.")


class Listed(BaseModel):
    """Base class of rows of which an open page holds dozens. Pydantic stores the set of given fields for each object, which
    takes more memory than the fields; here, all objects of a class share one set."""

    _given: ClassVar[set[str]]

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        cls._given = set(cls.model_fields)

    def model_post_init(self, context: Any, /) -> None:
        object.__setattr__(self, "__pydantic_fields_set__", self._given)


class Match(Listed):
    """Why a search found an opportunity: a number, all words, some of them, or a similar meaning. `passage` is the part of a close
    match that fits best, or the beginning of its description; `marks` are the (start, end) positions of the search words in it."""

    model_config = ConfigDict(frozen=True)

    reason: Reason
    is_close: bool
    passage: str
    marks: list[tuple[int, int]]


def _day(published: object) -> object:
    if not isinstance(published, str):
        return published
    at = moment(published)
    return day_in_washington(at) if at else None


class Award(Listed):
    """The award of an award notice, or the newest award of a solicitation. `id` is the id of the award notice."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    awarded_on: Annotated[date | None, BeforeValidator(_day)]
    awardee: str
    amount: Decimal | None


class OpportunityRow(Listed):
    """An opportunity as a row of a list. `notices` counts the notices of its kind with its number, including itself. An award notice
    has its own `award`, any other notice the newest one of its solicitation, if there is one. `value` is, in US dollars, the amount
    of the award, or else the total funding or the award ceiling."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    id: UUID
    source: str
    kind: Kind
    number: str
    title: str
    agency: str
    sub_agency: str
    type: str
    status: Status
    naics: str
    psc: str
    set_aside_code: str
    set_aside: str
    activity_codes: list[str]
    posted_at: datetime
    due_at: datetime | None
    due_note: str
    is_open: bool
    is_sample: bool
    version: int
    notices: int = 1
    value: Decimal | None = None
    award: Award | None = None
    match: Match | None = None

    @property
    def is_award(self) -> bool:
        """Whether it is an award notice."""
        return self.award is not None and self.award.id == self.id


class FoundPage(Page[OpportunityRow]):
    """`corrected` is the text that was searched if the given text had misspelled words, and otherwise empty. `has_uncounted` says
    that a search found more than `total` opportunities: only `total` are listed, but the export contains all."""

    corrected: str = ""
    has_uncounted: bool = False


def kind_label(kind: Kind) -> str:
    """In the reader's language."""
    return {"contract": t("Contract"), "grant": t("Grant")}[kind]


def status_label(status: Status) -> str:
    """In the reader's language."""
    return {"posted": t("Posted"), "forecasted": t("Forecast"), "archived": t("Archived")}[status]


def in_words(value: object) -> str:
    """Format a value of a published record for people: `93.226; 93.10`, or `number 93.310, title Diabetes` for an object."""
    if isinstance(value, list):
        return "; ".join(in_words(item) for item in cast(list[object], value))
    if isinstance(value, dict):
        return ", ".join(f"{key} {in_words(item)}" for key, item in cast(dict[str, object], value).items())
    return str(value)


class Contact(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: str = ""
    title: str = ""
    email: str = ""
    phone: str = ""
    fax: str = ""


class OpportunityRead(OpportunityRow):
    """All data of an opportunity. Amounts are in US dollars; `raw` is the source's record as published."""

    external_id: str
    office: str
    assistance_listings: list[str]
    archive_at: datetime | None
    place: str
    contacts: list[Contact]
    award_amount: Decimal | None
    award_ceiling: Decimal | None
    award_floor: Decimal | None
    total_funding: Decimal | None
    expected_awards: int | None
    eligibility: str
    description: str
    url: str
    raw: JsonObject
    first_seen_at: datetime
    last_seen_at: datetime
    updated_at: datetime


class WatchRead(BaseModel):
    """Who watches a notice or another one of its solicitation: the reader, and the names of other members of the workspace."""

    model_config = ConfigDict(frozen=True)

    is_watched: bool
    others: list[str]


class FieldChange(BaseModel):
    """A field of the source's record before and after a change; '' if it was absent."""

    model_config = ConfigDict(frozen=True)

    field: str
    before: str
    after: str


class VersionRead(BaseModel):
    """A version of a notice and its changes; the first version has none."""

    model_config = ConfigDict(frozen=True)

    number: int
    seen_at: datetime
    changes: list[FieldChange]


class FacetValue(Listed):
    """A value of a filter, and how many opportunities have it."""

    model_config = ConfigDict(frozen=True)

    value: str
    label: str
    count: int


class Facets(BaseModel):
    """The values that the filters of a list offer, most frequent first."""

    model_config = ConfigDict(frozen=True)

    agencies: list[FacetValue]
    types: list[FacetValue]
    set_asides: list[FacetValue]
    activity_codes: list[FacetValue]
    sources: list[FacetValue]
    total: int
    samples: int
    totals: dict[Kind, int]
    """The number of opportunities of each kind."""


class WeekOfDeadlines(BaseModel):
    """How many open opportunities are due in the 7 days from `first`, in Washington."""

    model_config = ConfigDict(frozen=True)

    first: date
    count: int


class Deadlines(BaseModel):
    """The next deadlines, soonest first, and the number in each of the next 8 weeks from today: those in the actor's categories, or
    all if nothing open is in them."""

    model_config = ConfigDict(frozen=True)

    items: list[OpportunityRow]
    weeks: list[WeekOfDeadlines]
    is_of_categories: bool


class SourceRead(BaseModel):
    model_config = ConfigDict(frozen=True, from_attributes=True)

    name: str
    label: str
    kind: Kind
    file_suffixes: tuple[str, ...]


MAX_LISTED = 20
"""How many deadlines, ids, and columns the warnings of an import list."""


class TextDeadline(BaseModel):
    """A deadline that is not a date, and the line of the file on which its notice begins."""

    model_config = ConfigDict(frozen=True)

    line: int
    text: str


class ImportWarnings(BaseModel):
    """What an import read in another way than the file may mean: how many deadlines were kept as text, how many rows repeat a notice of
    an earlier row, and which columns are unknown. The first deadlines and ids are listed."""

    model_config = ConfigDict(frozen=True)

    deadlines: int = 0
    first_deadlines: list[TextDeadline] = []
    duplicates: int = 0
    duplicate_ids: list[str] = []
    unused_columns: list[str] = []

    def __add__(self, other: ImportWarnings) -> ImportWarnings:
        return ImportWarnings(
            deadlines=self.deadlines + other.deadlines,
            first_deadlines=(self.first_deadlines + other.first_deadlines)[:MAX_LISTED],
            duplicates=self.duplicates + other.duplicates,
            duplicate_ids=_distinct(self.duplicate_ids + other.duplicate_ids),
            unused_columns=_distinct(self.unused_columns + other.unused_columns),
        )

    def sentences(self) -> list[str]:
        """In the reader's language."""
        found: list[str] = []
        if self.deadlines:
            examples = ", ".join(t("line {line} “{text}”", line=each.line, text=each.text) for each in self.first_deadlines)
            found.append(
                nt(
                    "{n} deadline is not a date and was kept as text: {examples}",
                    "{n} deadlines are not dates and were kept as text: {examples}",
                    self.deadlines,
                    examples=examples + (" …" if self.deadlines > len(self.first_deadlines) else ""),
                )
            )
        if self.duplicates:
            found.append(
                nt(
                    "{n} row repeats a notice from an earlier row: {ids}",
                    "{n} rows repeat notices from earlier rows: {ids}",
                    self.duplicates,
                    ids=", ".join(self.duplicate_ids) + (" …" if self.duplicates > len(self.duplicate_ids) == MAX_LISTED else ""),
                )
            )
        if self.unused_columns:
            columns = ", ".join(t("“{name}”", name=name) for name in self.unused_columns)
            found.append(
                nt(
                    "{n} unrecognized column was ignored: {columns}",
                    "{n} unrecognized columns were ignored: {columns}",
                    len(self.unused_columns),
                    columns=columns,
                )
            )
        return found


def _distinct(texts: list[str]) -> list[str]:
    return list(dict.fromkeys(texts))[:MAX_LISTED]


class ImportCounts(BaseModel):
    """The result counts of an import. `samples_removed` is the number of sample opportunities that it removed."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    rejected: int = 0
    samples_removed: int = 0
    warnings: ImportWarnings = ImportWarnings()


class ImportOpportunities(CountedJob):
    """The job of an import. It reads `upload`, a spooled file, or else the file at `path` on this machine."""

    job_kind: ClassVar[str] = "import"
    counted_as: ClassVar[UsageField] = "imports"

    run_id: UUID
    source: str
    upload: str | None = None
    path: Path | None = None


class ImportResult(TypedDict):
    run_id: str
    new: int
    changed: int
    unchanged: int
    rejected: int
    samples_removed: NotRequired[int]
    """Imports of earlier versions did not count them."""


class CategorizeOpportunities(JobPayload):
    """The job that sorts all opportunities into the categories of its owner."""

    job_kind: ClassVar[str] = "categorize"


class SortingCounts(TypedDict):
    labeled: int
    unchanged: int
    abstained: int
    kept: int


class SortingResult(SortingCounts):
    waiting: int
    """The number of opportunities that are not embedded yet."""
    model: str


class EmbedOpportunities(JobPayload):
    """The installation's job that embeds notices without an embedding of the current model."""

    job_kind: ClassVar[str] = "embed"


class RejectionRead(BaseModel):
    """A rejected row. `column` is the name or number of the field, or '' for the whole row."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    line: int
    column: str
    reason: str


class ImportQuery(PageRequest):
    """Which imports to list. Without sources, imports of all sources."""

    model_config = ConfigDict(frozen=True)

    source: tuple[str, ...] = ()


class ImportRunRead(ImportCounts):
    """An import of a file. `state` is the state of its job; samples have none. `done` of `size_bytes` have been read."""

    id: UUID
    job_id: UUID | None
    source: str
    filename: str
    is_sample: bool
    created_at: datetime
    state: JobState | None = None
    error: str | None = None
    done: int = 0
    size_bytes: int | None = None


class ImportReport(ImportCounts):
    """The result of an import on the command line, with the first `rejections`."""

    source: str
    filename: str
    run_id: UUID
    rejections: list[RejectionRead]


class Requirements(BaseModel):
    """What an opportunity asks of those who respond. `applicants` are the codes of Grants.gov for types of applicants, with two digits."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    kind: Kind
    title: str
    naics: str
    set_aside_code: str
    applicants: tuple[str, ...]
    place: str
    due_at: datetime | None
    is_open: bool


class Similar(BaseModel):
    """A similar opportunity; `similarity` is the cosine of the embeddings, at most 1."""

    model_config = ConfigDict(frozen=True)

    opportunity: OpportunityRow
    similarity: float
