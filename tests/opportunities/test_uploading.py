"""Which notices an import may change. Opportunities are shared, so one account's file must not overwrite notices that others
rely on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from fundwright.accounts import repository as accounts_repository
from fundwright.accounts import service as accounts
from fundwright.accounts.schemas import Actor, Role
from fundwright.billing import service as billing
from fundwright.core.assembly import Core
from fundwright.core.paging import PageRequest
from fundwright.opportunities import service
from fundwright.opportunities.incoming import batch_of
from fundwright.opportunities.repository import runs, writing
from fundwright.opportunities.sam import SamCsv
from fundwright.opportunities.schemas import ImportCounts, ImportOpportunities, ImportReport, OpportunityRead
from tests.opportunities.conftest import Import, listed, read_import
from tests.opportunities.files import sam_file, sam_row
from tests.opportunities.test_service import notice
from tests.support.accounts import add_account

Upload = Callable[[Actor | None, bytes], Awaitable[Import | ImportReport]]

FORGED = "Send your bank details to win"


@pytest.fixture
async def people(committed: Core) -> dict[str, Actor]:
    async with committed.database.transaction() as session:
        return {
            "ada": await add_account(session),
            "bob": await add_account(session),
            "admin": await add_account(session, role=Role.ADMIN),
        }


@pytest.fixture
def upload(committed: Core, tmp_path: Path) -> Upload:
    """Imports a file for an account, or for the installation, as the command line and connectors do."""

    async def run(actor: Actor | None, content: bytes) -> Import | ImportReport:
        path = tmp_path / uuid4().hex
        path.write_bytes(content)
        async with committed.database.transaction() as session:
            if actor is None:
                started = await service.prepare_system_import(session, committed, source="sam", filename="file")
            else:
                started = await service.prepare_import(session, actor, committed, source="sam", filename="file")
        payload = ImportOpportunities(run_id=started.id, source="sam", path=path)
        await committed.jobs.run_inline(payload, title="test", owner_id=actor and actor.id)
        if actor is not None:
            return await read_import(committed, actor, started.id)
        async with committed.database.transaction() as session:
            return await service.report_system_import(session, started.id)

    return run


@pytest.fixture
def only(committed: Core, people: dict[str, Actor]) -> Callable[[], Awaitable[OpportunityRead]]:
    """The only opportunity."""

    async def read() -> OpportunityRead:
        async with committed.database.transaction() as session:
            (row,) = await listed(session, people["ada"])
            return await service.get_opportunity(session, people["ada"], row.id)

    return read


Only = Callable[[], Awaitable[OpportunityRead]]


def counts(report: ImportCounts) -> tuple[int, int, int, int]:
    return report.new, report.changed, report.unchanged, report.rejected


class TestAUser:
    @pytest.mark.security(40)
    @pytest.mark.parametrize("owner", ["bob", "admin", None])
    async def test_changes_no_notice_of_others(
        self, committed: Core, upload: Upload, people: dict[str, Actor], owner: str | None
    ) -> None:
        await upload(people[owner] if owner else None, sam_file(sam_row()))
        forged = sam_row(Title=FORGED, Description=FORGED)
        report = await upload(people["ada"], sam_file(forged, sam_row(NoticeId="b" * 32, Title="New")))
        assert counts(report) == (1, 0, 0, 1)
        (rejection,) = report.rejections
        assert (rejection.line, rejection.column) == (2, "")
        assert rejection.reason.startswith("The notice " + "a" * 32 + " already exists with different content")
        assert "Ask an administrator" in rejection.reason
        async with committed.database.transaction() as session:
            assert {row.title for row in await listed(session, people["ada"])} == {"Roof repair", "New"}

    async def test_leaves_a_refused_notice_exactly_as_it_was(
        self, committed: Core, upload: Upload, only: Only, people: dict[str, Actor]
    ) -> None:
        await upload(None, sam_file(sam_row()))
        before = await only()
        await upload(people["ada"], sam_file(sam_row(Title=FORGED)))
        assert await only() == before
        async with committed.database.transaction() as session:
            versions = await service.list_versions(session, people["ada"], before.id, PageRequest())
        assert versions.total == 1

    async def test_changes_what_the_same_account_has_uploaded(self, upload: Upload, only: Only, people: dict[str, Actor]) -> None:
        assert counts(await upload(people["ada"], sam_file(sam_row()))) == (1, 0, 0, 0)
        assert counts(await upload(people["ada"], sam_file(sam_row(Title="Amended")))) == (0, 1, 0, 0)
        assert (await only()).title == "Amended"

    async def test_may_bring_what_is_there_already(self, upload: Upload, people: dict[str, Actor]) -> None:
        await upload(None, sam_file(sam_row()))
        assert counts(await upload(people["ada"], sam_file(sam_row()))) == (0, 0, 1, 0)

    async def test_may_replace_a_sample(self, committed: Core, upload: Upload, people: dict[str, Actor]) -> None:
        async with committed.database.transaction() as session:
            await service.load_sample_once(session)
            sample, *_ = await listed(session, people["ada"], source=["sam"])
            notice = await service.get_opportunity(session, people["ada"], sample.id)
        report = await upload(people["ada"], sam_file(sam_row(NoticeId=notice.external_id, Title="Real")))
        assert counts(report) == (0, 1, 0, 0)
        async with committed.database.transaction() as session:
            (real,) = await listed(session, people["ada"], source=["sam"])
        assert real.title == "Real"


class TestTheInstallation:
    @pytest.mark.parametrize("importer", ["admin", None])
    async def test_changes_every_notice_and_keeps_it(
        self, upload: Upload, only: Only, people: dict[str, Actor], importer: str | None
    ) -> None:
        await upload(people["ada"], sam_file(sam_row(Title=FORGED)))
        published = sam_file(sam_row())
        assert counts(await upload(people[importer] if importer else None, published)) == (0, 1, 0, 0)
        assert counts(await upload(people["ada"], sam_file(sam_row(Title=FORGED)))) == (0, 0, 0, 1)
        assert (await only()).title == "Roof repair"

    async def test_keeps_a_notice_that_an_account_has_brought_unchanged(
        self, upload: Upload, only: Only, people: dict[str, Actor]
    ) -> None:
        await upload(people["ada"], sam_file(sam_row()))
        assert counts(await upload(None, sam_file(sam_row()))) == (0, 0, 1, 0)
        assert counts(await upload(people["ada"], sam_file(sam_row(Title=FORGED)))) == (0, 0, 0, 1)
        assert (await only()).title == "Roof repair"

    async def test_replaces_a_notice_by_the_forecast_that_its_source_publishes(
        self, committed: Core, people: dict[str, Actor]
    ) -> None:
        """A forecast does not replace a posted notice of the installation, but an account must not be able to block a
        forecast."""
        async with committed.database.transaction() as session:
            for uploader, status in ((people["ada"].id, "posted"), (None, "forecasted")):
                run = await runs.add_run(session, owner_id=uploader, source="sam", filename="file")
                batch = batch_of([notice(1, title=status, status=status)])
                counted = await writing.merge(session, batch, SamCsv(), run_id=run.id, uploader=uploader)
            (row,) = await listed(session, people["ada"])
        assert (counted.changed, row.title) == (1, "forecasted")

    @pytest.mark.security(42)
    async def test_keeps_the_text_of_a_refused_notice_whatever_a_reader_says(
        self, committed: Core, people: dict[str, Actor]
    ) -> None:
        """A compromised reader returns a row of the account's own notice in place of the refused one."""
        own, forged = notice(2), batch_of([notice(1, description=FORGED), notice(2, description=FORGED)])
        forged.rows[1] = f"0{forged.rows[1][1:]}"
        async with committed.database.transaction() as session:
            for who, batch in (("bob", batch_of([notice(1)])), ("ada", batch_of([own])), ("ada", forged)):
                run = await runs.add_run(session, owner_id=people[who].id, source="sam", filename="file")
                await writing.merge(session, batch, SamCsv(), run_id=run.id, uploader=people[who].id)
            found = [
                await service.get_opportunity(session, people["ada"], row.id) for row in await listed(session, people["ada"])
            ]
        assert FORGED not in [each.description for each in found]

    async def test_keeps_what_a_deleted_account_has_uploaded(
        self, committed: Core, upload: Upload, only: Only, people: dict[str, Actor]
    ) -> None:
        await upload(people["bob"], sam_file(sam_row()))
        async with committed.database.transaction() as session:
            await accounts_repository.delete_account(session, await accounts.get_account_by_id(session, people["bob"].id))
        assert counts(await upload(people["ada"], sam_file(sam_row(Title=FORGED)))) == (0, 0, 0, 1)
        assert counts(await upload(people["admin"], sam_file(sam_row(Title="Amended")))) == (0, 1, 0, 0)
        assert (await only()).title == "Amended"


async def test_what_waits_to_be_imported_is_limited_in_bytes(committed: Core, people: dict[str, Actor]) -> None:
    core = replace(committed, settings=committed.settings.model_copy(update={"account_bytes": 5_000}))

    async def start(who: str, size_bytes: int) -> str:
        async def content() -> AsyncIterator[bytes]:
            yield b"x" * size_bytes

        upload = await core.files.spool(content())
        async with core.database.transaction() as session:
            await service.start_import(session, people[who], core, source="sam", filename="file", upload=upload)
        return upload

    first = await start("ada", 6_000)
    with pytest.raises(billing.QuotaSpent, match=r"use 6 kB of your limit of 5 kB, and this file is 1 kB\."):
        await start("ada", 1)
    assert [path.name for path in (core.settings.data / "files").glob("??/*")] == [first]
    await start("bob", 1)
    for _ in range(2):
        await start("admin", 4_000)
