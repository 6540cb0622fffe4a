from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor, Client, Role
from fundwright.content import service
from fundwright.content.schemas import PostContent, PostRead
from fundwright.core.assembly import Core
from fundwright.core.database import now
from tests.support.accounts import add_account

HERE = Client(address="192.0.2.7")

Write = Callable[..., Awaitable[PostRead]]


async def write_post(
    session: AsyncSession,
    admin: Actor,
    title: str,
    text: str = "It is *here*.",
    *,
    at: datetime | None = None,
    draft: bool = False,
) -> PostRead:
    """A post that is published now, unless it is scheduled or a draft."""
    post = await service.create_post(session, admin, PostContent(title=title, summary=f"On {title}", text=text), client=HERE)
    return post if draft else await service.publish_post(session, admin, post.id, at=at or now(), client=HERE)


@pytest.fixture
async def ada(committed: Core) -> Actor:
    async with committed.database.transaction() as session:
        return await add_account(session, "ada@example.org", role=Role.ADMIN)


@pytest.fixture
def write(committed: Core, ada: Actor) -> Write:
    """Writes a post by Ada in its own transaction; see `write_post`."""

    async def writing(title: str, text: str = "It is *here*.", *, at: datetime | None = None, draft: bool = False) -> PostRead:
        async with committed.database.transaction() as session:
            return await write_post(session, ada, title, text, at=at, draft=draft)

    return writing
