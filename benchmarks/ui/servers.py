"""Starts the pages as servers: ours, and those of other frameworks in their own environments below var/bench-ui."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from e2e.application import NotStarted, wait_until_it_answers
from scripts.setup import uv_environment

PROJECT = Path(__file__).resolve().parents[2]
PAGES = Path(__file__).parent / "pages"
ENVIRONMENTS = PROJECT / "var/bench-ui"
START_TIMEOUT_S = 300
INSTALL_TIMEOUT_S = 600

REFLEX_SETTINGS = """\
import reflex as rx

config = rx.Config(
    app_name="page", api_url="{origin}", deploy_url="{origin}", backend_port={port}, frontend_port={port},
    telemetry_enabled=False, show_built_with_reflex=False,
)
"""


class NotAvailable(Exception):
    """The framework cannot be installed or started here; the message gives the reason in one line."""


@dataclass(frozen=True)
class Running:
    """The arguments with which a server is started."""

    folder: Path
    """An empty folder for its files."""
    port: int
    origin: str
    """The origin that the browser sees: the address of the proxy."""


@dataclass(frozen=True)
class Framework:
    name: str
    requirement: str | None
    """Packages, separated by spaces; None for ours, which is installed already."""
    command: Callable[[Running], Sequence[str | Path]]
    variables: dict[str, str] = field(default_factory=dict[str, str])
    node: str | None = None
    """The version of Node that it needs."""

    @property
    def environment(self) -> Path:
        return ENVIRONMENTS / self.name.lower()

    def program(self, name: str) -> Path:
        return self.environment / "bin" / name


def frameworks() -> list[Framework]:
    """The page with a counter and a table."""
    return [Framework("Fundwright", None, _fundwright), *_others("page", {})]


def lists_of_others(database: str) -> list[Framework]:
    """The page with the list of the notices in this database."""
    return _others("list", {"NOTICES_URL": database, "PYTHONPATH": str(PAGES)})


def _others(page: str, variables: dict[str, str]) -> list[Framework]:
    def script(name: str) -> Path:
        return PAGES / f"{name}_{page}.py"

    driver = "psycopg[binary,pool]==3.3.9"
    quiet = {"REFLEX_USE_NPM": "1", "REFLEX_TELEMETRY_ENABLED": "0"}
    return [
        Framework("Reflex", f"reflex==0.10.1 {driver}", partial(_reflex, script("reflex")), quiet | variables, node="22"),
        Framework("NiceGUI", f"nicegui==3.18.0 {driver}", lambda _running: [_python("nicegui"), script("nicegui")], variables),
        Framework(
            "Dash", f"dash==4.4.1 dash-ag-grid==35.3.0 {driver}", lambda _running: [_python("dash"), script("dash")], variables
        ),
        Framework("Streamlit", f"streamlit==1.67.0 {driver}", partial(_streamlit, script("streamlit")), variables),
    ]


def _python(name: str) -> Path:
    return ENVIRONMENTS / name / "bin/python"


def _fundwright(running: Running) -> Sequence[str | Path]:
    return [sys.executable, "-m", "benchmarks.ui.ours", running.folder, str(running.port), running.origin]


def _reflex(script: Path, running: Running) -> Sequence[str | Path]:
    package = running.folder / "page"
    package.mkdir()
    (package / "__init__.py").touch()
    shutil.copy(script, package / "page.py")
    (running.folder / "rxconfig.py").write_text(REFLEX_SETTINGS.format(origin=running.origin, port=running.port))
    return [ENVIRONMENTS / "reflex/bin/reflex", "run", "--env", "prod", "--single-port"]


def _streamlit(script: Path, running: Running) -> Sequence[str | Path]:
    options = {
        "server.port": running.port,
        "server.address": "127.0.0.1",
        "server.headless": "true",
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
        "browser.serverAddress": "127.0.0.1",
        "browser.serverPort": running.origin.rpartition(":")[2],
    }
    given = [part for name, value in options.items() for part in (f"--{name}", str(value))]
    return [ENVIRONMENTS / "streamlit/bin/streamlit", "run", script, *given]


@contextmanager
def serving(framework: Framework, *, port: int, origin: str) -> Iterator[None]:
    """Serve the framework's page on `port`. Raises NotAvailable."""
    variables = {**os.environ, **framework.variables, "PORT": str(port)}
    if framework.requirement:
        install(framework, framework.requirement)
    if framework.node:
        variables["PATH"] = f"{install_npm('node', framework.node)}{os.pathsep}{variables['PATH']}"
    with (
        tempfile.TemporaryDirectory(prefix="bench-ui-", ignore_cleanup_errors=True) as folder,
        (Path(folder) / "server.log").open("w+") as log,
    ):
        work = Path(folder) / "work"
        work.mkdir()
        command = framework.command(Running(work, port, origin))
        # Ours runs in the project, the others in a folder to which they may write.
        place = work if framework.requirement else PROJECT
        server = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, cwd=place, env=variables,
            start_new_session=True,
        )  # fmt: skip
        try:
            wait_until_it_answers(f"http://127.0.0.1:{port}/", server, Path(log.name), START_TIMEOUT_S)
            yield
        except NotStarted as reason:
            raise NotAvailable(f"not started: {_last_line(str(reason))}") from reason
        finally:
            _stop(server)


def install(framework: Framework, requirement: str) -> None:
    """Create the environment unless it exists in this version."""
    stamp = framework.environment / "installed"
    if stamp.exists() and stamp.read_text() == requirement:
        return
    uv = Path(sys.executable).parent / "uv"
    _run([uv, "venv", "--clear", "--python", sys.executable, framework.environment])
    _run([uv, "pip", "install", "--python", framework.program("python"), *requirement.split()])
    stamp.write_text(requirement)


def install_npm(package: str, version: str) -> Path:
    """The folder with the programs of this version of an npm package."""
    folder = ENVIRONMENTS / f"{package}-{version}"
    programs = folder / "node_modules/.bin"
    if not (programs / package).exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text("{}")
        _run(["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", folder, f"{package}@{version}"])
    return programs


def _run(command: Sequence[str | Path]) -> None:
    try:
        done = subprocess.run(
            command, env=uv_environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
            timeout=INSTALL_TIMEOUT_S,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotAvailable(f"not installed: {error}") from error
    if done.returncode != 0:
        raise NotAvailable(f"not installed: {_last_line(done.stderr or done.stdout)}")


def _stop(server: subprocess.Popen[bytes]) -> None:
    """Stop the server and everything that it started, which is a process group of its own."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(server.pid, number)
        with suppress(subprocess.TimeoutExpired):
            server.wait(15)
            return


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "it said nothing"
