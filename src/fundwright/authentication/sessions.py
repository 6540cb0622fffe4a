"""Sessions: who they belong to, how long they last, and the tokens that follow one another.

An open page has its token renewed now and then. The newer token takes effect with its first use, so a lost response does no harm;
the older one is valid for another minute, for other tabs and for requests on their way. A later use of it must come from a copy:
that ends the session, for both the thief and the owner.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Collection
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from uuid import UUID, uuid4

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts import service as accounts
from fundwright.accounts.models import Account
from fundwright.accounts.schemas import Actor, Client
from fundwright.authentication import emails, repository, session_tokens
from fundwright.authentication.models import AccountSession
from fundwright.authentication.schemas import SessionRead, SignedIn
from fundwright.authentication.session_tokens import TokenPayload
from fundwright.core import live, mail, tokens
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.messages import current_language, t
from fundwright.core.paging import Page, PageRequest
from fundwright.core.spreadsheets import csv_lines

RENEWED_AFTER = timedelta(minutes=30)
GRACE = timedelta(seconds=60)
_TOUCH_INTERVAL = timedelta(minutes=1)
KNOWN_FOR = timedelta(days=365)
_MAX_KNOWN_DEVICES = 30


class Found(NamedTuple):
    """A live session, and the content of its token."""

    row: AccountSession
    account: Account
    payload: TokenPayload


async def read_page(session: AsyncSession, owner_id: UUID, request: PageRequest) -> Page[SessionRead]:
    """The account's sessions, last used first; or sorted by `created_at`."""
    found, total = await repository.page_of_live_sessions(session, owner_id, request)
    items = [SessionRead.model_validate(row) for row in found]
    return Page(items=items, total=total, page=request.page, page_size=request.page_size)


async def find(session: AsyncSession, core: Core, token: str) -> Found | None:
    """The live session of the token, or None."""
    found = await _named(session, core, token)
    if found is None or _is_replayed(found):
        return None
    # A token with an earlier role, or with the placeholder address, is not valid.
    if (found.account.email, found.account.role) != (found.payload.email, found.payload.role) or _is_unknown(core, found.account):
        return None
    if found.payload.gen > found.row.generation:
        await repository.advance_session(session, found.row.id, generation=found.payload.gen, moment=now())
    return found


def is_touch_due(row: AccountSession) -> bool:
    """Whether its last recorded use is so long ago that `touch` should record another one."""
    return now() - row.last_used_at > _TOUCH_INTERVAL


async def touch(session: AsyncSession, row: AccountSession) -> None:
    """Record a use."""
    await repository.touch_session(session, row.id, moment=now())


async def resume(session: AsyncSession, core: Core, token: str) -> SignedIn | None:
    """The live session of the token, with its next token once this one has been valid for a while, or None.

    This alone is not a use of the session: a page that is only open renews its token, too.
    """
    found = await find(session, core, token)
    if found is None:
        return None
    row, account, payload = found
    moment = now()
    actor = accounts.actor_of(account, session_id=row.id)
    if moment - datetime.fromtimestamp(payload.iat, UTC) > RENEWED_AFTER:
        generation = max(payload.gen + 1, row.generation)
        token = session_tokens.sign(
            core, actor, session_id=row.id, generation=generation, issued_at=moment, expires_at=row.expires_at
        )
    max_age_s = int((row.expires_at - moment).total_seconds()) if row.remember else None
    return SignedIn(token=token, actor=actor, max_age_s=max_age_s)


async def recognize(session: AsyncSession, core: Core, holder: Actor) -> tuple[AccountSession, Actor] | None:
    """The current session and its account, for an open page. None if the session, or the membership or support access in
    the page's workspace has ended, or the account has another role or address."""
    found = await repository.find_live_session(session, holder.session_id) if holder.session_id else None
    if found is None:
        return None
    row, account = found
    if (account.email, account.role) != (holder.email, holder.role) or _is_unknown(core, account):
        return None
    actor = await accounts.person_in(session, account, holder.workspace_id, session_id=row.id)
    return None if actor is None else (row, actor)


async def end_if_replayed(session: AsyncSession, core: Core, token: str, *, client: Client) -> None:
    """For a refused token: if a newer one has replaced it, end the session and notify its owner."""
    found = await _named(session, core, token)
    if found is None or not _is_replayed(found):
        return
    account = found.account
    if await end_sessions(session, account.id, only=found.row.id):
        await audit.record(session, "session.replayed", actor=None, subject=account.email, client=client)
        forgot = f"{core.settings.address}/auth/reset-password"
        language = accounts.language_of(account, otherwise=current_language())
        await mail.post(session, core, emails.session_replayed(account.email, language, link=forgot), recipient_id=account.id)


async def _named(session: AsyncSession, core: Core, token: str) -> Found | None:
    payload = session_tokens.read(core, token)
    found = await repository.find_live_session(session, payload.sid) if payload else None
    return Found(*found, payload) if found and payload else None


def _is_replayed(found: Found) -> bool:
    row, age = found.row, found.row.generation - found.payload.gen
    if age <= 0:
        return False
    return age > 1 or row.superseded_at is None or now() - row.superseded_at > GRACE


def _is_unknown(core: Core, account: Account) -> bool:
    return account.email == core.settings.unknown_email.lower()


def export(found: AsyncIterable[SessionRead]) -> AsyncIterator[str]:
    """Yield sessions as lines of CSV."""
    return csv_lines(
        [
            (t("Device"), lambda one: one.user_agent),
            (t("Network address"), lambda one: one.address),
            (t("Signed in"), lambda one: one.created_at),
            (t("Last used"), lambda one: one.last_used_at),
            (t("Expires"), lambda one: one.expires_at),
        ],
        found,
    )


def session_topic(session_id: UUID) -> str:
    """Published when the session or what its pages show may have ended: open pages check, and close."""
    return f"session:{session_id}"


async def start_session(session: AsyncSession, core: Core, account: Account, *, remember: bool, client: Client) -> SignedIn:
    await repository.forget_old_sessions(session, account.id)
    moment = now()
    settings = core.settings
    lasts = timedelta(hours=settings.kept_session_hours if remember else settings.session_hours)
    row = AccountSession(
        id=uuid4(),
        owner_id=account.id,
        remember=remember,
        user_agent=audit.one_line(client.user_agent),
        address=audit.one_line(client.address),
        created_at=moment,
        last_used_at=moment,
        reauthenticated_until=moment + timedelta(minutes=core.settings.reauthentication_minutes),
        expires_at=moment + lasts,
        idle_limit=timedelta(hours=settings.kept_idle_hours if remember else settings.idle_hours),
    )
    session.add(row)
    account.last_signed_in_at = moment
    await session.flush()
    actor = accounts.actor_of(account, session_id=row.id)
    await audit.record(session, "sign_in", actor=actor, subject=account.email, client=client)
    token = session_tokens.sign(core, actor, session_id=row.id, issued_at=moment, expires_at=row.expires_at)
    device = await remember_device(session, account.id, lasts=KNOWN_FOR, replaces=client.device) if client.is_browser else ""
    return SignedIn(token=token, actor=actor, max_age_s=int(lasts.total_seconds()) if remember else None, device=device)


async def remember_device(session: AsyncSession, owner_id: UUID, *, lasts: timedelta, replaces: str = "") -> str:
    """Make a browser a known device of the account; return the secret for its cookie. `replaces` is the digest of its present
    one."""
    secret = tokens.new_secret()
    await repository.add_known_device(
        session,
        owner_id,
        digest=tokens.digest(secret),
        replaces=replaces,
        expires_at=now() + lasts,
        limit=_MAX_KNOWN_DEVICES,
    )
    return secret


async def recheck_pages(session: AsyncSession, owner_ids: Collection[UUID]) -> None:
    """Let all open pages of these accounts check again, once the transaction commits, whether they may stay open."""
    await live.publish_to(session, map(session_topic, await repository.list_live_session_ids(session, owner_ids)))


async def end_sessions(
    session: AsyncSession, owner_id: UUID, *, only: UUID | None = None, but: UUID | None = None, device: str = ""
) -> bool:
    """End one session, or all except `but`, and with all of them forget the known devices, except the one with the digest `device`."""
    ended = await repository.end_sessions(session, owner_id, only=only, but=but)
    if only is None:
        await repository.forget_known_devices(session, owner_id, but=device)
    await live.publish_to(session, map(session_topic, ended))
    return bool(ended)
