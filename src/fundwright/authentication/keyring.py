"""The signing keys of session tokens: files in the data folder that only the owner can read.

The newest key signs. The others remain valid until the last token that they signed has expired, or until they are retired. Every
process checks the folder before it uses a key, so a new key needs no restart.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.keys import create_key, read_key

_FIRST = "session.key"
_LATER = "session-%Y%m%dT%H%M%S%fZ.key"


Files = tuple[tuple[str, int], ...]
"""Names and times: names alone show an added or retired key, however close together the changes were."""


@dataclass(frozen=True)
class SigningKey:
    id: str
    secret: bytes
    path: Path
    made_at: datetime


class Keyring:
    """The keys of one data folder, oldest first. There is always one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen: Files = ()
        self._keys: list[SigningKey] = []

    @property
    def keys(self) -> list[SigningKey]:
        if not self._seen or self._seen != _files(self._folder):
            self._read()
        return self._keys

    @property
    def newest(self) -> SigningKey:
        return self.keys[-1]

    def find(self, key_id: str) -> SigningKey | None:
        return next((key for key in self.keys if key.id == key_id), None)

    def add(self) -> SigningKey:
        """Create the key that signs from now on."""
        self._read()  # the first key comes first
        create_key(self._folder / now().strftime(_LATER))
        self._read()
        return self._keys[-1]

    def remove(self, key: SigningKey) -> None:
        key.path.unlink(missing_ok=True)
        self._read()

    def _read(self) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _paths(self._folder):
            create_key(self._folder / _FIRST)
        seen, keys = _files(self._folder), list[SigningKey]()
        for path in _paths(self._folder):
            with suppress(FileNotFoundError):  # retired this moment
                keys.append(_key(path))
        self._seen, self._keys = seen, keys


def keyring(core: Core) -> Keyring:
    return core.shared(__name__, lambda: Keyring(core.settings.data / "keys"))


def _paths(folder: Path) -> list[Path]:
    paths = [path for path in folder.iterdir() if path.name.startswith("session") and path.suffix == ".key"]
    return sorted(paths, key=lambda path: (path.name != _FIRST, path.name))


def _files(folder: Path) -> Files:
    with suppress(FileNotFoundError):  # a file that was retired this moment, or no folder yet
        return tuple((path.name, path.stat().st_mtime_ns) for path in _paths(folder))
    return ()


def _key(path: Path) -> SigningKey:
    secret = read_key(path)
    made_at = (
        datetime.fromtimestamp(path.stat().st_mtime, UTC)
        if path.name == _FIRST
        else datetime.strptime(path.name, _LATER).replace(tzinfo=UTC)
    )
    return SigningKey(id=hashlib.sha256(secret).hexdigest()[:12], secret=secret, path=path, made_at=made_at)
