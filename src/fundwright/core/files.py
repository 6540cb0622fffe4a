"""The data folder, and the uploaded files kept in it by the SHA-256 of their content."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import hashlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import AsyncIterable, Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import BinaryIO, ParamSpec
from uuid import uuid4

from pydantic import BaseModel, ConfigDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.database import acquire_lock, call_after_commit
from fundwright.core.errors import DiskFull, Invalid, StartRefused
from fundwright.core.messages import t

P = ParamSpec("P")

_THREADS = 4
_FULL = (errno.ENOSPC, errno.EDQUOT)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_INCOMING = "incoming-"
_UNUSED_AFTER_S = 24 * 60 * 60
_ABANDONED_AFTER_S = 10 * 60
"""After the last write. A file that is still being received is locked, however long its sender pauses."""
_OWN_NAME = re.compile("[0-9a-f]{32}|[0-9a-f]{64}")
_MAX_NAME_CHARACTERS = 200
_DERIVED = "derived"
_MOST_DERIVED_BYTES = 1_000_000_000
_PRUNED_AFTER = 0.05
"""What is kept is listed after so much of the maximum was added, because listing takes long if there are many small files."""
_MAX_SUFFIX_CHARACTERS = 20
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(name: str) -> str:
    """Make a file name or path safe to show and store. Names on disk are bytes: they may contain line breaks, control
    characters for the terminal, characters that reverse the text after them, and bytes that are not UTF-8, which Python turns
    into lone surrogates."""
    return _UNPRINTABLE.sub("\ufffd", name)


def file_name(path: str) -> str:
    """The last part of a path, printable and at most 200 characters long. Shortening keeps the suffix."""
    name = printable(path).replace("\\", "/").rstrip("/").rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    if len(name) > _MAX_NAME_CHARACTERS and stem and len(suffix) < _MAX_SUFFIX_CHARACTERS:
        return stem[: _MAX_NAME_CHARACTERS - len(dot + suffix)] + dot + suffix
    return name[:_MAX_NAME_CHARACTERS] or "document"


@contextmanager
def start_errors(folder: Path) -> Iterator[None]:
    """Turn errors of the data folder at startup into StartRefused."""
    try:
        with disk_errors(folder):
            yield
    except DiskFull as error:
        raise StartRefused(
            f"The disk that holds {folder} is full. Free at least 200 MB or choose another folder with --data."
        ) from error
    except OSError as error:
        raise StartRefused(
            f"The data folder {folder} cannot be used: {error.strerror}. Choose another one with --data."
        ) from error


def use_temporary_folder(data: Path) -> None:
    """Keep temporary files in the data folder if there is no other place for them, as in a container whose file system is read-only."""
    try:
        tempfile.gettempdir()
    except FileNotFoundError:
        folder = data / "tmp"
        with start_errors(data):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.environ["TMPDIR"] = str(folder)  # also for child processes


@contextmanager
def disk_errors(folder: Path) -> Iterator[None]:
    """Turn the error of a full disk into DiskFull."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise DiskFull(folder) from error
        raise


def _sync(file: BinaryIO) -> None:
    """Acknowledged files must survive a crash of the machine, like the content of the database."""
    file.flush()
    os.fsync(file.fileno())


def _sync_folders(*folders: Path) -> None:
    """The same for the names of new files, which are part of their folders."""
    for folder in folders:
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


async def lock_file(session: AsyncSession, name: str, *, to_remove: bool = False) -> None:
    """Keep others from removing the file until the transaction ends. With `to_remove`, keep them from using it.

    Without the lock, one process could find no users of a file and delete it just after another process has added it.
    """
    await acquire_lock(session, f"content:{name}", is_shared=not to_remove)


class ReceivedFile(BaseModel):
    """A file that has arrived completely and is not yet stored: `FileStore.keep` or `discard` it."""

    model_config = ConfigDict(frozen=True)

    path: Path
    sha256: str
    size_bytes: int


def _content_of(path: Path) -> bytes | None:
    with suppress(FileNotFoundError):
        return path.read_bytes()
    return None


class FileStore:
    def __init__(self, folder: Path, *, max_bytes: int) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        self._added_bytes = 0
        self._threads = ThreadPoolExecutor(_THREADS, "files")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    async def receive(self, chunks: AsyncIterable[bytes]) -> ReceivedFile:
        """Write a stream to disk without holding it in memory. Raises Invalid if it is larger than allowed, or DiskFull."""
        await self._write(self.remove_abandoned)
        path = self._folder / f"{_INCOMING}{uuid4().hex}"
        digest, size_bytes = hashlib.sha256(), 0
        try:
            with disk_errors(self._folder), os.fdopen(os.open(path, _NEW, mode=0o600), "wb") as target:
                fcntl.flock(target, fcntl.LOCK_EX)

                def take(chunk: bytes) -> None:
                    digest.update(chunk)
                    target.write(chunk)

                async for chunk in chunks:
                    size_bytes += len(chunk)
                    if size_bytes > self._max_bytes:
                        raise Invalid(
                            t(
                                "The file is larger than {size} bytes. Split it, or raise FUNDWRIGHT_MAX_UPLOAD_BYTES.",
                                size=self._max_bytes,
                            )
                        )
                    await self._write(take, chunk)
                await self._write(_sync, target)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return ReceivedFile(path=path, sha256=digest.hexdigest(), size_bytes=size_bytes)

    async def keep(self, received: ReceivedFile) -> None:
        """Put the file where `path` finds it by its digest. Equal files share this place, so the caller must hold `lock_file`
        until it is recorded that the file is used."""
        await self._write(self._place, received, received.sha256)

    async def spool(self, chunks: AsyncIterable[bytes]) -> str:
        """Receive a file for one job to read and `remove`, and return its new name; equal files do not share it."""
        received = await self.receive(chunks)
        name = uuid4().hex
        try:
            await self._write(self._place, received, name)
        finally:
            self.discard(received)
        return name

    def discard(self, received: ReceivedFile) -> None:
        """Remove the file unless it has been kept."""
        received.path.unlink(missing_ok=True)

    def _place(self, received: ReceivedFile, name: str) -> None:
        path = self.path(name)
        with disk_errors(self._folder):
            path.parent.mkdir(exist_ok=True)
            received.path.replace(path)
            _sync_folders(path.parent, self._folder)

    async def _write(self, work: Callable[P, object], *arguments: P.args, **options: P.kwargs) -> None:
        """Write in a thread of this store, so that uploads neither wait for other work in threads nor hold it up."""
        await asyncio.get_running_loop().run_in_executor(self._threads, partial(work, *arguments, **options))

    def remove_abandoned(self) -> None:
        """Remove what killed processes have left behind during uploads."""
        for path in self._folder.glob(f"{_INCOMING}*"):
            with suppress(FileNotFoundError, BlockingIOError):
                if time.time() - path.stat().st_mtime > _ABANDONED_AFTER_S:
                    with path.open("r+b") as file:  # NFS gives exclusive locks only to those who may write
                        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    path.unlink()

    def list_old(self) -> list[str]:
        """Names of files that have been here for more than a day, except those with names that packages have chosen themselves."""
        names: list[str] = []
        for path in self._folder.glob("??/*"):
            with suppress(FileNotFoundError):
                if _OWN_NAME.fullmatch(path.name) and time.time() - path.stat().st_mtime > _UNUSED_AFTER_S:
                    names.append(path.name)
        return names

    def path(self, name: str) -> Path:
        """The path of the file with this digest, or with this name of a spooled one."""
        return self._folder / name[:2] / name

    def size_of(self, names: Iterable[str]) -> int:
        """The total size of those files that exist."""
        size_bytes = 0
        for name in names:
            with suppress(FileNotFoundError):
                size_bytes += self.path(name).stat().st_size
        return size_bytes

    def remove(self, name: str) -> None:
        """Remove the file and what was derived from it."""
        self.path(name).unlink(missing_ok=True)
        self._threads.submit(shutil.rmtree, self._derived(name), ignore_errors=True)

    async def find_derived(self, name: str, part: str) -> bytes | None:
        """What was derived from a file, such as a picture of a page, if it is kept."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, _content_of, self._derived(name) / part)

    async def keep_derived(self, name: str, part: str, content: bytes) -> None:
        """Keep what was derived from a file until the file is removed, or until there is too much. It can be derived again, so that
        a full disk does no harm."""
        with suppress(OSError):
            await self._write(self._add_derived, name, part, content)

    def _derived(self, name: str) -> Path:
        return self._folder / _DERIVED / name

    def _add_derived(self, name: str, part: str, content: bytes) -> None:
        folder = self._derived(name)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        unfinished = folder / f"{_INCOMING}{uuid4().hex}"
        try:
            unfinished.write_bytes(content)
            unfinished.replace(folder / part)
        finally:
            unfinished.unlink(missing_ok=True)
        if not self.path(name).is_file():  # it was removed meanwhile
            shutil.rmtree(folder, ignore_errors=True)
        self._added_bytes += len(content)
        if self._added_bytes > _MOST_DERIVED_BYTES * _PRUNED_AFTER:
            self._added_bytes = 0
            self.prune_derived()

    def prune_derived(self) -> None:
        """Remove what was derived from files that are gone, and if there is too much, the oldest until half as much as allowed is left."""
        for folder in (self._folder / _DERIVED).glob("*"):
            if not self.path(folder.name).is_file():
                shutil.rmtree(folder, ignore_errors=True)
        found = list[tuple[float, int, Path]]()
        for path in (self._folder / _DERIVED).glob("*/*"):
            with suppress(FileNotFoundError):
                status = path.stat()
                found.append((status.st_mtime, status.st_size, path))
        size_bytes = sum(size for _, size, _ in found)
        if size_bytes > _MOST_DERIVED_BYTES:
            for _, size, path in sorted(found):
                if size_bytes <= _MOST_DERIVED_BYTES / 2:
                    break
                path.unlink(missing_ok=True)
                size_bytes -= size

    def remove_after_commit(self, session: AsyncSession, name: str) -> None:
        """Remove the file after the transaction that forgets it has committed."""
        call_after_commit(session, partial(self.remove, name))
