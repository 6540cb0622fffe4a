from __future__ import annotations

import pytest

from fundwright.core.assembly import Core
from tests.support.snapshots import Snapshots
from tests.support.teams import Team, team_of


@pytest.fixture
async def team(committed: Core, snapshots: Snapshots) -> Team:
    return await team_of(committed, snapshots)
