"""An installation whose processes (web, worker, and database) can be killed and restarted."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import psutil

from e2e.application import FUNDWRIGHT, PROJECT, free_port
from fundwright.accounts import service as accounts
from fundwright.accounts.schemas import Role
from fundwright.cli.context import load_plugins
from fundwright.core.assembly import open_core
from fundwright.core.settings import Settings

PASSWORD = "a quiet harbor at dawn"

_START_TIMEOUT_S = 120
_STOP_TIMEOUT_S = 30
_LOOK_EVERY_S = 0.1


class Installation:
    """`fundwright serve` with its embedded database and, with `has_worker`, a separate `fundwright worker`.

    Processes are killed with SIGKILL. The web process keeps its port while the installation runs. The processes of each command
    append to one log in `logs`, by default the data folder.
    """

    def __init__(
        self, data: Path, *, logs: Path | None = None, has_worker: bool = False, environment: Mapping[str, str] | None = None
    ) -> None:
        self._data = data
        self._environment = environment or {}
        self._logs = logs or data
        self._has_worker = has_worker
        self._port = free_port()
        self._web: subprocess.Popen[bytes] | None = None
        self._worker: subprocess.Popen[bytes] | None = None
        self.url = f"http://127.0.0.1:{self._port}"

    async def add_people(self, count: int) -> Sequence[str]:
        """Add accounts with the password PASSWORD before anything runs; returns their addresses."""
        emails = [f"person-{number}@example.org" for number in range(count)]
        settings = Settings.read(data=self._data, database_url=None)
        async with open_core(settings, load_plugins()) as core:
            for email in emails:
                async with core.database.transaction() as session:
                    await accounts.add_account(session, email=email, name=email[:-12], role=Role.USER, password=PASSWORD)
        return emails

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Start everything, and stop it afterward as an operator does. No process remains, even after an error."""
        try:
            await self.start_web()
            self.start_worker()
            yield
        finally:
            for process in (self._worker, self._web):
                if process is not None and process.poll() is None:
                    process.terminate()
                    await asyncio.to_thread(process.wait, _STOP_TIMEOUT_S)
            self.kill_database()  # it remains if the last user was killed

    async def start_web(self) -> None:
        """Return once it responds."""
        self._web = self._start("serve", "--port", str(self._port), *(["--no-worker"] if self._has_worker else []))
        async with asyncio.timeout(_START_TIMEOUT_S), httpx.AsyncClient() as http:
            while True:
                assert self._web.poll() is None, (self._web.returncode, self.log("serve"))
                try:
                    (await http.get(f"{self.url}/api/health")).raise_for_status()
                    return
                except httpx.HTTPError:
                    await asyncio.sleep(_LOOK_EVERY_S)

    def start_worker(self) -> None:
        if self._has_worker:
            self._worker = self._start("worker")

    def kill_web(self) -> None:
        _kill(self._web)

    def kill_worker(self) -> None:
        _kill(self._worker)

    def kill_database(self) -> None:
        """Kill the server's main process; the others notice and exit. The web process and the worker restart it."""
        lock = self._data / "postgres/postmaster.pid"
        try:
            database = psutil.Process(int(lock.read_text().partition("\n")[0]))
            if str(self._data.resolve()) in " ".join(database.cmdline()):
                database.kill()
        except (FileNotFoundError, ValueError, psutil.NoSuchProcess):
            pass  # it is not running

    def memory_bytes(self) -> tuple[int, int]:
        """Resident memory of the web process and of the worker."""
        sizes = [psutil.Process(process.pid).memory_info().rss if process else 0 for process in (self._web, self._worker)]
        return sizes[0], sizes[1]

    def log(self, command: str) -> str:
        """The log of this command's processes so far."""
        return (self._logs / f"{command}.log").read_text(errors="replace")

    def _start(self, command: str, *options: str) -> subprocess.Popen[bytes]:
        with (self._logs / f"{command}.log").open("a") as log:
            return subprocess.Popen(
                [FUNDWRIGHT, "--data", self._data, command, *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=PROJECT,
                env={**{name: value for name, value in os.environ.items() if name != "DATABASE_URL"}, **self._environment},
            )


def _kill(process: subprocess.Popen[bytes] | None) -> None:
    if process is not None:
        process.send_signal(signal.SIGKILL)
        process.wait()
