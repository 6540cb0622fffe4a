"""Reads Grants.gov opportunities: the XML extract `GrantsDBExtract…xml`, or rows of Simpler.Grants.gov as JSON lines.

The rows of the extract are `OpportunitySynopsisDetail_1_0` and `OpportunityForecastDetail_1_0` in the namespace
`http://apply.grants.gov/system/OpportunityDetail-V1.0`. Dates are MMDDYYYY, HTML is escaped twice, and some elements repeat.

Each row is extracted from the stream and parsed separately. A broken row therefore affects nothing else, memory use is constant,
and entity declarations in the file never reach the parser, so no entity can expand.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO
from xml.parsers import expat

from fundwright.core.json_values import JsonObject
from fundwright.core.messages import t
from fundwright.opportunities import reading
from fundwright.opportunities.json_lines import published, read_json_lines
from fundwright.opportunities.reading import UnreadableFile, clean, damage
from fundwright.opportunities.schemas import Kind, Status
from fundwright.opportunities.sources import ParsedNotice, RejectedRow
from fundwright.opportunities.washington import deadline, moment

_CHUNK_BYTES = 256 * 1024
_MAX_ROW_BYTES = 8_000_000
_LONGEST_TAG_BYTES = 200
_STATUSES: dict[str, Status] = {"Synopsis": "posted", "Forecast": "forecasted"}
_ROW_START = re.compile(rb"<(?:[\w.-]+:)?Opportunity(Synopsis|Forecast)Detail_1_0(?=[\s>/])")
_ROW_END = re.compile(rb"</(?:[\w.-]+:)?Opportunity(?:Synopsis|Forecast)Detail_1_0\s*>")
_FILE_END = re.compile(rb"</(?:[\w.-]+:)?Grants\s*>\s*\Z")
_INSTRUMENTS = {
    "G": "Grant",
    "CA": "Cooperative Agreement",
    "PC": "Procurement Contract",
    "O": "Other",
    "grant": "Grant",
    "cooperative_agreement": "Cooperative Agreement",
    "procurement_contract": "Procurement Contract",
    "other": "Other",
}
_LISTING = re.compile(r"\b\d\d\.\w{2,4}\b(?=\|)")
_SIMPLER_ID = re.compile(r"/opportunity/([0-9a-fA-F-]{36})")

_Fields = dict[str, list[str]]


class GrantsGov:
    name = "grants"
    label = "Grants.gov funding opportunities"
    kind: Kind = "grant"
    file_suffixes: tuple[str, ...] = (".xml", ".jsonl")

    def parse(self, stream: BinaryIO) -> Iterator[ParsedNotice | RejectedRow]:
        start = stream.readline(_CHUNK_BYTES)
        while start and not start.strip():
            start = stream.readline(_CHUNK_BYTES)
        begins = start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
        if begins == b"<":
            yield from _xml_notices(start, stream)
        elif begins == b"{":
            yield from _json_notices(chain((start,), reading.bounded_lines(stream)))
        else:
            raise UnreadableFile(
                t(
                    "This is neither a Grants.gov XML extract nor a file of JSON lines. Choose GrantsDBExtract….xml, or "
                    "another format."
                )
            )


def _xml_notices(start: bytes, stream: BinaryIO) -> Iterator[ParsedNotice | RejectedRow]:
    has_rows = False
    for line, status, row in _cut_rows(start, stream):
        has_rows = True
        if isinstance(row, str):
            yield RejectedRow(line, "", row)
            continue
        try:
            fields = _fields(row)
        except expat.ExpatError as error:
            column = str(error.offset + 1)
            yield RejectedRow(line + error.lineno - 1, column, t("The XML is invalid here."))
        else:
            yield _extract_notice(line, status, fields)
    if not has_rows:
        raise UnreadableFile(
            t(
                "This is not a Grants.gov extract: it contains no OpportunitySynopsisDetail_1_0. Choose "
                "GrantsDBExtract….xml, or another format."
            )
        )


def _cut_rows(start: bytes, stream: BinaryIO) -> Iterator[tuple[int, Status, bytes | str]]:
    """Yield (line, status, the row's XML or the reason why there is none)."""
    buffer, line, is_over, has_rows = start, 1, False, False
    while True:
        opening = _ROW_START.search(buffer)
        if opening is None:
            if is_over:
                if has_rows and not _FILE_END.search(buffer):
                    yield (
                        line + buffer.count(b"\n"),
                        "posted",
                        t("The file ends unexpectedly here. The rows before it were read."),
                    )
                return
            kept = buffer[-_LONGEST_TAG_BYTES:]
            line += buffer.count(b"\n", 0, len(buffer) - len(kept))
            buffer = kept
        else:
            has_rows = True
            line += buffer.count(b"\n", 0, opening.start())
            buffer = buffer[opening.start() :]
            status = _STATUSES[opening[1].decode()]
            closing = _ROW_END.search(buffer)
            following = _ROW_START.search(buffer, 1)
            end: int | None = None
            if closing is not None and (following is None or closing.start() < following.start()):
                end = closing.end()
                yield line, status, buffer[:end]
            elif following is not None:
                end = following.start()
                yield line, status, t("The row is not closed before the next one starts.")
            elif is_over:
                yield line, status, t("The file ends unexpectedly inside this row. The rows before it were read.")
                return
            elif len(buffer) > _MAX_ROW_BYTES:
                end = len(buffer) - _LONGEST_TAG_BYTES
                yield line, status, t("The row is larger than 8 MB.")
            if end is not None:
                line += buffer.count(b"\n", 0, end)
                buffer = buffer[end:]
                continue
        try:
            chunk = stream.read(_CHUNK_BYTES)
        except (EOFError, OSError) as error:
            yield (
                line,
                "posted",
                t("The file ends unexpectedly here ({error}). The rows before it were read.", error=damage(error)),
            )
            return
        buffer += chunk
        is_over = not chunk


def _fields(row: bytes) -> _Fields:
    """The row's child elements, each with its texts in order. Raises ExpatError."""
    fields: _Fields = defaultdict(list)
    text: list[str] = []
    depth = 0

    def start(name: str, _attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth == 2:
            text.clear()

    def end(name: str) -> None:
        nonlocal depth
        if depth == 2 and (value := clean("".join(text))):
            fields[name.rpartition(":")[2]].append(value)
        depth -= 1

    try:
        decoded = row.decode()
    except UnicodeDecodeError:
        decoded = row.decode("cp1252", errors="replace")
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text.append
    parser.Parse(decoded, True)
    return dict(fields)


def _extract_notice(line: int, status: Status, fields: _Fields) -> ParsedNotice | RejectedRow:
    def first(name: str) -> str:
        return fields.get(name, [""])[0]

    if first("Version").startswith("Forecast"):
        status = "forecasted"
    external_id, title = first("OpportunityID"), reading.name(first("OpportunityTitle"))
    posted_at = reading.posted_at_or_rejection(
        line, id=("OpportunityID", external_id), title=("OpportunityTitle", title), posted=("PostDate", first("PostDate"))
    )
    if isinstance(posted_at, RejectedRow):
        return posted_at
    due = first("CloseDate") or (first("EstimatedApplicationDueDate") if status == "forecasted" else "")
    due_at, due_note = deadline(due)
    note = first("CloseDateExplanation") or first("EstimatedApplicationDueDateExplanation")
    archive_at = moment(first("ArchiveDate"), end_of_day=True)
    raw: JsonObject = {name: values[0] if len(values) == 1 else values for name, values in fields.items()}
    content = json.dumps([status, raw], ensure_ascii=False, sort_keys=True)
    description = reading.description(raw, "Description", first("Description"))
    agency_code = first("AgencyCode")
    contact = {
        key: value
        for key, name in (
            ("name", "GrantorContactText"),
            ("title", "GrantorContactEmailDescription"),
            ("email", "GrantorContactEmail"),
            ("phone", "GrantorContactPhoneNumber"),
        )
        if (value := reading.plain_text(first(name)))
    }
    instruments = [_INSTRUMENTS.get(code, code) for code in fields.get("FundingInstrumentType", [])]
    return ParsedNotice(
        line=line,
        external_id=external_id,
        title=title,
        posted_at=posted_at,
        content=content,
        raw=raw,
        number=first("OpportunityNumber"),
        agency=reading.plain_text(first("AgencyName")) or agency_code,
        sub_agency=agency_code,
        type="Forecast" if status == "forecasted" else ", ".join(dict.fromkeys(instruments)) or "Funding Opportunity",
        status=status,
        activity_codes=reading.activity_codes(title) if agency_code.startswith("HHS") else [],
        assistance_listings=list(dict.fromkeys(fields.get("CFDANumbers", []))),
        due_at=due_at,
        due_note=", ".join(filter(None, (due_note, reading.plain_text(note)))),
        archive_at=archive_at,
        closes_at=due_at or archive_at,
        contacts=[contact] if contact else [],
        award_ceiling=reading.amount(first("AwardCeiling")),
        award_floor=reading.amount(first("AwardFloor")),
        total_funding=reading.amount(first("EstimatedTotalProgramFunding")),
        expected_awards=reading.count(first("ExpectedNumberOfAwards")),
        eligibility=reading.plain_text(first("AdditionalInformationOnEligibility")),
        description=description,
        url=f"https://www.grants.gov/search-results-detail/{external_id}" if external_id.isdecimal() else "",
    )


def _json_notices(lines: Iterator[bytes]) -> Iterator[ParsedNotice | RejectedRow]:
    is_known = False
    for line, row in read_json_lines(lines):
        if isinstance(row, RejectedRow):
            yield row
            continue
        if not is_known and not {"Opportunity ID", "Title"} & row.keys():
            raise UnreadableFile(
                t(
                    "This is not a Simpler.Grants.gov file: its first row has neither “Opportunity ID” nor “Title”. "
                    "Choose another format."
                )
            )
        is_known = True
        yield _simpler_notice(line, row)


def _simpler_notice(line: int, row: JsonObject) -> ParsedNotice | RejectedRow:
    raw = published(row)

    def text(name: str) -> str:
        return clean(raw.get(name))

    number, title, url = text("Opportunity ID"), reading.name(text("Title")), reading.web_address(text("URL"))
    match = _SIMPLER_ID.search(url)
    external_id = match[1].lower() if match else number
    posted_at = reading.posted_at_or_rejection(
        line, id=("Opportunity ID", external_id), title=("Title", title), posted=("Post Date", text("Post Date"))
    )
    if isinstance(posted_at, RejectedRow):
        return posted_at
    status: Status = "forecasted" if text("Status").lower().startswith("forecast") else "posted"
    due_at, due_note = deadline(text("Deadline") or text("Est. Application Deadline"))
    content = json.dumps(raw, ensure_ascii=False, sort_keys=True)
    description = reading.description(raw, "Description", text("Description"))
    contact = text("Contact")
    instruments = [_INSTRUMENTS.get(part.strip(), part.strip()) for part in text("Funding Instrument Type").split(",")]
    return ParsedNotice(
        line=line,
        external_id=external_id,
        title=title,
        posted_at=posted_at,
        content=content,
        raw=raw,
        number=number,
        agency=text("Agency"),
        type="Forecast" if status == "forecasted" else ", ".join(filter(None, sorted(set(instruments)))) or "Funding Opportunity",
        status=status,
        assistance_listings=list(dict.fromkeys(_LISTING.findall(text("Assistance Listings")))),
        due_at=due_at,
        due_note=due_note,
        closes_at=due_at,
        contacts=[{"email" if "@" in contact else "name": contact}] if contact else [],
        award_ceiling=reading.amount(text("Award Ceiling")),
        total_funding=reading.amount(text("Est. Total Funding")),
        expected_awards=reading.count(text("Est. # of Awards")),
        eligibility=reading.plain_text(text("Additional Information on Eligibility")),
        description=description,
        url=url,
    )
