"""Types of insights."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import ClassVar, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, computed_field, model_validator
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor
from fundwright.core.database import now
from fundwright.core.days import Day
from fundwright.core.jobs import JobPayload, JobState
from fundwright.core.messages import t
from fundwright.core.paging import PageRequest

KEPT_DAYS = 400
"""How long a page view is kept."""

UsageField = Literal["drafts", "imports", "trainings"]
"""The field of `DayUsage` that counts a job."""

HistoryState = Literal["underway", "succeeded", "failed", "canceled"]
"""`underway` is waiting or running."""

UNDERWAY: Sequence[JobState] = (JobState.QUEUED, JobState.RUNNING)
STATES: Mapping[HistoryState, Sequence[JobState]] = {
    "underway": UNDERWAY,
    "succeeded": (JobState.SUCCEEDED,),
    "failed": (JobState.FAILED,),
    "canceled": (JobState.CANCELED,),
}


class CountedJob(JobPayload):
    """The payload of a kind of job that usage counts."""

    counted_as: ClassVar[UsageField]


def kinds_counted_as(field: UsageField) -> list[str]:
    """The kinds of job that the slices have declared as a `CountedJob` of this field."""
    return [payload.job_kind for payload in CountedJob.__subclasses__() if payload.counted_as == field]


class Viewed(BaseModel):
    """A page view on its way to the database."""

    model_config = ConfigDict(frozen=True)

    path: str
    at: datetime
    account_id: UUID | None
    language: str


class Figure(BaseModel):
    """A number on the dashboard: how many there are in the list at `path`. `label` is in the reader's language."""

    model_config = ConfigDict(frozen=True)

    label: str
    count: int
    path: str


FigureReader = Callable[[AsyncSession, Actor], Awaitable[Sequence[Figure]]]
"""Reads the figures of one slice or package."""


class UsageQuery(BaseModel):
    """Which days, in UTC: the last `days` up to today, or from `day_from` to `day_to`, both included."""

    model_config = ConfigDict(frozen=True)

    days: Literal["7", "30", "90"] = "30"
    day_from: Day | None = None
    day_to: Day | None = None

    @model_validator(mode="after")
    def _require_valid_span(self) -> Self:
        if self.last < self.first:
            raise ValueError(t("The start date is after the end date. Change one of them."))
        if (self.last - self.first).days >= KEPT_DAYS:
            raise ValueError(t("The period is longer than {days} days. Choose a later start date.", days=KEPT_DAYS))
        return self

    @property
    def last(self) -> date:
        return self.day_to or now().date()

    @property
    def first(self) -> date:
        return self.day_from or self.last - timedelta(days=int(self.days) - 1)


class PagesQuery(UsageQuery, PageRequest):
    """Which pages were visited on these days. `sort` is path, views, or people; the most viewed come first by default."""

    sorts: ClassVar[tuple[str, ...]] = ("path", "views", "people")


class DayUsage(BaseModel):
    """One day in UTC. `people` are accounts that opened a page."""

    model_config = ConfigDict(frozen=True)

    day: date
    views: int = 0
    people: int = 0
    drafts: int = 0
    imports: int = 0
    trainings: int = 0


class UsageRead(BaseModel):
    """Each day of a span, oldest first, and their sums. `people` counts everyone once."""

    model_config = ConfigDict(frozen=True)

    days: list[DayUsage]
    people: int

    @computed_field
    @property
    def views(self) -> int:
        return sum(day.views for day in self.days)

    @computed_field
    @property
    def drafts(self) -> int:
        return sum(day.drafts for day in self.days)

    @computed_field
    @property
    def imports(self) -> int:
        return sum(day.imports for day in self.days)

    @computed_field
    @property
    def trainings(self) -> int:
        return sum(day.trainings for day in self.days)


class PageVisits(BaseModel):
    """Views of a page, and the number of accounts."""

    model_config = ConfigDict(frozen=True)

    path: str
    views: int
    people: int


class HistoryQuery(PageRequest):
    """Which of everyone's jobs to list. `sort` is kind, title, person, state, created_at, or duration_s; the newest come first by
    default."""

    sorts: ClassVar[tuple[str, ...]] = ("kind", "title", "person", "state", "created_at", "duration_s")

    kind: str = Field(default="", max_length=80)
    state: HistoryState | None = None
    person: UUID | None = None


class HistoryRow(BaseModel):
    """A job in the history, without its content. `person` is "" once the account is deleted, and for an import of the command
    line, which has no owner. `title` is "" for a job of a workspace that the reader may not see."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    id: UUID
    kind: str
    title: str
    account_id: UUID | None
    person: str
    state: JobState
    done: int
    total: int | None
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    duration_s: float | None
    run_id: UUID | None
    """The actor's own training run, which has a page."""


class PersonRead(BaseModel):
    """A person with a job in the history."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    id: UUID
    name: str
    email: str


class HistoryChoices(BaseModel):
    """The filter values of the history."""

    model_config = ConfigDict(frozen=True)

    kinds: list[str]
    people: list[PersonRead]
