"""Creating, listing, and revoking share links."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit, passwords
from fundwright.accounts.permissions import needs, refuse_programs
from fundwright.accounts.schemas import COMMAND_LINE, Actor, Client, Permission, WorkspaceRole
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityKind
from fundwright.categories import service as categories
from fundwright.core import tokens
from fundwright.core.assembly import Core
from fundwright.core.database import acquire_lock, now
from fundwright.core.errors import Conflict
from fundwright.core.live import publish
from fundwright.core.messages import later, number, t
from fundwright.core.paging import Page, PageRequest, iterate_all
from fundwright.core.spreadsheets import csv_lines
from fundwright.generation import service as generation
from fundwright.opportunities.schemas import OpportunityQuery
from fundwright.sharing import repository
from fundwright.sharing.models import ShareLink
from fundwright.sharing.schemas import NewShare, ShareCreated, ShareKind, ShareQuery, ShareRead, ShareState
from fundwright.workspaces import restrictions
from fundwright.workspaces import service as workspaces

SHARED = ActivityKind("draft.shared", later("Draft shared"), later("{person} shared the draft “{subject}” by link"))
MOST_LINKS = 500
"""Working links of a workspace."""


class TooManyLinks(Conflict):
    def __init__(self) -> None:
        super().__init__(
            t(
                "A workspace can have at most {most} active share links. Revoke some that are no longer needed.",
                most=number(MOST_LINKS),
            )
        )


def shares_topic(owner_id: UUID) -> str:
    """The live topic of the share links of a workspace."""
    return f"shares:{owner_id}"


@needs(Permission.WORK)
async def share(session: AsyncSession, actor: Actor, core: Core, new: NewShare, *, client: Client = COMMAND_LINE) -> ShareCreated:
    """Create a link with which anyone can view a draft or a list of opportunities, or comment on it. Only the result has its address.

    The page shows what the actor may see whenever it is opened. A program cannot create a link, because it would outlive the program's
    token. Raises NotForPrograms, NotFound, WeakPassword, TooManyLinks, or NotAllowed for a restricted draft that the actor may not edit.
    """
    refuse_programs(actor)
    draft = await generation.get_to_share(session, actor, new.draft_id) if new.draft_id is not None else None
    title = draft.title if draft is not None else await _title_of_list(session, actor, new)
    password_hash = None
    if new.password is not None:
        await passwords.require_acceptable(new.password, about=(new.recipient, title))
        password_hash = await passwords.hash_password(new.password)
    await acquire_lock(session, shares_topic(actor.workspace_id))
    if await repository.count_working(session, actor.workspace_id) >= MOST_LINKS:
        raise TooManyLinks
    secret, created_at = tokens.new_secret(), now()
    link = ShareLink(
        owner_id=actor.workspace_id,
        digest=tokens.digest(secret),
        draft_id=new.draft_id,
        query=_stored(new.query) if new.query else None,
        title=title,
        recipient=new.recipient,
        password_hash=password_hash,
        has_watermark=new.has_watermark,
        shows_titles=new.shows_titles,
        allows_comments=new.allows_comments,
        created_by=actor.id,
        created_at=created_at,
        expires_at=created_at + timedelta(days=new.lasts_days),
    )
    session.add(link)
    await session.flush()
    await audit.record(
        session,
        "share.created",
        actor=actor,
        subject=audit_subject_of(link),
        client=client,
        link=str(link.id),
    )
    if draft is not None:
        await activity.record(session, actor, SHARED, generation.subject_of(draft))
    await publish(session, shares_topic(actor.workspace_id))
    created = _read(repository.Listed(link, ShareState.ACTIVE, title), actor.name)
    return ShareCreated(**created.model_dump(), link=f"{core.settings.address}/shared/{secret}")


async def _title_of_list(session: AsyncSession, actor: Actor, new: NewShare) -> str:
    """Raises NotFound, also for a category of another workspace."""
    if new.query is not None and new.query.category is not None:
        await categories.get_category(session, actor, new.query.category)
    return new.title or t("Opportunities")


def _stored(query: OpportunityQuery) -> dict[str, object]:
    """The query without its page, and whenever the opportunities were imported."""
    return query.model_dump(mode="json", exclude_defaults=True, exclude={*PageRequest.model_fields, "added_after"} - {"sort"})


@needs(Permission.WORK)
async def list_shares(session: AsyncSession, actor: Actor, query: ShareQuery) -> Page[ShareRead]:
    """Return share links of the actor's workspace. Owners see all of them; others see their own, and all links of a draft that they
    name."""
    is_limited = actor.workspace_role is not WorkspaceRole.OWNER and query.draft_id is None
    found, total = await repository.page(
        session,
        actor.workspace_id,
        query,
        titles=generation.titles(actor),
        editors=workspaces.editors(actor),
        restricted=restrictions.restricted_ids(actor.workspace_id),
        restricted_editors=restrictions.editors(actor.workspace_id),
        created_by=actor.id if is_limited else None,
    )
    names = await workspaces.names_of(session, actor, (each.link.created_by for each in found))
    items = [_read(each, names.get(each.link.created_by, "")) for each in found]
    return Page(items=items, total=total, page=query.page, page_size=query.page_size)


@needs(Permission.WORK)
def export_shares(session: AsyncSession, actor: Actor, query: ShareQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    columns: list[tuple[str, Callable[[ShareRead], object]]] = [
        (t("Title"), lambda link: link.title),
        (t("Kind"), lambda link: link.kind),
        (t("For"), lambda link: link.recipient),
        (t("Status"), lambda link: link.state),
        (t("Password"), lambda link: link.has_password),
        (t("Watermark"), lambda link: link.has_watermark),
        (t("Comments"), lambda link: link.allows_comments),
        (t("Opens"), lambda link: link.opens),
        (t("Last opened"), lambda link: link.last_opened_at),
        (t("Wrong passwords"), lambda link: link.wrong_passwords),
        (t("Created by"), lambda link: link.created_by),
        (t("Created"), lambda link: link.created_at),
        (t("Expires"), lambda link: link.expires_at),
    ]
    return csv_lines(columns, iterate_all(lambda page: list_shares(session, actor, page), query))


@needs(Permission.WORK)
async def revoke(session: AsyncSession, actor: Actor, share_id: UUID, *, client: Client = COMMAND_LINE) -> None:
    """End a share link of the actor's workspace; its page no longer opens. Raises NotFound."""
    link = await repository.lock(session, actor.workspace_id, share_id)
    if link.ended_at is not None:
        return
    link.ended_at = now()
    await audit.record(
        session,
        "share.revoked",
        actor=actor,
        subject=audit_subject_of(link),
        client=client,
        link=str(link.id),
    )
    await publish(session, shares_topic(actor.workspace_id))


def audit_subject_of(link: ShareLink) -> str:
    """What the audit trail says about its subject: the id of the draft, or "" for a list."""
    return str(link.draft_id or "")


def _read(listed: repository.Listed, created_by: str) -> ShareRead:
    link = listed.link
    return ShareRead(
        id=link.id,
        kind=ShareKind.DRAFT if link.query is None else ShareKind.VIEW,
        draft_id=link.draft_id,
        title=listed.title,
        recipient=link.recipient,
        state=listed.state,
        has_password=link.password_hash is not None,
        has_watermark=link.has_watermark,
        shows_titles=link.shows_titles,
        allows_comments=link.allows_comments,
        created_by=created_by,
        created_at=link.created_at,
        expires_at=link.expires_at,
        opens=link.opens,
        last_opened_at=link.last_opened_at,
        wrong_passwords=link.wrong_passwords,
    )
