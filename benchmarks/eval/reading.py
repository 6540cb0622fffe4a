"""How well documents are read: files of the test folders of other projects, compared with an independent extraction of their words and with
the tables that docling publishes, and text in pictures.

The files are never part of this project. `READING_PEERS` names a folder with checkouts of docling, unstructured, pdfplumber, markitdown, pypdf,
python-mammoth, and python-docx; without it, only recognition is measured.
"""

from __future__ import annotations

import io
import json
import os
import re
import statistics
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pypdfium2
from lxml import etree, html

from benchmarks.eval.frame.figures import Figure
from benchmarks.eval.frame.recognition import measure_recognition
from fundwright.reading.document import Document, Heading, Item, Paragraph, Table, inside, text_in, visible, walk
from fundwright.reading.formats import Unreadable, read
from fundwright.reading.pdf_parser import PARSER
from fundwright.reading.plugin import document_readers

_WORDS_FOUND, _FEW = 0.99, 0.95
_CELLS = 0.93
_SPEED = 0.8
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
    return [*(_measure_peers(Path(folder)) if folder else ()), *measure_recognition()]


def _measure_peers(folder: Path) -> Iterator[Figure]:
    shares = dict[str, float]()
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
            refused += expected.total() >= _MIN_WORDS and "password" not in error.sentence
            continue
        used_s = time.process_time() - started
        if content.startswith(b"%PDF-") and not _recognized(document):
            whole_s, pages = whole_s + used_s, pages + document.pages
            bare_s += _bare_s(content)
        if expected.total() >= _MIN_WORDS:
            shares[str(path.relative_to(folder))] = 1 - (expected - _words_in(document)).total() / expected.total()
    few = sorted((share, name) for name, share in shares.items() if share < _FEW)
    for share, name in few:
        print(f"   {share:.3f} {name}")
    yield Figure(name="peers: files compared", value=len(shares))
    yield Figure(name="peers: files with words that were refused", value=refused)
    yield Figure(name="peers: median share of the words found", value=statistics.median(shares.values()), target=_WORDS_FOUND)
    yield Figure(name="peers: share of files with less than .95 of their words", value=len(few) / len(shares))
    yield Figure(name="peers: F1 of the cells of docling's tables", value=_cells(folder), target=_CELLS)
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
