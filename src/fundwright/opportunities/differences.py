"""What a new version changes for the people who watch a notice, in the records of the sources."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from fundwright.core.json_values import JsonObject
from fundwright.core.messages import Message, later
from fundwright.opportunities.schemas import in_words
from fundwright.opportunities.washington import day_in_washington, deadline

_DUE = (
    "ResponseDeadLine", "CloseDate", "close_date", "Deadline", "EstimatedApplicationDueDate", "Est. Application Deadline",
)  # fmt: skip
"""The fields with the deadline, the first of which that has a value applies."""
_BODIES = ("Description", "abstract")
_CANCELED = re.compile(r"\bcancel(?:l?ed|lation)\b", re.IGNORECASE)
_CANCELED_CHARACTERS = 200
"""Agencies say at the beginning of a description that they have canceled a notice."""
_ATTACHED = ("AdditionalInfoLink", "AdditionalInformationURL")

FIELDS: Mapping[str, tuple[Message, str]] = {
    "title": (later("title"), r"Title|OpportunityTitle|title"),
    "description": (later("description"), r"Description|abstract|AdditionalInformationText"),
    "due_note": (later("explanation of the due date"), r"CloseDateExplanation|EstimatedApplicationDueDateExplanation"),
    "type": (later("type"), r"Type|BaseType|FundingInstrumentType|Funding Instrument Type|Status|status|Version"),
    "set_aside": (later("set-aside"), r"SetAside|SetASide|SetASideCode"),
    "codes": (
        later("codes"), r"NaicsCode|ClassificationCode|CFDANumbers|Assistance Listings|cfda_list|CategoryOfFundingActivity",
    ),
    "amounts": (
        later("amounts"),
        r"AwardCeiling|AwardFloor|EstimatedTotalProgramFunding|ExpectedNumberOfAwards|award_ceiling|num_awards"
        r"|Award Ceiling|Award Floor|Est\. .*Awards|Est\. Total Funding",
    ),
    "eligibility": (later("eligibility"), r"EligibleApplicants|AdditionalInformationOnEligibility|.*[Ee]ligib.*"),
    "place": (later("place of performance"), r"Pop.*"),
    "contacts": (later("contacts"), r"PrimaryContact.*|SecondaryContact.*|GrantorContact.*|contact_.*|Contact"),
    "award": (later("award"), r"AwardNumber|AwardDate|Award\$|Awardee"),
    "archive_date": (later("archive date"), r"ArchiveDate|ArchiveType"),
}  # fmt: skip
"""The labels of what can change, by code, and the names of the fields of the sources' records."""
OTHER = "other"
"""The code of all other fields."""
_UNTOLD = re.compile(r"Active|LastUpdatedDate|Last Updated|last_updated.*")
"""Fields that say nothing by themselves."""


@dataclass(frozen=True)
class Version:
    """A version of a notice: the source's record, and the description."""

    raw: JsonObject
    description: str

    @property
    def due_on(self) -> date | None:
        """The day of the deadline in Washington; None if there is none or only words."""
        for name in _DUE:
            if value := in_words(self.raw.get(name) or "").strip():
                due_at, _note = deadline(value)
                return day_in_washington(due_at) if due_at else None
        return None

    @property
    def is_canceled(self) -> bool:
        """Whether the title or the beginning of the description says so."""
        title = next((in_words(self.raw[name]) for name in ("Title", "OpportunityTitle", "title") if self.raw.get(name)), "")
        return bool(_CANCELED.search(title) or _CANCELED.search(self.description[:_CANCELED_CHARACTERS]))

    @property
    def is_inactive(self) -> bool:
        """Whether SAM.gov says so."""
        return in_words(self.raw.get("Active") or "Yes").strip().lower() not in ("yes", "true", "")

    @property
    def _fields(self) -> dict[str, str]:
        """All fields as text, with the body, which may be stored apart from them, always under the same name."""
        fields = {name: in_words(value) for name, value in self.raw.items() if name not in _BODIES}
        return {**fields, "Description": self.description}

    def changed_fields(self, before: Version) -> list[str]:
        """Names of the fields that differ from `before`."""
        mine, others = self._fields, before._fields
        return [name for name in dict.fromkeys([*others, *mine]) if mine.get(name, "") != others.get(name, "")]


@dataclass(frozen=True)
class Difference:
    """What differs between two versions. `fields` are codes of FIELDS, in their order, and OTHER."""

    due_before: date | None
    due_after: date | None
    is_canceled: bool
    is_archived: bool
    is_attachment_added: bool
    fields: tuple[str, ...]

    @property
    def is_due_moved(self) -> bool:
        return self.due_before != self.due_after

    def __bool__(self) -> bool:
        """Whether there is anything to tell."""
        return bool(self.is_due_moved or self.is_canceled or self.is_archived or self.is_attachment_added or self.fields)


def difference(before: Version, after: Version) -> Difference:
    """Compare two versions of a notice."""
    changed = after.changed_fields(before)
    attached = [name for name in changed if name in _ATTACHED]
    codes = {_code_of(name) for name in changed if name not in (*_DUE, *_ATTACHED) and not _UNTOLD.fullmatch(name)}
    is_added = any(after.raw.get(name) and not before.raw.get(name) for name in attached)
    if attached and not is_added:
        codes.add(OTHER)
    return Difference(
        due_before=before.due_on,
        due_after=after.due_on,
        is_canceled=after.is_canceled and not before.is_canceled,
        is_archived=after.is_inactive and not before.is_inactive,
        is_attachment_added=is_added,
        fields=tuple(code for code in (*FIELDS, OTHER) if code in codes),
    )


def _code_of(name: str) -> str:
    return next((code for code, (_label, names) in FIELDS.items() if re.fullmatch(names, name)), OTHER)
