"""Keys in the data folder, readable only by the owner."""

from __future__ import annotations

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path

from fundwright.core.assembly import Core
from fundwright.core.errors import StartRefused

_KEY_BYTES = 32


def lasting_key(core: Core, name: str) -> bytes:
    """A separate key for data that a change of keys would invalidate. Created on first use."""
    path = core.settings.data / "keys" / name

    def create() -> bytes:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            create_key(path)
        return read_key(path)

    return core.shared(name, create)


def check_keys(data: Path) -> None:
    """Refuse to start a server whose data folder has a damaged key. Raises StartRefused."""
    for path in sorted((data / "keys").glob("*.key")):
        with suppress(FileNotFoundError):  # retired this moment
            read_key(path)


def read_key(path: Path) -> bytes:
    """Raises StartRefused if the file is truncated, for example by a full disk: with the rest of the key, anyone could forge
    a token."""
    secret = path.read_bytes()
    if len(secret) < _KEY_BYTES:
        raise StartRefused(
            f"The key file {path} is damaged: it has fewer than {_KEY_BYTES} bytes. Restore it from a backup of the data folder. If there is "
            "none, remove the file, run `fundwright accept-folder`, and Fundwright makes a new key. A new session*.key ends every session. With a new second_factor.key, "
            "authenticator apps no longer work, and everyone has to set up two-step verification again."
        )
    return secret


def create_key(path: Path) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent)  # mode 0600
    with os.fdopen(handle, "wb") as file:
        file.write(secrets.token_bytes(_KEY_BYTES))
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(name, path)  # fails if another process was first: then its key applies
    except FileExistsError:
        pass
    finally:
        Path(name).unlink()
