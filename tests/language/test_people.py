"""Extracting people from pages of biographies, résumés in columns, and forms."""

from __future__ import annotations

import pytest

from fundwright.language.extractive.claims import Others
from fundwright.language.extractive.people import Person, as_person, people
from fundwright.language.protocols import NumberedPassage
from fundwright.language.schemas import DocumentKind

US = Others("Harrow Pike Elevators, Inc.")
PAGE = """Our people

Ottoline Marsh
General Manager
Ottoline came from the shipyards in 2009. She holds a B.S. in Mechanical Engineering from Purdue University.

Desmond "Dez" Achebe
Field Superintendent
Dez has 26 years in vertical transport and trained nine of our mechanics.
"""
COLUMNS = """Rosalind Quaye
Toledo, Ohio

2016-now     Modernization Manager, Harrow Pike
2008-16      Inspector, Maumee Lifts

School       Owens Community College, A.A.S. Mechatronics, 2008
"""
CARD = "| | Achebe, Desmond |\n|---|---|\n| position | Field Superintendent |\n| quals | Certified Elevator Technician |\n"


def read(text: str) -> dict[str, Person]:
    passage = NumberedPassage(number=1, text=text, kind=DocumentKind.RESUME, document="people")
    return {person.name.text: person for person in people([passage], US)}


def role(person: Person) -> str:
    return person.role.text if person.role else ""


def test_a_page_of_biographies_describes_each_person() -> None:
    found = read(PAGE)
    assert [role(person) for person in found.values()] == ["General Manager", "Field Superintendent"]
    first, second = (" ".join(fact.text for fact in person.qualifications) for person in found.values())
    assert "Purdue University" in first
    assert "26 years" in second
    assert "26 years" not in first


def test_where_someone_lives_is_not_a_role_and_a_school_is_not_a_person() -> None:
    found = read(COLUMNS)
    assert list(found) == ["Rosalind Quaye"]
    assert role(found["Rosalind Quaye"]).startswith("Modernization Manager")


def test_a_name_alone_in_its_row_starts_a_person() -> None:
    found = read(CARD)
    assert {name: role(person) for name, person in found.items()} == {"Desmond Achebe": "Field Superintendent"}


def test_a_nickname_is_part_of_a_name() -> None:
    found = read('Ottoline "Otto" Marsh is General Manager at Harrow Pike and has 21 years of experience in elevators.')
    assert [role(person) for person in found.values()] == ["General Manager"]


def test_a_list_of_skills_is_not_a_person() -> None:
    found = read(
        "**TOMÁS REYES-LINDQVIST**\n*Lead Firmware Engineer*, Tidemark Sensing\n\n### Skills\nC, Rust, Zephyr RTOS · LoRaWAN · low-power design\n\n"
        "### Tools\nPython, Docker, Jenkins and GitLab\n\n### Degrees\nBSEE, University of Minnesota Duluth, 2014\n"
    )
    assert list(found) == ["Tomás Reyes-Lindqvist"]
    assert "BSEE" in " ".join(fact.text for fact in found["Tomás Reyes-Lindqvist"].qualifications)


def test_certificates_are_found_below_certs() -> None:
    (person,) = read("Marit Solheim\nPrincipal Hydrologist\n\nCERTS\nProfessional Engineer, Minnesota; FAA Part 107\n").values()
    assert [fact.text for fact in person.qualifications] == ["Professional Engineer, Minnesota; FAA Part 107"]


def test_certificates_in_a_list_without_markers_are_no_persons() -> None:
    found = read(
        "RAYMOND OKAFOR\nVice President, Operations\n\nCertifications\nNICET Level IV, Fire Alarm Systems\n"
        "Certified Fire Protection Specialist (CFPS)\n\nDANA WHITCOMBE\nQuality Manager\nCertifications: OSHA 510\n"
    )
    assert {name: role(person) for name, person in found.items()} == {
        "Raymond Okafor": "Vice President, Operations",
        "Dana Whitcombe": "Quality Manager",
    }
    assert [fact.text for fact in found["Raymond Okafor"].qualifications] == [
        "NICET Level IV, Fire Alarm Systems",
        "Certified Fire Protection Specialist (CFPS)",
    ]


def test_each_of_several_people_in_a_paragraph() -> None:
    found = read(
        "Key staff\n\nLourdes Imamura, PWS — Vice President. 24 years of experience. M.S., Plant Ecology, UC Davis (2000).\n\n"
        "Wren Takahashi — GIS Manager. 11 years. She maps wetlands for three counties. M.A., Geography, San José State (2013); GISP.\n"
    )
    assert {name: role(person) for name, person in found.items()} == {
        "Lourdes Imamura, PWS": "Vice President",
        "Wren Takahashi": "GIS Manager",
    }
    assert [fact.text for fact in found["Wren Takahashi"].qualifications] == [
        "11 years",
        "M.A., Geography, San José State (2013); GISP",
    ]


def test_a_credential_with_a_hyphen_is_not_a_role() -> None:
    found = read("MARISOL BENALLY, CP, CMS-Lidar\nChief Pilot\n\nEducation\nM.S. Remote Sensing, 2010\n")
    assert role(found["Marisol Benally, CP, CMS-Lidar"]) == "Chief Pilot"


LIST = """KEY PEOPLE

Pim Overbeek - President. Third generation. BS Mechanical Engineering, Calvin 1991.

Jo Laskaris, contracts administrator, 231-555-0140, jo@harrowpike.example. NCMA certified.

Ramón Ibarra
Quality Manager
ASQ certified, AS9100 lead auditor
24 years, came from the Lansing plant.

**Nell Farrow**, Executive Director since 2011. M.A. Public History, Wayne State University.
"""


def test_a_list_of_people_keeps_their_qualifications_apart() -> None:
    found = read(LIST)
    assert {name: role(person) for name, person in found.items()} == {
        "Pim Overbeek": "President",
        "Jo Laskaris": "contracts administrator",
        "Ramón Ibarra": "Quality Manager",
        "Nell Farrow": "Executive Director",
    }
    assert [[fact.text for fact in person.qualifications] for person in found.values()] == [
        ["Third generation", "BS Mechanical Engineering, Calvin 1991"],
        ["NCMA certified"],
        ["ASQ certified, AS9100 lead auditor", "24 years, came from the Lansing plant"],
        ["M.A. Public History, Wayne State University"],
    ]


def test_towns_committees_and_headings_are_neither_people_nor_qualifications() -> None:
    found = read(
        "IMANI OKORO, MD, CMS-L\nMedical Director, Harrow Pike (2016-)\nToledo OH\n\nBOARD CERTIFICATION\nEmergency Medicine 2007\n\n"
        "APPOINTMENTS\nRegional Advisory Committee, EMS West\n"
    )
    assert {name: role(person) for name, person in found.items()} == {"Imani Okoro, MD, CMS-L": "Medical Director, Harrow Pike"}
    assert [fact.text for fact in found["Imani Okoro, MD, CMS-L"].qualifications] == ["Emergency Medicine 2007"]


def test_people_named_after_their_roles_in_a_paragraph() -> None:
    text = (
        "Executive director: Loretta Haines, MSW, 21 years in prevention. Program director: Dr. Samuel Osei, PhD (public health, "
        "University of Louisville). Evaluator: Murray State University. Partners: McCracken County Schools, Baptist Health Paducah.\n"
    )
    passage = NumberedPassage(number=1, text=text, kind=DocumentKind.ABOUT_US, document="us", heading=("Staff and partners",))
    director, scientist = people([passage], US)
    assert (director.name.text, role(director)) == ("Loretta Haines, MSW", "Executive director")
    assert [each.text for each in director.qualifications] == ["21 years in prevention"]
    assert (scientist.name.text, role(scientist)) == ("Dr. Samuel Osei, PhD", "Program director")
    assert [each.text for each in scientist.qualifications] == ["public health, University of Louisville"]


HEADED = """# Résumés of key personnel

## Helen Maki, Program Manager

PMP (2016), ITIL 4 Managing Professional. M.S. Information Systems, Lawrence University, 2011. Secret clearance.

## Raymond Cho, Lead Cloud Architect

AWS Solutions Architect – Professional, Microsoft Azure Solutions Architect Expert, CISSP. B.S. Computer Science, Lawrence University, 2009. Moved 40 servers of a county.
"""


def test_what_is_below_the_heading_with_a_name_is_of_that_person() -> None:
    found = read(HEADED)
    assert {name: role(person) for name, person in found.items()} == {
        "Helen Maki": "Program Manager",
        "Raymond Cho": "Lead Cloud Architect",
    }
    assert [[fact.text for fact in person.qualifications] for person in found.values()] == [
        [
            "PMP (2016), ITIL 4 Managing Professional.",
            "M.S. Information Systems, Lawrence University, 2011.",
            "Secret clearance.",
        ],
        [
            "AWS Solutions Architect – Professional, Microsoft Azure Solutions Architect Expert, CISSP.",
            "B.S. Computer Science, Lawrence University, 2009.",
        ],
    ]


@pytest.mark.parametrize(
    "text",
    [
        "AWS Solutions Architect – Professional",
        "Azure Administrator Associate, CISSP",
        "Cisco Certified Network Associate",
        "Lean Six Sigma – Black Belt",
        "Red Hat Certified Engineer",
    ],
)
def test_certificates_products_and_roles_are_not_names(text: str) -> None:
    assert as_person(text, 1) is None


TEAM = """Our team

| Name | Proposed role | Clearance | Email |
|---|---|---|---|
| Helen Maki | Program Lead | Secret | hmaki@tamarack.example |
| Raymond Cho | Wetland Scientist | none | rcho@tamarack.example |
"""
RESUMES = {
    "Cho": """Raymond Cho
Scientist

Raymond has 14 years of experience in wetland delineation and coaches a hockey team. He holds an M.S. in Ecology from Lawrence University.
""",
    "Maki": """Helen Maki, P.G.
Principal Geologist

EDUCATION
M.S., Geology, Michigan Technological University, 1996

LICENSES
Professional Geologist, Michigan (No. 4417)
""",
}


@pytest.mark.parametrize("is_list_first", [True, False])
def test_a_list_tells_the_role_and_a_resume_the_qualifications(is_list_first: bool) -> None:
    listed = NumberedPassage(number=1, text=TEAM, kind=DocumentKind.ABOUT_US, document="About us", heading=("Our team",))
    described = [
        NumberedPassage(number=number, text=text, kind=DocumentKind.RESUME, document=name)
        for number, (name, text) in enumerate(RESUMES.items(), 2)
    ]
    first, second = people([listed, *described] if is_list_first else [*described, listed], US)
    assert (first.name.text, role(first)) == ("Helen Maki, P.G.", "Program Lead")
    assert [(fact.text, fact.number) for fact in first.qualifications] == [
        ("M.S., Geology, Michigan Technological University, 1996", 3),
        ("Professional Geologist, Michigan (No. 4417)", 3),
        ("Clearance: Secret", 1),
    ]
    assert (second.name.text, role(second)) == ("Raymond Cho", "Wetland Scientist")
    assert [fact.text.rstrip(".") for fact in second.qualifications] == [
        "14 years of experience in wetland delineation",
        "M.S. in Ecology from Lawrence University",
    ]


@pytest.mark.parametrize(
    ("name", "number"), [("Dan Ferro", 1), ("Daniel J. Ferro", 1), ("Ferro, Daniel", 1), ("Dana Ferro", 2), ("Dan Ferrante", 2)]
)
def test_two_resumes_of_one_person_are_one_person(name: str, number: int) -> None:
    resumes = [
        NumberedPassage(
            number=place,
            text=f"{person}, Program Manager\n\nPMP. B.S. Physics, Purdue University, 2004. {10 + place} years of experience.\n",
            kind=DocumentKind.RESUME,
            document=f"resume {place}",
        )
        for place, person in enumerate(("Daniel Ferro", name))
    ]
    assert len(people(resumes, US)) == number
