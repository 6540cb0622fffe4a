"""A process restarts its embedded PostgreSQL after it was killed."""

import os
import signal
from pathlib import Path

import pytest

from fundwright import hooks
from fundwright.core.assembly import Core, open_core
from fundwright.core.errors import DatabaseAway
from fundwright.core.plugins import Plugins
from fundwright_ui import extension
from tests.support.cores import OwnSettings
from tests.support.polling import eventually


async def answers(core: Core) -> bool:
    try:
        async with core.database.transaction() as session:
            await session.connection()
            return True
    except DatabaseAway:
        return False


async def has_become(core: Core, is_there: bool) -> bool:
    return await answers(core) is is_there


@pytest.mark.slow
async def test_the_server_is_started_again(tmp_path: Path) -> None:
    settings = OwnSettings(data=tmp_path)
    async with open_core(settings, Plugins([hooks, extension])) as core:
        os.kill(int((tmp_path / "postgres/postmaster.pid").read_text().split()[0]), signal.SIGKILL)
        for is_there in (False, True):
            await eventually(lambda expected=is_there: has_become(core, expected))
