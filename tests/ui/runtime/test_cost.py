"""The cost of a change: bytes on the wire, time, and memory that is released."""

from __future__ import annotations

import asyncio
import gc
import json
import pickle
from collections.abc import Callable
from typing import Any

import psutil
import pytest
from reactpy import component, html, use_effect, use_state
from reactpy.types import Component

from fundwright.core.assembly import Core
from fundwright_ui.runtime.diff import apply
from fundwright_ui.runtime.session import Session
from fundwright_ui.testing import mounted
from fundwright_ui.ui import button
from tests.support.polling import eventually
from tests.ui.runtime.conftest import Server


@component
def thousand_nodes() -> Any:
    count, set_count = use_state(0)
    return html.div(
        button("Add", on_click=lambda: set_count(count + 1)),
        html.p(f"count {count}"),
        html.ul(*(html.li({"key": n}, html.span({"className": "fw-muted"}, f"item {n}")) for n in range(500))),
    )


async def test_a_text_changed_among_a_thousand_nodes_is_under_200_bytes(core: Core) -> None:
    async with mounted(core, None, thousand_nodes) as screen:
        screen.view.mark_shown()
        await screen.click("button", "Add")
        operations = screen.view.take_operations()
    assert len(json.dumps({"type": "patch", "ops": operations}, separators=(",", ":"))) < 200
    assert operations[0][2] == "count 1"


async def test_a_click_is_answered_with_one_small_patch(server: Server) -> None:
    """Tests the factors that determine the time; the benchmarks measure the time itself."""
    async with server.socket() as client:
        await client.hello("/public")
        client.frames.clear()
        for _ in range(20):
            await client.click("add")
        assert [frame["type"] for frame in client.frames] == ["patch", "done"] * 20
        assert max(len(json.dumps(frame)) for frame in client.frames) < 150


def sessions() -> int:
    gc.collect()
    return sum(isinstance(each, Session) for each in gc.get_objects())


@pytest.mark.pain(10)
@pytest.mark.slow
async def test_closed_sessions_give_their_memory_back(server: Server) -> None:
    async def visit() -> None:
        async with server.socket() as client:
            await client.hello("/public")
            await client.click("add")

    async def visit_many(count: int) -> int:
        for _ in range(count // 10):
            await asyncio.gather(*(visit() for _ in range(10)))
        await eventually(lambda: sessions() == 0)
        return psutil.Process().memory_info().rss

    await visit_many(200)  # modules and pools that a process loads once
    before = await visit_many(200)
    after = await visit_many(200)
    assert after - before < 3_000_000


async def test_what_was_rendered_is_kept_once(core: Core) -> None:
    async with mounted(core, None, thousand_nodes) as screen:
        await screen.click("button", "Add")
        layout: Any = screen.view._layout
        waiting = list(layout._model_states_by_life_cycle_state_id.values())
        states: list[Any] = []
        while waiting:
            states.append(waiting.pop())
            waiting.extend(states[-1].children_by_key.values())
    assert len(states) < 50  # of a thousand nodes
    assert not any(state.model.current for state in states)


@component
def with_effect() -> Any:
    count, set_count = use_state(0)
    use_effect(lambda: None, dependencies=[])
    return button("Add", on_click=lambda: set_count(count + 1))


@pytest.mark.parametrize("page", [thousand_nodes, with_effect])
async def test_a_page_that_stays_open_does_not_grow(core: Core, page: Callable[[], Component]) -> None:
    async with mounted(core, None, page) as screen:
        for _ in range(20):
            await screen.click("button", "Add")
        layout: Any = screen.view._layout
        hooks = [state.life_cycle_state.hook for state in layout._model_states_by_life_cycle_state_id.values()]
        assert max(len(hook._effect_stops) for hook in hooks) <= 1


async def test_a_tree_that_rests_is_small_and_comes_back_as_it_was(core: Core) -> None:
    async with mounted(core, None, thousand_nodes) as screen:
        tree = screen.view.tree
        screen.view.mark_shown()
        screen.view.release_memory()
        kept: Any = vars(screen.view)
        assert sum(len(pickle.dumps(kept[name])) for name in ("_tree", "_shown", "_packed_tree")) < 5_000
        assert screen.view.take_operations() == []
        await screen.click("button", "Add")
        operations = screen.view.take_operations()
        assert len(operations) == 1
        assert apply(tree, operations) == screen.view.tree


async def test_a_tree_that_the_client_has_not_seen_does_not_rest(core: Core) -> None:
    async with mounted(core, None, thousand_nodes) as screen:
        screen.view.mark_shown()
        await screen.click("button", "Add")
        screen.view.release_memory()
        assert len(screen.view.take_operations()) == 1
