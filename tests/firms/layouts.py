"""The documents of the invented firms in other layouts: the same words in different formatting.

Each layout is a function from the text of a document to another text with the same facts. It changes only what its name says.
It recognizes the parts of a document by the appearance of their lines, independently of the product's code.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator

Layout = Callable[[str], str]

_PAIR = re.compile(r"\s*(?:[-*•] )?(?:\*\*)?([A-Z][A-Za-z0-9 /().'#&-]{1,38}?)(?:\*\*)?\s*(?::(?:\*\*)?|\.{4,})\s+(\S.*?)\s*")
_BARRED = re.compile(r"\s*\|?\s*([^|\s][^|]{1,38}?)\s*\|\s*([^|]+?)\s*\|?\s*")
_COLUMNS = re.compile(r"\s*(\S(?:[^\t]{1,34}?\S)?)(?:\t| {3,})(?! )(\S.*)")
_ITEM = re.compile(r"(\s*)(?:[-*•»\uf0a7]|\d\)|\d\.\d)(\s+)(?=\S)")
_HEADING = re.compile(r"#{1,4} (?P<marked>\S.*)|(?P<large>(?:\d+ {1,3})?[A-Z][A-Z0-9 ,&/'’():.-]{4,60})")
_RULE = re.compile(r"\s*\|?(?:\s*:?-{2,}:?\s*\|)+[\s:-]*|-+(?:\|-+)+")
_SENTENCE_END = re.compile(r"[.!?]\"?\s*$")
_SYNONYMS = {
    "core competencies": "What We Offer",
    "what we do": "Our Services",
    "our services": "Core Capabilities",
    "services": "Areas of Expertise",
    "programs and services": "What We Do",
    "research capabilities": "Expertise",
    "research areas": "Research Focus",
    "differentiators": "What Sets Us Apart",
    "why choose us": "Our Strengths",
    "why agencies call us back": "Competitive Advantages",
    "our distinctive strengths": "Differentiators",
    "what makes our work different": "What Distinguishes Our Work",
    "what makes us different": "Why Us",
    "company data": "Corporate Information",
    "corporate data": "Company Snapshot",
    "company information": "Business Information",
    "fast facts": "Company Facts",
    "registration": "Identifiers",
    "contact": "Point of Contact",
    "reach us": "Contact Information",
    "talk to us": "Get in Touch",
    "about northgate": "Company Overview",
    "about the lab": "Overview",
    "about tallgrass": "Who We Are",
    "who we are": "Company Profile",
    "mission and history": "About Us",
    "facilities and equipment": "Resources",
    "shop and fleet": "Equipment and Facilities",
    "laboratories and field sites": "Facilities",
    "equipment": "Fleet and Equipment",
    "education": "Academic Background",
    "education & licenses": "Qualifications",
    "certifications": "Licenses and Certifications",
    "experience": "Professional Experience",
    "employment": "Work History",
    "work history": "Career History",
    "professional summary": "Profile",
    "summary": "Profile",
    "scope": "Description",
    "scope of services": "Project Description",
    "description of work": "Work Performed",
    "significance": "The Problem",
    "statement of need": "Need for the Project",
    "objectives": "Project Goals",
    "project goal and objectives": "Aims",
    "specific aims": "Objectives",
    "approach": "Methodology",
    "methods": "Work Plan",
    "research plan": "Methods",
    "evaluation": "Measures of Success",
    "evaluation plan": "Outcomes and Evaluation",
    "expected outcomes": "Anticipated Results",
}
_LABEL_SYNONYMS = {
    "customer": "Client",
    "client": "Customer",
    "funder": "Funding agency",
    "grantor": "Awarding agency",
    "sponsor": "Funder",
    "owner": "Client",
    "agency": "Customer",
    "customer name": "Client name",
    "value": "Contract value",
    "total value": "Amount",
    "contract value": "Dollar amount",
    "amount": "Award amount",
    "budget": "Total budget",
    "period of performance": "Dates of performance",
    "period": "Performance period",
    "dates": "Period of performance",
    "term": "Dates",
    "pop": "Period",
    "contract no": "Contract number",
    "contract number": "Contract #",
    "contract": "Contract no.",
    "project title": "Project name",
    "position title": "Job title",
    "role": "Position",
    "proposed position": "Project role",
    "degrees": "Education",
    "certifications": "Certificates",
    "cage": "CAGE Code",
    "cage code": "CAGE",
    "unique entity id": "UEI",
    "naics": "NAICS codes",
    "business size": "Size",
}


def bold_labels(text: str) -> str:
    """“**Value** $742,000”."""
    return _pairs(text, lambda label, value: f"**{label}** {value}")


def dashed_labels(text: str) -> str:
    return _pairs(text, lambda label, value: f"{label} – {value}")


def dotted_labels(text: str) -> str:
    return _pairs(text, lambda label, value: f"{label} {'.' * max(4, 34 - len(label))} {value}")


def barred_labels(text: str) -> str:
    return _pairs(text, lambda label, value: f"{label} | {value}")


def listed_labels(text: str) -> str:
    return _pairs(text, lambda label, value: f"- {label}: {value}")


def tabbed_labels(text: str) -> str:
    return _pairs(text, lambda label, value: f"{label}\t{value}")


def values_below(text: str) -> str:
    return _pairs(text, lambda label, value: f"{label}:\n{value}")


def values_below_plain(text: str) -> str:
    """A label on its own line, without a colon, and a blank line after each value."""
    return _pairs(text, lambda label, value: f"{label}\n{value}\n")


def two_in_a_line(text: str) -> str:
    return _runs(text, lambda pairs: [_spaced(pairs[start : start + 2]) for start in range(0, len(pairs), 2)])


def in_one_paragraph(text: str) -> str:
    """“Customer: City of Holland; Value: $96,400; …”"""
    return _runs(text, lambda pairs: ["; ".join(f"{label}: {value.rstrip('.')}" for label, value in pairs) + "."])


def in_a_table(text: str) -> str:
    """The labels in the first column."""
    return _runs(text, lambda pairs: ["", "| | |", "|---|---|", *(f"| {label} | {value} |" for label, value in pairs), ""])


def other_labels(text: str) -> str:
    return _pairs(text, lambda label, value: f"{_LABEL_SYNONYMS.get(label.casefold().rstrip('.'), label)}: {value}")


def other_headings(text: str) -> str:
    """Headings with other wording."""

    def replaced(line: str) -> str:
        found = _HEADING.fullmatch(line.strip()) or re.fullmatch(r"(?P<marked>[A-Z][\w &'’-]{3,40}):?", line.strip())
        if found is None:
            return line
        name = found["marked"] or found[0]
        bare = re.sub(r"^(?:\d+\.? +|[A-Z]\. +)|[: ]+$", "", name).casefold()
        if bare not in _SYNONYMS:
            return line
        word = _SYNONYMS[bare]
        return line.replace(name, word.upper() if name.isupper() else word)

    return "\n".join(replaced(line) for line in text.splitlines())


def bold_headings(text: str) -> str:
    return _headings(text, lambda name: f"**{_title(name)}**")


def numbered_headings(text: str) -> str:
    place = iter(range(1, 100))
    return _headings(text, lambda name: f"{next(place)}. {_title(name)}")


def large_headings(text: str) -> str:
    return _headings(text, str.upper)


def colon_headings(text: str) -> str:
    return _headings(text, lambda name: f"{_title(name)}:")


def narrow(text: str) -> str:
    """Prose in lines of 60 characters, as in a column of a page."""
    return "\n".join(textwrap.fill(line, 60) if _is_prose(line) else line for line in _joined(text))


def indented(text: str) -> str:
    """Prose that is indented below its heading."""
    return "\n".join(textwrap.indent(textwrap.fill(line, 78), "    ") if _is_prose(line) else line for line in _joined(text))


def without_blank_lines(text: str) -> str:
    """As in text extracted from a PDF."""
    return "\n".join(line for line in text.splitlines() if line.strip() or not text)


def round_bullets(text: str) -> str:
    return _bullets(text, lambda _place: "•")


def hollow_bullets(text: str) -> str:
    return _bullets(text, lambda _place: "o")


def lettered_items(text: str) -> str:
    return _bullets(text, lambda place: f"({'abcdefghijklmnopqrstuvwxyz'[place % 26]})")


def numbered_items(text: str) -> str:
    return _bullets(text, lambda place: f"{place + 1}.")


def unmarked_items(text: str) -> str:
    """One item per line, without markers, below a heading."""
    return "\n".join(_ITEM.sub("", line, count=1) if _ITEM.match(line) else line for line in text.splitlines())


def items_in_one_line(text: str) -> str:
    """Items in one line, separated by semicolons."""
    lines: list[str] = []
    items: list[str] = []
    for line in [*text.splitlines(), ""]:
        mark = _ITEM.match(line)
        if mark and not _PAIR.fullmatch(line):
            items.append(line[mark.end() :].strip().rstrip("."))
            continue
        if items and line.startswith("  ") and line.strip():
            items[-1] += f" {line.strip()}"
            continue
        if items:
            lines.append("; ".join(items) + ".")
            items = []
        lines.append(line)
    return "\n".join(lines[:-1])


def sections_reversed(text: str) -> str:
    """The last section first; text above the first heading stays."""
    parts: list[list[str]] = [[]]
    for line in text.splitlines():
        if _HEADING.fullmatch(line.strip()) and len(parts[-1]) > 1:
            parts.append([])
        parts[-1].append(line)
    return "\n".join("\n".join(part).strip("\n") + "\n" for part in [parts[0], *reversed(parts[1:])])


def tables_as_blocks(text: str) -> str:
    """Each row of a table as a block of labeled values."""

    def turned(columns: list[str], rows: list[list[str]]) -> list[str]:
        return [
            line
            for row in rows
            for line in ("", *(f"{label}: {value}" for label, value in zip(columns, row, strict=True) if value))
        ]

    return _tables(text, turned)


def tables_transposed(text: str) -> str:
    """A column for each row, with the column headers in the first one."""

    def turned(columns: list[str], rows: list[list[str]]) -> list[str]:
        lines = [f"| {' | '.join(cells)} |" for cells in zip(columns, *rows, strict=True)]
        return [lines[0], "|" + "---|" * (len(rows) + 1), *lines[1:]]

    return _tables(text, turned)


def tables_with_tabs(text: str) -> str:
    return _tables(text, lambda columns, rows: ["\t".join(cells) for cells in [columns, *rows]])


LAYOUTS: dict[str, Layout] = {
    each.__name__: each
    for each in (
        *(
            bold_labels,
            dashed_labels,
            dotted_labels,
            barred_labels,
            listed_labels,
            tabbed_labels,
            values_below,
            values_below_plain,
        ),
        *(two_in_a_line, in_one_paragraph, in_a_table, other_labels),
        *(other_headings, bold_headings, numbered_headings, large_headings, colon_headings),
        *(narrow, indented, without_blank_lines, sections_reversed),
        *(round_bullets, hollow_bullets, lettered_items, numbered_items, unmarked_items, items_in_one_line),
        *(tables_as_blocks, tables_transposed, tables_with_tabs),
    )
}


def _labeled(line: str) -> tuple[str, str] | None:
    if _RULE.fullmatch(line) or "://" in line:
        return None
    found = _PAIR.fullmatch(line)
    if found is None and line.count("|") in (1, 3):
        found = _BARRED.fullmatch(line)
    if found is None and line.strip().count("\t") == 1:
        found = _COLUMNS.fullmatch(line)
    if found is None or len(found[1].split()) > 5 or not re.search("[A-Za-z]", found[1]) or _several(line):
        return None
    if found[1].casefold() in ("item", "goal") or found[1].startswith(("Objective", "Aim")) or "@" in found[1]:
        return None
    return " ".join(found[1].split()).strip("*"), found[2].strip().strip("*")


def _several(line: str) -> bool:
    return len(re.findall(r"[A-Z]\w+: ", line)) > 1


def _pairs(text: str, look: Callable[[str, str], str]) -> str:
    return _runs(text, lambda pairs: [look(label, value) for label, value in pairs])


def _runs(text: str, look: Callable[[list[tuple[str, str]]], list[str]]) -> str:
    """Reformats runs of lines with labeled values. A line is joined with the indented line that continues it."""
    lines: list[str] = []
    pairs: list[tuple[str, str]] = []
    for line in [*text.splitlines(), "\0"]:
        pair = _labeled(line)
        if pair:
            pairs.append(pair)
            continue
        if pairs and (_RULE.fullmatch(line) or (re.fullmatch(r"[\s|]+", line) and line.strip())):
            continue
        if pairs:
            lines += look(pairs)
            pairs = []
        lines.append(line)
    text = "\n".join(lines[:-1])
    return re.sub(r"\| \| \|\n\|---\|---\|\n\n\| \| \|", "| | |", text)


def _spaced(pairs: list[tuple[str, str]]) -> str:
    return "        ".join(f"{label}: {value}" for label, value in pairs)


def _title(name: str) -> str:
    return name.title() if name.isupper() else name


def _headings(text: str, look: Callable[[str], str]) -> str:
    lines = text.splitlines()
    for place, line in enumerate(lines):
        found = _HEADING.fullmatch(line.strip())
        is_title = not any(before.strip() for before in lines[:place])
        if found and not is_title and not _PAIR.fullmatch(line) and not re.search(r"\d{3}|@", line):
            lines[place] = look(re.sub(r"^\d+ +", "", (found["marked"] or found[0]).strip()))
    return "\n".join(lines)


def _bullets(text: str, mark: Callable[[int], str]) -> str:
    lines: list[str] = []
    place = 0
    for line in text.splitlines():
        found = _ITEM.match(line)
        lines.append(f"{found[1]}{mark(place)}{found[2]}{line[found.end() :]}" if found else line)
        place = place + 1 if found or line.startswith("  ") else 0
    return "\n".join(lines)


def _joined(text: str) -> Iterator[str]:
    """Lines, with those of a paragraph of prose joined into one."""
    paragraph: list[str] = []
    for line in [*text.splitlines(), ""]:
        follows = bool(paragraph) and not line.startswith((" ", "\t", "-", "*", "•", "#", "|", ">"))
        if line.strip() and (follows or (len(line) > 60 and not _is_laid_out(line))):
            if follows and (_is_laid_out(line) or (_SENTENCE_END.search(paragraph[-1]) and len(paragraph[-1]) < 60)):
                yield " ".join(paragraph)
                paragraph = []
                if len(line) <= 60 or _is_laid_out(line):
                    yield line
                    continue
            paragraph.append(line.strip())
            continue
        if paragraph:
            yield " ".join(paragraph)
            paragraph = []
        yield line


def _is_laid_out(line: str) -> bool:
    return bool(
        _ITEM.match(line)
        or "|" in line
        or "\t" in line
        or "    " in line.strip()
        or _labeled(line)
        or _HEADING.fullmatch(line.strip())
    )


def _is_prose(line: str) -> bool:
    return len(line) > 60 and not _is_laid_out(line)


def _tables(text: str, look: Callable[[list[str], list[list[str]]], list[str]]) -> str:
    """Reformats tables with three or more columns."""
    lines: list[str] = []
    rows: list[list[str]] = []
    for line in [*text.splitlines(), ""]:
        if line.count("|") >= 2 and not _RULE.fullmatch(line) and len(cells := line.strip().strip("|").split("|")) > 2:
            rows.append([cell.strip() for cell in cells])
            continue
        if rows and _RULE.fullmatch(line):
            continue
        if rows:
            is_table = len(rows) > 1 and len({len(row) for row in rows}) == 1
            lines += look(rows[0], rows[1:]) if is_table else [" | ".join(row) for row in rows]
            rows = []
        lines.append(line)
    return "\n".join(lines[:-1])
