"""Functions that violate a limit of the sandbox are stopped."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, aclosing, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from uuid import uuid4

import psutil
import pytest

from fundwright.core import sandbox_limits
from fundwright.core.errors import Invalid
from fundwright.core.messages import using_language
from fundwright.core.sandbox import Limits, Sandbox
from fundwright.core.scopes import Scope, acting_in
from tests.core import sandboxed
from tests.support.polling import eventually

pytestmark = pytest.mark.security(42)

LIMITS = Limits(error=Invalid, silent_seconds=30, total_seconds=60, memory_bytes=300_000_000, output_bytes=2_000_000)


@pytest.fixture
async def sandbox(tmp_path: Path) -> AsyncIterator[Sandbox]:
    opened = Sandbox(tmp_path / "data")
    yield opened
    await opened.close()


async def run(sandbox: Sandbox, function: partial[Iterator[bytes]], *readable: Path, limits: Limits = LIMITS) -> list[bytes]:
    return await sandbox.run(function, limits=limits, name="“a.pdf”", readable=readable)


class TestResults:
    async def test_arrive_one_by_one(self, sandbox: Sandbox) -> None:
        contents = [b"", b"one", b"two" * 300_000, b"\x00\xff"]
        assert await run(sandbox, partial(sandboxed.echo, *contents)) == contents

    async def test_an_error_message_is_in_the_language_of_the_caller(self, sandbox: Sandbox) -> None:
        with using_language("de"), pytest.raises(Invalid) as raised:
            await run(sandbox, partial(sandboxed.refuse))
        assert raised.value.sentence == "Die Datei ist leer. Wählen Sie eine andere."

    async def test_an_unexpected_error_does_not_reach_people(self, sandbox: Sandbox) -> None:
        with pytest.raises(Invalid) as raised:
            await run(sandbox, partial(sandboxed.fail))
        assert raised.value.sentence == "The reader crashed on “a.pdf”. Save the file again or in another format, and try again."


class TestTime:
    async def test_a_function_that_holds_the_interpreter_is_killed(self, sandbox: Sandbox) -> None:
        with pytest.raises(Invalid, match="Reading “a.pdf” took too long. Use a smaller"):
            await run(sandbox, partial(sandboxed.loop_with_the_interpreter_locked), limits=replace(LIMITS, silent_seconds=2))

    async def test_the_event_loop_continues_meanwhile(self, sandbox: Sandbox) -> None:
        looping = partial(sandboxed.loop_with_the_interpreter_locked)
        async with aclosing(sandbox.stream(looping, limits=replace(LIMITS, silent_seconds=600), name="a")) as results:
            assert await anext(results) == b"before"
            waiting = asyncio.ensure_future(anext(results))
            for _ in range(5):
                assert await run(sandbox, partial(sandboxed.echo, b"other")) == [b"other"]
            assert waiting.cancel(), "it ended meanwhile"
            await asyncio.wait([waiting])

    async def test_results_now_and_then_do_not_extend_the_total(self, sandbox: Sandbox) -> None:
        with pytest.raises(Invalid, match="took too long"):
            await run(sandbox, partial(sandboxed.drip), limits=replace(LIMITS, total_seconds=2))

    async def test_others_have_their_turn_between_two_results(self, sandbox: Sandbox) -> None:
        turns = 0

        async def count() -> None:
            nonlocal turns
            while True:
                await asyncio.sleep(0)
                turns += 1

        counting = asyncio.create_task(count())
        many = partial(sandboxed.give_many, 20_000, b"")
        async with aclosing(sandbox.stream(many, limits=replace(LIMITS, output_bytes=10**9), name="a")) as results:
            assert await anext(results) == b""
            turns = 0
            assert [result async for result in results] == [b""] * 19_999
        counting.cancel()
        assert turns >= 19_999

    @pytest.mark.slow
    async def test_progress_is_awaited_like_a_result(self, sandbox: Sandbox) -> None:
        working = partial(sandboxed.work_in_steps, 6)
        assert await run(sandbox, working, limits=replace(LIMITS, silent_seconds=3)) == [b"done"]
        with pytest.raises(Invalid, match="took too long"):
            await run(sandbox, working, limits=replace(LIMITS, total_seconds=3))

    async def test_a_child_that_has_run_for_a_while_leaves_the_processor_to_younger_ones(self, sandbox: Sandbox) -> None:
        async with aclosing(sandbox.stream(partial(sandboxed.spin_after_own_pid), limits=LIMITS, name="a")) as results:
            child = psutil.Process(int(await anext(results)))
            own = psutil.Process().nice()
            assert child.nice() == min(own + 10, 19), "after the server"
            await eventually(lambda: child.nice() == 19)


class TestTurns:
    @pytest.mark.security(53)
    async def test_two_accounts_that_hold_their_share_leave_room_for_a_third(self, sandbox: Sandbox) -> None:
        async with AsyncExitStack() as stack, asyncio.timeout(20):
            for account in (uuid4(), uuid4()):
                with acting_in(Scope(account_id=account)):
                    for _ in range(LIMITS.at_once_each):
                        stream = sandbox.stream(partial(sandboxed.own_pid), limits=LIMITS, name="a")
                        await anext(await stack.enter_async_context(aclosing(stream)))
                    for _ in range(LIMITS.at_once):  # these would take all slots
                        further = asyncio.ensure_future(run(sandbox, partial(sandboxed.own_pid)))
                        stack.callback(further.cancel)
            with acting_in(Scope(account_id=uuid4())):
                assert await run(sandbox, partial(sandboxed.echo, b"small")) == [b"small"]
            assert not further.done()


class TestMemory:
    @pytest.mark.parametrize("function", [sandboxed.allocate, sandboxed.allocate_and_hide_it])
    async def test_more_than_the_limit_is_refused(self, sandbox: Sandbox, function: Callable[..., Iterator[bytes]]) -> None:
        with pytest.raises(Invalid, match="needed more than 300 MB of memory. Use a smaller"):
            await run(sandbox, partial(function, 4_000_000_000))

    async def test_less_than_the_limit_is_not(self, sandbox: Sandbox) -> None:
        assert await run(sandbox, partial(sandboxed.allocate, 200_000_000)) == [b"200000000"]


class TestOutput:
    @pytest.mark.parametrize(
        "function",
        [
            partial(sandboxed.give_much, 3_000_000),
            partial(sandboxed.give_many, 300_000, b"12345678"),
            partial(sandboxed.give_many, 300_000, b""),
        ],
    )
    async def test_more_than_the_limit_is_refused(self, sandbox: Sandbox, function: partial[Iterator[bytes]]) -> None:
        with pytest.raises(Invalid, match="produced more than 2 MB. Use a smaller"):
            await run(sandbox, function)

    async def test_what_is_printed_goes_nowhere(self, sandbox: Sandbox, capfd: pytest.CaptureFixture[str]) -> None:
        assert await run(sandbox, partial(sandboxed.print_much)) == [b"printed"]
        captured = capfd.readouterr()
        assert "xxx" not in captured.out + captured.err


class TestCrash:
    @pytest.mark.parametrize("function", [sandboxed.crash, sandboxed.leave])
    async def test_is_a_sentence_and_the_next_call_works(
        self, sandbox: Sandbox, function: Callable[..., Iterator[bytes]]
    ) -> None:
        with pytest.raises(Invalid, match="The reader crashed on “a.pdf”"):
            await run(sandbox, partial(function))
        assert await run(sandbox, partial(sandboxed.echo, b"next")) == [b"next"]

    async def test_of_the_process_it_forks_from_is_repaired(self, sandbox: Sandbox) -> None:
        async with aclosing(sandbox.stream(partial(sandboxed.own_pid), limits=LIMITS, name="“a.pdf”")) as results:
            forks_from = psutil.Process(int(await anext(results))).parent()
            assert forks_from
            forks_from.kill()
            with pytest.raises(Invalid, match="Reading “a.pdf” was interrupted. Try again."):
                await anext(results)
        assert await run(sandbox, partial(sandboxed.echo, b"next")) == [b"next"]

    @pytest.mark.parametrize("is_child", [False, True])
    async def test_of_a_child_or_the_process_it_forks_from_lets_it_continue(self, sandbox: Sandbox, is_child: bool) -> None:
        read: list[str] = []

        def rest() -> partial[Iterator[bytes]]:
            return partial(sandboxed.count_from, len(read))

        async with aclosing(sandbox.stream(rest(), limits=LIMITS, name="“a.pdf”", go_on=rest)) as results:
            async for result in results:
                number, process_id = result.decode().split()
                read.append(number)
                if number in ("0", "2"):
                    child = psutil.Process(int(process_id))
                    killed = child if is_child else child.parent()
                    assert killed
                    killed.kill()
        assert read == ["0", "1", "2", "3", "4"]

    @pytest.mark.slow
    async def test_of_the_process_it_forks_from_lets_it_read_again(self, sandbox: Sandbox, tmp_path: Path) -> None:
        busy = tmp_path / "busy"
        busy.touch()
        reading = asyncio.create_task(run(sandbox, partial(sandboxed.hold_while_there, busy), busy))
        first, _ = await eventually(lambda: holding(busy))
        first.kill()
        await eventually(lambda: holding(busy, besides=first))
        busy.unlink()
        assert await reading == [b"held"]

    @pytest.mark.parametrize(
        ("is_child", "problem"), [(False, "was interrupted"), (True, "perhaps because the server ran out of memory")]
    )
    @pytest.mark.slow
    async def test_of_a_child_or_the_process_it_forks_from_lets_it_read_no_third_time(
        self, sandbox: Sandbox, tmp_path: Path, is_child: bool, problem: str
    ) -> None:
        busy = tmp_path / "busy"
        busy.touch()
        reading = asyncio.create_task(run(sandbox, partial(sandboxed.hold_while_there, busy), busy))
        first = (await eventually(lambda: holding(busy)))[is_child]
        first.kill()
        second = (await eventually(lambda: holding(busy, besides=first)))[is_child]
        second.kill()
        with pytest.raises(Invalid, match=problem):
            await reading

    async def test_of_a_child_that_says_it_has_ended_and_has_not(self, sandbox: Sandbox) -> None:
        with pytest.raises(Invalid, match="took too long"):
            await run(sandbox, partial(sandboxed.fall_silent), limits=replace(LIMITS, silent_seconds=2))

    async def test_of_a_child_that_is_stopped_lets_it_continue_in_another(self, sandbox: Sandbox) -> None:
        """The file is not to blame."""
        read: list[str] = []

        def rest() -> partial[Iterator[bytes]]:
            return partial(sandboxed.count_from, len(read))

        limits = replace(LIMITS, silent_seconds=2)
        async with aclosing(sandbox.stream(rest(), limits=limits, name="“a.pdf”", go_on=rest)) as results:
            async for result in results:
                number, process_id = result.decode().split()
                read.append(number)
                if number in ("0", "2"):
                    psutil.Process(int(process_id)).suspend()
        assert read == ["0", "1", "2", "3", "4"]
        async with aclosing(sandbox.stream(partial(sandboxed.spin_after_own_pid), limits=limits, name="“a.pdf”")) as results:
            psutil.Process(int(await anext(results))).suspend()
            with pytest.raises(Invalid, match="Reading “a.pdf” was interrupted. Try again."):
                await anext(results)

    async def test_a_process_to_fork_from_that_imports_for_long_is_waited_for(
        self, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("fundwright.core.sandbox._ANSWER_S", 0.5)
        limits = replace(LIMITS, modules=("docling.backend.msword_backend",))
        assert await sandbox.run(partial(sandboxed.parents_pid), limits=limits, name="“a.pdf”")

    @pytest.mark.slow
    async def test_a_process_to_fork_from_that_does_not_answer_is_replaced(
        self, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("fundwright.core.sandbox._ANSWER_S", 5)
        (pid,) = await run(sandbox, partial(sandboxed.parents_pid))
        stopped = psutil.Process(int(pid))
        stopped.suspend()
        assert await run(sandbox, partial(sandboxed.echo, b"next")) == [b"next"]
        assert not stopped.is_running()


def holding(path: Path, *, besides: psutil.Process | None = None) -> tuple[psutil.Process, psutil.Process] | None:
    """The sandboxed process that has this file open, and its parent. Ignores `besides`."""
    for forks_from in psutil.Process().children():
        with suppress(psutil.Error):
            for child in forks_from.children():
                if besides not in (forks_from, child) and any(opened.path == str(path) for opened in child.open_files()):
                    return forks_from, child
    return None


class TestConfinement:
    @pytest.mark.skipif(bool(sandbox_limits.missing()), reason="this kernel lacks Landlock or seccomp")
    async def test_no_network_no_writing_no_processes_no_other_files(self, sandbox: Sandbox, tmp_path: Path) -> None:
        (tmp_path / "files").mkdir()
        (tmp_path / "files" / "existing").write_bytes(b"kept")
        secret = tmp_path / "keys" / "session"
        secret.parent.mkdir()
        secret.write_bytes(b"secret")
        async with await asyncio.start_server(lambda *_: None, "127.0.0.1") as server:
            work = partial(sandboxed.try_everything, server.sockets[0].getsockname()[1], tmp_path / "files", secret)
            assert await run(sandbox, work, tmp_path / "files" / "existing") == []
        assert [path.read_bytes() for path in (tmp_path / "files").iterdir()] == [b"kept"]

    @pytest.mark.skipif(bool(sandbox_limits.missing()), reason="this kernel lacks Landlock or seccomp")
    @pytest.mark.parametrize("modules", [".", "data", "data/keys"])
    async def test_no_keys_although_modules_are_in_folders_around_them(
        self, sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, modules: str
    ) -> None:
        secret = tmp_path / "data" / "keys" / "session"
        secret.parent.mkdir(parents=True)
        secret.write_bytes(b"secret")
        monkeypatch.syspath_prepend(tmp_path / modules)
        with pytest.raises(Invalid, match="The reader crashed"):
            await run(sandbox, partial(sandboxed.read_file, secret))

    @pytest.mark.skipif(bool(sandbox_limits.missing()), reason="this kernel lacks Landlock or seccomp")
    async def test_no_signals(self, sandbox: Sandbox) -> None:
        assert await run(sandbox, partial(sandboxed.try_signals, os.getpid())) == []

    @pytest.mark.skipif(bool(sandbox_limits.missing()), reason="this kernel lacks Landlock or seccomp")
    async def test_no_way_to_other_processes(self, sandbox: Sandbox, tmp_path: Path) -> None:
        assert await run(sandbox, partial(sandboxed.try_to_reach, os.getpid(), tmp_path)) == []

    @pytest.mark.skipif(bool(sandbox_limits.missing()), reason="this kernel lacks Landlock or seccomp")
    @pytest.mark.parametrize("is_link", [False, True])
    async def test_no_keys_in_the_folder_of_python(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_link: bool) -> None:
        python = tmp_path / "python"
        files = [python / "share" / "data" / "key", python / "share" / "file", python / "file"]
        for file in files:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
        (tmp_path / "link").symlink_to(python / "share" / "data")
        (tmp_path / "modules").mkdir()
        (tmp_path / "modules" / "installed_elsewhere.py").write_text(f"import sys\nsys.prefix = {str(python)!r}\n")
        monkeypatch.syspath_prepend(tmp_path / "modules")
        sandbox = Sandbox(tmp_path / "link" if is_link else python / "share" / "data")
        limits = replace(LIMITS, modules=("installed_elsewhere",))
        try:
            readable = await run(sandbox, partial(sandboxed.readable_of, *files), limits=limits)
        finally:
            await sandbox.close()
        assert readable == [bytes(file) for file in files[1:]]

    @pytest.mark.skipif(bool(sandbox_limits.missing()), reason="this kernel lacks Landlock or seccomp")
    async def test_no_changes_by_newer_system_calls(self, sandbox: Sandbox) -> None:
        assert await run(sandbox, partial(sandboxed.call_newer_system_calls)) == []

    def test_all_of_it_works_outside(self, tmp_path: Path) -> None:
        (tmp_path / "existing").write_bytes(b"")
        with socket.create_server(("127.0.0.1", 0)) as server:
            actions = list(sandboxed.try_everything(server.getsockname()[1], tmp_path, tmp_path / "new"))
        assert len(actions) == 16

    async def test_reads_the_file_that_it_was_given(self, sandbox: Sandbox, tmp_path: Path) -> None:
        (tmp_path / "a.pdf").write_bytes(b"content")
        assert await run(sandbox, partial(sandboxed.read_file, tmp_path / "a.pdf"), tmp_path / "a.pdf") == [b"content"]

    async def test_paths_are_relative_to_the_folder_of_the_server(
        self, sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        Path("a.pdf").write_bytes(b"content")
        assert await run(sandbox, partial(sandboxed.read_file, Path("a.pdf")), Path("a.pdf")) == [b"content"]

    async def test_the_environment_of_the_server_is_not_there(self, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("DATABASE_URL", "postgresql://fundwright:secret@db/fundwright")
        assert await run(sandbox, partial(sandboxed.environment)) == [
            b"PYTHONPATH\nLANG\nOPENBLAS_NUM_THREADS\nORT_DISABLE_TELEMETRY\nTOKENIZERS_PARALLELISM"
        ]


class TestEnd:
    async def test_cancellation_kills_the_child(self, sandbox: Sandbox) -> None:
        async with aclosing(sandbox.stream(partial(sandboxed.own_pid), limits=LIMITS, name="a")) as results:
            pid = int(await anext(results))
            waiting = asyncio.ensure_future(anext(results))
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.wait([waiting])
        await eventually(lambda: not psutil.pid_exists(pid))

    @pytest.mark.slow
    async def test_of_a_child_that_is_abandoned_at_the_same_moment_does_not_end_the_others(
        self, sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        begun, go_on = tmp_path / "begun", tmp_path / "go_on"
        (tmp_path / "imported_slowly.py").write_text(
            f"import pathlib, time\npathlib.Path({str(begun)!r}).touch()\n"
            f"while not pathlib.Path({str(go_on)!r}).exists():\n    time.sleep(0.01)\n"
        )
        monkeypatch.syspath_prepend(tmp_path)
        async with aclosing(sandbox.stream(partial(sandboxed.own_pid), limits=LIMITS, name="a")) as results:
            child = psutil.Process(int(await anext(results)))
            forks_from = child.parent()
            assert forks_from
            # The parent process is busy until both have happened, and then first detects that the child has ended.
            slow = replace(LIMITS, modules=("imported_slowly",))
            other = asyncio.create_task(run(sandbox, partial(sandboxed.echo, b"other"), limits=slow))
            await eventually(begun.exists)
            child.kill()
            await eventually(lambda: child.status() == psutil.STATUS_ZOMBIE)
        go_on.touch()
        assert await other == [b"other"]
        assert await run(sandbox, partial(sandboxed.echo, b"next")) == [b"next"]
        assert forks_from.is_running()

    async def test_closing_the_sandbox_kills_the_children(self, sandbox: Sandbox) -> None:
        async with aclosing(sandbox.stream(partial(sandboxed.own_pid), limits=LIMITS, name="a")) as results:
            pid = int(await anext(results))
            await sandbox.close()
            await eventually(lambda: not psutil.pid_exists(pid))

    @pytest.mark.slow
    async def test_children_die_with_the_server(self) -> None:
        script = (
            "import asyncio; from functools import partial; from pathlib import Path; from tests.core import sandboxed, test_sandbox as t\n"
            "async def main():\n"
            "    async for pid in t.Sandbox(Path('data')).stream(partial(sandboxed.own_pid), limits=t.LIMITS, name='a'):\n"
            "        print(pid.decode(), flush=True)\n"
            "asyncio.run(main())"
        )
        server = await asyncio.create_subprocess_exec(sys.executable, "-c", script, stdout=subprocess.PIPE)
        assert server.stdout
        pid = int(await server.stdout.readline())
        server.kill()
        await server.wait()
        await eventually(lambda: not psutil.pid_exists(pid))

    async def test_calls_beyond_the_limit_wait_for_their_turn(self, sandbox: Sandbox) -> None:
        limits = replace(LIMITS, at_once=1)
        async with aclosing(sandbox.stream(partial(sandboxed.own_pid), limits=limits, name="a")) as results:
            await anext(results)
            second = asyncio.create_task(run(sandbox, partial(sandboxed.echo, b"second"), limits=limits))
            assert not (await asyncio.wait([second], timeout=0.5))[0]
        assert await second == [b"second"]
