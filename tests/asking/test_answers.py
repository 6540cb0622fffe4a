"""Questions about documents like the sample, and their answers."""

from __future__ import annotations

import io
import re

import pypdf
import pytest

from fundwright.accounts.schemas import Actor
from fundwright.asking import answering
from fundwright.asking import service as asking
from fundwright.asking.abbreviations import abbreviations_in, initials_pattern
from fundwright.core.assembly import Core
from fundwright.language import service as language
from fundwright.language.schemas import nearest_heading
from fundwright.reading.facts import FactStatus
from fundwright.training import runs, samples
from tests.support.pdf_files import written_pdf
from tests.support.snapshots import Snapshots
from tests.training.conftest import AddFile

ANSWERED = (
    ("Who is the principal investigator?", "Proposed role: principal investigator"),
    ("What challenges came up in past projects?", "ice damaged five"),
    ("How many people work here?", "24"),
    ("Where is the company located?", "Duluth"),
    ("What is our annual revenue?", "$3.8 million"),
    ("Which certificates do we hold?", ""),
    ("How do you make sure the data is good?", ""),
    ("How long do stations run without sun?", "21 days"),
    ("Who designed the Tideline data platform?", "Tideline"),
    ("What boats and vehicles do we own?", "two trailerable work boats"),
    ("What do you hand over to the agency at the end?", ""),
    ("Have we worked with schools?", "31 public schools"),
    ("How many measurements did we migrate?", "118 million"),
    ("What is your experience with PostgreSQL?", "PostgreSQL"),
    ("How are risks managed?", "register"),
    ("How many technicians were trained?", "14 district"),
    ("What was the value of the groundwater database contract?", "742,000"),
    ("How is access to the platform secured?", "Two-factor"),
    ("How far ahead do we forecast algal blooms?", "seven days"),
    ("Who founded the company?", "limnologists"),
    ("insurance coverage", "liability"),
    ("NAICS codes", "541620"),
    ("Are we a small business?", "mall business"),
    ("How fast are failed sensors replaced?", "two working days"),
    ("What is our CAGE code?", "0SMP4"),
    ("How did the customer rate our performance?", "exceptional"),
)
"""Questions, and what the first sentence shown says; '' if several are right."""

NOT_ANSWERED = (
    "What is our policy on animal testing?",
    "Which drugs did we test in clinical trials?",
    "How do we manufacture tank engines?",
    "asdf qwer zxcv",
    "What is the capital of France?",
    "banana bread recipe with walnuts",
    "How many patents do we own?",
    "Do we have a facility clearance?",
    "What is our DUNS number?",
    "How does the company recruit veterans?",
    "Tell me about the football world cup",
    "purple elephants dance on Tuesdays",
    "What are the interest rates for mortgages?",
    "lorem ipsum dolor sit amet",
    "How do we treat cancer patients?",
    "Which submarines have we repaired?",
    "quasar spectroscopy",
    "What is the meaning of life?",
    "xkcd 123 !!",
    "Who won the 2020 election?",
    "janitorial services and snow removal",
    "What vaccines does the clinic stock?",
    "How do I reset my password?",
    "kubernetes cluster autoscaling",
)


async def trained(core: Core, owner: Actor, add_file: AddFile, *files: tuple[str | bytes, str]) -> Actor:
    """The owner, whose documents have these contents and names."""
    async with core.database.transaction() as session:
        ids = [(await add_file(session, owner, core, text, name)).id for text, name in files]
    await runs.run_inline(core, owner, ids)
    return owner


@pytest.fixture
async def taught(committed: Core, owner: Actor, snapshots: Snapshots) -> Actor:
    """An account with the trained sample documents."""

    async def train(core: Core) -> Actor:
        async with core.database.transaction() as session:
            await samples.add_sample(session, owner, core)
            run = (await runs.list_runs(session, owner)).items[0]
        await core.jobs._run(run.job_id, reraise=True)
        return owner

    return await snapshots.of(committed, train)


some_or_all = pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.slow)])
"""Every third question, and all of them."""


@some_or_all
async def test_questions_are_answered_by_the_sentence_that_does(committed: Core, taught: Actor, every: int) -> None:
    embedder = await language.get_embedder(committed)
    silent, wrong = [], []
    for question, expected in ANSWERED[::every]:
        found = (await asking.find_answers(committed, taught, question, embedder=embedder)).answers
        if not found:
            silent.append(question)
            continue
        assert [answer.score for answer in found] == sorted((answer.score for answer in found), reverse=True)
        assert not [each for each in found if each.text[each.answer_start : each.answer_end] == nearest_heading(each.heading)]
        first = found[0]
        if expected not in " ".join(first.text[first.answer_start : first.answer_end].split()):
            wrong.append(question)
    assert len(silent) <= len(ANSWERED[::every]) // 10, silent
    assert len(wrong) <= len(ANSWERED[::every]) // 8, wrong


async def test_what_went_wrong_is_found_under_challenges(committed: Core, taught: Actor) -> None:
    embedder = await language.get_embedder(committed)
    first = (await asking.find_answers(committed, taught, "What went wrong in past projects?", embedder=embedder)).answers[0]
    assert first.heading[-1].endswith("Challenges and how we solved them")
    assert "ice damaged five" in first.text[first.answer_start : first.answer_end].replace("\n", " ")


async def test_our_own_documents_answer_questions_about_us_before_notices(
    committed: Core, owner: Actor, add_file: AddFile
) -> None:
    embedder = await language.get_embedder(committed)
    notice = "# RFP 26-01\n\nThe offeror shall employ licensed welders for the repair of bridges.\n"
    about = "# About us\n\nWe have eleven licensed welders on staff.\n"
    async with committed.database.transaction() as session:
        ids = [
            (await add_file(session, owner, committed, text, name)).id
            for text, name in ((notice, "RFP 26-01.md"), (about, "About us.md"))
        ]
    await runs.run_inline(committed, owner, ids)
    found = (await asking.find_answers(committed, owner, "Do we employ licensed welders?", embedder=embedder)).answers
    assert found[0].document_title == "About us"


HIGH_ROAD = """# High Road Bridges

High Road Bridges LLC repairs steel bridges.

## Strengths

» Experience modification rate of 0.62
» 41 licensed welders
» Average time to close a lane is 25 minutes

| Item | Detail |
|---|---|
| Bonding capacity | $9 million |
| Safety officer | Information System Security Officer: Lena Ortiz |

## Elk River Bridge

The county runs 310 bridges and has 900 employees.

| Client | Elk County |
|---|---|
| Contract value | $1,450,000 |
| Annual value | $290,000 |

Scope. We replaced 220 bearings in one winter. The first 14 bearings had to be replaced under warranty.
"""
STATE_RFP = """# RFP 26-01

Proposals are due on March 3. The offeror must have an EMR below 1.0. Our division employs 210 nurses. The offeror shall employ
licensed welders.
"""


@pytest.fixture
async def bridges(committed: Core, owner: Actor, add_file: AddFile, snapshots: Snapshots) -> Actor:
    async def train(core: Core) -> Actor:
        return await trained(core, owner, add_file, (HIGH_ROAD, "High Road.md"), (STATE_RFP, "RFP 26-01.md"))

    return await snapshots.of(committed, train)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is our EMR?", "Experience modification rate of 0.62"),
        ("Who is the ISSO?", "Lena Ortiz"),
        ("What went wrong in past projects?", "under warranty"),
        ("How much was the contract with Elk County worth?", "$1,450,000"),
        ("How many licensed welders do we employ?", "41 licensed welders"),
        ("When are proposals due?", "March 3"),
        ("How quickly do we close a lane?", "25 minutes"),
    ],
)
async def test_questions_in_peoples_own_words_are_answered(committed: Core, bridges: Actor, question: str, expected: str) -> None:
    embedder = await language.get_embedder(committed)
    first = (await asking.find_answers(committed, bridges, question, embedder=embedder)).answers[0]
    assert expected in first.text[first.answer_start : first.answer_end]


@pytest.mark.parametrize(
    "question",
    ["What was our annual revenue last year?", "What is our CAGE code?", "What is our hourly labor rate for a welder?"],
)
async def test_an_amount_or_code_of_something_else_is_not_an_answer(committed: Core, bridges: Actor, question: str) -> None:
    embedder = await language.get_embedder(committed)
    assert (await asking.find_answers(committed, bridges, question, embedder=embedder)).answers == ()


async def test_notices_are_left_out_when_the_question_is_about_us(committed: Core, bridges: Actor) -> None:
    embedder = await language.get_embedder(committed)
    found = (await asking.find_answers(committed, bridges, "How many welders do we employ?", embedder=embedder)).answers
    assert [answer.document_title for answer in found] == ["High Road Bridges"]


async def test_the_newest_of_documents_that_disagree_is_first_and_both_have_their_dates(
    committed: Core, owner: Actor, add_file: AddFile
) -> None:
    new = "# High Road Bridges 2025\n\nDated May 2, 2025. High Road Bridges LLC repairs steel bridges. We have 31 employees.\n"
    old = "# High Road Bridges 2018\n\nDated May 2, 2018. High Road Bridges LLC repairs steel bridges. We have 12 employees.\n"
    await trained(committed, owner, add_file, (old, "About us 2018.md"), (new, "About us 2025.md"))
    embedder = await language.get_embedder(committed)
    found = (await asking.find_answers(committed, owner, "How many employees do we have?", embedder=embedder)).answers
    assert [(each.answer, each.is_disputed) for each in found] == [
        ("We have 31 employees. (2025)", True),
        ("We have 12 employees. (2018)", True),
    ]


async def test_documents_that_say_the_same_do_not_disagree(committed: Core, owner: Actor, add_file: AddFile) -> None:
    text = "# High Road Bridges\n\nHigh Road Bridges LLC repairs steel bridges. We have 31 employees.\n"
    await trained(committed, owner, add_file, (text, "About us 2018.md"), (f"{text}\nWrite to us.\n", "About us 2025.md"))
    embedder = await language.get_embedder(committed)
    found = (await asking.find_answers(committed, owner, "How many employees do we have?", embedder=embedder)).answers
    assert {each.is_disputed for each in found} == {False}


@pytest.mark.parametrize(
    ("question", "answer", "status"),
    [
        ("Are we in the 8(a) program?", "Ended: 8(a) program: graduated 2017", FactStatus.ENDED),
        ("Do we hold an asbestos license?", "Not held: Asbestos license: not held", FactStatus.DENIED),
        ("Do we have a welding certificate?", "Welding certificate: active", FactStatus.CURRENT),
    ],
)
async def test_a_row_that_says_no_is_answered_with_its_state(
    committed: Core, owner: Actor, add_file: AddFile, question: str, answer: str, status: FactStatus
) -> None:
    text = (
        "# High Road Bridges\n\n| Certification | State |\n|---|---|\n| 8(a) program | graduated 2017 |\n| Asbestos license | not held |\n"
        "| Welding certificate | active |\n"
    )
    await trained(committed, owner, add_file, (text, "About us.md"))
    embedder = await language.get_embedder(committed)
    found = (await asking.find_answers(committed, owner, question, embedder=embedder)).answers[0]
    assert (found.answer, found.status) == (answer, status)


async def test_what_is_asked_of_a_person_has_to_be_named(committed: Core, owner: Actor, add_file: AddFile) -> None:
    text = "# High Road Bridges\n\nRosalind Chance is our managing member and a U.S. Army veteran. Her rank was sergeant.\n"
    other = "# High Road Bridges\n\nTobias Winter is our service manager and a U.S. Army veteran.\n"
    await trained(committed, owner, add_file, (text, "Rosalind.md"), (other, "Tobias.md"))
    embedder = await language.get_embedder(committed)
    ask = lambda question: asking.find_answers(committed, owner, question, embedder=embedder)  # noqa: E731
    assert "sergeant" in (await ask("What rank did Rosalind hold in the U.S. Army?")).answers[0].text
    assert (await ask("What rank did Tobias hold in the U.S. Army?")).answers == ()


async def test_a_notice_answers_what_others_demand_and_is_about_what_its_beginning_names(
    committed: Core, owner: Actor, add_file: AddFile
) -> None:
    notice = f"# SSA request for proposals 26-02\n\nThe Social Security Administration (SSA) buys interpreting.\n\n{'The offeror shall interpret. ' * 60}\n\n## 4. Submission\n\nProposals are due January 16, 2026.\n"
    own = "# About us\n\nHigh Road Interpreting LLC has 31 employees and interpreters of 40 languages. Our SSA proposal was due for review on May 3, 2025.\n"
    await trained(committed, owner, add_file, (notice, "RFP 26-02.md"), (own, "About us.md"))
    embedder = await language.get_embedder(committed)
    found = (await asking.find_answers(committed, owner, "When is the SSA proposal due?", embedder=embedder)).answers
    assert "January 16, 2026" in found[0].answer


TIDEWATER = """# Past performance of Tidewater Systems

| Customer | Contract | Value | Rating |
|---|---|---|---|
| Naval Supply Systems Command | N00189-20-C-0117 | $12.4 million | Exceptional |
| City of Chesapeake | CHS-2022-044 | $1.1 million | Very Good |

## NAVSUP help desk

We ran the tier 1 to 3 service desk for 9,200 users in 14 locations. Point of contact: Marcus Bell, COR, (717) 555-0190.

## City of Chesapeake cloud migration

We moved 118 virtual machines to Azure Government in 16 months. The migration finished two months later than planned because the
city's network circuits arrived late. Hosting cost fell by 27 percent.
"""
TIDEWATER_RESUMES = """# Résumés of key personnel

## Daniel Ferro, Program Manager

PMP (2016). Managed the NAVSUP service desk from 2020 to 2025 with a team of 38.

## Priya Raman, Lead Cloud Architect

Led the migration of the City of Chesapeake. Top Secret clearance.
"""
LITERACY = """# Harbor Light Literacy – Annual Report 2025

## Mission

Harbor Light Literacy is a 501(c)(3) nonprofit in Duluth, Minnesota. EIN 41-5550137. Founded in 1998.

## Programs and results

- Family Reading Nights reached 1,240 children in 2025; 71 percent gained at least one reading level in nine months.

## Staff and partners

Executive Director Anna Bergstrom has led the organization since 2012.
"""


@pytest.fixture
async def tidewater(committed: Core, owner: Actor, add_file: AddFile, snapshots: Snapshots) -> Actor:
    async def train(core: Core) -> Actor:
        files = (TIDEWATER, "past.md"), (TIDEWATER_RESUMES, "resumes.md"), (LITERACY, "annual.md")
        return await trained(core, owner, add_file, *files)

    return await snapshots.of(committed, train)


@pytest.mark.parametrize(
    ("question", "expected", "beside"),
    [
        ("What rating did we get on the NAVSUP contract?", "Exceptional", ["Managed the NAVSUP service desk"]),
        ("When was Harbor Light Literacy founded?", "Founded in 1998.", []),
        ("Why was the Chesapeake migration late?", "because the", ["Led the migration"]),
        ("What is the contract number for Chesapeake?", "CHS-2022-044", ["Led the migration"]),
    ],
)
async def test_only_what_comes_close_to_the_answer_is_shown_beside_it(
    committed: Core, tidewater: Actor, question: str, expected: str, beside: list[str]
) -> None:
    embedder = await language.get_embedder(committed)
    found = (await asking.find_answers(committed, tidewater, question, embedder=embedder)).answers
    first, *others = (answer.text[answer.answer_start : answer.answer_end] for answer in found)
    assert expected in first
    assert len(others) <= len(beside)
    assert all(other.startswith(start) for other, start in zip(others, beside, strict=False))


@pytest.mark.parametrize(
    ("abbreviation", "words", "is_found"),
    [
        ("NAVSUP", "Naval Supply Systems Command", True),
        ("CENTCOM", "Central Command", True),
        ("ISSO", "information system security officer", True),
        ("NAVSUP", "naval architecture support", False),
        ("CAGE", "cases in general", False),
    ],
)
def test_an_abbreviation_stands_for_words_with_its_initials_or_syllables(abbreviation: str, words: str, is_found: bool) -> None:
    pattern = initials_pattern(abbreviation).replace(r"\y", r"\b")
    assert bool(re.search(pattern, words, re.IGNORECASE)) == is_found


LISTED = """# Harrow Fire Systems

Harrow Fire Systems inspects alarms and sprinklers in three states.

## Certifications

- Women's Business Enterprise, certified by WBENC in 2021
- ISO 9001:2015, certificate Q-20418
- UL-listed alarm service company

## Licenses

| State | License | Number |
|---|---|---|
| Ohio | Fire protection contractor | 53-18-1822 |
| Indiana | Sprinkler contractor | SP-4470 |

## Why Harrow

One telephone number for every system. Reports arrive within 48 hours.

## Terms

| Item | Detail |
|---|---|
| Insurance coverages | General liability $2 million; workers' compensation |
"""
RESUME_OF_ONE = """# Dana Whitcombe

Quality Manager

Education: A.A.S., Electronics, Lorain College, 2006

Certifications: NICET Level III; OSHA 510
"""


@pytest.fixture
async def listed(committed: Core, owner: Actor, add_file: AddFile, snapshots: Snapshots) -> Actor:
    async def train(core: Core) -> Actor:
        return await trained(core, owner, add_file, (LISTED, "Harrow.md"), (RESUME_OF_ONE, "Resume Whitcombe.md"))

    return await snapshots.of(committed, train)


@pytest.mark.parametrize(
    ("question", "first_listed", "last_listed"),
    [
        ("What certifications do we hold?", "Women's Business Enterprise", "alarm service company"),
        ("What are our accreditations?", "Women's Business Enterprise", "alarm service company"),
        ("Which state licenses do we have?", "| Ohio", "SP-4470 |"),
        ("What are our differentiators?", "One telephone number", "48 hours."),
        ("Which insurance coverages does the company have?", "| Insurance coverages", "compensation |"),
    ],
)
async def test_the_list_under_a_heading_or_label_that_names_it_answers(
    committed: Core, listed: Actor, question: str, first_listed: str, last_listed: str
) -> None:
    embedder = await language.get_embedder(committed)
    first = (await asking.find_answers(committed, listed, question, embedder=embedder)).answers[0]
    shown = first.text[first.answer_start : first.answer_end]
    assert shown.startswith(first_listed)
    assert shown.endswith(last_listed)


@pytest.mark.parametrize(
    "question", ["What patents do we hold?", "Which cloud platforms do we have?", "Which pilot licenses do we have?"]
)
async def test_a_list_of_something_else_is_not_an_answer(committed: Core, listed: Actor, question: str) -> None:
    embedder = await language.get_embedder(committed)
    found = (await asking.find_answers(committed, listed, question, embedder=embedder)).answers
    assert not [answer for answer in found if "\n" in answer.text[answer.answer_start : answer.answer_end]]


async def test_what_a_person_holds_is_not_in_the_list_of_the_firm(committed: Core, listed: Actor) -> None:
    embedder = await language.get_embedder(committed)
    question = "Which certifications does Dana Whitcombe have?"
    first = (await asking.find_answers(committed, listed, question, embedder=embedder)).answers[0]
    assert first.text[first.answer_start : first.answer_end] == "Certifications: NICET Level III; OSHA 510"


@some_or_all
async def test_nonsense_and_what_the_documents_do_not_say_get_no_answer(committed: Core, taught: Actor, every: int) -> None:
    embedder = await language.get_embedder(committed)
    answered = [q for q in NOT_ANSWERED[::every] if (await asking.find_answers(committed, taught, q, embedder=embedder)).answers]
    assert len(answered) <= 1, answered


MARLOW = """JANE E. MARLOW, P.E.
jane.marlow@acme.example | 515-555-0142 | Ames, Iowa

SUMMARY
Civil engineer with 16 years of stormwater design.

EXPERIENCE
2014-present  Senior Engineer, Acme Water, Ames

EDUCATION
B.S. Civil Engineering, Iowa State University, 2009

CERTIFICATIONS  P.E. (Iowa 22119), CFM
"""
STATEMENT = """ACME WATER CAPABILITY STATEMENT

We design stormwater systems for cities in Iowa.

Contact: Jane Marlow, 515-555-0142, jane.marlow@acme.example
"""


@pytest.fixture
async def engineers(committed: Core, owner: Actor, add_file: AddFile, snapshots: Snapshots) -> Actor:
    async def train(core: Core) -> Actor:
        return await trained(core, owner, add_file, (MARLOW, "Marlow resume.txt"), (STATEMENT, "Statement.txt"))

    return await snapshots.of(committed, train)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which degrees does Jane Marlow have?", "B.S. Civil Engineering"),
        ("Where did Jane Marlow study?", "B.S. Civil Engineering"),
        ("Which certifications does Jane Marlow hold?", "P.E. (Iowa 22119)"),
        ("How can I reach Jane Marlow?", "515-555-0142"),
    ],
)
async def test_what_a_person_has_is_shown_before_the_persons_name_and_phone_number(
    committed: Core, engineers: Actor, question: str, expected: str
) -> None:
    embedder = await language.get_embedder(committed)
    first = (await asking.find_answers(committed, engineers, question, embedder=embedder)).answers[0]
    assert expected in first.text[first.answer_start : first.answer_end]


def test_only_the_first_abbreviations_are_looked_for() -> None:
    question = "Who is our ISSO? " + " ".join(f"A{first}{second}" for first in "BCDEFGH" for second in "BCDEFGH")
    assert abbreviations_in(question) == ["ISSO", "ABB", "ABC", "ABD", "ABE"]


async def test_a_person_in_another_role_is_no_answer(committed: Core, owner: Actor, add_file: AddFile) -> None:
    embedder = await language.get_embedder(committed)
    people = (
        "KEY PEOPLE\n\nPim Overbeek - President. Third generation. BS Mechanical Engineering.\n\nJo Laskaris, Contracts Administrator, 231-555-0140, "
        "jo@example.org. Runs quotes and invoices.\n\nRon Ibarra\nQuality Manager\n24 years. In charge of the inspection room.\n"
    )
    station = (
        "# Past performance: stations for USGS\n\nReference: Ada Flint, USGS Water Science Center, 715-555-0139. We set twelve stations for USGS"
        " under contract 140G0322P0041, $212,400, completed in October 2023.\n"
    )
    await trained(committed, owner, add_file, (people, "key people.txt"), (station, "past performance stations.md"))

    async def ask(question: str) -> list[str]:
        found = (await asking.find_answers(committed, owner, question, embedder=embedder)).answers
        return [each.text[each.answer_start : each.answer_end] for each in found]

    assert (await ask("Who is our contracts administrator?"))[0].startswith("Jo Laskaris")
    assert not await ask("Who is our medical director?")
    assert "Ada Flint" in (await ask("Who is our point of contact at USGS?"))[0]


async def test_an_answer_names_the_page_as_its_document_does(committed: Core, owner: Actor, add_file: AddFile) -> None:
    pages = pypdf.PdfWriter(io.BytesIO(written_pdf([b"(This proposal has two parts.)"], [b"(Demobilization costs $46,200.)"])))
    pages.set_page_label(0, 0, style="/r")
    pages.set_page_label(1, 1, style="/D")
    pages.write(target := io.BytesIO())
    async with committed.database.transaction() as session:
        document = await add_file(session, owner, committed, target.getvalue(), "prices.pdf")
    await runs.run_inline(committed, owner, [document.id])
    embedder = await language.get_embedder(committed)
    answer, *_ = (await asking.find_answers(committed, owner, "How much does demobilization cost?", embedder=embedder)).answers
    assert (answer.page, answer.page_label) == (2, "1")


class TestTheTextAround:
    """An answer can depend on what stands above or below it."""

    async def _shown(self, core: Core, owner: Actor, question: str) -> str:
        embedder = await language.get_embedder(core)
        found = (await asking.find_answers(core, owner, question, embedder=embedder)).answers
        return " ".join(answering.in_words(found[0]).split()) if found else ""

    async def test_a_heading_that_is_the_question_is_answered_below(
        self, committed: Core, owner: Actor, add_file: AddFile
    ) -> None:
        asked = "# Questions\n\n## Do you rent kayaks to groups?\n\nYes, ten at most.\n\n## Who repairs torn sails?\n\nThe loft in Sturgeon Bay.\n"
        other = "# Sails\n\nTorn sails of the club are stored in the shed behind the pier until spring.\n"
        actor = await trained(committed, owner, add_file, (asked, "faq.md"), (other, "sails.md"))
        assert await self._shown(committed, actor, "Who repairs torn sails?") == "The loft in Sturgeon Bay."
        assert await self._shown(committed, actor, "Do you rent kayaks to groups?") == "Yes, ten at most."

    async def test_an_exception_is_shown_with_its_rule(self, committed: Core, owner: Actor, add_file: AddFile) -> None:
        rule = "Deliveries leave the warehouse on Mondays."
        exception = "Except for frozen goods, which leave it on Fridays."
        actor = await trained(
            committed, owner, add_file, (f"# Rules\n\n{rule}\n", "a.md"), (f"# Plan\n\n{rule}\n\n{exception}\n", "b.md")
        )
        assert await self._shown(committed, actor, "When do deliveries of frozen goods leave?") == f"{rule} {exception}"

    async def test_a_role_ends_before_the_place(self, committed: Core, owner: Actor, add_file: AddFile) -> None:
        crew = "# Crew\n\nThe plan of the night crew shows the whole terminal.\n\nDock Foreman: Ines Varga\n\nCrane Operator: Olaf Beck\n"
        actor = await trained(committed, owner, add_file, (crew, "crew.md"))
        assert "Ines Varga" in await self._shown(committed, actor, "Who is the dock foreman in the plan of the night crew?")

    async def test_the_document_that_the_question_names_comes_first(
        self, committed: Core, owner: Actor, add_file: AddFile
    ) -> None:
        head = "| Position | Year 1 price | Year 2 price |\n| - | - | - |\n"
        actor = await trained(
            committed,
            owner,
            add_file,
            (f"# Marina\n\n{head}| Deck hand | $31.00 | $32.10 |\n", "a.md"),
            (f"# Summer tariff\n\n{head.replace(' price', '')}| Deck hand | $27.50 | $28.40 |\n", "b.md"),
        )
        shown = await self._shown(committed, actor, "What is the year 2 price of a deck hand in the summer tariff?")
        assert "$28.40" in shown
