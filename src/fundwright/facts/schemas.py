"""Facts as people see, decide, and correct them, and as drafts use them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Annotated, ClassVar, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from fundwright.core.messages import t
from fundwright.core.paging import PageRequest
from fundwright.core.visible import visible_line
from fundwright.language.schemas import HeadingPath
from fundwright.reading.dates import expiry_in, last_day_of
from fundwright.reading.facts import FIELDS, FactField, FactKind, FactStatus

MOST_CHARACTERS = 2_000
"""In a value."""
MOST_DECIDED = 1_000
"""At once."""
_KEY_CHARACTERS = 200


class FactState(StrEnum):
    """What people decided about a fact."""

    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


def label_of_state(state: FactState) -> str:
    return {
        FactState.PROPOSED: t("To decide"),
        FactState.ACCEPTED: t("Accepted"),
        FactState.REJECTED: t("Rejected"),
    }[state]


def label_of_kind(kind: FactKind) -> str:
    """The name of several facts of a kind, in the reader's language."""
    return {
        FactKind.DETAIL: t("Organization data"),
        FactKind.CERTIFICATION: t("Certifications"),
        FactKind.CONTACT: t("Contacts"),
        FactKind.PERSON: t("People"),
        FactKind.PROJECT: t("Projects"),
    }[kind]


def label_of_field(field: FactField) -> str:
    return {
        FactField.LABEL: t("Field"),
        FactField.VALUE: t("Value"),
        FactField.NAME: t("Name"),
        FactField.ROLE: t("Role"),
        FactField.QUALIFICATIONS: t("Qualifications"),
        FactField.PHONE: t("Phone"),
        FactField.EMAIL: t("Email"),
        FactField.ADDRESS: t("Address"),
        FactField.TITLE: t("Title"),
        FactField.CUSTOMER: t("Customer"),
        FactField.CONTRACT: t("Contract number"),
        FactField.PERIOD: t("Period"),
        FactField.RATING: t("Rating"),
        FactField.WORK: t("Work"),
        FactField.EXPIRES: t("Expires"),
    }[field]


def cleaned(kind: FactKind, values: Mapping[FactField, str]) -> dict[FactField, str]:
    """Return the values that a fact of this kind may have, each in one line, without empty ones."""
    lines = {field: visible_line(values.get(field, ""), most=MOST_CHARACTERS) for field in FIELDS[kind]}
    return {field: line for field, line in lines.items() if line}


def title_of(kind: FactKind, values: Mapping[FactField, str]) -> str:
    """Return the value that names a fact: the first one that it has."""
    return next((values[field] for field in FIELDS[kind] if values.get(field)), "")


def key_of(kind: FactKind, values: Mapping[FactField, str]) -> str:
    """Return what a fact is about, so that facts about the same thing have the same key: the words that name it, in lower case."""
    return " ".join(re.findall(r"\w+", title_of(kind, values).casefold()))[:_KEY_CHARACTERS]


def status_on(today: date, values: Mapping[FactField, str], status: FactStatus) -> FactStatus:
    """Return the status of a fact on a day: what expired before it has ended, also data such as “active through 03/14/2025.”"""
    stated = expiry_in(values.get(FactField.VALUE, "")) if FactField.LABEL in values else None
    last = last_day_of(values[FactField.EXPIRES]) if FactField.EXPIRES in values else stated.last if stated else None
    return FactStatus.ENDED if status is FactStatus.CURRENT and last is not None and last < today else status


def digest_of(kind: FactKind, values: Mapping[FactField, str], status: FactStatus) -> str:
    """Return what is the same for all facts that state the same, and different for others."""
    content = json.dumps([kind, status, sorted(values.items())])
    return hashlib.sha256(content.encode()).hexdigest()[:32]


FactValue = Annotated[str, Field(max_length=MOST_CHARACTERS)]


class FactContent(BaseModel):
    """A fact as a person states it. Which values it may have depends on its kind; those of other kinds, and empty ones, are left out."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: FactKind
    values: dict[FactField, FactValue]
    status: FactStatus = FactStatus.CURRENT


class FactForm(FactContent):
    """A fact that a person adds. A repeated request with the same `key` and content adds no second one."""

    key: str = Field(default="", max_length=64)


class FactCorrection(BaseModel):
    """The right values of a fact. `based_on` is the `changed_at` of the fact that was read before."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    values: dict[FactField, FactValue]
    status: FactStatus = FactStatus.CURRENT
    based_on: datetime


class FactVersion(BaseModel):
    """A fact as it was read: `based_on` is its `changed_at`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: UUID
    based_on: datetime


class FactDecision(BaseModel):
    """A decision about facts: `accepted`, `rejected`, or `proposed` to take an earlier one back."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    decision: FactState
    facts: Annotated[tuple[FactVersion, ...], Field(min_length=1, max_length=MOST_DECIDED)]


class FactRead(BaseModel):
    """A fact. `title` is the value that names it. `record` is the text that states it, `heading` and `page` where that is in `document`, and
    `path` leads there; they are empty if a person added it or the document is gone. `read_values` and `read_status` are what the document states
    if a person corrected it. `is_disputed` says whether another fact about the same thing, which is not rejected, disagrees,
    and `is_view_only` that its document is restricted and the reader may only view it.
    """

    model_config = ConfigDict(frozen=True)

    id: UUID
    kind: FactKind
    key: str
    title: str
    values: dict[FactField, str]
    status: FactStatus
    state: FactState
    is_added: bool
    is_corrected: bool
    is_disputed: bool
    is_view_only: bool
    read_values: dict[FactField, str] | None
    read_status: FactStatus | None
    document_id: UUID | None
    document: str
    record: str
    heading: HeadingPath
    page: int | None
    page_label: str
    path: str
    created_at: datetime
    decided_by: str
    decided_at: datetime | None
    changed_at: datetime

    @property
    def version(self) -> FactVersion:
        return FactVersion(id=self.id, based_on=self.changed_at)


class FactQuery(PageRequest):
    """Which facts to list: those to decide, unless `state` is accepted, rejected, or all. They are listed by kind, and then in the order of what
    they are about, unless `sort` is kind, title, created_at, or decided_at. `text` is part of a value or of the record. With
    `is_disputed`, only those that others disagree with are listed, in any state but rejected, or only the others."""

    sorts: ClassVar[tuple[str, ...]] = ("kind", "title", "created_at", "decided_at")

    text: str = Field(default="", max_length=200)
    kind: FactKind | None = None
    state: FactState | Literal["all"] = FactState.PROPOSED
    status: FactStatus | None = None
    document: UUID | None = None
    is_disputed: bool | None = None


class FactCounts(BaseModel):
    """How many facts of each kind are to decide, and how many of all are disputed or accepted."""

    model_config = ConfigDict(frozen=True)

    to_decide: Mapping[FactKind, int]
    disputed: int
    accepted: int


class Organization(BaseModel):
    """What accepted facts state about the organization; "" or empty if none does. `certifications` are held, and `not_held` are those that have ended,
    are planned, or were denied, in the words of the facts."""

    model_config = ConfigDict(frozen=True)

    name: str = ""
    uei: str = ""
    cage_code: str = ""
    address: str = ""
    naics_codes: tuple[str, ...] = ()
    certifications: tuple[str, ...] = ()
    not_held: tuple[str, ...] = ()


@dataclass(frozen=True)
class DraftFact:
    """A current fact that a draft may use. `start` to `end` is its record in the text of the document, where `passage_id` begins it; all
    four are None if a person added it, or the draft may not cite its document. `is_corrected` says whether a person changed what the record
    states, and `is_disputed` whether another fact, which is not rejected, disagrees. A draft that uses one that `is_restricted` has to cite
    its document, which not everyone sees who may read the draft."""

    id: UUID
    kind: FactKind
    values: Mapping[FactField, str]
    is_accepted: bool
    is_corrected: bool
    is_disputed: bool
    document_id: UUID | None
    passage_id: UUID | None
    start: int | None
    end: int | None
    heading: tuple[str, ...]
    page: int | None
    is_restricted: bool
