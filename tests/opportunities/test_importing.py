import asyncio
import gzip
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock
from uuid import UUID

import psutil
import pytest
from sqlalchemy import select, text, update

from fundwright.accounts.schemas import Actor, Role, WorkspaceRole
from fundwright.categories import service as categories
from fundwright.categories.schemas import CategoryCreate
from fundwright.core import database_role, jobs
from fundwright.core.assembly import Core
from fundwright.core.database import Database
from fundwright.core.errors import Conflict, DatabaseAway, Invalid, NotAllowed, NotFound
from fundwright.core.jobs import Job, JobCanceled, JobRun, JobState
from fundwright.core.messages import using_language
from fundwright.core.paging import PageRequest
from fundwright.opportunities import importing, service
from fundwright.opportunities.reading import UnreadableFile
from fundwright.opportunities.sam import SamCsv
from fundwright.opportunities.schemas import ImportCounts, ImportQuery, ImportRunRead, ImportWarnings
from tests.notifications.test_service import titles
from tests.opportunities.conftest import ImportFile, listed, read_import, run_import
from tests.opportunities.files import nih_file, nih_row, notice_id, sam_file, sam_row
from tests.support.accounts import add_account, add_member
from tests.support.jobs import Trial, read, trial

Start = Callable[[bytes], Awaitable[tuple[ImportRunRead, Path]]]


def _kill_forks(*, is_reader: bool) -> None:
    """Kill the processes that fork the readers, or only the readers."""
    for forks_from in psutil.Process().children():
        with suppress(psutil.Error):  # others may end in the meantime
            if "fundwright.core.sandbox_forks" in forks_from.cmdline():
                for killed in forks_from.children() if is_reader else [forks_from]:
                    killed.kill()


def counts(report: ImportCounts) -> tuple[int, int, int, int]:
    return report.new, report.changed, report.unchanged, report.rejected


class TestImport:
    async def test_importing_twice_changes_nothing(self, import_file: ImportFile, committed: Core, member: Actor) -> None:
        content = sam_file(*(sam_row(NoticeId=notice_id(i), Title=f"Notice {i}") for i in range(5)))
        assert counts(await import_file(content)) == (5, 0, 0, 0)
        assert counts(await import_file(gzip.compress(content), name="again.gz")) == (0, 0, 5, 0)
        assert await titles(committed, member) == [f"The import of “{name}” is finished" for name in ("again.gz", "file")]

    async def test_statistics_are_refreshed_at_once(self, import_file: ImportFile, committed: Core) -> None:
        """Until the statistics are refreshed, PostgreSQL plans lists and searches for empty tables."""
        await import_file(sam_file(*(sam_row(NoticeId=notice_id(i)) for i in range(5))))
        async with committed.database.transaction() as session:
            known = await session.scalar(text("SELECT reltuples FROM pg_class WHERE relname = 'opportunity'"))
        assert known == 5

    async def test_searches_and_counts_are_fast_at_once(self, import_file: ImportFile, committed: Core) -> None:
        """Until the table is vacuumed, a search reads every new row, and a count looks up each row in addition to the index."""
        # It does not count the pages marked as all-visible, because a concurrent transaction may prevent marking them.
        vacuums = text("SELECT vacuum_count FROM pg_stat_user_tables WHERE relname = 'opportunity'")
        async with committed.database.transaction() as session:
            before = await session.scalar(vacuums)
        await import_file(sam_file(*(sam_row(NoticeId=notice_id(i)) for i in range(5))))
        async with committed.database.transaction() as session:
            assert await session.scalar(vacuums) == before + 1

    @pytest.mark.parametrize("is_vacuumed", [False, True])
    async def test_searches_are_fast_at_once_also_before_postgresql_17(
        self, import_file: ImportFile, committed: Core, monkeypatch: pytest.MonkeyPatch, is_vacuumed: bool
    ) -> None:
        """There, only the owner may vacuum, and its function empties the pending lists."""
        monkeypatch.setattr(database_role, "MAINTAIN_SINCE", 990_000)
        if not is_vacuumed:
            monkeypatch.setattr(Database, "vacuum", AsyncMock())
        await import_file(sam_file(*(sam_row(NoticeId=notice_id(i)) for i in range(5))))
        async with committed.database.transaction() as session:
            left = await session.scalar(text("SELECT empty_pending_lists('opportunity')"))
        assert (left == 0) == is_vacuumed

    async def test_a_changed_notice_becomes_a_new_version(self, import_file: ImportFile, committed: Core, member: Actor) -> None:
        await import_file(sam_file(sam_row(Description="Old text.", ResponseDeadLine="2027-01-01")))
        changed = sam_row(Description="New text.", ResponseDeadLine="2027-02-01", Title="Roof, amended")
        assert counts(await import_file(sam_file(changed))) == (0, 1, 0, 0)
        async with committed.database.transaction() as session:
            [row] = await listed(session, member)
            assert (row.title, row.version) == ("Roof, amended", 2)
            present, first = (await service.list_versions(session, member, row.id, PageRequest())).items
            assert (present.number, first.number) == (2, 1)
            assert first.changes == []
            assert {change.field: (change.before, change.after) for change in present.changes} == {
                "Title": ("Roof repair", "Roof, amended"),
                "ResponseDeadLine": ("2027-01-01", "2027-02-01"),
                "Description": ("Old text.", "New text."),
            }
            assert await listed(session, member, text="old") == []
            assert len(await listed(session, member, text="new amended")) == 1

    async def test_the_first_real_opportunities_replace_the_samples_of_their_kind(
        self, import_file: ImportFile, committed: Core, member: Actor
    ) -> None:
        async with committed.database.transaction() as session:
            await service.load_sample_once(session)
            [labeled, *_] = await listed(session, member, kind="contract")
            category = await categories.create(session, member, CategoryCreate(name="Mine"))
            await categories.accept(session, member, committed, labeled.id, category.id)
        assert (await import_file(sam_file(sam_row(NoticeId="")))).samples_removed == 0
        report = await import_file(sam_file(sam_row()))
        assert report.samples_removed == 30
        assert (await import_file(sam_file(sam_row()))).samples_removed == 0
        async with committed.database.transaction() as session:
            assert (await service.facets(session, member)).totals == {"contract": 1, "grant": 30}
            assert await categories.labels_of(session, member, [labeled.id]) == {}
            assert (await service.get_import(session, member, report.id)).samples_removed == 30

    async def test_an_import_before_samples_were_counted_removed_none(
        self, import_file: ImportFile, committed: Core, member: Actor
    ) -> None:
        report = await import_file(sam_file(sam_row()))
        async with committed.database.transaction() as session:
            await session.execute(update(Job).values(result={"run_id": str(report.id), "new": 1}))
            assert (await service.get_import(session, member, report.id)).samples_removed == 0

    async def test_an_import_before_warnings_were_kept_has_none(
        self, import_file: ImportFile, committed: Core, member: Actor
    ) -> None:
        report = await import_file(sam_file(sam_row(ResponseDeadLine="soon")))
        assert report.warnings.deadlines == 1
        async with committed.database.transaction() as session:
            await session.execute(update(Job).values(checkpoint={"items": 1, "is_read": True}))
            assert (await service.get_import(session, member, report.id)).warnings == ImportWarnings()

    async def test_unreadable_rows_are_reported_and_the_rest_is_imported(
        self, import_file: ImportFile, committed: Core, member: Actor
    ) -> None:
        report = await import_file(sam_file(sam_row(), sam_row(NoticeId="", Title="x"), "nothing\r\n"), name="mine.csv")
        assert counts(report) == (1, 0, 0, 2)
        assert [(r.line, r.column) for r in report.rejections] == [(3, "NoticeId"), (4, "2")]
        async with committed.database.transaction() as session:
            page = await service.list_rejections(session, member, report.id, PageRequest())
            assert page.total == 2
            lines = [line async for line in service.export_rejections(session, member, report.id)]
        assert lines[0] == "File,Line,Column,Reason\r\n"
        assert lines[1].startswith("mine.csv,3,NoticeId,")

    @pytest.mark.parametrize("column", ["Title", "Department/Ind.Agency", "Type", "Sol#"])
    async def test_a_field_that_swallowed_later_rows_is_reported_and_the_rest_is_imported(
        self, import_file: ImportFile, column: str
    ) -> None:
        rest = "".join(random.choices("abcdefghij é", k=30_000))  # random, so that compression does not shrink it
        broken, sound = sam_row(NoticeId=notice_id(1), **{column: rest}), sam_row(NoticeId=notice_id(2))
        report = await import_file(sam_file(broken, sound))
        assert counts(report) == (1, 0, 0, 1)
        assert "longer than 600 characters" in report.rejections[0].reason

    async def test_a_notice_repeated_in_one_file_is_imported_once(self, import_file: ImportFile) -> None:
        content = sam_file(sam_row(), sam_row(), sam_row(Title="Other content"))
        report = await import_file(content)
        assert counts(report) == (1, 0, 1, 1)
        assert report.rejections[0].line == 4
        assert counts(await import_file(content)) == (0, 0, 2, 1)

    @pytest.mark.parametrize("batch_rows", [1, 100])
    async def test_what_was_not_read_is_in_the_result_in_the_language_of_its_reader(
        self, import_file: ImportFile, committed: Core, member: Actor, monkeypatch: pytest.MonkeyPatch, batch_rows: int
    ) -> None:
        monkeypatch.setattr(importing, "BATCH_ROWS", batch_rows)
        rows = [
            sam_row(NoticeId="one", ResponseDeadLine="when ready"),
            sam_row(NoticeId="two", ResponseDeadLine="2026-03-23"),
            sam_row(NoticeId="one", ResponseDeadLine="when ready"),
            sam_row(NoticeId="two", ResponseDeadLine="see page 2"),
        ]
        content = sam_file(*rows, separator="\t").replace(b'"Description"', b'"Notes"')
        report = await import_file(content.replace(b'""\r\n', b'"ours"\r\n'))
        assert counts(report) == (2, 0, 1, 1)
        with using_language("de"):
            read = await read_import(committed, member, report.id)
            assert read.warnings.sentences() == [
                "3 Fristen sind kein Datum und blieben Text: Zeile 2 „when ready“, Zeile 4 „when ready“, Zeile 5 „see page 2“",
                "2 Zeilen wiederholen Ausschreibungen früherer Zeilen: one, two",
                "1 Spalte ist unbekannt und wurde nicht verwendet: „Notes“",
            ]
        async with committed.database.transaction() as session:
            lines = [line async for line in service.export_imports(session, member, committed, ImportQuery())]
        assert lines[0] == "Source,File,Started,Status,New,Changed,Unchanged,Rejected,Warnings,Error\r\n"
        assert "1 unrecognized column was ignored: “Notes”" in lines[1]

    async def test_only_the_first_deadlines_and_ids_are_listed(self, import_file: ImportFile) -> None:
        rows = [sam_row(NoticeId=notice_id(number), ResponseDeadLine="soon") for number in range(25)]
        warnings = (await import_file(sam_file(*rows, *rows))).warnings
        assert (warnings.deadlines, len(warnings.first_deadlines)) == (50, 20)
        assert (warnings.duplicates, warnings.duplicate_ids) == (25, [notice_id(number) for number in range(20)])
        assert all(sentence.endswith(" …") for sentence in warnings.sentences())

    async def test_a_notice_repeated_in_a_later_batch_is_imported_once(
        self, import_file: ImportFile, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(importing, "BATCH_ROWS", 1)
        content = sam_file(sam_row(), sam_row(), sam_row(Title="Other content"))
        assert counts(await import_file(content)) == (1, 0, 1, 1)
        assert counts(await import_file(content)) == (0, 0, 2, 1)

    async def test_a_damaged_gzip_file_keeps_what_was_read(self, import_file: ImportFile) -> None:
        import os

        rows = [sam_row(NoticeId=notice_id(i), Description=os.urandom(2_000).hex()) for i in range(300)]
        report = await import_file(gzip.compress(sam_file(*rows))[:-2_000])
        assert report.new > 200
        assert report.rejected == 1
        assert "ends unexpectedly" in report.rejections[0].reason

    @pytest.mark.parametrize(
        ("content", "reasons"),
        [
            (
                sam_file(
                    sam_row(), sam_row(Title="Other"), sam_row(NoticeId=notice_id(1), PostedDate="soon"),
                    sam_row(NoticeId=notice_id(2), Office="x" * 700), '"' + "y" * 2_000_001,
                ),
                {
                    f"Die Ausschreibung {'a' * 32} steht schon in einer früheren Zeile dieser Datei, mit anderem Inhalt.",
                    "„soon“ ist kein Datum.",
                    "Der Wert ist länger als 600 Zeichen. Fehlt ein Anführungszeichen?",
                    "Die Zeile kann nicht als CSV gelesen werden. Fehlt ein Anführungszeichen?",
                },
            ),
            (
                gzip.compress(sam_file(sam_row()))[:-4],
                {
                    "Die Datei endet hier unerwartet (die gepackte Datei ist beschädigt oder abgeschnitten). Die Zeilen davor wurden "
                    "gelesen.",
                },
            ),
        ],
        ids=["rows", "end"],
    )  # fmt: skip
    async def test_reasons_of_rejected_rows_are_in_the_language_of_their_reader(
        self, import_file: ImportFile, committed: Core, member: Actor, content: bytes, reasons: set[str]
    ) -> None:
        with using_language("fr"):
            report = await import_file(content)
        with using_language("de"):
            assert {row.reason for row in (await read_import(committed, member, report.id)).rejections} == reasons

    async def test_a_forecast_does_not_replace_what_was_posted(self, import_file: ImportFile) -> None:
        await import_file(nih_file(nih_row()), source="nih")
        assert counts(await import_file(nih_file(nih_row(status="forecasted")), source="nih")) == (0, 0, 1, 0)

    async def test_another_format_is_refused_with_a_message(self, import_file: ImportFile) -> None:
        with pytest.raises(UnreadableFile, match=r"SAM\.gov"):
            await import_file(b"a,b\n1,2\n")
        for source in ("sam", "grants", "nih"):
            with pytest.raises(UnreadableFile, match="empty"):
                await import_file(b"", source=source)

    async def test_text_with_tabs_backslashes_and_line_ends_arrives_as_it_is(
        self, import_file: ImportFile, committed: Core, member: Actor
    ) -> None:
        description = 'Tab\there, back\\slash, \\N, line\nend, "quote", {brace}, 100% :name'
        await import_file(sam_file(sam_row(Description=description)))
        async with committed.database.transaction() as session:
            [row] = await listed(session, member)
            assert (await service.get_opportunity(session, member, row.id)).description == description

    async def test_a_missing_file_is_refused(self, committed: Core, member: Actor, tmp_path: Path) -> None:
        with pytest.raises(NotFound):
            await run_import(committed, member, tmp_path / "absent", source="sam")

    async def test_an_unknown_source_is_refused(self, committed: Core, member: Actor) -> None:
        async with committed.database.transaction() as session:
            with pytest.raises(Invalid, match="no source named"):
                await service.prepare_import(session, member, committed, source="nothing", filename="x")

    async def test_a_viewer_may_not_import(self, committed: Core) -> None:
        async with committed.database.transaction() as session:
            viewer = await add_member(session, WorkspaceRole.VIEWER)
            with pytest.raises(NotAllowed, match="Your role in this workspace"):
                await service.prepare_import(session, viewer, committed, source="sam", filename="x")


class TestResume:
    async def test_a_stopped_import_continues_where_it_was(
        self, committed: Core, member: Actor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(importing, "BATCH_ROWS", 10)
        # So that only batches report progress, however long the machine takes to read one.
        monkeypatch.setattr(jobs, "_PATIENCE_S", None)
        path = tmp_path / "file.csv"
        rows = [sam_row(NoticeId=notice_id(i), ResponseDeadLine="later" if i % 16 == 0 else "") for i in range(35)]
        path.write_bytes(sam_file(*rows, "broken\r\n"))
        async with committed.database.transaction() as session:
            started = await service.prepare_import(session, member, committed, source="sam", filename="file.csv")
        reported: list[tuple[int, int]] = []

        async def handler(run: JobRun[Trial, None, importing.ImportCheckpoint]) -> None:
            async def stop_after_two(done: int, total: int | None = None, message: str | None = None) -> None:
                reported.append((run.checkpoint.get("items", 0), done))
                if len(reported) == 2:
                    raise RuntimeError("killed")

            monkeypatch.setattr(run, "progress", stop_after_two)
            with pytest.raises(RuntimeError):
                await importing.run_import(run, run_id=started.id, source=SamCsv(), path=path)
            assert (run.checkpoint.get("items"), run.checkpoint.get("bytes_read")) == (20, reported[1][1])
            monkeypatch.setattr(jobs, "_PATIENCE_S", 0.001)
            await importing.run_import(run, run_id=started.id, source=SamCsv(), path=path)

        committed.jobs.register(trial(handler))
        await committed.jobs.run_inline(Trial(), title="x", owner_id=member.id)
        report = await read_import(committed, member, started.id)
        assert counts(report) == (35, 0, 0, 1)
        assert list(dict.fromkeys(items for items, _ in reported)) == [10, 20, 30, 36]
        assert reported[2] == reported[1], "the progress goes on, too"
        assert [deadline.line for deadline in report.warnings.first_deadlines] == [2, 18, 34]

    @pytest.mark.parametrize("is_reader", [True, pytest.param(False, marks=pytest.mark.slow)])
    async def test_an_import_continues_when_its_reader_or_the_process_that_it_was_forked_from_is_killed(
        self, committed: Core, member: Actor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_reader: bool
    ) -> None:
        monkeypatch.setattr(importing, "BATCH_ROWS", 10)
        path = tmp_path / "71245b35"
        path.write_bytes(sam_file(*(sam_row(NoticeId=notice_id(i), Description="x" * 100_000) for i in range(60))))
        async with committed.database.transaction() as session:
            started = await service.prepare_import(session, member, committed, source="sam", filename="file.csv")
        names: list[str] = []
        stream = committed.sandbox.stream

        def noted(*work: Any, name: str, **options: Any) -> Any:
            names.append(name)
            return stream(*work, name=name, **options)

        async def handler(run: JobRun[Trial, None, importing.ImportCheckpoint]) -> None:
            async def kill_once(done: int, total: int | None = None, message: str | None = None) -> None:
                if run.checkpoint.get("items") == 10:
                    await asyncio.to_thread(partial(_kill_forks, is_reader=is_reader))

            monkeypatch.setattr(run, "progress", kill_once)
            await importing.run_import(run, run_id=started.id, source=SamCsv(), path=path)

        monkeypatch.setattr(committed.sandbox, "stream", noted)
        committed.jobs.register(trial(handler))
        await committed.jobs.run_inline(Trial(), title="x", owner_id=member.id)
        report = await read_import(committed, member, started.id)
        assert counts(report) == (60, 0, 0, 0)
        assert names == ["“file.csv”"]

    async def test_a_canceled_import_keeps_what_is_in(
        self, committed: Core, member: Actor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(importing, "BATCH_ROWS", 10)
        path = tmp_path / "file.csv"
        path.write_bytes(sam_file(*(sam_row(NoticeId=notice_id(i)) for i in range(35))))
        async with committed.database.transaction() as session:
            started = await service.prepare_import(session, member, committed, source="sam", filename="file.csv")

        async def handler(run: JobRun[Trial, None, importing.ImportCheckpoint]) -> None:
            async def canceled(done: int, total: int | None = None, message: str | None = None) -> None:
                if run.checkpoint:  # a reader that takes longer than a second is reported, too
                    raise JobCanceled

            monkeypatch.setattr(run, "progress", canceled)
            await importing.run_import(run, run_id=started.id, source=SamCsv(), path=path)

        committed.jobs.register(trial(handler))
        with pytest.raises(Conflict):
            await committed.jobs.run_inline(Trial(), title="x", owner_id=member.id)
        async with committed.database.transaction() as session:
            assert len(await listed(session, member)) == 10


class TestOwnership:
    @pytest.mark.security(40)
    async def test_an_import_is_seen_by_who_started_it_and_by_administrators(
        self, import_file: ImportFile, committed: Core
    ) -> None:
        report = await import_file(sam_file(sam_row(), "x\r\n"))
        async with committed.database.transaction() as session:
            stranger, admin = await add_account(session), await add_account(session, role=Role.ADMIN)
            with pytest.raises(NotFound):
                await service.get_import(session, stranger, report.id)
            with pytest.raises(NotFound):
                await service.list_rejections(session, stranger, report.id, PageRequest())
            assert (await service.list_imports(session, stranger, ImportQuery())).total == 0
            assert (await service.get_import(session, admin, report.id)).state == "succeeded"
            with pytest.raises(NotFound):
                await service.get_opportunity(session, stranger, UUID(int=0))


class TestRealFiles:
    @pytest.mark.slow
    async def test_every_published_file_is_imported(self, committed: Core, member: Actor, shared_data: Path) -> None:
        for source, name, new in (
            ("grants", "grants/GrantsDBExtract.xml.gz", 1_468),
            ("grants", "grants/simpler_grants_rows.jsonl", 214),
            ("nih", "nih/nih_posted.jsonl", 511),
        ):
            report, _ = await run_import(committed, member, shared_data / name, source=source)
            assert counts(report) == (new, 0, 0, 0)
            report, _ = await run_import(committed, member, shared_data / name, source=source)
            assert counts(report) == (0, 0, new, 0)
        async with committed.database.transaction() as session:
            assert await session.scalar(text("SELECT count(*) FROM opportunity_version WHERE raw IS NULL")) == 2_193


class TestUpload:
    """The fate of an uploaded file after the import."""

    @pytest.fixture
    def start(self, committed: Core, member: Actor) -> Start:
        async def pieces(content: bytes) -> AsyncIterator[bytes]:
            yield content

        async def start(content: bytes) -> tuple[ImportRunRead, Path]:
            upload = await committed.files.spool(pieces(content))
            async with committed.database.transaction() as session:
                run = await service.start_import(session, member, committed, source="sam", filename="x.csv", upload=upload)
            return run, committed.files.path(upload)

        return start

    async def test_its_job_has_a_title_in_the_language_of_the_reader(self, committed: Core, start: Start) -> None:
        run, _ = await start(sam_file(sam_row()))
        assert run.job_id is not None
        assert (await read(committed.jobs, run.job_id)).title == "SAM.gov contract opportunities: x.csv"
        with using_language("fr"):
            assert (await read(committed.jobs, run.job_id)).title == "Marchés de SAM.gov\xa0: x.csv"
            assert [source.label for source in service.list_sources(committed) if source.name == "sam"] == ["Marchés de SAM.gov"]

    async def test_is_removed_when_the_import_has_succeeded_though_it_runs_once_more(
        self, committed: Core, member: Actor, start: Start
    ) -> None:
        run, path = await start(sam_file(sam_row()))
        assert run.job_id is not None
        assert path.stat().st_mode & 0o077 == 0
        await committed.jobs._run(run.job_id, reraise=True)
        assert not path.exists()
        async with committed.database.transaction() as session:
            await session.execute(update(Job).values(state=JobState.RUNNING))
        await committed.jobs._run(run.job_id, reraise=True)
        async with committed.database.transaction() as session:
            again = await service.get_import(session, member, run.id)
        assert (again.state, again.new) == ("succeeded", 1)

    async def test_is_removed_when_the_import_has_failed(self, committed: Core, start: Start) -> None:
        run, path = await start(b"no,notices\n")
        assert run.job_id is not None
        with pytest.raises(UnreadableFile):
            await committed.jobs._run(run.job_id, reraise=True)
        assert not path.exists()

    async def test_is_removed_when_the_import_is_stopped_before_it_starts(
        self, committed: Core, member: Actor, start: Start
    ) -> None:
        run, path = await start(sam_file(sam_row()))
        async with committed.database.transaction() as session:
            canceled = await service.cancel_import(session, member, committed, run.id)
            assert path.exists()
        assert canceled.state == "canceled"
        assert not path.exists()

    async def test_stays_for_the_process_that_resumes_the_import(
        self, committed: Core, start: Start, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run, path = await start(sam_file(sam_row()))
        assert run.job_id is not None

        async def killed(*_: object, **__: object) -> None:
            raise asyncio.CancelledError

        with monkeypatch.context() as patched:
            patched.setattr(importing, "run_import", killed)
            with pytest.raises(asyncio.CancelledError):
                await committed.jobs._run(run.job_id, reraise=True)
        assert path.exists()
        await committed.jobs._run(run.job_id, reraise=True)
        assert not path.exists()

    async def test_stays_when_the_database_goes_away(
        self, committed: Core, start: Start, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run, path = await start(sam_file(sam_row()))
        assert run.job_id is not None

        async def without_database(*_: object, **__: object) -> None:
            raise DatabaseAway

        with monkeypatch.context() as patched:
            patched.setattr(importing, "run_import", without_database)
            with pytest.raises(DatabaseAway):
                await committed.jobs._run(run.job_id, reraise=True)
        assert path.exists()
        await committed.jobs._run(run.job_id, reraise=True)
        assert not path.exists()

    async def test_the_same_file_twice_at_once_is_two_files(self, committed: Core, member: Actor, start: Start) -> None:
        runs = [await start(sam_file(sam_row())) for _ in range(2)]
        await asyncio.gather(*(committed.jobs._run(run.job_id, reraise=True) for run, _ in runs if run.job_id))
        async with committed.database.transaction() as session:
            read = [await service.get_import(session, member, run.id) for run, _ in runs]
        assert sorted((run.state, run.new, run.unchanged) for run in read) == [("succeeded", 0, 1), ("succeeded", 1, 0)]


class TestStop:
    @pytest.mark.security(40)
    async def test_strangers_cannot_and_administrators_can(self, committed: Core, member: Actor, import_file: ImportFile) -> None:
        report = await import_file(sam_file(sam_row()))
        async with committed.database.transaction() as session:
            await session.execute(update(Job).values(state=JobState.RUNNING))
            stranger, admin = await add_account(session), await add_account(session, role=Role.ADMIN)
            with pytest.raises(NotFound):
                await service.cancel_import(session, stranger, committed, report.id)
            assert (await service.cancel_import(session, admin, committed, report.id)).state == "running"
            assert await session.scalar(select(Job.cancel_requested).where(Job.kind == "import"))

    async def test_an_import_that_is_over_is_refused(self, committed: Core, member: Actor, import_file: ImportFile) -> None:
        report = await import_file(sam_file(sam_row()))
        async with committed.database.transaction() as session:
            with pytest.raises(Conflict, match="already ended"):
                await service.cancel_import(session, member, committed, report.id)
