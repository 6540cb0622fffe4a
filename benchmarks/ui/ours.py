"""The page in Fundwright, on its real runtime with a plain frame. The benchmark starts this module with three arguments: the data
folder, the port to listen on, and the origin that the browser sees."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from reactpy import component, html, use_state
from reactpy.types import Component

from fundwright.cli.context import load_plugins
from fundwright.cli.serve import answer_requests, listen
from fundwright.core.assembly import open_core
from fundwright.core.settings import Settings
from fundwright_ui.product.host import ProductHost
from fundwright_ui.runtime.mounting import mount
from fundwright_ui.runtime.router import Screen
from fundwright_ui.ui import button, text_field
from fundwright_ui.widgets import Column, Row, data_table


@component
def counter() -> Any:
    count, set_count = use_state(0)
    return html.section(button("Add", on_click=lambda: set_count(count + 1)), html.p(f"Count: {count}"))


@component
def echo() -> Any:
    text, set_text = use_state("")
    field = text_field("echo", label="Echo", on_change=set_text)
    return html.section(field, html.p(f"Echo: {text}"))


@component
def numbers() -> Any:
    tick, set_tick = use_state(0)
    return html.section(
        button("Turn", on_click=lambda: set_tick(tick + 1)),
        data_table(
            label="Numbers",
            columns=[Column(field=f"c{column}", label=f"Column {column}") for column in range(8)],
            rows=[Row(id=str(row), cells={f"c{column}": f"{row}.{column}.{tick}" for column in range(8)}) for row in range(100)],
        ),
    )


@component
def page() -> Any:
    return html.main(html.h1("Counter and table"), counter(), echo(), numbers())


def plain(_area: str, screen: Component) -> Component:
    return screen


async def main(data: Path, port: int, origin: str) -> None:
    async with open_core(Settings(data=data, port=port, allowed_origins=[origin]), load_plugins()) as core:
        app = FastAPI(openapi_url=None)
        app.state.core = core
        screens = [Screen("/", "Counter and table", page, area="public")]
        mount(app, ProductHost(core), screens=screens, redirects={}, shell=plain)
        await answer_requests(app, listen(core.settings.host, port), core.settings)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
