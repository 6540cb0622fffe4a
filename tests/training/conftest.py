"""Documents to train with."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import service as accounts
from fundwright.accounts.schemas import Actor, Role
from fundwright.core.assembly import Core
from fundwright.training import service
from fundwright.training.schemas import DocumentRead

AddFile = Callable[..., Awaitable[DocumentRead]]


async def pieces(content: bytes) -> AsyncIterator[bytes]:
    yield content


@pytest.fixture
def add_file() -> AddFile:
    """Stores content and adds it as a document of the actor, for the test to train."""

    async def add(
        session: AsyncSession,
        actor: Actor,
        core: Core,
        content: str | bytes,
        filename: str = "notes.md",
        *,
        is_trained_later: bool = False,
    ) -> DocumentRead:
        received = await core.files.receive(pieces(content.encode() if isinstance(content, str) else content))
        return await service.add_document(session, actor, core, received, filename=filename, is_trained_later=is_trained_later)

    return add


@pytest.fixture
async def owner(committed: Core) -> Actor:
    """An account in the committed database."""
    async with committed.database.transaction() as session:
        return await accounts.add_account(session, email="ada@example.org", name="Ada Example", role=Role.USER, password=None)


@pytest.fixture
async def stranger(committed: Core) -> Actor:
    async with committed.database.transaction() as session:
        return await accounts.add_account(session, email="eve@example.org", name="Eve Example", role=Role.USER, password=None)
