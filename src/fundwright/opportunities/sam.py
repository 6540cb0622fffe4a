"""Reads SAM.gov Contract Opportunities, the bulk file `ContractOpportunitiesFullCSV.csv` (47 columns, cp1252, all values quoted), as
published or as a spreadsheet program has saved it."""

from __future__ import annotations

import csv
import re
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO

from fundwright.core.json_values import JsonObject
from fundwright.core.messages import t
from fundwright.opportunities import reading
from fundwright.opportunities.reading import UnreadableFile, clean, damage
from fundwright.opportunities.schemas import NEVER_OPEN, Kind
from fundwright.opportunities.sources import ParsedNotice, RejectedRow
from fundwright.opportunities.washington import deadline, moment

_COLUMNS = (
    "NoticeId", "Title", "Sol#", "Department/Ind.Agency", "CGAC", "Sub-Tier", "FPDS Code", "Office", "AAC Code", "PostedDate", "Type",
    "BaseType", "ArchiveType", "ArchiveDate", "SetASideCode", "SetASide", "ResponseDeadLine", "NaicsCode", "ClassificationCode",
    "PopStreetAddress", "PopCity", "PopState", "PopZip", "PopCountry", "Active", "AwardNumber", "AwardDate", "Award$", "Awardee",
    "PrimaryContactTitle", "PrimaryContactFullname", "PrimaryContactEmail", "PrimaryContactPhone", "PrimaryContactFax",
    "SecondaryContactTitle", "SecondaryContactFullname", "SecondaryContactEmail", "SecondaryContactPhone", "SecondaryContactFax",
    "OrganizationType", "State", "City", "ZipCode", "CountryCode", "AdditionalInfoLink", "Link", "Description",
)  # fmt: skip
_REQUIRED = ("NoticeId", "Title", "PostedDate")
_SEPARATORS = ",;\t|"
_SEPARATOR_LINE = re.compile(r'"?sep=([^\w\s"]|\t)"?\s*', re.IGNORECASE)
"""The first line of files that say to spreadsheet programs how their columns are separated."""
_HEADER_LINES = 20
"""A spreadsheet may have a title above its header."""
_NOT_IN_NAME = re.compile(r"[\W_]+")
_FORMULA = re.compile(r'=(?:HYPERLINK\("((?:[^"]|"")*)"[,;] ?)?"((?:[^"]|"")*)"\)?', re.IGNORECASE)
"""A link with its label, or a text that a spreadsheet program is not to take for a number."""
_LINKS = ("Link", "AdditionalInfoLink")
_PSC_IN_TITLE = re.compile(r"([0-9]{2}|[A-Z])--")
_NO_SET_ASIDE = frozenset({"", "NONE", "[]", "null"})
_MAX_RECORD_CHARACTERS = 2_000_000
_CONTACTS = ("Primary", "Secondary")


class SamCsv:
    name = "sam"
    label = "SAM.gov contract opportunities"
    kind: Kind = "contract"
    file_suffixes: tuple[str, ...] = (".csv",)

    def parse(self, stream: BinaryIO) -> Iterator[ParsedNotice | RejectedRow]:
        lines = reading.lines(reading.bounded_lines(stream))
        header = _read_header(lines)
        names = header.names
        records = _Records(lines, header)
        others = [name for name in names if name not in _COLUMNS]
        for line, record in records:
            if not isinstance(record, list):
                yield RejectedRow(line, "", record)
            elif not any(text.strip() for text in record):
                continue  # spreadsheet programs save blank rows
            elif len(record) != len(names):
                records.skip_to_next_record()
                yield RejectedRow(
                    line,
                    str(min(len(record), len(names)) + 1),
                    t("The row has {found} columns instead of {wanted}.", found=len(record), wanted=len(names)),
                )
            else:
                row = {name: _value(name, text) for name, text in zip(names, record, strict=True)}
                yield _notice(line, row, others)


@dataclass(frozen=True)
class _Header:
    line: int
    separator: str
    names: list[str]
    """Those of `_COLUMNS`, and other ones as they are."""

    @property
    def missing(self) -> list[str]:
        return [name for name in _REQUIRED if name not in self.names]


def _read_header(lines: Iterator[str]) -> _Header:
    """Read up to the header row and find out how the columns are separated. Raises UnreadableFile if it lacks a required column."""
    separators = _SEPARATORS
    best = _Header(0, ",", [])
    for number, line in enumerate(islice(lines, _HEADER_LINES), start=1):
        if declared := _SEPARATOR_LINE.fullmatch(line):
            separators = declared[1] + _SEPARATORS
            continue
        for separator in separators:
            header = _Header(number, separator, _names(line, separator))
            if not header.missing:
                return header
            best = min(best, header, key=lambda each: len(each.missing))
    raise UnreadableFile(
        t(
            "This is not a SAM.gov bulk file: its header row lacks {missing}. Columns must be separated by commas, semicolons, tabs, or "
            "vertical bars. Choose the file ContractOpportunitiesFullCSV.csv, or another format.",
            missing=", ".join(best.missing),
        )
    )


def _names(line: str, separator: str) -> list[str]:
    """The names in a header row. A name that occurs again gets a number, and one that is missing is that of its place."""
    try:
        texts = next(csv.reader([line], delimiter=separator), [])
    except csv.Error:
        return []
    names: list[str] = []
    counts: Counter[str] = Counter()
    for place, text in enumerate(texts, start=1):
        name = _BY_KEY.get(_key(text)) or clean(text) or f"Column {place}"
        counts[name] += 1
        names.append(name if counts[name] == 1 else f"{clean(text)} ({counts[name]})")
    return names


def _key(name: str) -> str:
    return _NOT_IN_NAME.sub("", name).casefold()


_BY_KEY = {_key(name): name for name in _COLUMNS}


def _value(name: str, text: str) -> str:
    if text.startswith("=") and (formula := _FORMULA.fullmatch(text.strip())):
        link, label = formula.groups()
        text = (link if link and name in _LINKS else label).replace('""', '"')
    return text


class _Records:
    """CSV records with the line on which each begins. An unclosed quote costs its own record, not the whole file."""

    def __init__(self, lines: Iterator[str], header: _Header) -> None:
        self._lines = lines
        self._separator = header.separator
        self._record_start = re.compile(rf'"?[0-9A-Za-z-]{{8,64}}"?{re.escape(header.separator)}')
        self._waiting: deque[str] = deque()
        self._taken: list[str] = []
        self._taken_characters = 0
        self._line = header.line
        self._reader = csv.reader(self._feed(), delimiter=self._separator)

    def __iter__(self) -> Iterator[tuple[int, list[str] | str]]:
        while True:
            self._taken.clear()
            self._taken_characters = 0
            start = self._line + 1
            try:
                record = next(self._reader)
            except StopIteration:
                return
            except csv.Error:
                self.skip_to_next_record()
                yield start, t("The row cannot be read as CSV. Is a quotation mark missing?")
            except (EOFError, OSError) as error:
                yield (
                    self._line + 1,
                    t("The file ends unexpectedly here ({error}). The rows before it were read.", error=damage(error)),
                )
                return
            else:
                if record:
                    yield start, record

    def skip_to_next_record(self) -> None:
        """After a bad record that spans lines, continue at the first of its lines that looks like the start of a record."""
        for index, line in enumerate(self._taken[1:], start=1):
            if self._record_start.match(line):
                returned = self._taken[index:]
                self._waiting.extendleft(reversed(returned))
                self._line -= len(returned)
                break
        self._reader = csv.reader(self._feed(), delimiter=self._separator)

    def _feed(self) -> Iterator[str]:
        while True:
            line = self._waiting.popleft() if self._waiting else next(self._lines, None)
            if line is None:
                return
            self._line += 1
            self._taken.append(line)
            self._taken_characters += len(line)
            if self._taken_characters > _MAX_RECORD_CHARACTERS:
                raise csv.Error("it has no end")
            yield line


def _notice(line: int, row: dict[str, str], others: list[str]) -> ParsedNotice | RejectedRow:
    external_id, title = row["NoticeId"].strip(), reading.name(row["Title"])
    if not external_id:
        return RejectedRow(line, "NoticeId", t("The notice has no NoticeId."))
    if len(external_id) > 200:
        return RejectedRow(line, "NoticeId", t("The NoticeId is longer than 200 characters."))
    if not title:
        return RejectedRow(line, "Title", t("The notice has no title."))
    posted = row["PostedDate"]
    posted_at = moment(posted)
    if posted_at is None:
        reason = t("“{text}” is not a date.", text=posted[:60]) if posted else t("The notice has no posted date.")
        return RejectedRow(line, "PostedDate", reason)
    due_at, due_note = deadline(row.get("ResponseDeadLine", "").strip())
    archive_at = moment(row.get("ArchiveDate", ""), end_of_day=True)
    type_ = row.get("Type", "").strip()
    code = _set_aside_code(row.get("SetASideCode", ""))
    psc = row.get("ClassificationCode", "").strip()
    if not psc and (group := _PSC_IN_TITLE.match(title)):
        psc = group[1]
    raw: JsonObject = {name: value for name, value in row.items() if value}
    if awardee := row.get("Awardee"):
        raw["Awardee"] = reading.name(awardee)
    description = reading.description(raw, "Description", row.get("Description", ""))
    return ParsedNotice(
        line=line,
        external_id=external_id,
        title=title,
        posted_at=posted_at,
        content="\x1f".join([row.get(name, "") for name in _COLUMNS] + [row[name] for name in others if row[name]]),
        raw=raw,
        unused_columns=tuple(name for name in others if row[name]),
        number=row.get("Sol#", "").strip(),
        agency=row.get("Department/Ind.Agency", "").strip(),
        sub_agency=row.get("Sub-Tier", "").strip(),
        office=row.get("Office", "").strip(),
        type=type_,
        status="posted" if row.get("Active", "Yes").strip().lower() in ("yes", "true", "") else "archived",
        naics=row.get("NaicsCode", "").strip(),
        psc=psc,
        set_aside_code=code,
        set_aside=row.get("SetASide", "").strip() if code else "",
        due_at=due_at,
        due_note=due_note,
        archive_at=archive_at,
        closes_at=posted_at if type_ in NEVER_OPEN else due_at or archive_at,
        place=_joined(row, "PopCity", "PopState", "PopZip", "PopCountry"),
        contacts=_contacts(row),
        award_amount=reading.amount(row.get("Award$", "")),
        description=description,
        url=reading.web_address(row.get("Link", "")),
    )


def _set_aside_code(text: str) -> str:
    """Return `SBA` for `SBA` and `["SBA"]`; '' and NONE both mean none."""
    code = clean(text).strip("[]\" '")
    return "" if code.upper() in _NO_SET_ASIDE else code


def _contacts(row: dict[str, str]) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    for prefix in _CONTACTS:
        contact = {
            key: value
            for key, column in (("name", "Fullname"), ("title", "Title"), ("email", "Email"), ("phone", "Phone"), ("fax", "Fax"))
            if (value := row.get(f"{prefix}Contact{column}", "").strip())
        }
        if contact:
            found.append(contact)
    return found


def _joined(row: dict[str, str], *names: str) -> str:
    return ", ".join(value for name in names if (value := row.get(name, "").strip()))
