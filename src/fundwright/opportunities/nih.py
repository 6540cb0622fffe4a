"""Reads NIH funding opportunities, one JSON object per line (`nih_posted.jsonl`, `nih_forecasted.jsonl`)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import BinaryIO, cast

from fundwright.core.json_values import JsonObject
from fundwright.core.messages import t
from fundwright.opportunities import reading
from fundwright.opportunities.json_lines import published, read_json_lines, texts
from fundwright.opportunities.reading import UnreadableFile, clean
from fundwright.opportunities.schemas import Kind, Status
from fundwright.opportunities.sources import ParsedNotice, RejectedRow
from fundwright.opportunities.washington import deadline

_TYPES = {
    "RFA": "Request for Applications",
    "PAR": "Program Announcement",
    "PAS": "Program Announcement",
    "PA": "Program Announcement",
    "NOT": "Notice",
    "OTA": "Other Transaction",
    "OT2": "Other Transaction",
}


class NihJsonLines:
    name = "nih"
    label = "NIH funding opportunities"
    kind: Kind = "grant"
    file_suffixes: tuple[str, ...] = (".jsonl",)

    def parse(self, stream: BinaryIO) -> Iterator[ParsedNotice | RejectedRow]:
        is_known = False
        for line, row in read_json_lines(reading.bounded_lines(stream)):
            if isinstance(row, RejectedRow):
                yield row
                continue
            if not is_known and not {"opportunity_id", "title"} & row.keys():
                raise UnreadableFile(
                    t(
                        "This is not a file of NIH opportunities: its first row has neither opportunity_id nor title. Choose "
                        "nih_posted.jsonl or nih_forecasted.jsonl, or another format."
                    )
                )
            is_known = True
            yield _notice(line, row)


def _notice(line: int, row: JsonObject) -> ParsedNotice | RejectedRow:
    raw = published(row)
    external_id, title = clean(raw.get("opportunity_id")), reading.name(clean(raw.get("title")))
    posted_at = reading.posted_at_or_rejection(
        line, id=("opportunity_id", external_id), title=("title", title), posted=("post_date", clean(raw.get("post_date")))
    )
    if isinstance(posted_at, RejectedRow):
        return posted_at
    due_at, due_note = deadline(clean(raw.get("close_date")))
    status: Status = "forecasted" if clean(raw.get("status")).lower().startswith("forecast") else "posted"
    number = clean(raw.get("number"))
    content = json.dumps(raw, ensure_ascii=False, sort_keys=True)
    description = reading.description(raw, "abstract", clean(raw.get("abstract")))
    contact = {
        key: value for key, name in (("name", "contact_name"), ("email", "contact_email")) if (value := clean(raw.get(name)))
    }
    return ParsedNotice(
        line=line,
        external_id=external_id,
        title=title,
        posted_at=posted_at,
        content=content,
        raw=raw,
        number=number,
        agency=clean(raw.get("agency_name")) or "National Institutes of Health",
        sub_agency=clean(raw.get("institute")),
        office=", ".join(texts(raw.get("participating_icos"))),
        type="Forecast" if status == "forecasted" else _TYPES.get(number.split("-")[0], "Funding Opportunity"),
        status=status,
        activity_codes=reading.activity_codes(title),
        assistance_listings=_listings(raw.get("cfda_list")),
        due_at=due_at,
        due_note=due_note,
        closes_at=due_at,
        contacts=[contact] if contact else [],
        award_ceiling=reading.amount(raw.get("award_ceiling")),
        expected_awards=reading.count(raw.get("num_awards")),
        description=description,
        url=reading.web_address(clean(raw.get("url"))),
    )


def _listings(value: object) -> list[str]:
    found: list[str] = []
    for item in cast(list[object], value) if isinstance(value, list) else []:
        number = clean(cast(dict[str, object], item).get("number")) if isinstance(item, dict) else clean(item)
        if number:
            found.append(number)
    return list(dict.fromkeys(found))
