"""Uploaded files in the data folder."""

import asyncio
import errno
import fcntl
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import BinaryIO

import pytest

from fundwright.core.errors import DiskFull, Invalid, StartRefused
from fundwright.core.files import FileStore, disk_errors, file_name, use_temporary_folder


class TestTemporaryFolder:
    @pytest.fixture
    def is_read_only(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse() -> str:
            raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found")

        monkeypatch.setenv("TMPDIR", "")
        monkeypatch.setattr(tempfile, "gettempdir", refuse)

    def test_is_in_the_data_folder_if_there_is_no_other_place(self, tmp_path: Path, is_read_only: None) -> None:
        use_temporary_folder(tmp_path)
        folder = tmp_path / "tmp"
        assert folder.stat().st_mode & 0o777 == 0o700
        code = "import tempfile; print(tempfile.gettempdir())"
        assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == str(folder)

    def test_is_that_of_the_system_otherwise(self, tmp_path: Path) -> None:
        before = os.environ.get("TMPDIR")
        use_temporary_folder(tmp_path)
        assert (os.environ.get("TMPDIR"), [*tmp_path.iterdir()]) == (before, [])

    def test_a_data_folder_that_cannot_be_used_is_named(self, tmp_path: Path, is_read_only: None) -> None:
        (tmp_path / "data").write_text("")
        with pytest.raises(StartRefused, match=f"The data folder {tmp_path}/data cannot be used"):
            use_temporary_folder(tmp_path / "data")


async def content() -> AsyncIterator[bytes]:
    yield b"Roofs are "
    yield b"repaired."


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/srv/upload/bid.pdf", "bid.pdf"),
        ("C:\\bids\\bid.pdf", "bid.pdf"),
        ("../..", ".."),
        ("///", "document"),
        ("", "document"),
        ("b\udcfcrgschaft.pdf", "b\ufffdrgschaft.pdf"),
        ("two\nlines\x1b[31m\x00\x85\u2028.pdf", "two\ufffdlines\ufffd[31m\ufffd\ufffd\ufffd.pdf"),
        ("b" * 252 + ".md", "b" * 197 + ".md"),
        ("b" * 255, "b" * 200),
        ("b." + "c" * 253, "b." + "c" * 198),
    ],
)
def test_the_name_of_a_file_can_be_kept_and_shown(path: str, name: str) -> None:
    assert file_name(path) == name


@pytest.mark.parametrize("is_spooled", [False, True])
async def test_a_file_and_its_name_are_on_the_disk_before_it_is_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_spooled: bool
) -> None:
    synced: dict[int, int] = {}

    def sync(handle: int) -> None:
        about = os.fstat(handle)
        synced[about.st_ino] = about.st_size

    monkeypatch.setattr(os, "fsync", sync)
    store = FileStore(tmp_path / "files", max_bytes=100)
    if is_spooled:
        name = await store.spool(content())
    else:
        received = await store.receive(content())
        await store.keep(received)
        name = received.sha256
    path = store.path(name)
    assert path.read_bytes() == b"Roofs are repaired."
    assert synced[path.stat().st_ino] == 19
    assert {path.parent.stat().st_ino, path.parent.parent.stat().st_ino} <= synced.keys()


@pytest.mark.security(42)
async def test_a_file_that_is_too_large_is_refused_while_it_arrives_and_leaves_nothing(tmp_path: Path) -> None:
    arrived = list[bytes]()

    async def endless() -> AsyncIterator[bytes]:
        while len(arrived) < 1_000:
            arrived.append(b"0123456789")
            yield arrived[-1]

    store = FileStore(tmp_path / "files", max_bytes=100)
    with pytest.raises(Invalid, match="larger than 100 bytes"):
        await store.receive(endless())
    assert len(arrived) == 11
    assert list((tmp_path / "files").rglob("*")) == []


async def test_what_a_killed_process_left_of_an_upload_is_removed(tmp_path: Path) -> None:
    store = FileStore(tmp_path, max_bytes=100)
    left, underway = await store.receive(content()), await store.receive(content())
    os.utime(left.path, (0, 0))
    received = await store.receive(content())
    assert {path for path in tmp_path.iterdir() if path.is_file()} == {underway.path, received.path}


async def test_what_a_killed_process_left_is_removed_from_a_folder_on_nfs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = FileStore(tmp_path, max_bytes=100)
    left = await store.receive(content())
    os.utime(left.path, (0, 0))

    def flock(file: BinaryIO, operation: int) -> None:
        """As NFS does it, see flock(2)."""
        if operation & fcntl.LOCK_EX and not file.writable():
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    monkeypatch.setattr(fcntl, "flock", flock)
    await store.receive(content())
    assert not left.path.exists()


async def test_what_is_still_being_received_is_kept_however_long_its_sender_pauses(tmp_path: Path) -> None:
    store = FileStore(tmp_path, max_bytes=100)

    def age() -> None:
        for path in tmp_path.glob("incoming-*"):
            os.utime(path, (0, 0))

    async def slow() -> AsyncIterator[bytes]:
        yield b"Roofs "
        await asyncio.to_thread(age)
        await asyncio.to_thread(store.remove_abandoned)
        yield b"leak."

    received = await store.receive(slow())
    assert await asyncio.to_thread(received.path.read_bytes) == b"Roofs leak."


class TestDiskErrors:
    @pytest.mark.security(46)
    def test_what_people_read_names_no_folder(self, tmp_path: Path) -> None:
        with pytest.raises(DiskFull) as full, disk_errors(tmp_path):
            raise OSError(errno.ENOSPC, "No space left on device")
        assert str(tmp_path) not in str(full.value)
