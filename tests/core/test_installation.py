"""The data folder that belongs to the database."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from fundwright.authentication import commands
from fundwright.authentication.keyring import keyring
from fundwright.core.assembly import Core
from fundwright.core.errors import StartRefused
from fundwright.core.installation import accept_folder, require_own_folder
from fundwright.core.keys import create_key, lasting_key


def process(core: Core, folder: Path) -> Core:
    """A process on this data folder."""
    (folder / "files").mkdir(parents=True, exist_ok=True)
    return replace(core, settings=core.settings.model_copy(update={"data": folder}), cache={})


class TestFolder:
    async def test_is_known_to_every_process_that_shares_it(self, committed: Core, tmp_path: Path) -> None:
        for _ in range(2):
            await require_own_folder(process(committed, tmp_path / "a"))
        async with committed.database.transaction() as session:
            await commands.rotate_key(session, process(committed, tmp_path / "a"))
        await require_own_folder(process(committed, tmp_path / "a"))

    async def test_that_is_another_one_is_refused(self, committed: Core, tmp_path: Path) -> None:
        await require_own_folder(process(committed, tmp_path / "a"))
        with pytest.raises(StartRefused, match=r"b/files and .*b/keys has not been used.* run `fundwright accept-folder` once"):
            await require_own_folder(process(committed, tmp_path / "b"))

    @pytest.mark.parametrize(("copied", "other"), [("files", "keys"), ("keys", "files")])
    async def test_that_is_half_the_same_is_refused(self, committed: Core, tmp_path: Path, copied: str, other: str) -> None:
        await require_own_folder(process(committed, tmp_path / "a"))
        shutil.copytree(tmp_path / "a" / copied, tmp_path / "b" / copied)
        with pytest.raises(StartRefused, match=f"another data folder: [^ ]*/b/{other} has not"):
            await require_own_folder(process(committed, tmp_path / "b"))

    async def test_is_accepted_after_it_was_restored(self, committed: Core, tmp_path: Path) -> None:
        await require_own_folder(process(committed, tmp_path / "a"))
        restored = process(committed, tmp_path / "b")
        await accept_folder(restored)
        await require_own_folder(restored)
        with pytest.raises(StartRefused):
            await require_own_folder(process(committed, tmp_path / "a"))


class TestKeys:
    @pytest.mark.parametrize("is_replaced", [True, False])
    @pytest.mark.parametrize("name", ["share.key", "session.key"])
    async def test_one_that_was_replaced_or_removed_is_noticed(
        self, committed: Core, tmp_path: Path, name: str, is_replaced: bool
    ) -> None:
        own = process(committed, tmp_path)
        lasting_key(own, "share.key")
        keyring(own).newest  # noqa: B018 (makes the first key)
        await require_own_folder(own)
        (tmp_path / "keys" / name).unlink()
        if is_replaced:
            create_key(tmp_path / "keys" / name)
        with pytest.raises(StartRefused, match=rf"Keys .* are missing or were replaced: {name} in .*accept-folder"):
            await require_own_folder(process(committed, tmp_path))
        await accept_folder(process(committed, tmp_path))
        await require_own_folder(process(committed, tmp_path))

    async def test_one_that_was_added_is_recorded_at_the_next_start(self, committed: Core, tmp_path: Path) -> None:
        await require_own_folder(process(committed, tmp_path))
        lasting_key(process(committed, tmp_path), "share.key")
        await require_own_folder(process(committed, tmp_path))
        (tmp_path / "keys" / "share.key").unlink()
        with pytest.raises(StartRefused, match="share.key"):
            await require_own_folder(process(committed, tmp_path))

    async def test_one_that_was_retired_is_forgotten(self, committed: Core, tmp_path: Path) -> None:
        own = process(committed, tmp_path)
        first = keyring(own).newest
        await require_own_folder(own)
        async with committed.database.transaction() as session:
            await commands.rotate_key(session, own)
            await commands.retire_key(session, own, first.id)
        await require_own_folder(process(committed, tmp_path))
