"""Reloads after live messages that have changed nothing."""

from __future__ import annotations

from typing import Any

from reactpy import component, html

from fundwright.core import live
from fundwright.core.assembly import Core
from fundwright_ui.hooks import use_query
from fundwright_ui.testing import mounted
from tests.support.polling import eventually

TOPIC = "things"


class Things:
    def __init__(self, *names: str) -> None:
        self.names = list(names)
        self.readings = self.renderings = 0

    def screen(self) -> Any:
        @component
        def things() -> Any:
            async def read(_session: object) -> list[str]:
                self.readings += 1
                return list(self.names)

            found = use_query(read, topics=[TOPIC])
            self.renderings += 1
            return html.p(", ".join(found.value or ()))

        return things


async def tell(core: Core) -> None:
    async with core.database.transaction() as session:
        await live.publish(session, TOPIC)


class TestALiveMessage:
    async def test_that_changed_nothing_renders_nothing(self, core: Core) -> None:
        things = Things("boat")
        async with mounted(core, None, things.screen()) as screen:
            await eventually(lambda: screen.text == "boat")
            before = things.readings, things.renderings
            screen.view.connection.release_memory()
            await tell(core)
            await eventually(lambda: things.readings == before[0] + 1)
            things.names.append("pier")
            await tell(core)
            await eventually(lambda: screen.text == "boat, pier")
            assert (things.readings, things.renderings) == (before[0] + 2, before[1] + 1)
