"""The accounts of the installation and its audit trail, for those who administer or oversee it. Nobody acts as somebody else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core import mail
from fundwright.core.assembly import Core
from fundwright.core.errors import Conflict, NotFound
from fundwright.core.messages import t
from fundwright.core.paging import Page, PageRequest, iterate_all
from fundwright.core.spreadsheets import csv_lines
from fundwright.identity import audit, entry, letters, recovery, repository, second_factor, service, sessions
from fundwright.identity.permissions import needs
from fundwright.identity.reauthentication import needs_recent_proof
from fundwright.identity.schemas import (
    AccountRead,
    Actor,
    AuditQuery,
    AuditRead,
    Client,
    PeopleQuery,
    Permission,
    Role,
    SessionRead,
)


class LastAdministrator(Conflict):
    def __init__(self) -> None:
        super().__init__(t("This is the only administrator. Make somebody else one first."))


@needs(Permission.OVERSEE)
async def list_people(session: AsyncSession, actor: Actor, query: PeopleQuery) -> Page[AccountRead]:
    """Accounts by email unless `sort` says otherwise."""
    accounts, total = await repository.page_of_people(session, query)
    items = [AccountRead.model_validate(account) for account in accounts]
    return Page(items=items, total=total, page=query.page, page_size=query.page_size)


@needs(Permission.OVERSEE)
def export_people(session: AsyncSession, actor: Actor, query: PeopleQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    return csv_lines(
        [
            (t("Email"), lambda person: person.email),
            (t("Name"), lambda person: person.name),
            (t("Role"), lambda person: person.role),
            (t("State"), lambda person: person.state),
            (t("Created"), lambda person: person.created_at),
            (t("Last signed in"), lambda person: person.last_signed_in_at),
        ],
        (AccountRead.model_validate(account) async for account in repository.stream_people(session, query)),
    )


@needs(Permission.OVERSEE)
async def get_person(session: AsyncSession, actor: Actor, account_id: UUID) -> AccountRead:
    """Raises NotFound."""
    account = await repository.find_account_by_id(session, account_id)
    if account is None:
        raise NotFound(t("The account"))
    return AccountRead.model_validate(account)


@needs(Permission.ADMINISTER)
async def list_sessions(session: AsyncSession, actor: Actor, account_id: UUID, request: PageRequest) -> Page[SessionRead]:
    """Where the account is signed in, last used first; or sorted by `created_at`."""
    return await sessions.read_page(session, account_id, request)


@needs(Permission.ADMINISTER)
def export_sessions(session: AsyncSession, actor: Actor, account_id: UUID, request: PageRequest) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    return sessions.export(iterate_all(lambda page: list_sessions(session, actor, account_id, page), request))


@needs(Permission.ADMINISTER)
@needs_recent_proof
async def change_role(
    core: Core, session: AsyncSession, actor: Actor, account_id: UUID, role: Role, *, client: Client
) -> AccountRead:
    """It counts at once: the account's sessions end. Raises NotFound, LastAdministrator or ProofRequired."""
    person = await get_person(session, actor, account_id)
    if role is not Role.ADMIN:
        await _keep_an_administrator(session, account_id)
    return await service.change_role(core, session, email=person.email, role=role, client=client, by=actor)


@needs(Permission.ADMINISTER)
async def disable(core: Core, session: AsyncSession, actor: Actor, account_id: UUID, *, client: Client) -> AccountRead:
    """Nobody can sign in to the account any more, and its sessions end. Raises NotFound or LastAdministrator."""
    person = await get_person(session, actor, account_id)
    await _keep_an_administrator(session, account_id)
    return await service.disable_account(core, session, email=person.email, client=client, by=actor)


@needs(Permission.ADMINISTER)
async def enable(core: Core, session: AsyncSession, actor: Actor, account_id: UUID, *, client: Client) -> AccountRead:
    """Raises NotFound."""
    person = await get_person(session, actor, account_id)
    return await service.enable_account(core, session, email=person.email, client=client, by=actor)


@needs(Permission.ADMINISTER)
async def end_sessions(session: AsyncSession, actor: Actor, account_id: UUID, *, client: Client) -> None:
    """Sign the account out everywhere. Raises NotFound."""
    person = await get_person(session, actor, account_id)
    await entry.end_sessions(session, account_id)
    await audit.record(session, "session.all_ended", actor=actor, subject=person.email, client=client)


@needs(Permission.ADMINISTER)
@needs_recent_proof
async def start_reset(core: Core, session: AsyncSession, actor: Actor, account_id: UUID, *, client: Client) -> None:
    """Send the owner a link by which to choose a new password; nobody else sees it or the password.

    Raises NotFound or ProofRequired.
    """
    person = await get_person(session, actor, account_id)
    link = core.settings.address + await recovery.reset_link(session, email=person.email, client=client, by=actor)
    await mail.post(core, session, letters.reset(person.email, person.language or "en", link=link))


@needs(Permission.OVERSEE)
async def has_second_factor(session: AsyncSession, actor: Actor, account_id: UUID) -> bool:
    """Whether the account is protected by an authenticator app or has passkeys."""
    return await repository.has_second_factor(session, account_id) or bool(await repository.list_passkeys(session, account_id))


@needs(Permission.ADMINISTER)
@needs_recent_proof
async def remove_second_factor(core: Core, session: AsyncSession, actor: Actor, account_id: UUID, *, client: Client) -> None:
    """Take authenticator app, recovery codes and passkeys from somebody who has lost them. Raises NotFound or ProofRequired."""
    person = await get_person(session, actor, account_id)
    await second_factor.remove(core, session, email=person.email, client=client, by=actor)


@needs(Permission.OVERSEE)
async def list_audit(session: AsyncSession, actor: Actor, query: AuditQuery) -> Page[AuditRead]:
    """Newest first unless `sort` is `at`."""
    entries, total = await repository.page_of_audit(session, query, actions=audit.actions_called(query.text))
    items = [AuditRead.model_validate(line) for line in entries]
    return Page(items=items, total=total, page=query.page, page_size=query.page_size)


@needs(Permission.OVERSEE)
async def export_audit(session: AsyncSession, actor: Actor, query: AuditQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    lines = csv_lines(
        [
            (t("When"), lambda line: line.at),
            (t("Who"), lambda line: line.actor_email),
            (t("What"), lambda line: audit.action_label(line.action)),
            (t("Whom or what"), lambda line: line.subject),
            (t("Where from"), lambda line: line.address),
            (t("Details"), lambda line: ", ".join(f"{name}: {value}" for name, value in line.details.items())),
        ],
        repository.stream_audit(session, query, actions=audit.actions_called(query.text)),
    )
    async for line in lines:
        yield line


async def _keep_an_administrator(session: AsyncSession, account_id: UUID) -> None:
    """Two administrators who demote each other at once wait for one another here."""
    if list(await repository.lock_administrators(session)) == [account_id]:
        raise LastAdministrator
