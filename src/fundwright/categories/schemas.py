"""What categories answer and accept."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Self
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from fundwright.core.messages import t
from fundwright.core.paging import PageRequest

CategoryName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80)]
CategoryDescription = Annotated[str, StringConstraints(strip_whitespace=True, max_length=2_000)]


class Colour(StrEnum):
    """Colours a category may have; screens show them as chip colours."""

    GREY = "grey"
    BLUE = "blue"
    GREEN = "green"
    ORANGE = "orange"
    RED = "red"
    PURPLE = "purple"


class LabelState(StrEnum):
    SUGGESTED = "suggested"
    ACCEPTED = "accepted"
    REJECTED = "rejected"

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {
            LabelState.SUGGESTED: t("Suggested"),
            LabelState.ACCEPTED: t("Accepted"),
            LabelState.REJECTED: t("Rejected"),
        }[self]


class LabelSource(StrEnum):
    MODEL = "model"
    PERSON = "person"


class CategoryRead(BaseModel):
    """A category with what is in it: subjects that the model suggests, and those a person has put there, which are its examples."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    name: str
    description: str
    colour: Colour
    is_sample: bool
    created_at: datetime
    changed_at: datetime
    suggested: int = 0
    accepted: int = 0


class SuggestionQuery(PageRequest):
    """Which suggestions to list: least sure first, with `sort=-confidence` surest first."""

    category_id: UUID | None = None


class LabelRead(BaseModel):
    """The category of one subject. `confidence` is the chance in 0..1 that it is right; 1 when a person said so.

    A rejected label names the category that a person took away, or none at all when there was no suggestion.
    """

    model_config = ConfigDict(frozen=True)

    subject_id: UUID
    category_id: UUID | None
    category_name: str | None
    colour: Colour
    confidence: float
    state: LabelState
    source: LabelSource
    model_id: str | None
    decided_at: datetime


class Classified(BaseModel):
    """What one call of `classify` did, in numbers of subjects."""

    model_config = ConfigDict(frozen=True)

    labelled: int = 0
    """New or changed suggestions."""
    unchanged: int = 0
    """Suggestions that were already there."""
    abstained: int = 0
    """No category was sure enough."""
    kept: int = 0
    """Decided by a person before, left alone."""

    def __add__(self, other: Classified) -> Classified:
        return Classified(
            labelled=self.labelled + other.labelled,
            unchanged=self.unchanged + other.unchanged,
            abstained=self.abstained + other.abstained,
            kept=self.kept + other.kept,
        )


class CategoryCreate(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: CategoryName
    description: CategoryDescription = ""
    colour: Colour = Colour.BLUE


class CategoryChange(BaseModel):
    """Fields to change; those left out stay as they are. `based_on` is the `changed_at` value that the edit started from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: CategoryName | None = None
    description: CategoryDescription | None = None
    colour: Colour | None = None
    based_on: AwareDatetime | None = None
    """If the category has been changed since then, the call is refused (409), so that the other change is not overwritten."""


class Decision(BaseModel):
    """What a person says a subject is; `category_id` null means none of the categories."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    category_id: UUID | None


class EarlierLabel(BaseModel):
    """A label as this API returned it before a decision. Fields that do not describe the label itself are ignored."""

    model_config = ConfigDict(frozen=True)

    category_id: UUID | None
    confidence: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
    state: LabelState
    source: LabelSource
    model_id: Annotated[str, StringConstraints(pattern=r"^[^\x00]{1,200}$")] | None
    decided_at: AwareDatetime

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        if self.source == LabelSource.MODEL:
            possible = self.state == LabelState.SUGGESTED and self.category_id is not None and self.model_id is not None
        else:
            possible = self.confidence == 1 and self.model_id is None
            possible &= self.state == LabelState.REJECTED or (self.state == LabelState.ACCEPTED and self.category_id is not None)
        if not possible:
            raise ValueError(t("Send the label as you received it before the decision."))
        return self


class DecisionToUndo(BaseModel):
    """Which decision to undo: when it was made (`decided_at` of its answer), and the label from before, null if there was none."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    decided_at: AwareDatetime
    before: EarlierLabel | None

    @model_validator(mode="after")
    def _is_in_order(self) -> Self:
        if self.before and not 2000 <= self.before.decided_at.year <= self.decided_at.year <= 2099:
            raise ValueError(t("Send the label as you received it before the decision."))
        return self
