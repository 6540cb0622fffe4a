from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from fundwright.core.messages import using_language
from fundwright_ui.ui import moment

EVENING = datetime(2026, 11, 21, 18, 39, 2, tzinfo=ZoneInfo("America/Los_Angeles"))


class TestMoment:
    def test_before_the_browser_has_sent_its_zone_times_are_labeled_utc(self) -> None:
        with using_language("de"):
            node = moment(EVENING)
        assert node["attributes"] == {"dateTime": "2026-11-22T02:39:02+00:00", "data-moment": "datetime"}
        assert node["children"] == ["22.11.2026, 02:39 UTC"]

    def test_the_day_alone(self) -> None:
        assert moment(EVENING, shown="date")["children"] == ["Nov 22, 2026"]
