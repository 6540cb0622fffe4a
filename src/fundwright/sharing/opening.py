"""Opening share links. Nobody is signed in here: whoever has the address sees what the link's creator may see of its subject, and nothing
else of the workspace."""

from __future__ import annotations

import hmac
from collections.abc import AsyncIterator, Hashable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit, passwords
from fundwright.accounts.job_actors import acting_with
from fundwright.accounts.schemas import Actor, Client, Permission
from fundwright.authentication import throttle
from fundwright.categories import service as categories
from fundwright.conversation import service as conversation
from fundwright.conversation.schemas import GuestForm, Thread
from fundwright.core import tokens
from fundwright.core.assembly import Core
from fundwright.core.concurrency import PartyLimiter
from fundwright.core.database import now
from fundwright.core.errors import FundwrightError, NotAllowed, NotFound
from fundwright.core.fair_loop import work_for
from fundwright.core.keys import lasting_key
from fundwright.core.live import publish
from fundwright.core.messages import t
from fundwright.core.paging import Page, PageRequest
from fundwright.core.scopes import acting_in, installation
from fundwright.generation import service as generation
from fundwright.generation.schemas import DraftRead
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.schemas import FoundPage, OpportunityQuery, OpportunityRead, OpportunityRow
from fundwright.sharing import repository
from fundwright.sharing.models import ShareLink
from fundwright.sharing.service import audit_subject_of, shares_topic

PASS_LASTS = timedelta(hours=1)
_AUDITED_EVERY = timedelta(hours=1)
_READERS_AT_ONCE = 2
_READERS_OF_MEMBER_AT_ONCE = 4
"""A workspace can have 500 links, and its pages cost as much for all of them as for one."""
_COMMENT_LIMITS = (30, 20)
"""Per link and per address, within ten minutes."""
_THREADS_SHOWN = 20
_MOST_DIGITS = 12


class LinkOver(FundwrightError):
    """The same for all reasons, so that a secret that was never issued tells nothing."""

    status = 404

    def __init__(self) -> None:
        super().__init__(
            t(
                "It may have expired or been revoked, or what it shows was deleted. Ask the person who sent it to you for a new link."
            )
        )


class WrongPassword(NotAllowed):
    def __init__(self) -> None:
        super().__init__(t("The password is not correct. Ask the person who sent you the link."))


class TooManyPasswords(FundwrightError):
    status = 429
    retry_after_s = int(throttle.BAN.total_seconds())

    def __init__(self) -> None:
        super().__init__(t("Too many wrong passwords. Try again in 5 minutes."))


@dataclass(frozen=True)
class WorkingLink:
    """A link that has not ended, with the member who created it, as of now."""

    link: ShareLink
    creator: Actor

    @property
    def query(self) -> OpportunityQuery:
        return OpportunityQuery.model_validate(self.link.query)


@dataclass(frozen=True)
class Shared(WorkingLink):
    """What a link shares. `draft` is None if it shows a list of opportunities."""

    draft: DraftRead | None

    @property
    def title(self) -> str:
        return self.draft.title if self.draft else self.link.title


class NoticeGone(FundwrightError):
    """The same for a notice that is not in the list, and for none."""

    status = 404

    def __init__(self) -> None:
        super().__init__(
            t("This opportunity is not in the list that was shared with you, or is no longer in it. Go back to the list.")
        )


@dataclass(frozen=True)
class SharedList:
    """A page of the opportunities of a link, and the name of the category that it is limited to. `comments` counts the comments through the
    link for each opportunity that has some; `gone` are those of them that are no longer in the list."""

    listed: FoundPage
    category: str
    comments: Mapping[UUID, int]
    gone: Sequence[OpportunityRow]


async def find(core: Core, secret: str) -> WorkingLink:
    """Return the link with this secret, without reading what it shares: that is work, which strangers and banned guests must not cause.
    Raises LinkOver."""
    async with core.database.reading(scope=installation("share links")) as session:
        link = await repository.find_by_digest(session, tokens.digest(secret))
        if link is None:
            raise LinkOver
        try:
            actor = await acting_with(Permission.WORK)(session, link.created_by, link.owner_id)
        except (NotFound, NotAllowed) as error:
            raise LinkOver from error
    if link.draft_id is not None:
        async with core.database.reading(scope=actor.scope) as session:
            try:
                await generation.require_shareable(session, actor, link.draft_id)
            except (NotFound, NotAllowed) as error:
                raise LinkOver from error
    return WorkingLink(link, actor)


async def read(core: Core, found: WorkingLink) -> Shared:
    """Read the draft of a link, if it shares one. Raises LinkOver."""
    if found.link.draft_id is None:
        return Shared(found.link, found.creator, None)
    async with core.database.reading(scope=found.creator.scope) as session:
        try:
            draft = await generation.get_to_share(session, found.creator, found.link.draft_id)
        except (NotFound, NotAllowed) as error:
            raise LinkOver from error
    return Shared(found.link, found.creator, draft)


@asynccontextmanager
async def turn_of(core: Core, shared: WorkingLink) -> AsyncIterator[None]:
    """While the page of a link is made. Each link, and all links of a member together, have a few at a time, so that their readers do not
    slow down everyone else's work."""
    of_link: PartyLimiter = core.shared(f"{__name__}.links", lambda: PartyLimiter(_READERS_AT_ONCE))
    of_member: PartyLimiter = core.shared(f"{__name__}.members", lambda: PartyLimiter(_READERS_OF_MEMBER_AT_ONCE))
    work_for(readers_of(shared))
    async with of_link.slot(shared.link.id), of_member.slot(shared.creator.id):
        yield


def readers_of(shared: WorkingLink) -> Hashable:
    """The party for which a request over a link works, on the event loop and in `core.computing`: the readers of all links of a member, apart from
    the member."""
    return "readers", shared.creator.id


async def list_opportunities(core: Core, shared: WorkingLink, *, page: int) -> SharedList:
    """Return a page of the opportunities that the link's query finds now, or the last page."""
    query = shared.query
    with acting_in(shared.creator.scope):
        listed = await opportunities.search(core, shared.creator, query.model_copy(update={"page": page}))
        if listed.total and not listed.items:
            last = -(-listed.total // listed.page_size)
            listed = await opportunities.search(core, shared.creator, query.model_copy(update={"page": last}))
        comments = await _count_comments(core, shared)
        others = comments.keys() - {each.id for each in listed.items}
        found = await opportunities.found_among(core, shared.creator, query, others)
        async with core.database.reading() as session:
            gone = [id for id in comments if id in others and id not in found]
            rows = await opportunities.rows_of(session, shared.creator, gone)
            named = await categories.list_categories(session, shared.creator) if query.category else ()
    names = {each.id: each.name for each in named}
    return SharedList(listed, names.get(query.category, "") if query.category else "", comments, rows)


async def _count_comments(core: Core, shared: WorkingLink) -> Mapping[UUID, int]:
    if not shared.link.allows_comments:
        return {}
    async with core.database.reading(scope=shared.creator.scope) as session:
        return await conversation.count_for_guests(session, shared.creator, shared.link.id)


async def get_notice(core: Core, shared: WorkingLink, notice_id: str) -> OpportunityRead:
    """Return an opportunity of a list on which guests can comment: one that the link's query finds now, or one that has a thread of the
    link. Raises NoticeGone."""
    if shared.link.draft_id is not None or not shared.link.allows_comments:
        raise NoticeGone
    try:
        id = UUID(notice_id)
    except ValueError as error:
        raise NoticeGone from error
    with acting_in(shared.creator.scope):
        has_thread = id in await _count_comments(core, shared)
        if not has_thread and id not in await opportunities.found_among(core, shared.creator, shared.query, [id]):
            raise NoticeGone
        async with core.database.reading() as session:
            try:
                return await opportunities.get_opportunity(session, shared.creator, id)
            except NotFound as error:
                raise NoticeGone from error


async def enter(core: Core, shared: WorkingLink, password: str, *, client: Client) -> str:
    """Return a pass for the page of a link with a password, which `is_pass` accepts for an hour. Raises WrongPassword or
    TooManyPasswords. Opens its own transaction, because both are recorded before they are raised."""
    attempt = throttle.Attempt(email=_throttle_key(shared), address=client.address, is_shared=True)
    async with core.database.transaction(scope=shared.creator.scope) as session:
        is_counted = not await throttle.is_banned(session, attempt)
        is_right = False
        if is_counted:
            is_right, _ = await passwords.check_password(password, shared.link.password_hash)
            is_counted = await throttle.record_attempt(session, attempt, is_right=is_right)
        if not is_counted:
            tries = await throttle.count_refused(session, attempt)
            # Only the 1st, 10th, 100th, and so on, so that nobody can fill the audit trail.
            if str(tries).strip("0") == "1":
                await _record(session, "share.refused", shared, client, tries=str(tries))
        elif not is_right:
            await repository.count_wrong_password(session, shared.link.id)
            await _record(session, "share.refused", shared, client)
            await publish(session, shares_topic(shared.link.owner_id))
    if not is_counted:
        raise TooManyPasswords
    if not is_right:
        raise WrongPassword
    return new_pass(core, shared, "password")


def _throttle_key(shared: WorkingLink) -> str:
    """Names the counters of a link. In capitals, because nobody can sign in with such a name."""
    return f"SHARE:{shared.link.id}"


async def count(session: AsyncSession, shared: WorkingLink, *, client: Client) -> None:
    """Count that a person opens the page, just before it is sent. The audit trail gets one entry an hour for each network address.
    Raises LinkOver if the link has ended in the meantime."""
    if not await repository.count_open(session, shared.link.id):
        raise LinkOver
    is_known = await audit.is_recorded_from(
        session, "share.opened", client=client, within=_AUDITED_EVERY, link=str(shared.link.id)
    )
    if not is_known:
        await _record(session, "share.opened", shared, client)
    await publish(session, shares_topic(shared.link.owner_id))


async def list_comments(core: Core, shared: WorkingLink, subject_id: UUID, *, page: int) -> Page[Thread]:
    """Return the threads that guests started on the draft or the opportunity through the link, newest first."""
    query = PageRequest(page=page, page_size=_THREADS_SHOWN)
    async with core.database.reading(scope=shared.creator.scope) as session:
        return await conversation.list_for_guests(session, shared.creator, shared.link.id, subject_id, query)


async def refuse_frequent(core: Core, shared: WorkingLink, *, client: Client) -> None:
    """Raises TooManyTries for a guest whose next comment would be refused, before any work is done for it."""
    async with core.database.reading(scope=shared.creator.scope) as session:
        subject = _throttle_key(shared)
        await throttle.refuse_limited(session, "comment", subject=subject, address=client.address, limits=_COMMENT_LIMITS)


async def comment(
    session: AsyncSession, core: Core, shared: WorkingLink, subject_id: UUID, form: GuestForm, *, client: Client
) -> UUID:
    """Add what a guest writes on the draft, or on an opportunity that `get_notice` returned, and return its id. Raises LinkOver if the link
    has ended in the meantime, NotAllowed if it does not allow comments, TooManyTries, or an error of `add_guest_comment`."""
    link = await repository.lock_working(session, shared.link.id)
    if link is None:
        raise LinkOver
    if not link.allows_comments:
        raise NotAllowed(t("This link does not allow comments. Ask the person who sent it to you."))
    await throttle.enforce_rate_limit(
        session,
        "comment",
        subject=_throttle_key(shared),
        address=client.address,
        limits=_COMMENT_LIMITS,
    )
    id, is_new = await conversation.add_guest_comment(session, shared.creator, core, link.id, subject_id, form)
    if is_new:
        await _record(session, "share.commented", shared, client)
    return id


async def _record(session: AsyncSession, action: str, shared: WorkingLink, client: Client, **details: str) -> None:
    link = shared.link
    await audit.record(session, action, actor=None, subject=audit_subject_of(link), client=client, link=str(link.id), **details)


PassUse = Literal["password", "visit"]
"""A pass proves that its holder has entered the password, or that the visit to a page with several parts has been counted."""


def new_pass(core: Core, shared: WorkingLink, use: PassUse) -> str:
    until = int((now() + PASS_LASTS).timestamp())
    return f"{until}.{_seal(core, shared, use, until)}"


def is_pass(core: Core, shared: WorkingLink, use: PassUse, given: str) -> bool:
    """Whether it was issued for this link and has not expired."""
    until, _, seal = given.partition(".")
    if not (until.isascii() and until.isdecimal() and len(until) <= _MOST_DIGITS):
        return False
    return int(until) > now().timestamp() and hmac.compare_digest(seal.encode(), _seal(core, shared, use, int(until)).encode())


def _seal(core: Core, shared: WorkingLink, use: PassUse, until: int) -> str:
    link = shared.link
    return hmac.digest(lasting_key(core, "share.key"), f"{use}:{link.id}:{link.password_hash}:{until}".encode(), "sha256").hex()
