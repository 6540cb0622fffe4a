"""Recognizes the data folder that belongs to the database: with other uploaded files or other keys, requests fail at random."""

from __future__ import annotations

import asyncio
import hmac
from pathlib import Path
from uuid import uuid4

from sqlalchemy import CheckConstraint
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Mapped, mapped_column

from fundwright.core.assembly import Core
from fundwright.core.database import Base
from fundwright.core.errors import StartRefused
from fundwright.core.files import start_errors
from fundwright.core.keys import lasting_key
from fundwright.core.scopes import installation


class Installation(Base):
    """The one row about this installation, with fingerprints of its data folder."""

    __tablename__ = "installation"
    __table_args__ = (CheckConstraint("id = 1", name="only"),)

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    files: Mapped[str]
    """The content of `files/id`, which is random."""
    keys: Mapped[str]
    """A digest with `keys/installation.key`, which no rotation replaces: it stands for all keys of its folder."""


async def require_own_folder(core: Core) -> None:
    """Record the data folder, if none is recorded. Raises StartRefused if another one is."""
    files, keys = await asyncio.to_thread(_fingerprints, core)
    first = insert(Installation).values(id=1, files=files, keys=keys).on_conflict_do_nothing()
    async with core.database.transaction(scope=installation("data folder")) as session:
        await session.execute(first)
        known = await session.get_one(Installation, 1)
    others = [name for name, is_own in (("files", known.files == files), ("keys", known.keys == keys)) if not is_own]
    if others:
        folders = " and ".join(f"{core.settings.data / name}" for name in others)
        raise StartRefused(
            f"The database belongs to another data folder: {folders} has not been used with it. Start with the folder of the other "
            "processes (FUNDWRIGHT_DATA or --data), which several machines share over the network. If you have restored or moved the "
            "folder, and it has all files and keys, run `fundwright accept-folder` once, and start again."
        )


async def accept_folder(core: Core) -> None:
    """Record the data folder as the one that belongs to the database."""
    files, keys = await asyncio.to_thread(_fingerprints, core)
    accepted = insert(Installation).values(id=1, files=files, keys=keys)
    async with core.database.transaction(scope=installation("data folder")) as session:
        await session.execute(accepted.on_conflict_do_update(index_elements=["id"], set_={"files": files, "keys": keys}))


def _fingerprints(core: Core) -> tuple[str, str]:
    path = core.settings.data / "files" / "id"
    with start_errors(core.settings.data):
        _create(path)
        files = path.read_text().strip()
    return files, hmac.digest(lasting_key(core, "installation.key"), b"fundwright installation", "sha256").hex()


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
