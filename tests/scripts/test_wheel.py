"""The wheel, installed into an empty environment without the sources, contains the whole product."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

import pytest

PROJECT = Path(__file__).parents[2]
EMAIL, PASSWORD = "ada@example.org", "a quiet harbor at dawn"
START_TIMEOUT_S = EMBEDDING_TIMEOUT_S = 120


@dataclass(frozen=True)
class Installation:
    """An environment with only the wheel and its dependencies, and a user's home folder."""

    programs: Path
    home: Path
    port: int

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment of a user who has configured nothing."""
        return {"PATH": f"{self.programs}{os.pathsep}{os.environ['PATH']}", "HOME": str(self.home), "LANG": "C.UTF-8"}

    def command(self, *arguments: str, stdin: str = "") -> dict[str, Any]:
        done = subprocess.run(
            ["fundwright", *arguments, "--json"],
            input=stdin, capture_output=True, text=True, check=False, cwd=self.home, env=self.environment,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    def fetch(self, path: str, body: object = None, **headers: str) -> str:
        """The server's response to a GET request, or to a POST of `body`."""
        content = {} if body is None else {"Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        with urlopen(Request(f"http://127.0.0.1:{self.port}{path}", data, content | headers)) as answer:
            return answer.read().decode()


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder with a space in its name that the account of the embedded PostgreSQL can enter when tests run as root."""
    with tempfile.TemporaryDirectory(prefix="fundwright wheel ") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(scope="module")
def wheel(folder: Path) -> Path:
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], cwd=PROJECT, check=True)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installation(folder: Path, wheel: Path) -> Iterator[Installation]:
    """With a running server. Dependencies are those of this environment, so that nothing is downloaded."""
    environment, home = folder / "environment", folder / "home"
    home.mkdir()
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    uv = (Path(sys.executable).parent / "uv", "pip", "install", "--quiet", "--offline", "--no-deps")
    subprocess.run([*uv, "--python", environment / "bin/python", wheel], check=True)
    packages = next(environment.glob("lib/python*/site-packages"))
    # Not Fundwright itself: links in a linked folder, such as that of an editable installation, are not followed.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    installed = Installation(environment / "bin", home, port)
    with (folder / "server.log").open("w+") as log:
        server = subprocess.Popen(
            ["fundwright", "serve", "--port", str(port)], stdout=log, stderr=log, cwd=home, env=installed.environment
        )
        try:
            _wait(installed, server, folder / "server.log")
            yield installed
        finally:
            server.terminate()
            server.wait(30)


def _wait(installed: Installation, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while server.poll() is None and time.monotonic() < deadline:
        try:
            installed.fetch("/api/health")
        except URLError:
            time.sleep(0.2)
        else:
            return
    raise AssertionError(log.read_text())


@pytest.mark.slow
class TestWheel:
    def test_contains_no_sources_of_translations_and_no_stamps(self, wheel: Path) -> None:
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
        assert "fundwright/core/migrations/__init__.py" in names
        assert [name for name in names if name.endswith((".po", "/stamp"))] == []

    def test_serves_pages_in_every_language_with_all_their_files(self, installation: Installation) -> None:
        for language, sentence in (("en", "Welcome"), ("de", "Willkommen"), ("fr", "Bienvenue")):
            assert sentence in installation.fetch("/auth/login", Cookie=f"language={language}")
        assert "SAM.gov" in installation.fetch("/help/importing")
        files = set(re.findall(r'"(/assets/[^"]+)"', installation.fetch("/auth/login")))
        assert {Path(file).suffix for file in files} >= {".js", ".css"}
        assert all(installation.fetch(file) for file in files if not file.endswith(".woff2"))

    def test_has_samples_and_a_model_that_finds_passages_in_them(self, installation: Installation) -> None:
        installation.command("user", "add", EMAIL, "--password-stdin", stdin=PASSWORD)
        login = json.loads(installation.fetch("/api/account/login", {"email": EMAIL, "password": PASSWORD}))
        token = {"Authorization": f"Bearer {login['accessToken']}"}
        assert json.loads(installation.fetch("/api/opportunities", **token))["total"] > 0
        question = "/api/answers?query=Who+did+the+groundwater+database"
        deadline = time.monotonic() + EMBEDDING_TIMEOUT_S
        while not (passages := json.loads(installation.fetch(question, **token))["answers"]) and time.monotonic() < deadline:
            time.sleep(0.5)
        assert any("groundwater" in passage["text"].lower() for passage in passages)

    def test_keeps_its_data_in_the_home_folder(self, installation: Installation) -> None:
        assert (installation.home / ".local/share/fundwright/data/postgres").is_dir()
