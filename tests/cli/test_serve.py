"""Startup of `fundwright serve`, and the errors that it reports before it opens anything."""

from __future__ import annotations

import asyncio
import gc
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
import uvicorn
from fastapi import FastAPI, routing
from sqlalchemy.ext.asyncio import AsyncSession
from starlette.types import ASGIApp, Receive, Scope, Send

from e2e.application import started
from fundwright.cli import serve
from fundwright.core.assembly import Core
from fundwright.core.database import Database
from fundwright.core.errors import DatabaseAway, StartRefused
from fundwright.core.jobs import JobQueue
from fundwright.core.settings import Settings
from fundwright_ui.app import build_app
from tests.support.databases import environment_of


@pytest.mark.slow
def test_a_prefix_that_is_not_that_of_the_public_url(tmp_path: Path) -> None:
    done = subprocess.run(
        [Path(sys.executable).parent / "fundwright", "--data", tmp_path / "data", "serve", "--port", "0", "--root-path", "other/"],
        capture_output=True, text=True, check=False, timeout=60,
        env=os.environ | {"FUNDWRIGHT_PUBLIC_URL": "https://fundwright.test/app/"},
    )  # fmt: skip
    assert done.returncode != 0
    assert "--root-path /other is not the path of FUNDWRIGHT_PUBLIC_URL, https://fundwright.test/app." in done.stderr
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("name", ["session.key", pytest.param("second_factor.key", marks=pytest.mark.slow)])
@pytest.mark.slow
def test_an_empty_key_is_refused_before_anything_is_opened(tmp_path: Path, name: str) -> None:
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / name).touch()
    done = subprocess.run(
        [Path(sys.executable).parent / "fundwright", "--data", tmp_path, "serve", "--port", "0"],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode != 0
    assert f"The key file {tmp_path / 'keys' / name} is damaged: it has fewer than 32 bytes. Restore it" in done.stderr
    assert not (tmp_path / "postgres").exists()


_READ_ONLY = """
mount --bind "$0" "$0"
for folder in / /tmp /dev/shm; do ! mountpoint -q $folder || mount -o remount,bind,ro $folder || exit; done
exec "$@"
"""
"""Start a program for which only the data folder can be written."""
_UNSHARE = ("unshare", "-m" if os.geteuid() == 0 else "-rm")
_cannot_mount = not shutil.which("unshare") or subprocess.run([*_UNSHARE, "true"], capture_output=True, check=False).returncode


@pytest.mark.slow
@pytest.mark.skipif(bool(_cannot_mount), reason="unshare cannot be used here")
def test_only_the_data_folder_has_to_be_writable_with_a_database_of_its_own(database_url: str, tmp_path: Path) -> None:
    under = (*_UNSHARE, "sh", "-c", _READ_ONLY, str(tmp_path))
    with started(tmp_path, environment=environment_of(database_url), under=under) as application:
        assert httpx.get(f"{application.url}/api/health").is_success
    assert (tmp_path / "tmp").stat().st_mode & 0o077 == 0


class Broken(JobQueue):
    """A queue whose worker fails."""

    async def run_worker(self, *, concurrency: int) -> None:
        raise StartRefused("The queue cannot be read. Restart the server.")


async def test_a_worker_that_fails_says_why(committed: Core) -> None:
    with pytest.raises(StartRefused, match="The queue cannot be read"):
        await serve.work(replace(committed, jobs=Broken(committed.database)))


class Interrupted(Database):
    """A database that fails during the first transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._is_back = False

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncSession]:
        async with self._database.transaction() as session:
            yield session
            if not self._is_back:
                self._is_back = True
                raise DatabaseAway


async def test_the_start_waits_for_a_database_that_becomes_unavailable(committed: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "_DATABASE_RETRY_S", 0)
    first_admin = await serve.prepare(replace(committed, database=Interrupted(committed.database)))
    assert first_admin is not None and first_admin.startswith("/auth/first-admin/")


async def test_routes_are_built_before_the_first_request(committed: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    """Building them takes half a second, which would delay all other requests."""
    build: Any = routing._EffectiveRouteContext.from_api_route
    built: list[Any] = []
    at_first_request: list[int] = []

    def record(**route: Any) -> Any:
        built.append(route)
        return build(**route)

    class Watch:
        def __init__(self, app: ASGIApp) -> None:
            self._app = app

        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            at_first_request.append(len(built))
            await self._app(scope, receive, send)

    monkeypatch.setattr(routing._EffectiveRouteContext, "from_api_route", record)
    application = build_app(committed)
    application.add_middleware(Watch)
    listening = serve.listen("127.0.0.1", 0)
    serving = asyncio.create_task(serve.answer_requests(application, listening, committed.settings))
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{listening.getsockname()[1]}", timeout=60) as client:
            assert (await client.get("/api/drafts")).status_code == httpx.codes.UNAUTHORIZED
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        await application.state.tracker.close()
    assert at_first_request == [len(built)]
    assert len(built) > 100


async def test_an_idle_connection_outlives_those_of_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server could close a connection at the moment in which a proxy sends a request over it."""
    kept_s: list[int] = []

    async def run(server: uvicorn.Server, **_options: object) -> None:
        kept_s.append(server.config.timeout_keep_alive)

    monkeypatch.setattr(uvicorn.Server, "serve", run)
    monkeypatch.setattr(gc, "freeze", lambda: None)
    with serve.listen("127.0.0.1", 0) as listening:
        await serve.answer_requests(FastAPI(), listening, Settings())
    assert kept_s[0] > 120


@pytest.mark.parametrize(("files", "most"), [(10_000, 77), (256, 128), (430, 215)], ids=["setting", "few files", "some files"])
async def test_connections_are_limited_by_the_given_settings(monkeypatch: pytest.MonkeyPatch, files: int, most: int) -> None:
    limits: list[int] = []

    async def run(server: uvicorn.Server, **_options: object) -> None:
        limits.append(cast(Any, server.config.http).keywords["connections"]._most)

    monkeypatch.setattr(uvicorn.Server, "serve", run)
    monkeypatch.setattr(gc, "freeze", lambda: None)
    monkeypatch.setattr(resource, "getrlimit", lambda _kind: (files, files))
    with serve.listen("127.0.0.1", 0) as listening:
        await serve.answer_requests(FastAPI(), listening, Settings(max_connections=77 if files > 1_000 else 20_000))
    assert limits == [most]
