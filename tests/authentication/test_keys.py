from __future__ import annotations

import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import select

from fundwright.accounts.models import AuditEntry
from fundwright.accounts.schemas import Actor, Role
from fundwright.authentication import commands, second_factor, session_tokens
from fundwright.authentication import keyring as keyring_module
from fundwright.authentication.keyring import Keyring, keyring
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import Conflict, NotFound, StartRefused

ADA = Actor(id=uuid4(), email="ada@example.org", name="Ada", role=Role.USER)

# Another process of the same installation, which signs or reads one token per input line.
OTHER = """
import sys
from pathlib import Path
from fundwright.authentication.keyring import Keyring
ring = Keyring(Path(sys.argv[1]))
for line in sys.stdin:
    print(ring.newest.id if line.strip() == "sign" else ring.find(line.strip()) is not None, flush=True)
"""


def sign(core: Core) -> str:
    return session_tokens.sign(core, ADA, session_id=uuid4(), issued_at=now(), expires_at=now() + timedelta(hours=1))


async def rotate(core: Core) -> commands.KeyRead:
    async with core.database.transaction() as session:
        return await commands.rotate_key(session, core)


async def retire(core: Core, key_id: str) -> None:
    async with core.database.transaction() as session:
        await commands.retire_key(session, core, key_id)


class Process:
    def __init__(self, folder: Path) -> None:
        self.popen = subprocess.Popen(
            [sys.executable, "-c", OTHER, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, question: str) -> str:
        assert self.popen.stdin and self.popen.stdout
        self.popen.stdin.write(question + "\n")
        self.popen.stdin.flush()
        return self.popen.stdout.readline().strip()


@contextmanager
def other_process(folder: Path) -> Iterator[Process]:
    process = Process(folder)
    with process.popen:
        yield process
        process.popen.kill()


class TestKeyring:
    def test_the_first_key_is_kept_for_the_owner_s_eyes_only(self, tmp_path: Path) -> None:
        folder = tmp_path / "keys"
        first = Keyring(folder).newest
        assert [file.name for file in folder.iterdir()] == ["session.key"]
        assert stat.S_IMODE(first.path.stat().st_mode) == 0o600
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert Keyring(folder).newest == first

    def test_a_deleted_key_is_not_trusted_any_more(self, tmp_path: Path) -> None:
        ring = Keyring(tmp_path)
        first = ring.newest
        first.path.unlink()
        assert ring.find(first.id) is None
        assert ring.newest.id != first.id

    def test_another_process_notices_a_new_key_and_a_retired_one(self, tmp_path: Path) -> None:
        ring = Keyring(tmp_path)
        first = ring.newest
        with other_process(tmp_path) as other:
            assert other.ask("sign") == first.id
            second = ring.add()
            assert other.ask(second.id) == "True"
            assert other.ask("sign") == second.id
            assert other.ask(first.id) == "True"
            ring.remove(first)
            assert other.ask(first.id) == "False"

    @pytest.mark.slow
    def test_of_two_processes_at_the_first_start_both_have_the_same_key(self, tmp_path: Path) -> None:
        with other_process(tmp_path) as one, other_process(tmp_path) as two:
            assert one.ask("sign") == two.ask("sign")


class TestRotate:
    async def test_signs_with_a_new_key_and_signs_nobody_out(self, committed: Core) -> None:
        earlier = sign(committed)
        made = await rotate(committed)
        assert session_tokens.read(committed, earlier) is not None
        assert keyring(committed).newest.id == made.id
        assert session_tokens.read(committed, sign(committed)) is not None

    async def test_forgets_keys_whose_tokens_have_all_expired(self, committed: Core, monkeypatch: pytest.MonkeyPatch) -> None:
        first = keyring(committed).newest
        second = await rotate(committed)
        assert [key.id for key in commands.list_keys(committed)] == [first.id, second.id]
        later = now() + timedelta(days=5, minutes=1)
        for module in (commands, keyring_module):
            monkeypatch.setattr(module, "now", lambda: later)
        await rotate(committed)
        assert first.id not in [key.id for key in commands.list_keys(committed)]
        assert second.id in [key.id for key in commands.list_keys(committed)]

    @pytest.mark.security(45)
    async def test_is_recorded_without_the_key(self, committed: Core) -> None:
        made = await rotate(committed)
        async with committed.database.transaction() as session:
            (line,) = await session.scalars(select(AuditEntry))
        assert (line.action, line.subject) == ("signing_key.added", made.id)
        assert keyring(committed).newest.secret.hex() not in str(vars(line))


class TestRetire:
    async def test_refuses_what_the_key_has_signed(self, committed: Core) -> None:
        earlier, first = sign(committed), keyring(committed).newest
        await rotate(committed)
        later = sign(committed)
        await retire(committed, first.id)
        assert session_tokens.read(committed, earlier) is None
        assert session_tokens.read(committed, later) is not None

    async def test_keeps_the_key_that_signs(self, committed: Core) -> None:
        with pytest.raises(Conflict, match="keys rotate"):
            await retire(committed, keyring(committed).newest.id)
        with pytest.raises(NotFound):
            await retire(committed, "unknown")


class TestDamagedKeys:
    """A person who knows that a key is short could sign tokens for anyone."""

    @pytest.mark.parametrize("left", [b"", b"x" * 31])
    def test_sign_and_read_nothing(self, committed: Core, left: bytes) -> None:
        token = sign(committed)
        keyring(committed).newest.path.write_bytes(left)
        for _ in range(2):
            with pytest.raises(StartRefused, match=r"session\.key is damaged"):
                sign(committed)
            with pytest.raises(StartRefused, match=r"session\.key is damaged"):
                session_tokens.read(committed, token)

    def test_of_a_second_factor_make_no_codes(self, committed: Core) -> None:
        path = committed.settings.data / "keys" / "second_factor.key"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        with pytest.raises(StartRefused, match=r"second_factor\.key is damaged"):
            second_factor._authenticator_secret(committed, uuid4())
