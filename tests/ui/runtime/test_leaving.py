"""A click takes effect even if the person leaves before its handler has finished."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from reactpy import component, html
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright_ui.hooks import use_action
from fundwright_ui.runtime.router import Screen
from tests.support.polling import eventually
from tests.ui.runtime.conftest import SCREENS, Client, Server, find

_REMEMBER = text("INSERT INTO procrastinate_workers (id) OVERRIDING SYSTEM VALUE VALUES (-1)")
"""Fails the second time."""
_IS_REMEMBERED = text("SELECT EXISTS (SELECT FROM procrastinate_workers WHERE id = -1)")


MAY_SAVE = asyncio.Event()


@component
def slow_to_save() -> Any:
    async def save(session: AsyncSession) -> None:
        await MAY_SAVE.wait()
        await session.execute(_REMEMBER)

    saving = use_action(save)
    return html.main(html.button({"id": "save", "onClick": saving, "aria-busy": saving.is_running}, "Save"))


@pytest.fixture(autouse=True)
def with_slow_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.ui.runtime.conftest.SCREENS", [*SCREENS, Screen("/slow", "Slow", slow_to_save, area="public")])
    MAY_SAVE.clear()


class TestLeaving:
    async def test_an_action_that_was_started_is_finished(self, server: Server) -> None:
        async with server.socket() as client:
            await client.hello("/slow")
            await _press(client, seq=1)
            await client.until("patch")  # the button shows that it runs
        MAY_SAVE.set()
        await eventually(lambda: _is_remembered(server))

    async def test_a_second_click_on_the_way_acts_once(self, server: Server) -> None:
        async with server.socket() as client:
            await client.hello("/slow")
            await _press(client, seq=1)
            await _press(client, seq=2)
            MAY_SAVE.set()
            while (await client.until("done"))["seq"] < 2:
                pass
        assert client.toasts() == []  # remembering it twice would have failed


async def _press(client: Client, *, seq: int) -> None:
    target = find(client.tree, "save")["e"]["onClick"]["h"]
    await client.websocket.send(json.dumps({"type": "event", "seq": seq, "target": target, "data": {}}))


async def _is_remembered(server: Server) -> bool:
    async with server.core.database.transaction() as session:
        return bool(await session.scalar(_IS_REMEMBERED))
