"""Rows of a table and sentences: their values must belong to one record of the sources."""

from __future__ import annotations

import pytest

from fundwright.generation.claims import Source
from tests.generation.test_claims import check_section

PROJECTS = """## Blackfoot River Nitrate Network

Customer: Montana Department of Environmental Quality
Contract No.: DEQ-23-0417
Value: $486,200
Period: April 2023 – September 2025

We installed nine nitrate sensors. Data return was 98.4 percent.

| Year | Stations |
|---|---|
| 2023 | 4 |
| 2024 | 9 |

## Salmon River Gage Rehabilitation

Customer: U.S. Geological Survey
Contract No.: 140G0322C0058
Value: $1,214,900
Period: 06/2022 – 11/2024

We rehabilitated 21 gages.
"""
WITHOUT_HEADINGS = """Project: Lock wall repair
Customer: City of Camden
Value: $310,000
Completed: May 2022

Project: Levee survey
Customer: Ross County
Value: $94,500
Completed: June 2024
"""
LIST = """Relevant projects

1. Fairfax Hospital - mass notification, $2.1M, 2022-2023. Installed 640 speakers.
2. Montgomery Schools - kitchen hood inspection, $890,000, 2020-2024.
"""
TABLE = """| Project | Customer | Value | Period |
|---|---|---|---|
| Roof repair | City of Ames | $120,000 | 2021 |
| Boiler plant | Story County | $940,000 | 2023 |
"""
ONE = """SIGNE HALLORAN, Ph.D.

President

Title: Staff Hydrologist
Dates: 2002 - 2009

Title: President
Dates: 2009 - present

Education: Ph.D., Hydrology, University of Idaho, 2007
"""
OTHER = """Tobias Renquist

Field Operations Manager

EDUCATION
B.S., Civil Engineering, South Dakota School of Mines, 2011
OSHA 30
"""
LABELED = "Name: Darnell Pruitt\nTitle: Drilling Superintendent\nYears of experience: 19\nLicenses: Well Driller; HAZWOPER\n"
CODES = "UEI: TM4KQ7P2XXA1 | CAGE: 9TT31\nNAICS: 541620, 541990\n"


def unfounded(row: str, *sources: tuple[str, str]) -> list[str]:
    """The cells of a row that are not found, if it cites all sources."""
    cited = tuple((number, Source(text, about)) for number, (text, about) in enumerate(sources, start=1))
    text = f"|{' |' * row.count('|')}\n|{'---|' * row.count('|')}\n{row} {''.join(f'[{number}]' for number, _ in cited)} |"
    return [text[check.start : check.end] for check in check_section(text, cited, "") if check.missing]


@pytest.mark.parametrize(
    ("row", "foreign", "source"),
    [
        (
            "| Blackfoot River Nitrate Network | Montana Department of Environmental Quality | $1,214,900",
            ["$1,214,900"],
            PROJECTS,
        ),
        (
            "| Blackfoot River Nitrate Network | U.S. Geological Survey | DEQ-23-0417 | $486,200",
            ["U.S. Geological Survey"],
            PROJECTS,
        ),
        ("| Lock wall repair | City of Camden | $94,500 | May 2022", ["$94,500"], WITHOUT_HEADINGS),
        ("| Levee survey | Ross County | $94,500 | May 2022", ["May 2022"], WITHOUT_HEADINGS),
        ("| Fairfax Hospital | mass notification | $890,000", ["$890,000"], LIST),
        ("| Roof repair | Story County | $120,000", ["Story County"], TABLE),
        # Words around a value do not hide it.
        ("| The Lock wall repair | City of Camden | about $94,500", ["about $94,500"], WITHOUT_HEADINGS),
        ("| Roof repair project | for Story County | $120,000", ["for Story County"], TABLE),
        # Nor do other cells.
        ("| Lock wall repair | City of Camden | $94,500 | " + "May 2022 | " * 11 + "May 2022", ["$94,500"], WITHOUT_HEADINGS),
    ],
)
def test_a_value_of_another_record_is_not_found(row: str, foreign: list[str], source: str) -> None:
    assert unfounded(row, (source, "Projects")) == foreign


def test_a_row_with_more_values_than_are_compared_is_not_found() -> None:
    assert len(unfounded("| Lock wall repair" + " | City of Camden" * 100, (WITHOUT_HEADINGS, "Projects"))) == 101


_RATED = """Contract Title: Depot Maintenance Modernization (DMM)
Customer: U.S. Air Force
Type: CPFF
Value: $18.4M
CPARS: Very Good (2023), Exceptional (2022)

Contract Title: Cutter Data Migration
Customer: U.S. Coast Guard
Type: FFP
Value: $2,960,500
CPARS: Satisfactory
"""


@pytest.mark.parametrize(
    ("sentence", "missing"),
    [
        ("DMM was worth $2,960,500.", ("2,960,500",)),
        ("Our U.S. Air Force contract was worth $2,960,500.", ("2,960,500",)),
        ("The Coast Guard rated us Exceptional.", ("Exceptional",)),
        ("The Cutter Data Migration was a CPFF contract for the Coast Guard.", ("CPFF",)),
        ("DMM was worth $18.4M.", ()),
        ("The Air Force rated us Very Good.", ()),
        ("The Coast Guard rated us Satisfactory.", ()),
        ("We did exceptional work.", ()),
        ("The Cutter Data Migration delivered exceptional results for the Coast Guard.", ()),
    ],
)
def test_a_value_or_a_judgment_of_another_record_is_missing(sentence: str, missing: tuple[str, ...]) -> None:
    (checked,) = check_section(f"{sentence} [1]", ((1, Source(_RATED, "Past Performance")),), "")
    assert checked.missing == missing


_SAME_CUSTOMER = """Contract Title: Harbor Study
Customer: U.S. Air Force
Type: CPFF
Value: $18.4M
CPARS: Exceptional

Contract Title: Runway Study
Customer: U.S. Air Force
Type: FFP
Value: $900,000
CPARS: Satisfactory
"""


@pytest.mark.parametrize(
    "sentence",
    [
        "The U.S. Air Force paid $900,000 for one of these studies.",
        "The Air Force rated us Exceptional on our most recent contract.",
        "We hold an FFP contract with the Air Force.",
    ],
)
def test_a_name_that_several_records_have_fits_each(sentence: str) -> None:
    (checked,) = check_section(f"{sentence} [1]", ((1, Source(_SAME_CUSTOMER, "Past Performance")),), "")
    assert checked.missing == ()


@pytest.mark.parametrize(
    ("sentence", "is_supported"),
    [
        ("Lock wall repair; City of Camden; $94,500", False),
        ("Lock wall repair for the City of Camden, $94,500.", False),
        ("We repaired the lock wall of Ross County for $310,000.", False),
        ("The Lock Wall Repair contract was worth $94,500.", False),
        ("The Lock Wall Repair contract was worth $310,000.", True),
        ("Lock wall repair; City of Camden; $310,000; May 2022", True),
        ("Levee survey for Ross County, $94,500, completed in June 2024.", True),
    ],
)
def test_a_sentence_with_one_amount_is_about_one_record(sentence: str, is_supported: bool) -> None:
    (checked,) = check_section(f"- {sentence} [1]", ((1, Source(WITHOUT_HEADINGS, "Projects")),), "")
    assert (not checked.missing) is is_supported


def test_another_persons_degree_is_not_found() -> None:
    degree = "B.S., Civil Engineering, South Dakota School of Mines, 2011"
    assert unfounded(f"| Signe Halloran | President | {degree}", (ONE, "Halloran"), (OTHER, "Renquist")) == [degree]


@pytest.mark.parametrize(
    ("row", "sources"),
    [
        (
            "| Blackfoot River Nitrate Network | Montana Department of Environmental Quality | $486,200 | Data return was 98.4 percent",
            [(PROJECTS, "Projects")],
        ),
        ("| Blackfoot River Nitrate Network | DEQ-23-0417 | 9", [(PROJECTS, "Projects")]),
        ("| Levee survey | Ross County | $94,500 | June 2024", [(WITHOUT_HEADINGS, "Projects")]),
        ("| Montgomery Schools | kitchen hood inspection | $890,000 | 2020-2024", [(LIST, "Projects")]),
        ("| Roof repair | City of Ames | $120,000 | 2021", [(TABLE, "Projects")]),
        ("| Signe Halloran, Ph.D. | Staff Hydrologist | Ph.D., Hydrology, University of Idaho, 2007", [(ONE, "Halloran")]),
        ("| Tobias Renquist | Field Operations Manager | OSHA 30", [(ONE, "Halloran"), (OTHER, "Renquist")]),
        ("| Darnell Pruitt | Drilling Superintendent | 19; HAZWOPER", [(LABELED, "Pruitt")]),
        ("| UEI | TM4KQ7P2XXA1", [(CODES, "Data")]),
        ("| Unique entity ID | TM4KQ7P2XXA1", [(CODES, "Data")]),
    ],
)
def test_values_of_one_record_are_supported(row: str, sources: list[tuple[str, str]]) -> None:
    assert unfounded(row, *sources) == []


def test_documents_about_the_same_contract_are_one_record() -> None:
    sheet = "Project: Gage rehabilitation\nCustomer: U.S. Geological Survey\nContract No.: 140G0322C0058\nValue: $1,214,900\n"
    letter = "Contract No.: 140G0322C0058\nCustomer: USGS Idaho\nValue: $1.2M\nPeriod: 06/2022 – 11/2024\n"
    row = "| Gage rehabilitation | 140G0322C0058 | $1,214,900 | 06/2022 – 11/2024"
    assert unfounded(row, (sheet, "Sheet"), (letter, "Letter")) == []


def test_a_project_may_continue_in_the_next_passage() -> None:
    first, rest = (
        PROJECTS.split("### Results")[0],
        "Value of the option: $60,000\nPeriod of the option: October 2025 – May 2026\n",
    )
    above = "Projects\n\nPast performance › Blackfoot River Nitrate Network"
    row = "| Blackfoot River Nitrate Network | DEQ-23-0417 | $60,000"
    assert unfounded(row, (first, above), (rest, above)) == []
