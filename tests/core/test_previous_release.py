"""The web process and the worker of the previous release go on while the next one migrates the database and runs beside them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest

from fundwright.core.assembly import Core
from fundwright.core.jobs import JobState
from fundwright.core.migrations import revisions
from fundwright.generation import service as generation
from fundwright.opportunities import service as opportunities
from tests.core.test_killed import once, read
from tests.core.test_migrations import set_back
from tests.opportunities.files import sam_file, sam_row
from tests.support.accounts import add_account
from tests.support.databases import as_owner, environment_of
from tests.support.polling import eventually
from tests.support.programs import add_token
from tests.support.python_path import python_path
from tests.support.requirements import missing

_COMMIT, _SCHEMA = "82a8aa2b", "0081"
"""The previous release. Each release changes it."""
_ROOT = Path(__file__).parents[2]
_NEXT_SCHEMA = revisions()[-1]
_LIMIT_S = 300

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def previous(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source of the previous release, from the history of the repository."""
    packed = subprocess.run(["git", "archive", _COMMIT, "src", "components"], cwd=_ROOT, capture_output=True, check=False)
    if packed.returncode:
        missing(f"The commit of the previous release, {_COMMIT}, is missing: git fetch --unshallow")
    folder = tmp_path_factory.mktemp("previous")
    subprocess.run(["tar", "-x"], cwd=folder, input=packed.stdout, check=True)
    return folder


@contextmanager
def running(core: Core, *arguments: str, source: Path, output: Path) -> Iterator[subprocess.Popen[bytes]]:
    url = core.settings.database_url
    assert url is not None
    variables = {
        **os.environ,
        # The previous release serves as the owner.
        **(environment_of(url.get_secret_value()) if source == _ROOT else {"DATABASE_URL": as_owner(url.get_secret_value())}),
        "FUNDWRIGHT_MODELS": str(core.settings.models),
        "FUNDWRIGHT_WEB_DIST": str(core.settings.web_dist),
        **python_path(source / "src", source / "components"),
    }
    with output.open("wb") as file:
        command = [sys.executable, "-m", "fundwright", "--data", str(core.settings.data), *arguments]
        process = subprocess.Popen(command, env=variables, stdout=file, stderr=file)
        try:
            yield process
        finally:
            process.terminate()
            process.wait(timeout=_LIMIT_S)


async def line(output: Path, beginning: str) -> str:
    def look() -> str | None:
        return next((each for each in output.read_text().splitlines() if each.startswith(beginning)), None)

    return await eventually(look, within_s=_LIMIT_S)


async def ended(core: Core, job_id: str) -> JobState:
    async def look() -> JobState | None:
        job = await read(core, UUID(job_id))
        return job.state if job.state.is_over else None

    return await eventually(look, within_s=_LIMIT_S)


async def answer(client: httpx.AsyncClient, method: str, path: str, **given: Any) -> Any:
    response = await client.request(method, path, **given)
    assert response.status_code < 300, (path, response.status_code, response.text)
    return response.json()


@pytest.fixture
async def set_back_core(committed: Core) -> Core:
    url = committed.settings.database_url
    assert url is not None
    await committed.database.close()
    await set_back(url.get_secret_value(), to=_SCHEMA)
    return committed


async def test_works_on_the_next_schema(set_back_core: Core, previous: Path, tmp_path: Path) -> None:
    core = set_back_core
    web, worker, migrated = (tmp_path / name for name in ("web.log", "worker.log", "migrate.log"))
    with (
        running(core, "serve", "--no-worker", "--port", "0", source=previous, output=web),
        running(core, "worker", source=previous, output=worker),
    ):
        address = (await line(web, "Fundwright is at ")).split()[-1]
        await line(worker, "Running jobs")
        with running(core, "migrate", source=_ROOT, output=migrated):
            assert await line(migrated, "The database has") == f"The database has the schema {_NEXT_SCHEMA}."
        async with core.database.transaction() as session:
            owner = await add_account(session)
        headers = await add_token(core, owner)
        upload = await core.files.spool(once(sam_file(sam_row())))
        async with core.database.transaction() as session:  # asked for in the new release, done by the worker of the previous one
            run = await opportunities.start_import(session, owner, core, source="sam", filename="sam.csv", upload=upload)
        assert await ended(core, str(run.job_id)) == JobState.SUCCEEDED
        async with httpx.AsyncClient(base_url=address, headers=headers, timeout=30) as client:
            text = "Our crew of twelve repaired forty roofs in Austin in 2021. We hold a license for roofing."
            await answer(client, "POST", "/api/training/texts", json={"title": "Roofs", "text": text})
            trained = await answer(client, "POST", "/api/training/runs", json={})
            assert await ended(core, trained["job_id"]) == JobState.SUCCEEDED
            (found,) = (await answer(client, "GET", "/api/opportunities"))["items"]
            draft = await answer(
                client, "POST", "/api/drafts", json={"opportunity_id": found["id"], "template": "capability-statement"}
            )

            async def end_of(draft_id: object) -> str | None:
                state = (await answer(client, "GET", f"/api/drafts/{draft_id}"))["state"]
                return state if state in ("finished", "failed", "canceled") else None

            assert await eventually(partial(end_of, draft["id"]), within_s=_LIMIT_S) == "finished"
            with running(core, "worker", source=_ROOT, output=tmp_path / "next.log"):
                await line(tmp_path / "next.log", "Running jobs")
                async with core.database.transaction() as session:  # requested in the new release, whichever worker takes it
                    requested = await generation.start_draft(
                        session, owner, core, opportunity_id=UUID(found["id"]), template="capability-statement"
                    )
                assert await eventually(partial(end_of, requested.id), within_s=_LIMIT_S) == "finished"
            for path in (
                f"/api/drafts/{draft['id']}",
                "/api/drafts",
                "/api/training/documents",
                "/api/training/runs",
                "/api/health",
            ):
                await answer(client, "GET", path)
    assert "Traceback" not in web.read_text() + worker.read_text()
