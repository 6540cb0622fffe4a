from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from threading import Event
from types import SimpleNamespace

import httpx
import psycopg
import pytest
from fastapi import FastAPI
from sqlalchemy import text

from fundwright.core import health
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.database_role import SERVING_ROLE
from fundwright.core.mail import Mail, MailKind, MailState
from fundwright.core.web import add_error_handlers
from tests.support.databases import as_superuser
from tests.support.polling import eventually
from tests.support.slow_queries import Gate


async def test_a_database_that_accepts_connections_but_does_not_respond_is_unavailable(
    core: Core, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "_PATIENCE_S", 0.05)
    gate = Gate(core.database)
    app = FastAPI()
    app.state.core = replace(core, database=gate)
    app.include_router(health.router)
    add_error_handlers(app)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://fundwright.test") as client:
        gate.close_gate()
        async with asyncio.timeout(10):
            answer = await client.get("/api/health")
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "DatabaseAway")
        gate.open_gate()
        monkeypatch.undo()
        assert (await client.get("/api/health")).json() == {"status": "ok"}


async def ask(core: Core, address: str) -> httpx.Response:
    app = FastAPI()
    app.state.core = core
    app.include_router(health.router)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://fundwright.test") as client:
        return await client.get(address)


class TestReadiness:
    async def test_is_given_with_a_worker_and_a_database_that_accepts_changes(self, committed: Core) -> None:
        waits = await ask(replace(committed, cache={}), "/readyz")
        assert (waits.status_code, waits.json()["checks"].pop("workers")) == (503, "no heartbeat of a worker for a minute")
        assert (await ask(replace(committed, cache={}), "/readyz?exclude=workers")).status_code == 200
        async with committed.database.transaction() as session:
            await session.execute(text("INSERT INTO procrastinate_workers DEFAULT VALUES"))
        ready = await ask(replace(committed, cache={}), "/readyz")
        assert (ready.status_code, set(ready.json()["checks"].values())) == (200, {"ok"})

    @pytest.mark.parametrize(
        ("name", "value", "check"),
        [
            ("_LEAST_FREE_BYTES", 10**18, "disk"),
            ("_WRITE", "BEGIN READ ONLY; CREATE TABLE x ()", "database"),
            ("_PATIENCE_S", 0, "database"),
            ("NEWEST", "9999", "schema"),
        ],
    )
    async def test_is_not_given(
        self, committed: Core, monkeypatch: pytest.MonkeyPatch, name: str, value: object, check: str
    ) -> None:
        monkeypatch.setattr(health, name, value)
        answer = await ask(replace(committed, cache={}), "/readyz")
        assert answer.status_code == 503 and answer.json()["checks"][check] != "ok"

    async def test_is_not_given_while_the_server_cannot_write_a_new_file(self, committed: Core) -> None:
        """The write-ahead log has room on a full disk, too."""
        own = committed.database.url.partition("@/")[2].partition("?")[0]
        limit = f"ALTER ROLE {SERVING_ROLE} IN DATABASE {own}"
        with psycopg.connect(as_superuser(committed.database.url), autocommit=True) as connection:
            connection.execute(f"{limit} SET temp_file_limit = '1MB'".encode())
            try:
                answer = await ask(replace(committed, cache={}), "/readyz")
            finally:
                connection.execute(f"{limit} RESET temp_file_limit".encode())
        assert answer.json()["checks"]["database"] != "ok"

    async def test_names_all_that_fails(self, committed: Core, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(health, "_LEAST_FREE_BYTES", 10**18)
        monkeypatch.setattr(health, "_FILL", "DO $$BEGIN RAISE disk_full; END$$")
        checks = (await ask(replace(committed, cache={}), "/readyz")).json()["checks"]
        assert checks == {"database": "its disk is full", "disk": "less than 200 MB are free"}
        monkeypatch.setattr(health, "_PATIENCE_S", 0)
        checks = (await ask(replace(committed, cache={}), "/readyz")).json()["checks"]
        assert checks.keys() == {"database", "disk"} and "ok" not in checks.values()

    @pytest.mark.parametrize(
        ("error", "is_ready"),
        [
            ("", False),
            ("Connection refused", False),
            ("421 Too many connections", False),
            ("454 Temporary authentication failure", False),
            ("535 Wrong password", False),
            ("450 This person gets no email at the moment", True),
            ("451 Try again in an hour", True),
        ],
    )
    async def test_of_a_mail_server_that_does_not_accept_emails(self, committed: Core, error: str, is_ready: bool) -> None:
        """It may put off the emails to an address that anyone can enter."""
        async with committed.database.transaction() as session:
            old = now() - timedelta(hours=1)
            session.add(
                Mail(
                    kind=MailKind.OTHER,
                    recipient="",
                    subject="",
                    text="",
                    html="",
                    language="en",
                    state=MailState.WAITING,
                    created_at=old,
                    tries=bool(error),
                    error=error,
                )
            )
        answer = await ask(replace(committed, cache={}), "/readyz")
        assert answer.json()["checks"]["mail"] == ("ok" if is_ready else "an email has waited for more than 15 minutes")

    async def test_is_checked_once_in_a_while(self, committed: Core, monkeypatch: pytest.MonkeyPatch) -> None:
        asked: list[int] = []

        async def count(_core: Core) -> dict[str, str]:
            asked.append(1)
            return {}

        monkeypatch.setattr(health, "_ask_database", count)
        core = replace(committed, cache={})
        await asyncio.gather(*(ask(core, "/readyz") for _ in range(10)))
        assert len(asked) == 1

    async def test_is_given_again_once_the_data_folder_is_back(
        self, committed: Core, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(health, "_READINESS_LASTS_S", 0)
        folder = tmp_path / "mounted"
        core = replace(committed, cache={}, settings=committed.settings.model_copy(update={"data": folder}))
        lost = await ask(core, "/readyz?exclude=workers")
        assert (lost.status_code, lost.json()["checks"]["disk"]) == (503, "the data folder cannot be read")
        folder.mkdir()
        assert (await ask(core, "/readyz?exclude=workers")).status_code == 200

    async def test_is_refused_while_the_data_folder_does_not_answer(
        self, committed: Core, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        answers, asked = Event(), list[Path]()

        def freeze(folder: Path) -> SimpleNamespace:
            asked.append(folder)
            answers.wait(20)
            return SimpleNamespace(free=10**12)

        monkeypatch.setattr(health, "_READINESS_LASTS_S", 0)
        monkeypatch.setattr(health, "_PATIENCE_S", 1)
        monkeypatch.setattr(health.shutil, "disk_usage", freeze)
        core = replace(committed, cache={})
        for _ in range(2):
            frozen = await ask(core, "/readyz?exclude=workers")
            assert frozen.json()["checks"] | {"database": "ok"} == {
                "database": "ok", "schema": "ok", "mail": "ok", "disk": "the data folder did not answer in 3 seconds"
            }  # fmt: skip
        assert len(asked) == 1
        answers.set()
        await eventually(lambda: core.shared(f"{health.__name__}.readiness", object).measuring.done())
        assert (await ask(core, "/readyz?exclude=workers")).status_code == 200

    async def test_does_not_matter_for_being_alive(self, committed: Core) -> None:
        gate = Gate(committed.database)
        gate.close_gate()
        assert (await ask(replace(committed, database=gate), "/healthz")).json() == {"status": "ok"}
