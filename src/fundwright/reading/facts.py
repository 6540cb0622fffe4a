"""What documents say about an organization in a fixed form: data, certifications, contacts, people, and projects."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from fundwright.core.messages import t


class FactKind(StrEnum):
    DETAIL = "detail"
    """A labeled value, such as a UEI, a NAICS code, or the number of employees."""
    CERTIFICATION = "certification"
    CONTACT = "contact"
    PERSON = "person"
    PROJECT = "project"


class FactField(StrEnum):
    LABEL = "label"
    VALUE = "value"
    NAME = "name"
    ROLE = "role"
    QUALIFICATIONS = "qualifications"
    PHONE = "phone"
    EMAIL = "email"
    ADDRESS = "address"
    TITLE = "title"
    CUSTOMER = "customer"
    CONTRACT = "contract"
    PERIOD = "period"
    RATING = "rating"
    WORK = "work"
    EXPIRES = "expires"


FIELDS: dict[FactKind, tuple[FactField, ...]] = {
    FactKind.DETAIL: (FactField.LABEL, FactField.VALUE),
    FactKind.CERTIFICATION: (FactField.NAME, FactField.VALUE, FactField.EXPIRES),
    FactKind.CONTACT: (FactField.NAME, FactField.ROLE, FactField.PHONE, FactField.EMAIL, FactField.ADDRESS, FactField.LABEL),
    FactKind.PERSON: (FactField.NAME, FactField.ROLE, FactField.QUALIFICATIONS),
    FactKind.PROJECT: (
        FactField.TITLE,
        FactField.CUSTOMER,
        FactField.CONTRACT,
        FactField.VALUE,
        FactField.PERIOD,
        FactField.RATING,
        FactField.WORK,
    ),
}
"""The fields that a fact of each kind may have. The first one names it."""


class FactStatus(StrEnum):
    CURRENT = "current"
    ENDED = "ended"
    """Expired, lapsed, sold, terminated, or superseded."""
    PLANNED = "planned"
    """Planned, pending, or applied for."""
    DENIED = "denied"
    """Declined, lost, or not held."""
    OF_OTHERS = "of_others"
    """It is about someone else."""

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {
            FactStatus.CURRENT: t("Current"),
            FactStatus.ENDED: t("Ended"),
            FactStatus.PLANNED: t("Planned"),
            FactStatus.DENIED: t("Not held"),
            FactStatus.OF_OTHERS: t("About others"),
        }[self]


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact that one record of a document states. Its values are in the words of the record, which is `start` to `end` in the text of the document."""

    kind: FactKind
    values: dict[FactField, str]
    start: int
    end: int
    status: FactStatus = FactStatus.CURRENT
