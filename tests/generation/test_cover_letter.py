from __future__ import annotations

from datetime import date

import pytest

from fundwright.core.messages import using_language
from fundwright.generation.cover_letter import opening_fields, person_in
from fundwright.opportunities.schemas import Contact, OpportunityRead


def notice(*, kind: str = "contract", type: str = "Solicitation", title: str = "Roof repair") -> OpportunityRead:
    contact = Contact(name="Wilson, Mary; 202-555-0110")
    return OpportunityRead.model_construct(
        kind=kind,
        type=type,
        title=title,
        number="W912DQ26R4007",
        office="KANSAS CITY DISTRICT",
        sub_agency="DEPT OF THE ARMY",
        agency="DEFENSE, DEPARTMENT OF",
        contacts=[contact],
    )


def fields(opportunity: OpportunityRead) -> dict[str, str]:
    return opening_fields(opportunity, "Acme", today=date(2026, 11, 24))


class TestOpeningFields:
    def test_date_and_recipient(self) -> None:
        found = fields(notice())
        assert found["date"] == "November 24, 2026"
        assert found["recipient"].split("  \n") == [
            "Mary Wilson",
            "Kansas City District",
            "Department of the Army",
            "Department of Defense",
        ]
        with using_language("de"):
            assert fields(notice())["date"] == "24. November 2026"

    def test_the_applicant_is_named_if_known(self) -> None:
        assert fields(notice())["applicant"] == "**Applicant:** Acme"
        assert opening_fields(notice(), "", today=date(2026, 11, 24))["applicant"] == ""

    @pytest.mark.parametrize(
        ("opportunity", "purpose"),
        [
            (notice(), "We are pleased to submit our response to your solicitation."),
            (notice(type="Sources Sought"), "We are pleased to respond to your request for information."),
            (
                notice(type="Special Notice", title="Request for Information: cloud"),
                "We are pleased to respond to your request for information.",
            ),
            (
                notice(kind="grant", type="Discretionary"),
                "We are pleased to submit our application for this funding opportunity.",
            ),
            (notice(type="Presolicitation"), "We are pleased to respond to your notice."),
        ],
    )
    def test_the_purpose_fits_the_notice(self, opportunity: OpportunityRead, purpose: str) -> None:
        assert fields(opportunity)["purpose"] == purpose


@pytest.mark.parametrize(
    ("contact", "person"),
    [
        ("Jane Doe", "Jane Doe"),
        ("DOE, JANE A.", "JANE A. DOE"),
        ("Ron Josephson, PhD", "Ron Josephson"),
        (
            "Technical Contact: Sarah Ludwig-Monty,202-566-1072; Eligibility Contact: Ron Josephson, 202-564-7823",
            "Sarah Ludwig-Monty",
        ),
        ("Telephone: 3015551234", ""),
        ("grants@example.gov", ""),
        ("Ada Example - Contracting Officer", "Ada Example"),
        ("Ada Example (Contract Specialist)", "Ada Example"),
        ("Ulysses Grant", "Ulysses Grant"),
        ("NOAA", ""),
        ("NIH Grants Information", ""),
        ("FSS Help Desk", ""),
        ("Contracting Officer", ""),
        ("", ""),
    ],
)
def test_a_letter_greets_one_person(contact: str, person: str) -> None:
    assert person_in(contact) == person
