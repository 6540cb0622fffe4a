"""A large upload is written to disk, not kept in the server's memory."""

from __future__ import annotations

import http.client
import json
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from e2e.application import Application
from e2e.conftest import EMAIL, PASSWORD

MEGABYTE = 1_000_000
BOUNDARY = "laboratory"


@pytest.mark.pain(17)
@pytest.mark.skipif(sys.platform != "linux", reason="the peak of another process's memory is read from /proc")
@pytest.mark.slow
def test_200_megabytes_do_not_stay_in_memory(laboratory: Application) -> None:
    laboratory.add_person(EMAIL, PASSWORD)
    answer = send(laboratory, "/signin", json.dumps({"email": EMAIL, "password": PASSWORD}).encode(), "application/json")
    headers = {"Authorization": f"Bearer {json.loads(answer)['token']}"}
    proc = Path(f"/proc/{laboratory.process.pid}")
    (proc / "clear_refs").write_text("5")  # resets the peak
    before = peak_bytes(proc)
    headers["Content-Length"] = str(sum(map(len, parts())))
    send(laboratory, "/api/opportunities/imports/sam", parts(), f"multipart/form-data; boundary={BOUNDARY}", headers)
    assert peak_bytes(proc) - before < 32 * MEGABYTE


def parts() -> Iterator[bytes]:
    yield f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="large.csv"\r\n\r\n'.encode()
    for _ in range(200):
        yield b"x" * MEGABYTE
    yield f"\r\n--{BOUNDARY}--\r\n".encode()


def send(
    application: Application, path: str, body: bytes | Iterator[bytes], kind: str, headers: dict[str, str] | None = None
) -> bytes:
    with closing(http.client.HTTPConnection(urlsplit(application.url).netloc, timeout=60)) as connection:
        connection.request("POST", path, body, {"Content-Type": kind, **(headers or {})})
        answer = connection.getresponse()
        content = answer.read()
    assert answer.status < 300, content
    return content


def peak_bytes(proc: Path) -> int:
    line = next(line for line in (proc / "status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024
