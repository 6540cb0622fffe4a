"""Documents to train with."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor
from fundwright.core.assembly import Core
from fundwright.training import adding
from fundwright.training.schemas import DocumentRead
from tests.support.accounts import add_account

AddFile = Callable[..., Awaitable[DocumentRead]]


async def pieces(content: bytes) -> AsyncIterator[bytes]:
    yield content


@pytest.fixture
def add_file() -> AddFile:
    """Stores content and adds it as a document of the actor; the test trains it."""

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
        return await adding.add_document(session, actor, core, received, filename=filename, is_trained_later=is_trained_later)

    return add


@pytest.fixture
async def owner(committed: Core) -> Actor:
    """An account in the committed database."""
    async with committed.database.transaction() as session:
        return await add_account(session, "ada@example.org")


@pytest.fixture
async def stranger(committed: Core) -> Actor:
    async with committed.database.transaction() as session:
        return await add_account(session, "eve@example.org", name="Eve Example")
