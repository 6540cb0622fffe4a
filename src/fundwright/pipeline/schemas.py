"""The pipeline as people see it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, ClassVar, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, computed_field

from fundwright.core.days import Day
from fundwright.core.messages import Message, later
from fundwright.core.paging import PageRequest
from fundwright.core.visible import fit_text, visible_line
from fundwright.opportunities.schemas import Kind

MOST_IN_REASON = 2_000
MOST_DOLLARS = 1_000_000_000_000
NO_LEAD: Literal["none"] = "none"


class Stage(StrEnum):
    """The stages of a pursuit, in order. The last three are outcomes."""

    IDENTIFIED = "identified"
    QUALIFYING = "qualifying"
    PREPARING = "preparing"
    IN_REVIEW = "in_review"
    SUBMITTED = "submitted"
    WON = "won"
    LOST = "lost"
    NO_GO = "no_go"

    @property
    def label(self) -> Message:
        return _LABELS[self]

    @property
    def is_open(self) -> bool:
        return self not in OUTCOMES


_LABELS: Mapping[Stage, Message] = {
    Stage.IDENTIFIED: later("Identified"),
    Stage.QUALIFYING: later("Qualifying"),
    Stage.PREPARING: later("Preparing"),
    Stage.IN_REVIEW: later("In review"),
    Stage.SUBMITTED: later("Submitted"),
    Stage.WON: later("Won"),
    Stage.LOST: later("Lost"),
    Stage.NO_GO: later("No-go"),
}
OUTCOMES = (Stage.WON, Stage.LOST, Stage.NO_GO)
OPEN_STAGES = tuple(stage for stage in Stage if stage not in OUTCOMES)
NEED_REASON = frozenset({Stage.LOST, Stage.NO_GO})
"""The outcomes from which people learn only if they know why."""


def _or_none(given: object) -> object:
    return None if isinstance(given, str) and not given.strip() else given


def _visible(text: str) -> str:
    return text if visible_line(text, most=MOST_IN_REASON) else ""


Reason = Annotated[str, Field(max_length=MOST_IN_REASON), AfterValidator(_visible), BeforeValidator(fit_text)]
_Id = Annotated[UUID | None, BeforeValidator(_or_none)]
_Percent = Annotated[Annotated[int, Field(ge=0, le=100)] | None, BeforeValidator(_or_none)]
_Dollars = Annotated[Annotated[int, Field(ge=0, le=MOST_DOLLARS)] | None, BeforeValidator(_or_none)]


class PursuitContent(BaseModel):
    """What people enter about a pursuit: who leads it, the probability of winning in percent, and the value in US dollars."""

    model_config = ConfigDict(frozen=True, extra="forbid", from_attributes=True)

    lead_id: _Id = None
    probability: _Percent = None
    value: _Dollars = None
    reason: Reason = ""
    """Why it is in its stage; required for Lost and No-go."""


class PursuitForm(PursuitContent):
    """An opportunity to pursue."""

    opportunity_id: UUID
    stage: Stage = Stage.IDENTIFIED


class PursuitChange(PursuitContent):
    """The new content of a pursuit. `based_on` is the `revision` that was edited: if the pursuit has changed since then, it is not
    overwritten."""

    based_on: int


class StageChange(BaseModel):
    """A move to another stage. `based_on` is like that of a change."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    stage: Stage
    reason: Reason = ""
    based_on: int


class Lead(BaseModel):
    """Who leads a pursuit. Former members are still named; `id` is None, and `name` is "", once the account is deleted."""

    model_config = ConfigDict(frozen=True)

    id: UUID | None
    name: str
    is_member: bool


class Move(BaseModel):
    """A stay in a stage, from `at` `until` the next move; None for the current stage. `from_stage` is None for the first, and `by` is
    "" once the account is deleted."""

    model_config = ConfigDict(frozen=True)

    at: datetime
    until: datetime | None
    by: str
    from_stage: Stage | None
    to_stage: Stage
    reason: str


class PursuitRead(BaseModel):
    """A pursuit. The facts of the notice are the current ones or, if `has_notice` is false because it no longer exists, those from when
    it was added. `added_by` is "" once that account is deleted."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    opportunity_id: UUID
    has_notice: bool
    kind: Kind
    title: str
    number: str
    agency: str
    due_at: datetime | None
    stage: Stage
    stage_since: datetime
    lead: Lead | None
    probability: int | None
    value: int | None
    reason: str
    added_by: str
    added_at: datetime
    revision: int

    @computed_field
    @property
    def weighted_value(self) -> int | None:
        """The value times the probability, in US dollars; None unless both are known."""
        if self.value is None or self.probability is None:
            return None
        return round(self.value * self.probability / 100)


class PursuitDetails(PursuitRead):
    """A pursuit with the history of its stages, oldest first."""

    moves: list[Move]


class PipelineQuery(PageRequest):
    """Which pursuits to list, by due date unless `sort` is title, number, agency, due, stage, stage_since, probability, value,
    weighted_value, or added_at. `text` is part of a title, number, or agency, and `lead` is an account or `none`."""

    sorts: ClassVar[tuple[str, ...]] = (
        "title",
        "number",
        "agency",
        "due",
        "stage",
        "stage_since",
        "probability",
        "value",
        "weighted_value",
        "added_at",
    )

    text: str = Field(default="", max_length=200)
    stage: Stage | None = None
    is_open: bool | None = None
    """Whether it has no outcome yet."""
    lead: Annotated[UUID | Literal["none"] | None, BeforeValidator(_or_none)] = None
    kind: Kind | None = None
    due_from: Day | None = None
    due_to: Day | None = None
    opportunity_id: UUID | None = None


class StageTotal(BaseModel):
    """The number of pursuits in a stage, and the sums of their values in US dollars. Pursuits without a value, and for the weighted value
    without a probability, add nothing."""

    model_config = ConfigDict(frozen=True)

    stage: Stage
    count: int = 0
    value: int = 0
    weighted_value: int = 0


class BoardColumn(StageTotal):
    """A stage with its first pursuits, by due date."""

    items: list[PursuitRead]
