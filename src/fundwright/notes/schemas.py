"""Notes as people see and write them."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, ClassVar
from uuid import UUID

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from fundwright.core.messages import t
from fundwright.core.paging import PageRequest
from fundwright.core.visible import fit_text, visible_line

MOST_CHARACTERS = 20_000
_MOST_IN_TITLE = 80
_MARKS = re.compile(r"^[#>*+\-\s]+|[*_`]+")
"""What makes a Markdown line a heading or an item, and its words bold."""


def _visible(text: str) -> str:
    if not visible_line(text, most=MOST_CHARACTERS):
        raise ValueError(t("Write a note first."))
    return text


NoteText = Annotated[str, Field(max_length=MOST_CHARACTERS), AfterValidator(_visible), BeforeValidator(fit_text)]
"""Markdown."""


def title_of(text: str) -> str:
    """The beginning of the first line, without Markdown marks, as a title for lists."""
    lines = (visible_line(_MARKS.sub("", line), most=_MOST_IN_TITLE + 1) for line in text.splitlines())
    line = next(filter(None, lines), "") or t("Note")
    return line if len(line) <= _MOST_IN_TITLE else f"{line[:_MOST_IN_TITLE].rstrip()}…"


class NewNote(BaseModel):
    """The text of a note. A repeated request with the same `key` and text adds no second note."""

    model_config = ConfigDict(frozen=True)

    text: NoteText
    key: str = Field(default="", max_length=64)


class NoteForm(NewNote):
    """A new note on an opportunity."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    opportunity_id: UUID


class NoteChange(BaseModel):
    """The changed text of a note. `based_on` is the `changed_at` of the text that was read before."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: NoteText
    based_on: datetime


class NoteRead(BaseModel):
    """A note. `title` is the beginning of its text. `created_by` and `changed_by` are names. `opportunity` is a title, and empty if the
    opportunity was removed; `opportunity_path` leads to it, and `path` to the note."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    title: str
    text: str
    is_pinned: bool
    opportunity_id: UUID | None
    opportunity: str
    opportunity_path: str
    path: str
    created_by: str
    created_by_id: UUID | None
    created_at: datetime
    changed_by: str
    changed_at: datetime

    @property
    def is_changed(self) -> bool:
        """Whether its text has been changed since it was written."""
        return self.changed_at > self.created_at


class NoteQuery(PageRequest):
    """Which notes of a workspace to list: pinned ones first, and then the last changed ones, unless `sort` is created_at or changed_at.
    `text` is part of a note, and `author` the account that wrote it."""

    sorts: ClassVar[tuple[str, ...]] = ("created_at", "changed_at")

    text: str = Field(default="", max_length=200)
    author: UUID | None = None
    opportunity: UUID | None = None


class NoteAuthor(BaseModel):
    """Someone who wrote notes of the workspace."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    name: str
