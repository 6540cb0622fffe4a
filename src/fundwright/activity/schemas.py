"""Kinds of activity, and activity as people see it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import ClassVar, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, computed_field

from fundwright.core.days import Day
from fundwright.core.messages import Message
from fundwright.core.paging import PageRequest

KEPT = timedelta(days=365)
"""How long activity is kept."""


MEMBER = "member"
"""The kind of subjects that are members. They have no title: their current name is shown."""


class Combining(StrEnum):
    """Which entries of one person with the same kind, subject, and details become one."""

    NEVER = "never"
    SOON = "soon"
    """Those within half an hour of the last one."""
    DAILY = "daily"
    """Those of one day."""


@dataclass(frozen=True)
class ActivityKind:
    """What a package records, such as `draft.started`.

    The sentence has places for `{person}`, `{subject}`, the number of times `{n}`, and the details.
    """

    name: str
    label: Message
    sentence: Message
    combining: Combining = Combining.NEVER
    is_automatic: bool = False
    """A job did it, not a person."""
    stands_in: bool = False
    """Only owners who see no entry about the related things are shown it, instead of these entries."""


@dataclass(frozen=True)
class Subject:
    """What an entry is about. `path` is that of the page that shows it, if there is one."""

    kind: str
    id: UUID
    title: str = ""
    path: str = ""


class SentencePart(BaseModel):
    """A piece of a sentence: the name of the person or of the subject, or the words around them."""

    model_config = ConfigDict(frozen=True)

    text: str
    names: Literal["person", "subject"] | None = None


class ActivityRead(BaseModel):
    """An entry, in the reader's language. `at` is the last time, if it happened several `times`."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    at: datetime
    kind: str
    person_id: UUID | None
    """None for what a job did, and for deleted accounts."""
    subject_kind: str
    subject_id: UUID
    path: str
    times: int
    parts: tuple[SentencePart, ...]

    @computed_field
    @property
    def sentence(self) -> str:
        return "".join(part.text for part in self.parts)


class ActivityQuery(PageRequest):
    """Which entries to list, newest first unless `sort` is `at`. `text` is part of the name of a subject. With `subject_id`, only
    entries about this document, draft, category, or opportunity are listed."""

    sorts: ClassVar[tuple[str, ...]] = ("at",)

    text: str = Field(default="", max_length=200)
    person: UUID | None = None
    kind: str = Field(default="", max_length=60)
    first: Day | None = None
    last: Day | None = None
    subject_id: UUID | None = None


class ActivePerson(BaseModel):
    """Someone who did something in the workspace."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    name: str
