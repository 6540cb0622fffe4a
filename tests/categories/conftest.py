"""The subjects in these tests are ids with arbitrary vectors."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from uuid import UUID

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright import hooks
from fundwright.accounts.schemas import Actor
from fundwright.categories.service import SubjectReader
from fundwright.core.assembly import Core
from fundwright.core.plugins import Plugins, hookimpl
from fundwright_ui import extension


class Anything:
    """A plug-in for which every id exists."""

    @hookimpl
    def label_subjects(self) -> Iterable[SubjectReader]:
        return [_existing]


async def _existing(_session: AsyncSession, _actor: Actor, ids: Collection[UUID]) -> Collection[UUID]:
    return ids


@pytest.fixture
def core(core: Core) -> Core:
    plugins = Plugins([hooks, extension])
    plugins.register(Anything())
    return replace(core, plugins=plugins)


@pytest.fixture
def committed(committed: Core) -> Core:
    committed.plugins.register(Anything())
    return committed
