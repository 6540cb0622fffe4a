"""Tasks as people see and write them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Annotated, ClassVar
from uuid import UUID

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from fundwright.core.days import OptionalDay, none_if_empty
from fundwright.core.messages import t
from fundwright.core.paging import PageRequest
from fundwright.core.visible import fit_text, visible_line

MOST_CHARACTERS = 200
MOST_OF_DETAILS = 10_000
SOON_DAYS = 7


def _visible(title: str) -> str:
    if not (line := visible_line(title, most=MOST_CHARACTERS)):
        raise ValueError(t("The title has no visible characters. Enter another title."))
    return line


Title = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MOST_CHARACTERS), AfterValidator(_visible)
]
Details = Annotated[str, Field(max_length=MOST_OF_DETAILS), BeforeValidator(fit_text)]
"""Markdown."""
OptionalId = Annotated[UUID | None, BeforeValidator(none_if_empty)]


class TaskState(StrEnum):
    OPEN = "open"
    DONE = "done"
    ALL = "all"

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {TaskState.OPEN: t("Open"), TaskState.DONE: t("Done"), TaskState.ALL: t("Open and done")}[self]


class Due(StrEnum):
    """When an open task is due, seen from the reader's day."""

    OVERDUE = "overdue"
    TODAY = "today"
    SOON = "soon"
    """Within a week after today."""
    LATER = "later"
    NEVER = "none"

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {
            Due.OVERDUE: t("Overdue"),
            Due.TODAY: t("Today"),
            Due.SOON: t("Next {n} days", n=SOON_DAYS),
            Due.LATER: t("Later"),
            Due.NEVER: t("No due date"),
        }[self]

    @staticmethod
    def of(due_on: date | None, today: date) -> Due:
        if due_on is None:
            return Due.NEVER
        if due_on <= today:
            return Due.TODAY if due_on == today else Due.OVERDUE
        return Due.SOON if due_on <= today + timedelta(days=SOON_DAYS) else Due.LATER


class Assignee(StrEnum):
    """Whose tasks are listed, unless it is a certain member."""

    ME = "me"
    NOBODY = "nobody"
    ANYONE = "anyone"


class TaskContent(BaseModel):
    """What people enter. `due_on` is a day without a time zone: a task is overdue once this day is over for whoever looks at it."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    title: Title
    details: Details = ""
    assignee_id: OptionalId = None
    due_on: OptionalDay = None


class TaskForm(TaskContent):
    """A new task, which may belong to an opportunity or to a draft. A repeated request with the same `key` and content adds no second
    task."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    opportunity_id: OptionalId = None
    draft_id: OptionalId = None
    key: str = Field(default="", max_length=64)


class TaskChange(TaskContent):
    """The changed content of a task. `based_on` is the `changed_at` of the content that was read before."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    based_on: datetime


class TaskRead(BaseModel):
    """A task. `assignee`, `done_by`, and `created_by` are names. `due` is None once it is done.

    `opportunity` and `draft` are titles, and empty if the task belongs to none or it was deleted; the paths lead to them. `is_own` says
    whether the task is assigned to the reader.
    """

    model_config = ConfigDict(frozen=True)

    id: UUID
    title: str
    details: str
    assignee_id: UUID | None
    assignee: str
    is_own: bool
    due_on: date | None
    due: Due | None
    is_done: bool
    done_at: datetime | None
    done_by: str
    opportunity_id: UUID | None
    opportunity: str
    opportunity_path: str
    draft_id: UUID | None
    draft: str
    draft_path: str
    created_by: str
    created_at: datetime
    changed_at: datetime
    path: str


class TaskQuery(PageRequest):
    """Which tasks of a workspace to list: open ones that are assigned to the reader, unless `state` and `assignee` say otherwise.
    `assignee` is me, nobody, anyone, or the id of a member; `due` is seen from the reader's day. Ordered by due date, without one last,
    and done ones by when they were done, unless `sort` is title, due_on, created_at, or done_at."""

    sorts: ClassVar[tuple[str, ...]] = ("title", "due_on", "created_at", "done_at")

    text: str = Field(default="", max_length=200)
    assignee: Assignee | UUID = Assignee.ME
    state: TaskState = TaskState.OPEN
    due: Due | None = None
    opportunity: UUID | None = None
    draft: UUID | None = None


class TaskCounts(BaseModel):
    """The numbers of a workspace's open tasks that are assigned to the reader, by when they are due."""

    model_config = ConfigDict(frozen=True)

    due: Mapping[Due, int]


class OpenTasks(BaseModel):
    """The open tasks of an opportunity: how many there are, how many are overdue for the reader, and when the next one is due."""

    model_config = ConfigDict(frozen=True)

    count: int
    overdue: int
    next_due_on: date | None
