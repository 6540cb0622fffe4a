"""The page of `reactpy_dashboard` on our runtime: `python -m benchmarks.ui.pages.fundwright_dashboard FOLDER`, port in `PORT`."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from fastapi import FastAPI
from reactpy.types import Component

from benchmarks.ui.pages.reactpy_dashboard import dashboard
from fundwright import hooks
from fundwright.cli.serve import answer_requests, listen
from fundwright.core.assembly import open_core
from fundwright.core.plugins import Plugins
from fundwright.core.settings import Settings
from fundwright_ui import extension
from fundwright_ui.product.host import ProductHost
from fundwright_ui.runtime import socket as sockets
from fundwright_ui.runtime.mounting import mount
from fundwright_ui.runtime.router import Screen

SCREENS = [Screen("/", "Dashboard", dashboard, area="public"), Screen("/404", "Not found", dashboard, area="public")]


async def main(folder: Path, port: int) -> None:
    sockets._MAX_SESSIONS_PER_PARTY = 1_000  # all clients have the same address
    async with open_core(Settings(data=folder, port=port), Plugins([hooks, extension])) as core:
        app = FastAPI()
        app.state.core = core
        mount(app, ProductHost(core), screens=SCREENS, redirects={}, shell=_bare)
        await answer_requests(app, listen(core.settings.host, port), core.settings)


def _bare(_area: str, screen: Component) -> Component:
    return screen


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(os.environ["PORT"])))
