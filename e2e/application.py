"""The application as a process, and its browser, for journeys and benchmarks."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.client import HTTPException
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit
from urllib.request import urlopen

from sqlalchemy.ext.asyncio import AsyncSession

from e2e.pages.polling import eventually
from fundwright.access import account_changes, commands
from fundwright.accounts import service as accounts
from fundwright.accounts.schemas import Role
from fundwright.cli.context import load_plugins
from fundwright.core import mail
from fundwright.core.assembly import Core, open_core
from fundwright.core.database_role import OWNER_SETTING
from fundwright.core.paging import PageRequest
from fundwright.core.settings import Settings
from fundwright.training import samples
from scripts.setup import installed_browser
from tests.support.scopes import INSTALLATION

PROJECT = Path(__file__).parent.parent
FUNDWRIGHT = Path(sys.executable).parent / "fundwright"
START_TIMEOUT_S = 60

T = TypeVar("T")


class NotStarted(Exception):
    """The server exited or did not respond in time; the message is its log output."""


@dataclass(frozen=True)
class Application:
    """A running server, its data folder, and its additional environment variables."""

    url: str
    data: Path
    process: subprocess.Popen[bytes]
    environment: Mapping[str, str] = field(default_factory=dict[str, str])

    def command(self, *arguments: str, stdin: str = "") -> dict[str, Any]:
        """Run `fundwright` beside the server; returns its last line, a JSON object."""
        return run_command(self.data, self.environment, *arguments, stdin=stdin)

    def add_person(
        self, email: str, password: str, *, name: str = "Ada Example", role: Role = Role.USER, has_sample: bool = False
    ) -> None:
        """Like `fundwright user add`, but without the two seconds that starting a process takes, and, unless the person
        `has_sample`, without the two seconds that training the sample documents takes."""

        async def add(session: AsyncSession, core: Core) -> None:
            actor = await accounts.create_account(session, core, email=email, name=name, role=role, password=password)
            if not has_sample:
                await samples.remove_sample(session, actor, core)

        self._act(add)

    def change_role(self, email: str, role: Role) -> None:
        """Like `fundwright user role`. The account's sessions end."""
        self._act(lambda session, core: account_changes.change_role(session, core, email=email, role=role))

    def invite(self, email: str) -> None:
        """Like `fundwright user invite`."""
        self._act(partial(commands.invite, email=email, role=Role.USER))

    def disable(self, email: str) -> None:
        """Like `fundwright user disable`."""
        self._act(partial(commands.disable_account, email=email))

    def emails(self) -> Sequence[mail.MailMessage]:
        """Like `fundwright mail`."""
        return self._act(lambda session, _core: mail.list_messages(session, PageRequest(page_size=10))).items

    def _act(self, action: Callable[[AsyncSession, Core], Awaitable[T]]) -> T:
        async def act() -> T:
            urls = {"database_url": self.environment.get("DATABASE_URL"), "owner_url": self.environment.get(OWNER_SETTING)}
            settings = Settings.read(data=self.data, **urls)
            async with (
                open_core(settings, load_plugins()) as core,
                core.database.transaction(scope=INSTALLATION) as session,
            ):
                return await action(session, core)

        with ThreadPoolExecutor(1) as thread:  # this thread already has Playwright's event loop
            return thread.submit(asyncio.run, act()).result()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def run_command(data: Path, environment: Mapping[str, str], *arguments: str, stdin: str = "") -> dict[str, Any]:
    """Run `fundwright`; returns its last line, a JSON object."""
    done = subprocess.run(
        [FUNDWRIGHT, "--data", data, *arguments, "--json"],
        input=stdin, capture_output=True, text=True, check=False, cwd=PROJECT, env=os.environ | environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.strip().splitlines()[-1])


@contextmanager
def started(
    data: Path,
    *options: str,
    port: int | None = None,
    environment: Mapping[str, str] | None = None,
    under: Sequence[str] = (),
) -> Iterator[Application]:
    """The application on an empty data folder, as `make run` starts it, or restarted on an existing one.

    `options` are additional options of `fundwright serve`; `environment` contains additional variables. `under` is a program that
    starts the server, which must have its process id.
    """
    port = port or free_port()
    environment = environment or {}
    base = urlsplit(environment.get("FUNDWRIGHT_PUBLIC_URL", "")).path
    with (data / "server.log").open("a") as log:
        server = subprocess.Popen(
            [*under, FUNDWRIGHT, "--data", data, "serve", "--port", str(port), *options],
            stdout=log,
            stderr=subprocess.STDOUT,
            cwd=PROJECT,
            env={**os.environ, **environment},
        )
    application = Application(f"http://127.0.0.1:{port}{base}", data, server, environment)
    try:
        wait_until_it_answers(f"{application.url}/auth/login", server, data / "server.log")
        yield application
    finally:
        server.terminate()
        server.wait(20)


@contextmanager
def working(data: Path, *, environment: Mapping[str, str] | None = None, under: Sequence[str] = ()) -> Iterator[None]:
    """Runs `fundwright worker` on a data folder. The options are those of `started`."""
    with (data / "worker.log").open("w") as log:
        worker = subprocess.Popen(
            [*under, FUNDWRIGHT, "--data", data, "worker"],
            stdout=log,
            stderr=subprocess.STDOUT,
            cwd=PROJECT,
            env={**os.environ, **(environment or {})},
        )
    try:
        yield
        assert worker.poll() is None, (data / "worker.log").read_text()
    finally:
        worker.terminate()
        assert worker.wait(20) == 0


def wait_until_it_answers(url: str, server: subprocess.Popen[bytes], log: Path, within_s: float = START_TIMEOUT_S) -> None:
    """Raises NotStarted."""

    def look() -> bool | None:
        try:
            urlopen(url).close()
        except (OSError, HTTPException):
            if server.poll() is not None:
                raise NotStarted(log.read_text()) from None
            return None
        return True

    try:
        eventually(look, within_s=within_s)
    except TimeoutError:
        raise NotStarted(log.read_text()) from None


def launch_options() -> dict[str, Any]:
    """For Playwright's `chromium.launch`: the browser on this machine, or else Playwright's own."""
    arguments = ["--disable-gpu", "--disable-quic", "--disable-background-networking"]
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")
    chromium = os.environ.get("CHROMIUM") or installed_browser()
    return {"args": arguments} | ({"executable_path": chromium} if chromium else {})
