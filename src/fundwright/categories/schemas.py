"""Types of categories."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, ClassVar, Self
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints, computed_field, model_validator

from fundwright.core.messages import t
from fundwright.core.paging import PageRequest

MAX_NAME_CHARACTERS = 80
CategoryName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_NAME_CHARACTERS)]
CategoryDescription = Annotated[str, StringConstraints(strip_whitespace=True, max_length=2_000)]

HIGH, MEDIUM, LOW = 0.8, 0.5, 0.25
"""The minimum probability of each band. docs/categories.md has the measured precision of each."""


class CategoryColor(StrEnum):
    """The colors of categories; screens show them as chip colors."""

    GRAY = "gray"
    BLUE = "blue"
    GREEN = "green"
    ORANGE = "orange"
    RED = "red"
    PURPLE = "purple"


class Band(StrEnum):
    """The confidence level of a suggestion."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    UNSURE = "unsure"

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {Band.HIGH: t("High"), Band.MEDIUM: t("Medium"), Band.LOW: t("Low"), Band.UNSURE: t("Unlikely")}[self]


def band_of(probability: float) -> Band:
    if probability >= HIGH:
        return Band.HIGH
    if probability >= MEDIUM:
        return Band.MEDIUM
    return Band.LOW if probability >= LOW else Band.UNSURE


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
    """A category."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    name: str
    description: str
    color: CategoryColor
    is_sample: bool
    created_at: datetime
    changed_at: datetime


class CountedCategory(CategoryRead):
    """A category with the number of suggestions that wait for review, which are those for open opportunities with at least low
    confidence, and of its examples, which a person put there."""

    suggested: int
    accepted: int


class SuggestionQuery(PageRequest):
    """Which suggestions to list: the most confident first, or with `sort=confidence` the least confident first. `is_unsure_shown`
    adds those below the band "low", and `is_all` those for closed opportunities and award notices."""

    sorts: ClassVar[tuple[str, ...]] = ("confidence",)

    category_id: UUID | None = None
    is_unsure_shown: bool = False
    is_all: bool = False


class LabelRead(BaseModel):
    """Whether a subject belongs to a category: suggested by the model, or accepted or rejected by a person.

    `confidence` is the probability in 0..1 that it belongs there; 1 if a person decided.
    """

    model_config = ConfigDict(frozen=True)

    subject_id: UUID
    category_id: UUID
    category_name: str
    color: CategoryColor
    confidence: float
    state: LabelState
    source: LabelSource
    model_id: str | None
    decided_at: datetime

    @computed_field
    @property
    def band(self) -> Band:
        return band_of(self.confidence)


class Classified(BaseModel):
    """The result of a call of `classify`, in numbers of subjects."""

    model_config = ConfigDict(frozen=True)

    labeled: int = 0
    """Subjects whose suggestions are new or have changed."""
    unchanged: int = 0
    """Subjects whose suggestions have not changed."""
    abstained: int = 0
    """Subjects for which no category had enough confidence."""
    kept: int = 0
    """Subjects for which a person has decided about every category."""


class CategoryCreate(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: CategoryName
    description: CategoryDescription = ""
    color: CategoryColor = CategoryColor.BLUE


class CategoryChange(BaseModel):
    """Fields to change; omitted fields do not change. `based_on` is the `changed_at` of the category that was edited."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: CategoryName | None = None
    description: CategoryDescription | None = None
    color: CategoryColor | None = None
    based_on: AwareDatetime | None = None
    """If the category has changed since then, the call is refused (409), so that the other change is not overwritten."""


class Decision(BaseModel):
    """A person's decision about a subject. A null `category_id` means none of the existing categories."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    category_id: UUID | None


class EarlierLabel(BaseModel):
    """A label as this API returned it before a decision. Fields that do not describe the label itself are ignored."""

    model_config = ConfigDict(frozen=True)

    category_id: UUID
    confidence: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
    state: LabelState
    source: LabelSource
    model_id: Annotated[str, StringConstraints(pattern=r"^[^\x00]{1,200}$")] | None
    decided_at: AwareDatetime

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        if self.source == LabelSource.MODEL:
            possible = self.state == LabelState.SUGGESTED and self.model_id is not None
        else:
            possible = self.confidence == 1 and self.model_id is None and self.state != LabelState.SUGGESTED
        if not possible:
            raise ValueError(t("Send the label as it was before the decision."))
        return self


class DecisionToUndo(BaseModel):
    """Which decision to undo: when it was made (`decided_at` in its result), and the labels that the subject had before."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    decided_at: AwareDatetime
    before: Annotated[list[EarlierLabel], Field(max_length=1_000)]

    @model_validator(mode="after")
    def _is_in_order(self) -> Self:
        if not all(2000 <= label.decided_at.year <= self.decided_at.year <= 2099 for label in self.before):
            raise ValueError(t("Send the label as it was before the decision."))
        return self
