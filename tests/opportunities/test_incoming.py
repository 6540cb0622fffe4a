import gzip
import io
import os
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import pytest

from fundwright.accounts.schemas import Actor
from fundwright.core import jobs
from fundwright.core.assembly import Core
from fundwright.core.errors import Conflict
from fundwright.core.jobs import JobCanceled, JobRun
from fundwright.opportunities import importing, incoming, service
from fundwright.opportunities.grants import GrantsGov
from fundwright.opportunities.incoming import Batch, Incoming, batch_of
from fundwright.opportunities.reading import UnreadableFile
from fundwright.opportunities.sam import SamCsv
from fundwright.opportunities.schemas import Kind
from fundwright.opportunities.sources import ParsedNotice, RejectedRow
from tests.opportunities.conftest import ImportFile, listed
from tests.opportunities.files import grants_file, grants_row, nih_file, nih_row, notice_id, sam_file, sam_row
from tests.support.jobs import Trial, trial


def zipped(*members: tuple[str, bytes]) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return written.getvalue()


EXTRACT = grants_file(*(grants_row(("OpportunityID", str(number))) for number in range(1, 6)))
"""Five opportunities."""


@pytest.mark.security(42)
class TestForgedBatch:
    """A compromised reader can send anything."""

    HEAD = b'{"items": 1, "bytes_read": 1, "rows": %d, "rejections": %s}\n'

    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"\xff",
            b'{"items": 1}\n',
            HEAD % (1, b"[]") + b"only a key",
            HEAD % (-1, b"[]"),
            HEAD % (2_001, b"[]") + b"\x1e" * 4_001,
            HEAD % (0, b"[]") + b"a row",
            HEAD % (0, b'[["1", 2, 3]]'),
            HEAD % (0, b'[[1, "", "' + b"x" * 10_000_000 + b'"]]'),
            HEAD % (0, b'[], "deadlines": [[1, "' + b"x" * 101 + b'"]]'),
            HEAD % (0, b'[], "unused_columns": [' + b'"x", ' * 20 + b'"x"]'),
        ],
    )
    def test_is_refused(self, content: bytes) -> None:
        with pytest.raises(ValueError, match=r"batch|Head|utf-8"):
            Batch.from_bytes(content)

    def test_what_a_reader_writes_is_not(self) -> None:
        written = batch_of([RejectedRow(3, "title", "It has none."), RejectedRow(4, "", "The row is cut off.")])
        assert Batch.from_bytes(written.to_bytes()).rejections == written.rejections

    def test_warnings_can_be_stored(self) -> None:
        """JSON in the database has no null characters."""
        batch = Batch.from_bytes(self.HEAD % (0, b'[], "deadlines": [[1, "a\\u0000"]], "unused_columns": ["b\\u0000"]'))
        assert (batch.deadlines[0].text, batch.unused_columns) == ("a\ufffd", ["b\ufffd"])


@pytest.mark.parametrize(
    ("source", "content", "label"),
    [
        ("sam", EXTRACT, "Grants.gov funding opportunities"),
        ("sam", zipped(("GrantsDBExtract.xml", EXTRACT)), "Grants.gov funding opportunities"),
        ("nih", sam_file(sam_row()), "SAM.gov contract opportunities"),
        ("grants", nih_file(nih_row()), "NIH funding opportunities"),
    ],
)
async def test_the_format_of_a_file_that_another_source_reads_is_named(
    import_file: ImportFile, source: str, content: bytes, label: str
) -> None:
    with pytest.raises(UnreadableFile, match=f"Import it again as “{label}”"):
        await import_file(content, source=source)


class TestEncodings:
    @pytest.mark.parametrize("mark", ["\ufeff", ""])
    @pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-8"])
    async def test_text_with_and_without_a_byte_order_mark_is_read(
        self, import_file: ImportFile, committed: Core, member: Actor, mark: str, encoding: str
    ) -> None:
        rows = (sam_row(NoticeId=notice_id(number), Title="Café \u0a0a\u010a", Description="x\n" * 999) for number in range(500))
        content = (mark + sam_file(*rows, separator="\t", encoding="utf-8").decode()).encode(encoding)
        report = await import_file(content)
        assert (report.new, report.rejected) == (500, 0)
        async with committed.database.transaction() as session:
            assert {row.title for row in await listed(session, member)} == {"Café \u0a0a\u010a"}

    async def test_an_extract_in_utf_16_is_read(self, import_file: ImportFile) -> None:
        assert (await import_file(("\ufeff" + EXTRACT.decode()).encode("utf-16-le"), source="grants")).new == 5

    async def test_lines_that_end_with_carriage_returns_are_read(self, import_file: ImportFile) -> None:
        content = sam_file(*(sam_row(NoticeId=notice_id(number)) for number in range(3))).replace(b"\r\n", b"\r")
        assert (await import_file(content)).new == 3


class TestZip:
    async def test_an_extract_is_imported_as_published(self, import_file: ImportFile) -> None:
        content = zipped(("GrantsDBExtract20261121v2.xml", EXTRACT), ("__MACOSX/._GrantsDBExtract20261121v2.xml", b"\x00"))
        assert (await import_file(content, source="grants", name="GrantsDBExtract20261121v2.zip")).new == 5
        assert (await import_file(EXTRACT, source="grants")).unchanged == 5

    @pytest.mark.parametrize(
        ("members", "reason"),
        [
            ([], "0 files that end in .xml, .jsonl"),
            ([("readme.txt", b"x")], "0 files that end in .xml, .jsonl"),
            ([("a.xml", EXTRACT), ("b.XML", EXTRACT)], "2 files that end in"),
        ],
    )
    async def test_says_what_to_do_when_it_is_not_plain_which_file_is_meant(
        self, import_file: ImportFile, members: list[tuple[str, bytes]], reason: str
    ) -> None:
        with pytest.raises(UnreadableFile, match=f"{reason}.*Unzip it"):
            await import_file(zipped(*members), source="grants")

    async def test_refuses_an_encrypted_file_and_one_that_is_cut_off(self, import_file: ImportFile) -> None:
        content = bytearray(zipped(("a.xml", EXTRACT)))
        content[content.index(b"PK\x01\x02") + 8] |= 1
        with pytest.raises(UnreadableFile, match="encrypted"):
            await import_file(bytes(content), source="grants")
        with pytest.raises(UnreadableFile, match="Get a new copy"):
            await import_file(zipped(("a.xml", EXTRACT))[:-30], source="grants")

    async def test_damage_in_the_middle_keeps_what_was_read(self, import_file: ImportFile) -> None:
        rows = [grants_row(("OpportunityID", str(number)), ("Description", os.urandom(2_000).hex())) for number in range(300)]
        content = bytearray(zipped(("a.xml", grants_file(*rows))))
        content[-60_000:-59_900] = bytes(100)
        report = await import_file(bytes(content), source="grants")
        assert 100 < report.new < 300
        assert "ends unexpectedly here (the compressed file is damaged" in report.rejections[-1].reason

    def test_a_directory_that_would_fill_the_memory_is_not_read(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(incoming, "_READ_AT_ONCE_BYTES", 70_000)
        (tmp_path / "a.zip").write_bytes(zipped(*((f"{number:060}.xml", b"") for number in range(1_000))))
        with pytest.raises(UnreadableFile, match="too many files"):
            Incoming(tmp_path / "a.zip", GrantsGov())


class TestDamagedEnd:
    @pytest.mark.parametrize("rows", [3, pytest.param(300, marks=pytest.mark.slow)])
    @pytest.mark.parametrize(
        "damage",
        [lambda content: content + b"garbage", lambda content: content[:-4], lambda content: content[:-8] + bytes(8)],
        ids=["garbage behind", "cut off", "checksum"],
    )
    async def test_every_row_before_it_is_read(
        self, import_file: ImportFile, damage: Callable[[bytes], bytes], rows: int
    ) -> None:
        content = sam_file(*(sam_row(NoticeId=notice_id(i), Description=os.urandom(2_000).hex()) for i in range(rows)))
        report = await import_file(damage(gzip.compress(content)), name="sam.csv.gz")
        assert (report.new, report.rejected) == (rows, 1)
        assert "ends unexpectedly here" in report.rejections[0].reason


class TestBomb:
    @pytest.mark.parametrize("pack", [gzip.compress, lambda content: zipped(("a.csv", content))])
    def test_a_file_that_unpacks_without_end_is_read_until_that_shows(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack
    ) -> None:
        monkeypatch.setattr(incoming, "_UNPACKED_ANYWAY_BYTES", 1_000_000)
        (tmp_path / "a").write_bytes(pack(sam_file(sam_row(NoticeId=notice_id(1))) + b"\r\n" * 5_000_000))
        batch = Incoming(tmp_path / "a", SamCsv()).next_batch()
        assert batch and (len(batch.rows), len(batch.rejections)) == (1, 1)
        assert "unzips to more than 200 times its size" in batch.rejections[0].reason


class Hostile:
    """A source that runs the instructions in its file."""

    name = "hostile"
    label = "Hostile"
    kind: Kind = "grant"
    file_suffixes: tuple[str, ...] = (".txt",)

    def parse(self, stream: BinaryIO) -> Iterator[ParsedNotice | RejectedRow]:
        match stream.read(100):
            case b"loop":  # holds the GIL
                re.match(r"(a+)+$", "a" * 60 + "b")
            case b"allocate":
                bytearray(4_000_000_000)
            case b"crash":
                os._exit(1)
            case action:
                raise ZeroDivisionError(action)
        yield from ()


@pytest.mark.security(42)
class TestHostileFile:
    @pytest.mark.parametrize(
        ("action", "reason"),
        [
            (b"crash", "The reader crashed on “a.txt”"),
            pytest.param(b"allocate", "Reading “a.txt” needed more than 500 MB of memory", marks=pytest.mark.slow),
            pytest.param(b"fail", "The reader crashed on “a.txt”", marks=pytest.mark.slow),
            pytest.param(b"loop", "Reading “a.txt” took too long", marks=pytest.mark.slow),
        ],
    )
    async def test_fails_with_its_reason(
        self, committed: Core, member: Actor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, action: bytes, reason: str
    ) -> None:
        monkeypatch.setattr(importing, "LIMITS", replace(importing.LIMITS, silent_seconds=2 if action == b"loop" else 60))
        with pytest.raises(UnreadableFile, match=reason):
            await import_hostile(committed, member, tmp_path / "a.txt", action)

    async def test_can_be_canceled(self, committed: Core, member: Actor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(jobs, "_PATIENCE_S", 0.05)

        async def canceled(*_: object) -> None:
            raise JobCanceled

        monkeypatch.setattr(JobRun, "progress", canceled)
        with pytest.raises(Conflict):
            await import_hostile(committed, member, tmp_path / "a.txt", b"loop")


async def import_hostile(core: Core, actor: Actor, path: Path, action: bytes) -> None:
    path.write_bytes(action)
    async with core.database.transaction() as session:
        started = await service.prepare_import(session, actor, core, source="sam", filename=path.name)

    async def handler(run: JobRun[Trial, None, importing.ImportCheckpoint]) -> None:
        await importing.run_import(run, run_id=started.id, source=Hostile(), path=path)

    core.jobs.register(trial(handler))
    await core.jobs.run_inline(Trial(), title="x", owner_id=actor.id)
