"""Saves the data that a fixture commits when it first runs, and restores them for later tests instead of running the fixture
again."""

from __future__ import annotations

import shutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from psycopg.conninfo import conninfo_to_dict

from fundwright.core.assembly import Core
from tests.support.databases import Content, Databases

T = TypeVar("T")


@dataclass(frozen=True)
class _Snapshot:
    returned: Any
    rows: Content
    files: Path


class Snapshots:
    """`folder` is for copies of stored files."""

    def __init__(self, databases: Databases, folder: Path) -> None:
        self._databases, self._folder = databases, folder
        self._kept: dict[str, _Snapshot] = {}

    async def of(self, core: Core, make: Callable[[Core], Awaitable[T]]) -> T:
        """Return the result of `make`, and put the database and the files of `core` into the state after it. `make` runs only
        once."""
        name = f"{make.__module__}.{make.__qualname__}"
        database, files = str(conninfo_to_dict(core.database.url)["dbname"]), core.settings.data / "files"
        kept = self._kept.get(name)
        if kept is None:
            returned = await make(core)
            copy = shutil.copytree(files, self._folder / str(len(self._kept)))
            self._kept[name] = _Snapshot(returned, self._databases.read(database), copy)
            return returned
        self._databases.write(database, kept.rows)
        shutil.rmtree(files, ignore_errors=True)
        shutil.copytree(kept.files, files)
        return kept.returned
