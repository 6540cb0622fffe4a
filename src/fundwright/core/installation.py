"""Recognizes the data folder that belongs to the database: with other uploaded files or other keys, requests fail at random."""

from __future__ import annotations

import asyncio
import hmac
from pathlib import Path
from uuid import uuid4

from sqlalchemy import CheckConstraint, String, literal, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from fundwright.core.assembly import Core
from fundwright.core.database import Base
from fundwright.core.errors import StartRefused
from fundwright.core.files import start_errors
from fundwright.core.json_values import JsonObject
from fundwright.core.keys import lasting_key, read_key
from fundwright.core.scopes import installation


class Installation(Base):
    """The one row about this installation, with fingerprints of its data folder."""

    __tablename__ = "installation"
    __table_args__ = (CheckConstraint("id = 1", name="only"),)

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    files: Mapped[str]
    """The content of `files/id`, which is random."""
    keys: Mapped[str]
    """A digest with `keys/installation.key`, which no rotation replaces: it stands for its folder."""
    key_digests: Mapped[JsonObject] = mapped_column(server_default="{}")
    """A digest with each key that a process has found at its start, by the name of its file."""


async def require_own_folder(core: Core) -> None:
    """Record the data folder and its keys, if they are not recorded. Raises StartRefused if others are."""
    files, keys = await asyncio.to_thread(_fingerprints, core)
    first = insert(Installation).values(id=1, files=files, keys=keys).on_conflict_do_nothing()
    async with core.database.transaction(scope=installation("data folder")) as session:
        await session.execute(first)
        known = await session.get_one(Installation, 1, with_for_update=True)  # no key is retired meanwhile
        others = [name for name, is_own in (("files", known.files == files), ("keys", known.keys == keys)) if not is_own]
        if others:
            folders = " and ".join(f"{core.settings.data / name}" for name in others)
            raise StartRefused(
                f"The database belongs to another data folder: {folders} has not been used with it. Start with the folder of the other "
                "processes (FUNDWRIGHT_DATA or --data), which several machines share over the network. If you have restored or moved the "
                "folder, and it has all files and keys, run `fundwright accept-folder` once, and start again."
            )
        digests = await asyncio.to_thread(_key_digests, core)
        if replaced := sorted(name for name, digest in known.key_digests.items() if digests.get(name) != digest):
            raise StartRefused(
                f"Keys of the data folder are missing or were replaced: {', '.join(replaced)} in {core.settings.data / 'keys'}. Restore them "
                "from a backup of the folder. If you have removed or replaced them on purpose, run `fundwright accept-folder` once, and "
                "start again."
            )
        known.key_digests = digests


async def accept_folder(core: Core) -> None:
    """Record the data folder and its keys as those that belong to the database."""
    files, keys = await asyncio.to_thread(_fingerprints, core)
    values = {"files": files, "keys": keys, "key_digests": await asyncio.to_thread(_key_digests, core)}
    accepted = insert(Installation).values(id=1, **values)
    async with core.database.transaction(scope=installation("data folder")) as session:
        await session.execute(accepted.on_conflict_do_update(index_elements=["id"], set_=values))


async def forget_key(session: AsyncSession, name: str) -> None:
    """Call it before the file of a key is removed. Processes start without it once the transaction is committed."""
    await session.execute(update(Installation).values(key_digests=Installation.key_digests.op("-")(literal(name, String))))


def _fingerprints(core: Core) -> tuple[str, str]:
    path = core.settings.data / "files" / "id"
    with start_errors(core.settings.data):
        _create(path)
        files = path.read_text().strip()
    return files, _digest(lasting_key(core, "installation.key"))


def _key_digests(core: Core) -> JsonObject:
    with start_errors(core.settings.data):
        return {path.name: _digest(read_key(path)) for path in sorted((core.settings.data / "keys").glob("*.key"))}


def _digest(key: bytes) -> str:
    return hmac.digest(key, b"fundwright installation", "sha256").hex()


def _create(path: Path) -> None:
    """Unless another process does it first."""
    if path.exists():
        return
    new = path.with_name(f"id-{uuid4().hex}")
    new.write_text(uuid4().hex)
    try:
        path.hardlink_to(new)
    except FileExistsError:
        pass
    finally:
        new.unlink()
