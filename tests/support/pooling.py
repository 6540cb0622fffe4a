"""PgBouncer in front of the test server, for tests that run through a pooler, too. Without it, they are skipped, or fail in `make soak`."""

from __future__ import annotations

import shutil
import socket
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from psycopg.conninfo import conninfo_to_dict

from fundwright.core.assembly import Core
from fundwright.core.database import Database
from fundwright.core.database_role import ROLE, SERVING_ROLE
from fundwright.core.postgres import _server_account
from tests.support.requirements import missing

_PATIENCE_S = 30
_CONFIGURATION = """
[databases]
* = host={host}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = trust
auth_file = {folder}/users
pool_mode = {mode}
default_pool_size = {size}
max_client_conn = 200
query_wait_timeout = 20
"""


@contextmanager
def pooled(url: str, *, size: int, mode: Literal["transaction", "statement", "session"] = "transaction") -> Iterator[str]:
    """Yields the address of PgBouncer with `size` connections to the server of `url`."""
    program = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
    if program is None:
        missing("PgBouncer is missing: apt-get install pgbouncer")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    address, account = conninfo_to_dict(url), _server_account()
    with tempfile.TemporaryDirectory(prefix="fundwright-pooler-") as name:
        folder = Path(name)
        (folder / "users").write_text(f'"{SERVING_ROLE}" ""\n"{ROLE}" ""\n')
        configuration = folder / "pgbouncer.ini"
        configuration.write_text(_CONFIGURATION.format(host=address["host"], port=port, folder=folder, mode=mode, size=size))
        command = [program, configuration]
        if account is not None:  # we are root, as whom PgBouncer does not run
            for path in (folder, *folder.iterdir()):
                shutil.chown(path, account.pw_uid, account.pw_gid)
            command[1:1] = ["-u", account.pw_name]
        with (folder / "log").open("w") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            while not _is_listening(port):
                with suppress(subprocess.TimeoutExpired):
                    process.wait(0.02)
                assert process.returncode is None, (folder / "log").read_text()
            yield f"postgresql://{address['user']}@127.0.0.1:{port}/{address['dbname']}"
        finally:
            process.terminate()
            process.wait(_PATIENCE_S)


@asynccontextmanager
async def behind_a_pooler(core: Core, *, size: int = 2) -> AsyncIterator[Core]:
    """The core, whose transactions share `size` connections to the server."""
    with pooled(core.database.url, size=size) as url, pytest.MonkeyPatch.context() as patch:
        database = Database(url, direct_url=core.database.url)
        pooled_core = replace(core, database=database)
        patch.setattr(core.jobs, "database", database)
        patch.setattr(core.jobs, "services", pooled_core)
        yield pooled_core
        await database.close()


def _is_listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
