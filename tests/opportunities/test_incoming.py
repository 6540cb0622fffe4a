import gzip
import io
import os
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import pytest

from fundwright.core import jobs
from fundwright.core.assembly import Core
from fundwright.core.errors import Conflict
from fundwright.core.jobs import JobCancelled, JobRun
from fundwright.identity.schemas import Actor
from fundwright.opportunities import importing, incoming, service
from fundwright.opportunities.incoming import Incoming
from fundwright.opportunities.reading import UnreadableFile
from fundwright.opportunities.sources import Kind, ParsedNotice, RejectedRow
from tests.jobs import Trial, trial
from tests.opportunities.conftest import ImportFile
from tests.opportunities.files import grants_file, grants_row, notice_id, sam_file, sam_row


def zipped(*members: tuple[str, bytes]) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return written.getvalue()


EXTRACT = grants_file(*(grants_row(("OpportunityID", str(number))) for number in range(1, 6)))
"""Five opportunities."""


class TestUtf16:
    @pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
    async def test_is_refused_by_name_with_what_to_do(self, import_file: ImportFile, encoding: str) -> None:
        content = ("\ufeff" + sam_file(sam_row()).decode()).encode(encoding)
        with pytest.raises(UnreadableFile, match=r"encoded in UTF-16\. Save it as “CSV UTF-8”"):
            await import_file(content)


class TestZip:
    async def test_an_extract_goes_in_as_it_is_published(self, import_file: ImportFile) -> None:
        content = zipped(("GrantsDBExtract20261121v2.xml", EXTRACT), ("__MACOSX/._GrantsDBExtract20261121v2.xml", b"\x00"))
        assert (await import_file(content, source="grants", name="GrantsDBExtract20261121v2.zip")).new == 5
        assert (await import_file(EXTRACT, source="grants")).unchanged == 5

    @pytest.mark.parametrize(
        ("members", "reason"),
        [
            ([], "0 end in .xml, .jsonl"),
            ([("readme.txt", b"x")], "0 end in .xml, .jsonl"),
            ([("a.xml", EXTRACT), ("b.XML", EXTRACT)], "2 end in"),
        ],
    )
    async def test_says_what_to_do_when_it_is_not_plain_which_file_is_meant(
        self, import_file: ImportFile, members: list[tuple[str, bytes]], reason: str
    ) -> None:
        with pytest.raises(UnreadableFile, match=f"{reason}.*Unpack it"):
            await import_file(zipped(*members), source="grants")

    async def test_refuses_an_encrypted_file_and_one_that_is_cut_off(self, import_file: ImportFile) -> None:
        content = bytearray(zipped(("a.xml", EXTRACT)))
        content[content.index(b"PK\x01\x02") + 8] |= 1
        with pytest.raises(UnreadableFile, match="encrypted"):
            await import_file(bytes(content), source="grants")
        with pytest.raises(UnreadableFile, match="Get it anew"):
            await import_file(zipped(("a.xml", EXTRACT))[:-30], source="grants")

    async def test_damage_in_the_middle_keeps_what_was_read(self, import_file: ImportFile) -> None:
        rows = [grants_row(("OpportunityID", str(number)), ("Description", os.urandom(2_000).hex())) for number in range(300)]
        content = bytearray(zipped(("a.xml", grants_file(*rows))))
        content[-60_000:-59_900] = bytes(100)
        report = await import_file(bytes(content), source="grants")
        assert 100 < report.new < 300
        assert "breaks off here (the compressed file is damaged" in report.rejections[-1].reason

    async def test_a_directory_that_would_fill_the_memory_is_not_read(
        self, import_file: ImportFile, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(incoming, "_READ_AT_ONCE_BYTES", 70_000)
        with pytest.raises(UnreadableFile, match="too many files"):
            await import_file(zipped(*((f"{number:060}.xml", b"") for number in range(1_000))), source="grants")


class TestDamagedEnd:
    @pytest.mark.parametrize("rows", [3, 300])
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
        assert "breaks off here" in report.rejections[0].reason


class TestBomb:
    @pytest.mark.parametrize("pack", [gzip.compress, lambda content: zipped(("a.csv", content))])
    async def test_a_file_that_unpacks_without_end_is_read_until_that_shows(
        self, import_file: ImportFile, monkeypatch: pytest.MonkeyPatch, pack
    ) -> None:
        monkeypatch.setattr(incoming, "_UNPACKED_ANYWAY_BYTES", 1_000_000)
        report = await import_file(pack(sam_file(sam_row(NoticeId=notice_id(1))) + b"\r\n" * 5_000_000))
        assert (report.new, report.rejected) == (1, 1)
        assert "unpacks to more than 200 times its size" in report.rejections[0].reason


class Silent:
    """A source that finds no row in whatever it reads."""

    name = "silent"
    label = "Silent"
    kind: Kind = "grant"
    file_suffixes: tuple[str, ...] = (".txt",)

    def __init__(self, is_stopped: threading.Event) -> None:
        self.reads = 0
        self._is_stopped = is_stopped

    def parse(self, stream: BinaryIO) -> Iterator[ParsedNotice | RejectedRow]:
        while stream.read(1_000_000):
            self.reads += 1
            if self.reads == 10:
                self._is_stopped.wait(20)
        yield from ()


class TestStop:
    async def test_a_file_without_rows_can_be_stopped(
        self, committed: Core, member: Actor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(jobs, "_PATIENCE_S", 0.05)
        path = tmp_path / "empty.txt"
        with path.open("wb") as file:
            file.truncate(500_000_000)
        async with committed.database.transaction() as session:
            started = await service.prepare_import(session, member, committed, source="sam", filename=path.name)
        is_stopped = threading.Event()
        source, seen = Silent(is_stopped), list[tuple[int, int | None]]()
        stop = Incoming.stop

        def stop_and_tell(incoming: Incoming) -> None:
            stop(incoming)
            is_stopped.set()

        monkeypatch.setattr(Incoming, "stop", stop_and_tell)

        async def handler(run: JobRun[Trial, None]) -> None:
            async def cancelled(done: int, total: int | None = None, message: str | None = None) -> None:
                seen.append((done, total))
                if done:
                    raise JobCancelled

            monkeypatch.setattr(run, "progress", cancelled)
            await importing.take_in(run, run_id=started.id, source=source, path=path)

        committed.jobs.register(trial(handler))
        with pytest.raises(Conflict):
            await committed.jobs.run_inline(Trial(), title="x", owner_id=member.id)
        assert source.reads < 20  # a little more was in a buffer
        done, total = seen[-1]
        assert 0 < done < 20_000_000 < total == 500_000_000
