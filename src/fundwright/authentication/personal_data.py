"""The data of authentication in a copy of an account's data."""

from __future__ import annotations

from collections.abc import AsyncIterator

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import needs
from fundwright.accounts.personal_data import DataFile, as_json
from fundwright.accounts.schemas import Actor, Permission
from fundwright.authentication import api_tokens, service
from fundwright.core.assembly import Core
from fundwright.core.paging import PageRequest, iterate_all


@needs(Permission.READ)
async def own_files(session: AsyncSession, actor: Actor, core: Core) -> AsyncIterator[DataFile]:
    """Sessions and API tokens of the actor, without their secrets."""
    sessions = [each async for each in iterate_all(lambda page: service.list_sessions(session, actor, page), PageRequest())]
    yield as_json("account/sessions.json", sessions)
    tokens = [each async for each in iterate_all(lambda page: api_tokens.list_api_tokens(session, actor, page), PageRequest())]
    yield as_json("account/api_tokens.json", tokens)
