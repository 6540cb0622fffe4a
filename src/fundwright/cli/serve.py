"""`fundwright serve` and `fundwright worker`."""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress
from typing import Annotated

import typer
import uvicorn

from fundwright.cli.context import Options, opened, run
from fundwright.core.assembly import Core
from fundwright.core.postgres import only_server
from fundwright.identity import service as identity
from fundwright.opportunities import service as opportunities

# More than the runtime accepts, so that it can answer with a sentence; beyond this the connection is dropped.
_MAX_FRAME_BYTES = 16_000_000


def add_to(app: typer.Typer) -> None:
    app.command()(serve)
    app.command()(worker)


def serve(
    context: typer.Context,
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on.")] = None,
    root_path: Annotated[str, typer.Option(help="Path prefix behind a proxy, such as /app.")] = "",
    no_worker: Annotated[bool, typer.Option("--no-worker", help="Leave jobs to `fundwright worker` processes.")] = False,
) -> None:
    """Serve the web application, and run jobs beside it."""
    options: Options = context.obj
    settings = options.settings.model_copy(update={"host": host or options.settings.host, "port": port or options.settings.port})
    context.obj = Options(settings=settings, user=options.user)

    async def command() -> None:
        async with opened(context) as core:
            await _serve(core, root_path=root_path, with_worker=not no_worker)

    if settings.database_url is None:
        with only_server(settings.data):
            run(command)
    else:
        run(command)


def worker(context: typer.Context) -> None:
    """Run jobs until stopped."""

    async def command() -> None:
        async with opened(context) as core:
            working = asyncio.create_task(core.jobs.run_worker(concurrency=core.settings.job_concurrency))
            for number in (signal.SIGINT, signal.SIGTERM):
                asyncio.get_running_loop().add_signal_handler(number, working.cancel)
            print("Working. Stop with Ctrl-C.", flush=True)
            with suppress(asyncio.CancelledError):
                await working

    run(command)


async def _serve(core: Core, *, root_path: str, with_worker: bool) -> None:
    from fundwright_ui.app import build_app

    settings = core.settings
    async with core.database.transaction() as session:
        await opportunities.load_sample_once(session)
        first_admin = await identity.first_admin_link(session)
    application = build_app(core, base=root_path.rstrip("/"))
    server = uvicorn.Server(
        uvicorn.Config(
            application,
            host=settings.host,
            port=settings.port,
            log_config=None,
            access_log=False,
            proxy_headers=False,
            ws="websockets-sansio",
            ws_max_size=_MAX_FRAME_BYTES,
            lifespan="off",
            timeout_graceful_shutdown=2,
        )
    )
    address = settings.public_url or f"http://{settings.host}:{settings.port}{root_path}"
    print(f"\nFundwright is at {address}", flush=True)
    if first_admin:
        print(f"Create the first administrator (this link works once):\n  {address}{first_admin}\n", flush=True)
    working = asyncio.create_task(core.jobs.run_worker(concurrency=settings.job_concurrency)) if with_worker else None
    try:
        await server.serve()
    finally:
        if working:
            working.cancel()
            with suppress(asyncio.CancelledError):
                await working
