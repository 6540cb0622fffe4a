from __future__ import annotations

from datetime import date

import pytest

from fundwright.facts.schemas import status_on
from fundwright.reading.entries import entries_of
from fundwright.reading.facts import Fact, FactField, FactKind, FactStatus
from fundwright.reading.finding_facts import facts_of
from fundwright.reading.kinds import DocumentKind
from fundwright.reading.states import status_of

TODAY = date(2026, 12, 1)
PROJECTS = (
    "| Sponsor | No. | Title | Amount | Dates | Status |\n| - | - | - | - | - | - |\n"
    "| NIH / NICHD | 1R43HD110457-01 | Cartridge | $298,640 | 08/2023-07/2024 | Completed |\n"
    "| NSF | 2213390 | Sweat cortisol | $274,900 | sub. 12/2021 | DECLINED |\n"
    "| BARDA | EZ-BAA 7 | Sepsis in adults | $1,150,000 | sub. 6/2026 | PENDING |\n"
    "| Harbor Arts | A-12 | Mural walk | $220,000 | 2022 | not our project |\n"
    "| Alabama OIT | P-9 | Phishing | $96,000 | 2019 | terminated for convenience |"
)
SHEET = (
    "01 Lapwai Creek\n\nOwner    Nez Perce District\nContract no.    NPS-22-014\nFinal value    $1,284,600\nPeriod    06/2022 - 10/2022\n"
    "We set two arches. The work opened 6.3 miles of habitat.\n\n"
    "02 Camas Prairie\n\nOwner    Department of Quality\nContract no.    K418\nFinal value    $389,250\nPeriod    April 2021\n"
    "In progress (do not cite as completed)\nAsotin Creek Phase 4, award $918,400."
)


def read(text: str, kind: DocumentKind, *headings: str) -> list[Fact]:
    places = [(text.index(heading), (heading,)) for heading in headings]
    path_at = lambda offset: next((path for start, path in reversed(places) if start <= offset), ())  # noqa: E731
    return facts_of(text, entries_of(text, path_at), kind)


def values(facts: list[Fact], kind: FactKind) -> list[dict[FactField, str]]:
    return [fact.values for fact in facts if fact.kind is kind]


class TestProjects:
    def test_each_row_is_a_project_of_its_own_with_its_status(self) -> None:
        facts = read(PROJECTS, DocumentKind.PAST_PERFORMANCE)
        assert [(fact.values[FactField.CUSTOMER], fact.values[FactField.VALUE], fact.status) for fact in facts] == [
            ("NIH / NICHD", "$298,640", FactStatus.CURRENT),
            ("NSF", "$274,900", FactStatus.DENIED),
            ("BARDA", "$1,150,000", FactStatus.PLANNED),
            ("Harbor Arts", "$220,000", FactStatus.OF_OTHERS),
            ("Alabama OIT", "$96,000", FactStatus.ENDED),
        ]

    def test_a_fact_is_where_its_record_is(self) -> None:
        fact = read(PROJECTS, DocumentKind.PAST_PERFORMANCE)[1]
        assert PROJECTS[fact.start : fact.end] == "| NSF | 2213390 | Sweat cortisol | $274,900 | sub. 12/2021 | DECLINED |"

    def test_a_sheet_with_two_projects_never_mixes_them(self) -> None:
        first, second = values(
            read(SHEET, DocumentKind.PAST_PERFORMANCE, "01 Lapwai Creek", "02 Camas Prairie"), FactKind.PROJECT
        )
        assert (first[FactField.TITLE], first[FactField.CONTRACT], first[FactField.VALUE]) == (
            "01 Lapwai Creek",
            "NPS-22-014",
            "$1,284,600",
        )
        assert "6.3 miles" in first[FactField.WORK]
        assert (second[FactField.CONTRACT], second[FactField.VALUE]) == ("K418", "$389,250")

    def test_what_is_not_to_be_cited_is_no_work(self) -> None:
        assert "$918,400" not in str(read(SHEET, DocumentKind.PAST_PERFORMANCE, "01 Lapwai Creek", "02 Camas Prairie"))

    def test_of_several_values_the_final_one_counts_and_never_that_of_the_prime(self) -> None:
        text = "Customer: City of Ames\nContract no.: K4\nAward value: $598,000\nFinal value: $684,200\nTotal prime contract: $1,950,000"
        (project,) = values(read(text, DocumentKind.PAST_PERFORMANCE), FactKind.PROJECT)
        assert project[FactField.VALUE] == "$684,200"

    @pytest.mark.parametrize(
        "text",
        [
            "| Unit # | Description | Yr | Own/Rent |\n| - | - | - | - |\n| E-11 | Cat 326 | 2021 | own |",
            "| Opp | Est | P(win) |\n| - | - | - |\n| DOI SOC | $2.2M | 35% |",
            "| Item | Deliverable | When |\n| - | - | - |\n| a | Dewatering plan | 21 days after award |",
            "| month | cash out |\n| - | - |\n| Aug | 214500 |",
        ],
    )
    def test_other_tables_list_no_projects(self, text: str) -> None:
        assert values(read(text, DocumentKind.DATA), FactKind.PROJECT) == []

    def test_a_project_that_is_told_is_quoted_whole(self) -> None:
        text = "Hearings in Region 5\n\nThe agency bought interpreting from us from May 2021 through April 2025 for $2,364,000."
        (project,) = values(read(text, DocumentKind.PAST_PERFORMANCE), FactKind.PROJECT)
        assert project == {
            FactField.TITLE: "Hearings in Region 5",
            FactField.VALUE: "$2,364,000",
            FactField.WORK: text.partition("\n\n")[2],
        }

    def test_paragraphs_that_tell_of_projects_are_projects_of_their_own(self) -> None:
        text = (
            "Fort Tansley Cemetery, Kentucky. We raised 7,880 uprights under contract W9124D-21-C-0033, worth $1,146,200.\n\n"
            "Dunmore columbarium. 288 niche covers were reset for $71,900.\n\n"
            "People quote $2,310,000 for Camp Ellery. That is the prime's number; our piece was $88,400."
        )
        facts = read(text, DocumentKind.PAST_PERFORMANCE)
        assert [(fact.values.get(FactField.VALUE, ""), fact.status) for fact in facts] == [
            ("$1,146,200", FactStatus.CURRENT),
            ("$71,900", FactStatus.CURRENT),
            ("", FactStatus.OF_OTHERS),
        ]
        assert facts[0].values[FactField.TITLE] == "Fort Tansley Cemetery, Kentucky"
        assert facts[0].values[FactField.CONTRACT] == "W9124D-21-C-0033"

    def test_emails_tell_no_projects(self) -> None:
        text = "From: Ada <ada@acme.example>\nTo: Ben <ben@acme.example>\n\nIn 2024 we did it for $42,000, but nine runs were invalid."
        assert read(text, DocumentKind.PAST_PERFORMANCE) == []


class TestPeople:
    def test_a_resume_in_a_form(self) -> None:
        text = (
            "DANA RIVERS\n\nProject Manager  *  Tamarack Flats\n\n| Yrs experience | 21 (12 with us) |\n| Education | B.S., Fisheries, 2004 |\n"
            "| Lapsed | PMP (expired 2021) |\n\nCoaches youth softball."
        )
        (person,) = values(read(text, DocumentKind.RESUME, "DANA RIVERS"), FactKind.PERSON)
        assert person == {
            FactField.NAME: "DANA RIVERS",
            FactField.ROLE: "Project Manager",
            FactField.QUALIFICATIONS: "21 (12 with us); B.S., Fisheries, 2004",
        }

    def test_several_people_in_one_document(self) -> None:
        text = (
            "Loretta Banks\n\nExecutive Director\nShe has 26 years of experience in housing.\n\n"
            "Inez Field, OTR/L\n\nOccupational Therapist\nShe holds an M.S. from Gannon University."
        )
        people = values(read(text, DocumentKind.RESUME, "Loretta Banks", "Inez Field, OTR/L"), FactKind.PERSON)
        assert [(each[FactField.NAME], each[FactField.ROLE]) for each in people] == [
            ("Loretta Banks", "Executive Director"),
            ("Inez Field, OTR/L", "Occupational Therapist"),
        ]
        assert "26 years" in people[0][FactField.QUALIFICATIONS] and "Gannon" not in people[0][FactField.QUALIFICATIONS]

    def test_plain_text_without_headings(self) -> None:
        text = "Our people\n\nCamille Pelletier\nPresident\nShe holds a B.S. from Keene.\n\nOswaldo Reyes\nProduction Manager\nHe has 26 years in sewing."
        people = values(read(text, DocumentKind.RESUME), FactKind.PERSON)
        assert [(each[FactField.NAME], each.get(FactField.ROLE)) for each in people] == [
            ("Camille Pelletier", "President"),
            ("Oswaldo Reyes", "Production Manager"),
        ]

    def test_a_qualification_in_progress_or_expired_is_none(self) -> None:
        text = "Ada Example\n\nCerts: CISSP\nClearance: Secret (inactive since 2019)\nTraining: GCFA pending"
        (person,) = values(read(text, DocumentKind.RESUME), FactKind.PERSON)
        assert person[FactField.QUALIFICATIONS] == "CISSP"

    def test_a_list_of_staff_and_roles_before_names(self) -> None:
        text = "| Name | Position | License |\n| - | - | - |\n| Ada Example | Program Lead | PE 11873 |\n\nGeneral superintendent: Wade Church"
        people = values(read(text, DocumentKind.ABOUT_US), FactKind.PERSON)
        assert [(each[FactField.NAME], each[FactField.ROLE]) for each in people] == [
            ("Ada Example", "Program Lead"),
            ("Wade Church", "General superintendent"),
        ]


class TestOrganization:
    def test_data_in_a_form_in_a_line_and_in_a_sentence(self) -> None:
        text = "| UEI | M4ZTQ8WKE5J3 | CAGE | 6V8R1 |\n\nNAICS: 237990, 237310\n\nOur office has grown. UEI: N6GVK9RC4TX7. EIN on file."
        details = [
            (each[FactField.LABEL], each[FactField.VALUE]) for each in values(read(text, DocumentKind.ABOUT_US), FactKind.DETAIL)
        ]
        assert details == [("UEI", "M4ZTQ8WKE5J3"), ("CAGE", "6V8R1"), ("NAICS", "237990, 237310"), ("UEI", "N6GVK9RC4TX7")]

    def test_checked_boxes_are_certifications_with_their_state(self) -> None:
        text = "☒ Set-aside status (tick all that apply): WOSB\n\n☒ 8(a): graduated 2023\n\n☒ is not a HUBZone small business"
        facts = read(text, DocumentKind.DATA)
        assert [(fact.values[FactField.NAME], fact.status) for fact in facts] == [
            ("WOSB", FactStatus.CURRENT),
            ("8(a): graduated 2023", FactStatus.ENDED),
        ]

    def test_the_contact_is_who_stands_with_the_phone_number(self) -> None:
        text = (
            "Call / write\n\nPete Lindqvist, Estimating & Business Development Manager\nTel. (208) 555-0162   Cell (208) 555-0175\n"
            "plindqvist@tamarack.example\n2215 Snake River Avenue, Lewiston, ID 83501"
        )
        (contact,) = values(read(text, DocumentKind.ABOUT_US, "Call / write"), FactKind.CONTACT)
        assert contact == {
            FactField.NAME: "Pete Lindqvist",
            FactField.ROLE: "Estimating & Business Development Manager",
            FactField.PHONE: "(208) 555-0162",
            FactField.EMAIL: "plindqvist@tamarack.example",
            FactField.ADDRESS: "2215 Snake River Avenue, Lewiston, ID 83501",
        }

    def test_a_contact_in_a_row_of_a_form(self) -> None:
        (contact,) = values(read("| Contact | Ellen Maki, President, (218) 555-0100 |", DocumentKind.ABOUT_US), FactKind.CONTACT)
        assert (contact[FactField.NAME], contact[FactField.ROLE]) == ("Ellen Maki", "President")

    @pytest.mark.parametrize("kind", [DocumentKind.NOTICE, DocumentKind.POLICY, DocumentKind.INTERNAL, DocumentKind.OTHERS])
    def test_documents_that_are_not_drafted_from_have_no_facts(self, kind: DocumentKind) -> None:
        assert read(f"{PROJECTS}\n\nUEI: M4ZTQ8WKE5J3\n\nCall Ada Example, (208) 555-0162", kind) == []


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("SOLD", FactStatus.ENDED),
        ("sold 11/2023 to Granger", FactStatus.ENDED),
        ("NOT OURS", FactStatus.OF_OTHERS),
        ("NOT FUNDED (score 82/100)", FactStatus.DENIED),
        ("app. due 2027", FactStatus.PLANNED),
        ("to 05/2027", FactStatus.CURRENT),
        ("No lost-time injury since March 2019", FactStatus.CURRENT),
        ("soldering station", FactStatus.CURRENT),
        ("returned to Sunbelt", FactStatus.ENDED),
        ("Returned Peace Corps Volunteer", FactStatus.CURRENT),
        ("repair and re-proofing of returned equipment", FactStatus.CURRENT),
        ("sub role ended when task order was recompeted", FactStatus.CURRENT),
        ("ISO 9001 certification expected 2020", FactStatus.PLANNED),
        ("PMP (expired 2021, not renewed)", FactStatus.ENDED),
        ("Washington - application pending", FactStatus.PLANNED),
        ("", FactStatus.CURRENT),
    ],
)
def test_remarks_say_whether_something_is_current(text: str, status: FactStatus) -> None:
    assert status_of([text]) is status


@pytest.mark.parametrize(
    ("text", "name", "status"),
    [
        (
            "| Item | State |\n| - | - |\n| Women-Owned Small Business | active |",
            "Women-Owned Small Business",
            FactStatus.CURRENT,
        ),
        ("| Item | State |\n| - | - |\n| ISO 9001:2015 | expired 2021 |", "ISO 9001:2015", FactStatus.ENDED),
        ("| Item | State |\n| - | - |\n| HUBZone | No |", "HUBZone", FactStatus.DENIED),
        ("The SBA certified us as a HUBZone firm in 2023.", "The SBA certified us as a HUBZone firm in 2023", FactStatus.CURRENT),
    ],
)
def test_certifications_in_rows_and_sentences(text: str, name: str, status: FactStatus) -> None:
    (found,) = [fact for fact in read(text, DocumentKind.DATA) if fact.kind is FactKind.CERTIFICATION]
    assert (found.values[FactField.NAME], found.status) == (name, status)


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("We are not HUBZone certified", FactStatus.DENIED),
        ("HUBZone: no", FactStatus.DENIED),
        ("EDWOSB (denied by SBA, July 2026)", FactStatus.DENIED),
        ("Not an 8(a) participant", FactStatus.DENIED),
        ("ISO 14001 audit planned for 2027", FactStatus.PLANNED),
        ("Registered as a not-for-profit", FactStatus.CURRENT),
    ],
)
def test_what_a_line_denies_is_not_held(line: str, status: FactStatus) -> None:
    facts = read(f"Company data\n\n• {line}", DocumentKind.ABOUT_US, "Company data")
    assert {fact.status for fact in facts if fact.kind is FactKind.CERTIFICATION} == {status}


def test_the_contact_is_the_first_person_and_not_one_beside_a_label_below() -> None:
    text = (
        "Ingrid Korbel, Managing Member\n302-555-0147 | ingrid@korbel.example\n24-hour field desk: Deshawn Pruitt, 302-555-0199"
    )
    (contact,) = values(read(text, DocumentKind.ABOUT_US), FactKind.CONTACT)
    assert (contact[FactField.NAME], contact[FactField.PHONE]) == ("Ingrid Korbel", "302-555-0147")


def test_a_ceiling_is_no_value() -> None:
    text = "| Customer | Contract | Ceiling | Obligated to date |\n| - | - | - | - |\n| Air Force | FA8X01-22-C-0017 | $3,440,000 | |\n| GSA | 47PX0321C0056 | $9,000,000 | $1,418,600 |"
    air_force, gsa = values(read(text, DocumentKind.PAST_PERFORMANCE), FactKind.PROJECT)
    assert (air_force.get(FactField.VALUE), gsa[FactField.VALUE]) == (None, "$1,418,600")


def test_the_first_and_the_last_day_of_a_project_and_no_totals() -> None:
    text = (
        "| Customer | Contract | Value | Start | End |\n| - | - | - | - | - |\n| City of Ames | K-4180 | $9,000 | 2021-04 | 2022-06 |\n"
        "| TOTAL | | $3,312,350 | 2021 | |"
    )
    (project,) = values(read(text, DocumentKind.PAST_PERFORMANCE), FactKind.PROJECT)
    assert project[FactField.PERIOD] == "2021-04 – 2022-06"


def test_other_rows_and_sentences_are_no_certifications() -> None:
    text = "| Item | State |\n| - | - |\n| Clean room, ISO class 7 | new |\n\nHUBZone rules changed in 2023."
    assert [fact for fact in read(text, DocumentKind.DATA) if fact.kind is FactKind.CERTIFICATION] == []


def test_several_codes_with_remarks_are_one_value() -> None:
    (fact,) = read("NAICS 541930 (primary), 561410, 611630", DocumentKind.ABOUT_US)
    assert fact.values[FactField.VALUE] == "541930 (primary), 561410, 611630"


class TestMessyRecords:
    def test_a_contact_below_its_phone_number(self) -> None:
        text = "Email: info@acme.example\nPhone: 555-123-4567\nContact: Ada Example\nHours: weekdays"
        (contact,) = values(read(text, DocumentKind.ABOUT_US), FactKind.CONTACT)
        assert contact[FactField.NAME] == "Ada Example"

    def test_a_resume_with_a_rule_that_is_longer_than_a_line(self) -> None:
        text = f"Ada Example\nProject Manager\n\n{'-' * 2_500}\n\nEducation: BA"
        (person,) = values(read(text, DocumentKind.RESUME), FactKind.PERSON)
        assert person[FactField.NAME] == "Ada Example"

    def test_a_label_without_a_value_is_no_detail(self) -> None:
        assert read("UEI: •", DocumentKind.DATA) == []

    def test_codes_do_not_hide_other_data_and_former_codes_are_none(self) -> None:
        text = "UEI: ABCD12345678 | CAGE: 7R2T4 | Employees: 45"
        details = values(read(text, DocumentKind.DATA), FactKind.DETAIL)
        assert [each[FactField.VALUE] for each in details] == ["ABCD12345678", "7R2T4", "45"]
        assert read("Our former CAGE code 7R2T4 expired in 2019.", DocumentKind.DATA) == []

    def test_counts_in_a_sentence_are_no_address(self) -> None:
        assert read("We have served 30 clinics and 12000 patients", DocumentKind.DATA) == []

    @pytest.mark.parametrize("amount", ["$5 million", "$2 billion", "€2 500 000", "$3M"])
    def test_amounts_keep_their_size(self, amount: str) -> None:
        text = (
            f"Roof of the school\n\nIn 2019 we replaced a roof worth {amount} for the city of Ames, and everyone was satisfied."
        )
        (project,) = values(read(text, DocumentKind.PAST_PERFORMANCE), FactKind.PROJECT)
        assert project[FactField.VALUE] == amount

    def test_a_form_with_other_labels_is_another_project(self) -> None:
        text = "Customer: US Army\nValue: $5,000,000\n\nClient: US Navy\nContract No.: N123-45\nPeriod: 2020"
        army, navy = values(read(text, DocumentKind.PAST_PERFORMANCE), FactKind.PROJECT)
        assert army == {FactField.CUSTOMER: "US Army", FactField.VALUE: "$5,000,000"}
        assert navy == {FactField.CUSTOMER: "US Navy", FactField.CONTRACT: "N123-45", FactField.PERIOD: "2020"}

    def test_what_stands_above_a_title_in_its_paragraph_belongs_to_it(self) -> None:
        text = (
            "Title: Alpha bridge\nCustomer: US Army\nPeriod: 2018\n\n"
            "Contract No.: W912-34\nTitle: Beta dam\nCustomer: US Navy\nPeriod: 2020"
        )
        alpha, beta = values(read(text, DocumentKind.PAST_PERFORMANCE), FactKind.PROJECT)
        assert FactField.CONTRACT not in alpha
        assert (beta[FactField.TITLE], beta[FactField.CONTRACT]) == ("Beta dam", "W912-34")

    @pytest.mark.parametrize(
        "remark",
        ["Completed sooner than expected", "Finished two weeks earlier than planned.", "No days lost", "4 option years left"],
    )
    def test_good_remarks_are_current(self, remark: str) -> None:
        assert status_of([remark]) is FactStatus.CURRENT


class TestPeopleInOtherForms:
    @pytest.mark.parametrize(
        ("text", "name", "role", "qualifications"),
        [
            ("• Ada Rivers, AuD, PhD: Chief Scientific Officer, PI", "Ada Rivers, AuD, PhD", "Chief Scientific Officer", "PI"),
            ("• Dr. Ada Rivers, MD: clinical advisor, oncologist", "Dr. Ada Rivers, MD", "clinical advisor", "oncologist"),
            (
                "Ada Rivers is our Laboratory Manager. 20 years in the lab.",
                "Ada Rivers",
                "Laboratory Manager",
                "20 years in the lab",
            ),
            ("Ada Rivers, Quality Manager. CISSP. Likes dogs.", "Ada Rivers", "Quality Manager", "CISSP"),
        ],
    )
    def test_a_name_with_a_role_is_a_person_under_any_heading(self, text: str, name: str, role: str, qualifications: str) -> None:
        (person,) = values(read(f"Who we are\n\n{text}", DocumentKind.ABOUT_US, "Who we are"), FactKind.PERSON)
        assert person == {FactField.NAME: name, FactField.ROLE: role, FactField.QUALIFICATIONS: qualifications}

    def test_a_heading_may_be_the_name_and_the_text_below_it_the_rest(self) -> None:
        text = "Our crew\n\nMarco Bell, Information Security\n\nCISSP. Keeps the platform up.\n\nWhere we work\n\nIn a tannery."
        places = {
            "Our crew": ("Our crew",),
            "Marco": ("Our crew", "Marco Bell, Information Security"),
            "Where": ("Where we work",),
        }
        path_at = lambda offset: next((path for word, path in reversed(places.items()) if text.index(word) <= offset), ())  # noqa: E731
        (person,) = values(facts_of(text, entries_of(text, path_at), DocumentKind.ABOUT_US), FactKind.PERSON)
        assert person == {
            FactField.NAME: "Marco Bell",
            FactField.ROLE: "Information Security",
            FactField.QUALIFICATIONS: "CISSP",
        }

    def test_several_people_in_sentences_of_one_document(self) -> None:
        text = (
            "Bios\n\nTormod Bell, PE - see resume.\n\nAda Rivers is our Laboratory Manager. NICET Level IV, 20 years in the lab.\n\n"
            "Dario Church, Quality Manager. ASQ Certified Quality Auditor."
        )
        people = values(read(text, DocumentKind.RESUME, "Bios"), FactKind.PERSON)
        assert [(each[FactField.NAME], each.get(FactField.QUALIFICATIONS)) for each in people] == [
            ("Tormod Bell, PE", None),
            ("Ada Rivers", "NICET Level IV, 20 years in the lab"),
            ("Dario Church", "ASQ Certified Quality Auditor"),
        ]

    def test_an_employer_in_a_heading_is_no_person_and_the_current_position_is_the_role(self) -> None:
        text = "Ada Rivers\n\nExperience\n\nBell Language Services, Program Manager, 2014 to present\n\nTranscontinental Court Reporters, Region Lead, 2007 to 2014"
        headings = ("Experience", "Bell", "Transcontinental")
        places = [(0, ("Ada Rivers",)), *((text.index(each), ("Ada Rivers", "Experience")) for each in headings[:1])]
        places += [
            (text.index(each), ("Ada Rivers", "Experience", text[text.index(each) :].split("\n")[0])) for each in headings[1:]
        ]
        path_at = lambda offset: next(path for start, path in reversed(places) if start <= offset)  # noqa: E731
        facts = facts_of(text, entries_of(text, path_at), DocumentKind.RESUME)
        assert values(facts, FactKind.PERSON) == [{FactField.NAME: "Ada Rivers", FactField.ROLE: "Program Manager"}]

    @pytest.mark.parametrize(
        "table",
        [
            "| NAME | Rivers, | Ada |\n| - | - | - |\n| POSITION TITLE | Medical | Director |\n| INSTITUTION | DEGREE | YEAR |",
            "| NAME: Rivers, Ada eRA COMMONS USER NAME: ARIVERS9 POSITION TITLE: Medical Director INSTITUTION | DEGREE |\n| - | - |\n| Ames | MD |",
        ],
    )
    def test_the_form_of_the_nih_names_a_person_however_its_table_was_read(self, table: str) -> None:
        text = f"BIOGRAPHICAL SKETCH\n\n{table}\n\nI have 21 years of practice.\n\nOMB No. 0925-0001"
        (person,) = values(read(text, DocumentKind.RESUME, "BIOGRAPHICAL SKETCH"), FactKind.PERSON)
        assert (person[FactField.NAME], person[FactField.ROLE]) == ("Rivers, Ada", "Medical Director")

    def test_a_former_role_is_not_current_and_no_former_qualification_is_held(self) -> None:
        text = "| Name | Role | Credentials |\n| - | - | - |\n| Ada Rivers | former Project Director | MD |\n| Ed Bell | Engineer | PE. Former Nadcap auditor. |"
        former, current = read(text, DocumentKind.ABOUT_US)
        assert former.status is FactStatus.DENIED
        assert current.values[FactField.QUALIFICATIONS] == "PE"

    @pytest.mark.parametrize(
        "text",
        ["Who's Behind the Hard Hats, engineers", "OMB No. 0925, Director", "Ada Rivers, Director, 12 Elm Road, Ames, IA 50010"],
    )
    def test_other_texts_name_no_people(self, text: str) -> None:
        assert values(read(text, DocumentKind.ABOUT_US), FactKind.PERSON) == []


class TestProjectsInOtherForms:
    def test_a_slide_with_a_customer_and_items_is_a_project(self) -> None:
        text = (
            "Hearings held by phone\n\n• Customer: Department of Labor\n\n• Contract 4400021873, $3.9 million over five years\n\n• 41,000 calls a year\n\n"
            "• About the customer: 4,800 employees"
        )
        (project,) = values(read(text, DocumentKind.PAST_PERFORMANCE, "Hearings held by phone"), FactKind.PROJECT)
        assert project == {
            FactField.TITLE: "Hearings held by phone",
            FactField.CUSTOMER: "Department of Labor",
            FactField.CONTRACT: "4400021873",
            FactField.VALUE: "$3.9 million",
            FactField.WORK: "Contract 4400021873, $3.9 million over five years; 41,000 calls a year",
        }

    def test_the_number_beside_the_customer_is_that_of_the_contract(self) -> None:
        text = "| Project | Who | Value | Year |\n| - | - | - | - |\n| Dam repair | Corps of Engineers, W912EF21P0038 | $1,147,300 | 2021 |".replace(
            "Who", "Customer"
        )
        (project,) = values(read(text, DocumentKind.PAST_PERFORMANCE), FactKind.PROJECT)
        assert (project[FactField.CUSTOMER], project[FactField.CONTRACT]) == ("Corps of Engineers", "W912EF21P0038")

    @pytest.mark.parametrize(
        ("heading", "is_found"),
        [("Ideas / pipeline (delete before sending!!)", False), ("Publication", False), ("Nine courtrooms", True)],
    )
    def test_headings_say_whether_it_is_a_project(self, heading: str, is_found: bool) -> None:
        facts = read(f"{heading}\n\n• Interpreting in 2021, $6.2M.\n\n• Ready every day.", DocumentKind.PAST_PERFORMANCE, heading)
        assert bool(facts) is is_found

    def test_results_below_belong_to_the_project(self) -> None:
        text = (
            "Final Report\n\nAward 1R43DC904417-01, $299,860, 2023 to 2024.\n\nResults\n\n• 2,310 recordings from 77 volunteers"
        )
        places = [(0, ("Final Report",)), (text.index("Results"), ("Final Report", "Results"))]
        path_at = lambda offset: next(path for start, path in reversed(places) if start <= offset)  # noqa: E731
        (project,) = values(facts_of(text, entries_of(text, path_at), DocumentKind.PAST_PERFORMANCE), FactKind.PROJECT)
        assert (project[FactField.CONTRACT], "77 volunteers" in project[FactField.WORK]) == ("1R43DC904417-01", True)

    @pytest.mark.parametrize(
        ("item", "is_found"),
        [
            ("Army hearing program, W81XWH24C0093, $412,000: 300 earbud sets", True),
            ("Iowa Innovation Fund, $125,000, completed 2022", True),
            ("Global hearing diagnostics: $1.1 billion by 2030", False),
        ],
    )
    def test_an_item_that_has_an_award_number_or_was_completed_is_a_project(self, item: str, is_found: bool) -> None:
        facts = read(f"Traction\n\n• {item}\n\n• Works at home", DocumentKind.ABOUT_US, "Traction")
        assert bool(values(facts, FactKind.PROJECT)) is is_found

    def test_a_remark_beside_the_customer_says_whose_it_is(self) -> None:
        text = "| Customer | Award | Amount |\n| - | - | - |\n| NIH, to Kanova (theirs, we only recruit) | R01HD990417 | $2.7 million |"
        assert [fact.status for fact in read(text, DocumentKind.PAST_PERFORMANCE)] == [FactStatus.OF_OTHERS]


def test_a_contact_is_found_in_a_line_between_bars_and_in_a_sentence() -> None:
    for text in (
        "UEI LQ7NE3XW5RT9 | Paul Bell, Contracts Manager, (814) 555-0143, paul@bell.example | 418 Tannery Row, Erie, PA 16501",
        "For a quote call Paul Bell, Contracts Manager, at (814) 555-0143.",
    ):
        (contact,) = values(read(text, DocumentKind.ABOUT_US), FactKind.CONTACT)
        assert (contact[FactField.NAME], contact[FactField.ROLE]) == ("Paul Bell", "Contracts Manager")


class TestExpiry:
    @pytest.mark.parametrize(
        ("text", "stated", "status"),
        [
            ("HUBZone (expires 30-Jun-2027)", {"name": "HUBZone", "expires": "30-Jun-2027"}, FactStatus.CURRENT),
            ("HUBZone (expires 30-Jun-2026)", {"name": "HUBZone", "expires": "30-Jun-2026"}, FactStatus.ENDED),
            ("HUBZone, valid through 11/30/2026", {"name": "HUBZone", "expires": "11/30/2026"}, FactStatus.ENDED),
            ("ISO 9001:2015, exp. date 12/2026, cert. no. Q-7", {"name": "ISO 9001:2015", "value": "cert. no. Q-7", "expires": "12/2026"}, FactStatus.CURRENT),
            ("WOSB (SBA, Exp 2026)", {"name": "WOSB (SBA)", "expires": "2026"}, FactStatus.CURRENT),
            ("8(a) thru 2025", {"name": "8(a)", "expires": "2025"}, FactStatus.ENDED),
            ("ISO 9001 certified 2019", {"name": "ISO 9001 certified 2019"}, FactStatus.CURRENT),
            ("Certified through the SBA 2019", {"name": "Certified through the SBA 2019"}, FactStatus.CURRENT),
            ("8(a) pending, expected until 2025", {"name": "8(a) pending, expected", "expires": "2025"}, FactStatus.PLANNED),
        ],
    )  # fmt: skip
    def test_a_certification_in_a_line_has_its_date_and_ends_with_it(
        self, text: str, stated: dict[str, str], status: FactStatus
    ) -> None:
        (fact,) = read(f"\u2612 {text}", DocumentKind.DATA)
        assert ({field.value: value for field, value in fact.values.items()}, status_on(TODAY, fact.values, fact.status)) == (
            stated,
            status,
        )

    def test_a_row_has_it_in_a_column(self) -> None:
        text = (
            "| Certification | Number | Expires | Remarks |\n| - | - | - | - |\n| HUBZone | H-12 | 30-Jun-2027 | |\n"
            "| 8(a) | 304 | Mar 2024 | graduated |\n| ISO 9001 | Q7 | 11/2026 | |"
        )
        facts = read(text, DocumentKind.DATA)
        assert [
            (*fact.values.values(), status_on(TODAY, fact.values, fact.status))
            for fact in facts
            if fact.kind is FactKind.CERTIFICATION
        ] == [
            ("HUBZone", "H-12", "30-Jun-2027", FactStatus.CURRENT),
            ("8(a)", "304", "Mar 2024", FactStatus.ENDED),
            ("ISO 9001", "Q7", "11/2026", FactStatus.ENDED),
        ]

    def test_what_is_read_does_not_depend_on_the_day(self) -> None:
        (fact,) = read("\u2612 HUBZone (expires 30-Jun-2020)", DocumentKind.DATA)
        assert (fact.status, status_on(TODAY, fact.values, fact.status)) == (FactStatus.CURRENT, FactStatus.ENDED)

    def test_a_row_of_something_else_is_no_certification(self) -> None:
        text = "| Vehicle | Registration | Expires |\n| - | - | - |\n| Truck 4 | ABC 123 | 6/2027 |"
        assert values(read(text, DocumentKind.DATA), FactKind.CERTIFICATION) == []

    def test_data_with_a_past_date_has_ended(self) -> None:
        facts = read("SAM registration: active through 03/14/2025\n\nBonding license: B-7, until 2030", DocumentKind.DATA)
        assert [status_on(TODAY, fact.values, fact.status) for fact in facts] == [FactStatus.ENDED, FactStatus.CURRENT]


def test_a_form_states_data_of_the_organization_whatever_its_questions_are_called() -> None:
    form = (
        "| What they ask | What we put |\n| - | - |\n| Unique entity ID | QX7KLM4T9WD3 |\n| CAGE | 8R4V2 |\n| SAM good through | May 2027 |\n"
        "| Codes we bid under | 541330, 541620 |\n| Previous name | Keel Wells |\n| Office | (573) 555-0144 |\n| Receipts | $3.4 million |"
    )
    facts = read(form, DocumentKind.DATA)
    assert [(fact.kind, fact.values[FactField.LABEL], fact.values[FactField.VALUE]) for fact in facts] == [
        (FactKind.DETAIL, "Unique entity ID", "QX7KLM4T9WD3"),
        (FactKind.DETAIL, "CAGE", "8R4V2"),
        (FactKind.DETAIL, "SAM good through", "May 2027"),
        (FactKind.DETAIL, "Codes we bid under", "541330, 541620"),
        (FactKind.DETAIL, "Receipts", "$3.4 million"),
    ]


def test_a_form_in_two_columns_of_questions_is_read_in_pairs() -> None:
    form = "| Item | Answer | Item | Answer |\n| - | - | - | - |\n| EIN | 45-5550138 | UEI | LN3VQ8RJ5HC6 |\n| Reserve | four months | Seats | 11 |"
    details = values(read(form, DocumentKind.ABOUT_US), FactKind.DETAIL)
    assert [each[FactField.LABEL] for each in details] == ["EIN", "UEI", "Reserve", "Seats"]


def test_amounts_and_days_are_known_without_the_names_of_their_columns() -> None:
    jobs = (
        "| client | what | begun | wrapped up | billed | how it came out |\n| - | - | - | - | - | - |\n"
        "| Marrow County | Route 17 | 4/8/2024 | 11/22/2024 | $238,900 | 7 sinkholes closed on time |\n"
        "| Trout Farm | spring | Aug 2020 |  | $31,775 | LOST to Keel |"
    )
    first, second = read(jobs, DocumentKind.PAST_PERFORMANCE)
    assert (first.values[FactField.VALUE], first.values[FactField.PERIOD]) == ("$238,900", "4/8/2024 – 11/22/2024")
    assert second.values[FactField.PERIOD] == "Aug 2020"


def test_in_a_sheet_of_past_work_the_first_cell_names_the_customer() -> None:
    log = (
        "| who from | what for | how much | when |\n| - | - | - | - |\n| State Department of Health | Recruitment | $186,000 | July 2022 |\n"
        "| Lund Fund | Sitters | $40,000 | in autumn |"
    )
    (project,) = read(log, DocumentKind.PAST_PERFORMANCE)
    assert project.values[FactField.CUSTOMER] == "State Department of Health"
    assert not read(log, DocumentKind.ABOUT_US)


def test_visits_and_classes_by_customer_are_no_projects() -> None:
    classes = "| class_id | start | customer | students |\n| - | - | - | - |\n| 23-0001 | 5/8/23 | Gravelly Fork | 9 |"
    assert not read(classes, DocumentKind.DATA)
    assert len(read(classes, DocumentKind.PAST_PERFORMANCE)) == 1


@pytest.mark.parametrize(
    ("rating", "status"),
    [("Exceptional", FactStatus.CURRENT), ("LOST to Kestrel", FactStatus.DENIED), ("Pending", FactStatus.CURRENT)],
)
def test_what_became_of_a_project_may_stand_in_place_of_its_rating(rating: str, status: FactStatus) -> None:
    row = f"| Customer | Contract | Value | CPARS |\n| - | - | - | - |\n| Red Desert | BLM-25-771 | $915,000 | {rating} |"
    assert [fact.status for fact in read(row, DocumentKind.PAST_PERFORMANCE)] == [status]


@pytest.mark.parametrize(
    ("sentence", "is_there"),
    [
        ("joined us in 2026", True),
        ("studies left ventricular failure", True),
        ("makes sure that families no longer wait", True),
        ("left in February 2026", False),
        ("who is no longer with us", False),
    ],
)
def test_a_person_who_has_left_is_not_proposed(sentence: str, *, is_there: bool) -> None:
    text = f"The team\n\nBertrand Kessock, Chief Operating Officer, {sentence}."
    assert bool(values(read(text, DocumentKind.ABOUT_US, "The team"), FactKind.PERSON)) is is_there


@pytest.mark.parametrize(
    ("kind", "is_there"), [(DocumentKind.ABOUT_US, True), (DocumentKind.DATA, True), (DocumentKind.PAST_PERFORMANCE, False)]
)
def test_a_table_of_people_may_be_a_sheet_of_data(kind: DocumentKind, *, is_there: bool) -> None:
    staff = "| Name | Role | Credentials |\n| - | - | - |\n| Hattie Maybrook | Lactation consultant | IBCLC |"
    assert bool(values(read(staff, kind), FactKind.PERSON)) is is_there


def test_a_certification_that_is_applied_for_is_not_held() -> None:
    row = "| Credential | Who | Note |\n| - | - | - |\n| WOSB | company | application pending at SBA |"
    assert [fact.status for fact in read(row, DocumentKind.DATA)] == [FactStatus.PLANNED]


def test_neither_customers_nor_people_make_a_table_a_form() -> None:
    clients = "| Client | Value | Year |\n| - | - | - |\n| Legal Aid of Ohio | $40,000 | 2024 |\n| Sam Houston University | $60,000 | 2025 |"
    assert len(values(read(clients, DocumentKind.PAST_PERFORMANCE), FactKind.PROJECT)) == 2
    staff = "| Name | Role |\n| - | - |\n| Sam Ortiz | Project Manager |\n| Sam Lee | Foreman |"
    assert not values(read(staff, DocumentKind.ABOUT_US), FactKind.DETAIL)


def test_numbers_that_begin_with_a_year_are_no_period_and_days_come_in_their_order() -> None:
    rows = (
        "| Customer | Award | Value | Closed | Opened |\n| - | - | - | - | - |\n"
        "| Justice | 2019-DG-BX-K001 | $90,000 |  |  |\n| Dayton | C-1184 | $80,000 | 3/1/2024 | 1/5/2023 |"
    )
    first, second = values(read(rows, DocumentKind.PAST_PERFORMANCE), FactKind.PROJECT)
    assert FactField.PERIOD not in first
    assert second[FactField.PERIOD] == "1/5/2023 – 3/1/2024"


def test_a_row_without_a_name_is_no_project() -> None:
    budget = "| No. | budget | year |\n| - | - | - |\n| 1 | $40,000 | 2022 |"
    assert not read(budget, DocumentKind.PAST_PERFORMANCE)


def test_a_label_may_name_two_registrations() -> None:
    form = "| Legal name | Heritage House, Inc. |\n| UEI / EIN | TH7QW2ZLK5N8 / 91-5550137 |\n| Operating budget | $612,000 |"
    details = values(read(form, DocumentKind.DATA), FactKind.DETAIL)
    assert [each[FactField.VALUE] for each in details] == ["Heritage House, Inc.", "TH7QW2ZLK5N8 / 91-5550137", "$612,000"]


@pytest.mark.parametrize(
    "text",
    [
        "| Who | What they do here |\n| - | - |\n| Zebulon Nakashima | lead repair technician since 2016 |\n| Odalys Pettibone, PT, DPT | physical therapist, half-time |",
        "| Zebulon Nakashima | lead repair technician (bench 2) |\n| Odalys Pettibone, PT, DPT | physical therapist; seating |",
    ],
)
def test_a_row_with_a_name_and_a_role_is_a_person_whatever_its_columns_are_called(text: str) -> None:
    people = values(read(text, DocumentKind.ABOUT_US), FactKind.PERSON)
    assert [(person[FactField.NAME], person[FactField.ROLE]) for person in people] == [
        ("Zebulon Nakashima", "lead repair technician"),
        ("Odalys Pettibone, PT, DPT", "physical therapist"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "| Customer | Whom to call | What she does |\n| - | - | - |\n| City of Alder | Dana Rivers | facilities director |",
        "| Reference | Notes |\n| - | - |\n| Dana Rivers | facilities director |",
        "| Partner | Liaison | Position |\n| - | - | - |\n| Acme Steel | Joe Smith | President |",
        "| One | Two | Three |\n| - | - | - |\n| Joe Smith | Acme Steel | President |",
        "| School | Principal | Enrolled |\n| - | - | - |\n| Alder Elementary | Dana Rivers, principal | 412 |",
    ],
)
def test_a_row_about_a_customer_or_a_service_is_no_person(text: str) -> None:
    assert values(read(text, DocumentKind.ABOUT_US), FactKind.PERSON) == []
