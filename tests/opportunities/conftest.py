from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor
from fundwright.core.assembly import Core
from fundwright.core.jobs import JobRead
from fundwright.core.paging import PageRequest
from fundwright.opportunities import service
from fundwright.opportunities.schemas import ImportOpportunities, ImportRunRead, OpportunityQuery, OpportunityRow, RejectionRead
from tests.support.accounts import add_account


class Import(ImportRunRead):
    """An import as its owner sees it, with the first page of rejected rows."""

    rejections: list[RejectionRead]


ImportFile = Callable[..., Awaitable[Import]]


@pytest.fixture
async def member(committed: Core) -> Actor:
    """A committed account with the role user."""
    async with committed.database.transaction() as session:
        return await add_account(session)


@pytest.fixture
def import_file(committed: Core, member: Actor, tmp_path: Path) -> ImportFile:
    """Imports bytes for `member` and returns the import."""

    async def run(content: bytes, *, source: str = "sam", name: str = "file") -> Import:
        path = tmp_path / name
        path.write_bytes(content)
        return (await run_import(committed, member, path, source=source))[0]

    return run


async def run_import(core: Core, actor: Actor, path: Path, *, source: str) -> tuple[Import, JobRead]:
    async with core.database.transaction() as session:
        started = await service.prepare_import(session, actor, core, source=source, filename=path.name)
    payload = ImportOpportunities(run_id=started.id, source=source, path=path)
    job = await core.jobs.run_inline(payload, title="test", owner_id=actor.id)
    return await read_import(core, actor, started.id), job


async def read_import(core: Core, actor: Actor, run_id: UUID) -> Import:
    async with core.database.transaction() as session:
        run = await service.get_import(session, actor, run_id)
        rejected = await service.list_rejections(session, actor, run_id, PageRequest())
    return Import(**dict(run), rejections=rejected.items)


async def listed(session: AsyncSession, actor: Actor, **query: object) -> list[OpportunityRow]:
    page = await service.list_opportunities(session, actor, OpportunityQuery.model_validate(query))
    assert page.total == len(page.items) or page.total > page.page_size
    return page.items
