"""The interface of opportunity sources: a source reads a published file and yields its notices one by one.

Plug-ins add sources with the hook `opportunity_sources`; ours are in `sam`, `grants`, and `nih`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import BinaryIO, Protocol

from fundwright.core.json_values import JsonObject
from fundwright.opportunities.schemas import Kind, Status


@dataclass(slots=True, kw_only=True)
class ParsedNotice:
    """A notice as its source published it. Texts are plain text, times have a time zone, and amounts are in US dollars."""

    line: int
    """The line of the file on which the notice begins, from 1."""
    external_id: str
    """The source's identifier of the notice, unique within the source."""
    title: str
    posted_at: datetime
    content: str
    """Everything that counts as content, in a stable form. If it differs, the notice has changed."""
    raw: JsonObject
    """The record's non-empty fields as published, without the body when `description` is that body verbatim."""
    number: str = ""
    agency: str = ""
    sub_agency: str = ""
    office: str = ""
    type: str = ""
    status: Status = "posted"
    naics: str = ""
    psc: str = ""
    set_aside_code: str = ""
    set_aside: str = ""
    activity_codes: list[str] = field(default_factory=list[str])
    assistance_listings: list[str] = field(default_factory=list[str])
    due_at: datetime | None = None
    due_note: str = ""
    """The deadline as text, if the source does not give a date or time."""
    archive_at: datetime | None = None
    closes_at: datetime | None = None
    """When responses are no longer accepted. None: open as long as the notice is posted."""
    place: str = ""
    contacts: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    award_amount: Decimal | None = None
    award_ceiling: Decimal | None = None
    award_floor: Decimal | None = None
    total_funding: Decimal | None = None
    expected_awards: int | None = None
    eligibility: str = ""
    description: str = ""
    url: str = ""
    unused_columns: tuple[str, ...] = ()
    """The columns with a value that the format does not have. They are only in `raw`."""


@dataclass(frozen=True, slots=True)
class RejectedRow:
    """A row that cannot be imported, and the reason. `column` is the name or number of the field, or '' for the whole row."""

    line: int
    column: str
    reason: str


class Source(Protocol):
    """A format of published notices."""

    name: str
    """The name in `fundwright import NAME` and in the API."""
    label: str
    kind: Kind
    file_suffixes: tuple[str, ...]
    """File name extensions of this format in lower case, without `.gz` or `.zip`."""

    def parse(self, stream: BinaryIO) -> Iterator[ParsedNotice | RejectedRow]:
        """Read an uncompressed stream from its beginning, in constant memory.

        Yields rejections for unreadable rows and continues. Raises UnreadableFile if the file has another format.
        """
        ...
