"""The accounts of the installation, for administrators."""

from __future__ import annotations

from collections.abc import AsyncIterator
from uuid import UUID

from sqlalchemy import Select
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import repository
from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import AccountRead, Actor, PeopleQuery, Permission
from fundwright.core.errors import NotFound
from fundwright.core.messages import t
from fundwright.core.paging import Page
from fundwright.core.spreadsheets import csv_lines


@needs(Permission.ADMINISTER)
async def list_people(session: AsyncSession, actor: Actor, query: PeopleQuery) -> Page[AccountRead]:
    """Accounts, by email unless `sort` says otherwise."""
    accounts, total = await repository.page_of_people(session, query)
    items = [AccountRead.model_validate(account) for account in accounts]
    return Page(items=items, total=total, page=query.page, page_size=query.page_size)


@needs(Permission.ADMINISTER)
def export_people(session: AsyncSession, actor: Actor, query: PeopleQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    return csv_lines(
        [
            (t("Email"), lambda person: person.email),
            (t("Name"), lambda person: person.name),
            (t("Role"), lambda person: person.role),
            (t("Status"), lambda person: person.state),
            (t("Created"), lambda person: person.created_at),
            (t("Last signed in"), lambda person: person.last_signed_in_at),
        ],
        (AccountRead.model_validate(account) async for account in repository.stream_people(session, query)),
    )


@needs(Permission.ADMINISTER)
async def get_person(session: AsyncSession, actor: Actor, account_id: UUID) -> AccountRead:
    """Raises NotFound."""
    account = await repository.find_account_by_id(session, account_id)
    if account is None:
        raise NotFound(t("The account"))
    return AccountRead.model_validate(account)


@needs(Permission.ADMINISTER)
def directory(actor: Actor) -> Select[UUID, str, str]:
    """Id, email, and name of every account, for use as a subquery in another slice's lists."""
    return repository.directory()
