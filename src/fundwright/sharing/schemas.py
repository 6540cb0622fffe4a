"""Share links as people see them."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, ClassVar, Self
from uuid import UUID

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

from fundwright.core.messages import t
from fundwright.core.paging import PageRequest
from fundwright.core.visible import visible_line
from fundwright.opportunities.schemas import OpportunityQuery

_MOST_CHARACTERS = 100
_SHORT = StringConstraints(strip_whitespace=True, max_length=_MOST_CHARACTERS)


def _visible(name: str) -> str:
    """The watermark and other people's lists show it."""
    if not (line := visible_line(name, most=_MOST_CHARACTERS)):
        raise ValueError(t("The name has no visible characters. Enter another name."))
    return line


class ShareForm(BaseModel):
    """How something is shared. `recipient` is the person or organization that the link is for; the watermark shows it.

    Unless `shows_titles` is set, the titles of cited documents are withheld. With `allows_comments`, guests can comment on the draft, or on
    the notices of the list, and read the replies.
    """

    model_config = ConfigDict(frozen=True)

    recipient: Annotated[str, StringConstraints(min_length=1), _SHORT, AfterValidator(_visible)]
    lasts_days: int = Field(default=14, ge=1, le=90)
    password: Annotated[str | None, BeforeValidator(lambda given: given or None)] = Field(default=None, max_length=1_000)
    has_watermark: bool = False
    shows_titles: bool = False
    allows_comments: bool = False


class ViewForm(ShareForm):
    """How a list of opportunities is shared, and the title of the page."""

    title: Annotated[str, _SHORT, AfterValidator(lambda title: visible_line(title, most=_MOST_CHARACTERS))] = ""


class OpportunitiesForm(ViewForm):
    """The list to share: the opportunities that `query` finds, whenever the link is opened."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    query: OpportunityQuery


class NewShare(ViewForm):
    """What to share: the draft `draft_id`, or the opportunities that `query` finds, whenever the link is opened."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    draft_id: UUID | None = None
    query: OpportunityQuery | None = None

    @model_validator(mode="after")
    def _has_one_subject(self) -> Self:
        if (self.draft_id is None) == (self.query is None):
            raise ValueError(t("Name either a draft or a list of opportunities to share."))
        return self


class ShareKind(StrEnum):
    DRAFT = "draft"
    VIEW = "view"

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {ShareKind.DRAFT: t("Draft"), ShareKind.VIEW: t("List of opportunities")}[self]


class ShareState(StrEnum):
    """A link is `paused` while its draft is in the trash or its creator may not edit in the workspace, and `ended` once it was revoked
    or its creator is no longer a member."""

    ACTIVE = "active"
    PAUSED = "paused"
    ENDED = "ended"
    EXPIRED = "expired"

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {
            ShareState.ACTIVE: t("Active"),
            ShareState.PAUSED: t("Paused"),
            ShareState.EXPIRED: t("Expired"),
            ShareState.ENDED: t("Ended"),
        }[self]


class ShareRead(BaseModel):
    """A share link, without its secret. `created_by` is "" once that person is no longer a member.

    `opens` counts how often its page was opened, and `wrong_passwords` how often a wrong password was entered.
    """

    model_config = ConfigDict(frozen=True)

    id: UUID
    kind: ShareKind
    draft_id: UUID | None
    title: str
    recipient: str
    state: ShareState
    has_password: bool
    has_watermark: bool
    shows_titles: bool
    allows_comments: bool
    created_by: str
    created_at: datetime
    expires_at: datetime
    opens: int
    last_opened_at: datetime | None
    wrong_passwords: int


class ShareCreated(ShareRead):
    """A new share link, with its address, which is not kept."""

    link: str


class ShareQuery(PageRequest):
    """Which share links of a workspace to list, newest first unless `sort` is title, recipient, created_at, expires_at, opens, or
    last_opened_at. `text` is part of a title or a recipient."""

    sorts: ClassVar[tuple[str, ...]] = ("title", "recipient", "created_at", "expires_at", "opens", "last_opened_at")

    text: str = Field(default="", max_length=200)
    kind: ShareKind | None = None
    state: ShareState | None = None
    draft_id: UUID | None = None
