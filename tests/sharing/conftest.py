from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor
from fundwright.core.assembly import Core
from fundwright.generation import service as generation
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.schemas import OpportunityQuery
from fundwright.sharing import api, service
from fundwright.sharing.schemas import NewShare, ShareCreated, ShareQuery, ShareRead
from fundwright_ui.screens.sharing.pages import add_shared_pages
from tests.support.accounts import add_account
from tests.support.programs import api_of
from tests.support.snapshots import Snapshots

T = TypeVar("T")
BROWSER = {"user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}


async def do(core: Core, work: Callable[[AsyncSession], Awaitable[T]]) -> T:
    async with core.database.transaction() as session:
        return await work(session)


@dataclass(frozen=True)
class Office:
    """Ada, and a draft of hers."""

    core: Core
    ada: Actor
    draft_id: UUID
    app: FastAPI

    async def share(self, actor: Actor | None = None, **given: object) -> ShareCreated:
        subject = {} if "query" in given else {"draft_id": self.draft_id}
        new = NewShare.model_validate({"recipient": "Grace Hopper", **subject, **given})
        return await do(self.core, lambda session: service.share(session, actor or self.ada, self.core, new))

    async def listed(self, link: ShareRead, actor: Actor | None = None) -> ShareRead:
        page = await do(self.core, lambda session: service.list_shares(session, actor or self.ada, ShareQuery()))
        return next(each for each in page.items if each.id == link.id)

    async def all(self) -> list[ShareRead]:
        return (await do(self.core, lambda session: service.list_shares(session, self.ada, ShareQuery()))).items

    async def revoke(self, link: ShareRead) -> None:
        await do(self.core, lambda session: service.revoke(session, self.ada, link.id))

    @asynccontextmanager
    async def visitor(self, address: str = "198.51.100.7", **headers: str) -> AsyncIterator[httpx.AsyncClient]:
        transport = httpx.ASGITransport(self.app, client=(address, 5_000))
        async with httpx.AsyncClient(
            transport=transport, base_url=self.core.settings.address, headers=BROWSER | headers
        ) as client:
            yield client

    async def get(self, link: ShareCreated, **headers: str) -> httpx.Response:
        """Open the link as a new visitor."""
        async with self.visitor(**headers) as visitor:
            return await visitor.get(link.link)


@pytest.fixture
async def office(committed: Core, snapshots: Snapshots) -> Office:
    ada, draft_id = await snapshots.of(committed, _fill)
    app = api_of(committed, api.router)
    add_shared_pages(app, core=committed, base="")
    return Office(committed, ada, draft_id, app)


async def _fill(core: Core) -> tuple[Actor, UUID]:
    async with core.database.transaction() as session:
        await opportunities.load_sample_once(session)
        ada = await add_account(session, "ada@example.org", name="Ada Lovelace")
        found = await opportunities.list_opportunities(session, ada, OpportunityQuery(page_size=1, kind="contract"))
        draft = await generation.add_draft(session, ada, core, opportunity_id=found.items[0].id, template="capability-statement")
        return ada, draft.id
