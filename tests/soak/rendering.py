"""Exported drafts as LibreOffice renders them: pages, fonts, margins, and complete text. Images are saved in var/soak."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import fromstring

from fundwright.core.messages import using_language
from fundwright.generation.exporting import export
from fundwright.generation.schemas import CitationStyle, DraftRead, ExportFormat
from tests.generation.drafts import citation, draft, part
from tests.generation.texts import RICH

PACKAGES = ("libreoffice-writer-nogui", "poppler-utils", "fonts-crosextra-carlito")
PROGRAMS = ("soffice", "pdftoppm", "pdftotext", "pdffonts", "pdfinfo")
_INCH = 72.0
_TOLERANCE = 4.0
"""Points by which table borders, hanging commas, and bullets of right-to-left lines may extend into the margin."""


def is_rendered(folder: Path) -> bool:
    """Whether LibreOffice renders every draft correctly. True, with a message, if LibreOffice is not available."""
    if not _has_programs():
        print("Skipped: LibreOffice and poppler-utils are not installed, and only root can install them with apt-get.")
        return True
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    wrong: list[str] = []
    for name, (exported, language, style) in _drafts().items():
        with using_language(language):
            path = folder / f"{name}.docx"
            path.write_bytes(export(exported, ExportFormat.DOCX, citations=style).content)
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    _output(
        "soffice", profile, "--headless", "--convert-to", "pdf", "--outdir", str(folder), *map(str, sorted(folder.glob("*.docx")))
    )
    shutil.rmtree(folder / "profile", ignore_errors=True)
    for name, (exported, _language, style) in _drafts().items():
        pdf = folder / f"{name}.pdf"
        found = list(_faults(exported, pdf, has_footnotes=style is CitationStyle.FOOTNOTES))
        _output("pdftoppm", "-r", "70", "-png", str(pdf), str(folder / name))
        print(f"{name}: {len(list(folder.glob(f'{name}-*.png')))} pages{''.join(f'; {fault}' for fault in found)}")
        wrong += found
    return not wrong


def _drafts() -> dict[str, tuple[DraftRead, str, CitationStyle]]:
    plain = "Harbor & Pine Analytics designs, installs, and operates networks of sensors [1]. " * 6
    long = tuple(
        part(n, f"Section {n}", f"{plain}\n\n- Item {n} [{n % 40 + 1}]\n\n|Name|Value|\n|-|-:|\n" + "|Station|42|\n" * 30)
        for n in range(30)
    )
    sources = tuple(citation(n, f"Document {n}", ("Heading",), n) for n in range(1, 41))
    word = "incomprehensibilities" * 8
    wide = (
        f"{word} https://example.org/{word}\n\n|{'Column|' * 12}\n|{'-|' * 12}\n|{(word[:60] + '|') * 12}\n\n```\n{word}\n```\n"
    )
    hebrew = "שלום עולם [1].\n\n- מים\n\n|שם|ערך|\n|-|-|\n|תחנה|42|"
    footnotes, none = CitationStyle.FOOTNOTES, CitationStyle.NONE
    return {
        "rich": (draft(text=RICH, company="Harbor & Pine Analytics, LLC"), "en", footnotes),
        "rich-de": (draft(text=RICH), "de", footnotes),
        "without-citations": (draft(text=RICH), "en", none),
        "long": (draft(sections=long, citations=sources), "en", footnotes),
        "wide": (draft(text=wide, title="A title " * 30), "fr", footnotes),
        "right-to-left": (draft(text=hebrew, title="שלום"), "en", footnotes),
        "empty": (draft(text=""), "en", footnotes),
    }


def _faults(exported: DraftRead, pdf: Path, *, has_footnotes: bool) -> Iterator[str]:
    """Problems with the pages."""
    fonts = {line.split()[0].rpartition("+")[2].split("-")[0] for line in _output("pdffonts", str(pdf)).splitlines()[2:]}
    if not fonts & {"Carlito", "Calibri"}:
        yield f"none of its fonts {sorted(fonts)} is Calibri's"
    shown = _letters(_output("pdftotext", str(pdf), "-"))
    for section in exported.sections:
        for word in re.findall(r"[A-Za-z]{4,}", re.sub(r"\(http[^)]*\)", "", section.text)):
            if _letters(word) not in shown:
                yield f"“{word[:40]}” of “{section.heading}” is missing"
    cited = {int(number) for section in exported.sections for number in re.findall(r"\[([0-9]+)\]", section.text)}
    for source in exported.citations:
        is_there = _letters(source.document_title) in shown
        if source.number in cited and is_there is not has_footnotes:
            yield f"the footnote “{source.document_title}” is {'there' if is_there else 'missing'}"
    yield from _overflowing(pdf)


def _overflowing(pdf: Path) -> Iterator[str]:
    """Words in a margin. Header and footer are in the outer halves of the top and bottom margins."""
    pages = fromstring(re.sub(r' xmlns="[^"]*"', "", _output("pdftotext", "-bbox", str(pdf), "-")))
    for number, page in enumerate(pages.iter("page"), start=1):
        width, height = float(page.get("width", 0)), float(page.get("height", 0))
        for word in page.iter("word"):
            left, top, right, bottom = (float(word.get(side, 0)) for side in ("xMin", "yMin", "xMax", "yMax"))
            is_beside = left < _INCH - _TOLERANCE or right > width - _INCH + _TOLERANCE
            is_outside = top < _INCH / 2 - _TOLERANCE or bottom > height - _INCH / 2 + _TOLERANCE
            if is_beside or is_outside:
                yield f"“{(word.text or '')[:40]}” on page {number} stands in the margin"


def _letters(text: str) -> str:
    return "".join(character for character in text if character.isalnum())


def _has_programs() -> bool:
    if all(map(shutil.which, PROGRAMS)):
        return True
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return False
    for command in (("update",), ("install", "-y", "--no-install-recommends", *PACKAGES)):
        subprocess.run(["apt-get", "-qq", *command], check=False, stdout=subprocess.DEVNULL)
    return all(map(shutil.which, PROGRAMS))


def _output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout


if __name__ == "__main__":
    sys.exit(not is_rendered(Path(__file__).resolve().parent.parent.parent / "var/soak/rendering"))
