"""How well documents are read: the shared cases, files of the test folders of other projects, compared with an independent extraction of their words
and with the tables and texts that docling publishes, and text in pictures.

The files of others are never part of this project. `READING_PEERS` names a folder with checkouts of docling, unstructured, pdfplumber, markitdown,
pypdf, python-mammoth, and python-docx; without it, they are skipped.

A bare library is what a program gets that calls it without more: liteparse for PDF, docling for DOCX, PPTX, and HTML, openpyxl for XLSX, and striprtf.
"""

from __future__ import annotations

import io
import json
import multiprocessing
import os
import re
import resource
import statistics
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pypdfium2
from lxml import etree, html

from benchmarks.eval.frame.data import PROJECT
from benchmarks.eval.frame.figures import Figure
from benchmarks.eval.frame.recognition import measure_recognition
from fundwright.reading.document import Document, Heading, Item, Paragraph, Table, inside, text_in, visible, walk
from fundwright.reading.formats import Unreadable, read
from fundwright.reading.from_docling import converted
from fundwright.reading.lines import lines_of
from fundwright.reading.pdf_parser import PARSER
from fundwright.reading.plugin import document_readers
from fundwright.training.chunking import chunk

_CASES = PROJECT.parent / "shared" / "cases" / "documents"
_WORDS_FOUND, _FEW = 0.99, 0.95
_CELLS = 0.93
_SPEED = 0.8
_MOST_COMPARED = 20_000
"""Longer texts are cut before their order is compared."""
_MOST_BYTES = 3_000_000
_MIN_WORDS = 20
_WORD = re.compile(r"\w{2,40}")
_PARAGRAPHS = {
    ".docx": re.compile(r"word/document\.xml"),
    ".pptx": re.compile(r"ppt/slides/slide\d+\.xml"),
    ".xlsx": re.compile(r"xl/sharedStrings\.xml"),
    ".odt": re.compile(r"content\.xml"),
}
_READERS = list(document_readers())


async def measure() -> list[Figure]:
    folder = os.environ.get("READING_PEERS", "")
    if not folder:
        print("   files of other projects: skipped: set READING_PEERS")
    cases = _measure_cases(_CASES) if _CASES.is_dir() else ()
    return [*cases, *(_measure_peers(Path(folder)) if folder else ()), *measure_recognition()]


def _measure_cases(folder: Path) -> Iterator[Figure]:
    """What the shared cases say about their files, also of the bare libraries, and the memory that reading all of them needs."""
    cases = [json.loads(line) for line in (folder / "expected.jsonl").read_text().splitlines()]
    paths = sorted({folder / case["file"] for case in cases})
    passages = {path.name: _passages_of(path) for path in paths}
    bare = {path.name: _bare_text(path.read_bytes(), path.suffix.lower()) for path in paths}
    together = [(case["file"].rpartition("/")[2], words) for case in cases for words in case.get("together", ())]
    absent = [(case["file"].rpartition("/")[2], words) for case in cases for words in case.get("absent", ())]
    apart = [(name, words) for name, words in together if not any(_has(passage, words) for passage in passages[name])]
    shown = [(name, words) for name, words in absent if any(words in passage for passage in passages[name])]
    for name, words in (*apart, *shown):
        print(f"   {name}: {words}")
    in_both = [(name, words) for name, words in together if bare[name] is not None]
    bare_lines = {name: [" ".join(line.split()) for line in (text or "").splitlines()] for name, text in bare.items()}
    found = sum(any(_has(line, words) for line in bare_lines[name]) for name, words in in_both)
    left_out = [words not in (bare[name] or "") for name, words in absent if bare[name] is not None]
    yield Figure(name="shared cases: files", value=len(paths))
    yield Figure(
        name="shared cases: share of statements that stand together in a passage",
        value=1 - len(apart) / len(together),
        target=1.0,
        baseline_name="in a line of the bare library",
        baseline=found / len(in_both),
        note=f"{len(together)} statements, {len(in_both)} in formats with a bare library",
    )
    yield Figure(
        name="shared cases: share of texts that must be absent and are",
        value=1 - len(shown) / len(absent),
        target=1.0,
        baseline_name="the bare library",
        baseline=sum(left_out) / len(left_out),
    )
    shares = {path.name: _share(Counter(_words(text)), _read_words(path)) for path in paths if (text := bare[path.name])}
    for name, share in shares.items():
        if share < _FEW:
            print(f"   {share:.3f} {name}")
    yield Figure(
        name="shared cases: median share of the words of the bare library that are found",
        value=statistics.median(shares.values()),
        target=_WORDS_FOUND,
    )
    names = [str(path) for path in paths if bare[path.name] is not None]
    yield Figure(
        name="memory of a process that reads the shared cases, MB at most",
        value=_peak_mb(_read_all, names),
        baseline_name="the bare libraries",
        baseline=_peak_mb(_read_all_bare, names),
    )


def _has(text: str, words: Sequence[str]) -> bool:
    return all(word in text for word in words)


def _passages_of(path: Path) -> list[str]:
    """The passages of a file, each with the headings above it, or none if it is refused."""
    try:
        chunked = chunk(lines_of(read(_READERS, path.read_bytes(), path.name)))
    except Unreadable:
        return []
    return [" ".join(" › ".join([*span.heading, chunked.text[span.start : span.end]]).split()) for span in chunked.chunks]


def _read_words(path: Path) -> Counter[str]:
    try:
        return _words_in(read(_READERS, path.read_bytes(), path.name))
    except Unreadable:
        return Counter()


def _share(expected: Counter[str], found: Counter[str]) -> float:
    return 1 - (expected - found).total() / expected.total() if expected else 1.0


def _bare_text(content: bytes, suffix: str) -> str | None:
    """What a library reads when a program calls it without more, or None for a format without one."""
    match suffix:
        case ".pdf":
            return "\n".join(page.text for batch in PARSER.parse_batches(content, 10) for page in batch.result.pages)
        case ".docx":
            return _exported(content, "DOCX", "msword_backend:MsWordDocumentBackend")
        case ".pptx":
            return _exported(content, "PPTX", "mspowerpoint_backend:MsPowerpointDocumentBackend")
        case ".html":
            from docling.datamodel.backend_options import HTMLBackendOptions

            return _exported(content, "HTML", "html_backend:HTMLDocumentBackend", HTMLBackendOptions())
        case ".xlsx":
            import openpyxl

            sheets = openpyxl.load_workbook(io.BytesIO(content), data_only=True).worksheets
            rows = (row for sheet in sheets for row in sheet.iter_rows(values_only=True))
            return "\n".join(" ".join(str(cell) for cell in row if cell is not None) for row in rows)
        case ".rtf":
            from striprtf.striprtf import rtf_to_text

            return rtf_to_text(content.decode("cp1252", errors="replace"), errors="replace")
        case _:
            return None


def _exported(content: bytes, *backend: Any) -> str:
    return converted(io.BytesIO(content), *backend).export_to_markdown()


def _peak_mb(work: Callable[[Sequence[str]], None], paths: Sequence[str]) -> float:
    """The memory that a process of its own needs at most, in megabytes."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as process:
        process.submit(work, paths).result()
        return process.submit(_peak_bytes).result() / 1_000_000


def _peak_bytes() -> int:
    status = Path("/proc/self/status")  # on Linux, `getrusage` counts what the process was forked from
    if status.exists():
        return 1_024 * int(re.findall(r"VmHWM:\s+(\d+) kB", status.read_text())[0])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _read_all(paths: Sequence[str]) -> None:
    for path in paths:
        _read_words(Path(path))


def _read_all_bare(paths: Sequence[str]) -> None:
    for path in paths:
        _bare_text(Path(path).read_bytes(), Path(path).suffix.lower())


def _measure_peers(folder: Path) -> Iterator[Figure]:
    shares, of_bare = dict[str, float](), list[float]()
    refused = pages = 0
    whole_s = bare_s = 0.0
    for path in sorted(folder.rglob("*.*")):
        words_of = _EXTRACTIONS.get(path.suffix.lower())
        if words_of is None or path.stat().st_size > _MOST_BYTES or "groundtruth" in path.parts:
            continue
        content = path.read_bytes()
        expected = _expected(words_of, content)
        started = time.process_time()
        try:
            document = read(_READERS, content, path.name)
        except Unreadable as error:
            if expected.total() >= _MIN_WORDS and "password" not in error.sentence:
                refused += 1
                shares[str(path.relative_to(folder))] = 0.0
            continue
        used_s = time.process_time() - started
        if content.startswith(b"%PDF-") and not _recognized(document):
            whole_s, pages = whole_s + used_s, pages + document.pages
            bare_s += _bare_s(content)
        if expected.total() >= _MIN_WORDS:
            found = _words_in(document)
            shares[str(path.relative_to(folder))] = _share(expected, found)
            if bare := _bare_words(content, path.suffix.lower()):
                of_bare.append(_share(bare, found))
    few = sorted((share, name) for name, share in shares.items() if share < _FEW)
    for share, name in few:
        print(f"   {share:.3f} {name}")
    yield Figure(name="peers: files compared", value=len(shares))
    yield Figure(name="peers: files with words that were refused, whose share is 0", value=refused)
    yield Figure(name="peers: median share of the words found", value=statistics.median(shares.values()), target=_WORDS_FOUND)
    yield Figure(name="peers: share of files with less than .95 of their words", value=len(few) / len(shares))
    yield Figure(name="peers: median share of the bare library's own words found", value=statistics.median(of_bare))
    yield Figure(name="peers: F1 of the cells of docling's tables", value=_cells(folder), target=_CELLS)
    yield from _order(folder)
    yield Figure(
        name="pages of PDF files per second", value=pages / whole_s, baseline_name="liteparse alone", baseline=pages / bare_s
    )
    yield Figure(name="the same, as a share of liteparse alone", value=bare_s / whole_s, target=_SPEED)


def _expected(words_of: Callable[[bytes], Iterator[str]], content: bytes) -> Counter[str]:
    """The words of an independent extraction, or none if that fails."""
    try:
        return Counter(word for text in words_of(content) for word in _WORD.findall(text.casefold()))
    except (ValueError, KeyError, OSError, zipfile.BadZipFile, etree.LxmlError, pypdfium2.PdfiumError):
        return Counter()


def _words_in(document: Document) -> Counter[str]:
    """The words of all blocks, whether a person sees them or not."""
    texts = map(text_in, walk(document.blocks))
    return Counter(word for text in texts for word in _WORD.findall(text.casefold()))


def _recognized(document: Document) -> bool:
    return any(isinstance(block, Paragraph) and block.confidence is not None for block in walk(document.blocks))


def _bare_words(content: bytes, suffix: str) -> Counter[str]:
    """The words that the bare library finds, or none if it fails."""
    try:
        return Counter(_words(_bare_text(content, suffix) or ""))
    except Exception:  # third-party parsers can raise anything
        return Counter()


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _order(folder: Path) -> Iterator[Figure]:
    """How much of docling's published texts stands in their order: the longest common subsequence of words, as a share of those that both have."""
    shares = list[float]()
    for truth in sorted(folder.glob("docling/tests/data/*/groundtruth/*.md")):
        kind, name = truth.parts[-3], truth.name.removesuffix(".md")
        source = next(
            (path for path in (folder / "docling/tests/data" / kind).rglob(name) if "groundtruth" not in path.parts), None
        )
        if source is None:
            continue
        try:
            lines = lines_of(read(_READERS, source.read_bytes(), source.name))
        except Unreadable:
            continue
        ours, theirs = _words("\n".join(line.text for line in lines)), _words(truth.read_text(errors="replace"))
        in_both = (Counter(ours) & Counter(theirs)).total()
        if in_both >= _MIN_WORDS and max(len(ours), len(theirs)) <= _MOST_COMPARED:
            shares.append(_in_order(ours, theirs) / in_both)
    if shares:
        yield Figure(
            name="peers: mean share of the common words in the order of docling's text",
            value=statistics.mean(shares),
            note=f"{len(shares)} files, the median {statistics.median(shares):.3f}",
        )


def _in_order(ours: Sequence[str], theirs: Sequence[str]) -> int:
    """The length of the longest common subsequence."""
    numbers = {word: number for number, word in enumerate({*ours, *theirs})}
    across = np.array([numbers[word] for word in theirs])
    best = np.zeros(len(theirs) + 1, dtype=np.int32)
    for word in ours:
        best[1:] = np.maximum.accumulate(np.maximum(best[1:], np.where(across == numbers[word], best[:-1] + 1, 0)))
    return int(best[-1])


def _bare_s(content: bytes) -> float:
    started = time.process_time()
    for _ in PARSER.parse_batches(content, 10):
        pass
    return time.process_time() - started


def _of_pdf(content: bytes) -> Iterator[str]:
    for page in pypdfium2.PdfDocument(content):
        yield page.get_textpage().get_text_bounded()


def _of_package(pattern: re.Pattern[str]) -> Callable[[bytes], Iterator[str]]:
    def words_of(content: bytes) -> Iterator[str]:
        with zipfile.ZipFile(io.BytesIO(content)) as package:
            for name in package.namelist():
                if pattern.fullmatch(name):
                    root = etree.fromstring(package.read(name), etree.XMLParser(resolve_entities=False, no_network=True))
                    etree.strip_elements(root, "{*}Fallback", with_tail=False)  # the same text for programs of another time
                    for unit in root.iter("{*}p", "{*}h", "{*}si"):
                        if next(unit.iterancestors("{*}p"), None) is None:  # texts of boxes belong to the paragraph around them
                            texts = (
                                [each.text or " " for each in unit.iter("{*}t", "{*}p")]
                                if unit.find(".//{*}t") is not None
                                else unit.itertext()
                            )
                            yield "".join(texts)

    return words_of


def _of_page(content: bytes) -> Iterator[str]:
    root = html.fromstring(content)
    etree.strip_elements(root, "script", "style", "noscript", "template", "head", "nav", "footer", etree.Comment, with_tail=False)
    yield " ".join(root.itertext())


_EXTRACTIONS: dict[str, Callable[[bytes], Iterator[str]]] = {
    ".pdf": _of_pdf,
    ".html": _of_page,
    **{suffix: _of_package(pattern) for suffix, pattern in _PARAGRAPHS.items()},
}


def _cells(folder: Path) -> float:
    """F1 of the texts of cells, over all files for which docling publishes its own result."""
    found = wanted = both = 0
    for truth in sorted(folder.glob("docling/tests/data/*/groundtruth/*.json")):
        kind, name = truth.parts[-3], truth.name.removesuffix(".json")
        source = next(
            (path for path in (folder / "docling/tests/data" / kind).rglob(name) if "groundtruth" not in path.parts), None
        )
        try:
            result = json.loads(truth.read_bytes())
        except ValueError:  # a pointer to a file that is kept elsewhere
            continue
        tables = result.get("tables", []) if isinstance(result, dict) else []
        if source is None or not tables:
            continue
        expected = Counter(_plain(cell["text"]) for table in tables for cell in table["data"]["table_cells"])
        try:
            document = read(_READERS, source.read_bytes(), source.name)
        except Unreadable:
            document = Document(())
        cells = Counter(_plain(text) for text in _cells_of(document))
        del expected[""], cells[""]
        found, wanted, both = found + cells.total(), wanted + expected.total(), both + (cells & expected).total()
    return 2 * both / (found + wanted) if found + wanted else 0.0


def _cells_of(document: Document) -> Iterator[str]:
    for block in walk(document.blocks):
        if isinstance(block, Table):
            for row in block.rows:
                for _, cell in row:
                    yield " ".join(_text(each) for each in cell.blocks)


def _text(block: Any) -> str:
    own = visible(block.runs) if isinstance(block, Heading | Paragraph | Item) else ""
    return " ".join((own, *map(_text, inside(block))))


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold())) or text.strip()
