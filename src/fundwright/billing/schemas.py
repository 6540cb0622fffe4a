"""Types of billing. Money is in whole cents of a currency."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Annotated, ClassVar, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from fundwright.core.days import Day
from fundwright.core.messages import t
from fundwright.core.paging import PageRequest
from fundwright.core.visible import visible_line

Currency = Literal["usd"]
Cents = Annotated[int, Field(ge=0, le=100_000_000_000)]
Limit = Annotated[int, Field(ge=0, le=1_000_000_000)]
Email = Annotated[str, StringConstraints(strip_whitespace=True, to_lower=True, min_length=1, max_length=254)]


_MOST_OF_TEXT = 500


def _visible(text: str) -> str:
    """Its recipient reads it in an email."""
    if not (line := visible_line(text, most=_MOST_OF_TEXT)):
        raise ValueError(t("Enter a description."))
    return line


class PlanCode(StrEnum):
    FREE = "free"
    PRO = "pro"
    TEAM = "team"


class Quota(StrEnum):
    """The quantities that a plan limits."""

    DOCUMENTS = "documents"
    """The number of documents in a workspace."""
    DRAFTS = "drafts"
    """Drafts started in a month."""
    IMPORTS = "imports"
    """Imports started in a month."""
    SECTIONS = "sections"
    """Sections regenerated or added in a month: ten for each draft. A draft that was canceled and continued counts as one."""


class PlanRead(BaseModel):
    """A plan with its monthly price. A limit of None means unlimited."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    code: PlanCode
    name: str
    price_cents: int
    currency: Currency
    documents: int | None
    drafts: int | None
    imports: int | None
    workspaces: int | None
    """How many shared workspaces a person may own to create another one: a limit of the personal workspace's plan."""


class PlanChange(BaseModel):
    """New price and limits; null removes a limit."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    price_cents: Cents
    documents: Limit | None
    drafts: Limit | None
    imports: Limit | None
    workspaces: Limit | None


def last_day(until: datetime) -> date:
    """The last day of a subscription that ends at `until`."""
    return (until - timedelta(microseconds=1)).date()


class Origin(StrEnum):
    """How a subscription was created."""

    MANUAL = "manual"
    PREMIUM_LINK = "premium_link"
    INVOICE = "invoice"

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {
            Origin.MANUAL: t("Manual"),
            Origin.PREMIUM_LINK: t("Premium Link"),
            Origin.INVOICE: t("Invoice"),
        }[self]


class WorkspacePlan(BaseModel):
    """The workspace's plan, and what all members together have used this month. Administrators are not limited."""

    model_config = ConfigDict(frozen=True)

    plan: PlanRead
    until: datetime | None
    is_limited: bool
    drafts: int
    sections: int
    most_sections: int | None
    imports: int


class SubscriberRead(BaseModel):
    """A workspace with the email addresses of its owners, and its plan. Without a subscription, it is on Free, without start and end.

    A personal workspace has the name of its account.
    """

    model_config = ConfigDict(frozen=True, from_attributes=True)

    workspace_id: UUID
    name: str
    is_personal: bool
    owners: tuple[str, ...]
    plan: PlanCode
    plan_name: str
    since: datetime | None
    until: datetime | None
    origin: Origin | None

    @property
    def title(self) -> str:
        """In the reader's language."""
        return t("{name} (personal)", name=self.name) if self.is_personal else self.name


class SubscriberQuery(PageRequest):
    """Which workspaces to list. `text` is part of a name or of an owner's email address; sort by name, owners, plan, since, or until."""

    sorts: ClassVar[tuple[str, ...]] = ("name", "owners", "plan", "since", "until")

    plan: PlanCode | None = None
    text: str = Field(default="", max_length=200)


class SubscriptionChange(BaseModel):
    """The new plan of a workspace. `until` is its last day; null means no end."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    plan: PlanCode
    until: Day | None = None
    origin: Literal[Origin.MANUAL, Origin.INVOICE] = Origin.MANUAL


class PaymentState(StrEnum):
    OPEN = "open"
    PAID = "paid"
    VOID = "void"

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {
            PaymentState.OPEN: t("Unpaid"),
            PaymentState.PAID: t("Paid"),
            PaymentState.VOID: t("Void"),
        }[self]


class PaymentForm(BaseModel):
    """What an invoice says, and to which owner of its workspace it is sent. Its number is assigned by year. A repeated request with the
    same `key` and content creates no second invoice."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    email: Email
    text: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=_MOST_OF_TEXT), AfterValidator(_visible)
    ]
    amount_cents: Annotated[Cents, Field(ge=1)]
    currency: Currency = "usd"
    issued: Day
    due: Day
    key: str = Field(default="", max_length=64)


class PaymentCreate(PaymentForm):
    """An invoice to create, of a workspace."""

    workspace_id: UUID


class PaymentRead(BaseModel):
    """An invoice. `workspace_name` is the name when it was created, `email` is to whom it was sent, and `workspace_id` is None once the
    workspace is deleted."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    id: UUID
    number: str
    workspace_id: UUID | None
    workspace_name: str
    email: str
    text: str
    amount_cents: int
    currency: Currency
    issued: date
    due: date
    state: PaymentState
    paid_at: datetime | None


class PaymentQuery(PageRequest):
    """Which invoices to list. `text` is part of a number, a workspace's name, an email address, or the description."""

    sorts: ClassVar[tuple[str, ...]] = ("number", "workspace", "email", "text", "amount", "issued", "due", "state", "paid_at")

    state: PaymentState | None = None
    text: str = Field(default="", max_length=200)


class PaymentSum(BaseModel):
    """The sum of the listed invoices of one state and currency."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    currency: Currency
    state: PaymentState
    amount_cents: int
    count: int


class LinkState(StrEnum):
    """Whether a premium link works, and why not."""

    ACTIVE = "active"
    EXPIRED = "expired"
    USED_UP = "used_up"
    REVOKED = "revoked"
    UNKNOWN = "unknown"

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {
            LinkState.ACTIVE: t("Active"),
            LinkState.EXPIRED: t("Expired"),
            LinkState.USED_UP: t("Used up"),
            LinkState.REVOKED: t("Revoked"),
            LinkState.UNKNOWN: t("Unknown"),
        }[self]


class PremiumLinkCreate(BaseModel):
    """A link to create: workspaces that redeem it are on `plan` for `days`. It works until the end of `expires_on`, UTC. A repeated request
    with the same `key` and content creates no second link, and returns a new address of the first, whose earlier address ends."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    plan: Literal[PlanCode.PRO, PlanCode.TEAM]
    days: Annotated[int, Field(ge=1, le=3_660)]
    uses: Annotated[int, Field(ge=1, le=100_000)] = 1
    expires_on: Day
    note: Annotated[str, StringConstraints(strip_whitespace=True, max_length=500)] = ""
    key: str = Field(default="", max_length=64)


class PremiumLinkRead(BaseModel):
    """A premium link without its secret; `used` of its `uses` have been used. It is deleted with the workspace in which it was created.

    A personal workspace has the name of its account.
    """

    model_config = ConfigDict(frozen=True, from_attributes=True)

    id: UUID
    workspace_id: UUID
    workspace_name: str
    is_personal: bool
    plan: PlanCode
    plan_name: str
    days: int
    uses: int
    used: int
    expires_on: date
    note: str
    state: LinkState
    created_at: datetime
    created_by: str

    @property
    def workspace_title(self) -> str:
        """In the reader's language."""
        return t("{name} (personal)", name=self.workspace_name) if self.is_personal else self.workspace_name


class PremiumLinkCreated(PremiumLinkRead):
    """A new premium link: the only time its `path` can be seen."""

    path: str


class PremiumLinkUseQuery(PageRequest):
    """Which uses of premium links to list, newest first unless `sort` is at, plan, given_by, email, or until."""

    sorts: ClassVar[tuple[str, ...]] = ("at", "plan", "given_by", "email", "until")


class PremiumLinkQuery(PageRequest):
    sorts: ClassVar[tuple[str, ...]] = ("created_at", "plan", "days", "used", "expires_on", "state", "workspace")
    state: Literal[LinkState.ACTIVE, LinkState.EXPIRED, LinkState.USED_UP, LinkState.REVOKED] | None = None


class PremiumLinkUseRead(BaseModel):
    """A workspace that received the plan of a premium link. `workspace_name`, the `email` address of the owner who redeemed it, and
    `given_by`, that of the administrator who created the link, are those at that time. `workspace_id` is None once the workspace is deleted."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    id: UUID
    workspace_id: UUID | None
    workspace_name: str
    email: str
    plan: PlanCode
    plan_name: str
    given_by: str
    at: datetime
    until: datetime


class PremiumOffer(BaseModel):
    """What a premium link gives its holder; `sentence` says what to do if it does not work."""

    model_config = ConfigDict(frozen=True)

    state: LinkState
    plan_name: str = ""
    days: int = 0
    sentence: str = ""


class PremiumPreview(PremiumOffer):
    """What a premium link gives a workspace until then; `sentence` also says if the workspace has redeemed it. `loss` says which plan it
    would replace that is larger or ends later, and is empty otherwise."""

    until: datetime
    loss: str = ""


def _code(link: str) -> str:
    """The code at the end of a link, or the code itself."""
    return link.partition("?")[0].partition("#")[0].strip().rstrip("/").rpartition("/")[2]


class Redemption(BaseModel):
    """A premium link to redeem: the whole link, or the code at its end. A link that would replace a plan that is larger or ends later is
    refused unless `replaces_plan` is true. A repeated request with the same `key` and content returns the first use."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    link: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500), AfterValidator(_code)]
    replaces_plan: bool = False
    key: str = Field(default="", max_length=64)
