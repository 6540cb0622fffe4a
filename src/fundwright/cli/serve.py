"""`fundwright serve` and `fundwright worker`."""

from __future__ import annotations

import asyncio
import gc
import resource
import signal
import socket
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, cast
from urllib.parse import urlsplit

import structlog
import typer

from fundwright.access import commands
from fundwright.cli.context import ADDRESS_FILE, Options, opened, run
from fundwright.core import installation
from fundwright.core.assembly import Core
from fundwright.core.connections import Connections
from fundwright.core.errors import DatabaseAway, StartRefused
from fundwright.core.installation import require_own_folder
from fundwright.core.keys import check_keys
from fundwright.core.postgres import only_server
from fundwright.core.settings import Settings
from fundwright.core.sweeping import sweep_daily
from fundwright.core.timers import run_timers
from fundwright.opportunities import service as opportunities

if TYPE_CHECKING:
    from fastapi import FastAPI

log = structlog.get_logger()

# More than the runtime accepts, so that it can answer with a sentence; beyond this the connection is dropped.
_MAX_FRAME_BYTES = 16_000_000
_UNREAD_TIMEOUT_MS = 60_000
_MOST_HEAD_BYTES = 100_000
"""Of the address and the headers of a request. Addresses can have some 60,000 characters."""
_PING_EVERY_S = 5
_PING_TIMEOUT_S = 10
"""A page whose network is gone without a word is no longer shown as present after these two together."""
_KEPT_ALIVE_S = 130
"""How long an idle connection is kept: longer than proxies and clients keep theirs, by default at most 2 minutes. A request sent over a
connection at the moment in which the server closes it is lost."""
_DATABASE_RETRY_S = 1
_MOST_FILES = 65_536
_OTHER_FILES = 400
"""For the database, uploads, downloads, and pipes of other processes."""


def add_to(app: typer.Typer) -> None:
    app.command()(serve)
    app.command()(worker)
    app.command()(accept_folder)


def serve(
    context: typer.Context,
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65_535, help="Port to listen on.")] = None,
    root_path: Annotated[
        str, typer.Option(help="Path prefix behind a proxy, such as /app. Default: the prefix of the public URL.")
    ] = "",
    no_worker: Annotated[bool, typer.Option("--no-worker", help="Leave jobs to `fundwright worker` processes.")] = False,
) -> None:
    """Serve the web application and run jobs."""
    options: Options = context.obj
    given = {"host": host, "port": port}
    settings = options.settings.model_copy(update={name: value for name, value in given.items() if value is not None})
    context.obj = replace(options, settings=settings)
    base = _base(root_path, settings)
    with ExitStack() as stack:
        if settings.database_url is None:
            stack.enter_context(only_server(settings.data))
        check_keys(settings.data)
        listening = stack.enter_context(listen(settings.host, settings.port))

        async def command() -> None:
            async with opened(context, serves=True) as core:
                await require_own_folder(core)
                await _serve(core, listening, base=base, with_worker=not no_worker)

        run(command)


def worker(context: typer.Context) -> None:
    """Run jobs until stopped."""

    async def command() -> None:
        async with opened(context) as core:
            await require_own_folder(core)
            working = asyncio.create_task(work(core))
            for number in (signal.SIGINT, signal.SIGTERM):
                asyncio.get_running_loop().add_signal_handler(number, working.cancel)
            print("Running jobs. Press Ctrl-C to stop.", flush=True)
            with suppress(asyncio.CancelledError):
                await working

    run(command)


def accept_folder(context: typer.Context) -> None:
    """Record the data folder as the one that belongs to the database, after it was restored or moved."""

    async def command() -> None:
        async with opened(context) as core:
            await installation.accept_folder(core)
            print(f"{core.settings.data} is now the data folder of the database.")

    run(command)


async def work(core: Core) -> None:
    """Run jobs and timers and sweep the data folder until canceled."""
    beside = [asyncio.create_task(each(core)) for each in (sweep_daily, run_timers)]  # they never fail
    try:
        await core.jobs.run_worker(concurrency=core.settings.job_concurrency)
    finally:
        for each in beside:
            each.cancel()
        await asyncio.wait(beside)


def _base(root_path: str, settings: Settings) -> str:
    """The path prefix of every address, without a trailing slash. Raises StartRefused."""
    public = urlsplit(settings.public_url).path if settings.public_url else None
    base = "/".join(["", *filter(None, root_path.split("/"))]) or public or ""
    if public is not None and base != public:
        raise StartRefused(
            f"--root-path {base} is not the path of FUNDWRIGHT_PUBLIC_URL, {settings.public_url}. Correct one of them and start again."
        )
    return base


def listen(host: str, port: int) -> socket.socket:
    """Bind the port before anything else is started. Port 0 is any free one. Raises StartRefused."""
    try:
        listening = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=2_048)
        # asyncio sets this only for its own sockets; without it, a second small frame waits 40 ms for the first one's ACK.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux: end connections whose peer reads nothing
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNREAD_TIMEOUT_MS)
        return listening
    except OSError as error:
        reason = str(error.strerror).partition(" (")[0]
        raise StartRefused(
            f"Port {port} of {host} cannot be used: {reason}. Stop the program that uses it, or choose another one with "
            "--port (PORT=… make run)."
        ) from error


async def _serve(core: Core, listening: socket.socket, *, base: str, with_worker: bool) -> None:
    from fundwright_ui.app import build_app  # imported here because no other command needs it

    settings = core.settings
    first_admin = await prepare(core)
    application = build_app(core, base=base)
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    address = settings.public_url or f"http://{host}:{listening.getsockname()[1]}{base}"
    await asyncio.to_thread((settings.data / ADDRESS_FILE).write_text, address)
    print(f"\nFundwright is at {address}", flush=True)
    if first_admin:
        print(f"Create the first administrator (this link works once):\n  {address}{first_admin}\n", flush=True)
    working = asyncio.create_task(work(core)) if with_worker else None
    try:
        await answer_requests(application, listening, settings)
    finally:
        await application.state.tracker.close()
        if working:
            working.cancel()
            with suppress(asyncio.CancelledError):
                await working


async def prepare(core: Core) -> str | None:
    """Load the samples if there are none, and embed notices; return the path that creates the first administrator, if one is
    needed.

    The database may go away at any moment, also now: wait for it, as a running server does.
    """
    while True:
        try:
            async with core.database.transaction() as session:
                await opportunities.prepare(session, core)
                return await commands.first_admin_link(session)
        except DatabaseAway as error:
            log.warning("start.waiting_for_database", reason=error.sentence)
            await asyncio.sleep(_DATABASE_RETRY_S)


def _limit_connections(settings: Settings) -> Connections:
    """Let this process open as many files as the system allows, and fewer connections than that: the database and uploads need some, too."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    if wanted > soft:
        with suppress(ValueError, OSError):  # macOS has another limit
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return Connections(
        most=min(settings.max_connections, max(files - _OTHER_FILES, files // 2)),
        most_of_address=settings.max_connections_per_address,
        trusted=settings.trusted_proxies,
    )


async def answer_requests(application: FastAPI, listening: socket.socket, settings: Settings) -> None:
    """Run until a signal."""
    import uvicorn
    from fastapi.routing import iter_route_contexts

    from fundwright.core.http_protocol import BoundedHttp, PlacedSocket
    from fundwright_ui.runtime.lag import watched_loop
    from fundwright_ui.runtime.wire import LowMemoryWebSocket

    class Socket(LowMemoryWebSocket, PlacedSocket):
        pass

    config = uvicorn.Config(
        application,
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        http=cast(Any, partial(BoundedHttp, connections=_limit_connections(settings))),
        ws=Socket,
        ws_max_size=_MAX_FRAME_BYTES,
        ws_ping_interval=_PING_EVERY_S,
        ws_ping_timeout=_PING_TIMEOUT_S,
        lifespan="off",
        h11_max_incomplete_event_size=_MOST_HEAD_BYTES,
        timeout_keep_alive=_KEPT_ALIVE_S,
        timeout_graceful_shutdown=2,
        reset_contextvars=True,  # otherwise a connection keeps the party of a request that it has carried
    )
    list(iter_route_contexts(application.routes))  # builds the routes; the first request would do so and hold up everyone else
    gc.collect()
    gc.freeze()  # objects created at startup stay, and checking them again and again would slow down everyone
    with watched_loop():
        await uvicorn.Server(config).serve(sockets=[listening])
