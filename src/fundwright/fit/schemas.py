"""Fits as they are read and written."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated
from uuid import UUID

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field

from fundwright.core.messages import t
from fundwright.core.visible import visible_line

MOST_IN_REASON = 300


class FitPartName(StrEnum):
    """What a score consists of."""

    NAICS = "naics"
    DOCUMENTS = "documents"
    ELIGIBILITY = "eligibility"
    CATEGORIES = "categories"
    TIME = "time"
    PLACE = "place"

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {
            FitPartName.NAICS: t("NAICS code"),
            FitPartName.DOCUMENTS: t("Your documents"),
            FitPartName.ELIGIBILITY: t("Eligibility"),
            FitPartName.CATEGORIES: t("Your categories"),
            FitPartName.TIME: t("Time left"),
            FitPartName.PLACE: t("Place"),
        }[self]


class FitPart(BaseModel):
    """One part of a score. `value` is how well it fits, in 0..1, or None if that is unknown; the score is made without it. `points` of the
    `most` that the part can contribute are in the score. `reason` says why, in the reader's language, and `path` is that of the page that
    shows it or, if it is unknown, completes it."""

    model_config = ConfigDict(frozen=True)

    name: FitPartName
    value: float | None
    reason: str
    path: str = ""
    points: int = 0
    most: int = 0


class OwnScore(BaseModel):
    """The score that a member gave. `scored_by` is a name, or "" once the account is deleted."""

    model_config = ConfigDict(frozen=True)

    score: int
    reason: str
    scored_by: str
    changed_at: datetime


class FitRead(BaseModel):
    """How well an opportunity fits the reader's workspace. `score` is computed from the parts that are known, in 0..100; None if none of
    them compares the work. It is capped at `most_if_ineligible` if the workspace `is_ineligible`. `own` is the score that a member gave."""

    model_config = ConfigDict(frozen=True)

    opportunity_id: UUID
    score: int | None
    is_ineligible: bool
    most_if_ineligible: int
    is_capped: bool
    parts: tuple[FitPart, ...]
    own: OwnScore | None = None

    @property
    def shown_score(self) -> int | None:
        """The members' own score, or else the computed one."""
        return self.own.score if self.own else self.score


def _visible(text: str) -> str:
    if not (line := visible_line(text, most=MOST_IN_REASON)):
        raise ValueError(t("Fill in this field."))
    return line


class OwnScoreForm(BaseModel):
    """A score to give. `based_on` is the `changed_at` of the score that was edited, or None if there was none; if it has changed since then,
    it is not overwritten."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    score: int = Field(ge=0, le=100)
    reason: Annotated[str, Field(min_length=1, max_length=MOST_IN_REASON), AfterValidator(_visible)]
    based_on: AwareDatetime | None = None
