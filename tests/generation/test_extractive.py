from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from fundwright.core.assembly import Core
from fundwright.core.messages import using_language
from fundwright.generation.extractive import tables
from fundwright.generation.extractive.statements import MIN_POSSIBLE, MIN_RELEVANCE, Choice, Comparison, choose, statements_of
from fundwright.language import service
from fundwright.language.protocols import CitedFact, NumberedPassage, PossibleMatch, SectionRequest, Unanswered
from fundwright.reading.facts import FactField, FactKind
from fundwright.reading.kinds import DocumentKind
from fundwright.reading.topics import Topic
from fundwright.templates.builtin import TEMPLATES

TEAM = (
    "The project is led by Dr. Ada Example, who has managed water quality programs for sixteen years. "
    "She is supported by two statisticians and a field crew of eight people. Copyright 2026, all rights reserved."
)
BREAD = "A sourdough loaf rises overnight in a cool kitchen before it is baked in a very hot oven."


def request(
    *passages: str, question: str = "Who leads the project on water quality?", more: tuple[str, ...] = (), written: str = ""
) -> SectionRequest:
    """A section that asks questions without a topic."""
    return SectionRequest(
        heading="Team",
        questions=(question, *more),
        instructions="About 60 words.",
        opportunity="Monitoring of lakes",
        passages=tuple(NumberedPassage(number=number, text=text) for number, text in enumerate(passages, start=1)),
        language="en",
        written=written,
    )


def section(topic: Topic, *passages: NumberedPassage, facts: Sequence[CitedFact] = (), written: str = "") -> SectionRequest:
    """A section of the included template that asks about a topic."""
    questions = [question for template in TEMPLATES for each in template.sections for question in each.questions]
    return SectionRequest(
        heading="Section",
        questions=(next((question.ask for question in questions if question.topic is topic), "What is there to say?"),),
        topics=(topic,),
        instructions="About 120 words.",
        opportunity="Boilers of a hospital",
        passages=passages,
        facts=tuple(facts),
        language="en",
        company="Iron Peak Inc.",
        written=written,
    )


def passage(text: str, kind: DocumentKind, *heading: str) -> NumberedPassage:
    return NumberedPassage(number=1, text=text, kind=kind, heading=heading)


async def pieces_of(core: Core, asked: SectionRequest) -> list[str | Unanswered | PossibleMatch]:
    writer = await service.get_writer(core)
    return [piece async for piece in writer.write(asked)]


async def write(core: Core, asked: SectionRequest) -> str:
    return "".join(piece for piece in await pieces_of(core, asked) if isinstance(piece, str))


class TestQuoting:
    async def test_statements_are_quoted_whole_and_cited(self, core: Core) -> None:
        assert await write(core, request(BREAD, TEAM)) == f"{TEAM.partition(' Copyright')[0]} [2]"

    async def test_a_sentence_that_points_back_stays_with_the_one_it_points_to(self, core: Core) -> None:
        text = await write(
            core, request(TEAM, question="Who leads and supports the project on water quality: statisticians, field crew?")
        )
        assert text.startswith("The project is led") and "She is supported" in text

    async def test_nothing_is_written_twice(self, core: Core) -> None:
        assert await write(core, request(TEAM, TEAM)) == await write(core, request(TEAM))
        assert await write(core, request(TEAM, written=await write(core, request(TEAM)))) == ""

    @pytest.mark.parametrize(
        "text",
        [
            "The contractor shall lead a project on water quality.",
            "The project on water quality must be led by an engineer.",
            "Who leads the project on water quality?",
            "Ada Example leads the project on water quality: ada@acme.example.",
            "We do not lead projects on water quality.",
            "| 14 |",
        ],
    )
    async def test_obligations_questions_contacts_and_denials_are_not_quoted(self, core: Core, text: str) -> None:
        assert await write(core, request(text)) == ""

    async def test_each_question_is_answered_or_left_open(self, core: Core) -> None:
        asked = request(
            TEAM,
            BREAD,
            question="What is the price?",
            more=("Who leads the project on water quality?", "How long is bread baked?"),
        )
        pieces = await pieces_of(core, asked)
        assert [piece.question for piece in pieces if isinstance(piece, Unanswered)] == [0]
        text = "".join(piece for piece in pieces if isinstance(piece, str))
        assert "led by Dr. Ada Example" in text and "sourdough" in text

    @pytest.mark.parametrize(
        ("relevance", "answer", "possible"),
        [(MIN_RELEVANCE, (0,), ()), (MIN_RELEVANCE - 0.01, (), (0,)), (MIN_POSSIBLE - 0.01, (), ())],
    )
    def test_what_comes_near_is_shown_and_not_written(
        self, relevance: float, answer: tuple[int, ...], possible: tuple[int, ...]
    ) -> None:
        found = statements_of([passage(BREAD, DocumentKind.ABOUT_US)], "", "")
        compared = Comparison(np.array([[relevance]], dtype=np.float32), np.zeros(1, dtype=np.float32))
        assert choose(found, compared, {}, 0, None, words=60, taken=()) == Choice(answer, possible)

    @pytest.mark.parametrize("kind", [DocumentKind.INTERNAL, DocumentKind.OTHERS, DocumentKind.NOTICE, DocumentKind.POLICY])
    async def test_documents_that_are_not_ours_are_never_quoted(self, core: Core, kind: DocumentKind) -> None:
        asked = request().model_copy(update={"passages": (passage(TEAM, kind),)})
        assert await write(core, asked) == ""

    async def test_the_screen_says_that_it_only_quotes(self, core: Core) -> None:
        await service.get_writer(core)
        models = service.describe(core)
        assert (models.is_generative, models.embedder_dimension) == (False, 384)
        with using_language("de"):
            assert service.describe(core).writer_label == "Eingebaut (zitiert Ihre Dokumente wörtlich)"


class TestTopics:
    @pytest.mark.parametrize("topic", Topic)
    async def test_every_topic_is_answered_or_left_open(self, core: Core, topic: Topic) -> None:
        about = passage("We repair roofs and gutters for schools in Ohio.", DocumentKind.ABOUT_US, "Services")
        assert await pieces_of(core, section(topic, about))

    async def test_a_list_below_its_heading_is_quoted_as_a_list(self, core: Core) -> None:
        about = passage(
            "- Dredging of small ports\n- Debris removal\n- Asbestos (subbed out, we hold no license)",
            DocumentKind.ABOUT_US,
            "What we do",
        )
        assert await write(core, section(Topic.CAPABILITIES, about)) == "- Dredging of small ports [1]\n- Debris removal [1]"

    @pytest.mark.parametrize(
        ("heading", "items"),
        [
            (
                "THINGS WE DO EVERY DAY",
                ("Rebuild traction motors for railways", "Rewind generators in the field", "Balance rotors up to nine tons"),
            ),
            (
                "ON THE TABLES",
                (
                    "vehicle and weapon covers in Cordura",
                    "tents and shelter liners up to 40 feet",
                    "repair of returned equipment",
                ),
            ),
        ],
    )
    async def test_a_heading_of_peoples_own_words_is_understood_by_what_is_below_it(
        self, core: Core, heading: str, items: tuple[str, ...]
    ) -> None:
        about = passage("\n".join(f"- {item}" for item in items), DocumentKind.ABOUT_US, heading)
        text = await write(core, section(Topic.CAPABILITIES, about))
        assert all(item in text for item in items)

    async def test_a_row_that_was_sold_or_is_not_ours_is_no_equipment(self, core: Core) -> None:
        listed = passage(
            "| C-1 | CytoFLEX flow cytometer | good |\n| C-2 | Luminex reader | DECOMMISSIONED |\n| C-3 | Confocal microscope | NOT OURS |",
            DocumentKind.DATA,
        ).model_copy(update={"head": "| tag | item | condition |\n| - | - | - |", "document": "Equipment list"})
        assert await write(core, section(Topic.FACILITIES, listed)) == "- CytoFLEX flow cytometer [1]"

    async def test_results_of_the_past_are_not_expected_results(self, core: Core) -> None:
        past = passage("We expect to finish all wells by May.", DocumentKind.PAST_PERFORMANCE, "Expected outcomes")
        assert await write(core, section(Topic.OUTCOMES, past)) == ""

    async def test_of_a_page_of_aims_the_aims_are_quoted(self, core: Core) -> None:
        page = passage(
            "Sepsis is suspected in many newborns each year.\n\nAim 1. Lock the cartridge.\n\nAim 2. Enroll 640 newborns at three sites.",
            DocumentKind.PREVIOUS_PROPOSAL,
            "SPECIFIC AIMS",
        )
        text = await write(core, section(Topic.AIMS, page))
        assert "Aim 1. Lock the cartridge." in text and "Sepsis" not in text

    @pytest.mark.parametrize("heading", ["What we don't do", "Reviewer comments", "Lessons learned", "Bid notes"])
    async def test_what_is_not_offered_and_what_others_said_is_left_out(self, core: Core, heading: str) -> None:
        about = passage("- Bevel gears for railways\n- Castings of bronze\n- Forgings of steel", DocumentKind.ABOUT_US, heading)
        assert await write(core, section(Topic.CAPABILITIES, about)) == ""

    @pytest.mark.parametrize(
        ("heading", "text", "quoted"),
        [
            ("Capability Statement", "We are a roofing company in Ohio. Today 64 employees work with us.", "64 employees"),
            ("Where the work happens", "We were founded in 2019 and have 17 employees.", "17 employees"),
            ("Ada Example, President", "Ada is a certified roofer and has 12 employees.", ""),
            ("Safety", "No accident has happened since 2011.", ""),
        ],
    )
    async def test_an_introduction_stands_under_any_heading(self, core: Core, heading: str, text: str, quoted: str) -> None:
        written = await write(core, section(Topic.PROFILE, passage(text, DocumentKind.ABOUT_US, heading)))
        assert quoted in written and bool(written) is bool(quoted)

    async def test_what_stands_above_the_aims_says_why_they_matter(self, core: Core) -> None:
        text = "About 190,000 patients begin treatment each year.\n\nAim 1. Build the device. Reach a noise floor of 5 dB."
        written = await write(core, section(Topic.NEED, passage(text, DocumentKind.PREVIOUS_PROPOSAL, "SPECIFIC AIMS")))
        assert written == "About 190,000 patients begin treatment each year. [1]"

    @pytest.mark.parametrize(
        ("text", "is_quoted"),
        [
            ("Kanova University Hospital (a 610-bed teaching hospital) takes our patients.", False),
            ("Kanova University Hospital has 610 beds and two helicopters.", False),
            ("Iron Peak Services keeps two shops with four lathes.", True),
            ("Ames County renewed our contract for the machine shop twice.", True),
        ],
    )
    async def test_partners_are_not_presented_as_our_own(self, core: Core, text: str, is_quoted: bool) -> None:
        about = passage(text, DocumentKind.ABOUT_US, "Facilities and equipment")
        assert bool(await write(core, section(Topic.FACILITIES, about))) is is_quoted

    @pytest.mark.parametrize(
        ("text", "heading"),
        [
            ("If funded we would add three roofs and a second van.", "Services"),
            ("We repair roofs and gutters.", "Phase III thoughts (not for this proposal)"),
            ("We repair roofs and gutters.", "Ideas (delete before sending)"),
        ],
    )
    async def test_what_is_only_imagined_is_not_quoted(self, core: Core, text: str, heading: str) -> None:
        assert await write(core, section(Topic.CAPABILITIES, passage(text, DocumentKind.ABOUT_US, heading))) == ""

    async def test_sections_of_a_document_have_different_topics(self, core: Core) -> None:
        make = passage(
            "- Earbuds for hearing tests at home\n- A portal for clinics with alerts", DocumentKind.ABOUT_US, "What we make"
        )
        home = passage("We rent 6,200 square feet with a sound booth and two ovens.", DocumentKind.ABOUT_US, "Our home")
        title = passage("Hearing tests wherever the patient is today.", DocumentKind.ABOUT_US, "Fenwort Audiologics")
        written = await write(core, section(Topic.CAPABILITIES, title, make, home))
        assert "Earbuds" in written and "wherever" not in written and "booth" not in written

    async def test_in_a_letter_a_list_is_introduced(self, core: Core) -> None:
        about = passage(
            "We repair boilers of hospitals.\n\n- Boiler inspection\n- Boiler replacement", DocumentKind.ABOUT_US, "Services"
        )
        text = await write(core, section(Topic.FIT, about))
        assert text == (
            "We repair boilers of hospitals. [1]\n\nOur capabilities and experience include:\n\n- Boiler inspection [1]\n- Boiler replacement [1]"
        )


def fact(kind: FactKind, number: int | None = 1, **values: str) -> CitedFact:
    return CitedFact(kind=kind, values={FactField(name): value for name, value in values.items()}, number=number)


class TestTables:
    def test_projects_are_a_table_and_what_was_done_in_each(self) -> None:
        projects = [
            fact(
                FactKind.PROJECT,
                1,
                title="Lapwai Creek",
                customer="Nez Perce District",
                value="$1,284,600",
                work="We set two arches. One pump failed twice.",
            ),
            fact(FactKind.PROJECT, 2, customer="City of Ames", contract="K418", work="The City of Ames has 66,000 residents."),
        ]
        assert tables.written(Topic.PAST_PERFORMANCE, projects, "").splitlines() == [
            "| Project | Customer | Contract | Value |",
            "| --- | --- | --- | --- |",
            "| Lapwai Creek | Nez Perce District |  | $1,284,600 [1] |",
            "|  | City of Ames | K418 [2] |  |",
            "",
            "- **Lapwai Creek**: We set two arches. [1]",
        ]

    @pytest.mark.parametrize(
        ("sentence", "is_written"),
        [
            ("The district enrolls about 15,000 students.", False),
            ("The Foundation has supported 58 investigators since 2005.", False),
            ("NSF invests about 9 billion a year in science.", False),
            ("IP replaced 32 condensing boilers.", True),
            ("The district accepted all four plants.", True),
            ("The City of Ames gave us 14 more buildings.", True),
            ("The cache doors were replaced in May.", True),
        ],
    )
    def test_what_customers_say_of_themselves_is_no_work(self, sentence: str, is_written: bool) -> None:
        project = fact(
            FactKind.PROJECT, 1, customer="City of Ames", value="$9", work=f"Replaced boilers in nine schools; {sentence}"
        )
        text = tables.written(Topic.PAST_PERFORMANCE, [project], "Iron Peak Inc.")
        assert (sentence.rstrip(".") in text) is is_written

    def test_an_amount_alone_is_no_row(self) -> None:
        project = fact(FactKind.PROJECT, 1, value="$9", work="NIH Phase I, $9, completed")
        assert tables.written(Topic.PAST_PERFORMANCE, [project], "") == "- NIH Phase I, $9, completed. [1]"

    def test_what_two_documents_say_about_one_project_is_one_row(self) -> None:
        projects = [
            fact(FactKind.PROJECT, 1, contract="K-418", value="$389,250"),
            fact(FactKind.PROJECT, 2, contract="K-418", value="$389,250", customer="City of Ames"),
        ]
        assert tables.written(Topic.PAST_PERFORMANCE, projects, "").splitlines()[2:] == [
            "| City of Ames | K-418 | $389,250 [2] |"
        ]

    def test_people_have_a_role_and_qualifications(self) -> None:
        people = [
            fact(FactKind.PERSON, 1, name="LAW, Teresa", role="SOC Lead", qualifications="GCIH; 12 years"),
            fact(FactKind.PERSON, 2, name="Teresa Law"),
            fact(FactKind.PERSON, 3, name="Ada Example"),
        ]
        assert tables.written(Topic.PEOPLE, people, "").splitlines()[2:] == [
            "| LAW, Teresa | SOC Lead | GCIH; 12 years [1] |",
            "| Ada Example [3] |  |  |",
        ]

    def test_codes_come_first_and_once(self) -> None:
        facts = [
            fact(FactKind.DETAIL, 1, label="Size", value="Small"),
            fact(FactKind.DETAIL, 1, label="CAGE code", value="6V8R1"),
            fact(FactKind.DETAIL, 2, label="UEI", value="M4ZTQ8WKE5J3"),
            fact(FactKind.DETAIL, 3, label="CAGE", value="6V8R1"),
            fact(FactKind.CERTIFICATION, 4, name="WOSB"),
        ]
        assert tables.written(Topic.COMPANY_DATA, facts, "").splitlines()[2:] == [
            "| UEI | M4ZTQ8WKE5J3 [2] |",
            "| CAGE code | 6V8R1 [1] |",
            "| Size | Small [1] |",
            "",
            "- WOSB [4]",
        ]

    def test_the_contact_is_set_in_lines_with_the_office_from_the_data(self) -> None:
        facts = [
            fact(FactKind.CONTACT, 1, name="Pete Lindqvist", role="Estimator", phone="(208) 555-0162", email="pete@acme.example"),
            fact(FactKind.CONTACT, 2, phone="(208) 555-0100"),
            fact(FactKind.DETAIL, 3, label="Office", value="2215 River Avenue, Lewiston, ID 83501"),
        ]
        assert tables.written(Topic.CONTACT, facts, "") == (
            "Pete Lindqvist, Estimator  \n2215 River Avenue, Lewiston, ID 83501  \n(208) 555-0162  \npete@acme.example [1][3]"
        )

    def test_a_fact_that_a_person_added_is_written_without_a_citation(self) -> None:
        assert (
            tables.written(Topic.PEOPLE, [fact(FactKind.PERSON, None, name="Ada Example")], "").splitlines()[-1]
            == "| Ada Example |"
        )

    @pytest.mark.parametrize("topic", [None, Topic.NEED, Topic.PEOPLE])
    def test_without_a_fact_nothing_is_written(self, topic: Topic | None) -> None:
        assert tables.written(topic, [fact(FactKind.DETAIL, label="UEI", value="M4ZTQ8WKE5J3")], "") == ""
