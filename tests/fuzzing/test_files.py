"""Untrusted files: documents, photos, and published notices, created by modifying small real ones.

Malformed files are rejected with an error message. No other error is raised, no reader crashes, and what is read fits into the
database.
"""

from __future__ import annotations

import asyncio
import gzip
import io
import json
import re
import zipfile
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import docx
import pytest
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from PIL import Image
from structlog.testing import capture_logs

from fundwright.accounts import photos
from fundwright.core.assembly import Core
from fundwright.core.sandbox import Sandbox
from fundwright.opportunities.grants import GrantsGov
from fundwright.opportunities.incoming import COPIED, Batch, Incoming
from fundwright.opportunities.nih import NihJsonLines
from fundwright.opportunities.reading import UnreadableFile
from fundwright.opportunities.sam import SamCsv
from fundwright.opportunities.sources import Source
from fundwright.reading.formats import Reader, Unreadable, read
from fundwright.reading.html import HtmlReader
from fundwright.reading.lines import Line, lines_of
from fundwright.reading.markdown import MarkdownReader
from fundwright.reading.plugin import document_readers
from fundwright.reading.text import TextReader
from fundwright.training.chunking import chunk
from fundwright.training.extraction import divide, extract
from tests.fuzzing.conftest import Fuzz
from tests.fuzzing.texts import ODD, json_values, mutated_bytes
from tests.opportunities.conftest import run_import
from tests.opportunities.files import grants_file, grants_row, nih_file, nih_row, sam_file, sam_row
from tests.reading.pictures import picture_of
from tests.support.accounts import add_account

READERS = list(document_readers())
SOURCES: dict[str, Source] = {"sam": SamCsv(), "grants": GrantsGov(), "nih": NihJsonLines()}
MARKDOWN = b"# Team\n\nWe are **nine** [people](http://x.example/a_(b)).\n\nPlan\n----\n\n```\n# code\n```\n- first\n> said\n\n|a|b|\n|-|-|\n|1|2|\n"
HTML = (
    b'<!doctype html><meta charset="iso-8859-2"><title>x</title><script>alert(1)</script><h2>Our <b>team</b></h2>'
    b"<p>Nine people.<br>All here.</p><table><tr><th>Role<td>Lead</table><!-- x --><svg><style>p{}</style></svg><pre>a\n b</pre>"
)
TEXT = "STATEMENT OF WORK\n\n1.2 Scope of Services\n\nThe contractor shall main-\ntain 252.227-\n7014 Überprüfung.\n\n• one\n(a) two\n\fPage 2\n".encode()

T = TypeVar("T")
Run = Callable[[Coroutine[Any, Any, T]], T]


async def in_a_thread(work: Callable[[Run[Any]], None]) -> None:
    """Run the synchronous `work` in a thread; it gets a function that runs a coroutine in the event loop."""
    loop = asyncio.get_running_loop()
    await asyncio.to_thread(work, lambda coroutine: asyncio.run_coroutine_threadsafe(coroutine, loop).result(timeout=300))


def a_pdf(*lines: str) -> bytes:
    """A PDF with one page, assembled here, because pypdf writes none with text."""
    shown = "".join(f"({line}) Tj 0 -14 Td " for line in lines)
    stream = f"BT /F1 12 Tf 72 720 Td {shown}ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 5 0 R >> >> /Contents 4 0 R >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Differences [65 /A /B 67 /germandbls] >> >>",
    ]
    content, places = bytearray(b"%PDF-1.7\n"), list[int]()
    for number, each in enumerate(objects, start=1):
        places.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(content))
    return bytes(content) + b"xref\n0 %d\n0000000000 65535 f \n%s%s" % (len(objects) + 1, table, trailer)


def a_docx() -> bytes:
    document = docx.Document()
    document.add_heading("Team", level=1)
    document.add_paragraph("Two engineers know every component.", style="List Bullet")
    table = document.add_table(rows=2, cols=2)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "Lead"
    target = io.BytesIO()
    document.save(target)
    return target.getvalue()


def a_zip(files: dict[str, bytes]) -> bytes:
    with zipfile.ZipFile(target := io.BytesIO(), "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()


@st.composite
def docx_files(draw: DrawFn, original: bytes = a_docx()) -> bytes:
    """A DOCX with a part that is changed, missing, or duplicated, or with damaged bytes in the ZIP file itself."""
    if draw(st.booleans()):
        return draw(mutated_bytes(original))
    with zipfile.ZipFile(io.BytesIO(original)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    chosen = draw(
        st.sampled_from(
            ["word/document.xml", "word/styles.xml", "[Content_Types].xml", "_rels/.rels", "word/_rels/document.xml.rels"]
        )
    )
    changed = draw(st.one_of(mutated_bytes(parts[chosen]), st.none(), swapped_xml(parts[chosen])))
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            if name != chosen:
                archive.writestr(name, part)
            elif changed is not None:
                archive.writestr(name, changed)
    return target.getvalue()


@st.composite
def swapped_xml(draw: DrawFn, part: bytes) -> bytes:
    """Well-formed XML in which an element or an attribute value is replaced by another one from the same file."""
    text = part.decode()
    names, values = re.findall(r"<(\w+:\w+)", text), re.findall(r'="([^"]*)"', text)
    for _ in range(draw(st.integers(1, 4))):
        if names and draw(st.booleans()):
            text = re.sub(rf"(</?){draw(st.sampled_from(names))}\b", rf"\g<1>{draw(st.sampled_from(names))}", text)
        elif values:
            text = text.replace(
                f'"{draw(st.sampled_from(values))}"', f'"{draw(st.sampled_from([*values, "-1", "99999999999", ""]))}"', 3
            )
    return text.encode()


@pytest.mark.slow
def test_text_documents(fuzz: Fuzz) -> None:
    """Markdown, HTML, and text. None of them is damaged, whatever is in it."""

    def check(content: bytes, reader: Reader) -> None:
        blocks, cause = list[Line](), None
        try:
            blocks = lines_of(read([reader], content, "a" + reader.suffixes[0]))
        except Unreadable as refused:
            fuzz.outcomes["refused"] += 1
            cause = refused.__cause__
        assert cause is None or "lxml" in type(cause).__module__, repr(cause)
        if not blocks:
            return
        fuzz.outcomes["read"] += 1
        assert all(block.text.strip() and "\x00" not in block.text for block in blocks)
        assert all(block.level is None or 1 <= block.level <= 7 for block in blocks)
        made = chunk(blocks)
        assert all(0 <= cut.start < cut.end <= len(made.text) for cut in made.chunks)
        made.text.encode(errors="strict")

    encoded = st.sampled_from(
        [TEXT.decode().encode("utf-16"), TEXT.decode().encode("cp1252", errors="replace"), b"\xff\xfe\x00\xd8", b"\xef\xbb\xbf"]
    )
    documents = st.one_of(mutated_bytes(MARKDOWN, HTML, TEXT), encoded, st.text().map(str.encode), st.binary())
    fuzz(
        check,
        examples=80,
        outcomes=("read", "refused"),
        content=documents,
        reader=st.sampled_from([MarkdownReader(), HtmlReader(), TextReader()]),
    )


@pytest.mark.slow
async def test_documents_in_the_sandbox(fuzz: Fuzz, core: Core, tmp_path: Path) -> None:
    path = tmp_path / "content"

    def work(run: Run[Any]) -> None:
        def check(content: bytes, filename: str) -> None:
            path.write_bytes(content)
            with capture_logs() as logs:
                try:
                    made = run(divide(core, run(extract(core, READERS, path, filename)), filename, title=filename))
                except Unreadable:
                    fuzz.outcomes["refused"] += 1
                else:
                    fuzz.outcomes["read"] += 1
                    assert all(0 <= cut.start < cut.end <= len(made.text) for cut in made.chunks)
                    made.text.encode()
            assert logs == []

        pdf = a_pdf("Our crew repairs roofs.", "It has done so since 1999.")
        pictures = mutated_bytes(*(picture_of("Our crew repairs roofs.", form=form) for form in ("JPEG", "PNG", "TIFF", "PDF")))
        archive = mutated_bytes(a_zip({"a.md": MARKDOWN, "b.html": HTML}))
        documents = st.one_of(mutated_bytes(pdf), docx_files(), mutated_bytes(MARKDOWN, HTML), pictures, archive)
        fuzz(
            check,
            examples=20,
            outcomes=("read", "refused"),
            content=documents,
            filename=st.sampled_from(["a.pdf", "a.docx", "a.html", "a.md", "a.zip", "“a”\n.txt"]),
        )

    await in_a_thread(work)


@pytest.mark.slow
async def test_photos(fuzz: Fuzz, core: Core) -> None:
    pictures = list[bytes]()
    for form in ("JPEG", "PNG", "WEBP", "GIF"):
        target = io.BytesIO()
        Image.radial_gradient("L").resize((24, 17)).convert("RGB").save(target, form)
        pictures.append(target.getvalue())

    def work(run: Run[Any]) -> None:
        def check(content: bytes) -> None:
            with capture_logs() as logs:
                try:
                    (square,) = run(squared(core.sandbox, content))
                except photos.LIMITS.error:
                    fuzz.outcomes["refused"] += 1
                else:
                    fuzz.outcomes["read"] += 1
                    size = Image.open(io.BytesIO(square)).size
                    assert size[0] == size[1]
            assert logs == []

        fuzz(
            check,
            examples=10,
            outcomes=("read", "refused"),
            content=st.one_of(st.sampled_from(pictures), mutated_bytes(*pictures, most=1), mutated_bytes(*pictures)),
        )

    await in_a_thread(work)


async def squared(sandbox: Sandbox, content: bytes) -> list[bytes]:
    return await sandbox.run(partial(photos._square, content), limits=photos.LIMITS, name="the photo")


@st.composite
def sam_files(draw: DrawFn) -> bytes:
    names = st.sampled_from(
        ["NoticeId", "Title", "PostedDate", "ResponseDeadLine", "Award$", "Description", "SetASideCode", "Link", "Active"]
    )
    row = sam_row(**draw(st.dictionaries(names, values, max_size=4)))
    return sam_file(
        row, draw(st.sampled_from(['"torn', "", '"a","b"\r\n', '"' + "x" * 3_000])), sam_row(NoticeId="b" * 32), encoding="utf-8"
    )


@st.composite
def grants_files(draw: DrawFn) -> bytes:
    names = st.sampled_from(
        [
            "OpportunityID",
            "OpportunityTitle",
            "PostDate",
            "CloseDate",
            "AwardCeiling",
            "Description",
            "CFDANumbers",
            "AgencyCode",
            "Version",
        ]
    )
    fields = draw(
        st.lists(
            st.tuples(names, st.one_of(values, st.sampled_from(["&lt;p&gt;", "&amp;#0;", "&x;", "<![CDATA[<b>]]>", "</x>"]))),
            max_size=6,
        )
    )
    usual = [(name, value.replace("\x00", "")) for name, value in fields]
    return grants_file(grants_row(*usual, forecast=draw(st.booleans())), grants_row(("OpportunityID", "2")))


@st.composite
def nih_files(draw: DrawFn) -> bytes:
    names = st.sampled_from(
        [
            "opportunity_id",
            "title",
            "post_date",
            "close_date",
            "abstract",
            "cfda_list",
            "participating_icos",
            "num_awards",
            "award_ceiling",
            "url",
        ]
    )
    return nih_file(nih_row(**draw(st.dictionaries(names, json_values(), max_size=5))), nih_row(opportunity_id="2"))


@st.composite
def simpler_files(draw: DrawFn) -> bytes:
    """Rows of Simpler.Grants.gov."""
    names = st.sampled_from(
        [
            "Opportunity ID",
            "Title",
            "Post Date",
            "Deadline",
            "URL",
            "Award Ceiling",
            "Contact",
            "Funding Instrument Type",
            "Assistance Listings",
        ]
    )
    row = {
        "Opportunity ID": "1",
        "Title": "Roofs",
        "Post Date": "2026-03-06",
        **draw(st.dictionaries(names, json_values(), max_size=5)),
    }
    return (json.dumps(row) + "\n").encode()


values = st.one_of(
    st.sampled_from(
        [*ODD, "2026-03-07 07:16:16.091-05", "99999999999999999999", "1E999999", "13132026", "0001-01-01", "\ue000" * 700]
    ),
    st.text(max_size=30),
).map(lambda text: text.encode(errors="replace").decode())


@st.composite
def notice_files(draw: DrawFn) -> tuple[str, bytes]:
    """The name of a source and a file for it, sometimes for another source, damaged, or compressed."""
    name = draw(st.sampled_from(sorted(SOURCES)))
    made = {"sam": sam_files(), "grants": st.one_of(grants_files(), simpler_files()), "nih": nih_files()}
    content = draw(made[name])
    if draw(st.integers(0, 3)) == 0:
        content = draw(mutated_bytes(content))
    match draw(st.integers(0, 7)):
        case 0:
            content = gzip.compress(content)
        case 1:
            target = io.BytesIO()
            with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr(draw(st.sampled_from(["a.csv", "a.xml", "a.jsonl", "../../a.csv", "a\x00.csv"])), content)
            content = target.getvalue()
        case 2:
            name = draw(st.sampled_from(sorted(SOURCES)))
        case _:
            return name, content
    return name, draw(st.one_of(st.just(content), mutated_bytes(content)))


@pytest.mark.slow
def test_published_files(fuzz: Fuzz, tmp_path: Path) -> None:
    path = tmp_path / "file"

    def check(file: tuple[str, bytes]) -> None:
        name, content = file
        path.write_bytes(content)
        try:
            incoming = Incoming(path, SOURCES[name], batch_rows=2)
        except UnreadableFile:
            fuzz.outcomes["refused"] += 1
            return
        try:
            while (batch := incoming.next_batch()) is not None:
                copied = Batch.from_bytes(batch.to_bytes())
                assert len(copied.rows) == len(copied.keys) == len(batch.rows)
                for row in copied.rows:
                    fields = dict(zip(COPIED, row.split("\x1f"), strict=True))
                    assert isinstance(json.loads(fields["raw"]), dict)
                    assert isinstance(json.loads(fields["contacts"]), list)
                    assert not set(row) & set("\x00\x0b\x1e")
                    fuzz.outcomes["rows"] += 1
                fuzz.outcomes["rejected rows"] += len(copied.rejections)
        except UnreadableFile:
            fuzz.outcomes["refused"] += 1
        finally:
            incoming.close()

    fuzz(check, examples=50, outcomes=("rows", "rejected rows", "refused"), file=notice_files())


@pytest.mark.slow
async def test_imports(fuzz: Fuzz, committed: Core, tmp_path: Path) -> None:
    """Through the sandbox into the database: an import ends with a report or is rejected with an error message."""
    async with committed.database.transaction() as session:
        member = await add_account(session, "ada@example.org", name="Ada")
    path = tmp_path / "file"

    def work(run: Run[Any]) -> None:
        def check(file: tuple[str, bytes]) -> None:
            name, content = file
            path.write_bytes(content)
            with capture_logs() as logs:
                try:
                    report, job = run(run_import(committed, member, path, source=name))
                except UnreadableFile:
                    fuzz.outcomes["refused"] += 1
                else:
                    fuzz.outcomes[str(job.state)] += 1
                    fuzz.outcomes["notices"] += report.new + report.changed
            assert [line for line in logs if "exc_info" in line or line["event"].startswith("sandbox")] == []

        fuzz(check, examples=8, outcomes=("notices", "refused"), file=notice_files())

    await in_a_thread(work)
