from __future__ import annotations

from contextvars import copy_context
from datetime import datetime
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest

from fundwright.accounts.schemas import Actor, Role
from fundwright.core.assembly import Core
from fundwright.core.messages import using_language
from fundwright_ui.product.host import ProductHost
from fundwright_ui.ui import moment
from fundwright_ui.ui.moments import show_moments_in

EVENING = datetime(2026, 11, 21, 18, 39, 2, tzinfo=ZoneInfo("America/Los_Angeles"))


class TestMoment:
    def test_before_the_browser_has_sent_its_zone_times_are_labeled_utc(self) -> None:
        with using_language("de"):
            node = moment(EVENING)
        assert node["attributes"] == {"dateTime": "2026-11-22T02:39:02+00:00", "data-moment": "datetime"}
        assert node["children"] == ["22.11.2026, 02:39 UTC"]

    def test_afterward_they_are_painted_as_the_browser_shows_them_so_that_nothing_moves(self) -> None:
        reading = copy_context()
        reading.run(show_moments_in, "Asia/Tokyo")
        assert reading.run(moment, EVENING)["children"] == ["Nov 22, 2026, 11:39\u202fAM"]
        assert reading.run(moment, EVENING)["attributes"]["dateTime"] == "2026-11-22T02:39:02+00:00"
        reading.run(show_moments_in, "America/Los_Angeles")
        assert reading.run(moment, EVENING, shown="date")["children"] == ["Nov 21, 2026"]

    def test_the_day_alone(self) -> None:
        assert moment(EVENING, shown="date")["children"] == ["Nov 22, 2026"]

    @pytest.mark.parametrize(
        ("of_account", "of_browser", "shown"),
        [
            ("Asia/Tokyo", "America/Los_Angeles", "Nov 22, 2026, 11:39\u202fAM"),
            (None, "America/Los_Angeles", "Nov 21, 2026, 6:39\u202fPM"),
            (None, None, "Nov 22, 2026, 2:39\u202fAM UTC"),
        ],
    )
    async def test_the_zone_that_the_reader_has_chosen_counts_before_that_of_the_browser(
        self, core: Core, of_account: str | None, of_browser: str | None, shown: str
    ) -> None:
        reader = Actor(
            id=uuid4(), email="ada@example.org", name="Ada", role=Role.USER, time_zone=of_account, browser_time_zone=of_browser
        )
        reading = copy_context()
        reading.run(ProductHost(core).act_for, reader)
        assert reading.run(moment, EVENING)["children"] == [shown]
