"""Workspaces and their members."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from uuid import UUID

from sqlalchemy import Select
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts import service as accounts
from fundwright.accounts.models import Account, Workspace
from fundwright.accounts.permissions import needs, refuse_programs, refuse_support, require_confirmed
from fundwright.accounts.schemas import COMMAND_LINE, Actor, Client, Permission, WorkspaceRole
from fundwright.activity import service as activity
from fundwright.activity.schemas import MEMBER, ActivityKind, Subject
from fundwright.authentication import sessions
from fundwright.core import jobs
from fundwright.core.assembly import Core
from fundwright.core.database import acquire_lock
from fundwright.core.errors import Conflict, NotAllowed, NotFound
from fundwright.core.live import publish, publish_to
from fundwright.core.messages import keeping_messages, later, t
from fundwright.core.paging import Page, iterate_all
from fundwright.core.scopes import switched_to
from fundwright.core.spreadsheets import csv_lines
from fundwright.notifications import service as notifications
from fundwright.workspaces import events, repository
from fundwright.workspaces.schemas import MemberQuery, MemberRead, WorkspaceForm, WorkspaceRead

MOST_WORKSPACES = 50
"""Of which an account may be a member."""
_RANKS = {role: rank for rank, role in enumerate(WorkspaceRole)}
"""The highest role is 0."""

JOINED = ActivityKind("member.joined", later("Member joined"), later("{person} joined (role: {role})"))
LEFT = ActivityKind("member.left", later("Member left"), later("{person} left the workspace"))
REMOVED = ActivityKind("member.removed", later("Member removed"), later("{person} removed {subject} from the workspace"))
ROLE_CHANGED = ActivityKind(
    "member.role_changed", later("Role changed"), later("{person} changed the role of {subject} to {role}")
)
OWNERSHIP_TRANSFERRED = ActivityKind(
    "member.ownership_transferred",
    later("Ownership transferred"),
    later("{person} made {subject} an owner and became an editor"),
)
RENAMED = ActivityKind(
    "workspace.renamed", later("Workspace renamed"), later("{person} renamed the workspace “{before}” to “{subject}”")
)
ACTIVITY = (JOINED, LEFT, REMOVED, ROLE_CHANGED, OWNERSHIP_TRANSFERRED, RENAMED)

WorkspaceCreationCheck = Callable[[AsyncSession, Actor, Core], Awaitable[None]]
"""May raise an exception to refuse the workspace that the actor is about to create. Until the transaction ends, the account can neither
create nor join another one."""

WorkspaceDeletedHandler = Callable[[AsyncSession, Actor, Core], Awaitable[None]]
"""Cleans up before the rows of the actor's workspace are deleted."""


class TooManyWorkspaces(Conflict):
    def __init__(self) -> None:
        super().__init__(t("You can be a member of at most {most} workspaces. Leave one first.", most=MOST_WORKSPACES))


class PersonalWorkspace(Conflict):
    def __init__(self) -> None:
        super().__init__(t("Only you can use your personal workspace. Create another one to work with other people."))


class LastOwner(Conflict):
    def __init__(self, name: str) -> None:
        super().__init__(t("You are the only owner of “{name}”. Make another member an owner first.", name=name))


def workspace_topic(workspace_id: UUID) -> str:
    """The live topic of a workspace's name, members, and invitations."""
    return f"workspace:{workspace_id}"


def workspaces_topic(account_id: UUID) -> str:
    """The live topic of the workspaces that an account belongs to or is invited to."""
    return f"workspaces:{account_id}"


def memberships() -> Select[UUID, UUID]:
    """Select the ids of all workspaces, each with those of its members, as a subquery for work of the installation."""
    return repository.memberships()


@needs(Permission.READ)
def editors(actor: Actor) -> Select[UUID]:
    """Select the accounts that may work in the actor's workspace, as a subquery."""
    return repository.editors(actor.workspace_id)


async def list_editor_ids(session: AsyncSession, workspace_id: UUID) -> Sequence[UUID]:
    """Return the accounts that may work in a workspace, owners first, for work of the installation."""
    return await repository.list_editor_ids(session, workspace_id)


@needs(Permission.ADMINISTER)
def opened_by(actor: Actor) -> Select[UUID]:
    """Select the workspaces whose content an administrator may see, as a subquery: as a member, or with support access."""
    return repository.opened_by(actor.id)


@needs(Permission.ADMINISTER)
def directory(actor: Actor) -> Select[UUID, str, bool, Sequence[str]]:
    """Id, name, whether it is personal, and the owners' email addresses of every workspace, for use as a subquery in another slice's
    lists. A personal workspace has the name of its account."""
    return repository.directory()


@needs(Permission.READ)
async def count_owned(session: AsyncSession, actor: Actor) -> int:
    """Count the shared workspaces of which the actor is an owner."""
    return await repository.count_owned(session, actor.id)


@needs(Permission.READ)
async def list_workspaces(session: AsyncSession, actor: Actor) -> list[WorkspaceRead]:
    """Return the workspaces of the account, the personal one first."""
    return await repository.list_of(session, actor.id)


@needs(Permission.READ)
async def export_workspaces(session: AsyncSession, actor: Actor) -> AsyncIterator[str]:
    """Yield the workspaces of the account as lines of CSV."""
    columns: list[tuple[str, Callable[[WorkspaceRead], object]]] = [
        (t("Workspace"), lambda workspace: workspace.title),
        (t("Role"), lambda workspace: workspace.role.label),
        (t("Members"), lambda workspace: workspace.members),
    ]
    async for line in csv_lines(columns, await list_workspaces(session, actor)):
        yield line


@needs(Permission.READ)
async def get_workspace(session: AsyncSession, actor: Actor) -> WorkspaceRead:
    """Return the workspace in which the actor acts. Raises NotFound once it is gone."""
    workspace = await (
        repository.find_supported(session, actor.workspace_id)
        if actor.is_support
        else repository.find(session, actor.id, actor.workspace_id)
    )
    if workspace is None:
        raise NotFound(t("The workspace"))
    return workspace


@needs(Permission.READ)
async def create_workspace(
    session: AsyncSession, actor: Actor, core: Core, form: WorkspaceForm, *, client: Client = COMMAND_LINE
) -> WorkspaceRead:
    """Create a workspace that the actor owns. Raises NotAllowed, TooManyWorkspaces, or what one of the `workspace_creation_checks` raises."""
    require_confirmed(actor)
    await require_room(session, actor)
    checks: list[WorkspaceCreationCheck] = core.plugins.collect("workspace_creation_checks")
    for check in checks:
        await check(session, actor, core)
    workspace = await repository.add(session, name=form.name, owner_id=actor.id)
    await audit.record(session, "workspace.created", actor=actor, subject=form.name, client=client)
    await publish(session, workspaces_topic(actor.id))
    return WorkspaceRead(id=workspace.id, name=form.name, role=WorkspaceRole.OWNER, members=1)


@needs(Permission.READ)
async def use_workspace(session: AsyncSession, actor: Actor, workspace_id: UUID) -> None:
    """Make a workspace of the actor the last used one, in which pages open. Raises NotFound."""
    await accounts.use_workspace(session, await actor_in(session, actor, workspace_id))


@needs(Permission.READ)
async def find_home(session: AsyncSession, actor: Actor, ids: Collection[UUID], slugs: Collection[str]) -> Actor | None:
    """Return the actor in another workspace of the account, in which it sees something with one of these ids or slugs; None if it sees one
    in its own workspace, or none. What the account may not see takes the same queries as what does not exist."""
    own = [each.id for each in await repository.list_of(session, actor.id)]
    others = [id for id in own if id != actor.workspace_id]
    if not others or await repository.shows_any(session, ids, slugs):
        return None
    for id in others:
        there = await actor_in(session, actor, id)
        async with switched_to(session, there.scope):
            if await repository.shows_any(session, ids, slugs):
                return there
    return None


@needs(Permission.READ)
async def actor_in(session: AsyncSession, actor: Actor, workspace_id: UUID) -> Actor:
    """Return the actor in another workspace of the account. Raises NotFound if it is not a member."""
    account = await accounts.get_account_by_id(session, actor.id)
    found = await accounts.actor_in(session, account, workspace_id, session_id=actor.session_id)
    if found is None:
        raise NotFound(t("The workspace"))
    return found


@needs(Permission.READ)
async def rename_workspace(session: AsyncSession, actor: Actor, form: WorkspaceForm, *, client: Client = COMMAND_LINE) -> None:
    """Rename the actor's workspace. Raises NotAllowed or PersonalWorkspace."""
    workspace = await lock_as_owner(session, actor)
    previous, workspace.name = workspace.name, form.name
    await audit.record(session, "workspace.renamed", actor=actor, subject=form.name, client=client, previous=previous)
    if form.name != previous:
        subject = Subject("workspace", workspace.id, form.name)
        await activity.record(session, actor, RENAMED, subject, before=previous, after=form.name)
    await announce(session, workspace.id)


@needs(Permission.READ)
async def delete_workspace(session: AsyncSession, actor: Actor, core: Core, *, name: str, client: Client = COMMAND_LINE) -> None:
    """Delete the actor's workspace with everything in it, permanently. `name` is its name, typed as confirmation.

    Raises NotAllowed, PersonalWorkspace, or Conflict if the name is another one.
    """
    workspace = await lock_as_owner(session, actor)
    if name.strip() != workspace.name:
        raise Conflict(t("Type the name of the workspace exactly as it is shown."))
    await _delete(session, actor, core, workspace)
    await audit.record(session, "workspace.deleted", actor=actor, subject=workspace.name, client=client)


@needs(Permission.READ)
async def list_members(session: AsyncSession, actor: Actor, query: MemberQuery) -> Page[MemberRead]:
    """Return the members of the actor's workspace."""
    items, total = await repository.page_of_members(session, actor.workspace_id, query)
    return Page(items=items, total=total, page=query.page, page_size=query.page_size)


@needs(Permission.READ)
async def names_of(session: AsyncSession, actor: Actor, account_ids: Iterable[UUID | None]) -> Mapping[UUID | None, str]:
    """Return the names of accounts that made something in the actor's workspace, also of former members."""
    others = {id for id in account_ids if id is not None and id != actor.id}
    return {actor.id: actor.name, **(await repository.names_of(session, others) if others else {})}


@needs(Permission.READ)
async def members_among(session: AsyncSession, actor: Actor, account_ids: Collection[UUID]) -> frozenset[UUID]:
    """Return which of these accounts are members of the actor's workspace now."""
    return frozenset(await repository.list_member_ids(session, actor.workspace_id, among=account_ids))


@needs(Permission.READ)
async def export_members(session: AsyncSession, actor: Actor, query: MemberQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    columns: list[tuple[str, Callable[[MemberRead], object]]] = [
        (t("Name"), lambda member: member.name),
        (t("Email"), lambda member: member.email),
        (t("Role"), lambda member: member.role.label),
        (t("Joined"), lambda member: member.joined_at),
    ]
    async for line in csv_lines(columns, iterate_all(lambda page: list_members(session, actor, page), query)):
        yield line


@needs(Permission.READ)
async def change_role(
    session: AsyncSession, actor: Actor, account_id: UUID, role: WorkspaceRole, *, client: Client = COMMAND_LINE
) -> None:
    """Change the role of a member of the actor's workspace; it applies immediately. Raises NotAllowed, PersonalWorkspace, NotFound, or
    LastOwner."""
    workspace = await lock_as_owner(session, actor)
    member = await repository.get_member(session, workspace.id, account_id)
    if member.role == WorkspaceRole.OWNER and role is not WorkspaceRole.OWNER:
        await _require_other_owner(session, workspace)
        await repository.end_invitations_from(session, workspace.id, account_id)
    if _RANKS[role] > _RANKS[WorkspaceRole(member.role)]:  # the person could leave, and join again with an earlier link
        await repository.end_open_links(session, workspace.id)
    member.role = role
    account = await accounts.get_account_by_id(session, account_id)
    await audit.record(
        session,
        "workspace.role_changed",
        actor=actor,
        subject=account.email,
        client=client,
        workspace=workspace.name,
        role=role.value,
    )
    await record_member(session, actor, ROLE_CHANGED, account_id, role)
    await notifications.notify(
        session, events.ROLE_CHANGED, [account_id], actor=actor, workspace_id=workspace.id, subject=workspace.name,
        path=events.PATH, details={"role": role.value},
    )  # fmt: skip
    await sessions.recheck_pages(session, [account_id])
    await announce(session, workspace.id)


@needs(Permission.READ)
async def transfer_ownership(session: AsyncSession, actor: Actor, account_id: UUID, *, client: Client = COMMAND_LINE) -> None:
    """Make another member of the actor's workspace an owner, and the actor an editor; both apply immediately. Invitations that the actor
    has sent end. Raises NotAllowed, PersonalWorkspace, NotFound, or Conflict for the actor's own account."""
    workspace = await lock_as_owner(session, actor)
    if account_id == actor.id:
        raise Conflict(t("You are an owner already. Choose another member."))
    member = await repository.get_member(session, workspace.id, account_id)
    own = await repository.get_member(session, workspace.id, actor.id)
    member.role, own.role = WorkspaceRole.OWNER, WorkspaceRole.EDITOR
    await repository.end_invitations_from(session, workspace.id, actor.id)
    await repository.end_open_links(session, workspace.id)  # the actor may have one
    account = await accounts.get_account_by_id(session, account_id)
    await audit.record(
        session,
        "workspace.ownership_transferred",
        actor=actor,
        subject=account.email,
        client=client,
        workspace=workspace.name,
    )
    await record_member(session, actor, OWNERSHIP_TRANSFERRED, account_id)
    await notifications.notify(
        session, events.ROLE_CHANGED, [account_id], actor=actor, workspace_id=workspace.id, subject=workspace.name,
        path=events.PATH, details={"role": WorkspaceRole.OWNER.value},
    )  # fmt: skip
    await sessions.recheck_pages(session, [account_id, actor.id])
    await announce(session, workspace.id)


@needs(Permission.READ)
async def remove_member(session: AsyncSession, actor: Actor, account_id: UUID, *, client: Client = COMMAND_LINE) -> None:
    """Remove a member from the actor's workspace, and close that person's open pages of it. What the person created stays.

    Raises NotAllowed, PersonalWorkspace, NotFound, or LastOwner.
    """
    workspace = await lock_as_owner(session, actor)
    member = await _remove(session, workspace, account_id)
    await repository.end_open_links(session, workspace.id)  # the person may have one
    await audit.record(
        session, "workspace.member_removed", actor=actor, subject=member.email, client=client, workspace=workspace.name
    )
    await record_member(session, actor, REMOVED, account_id)
    await notifications.notify(
        session, events.REMOVED, [account_id], actor=actor, workspace_id=None, subject=workspace.name, path=events.PATH
    )


@needs(Permission.READ)
async def leave_workspace(session: AsyncSession, actor: Actor, *, client: Client = COMMAND_LINE) -> None:
    """Leave the workspace in which the actor acts. Raises PersonalWorkspace, NotFound, or LastOwner."""
    refuse_programs(actor)
    refuse_support(actor)
    workspace = await lock_shared(session, actor)
    await _remove(session, workspace, actor.id)
    await audit.record(session, "workspace.left", actor=actor, subject=actor.email, client=client, workspace=workspace.name)
    await record_member(session, actor, LEFT, actor.id)


@needs(Permission.READ)
async def list_last_owned(session: AsyncSession, actor: Actor) -> Sequence[UUID]:
    """Return the ids of the workspaces in which another member must become an owner before the account can be deleted."""
    return await repository.list_last_owned(session, actor.id)


@needs(Permission.READ)
async def leave_all(session: AsyncSession, actor: Actor, core: Core) -> None:
    """Leave all workspaces before the account is deleted. Those without other members are deleted, and so is the personal one.

    Raises LastOwner.
    """
    await _stop_joining(session, actor)
    for each in reversed(await repository.list_of(session, actor.id)):  # the personal one last
        acting = actor.model_copy(update={"workspace_id": each.id, "workspace_role": each.role})
        workspace = await repository.lock(session, each.id)
        if list(await repository.list_member_ids(session, each.id)) == [actor.id]:
            await _delete(session, acting, core, workspace)
        else:
            await _remove(session, workspace, actor.id)
            await record_member(session, acting, LEFT, actor.id)
    await repository.end_invitations_from(session, None, actor.id)


@needs(Permission.READ)
async def lock_as_owner(session: AsyncSession, actor: Actor) -> Workspace:
    """Lock the actor's workspace for a change that only owners may make. Raises NotForPrograms, PersonalWorkspace, or NotAllowed, also
    if the actor has just lost the role."""
    refuse_programs(actor)
    if not actor.is_in_shared_workspace:
        raise PersonalWorkspace
    return await lock_as_any_owner(session, actor)


@needs(Permission.READ)
async def lock_as_any_owner(session: AsyncSession, actor: Actor) -> Workspace:
    """Like `lock_as_owner`, also for the personal workspace. Raises NotForPrograms or NotAllowed."""
    refuse_programs(actor)
    workspace = await repository.lock(session, actor.workspace_id)
    await require_any_owner(session, actor)
    return workspace


@needs(Permission.READ)
async def require_owner(session: AsyncSession, actor: Actor) -> None:
    """Raise PersonalWorkspace, or NotAllowed unless the actor owns its workspace."""
    if not actor.is_in_shared_workspace:
        raise PersonalWorkspace
    await require_any_owner(session, actor)


@needs(Permission.READ)
async def require_any_owner(session: AsyncSession, actor: Actor) -> None:
    """Like `require_owner`, also for the personal workspace. Raises NotAllowed."""
    is_owner = not actor.is_support and (
        (await repository.get_member(session, actor.workspace_id, actor.id)).role == WorkspaceRole.OWNER
    )
    if not is_owner:
        raise NotAllowed(t("Only owners of the workspace can do this. Ask one of them."))


@needs(Permission.READ)
async def list_owner_ids(session: AsyncSession, actor: Actor) -> Sequence[UUID]:
    """Return the accounts that own the actor's workspace."""
    return await repository.list_owner_ids(session, actor.workspace_id)


@needs(Permission.READ)
async def require_room(session: AsyncSession, actor: Actor) -> None:
    """Raise TooManyWorkspaces, or NotFound if the account has been deleted. Until the transaction ends, the account cannot join another
    workspace."""
    await _stop_joining(session, actor)
    await accounts.get_account_by_id(session, actor.id)
    if await repository.count_of(session, actor.id) >= MOST_WORKSPACES:
        raise TooManyWorkspaces


async def _stop_joining(session: AsyncSession, actor: Actor) -> None:
    """Until the transaction ends, the account cannot join or create another workspace."""
    await acquire_lock(session, f"workspaces:{actor.id}")


@needs(Permission.READ)
async def lock_shared(session: AsyncSession, actor: Actor) -> Workspace:
    """Until the transaction ends, no other request can change the actor's workspace or its members. Raises PersonalWorkspace or
    NotFound."""
    if not actor.is_in_shared_workspace:
        raise PersonalWorkspace
    return await repository.lock(session, actor.workspace_id)


async def _remove(session: AsyncSession, workspace: Workspace, account_id: UUID) -> Account:
    """Return the account of the former member."""
    member = await repository.get_member(session, workspace.id, account_id)
    if member.role == WorkspaceRole.OWNER:
        await _require_other_owner(session, workspace)
    account = await accounts.get_account_by_id(session, account_id)
    await repository.end_invitations_from(session, workspace.id, account_id)
    await repository.end_invitations_for(session, workspace.id, account.email)
    await repository.remove_member(session, workspace.id, account_id)
    await sessions.recheck_pages(session, [account_id])
    await publish(session, workspaces_topic(account_id))
    await announce(session, workspace.id)
    return account


async def _require_other_owner(session: AsyncSession, workspace: Workspace) -> None:
    if await repository.count_owners(session, workspace.id) < 2:
        raise LastOwner(workspace.name)


async def _delete(session: AsyncSession, actor: Actor, core: Core, workspace: Workspace) -> None:
    members = await repository.list_member_ids(session, workspace.id)
    handlers: list[WorkspaceDeletedHandler] = core.plugins.collect("workspace_deleted_handlers")
    for handler in handlers:
        await handler(session, actor, core)
    await jobs.forget(session, workspace.id)
    await notifications.forget_event(session, events.invitation_to(workspace.id))
    await repository.delete_workspace(session, workspace.id)
    await sessions.recheck_pages(session, members)
    await publish_to(session, map(workspaces_topic, members))


@needs(Permission.READ)
async def record_member(
    session: AsyncSession, actor: Actor, kind: ActivityKind, account_id: UUID, role: WorkspaceRole | None = None
) -> None:
    """Record what happened to a member of the actor's workspace."""
    subject = Subject(MEMBER, account_id)
    if role is None:
        await activity.record(session, actor, kind, subject)
    else:
        with keeping_messages():
            label = role.label
        await activity.record(session, actor, kind, subject, role=label)


async def announce(session: AsyncSession, workspace_id: UUID) -> None:
    """Update what shows the workspace: its pages, and the lists of its members."""
    members = await repository.list_member_ids(session, workspace_id)
    await publish_to(session, [workspace_topic(workspace_id), *map(workspaces_topic, members)])
