"""Extracting past performance from letters, messages, lists, and sheets, without statements about others."""

from __future__ import annotations

import pytest

from fundwright.language.extractive.claims import Others
from fundwright.language.extractive.people import people
from fundwright.language.extractive.projects import Project, ProjectField, projects
from fundwright.language.protocols import NumberedPassage
from fundwright.language.schemas import DocumentKind

US = Others("Harrow & Pike Elevators, Inc.")
MESSAGE = """From: Ndiaye, Awa <a.ndiaye@statelibrary.example>
To: Bids, Harrow & Pike
Cc: Facilities; Roland Beck
Date: Mon, 3 Mar 2025 09:12
Subject: RE: two lines for your file

Sam,

The State Library of Ohio hired Harrow & Pike in May 2023 to modernize four book lifts, for $318,000. They were done five weeks
early, and the lifts have run every day since.

Awa Ndiaye
Head of Buildings
"""
REFERENCE = """STATE LIBRARY OF OHIO
Buildings Office

March 3, 2025

Procurement Office
Ohio Department of Transportation
Columbus, Ohio

To whom it may concern:

Harrow & Pike modernized four book lifts for us between May 2023 and June 2024, for $318,000. We would hire them again.
"""
LIST = """- Book lifts, State Library of Ohio, $318,000, 2023 to 2024: four lifts, five weeks early.
- Grain terminal manlift, Port of Toledo, $96,000, 2022: a new car and 140 feet of belt.
"""
SHEET = """Past performance: BOOK LIFTS
Customer: State Library of Ohio, Columbus
Value: $318,000
Period: May 2023 to June 2024
"""


def read(*texts: str, others: Others = US) -> list[Project]:
    passages = [
        NumberedPassage(number=number, text=text, kind=DocumentKind.PAST_PERFORMANCE, document=f"document {number}")
        for number, text in enumerate(texts, start=1)
    ]
    return projects(passages, others)


def field(project: Project, name: ProjectField) -> str:
    return project.fields[name].text if name in project.fields else ""


def test_the_lines_that_say_who_sent_a_message_to_whom_are_neither_projects_nor_customers() -> None:
    (project,) = read(MESSAGE)
    assert project.name is not None
    assert project.name.text == field(project, ProjectField.CUSTOMER) == "State Library of Ohio"
    assert field(project, ProjectField.VALUE) == "$318,000"
    said = " ".join(fact.text for fact in project.work)
    assert "modernize four book lifts" in said
    assert not any(header in said for header in ("From:", "Subject", "Beck", "09:12"))


def test_nor_do_they_name_people() -> None:
    passage = NumberedPassage(number=1, text=MESSAGE, heading=("Team",), kind=DocumentKind.ABOUT_US)
    assert not any("Beck" in person.name.text or "From" in person.name.text for person in people([passage], US))


def test_the_addressee_of_a_letter_of_reference_is_not_the_customer() -> None:
    (project,) = read(REFERENCE)
    assert field(project, ProjectField.CUSTOMER).casefold() == "state library of ohio"


def test_a_line_of_a_list_names_the_customer_last() -> None:
    lifts, manlift = read(LIST)
    assert (field(lifts, ProjectField.TITLE), field(lifts, ProjectField.CUSTOMER)) == ("Book lifts", "State Library of Ohio")
    assert (field(manlift, ProjectField.TITLE), field(manlift, ProjectField.CUSTOMER)) == (
        "Grain terminal manlift",
        "Port of Toledo",
    )
    assert [fact.text for fact in lifts.work] == ["four lifts, five weeks early."]


def test_the_same_project_of_a_list_and_of_a_sheet_is_one_and_labels_are_surer() -> None:
    lifts, _ = read(LIST, SHEET)
    assert field(lifts, ProjectField.CUSTOMER) == "State Library of Ohio, Columbus"
    assert field(lifts, ProjectField.PERIOD) == "May 2023 to June 2024"


def test_unknown_labels_describe_the_work_and_a_contract_number_is_recognized_by_its_form() -> None:
    sheet = (
        "PAST PERFORMANCE FORM          1 of 2\n"
        "Buying office ........ DLA Distribution, Richmond\n"
        "Dollars at award .. $212,400\n"
        "From - to ............ 08/2021 - 07/2025\n"
        "How it went: All nine hoists passed. Nothing was returned.\n"
        "Ordered under SP3300-21-C-0094."
    )
    (project,) = read(sheet)
    assert field(project, ProjectField.CUSTOMER) == "DLA Distribution, Richmond"
    assert field(project, ProjectField.CONTRACT) == "SP3300-21-C-0094"
    assert field(project, ProjectField.PERIOD) == "08/2021 - 07/2025"
    assert field(project, ProjectField.VALUE) == "$212,400"
    assert "All nine hoists passed." in [fact.text for fact in project.work]


def test_a_list_of_customers_is_not_a_project() -> None:
    assert read("Selected customers\n\n- City of Dayton\n- Port of Toledo\n- Ohio State University\n") == []


def test_years_in_a_sentence_are_not_the_title_of_a_person() -> None:
    text = "Imani Oyelaran has kept hospital elevators safe for 17 years and direct our crew of nine."
    passage = NumberedPassage(number=1, text=text, kind=DocumentKind.RESUME, document="bio")
    assert not any(person.role and "17 years" in person.role.text for person in people([passage], US))


def test_what_the_firm_is_certified_for_is_no_period_and_no_work() -> None:
    text = (
        "We installed 118 gauges for the St. Louis River Watershed District in 2024.\n\n"
        "Quality: ISO 9001 certified since June 2019 (cert. no. Q-20417). Accreditation is planned for 2027.\n\n"
        "We have been in business since 2013."
    )
    passage = NumberedPassage(number=1, text=text, heading=("Past work",), kind=DocumentKind.ABOUT_US, document="statement")
    (project,) = projects([passage], US)
    assert ProjectField.PERIOD not in project.fields
    assert not any("9001" in fact.text or "Accreditation" in fact.text for fact in project.work)


def test_work_that_continues_has_a_period() -> None:
    (project,) = read("Customer: Port of Toledo\n\nWe have maintained nine hoists for the port since May 2021.")
    assert field(project, ProjectField.PERIOD) == "since May 2021"


def test_an_acronym_of_a_title_in_uppercase_stays_as_the_document_writes_it() -> None:
    (project,) = read(
        "PAST PERFORMANCE - MPCA NITRATE SITES\n\nClient: Minnesota Pollution Control Agency (MPCA)\nAmount: $612,500\n"
    )
    assert field(project, ProjectField.TITLE) == "MPCA Nitrate Sites"


def test_what_went_wrong_may_be_named_within_a_paragraph() -> None:
    (project,) = read(
        "Customer: Port of Toledo\nValue: $96,000\n\n"
        "Results. All hoists passed six weeks ahead of schedule. Problems and what we did. The first 20 mounts iced over. We replaced them."
    )
    assert [fact.text for fact in project.work] == ["All hoists passed six weeks ahead of schedule."]


def test_what_an_office_notes_on_a_report_is_not_our_work() -> None:
    (project,) = read(
        f"{SHEET}Narrative: We replaced four lifts.\nOffice use: Approved. The program funds 1,560 lifts statewide.\n"
    )
    assert "lifts statewide" not in " ".join(fact.text for fact in project.work)


def test_the_numbered_fields_of_a_form_are_labels() -> None:
    (project,) = read(
        "PAST PERFORMANCE INFORMATION SHEET\n\n1. Contract Number:            W912WJ-22-C-0017\n"
        "2. Customer / Activity:        U.S. Army Corps of Engineers\n3. Title of work:              Harbor dredging\n"
        "4. Award amount / Final:       $2,180,000 / $2,264,415\n5. Describe the work:\nRemoved 61,300 cubic yards of silt.\n"
    )
    assert field(project, ProjectField.CONTRACT) == "W912WJ-22-C-0017"
    assert field(project, ProjectField.CUSTOMER) == "U.S. Army Corps of Engineers"
    assert field(project, ProjectField.TITLE) == "Harbor dredging"
    assert field(project, ProjectField.VALUE) == "$2,180,000 / $2,264,415"
    assert [fact.text for fact in project.work] == ["Removed 61,300 cubic yards of silt."]


def test_who_bid_more_is_not_the_customer() -> None:
    (project,) = read(
        f"{MESSAGE.split('Sam,')[0]}Sam, for your files. Final price was $318,000 for the State Library of Ohio, begun 5/1/23, done 6/4/24.\n"
        "(Bay State Company wanted $880k.)\n"
    )
    assert field(project, ProjectField.CUSTOMER) == "State Library of Ohio"
    assert not any("for your files" in fact.text for fact in project.work)


def test_the_description_of_a_standard_form_330_is_the_work_and_its_fees_are_the_value() -> None:
    (project,) = read(
        "20. EXAMPLE PROJECT KEY NUMBER\n3\n\n23. OWNER\nState Library of Ohio\n\n"
        "24. BRIEF DESCRIPTION OF PROJECT AND RELEVANCE TO THIS CONTRACT (Include scope, size, and cost)\n"
        "We modernized four book lifts under a contract with fees of $318,000 and an application fee of $45.\n"
    )
    assert [fact.text.split()[1] for fact in project.work] == ["modernized"]
    assert field(project, ProjectField.VALUE) == "$318,000"


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("State Library of Ohio - four book lifts, $318K, 2023-2024.", 1),
        ("State Library of Ohio - modernization of lifts for books, 2023-2024 ($0.32M).", 1),
        ("State Library of Ohio - a freight elevator, $318K, 2019-2020.", 2),
        ("State Library of Ohio - a freight elevator, $1,940,000, 2023-2024.", 2),
        ("State Library of Iowa - four book lifts, $318K, 2023-2024.", 2),
    ],
)
def test_a_project_with_the_same_customer_and_amount_in_another_document_is_listed_once(line: str, count: int) -> None:
    found = read(f"- {line}\n- Port of Toledo - grain manlift, $96,000, 2022.\n", SHEET)
    assert len(found) == count + 1
    assert field(found[0], ProjectField.CUSTOMER).startswith("State Library")


def test_a_line_of_a_list_may_name_an_organization_and_then_the_work_in_lower_case() -> None:
    first, second, third = read(
        "Jobs\n\n1. Marion County Public Schools - kitchen hoods at 205 schools, $890,000, 2020-2024.\n"
        "2. Toledo Hospital - mass notification, $2.1M, 2022-2023. Installed 640 speakers in two towers.\n"
        "3. Tri-State G&T: 640 miles of power lines, $1.1M, 2020 to 2022.\n"
    )
    assert (field(third, ProjectField.TITLE), field(third, ProjectField.CUSTOMER)) == (
        "640 miles of power lines",
        "Tri-State G&T",
    )
    assert field(first, ProjectField.TITLE) == "kitchen hoods at 205 schools"
    assert [fact.text for fact in second.work] == ["Installed 640 speakers in two towers."]


@pytest.mark.parametrize("heading", ["Remarks", "Final narrative performance report"])
def test_the_heading_of_a_form_or_report_names_no_project(heading: str) -> None:
    (project,) = read(
        f"{heading}\n\nClient: Port of Camden\nContract number: C-23-0007\nDollar value: $624,500\nPeriod: 2023 - 2025\n\n"
        "Description of work\n\nWe surveyed 14 harbors.\n"
    )
    assert project.name is not None
    assert project.name.text == "Port of Camden"


def test_contracts_described_in_a_paragraph_each_keep_their_customers() -> None:
    found = read(
        "OTHER CONTRACTS\n\nButler VA Health Care System, 36C24422P0815, wheelchair van, $1.36 million, 2022 to 2025, 19,200 trips, CPARS Very Good.\n\n"
        "Beaver Valley Health System (commercial), ambulance between two hospitals, about $2.9 million a year since 2006.\n\n"
        "Camden County Office on Aging: shared ride for seniors, $410,000/yr, ended 2021 when the county took it over.\n"
    )
    assert [
        (field(each, ProjectField.CUSTOMER), field(each, ProjectField.TITLE), field(each, ProjectField.CONTRACT))
        for each in found
    ] == [
        ("Butler VA Health Care System", "wheelchair van", "36C24422P0815"),
        ("Beaver Valley Health System (commercial)", "ambulance between two hospitals", ""),
        ("Camden County Office on Aging", "shared ride for seniors", ""),
    ]
    assert [[fact.text for fact in each.work] for each in found] == [["19,200 trips, CPARS Very Good."], [], []]


def test_projects_named_like_organizations_keep_their_customers() -> None:
    found = read(
        "Past performance\n\nNorthern Lakes Water Quality Network, Lake County Water District, $1,612,000, 2021 to 2024.\n\n"
        "School Air Monitoring Pilot, Arrowhead Health Foundation, $288,000, 2023 to 2025.\n"
    )
    assert [(field(each, ProjectField.TITLE), field(each, ProjectField.CUSTOMER)) for each in found] == [
        ("Northern Lakes Water Quality Network", "Lake County Water District"),
        ("School Air Monitoring Pilot", "Arrowhead Health Foundation"),
    ]
