"""Uploaded files in the data folder."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from fundwright.core.files import FileStore


async def content() -> AsyncIterator[bytes]:
    yield b"Roofs are "
    yield b"repaired."


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
    name = await store.spool(content()) if is_spooled else (await store.store(content())).sha256
    path = store.path(name)
    assert path.read_bytes() == b"Roofs are repaired."
    assert synced[path.stat().st_ino] == 19
    assert {path.parent.stat().st_ino, path.parent.parent.stat().st_ino} <= synced.keys()
