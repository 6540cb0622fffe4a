"""A server and its worker reach nobody who is not configured, and write only to the data folder and `/tmp`. The kernel tells: libraries
written in C have connections that Python does not see."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from ipaddress import ip_address
from pathlib import Path

import pytest

from e2e.application import PROJECT, started, working
from e2e.conftest import EMAIL, PASSWORD
from e2e.pages.polling import eventually
from fundwright.core.postgres import EmbeddedPostgres
from tests.support.databases import environment_of
from tests.support.requirements import missing

WATCHED_S = 15
"""onnxruntime reports some seconds after it has loaded a model, and several times a minute."""
CALLS = "connect,sendto,sendmsg,sendmmsg,open,openat,openat2,creat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,symlink"
SILENT_WHERE = ("ORT_DISABLE_TELEMETRY", "CI", "GITHUB_ACTIONS", "GITLAB_CI", "TF_BUILD", "JENKINS_URL", "CIRCLECI", "BUILDKITE")
"""onnxruntime reports nothing where one of these is set. This process has the first, and tests often run with another."""
SENDS = ("connect", "send")
DNS_PORT = 53
RESOLVER = "/run/systemd/resolve"

ADDRESS = re.compile(r'inet_(?:addr\(|pton\(AF_INET6, )"(?P<address>[^"]+)"')
PORT = re.compile(r"sin6?_port=htons\((?P<port>\d+)\)")
SOCKET = re.compile(r'sun_path=@?"(?P<path>[^"]+)"')
OPENED = re.compile(r"O_(?:CREAT|WRONLY|RDWR)")
PLACES = re.compile(r'(?:(?:AT_FDCWD|\d+)<(?P<folder>[^>]*)>, )?"(?P<path>[^"]*)"')
CALL = re.compile(r"^(?:\d+ +)?(?P<name>\w+)\((?P<arguments>.*)\) += (?P<result>-?\d+)")
UNFINISHED = re.compile(r"^(?P<thread>\d+) +(?P<call>\w+\(.*) <unfinished \.\.\.>$")
RESUMED = re.compile(r"^(?P<thread>\d+) +<\.\.\. \w+ resumed>(?P<rest>.*)$")

WRITABLE = ("/tmp/", "/dev/", "/proc/")
COMPILED = "__pycache__"  # Python's own, beside the source


def calls(trace: str) -> Iterator[tuple[str, str, int]]:
    """The name, arguments, and result of each system call. Calls of several threads interrupt each other in the file."""
    begun: dict[str, str] = {}
    for line in trace.splitlines():
        if unfinished := UNFINISHED.match(line):
            begun[unfinished["thread"]] = unfinished["call"]
            continue
        if resumed := RESUMED.match(line):
            line = begun.pop(resumed["thread"], "") + resumed["rest"]
        if call := CALL.match(line):
            yield call["name"], call["arguments"], int(call["result"])


def contacts(trace: str) -> set[str]:
    """Whom the processes looked up or reached on another machine, whether or not it answered."""
    return {found for name, arguments, _ in calls(trace) if name.startswith(SENDS) and (found := _contact(arguments))}


def _contact(arguments: str) -> str | None:
    address, port, socket = ADDRESS.search(arguments), PORT.search(arguments), SOCKET.search(arguments)
    if socket and socket["path"].startswith(RESOLVER):
        return socket["path"]
    if address and (not ip_address(address["address"]).is_loopback or (port and int(port["port"]) == DNS_PORT)):
        return f"{address['address']} port {port['port'] if port else ''}"
    return None


def written(trace: str, *, but: tuple[str, ...]) -> set[str]:
    """Files and folders that were created or opened for writing outside the folders `but`."""
    places: set[str] = set()
    for name, arguments, result in calls(trace):
        if result < 0 or name.startswith(SENDS) or (name.startswith("open") and not OPENED.search(arguments)):
            continue
        for match in PLACES.finditer(arguments):
            place = os.path.normpath(Path(match["folder"] or PROJECT, match["path"]))
            if not place.startswith(but) and COMPILED not in place:
                places.add(place)
    return places


@pytest.fixture
def strace() -> Sequence[str]:
    """The program that writes the system calls of a process and its children to the file that follows."""
    program = shutil.which("strace")
    if program is None or subprocess.run([program, "-o", "/dev/null", "true"], capture_output=True, check=False).returncode:
        missing("strace is missing, or may not trace here: apt-get install strace, and allow the container SYS_PTRACE")
    return (program, "-D", "-f", "--seccomp-bpf", "-y", "-s", "300", "-e", f"trace={CALLS}", "-o")


@pytest.mark.slow
@pytest.mark.security(43)
def test_a_server_and_its_worker_reach_nobody_and_write_only_to_the_data_folder(tmp_path: Path, strace: Sequence[str]) -> None:
    data, home = tmp_path / "data", tmp_path / "home"
    data.mkdir()
    home.mkdir()
    traces = {name: tmp_path / f"{name}.trace" for name in ("server", "worker")}
    with EmbeddedPostgres(data).use() as url, pytest.MonkeyPatch.context() as patch:
        for name in SILENT_WHERE:
            patch.delenv(name, raising=False)
        environment = {"HOME": str(home), **environment_of(url)}
        under = (*strace, str(traces["server"]))
        with started(data, "--no-worker", environment=environment, under=under) as application:
            application.add_person(EMAIL, PASSWORD, has_sample=True)
            with working(data, environment=environment, under=(*strace, str(traces["worker"]))):
                eventually(lambda: _is_in("model.onnx", traces["worker"]) or None, within_s=120)
                time.sleep(WATCHED_S)
    for trace in traces.values():
        text = trace.read_text()
        assert contacts(text) == set()
        assert written(text, but=(*WRITABLE, str(data))) == set()
    assert list(home.iterdir()) == []


def _is_in(text: str, file: Path) -> bool:
    return file.exists() and text in file.read_text()
