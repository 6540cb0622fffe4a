"""The facts that a draft may use from firms' registers, price lists, and messages."""

from __future__ import annotations

import pytest

from fundwright.language.extractive import prose
from fundwright.language.extractive.claims import Others
from fundwright.language.extractive.inventory import names_prices
from fundwright.language.extractive.organization import company_data
from fundwright.language.extractive.projects import Project, ProjectField, projects
from fundwright.language.protocols import NumberedPassage
from fundwright.language.schemas import DocumentKind

US = Others("Tidewater & Keel Marine Contractors, Inc.")
REGISTER = """FLOATING EQUIPMENT REGISTER
rev Feb 2026 - for insurance, do not send out

Reg #\tDescription\tYr\tDims\tCond.\tNext survey
101\tDB-24 150T derrick barge 1998\t1998\t140x54\tGood\t5/2027
102\tDB-31 derrick barge, 120 T\t2006\t120x50\tNEEDS INSPECTION\toverdue
103\tTUG MARGUERITE\t2003\t62x22\tNeeds inspection\t3/2026
104\tScow #40 2,000 cy\t1989\t160x45\tOut of service\t--
105\tCrew boat 28'\t2017\t28x9\tLaid up for repair\tn/a
"""
WITHOUT_COLUMNS = """LAND EQUIPMENT REGISTER

201 | APE 200 vibro hammer | 2015 | NEEDS INSPECTION
LAND | | |
203 | Multibeam survey skiff | 2020 | Fair, needs new sonar head
Reg # | Description | Cond. | Notes
204 | Clamshell bucket | day | $450
"""
PRICES = """PRICE LIST (2026)

Derrick barge with crew, per day          $14,500
Tug and captain, per day                  $4,800
Overtime premium                          1.5x
"""
MESSAGE = """From: Pete Aldous <paldous@camdenharbor.example>
Sent: Thursday, June 6, 2024 2:03 PM
To: Bob Calloway
Subject: RE: Camden inner harbor

Hi Bob,

thanks for your note, sorry for the slow reply. Attached is the letter. Contract was TC-23-008. Period of performance: November 2023
through March 2024. The final price was $640,000.

Tidewater & Keel dredged 18,200 cubic yards at the inner harbor and trucked it to the upland site. Let me know if you need
anything else. Hope all is well with you and the kids. Feel free to use my name.

Talk soon,
Pete
"""
DATA = """COMPANY DATA

UEI: TK4LMN7QW2X9
CAGE: 6T2K8
Bonding: $12 million single, $30 million aggregate
Bonding capacity: $12 million single / $30 million aggregate
- CAGE code 6T2K8
- UEI number: TK4LMN7QW2X9
- Bonding of $12 million single and $30 million aggregate
- Small business, HUBZone certified
"""


def items(*texts: str) -> list[str]:
    """The equipment in a list with these parts."""
    passages = [
        NumberedPassage(
            number=number, text=text, heading=(text.splitlines()[0],), kind=DocumentKind.DATA, document="Equipment list"
        )
        for number, text in enumerate(texts, start=1)
    ]
    return [each.quoted for each in prose.candidates(passages, US, written="", work={}, headings={})]


def test_a_register_lists_what_it_names_in_any_state() -> None:
    assert items(REGISTER) == [
        "DB-24 150T derrick barge 1998",
        "DB-31 derrick barge, 120 T",
        "TUG MARGUERITE",
        "Crew boat 28'",
    ]


def test_a_register_without_columns_lists_neither_states_nor_headings_nor_prices() -> None:
    assert items(WITHOUT_COLUMNS) == ["APE 200 vibro hammer", "Multibeam survey skiff"]


def test_a_price_list_is_no_list_of_equipment() -> None:
    assert items(PRICES) == []
    assert [names_prices(heading) for heading in ("Rate sheet", "Day rates 2026", "Equipment register and price list", "Crates")] == [
        True, True, False, False,
    ]  # fmt: skip


def messages(text: str) -> Project:
    passage = NumberedPassage(number=1, text=text, kind=DocumentKind.PAST_PERFORMANCE, document="Camden")
    (project,) = projects([passage], US)
    return project


def test_a_message_describes_the_work_without_its_chatter() -> None:
    told = " ".join(fact.text for fact in messages(MESSAGE).work)
    assert "dredged 18,200 cubic yards" in told
    assert not [each for each in ("Hi Bob", "thanks", "Attached", "Let me know", "Hope", "Feel free") if each in told]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        (ProjectField.TITLE, "Camden inner harbor"),
        (ProjectField.CONTRACT, "TC-23-008"),
        (ProjectField.PERIOD, "November 2023 through March 2024"),
        (ProjectField.VALUE, "$640,000"),
    ],
)
def test_a_message_states_contract_price_and_period_and_its_subject_names_the_project(field: ProjectField, value: str) -> None:
    assert " ".join(messages(MESSAGE).fields[field].text.split()) == value


def test_a_subject_that_names_nothing_is_not_a_title() -> None:
    text = MESSAGE.replace("RE: Camden inner harbor", "RE: reference for your proposal")
    passage = NumberedPassage(number=1, text=text, kind=DocumentKind.PAST_PERFORMANCE, document="Camden")
    assert not [project for project in projects([passage], US) if ProjectField.TITLE in project.fields]


def test_company_data_is_listed_once() -> None:
    found = company_data(
        [NumberedPassage(number=1, text=DATA, kind=DocumentKind.ABOUT_US, document="Us", heading=("COMPANY DATA",))]
    )
    assert [(fact.label, fact.text) for fact in found] == [
        ("UEI", "TK4LMN7QW2X9"),
        ("CAGE", "6T2K8"),
        ("Bonding", "$12 million single, $30 million aggregate"),
        ("", "Small business, HUBZone certified"),
    ]


def quoted(text: str, kind: DocumentKind = DocumentKind.ABOUT_US, document: str = "Line card") -> list[str]:
    passage = NumberedPassage(number=1, text=text, kind=kind, document=document)
    return [each.quoted for each in prose.candidates([passage], US, written="", work={}, headings={})]


def test_what_is_not_offered_is_not_quoted() -> None:
    text = (
        "What we make\n\n- Spur gears to 30 inches\n- Worm sets\n\nWhat we don't make\n\n- Bevel gears (a partner's), castings\n"
    )
    assert quoted(text) == ["Spur gears to 30 inches", "Worm sets"]


def test_sentences_with_many_figures_are_quoted_and_failures_are_not() -> None:
    text = (
        "Why customers stay\n\nFirst pass yield was 99.1% in 2025. One survey at Ontonagon had to be redone for free. "
        "AS9100D / ISO 9001:2015 registered by SAI (cert 31844)."
    )
    assert quoted(text) == ["First pass yield was 99.1% in 2025.", "AS9100D / ISO 9001:2015 registered by SAI (cert 31844)."]


def test_a_list_of_things_without_a_header_keeps_counts_and_lines() -> None:
    text = (
        "Type II launch, aluminum          9\nSupervisor truck                  5\n\nBASE\nCamden (shop of 21,000 sq ft, own fuel), Searsport\n\n"
        "Cold vault 1,400 sq ft, dry pipe suppression\n"
    )
    assert quoted(text, DocumentKind.DATA, "boats and trucks 2026") == [
        "Type II launch, aluminum: 9",
        "Supervisor truck: 5",
        "Camden (shop of 21,000 sq ft, own fuel), Searsport",
        "Cold vault 1,400 sq ft, dry pipe suppression",
    ]
