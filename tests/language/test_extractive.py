from __future__ import annotations

import pytest

from fundwright.core.assembly import Core
from fundwright.core.messages import using_language
from fundwright.language import service
from fundwright.language.extractive.claims import Others
from fundwright.language.extractive.headings import HeadingClassifier
from fundwright.language.protocols import NumberedPassage, PossibleMatch, SectionRequest, Unanswered
from fundwright.language.schemas import DocumentKind
from fundwright.language.topics import Topic
from fundwright.templates.builtin import PROJECT_SUMMARY

TEAM = (
    "The project is led by Dr. Ada Example, who has managed water quality programs for sixteen years. "
    "She is supported by two statisticians and a field crew of eight people. Copyright 2026, all rights reserved."
)
BREAD = "A sourdough loaf rises overnight in a cool kitchen before it is baked in a very hot oven."


PROFILE = (
    "Capability profile: Harbor & Pine Analytics (sample)\n\n*This is a sample document of a company that does not exist.*\n\n"
    "Core Technical Competencies And Services Offered Today\n\n"
    "- Design and operation of *continuous* water quality networks,\n  including nitrate sensors.\n"
    "- Training of agency staff in data quality\n\n"
    "CDRL A00X: Visual Technical Sufficiency Assessment.\n\n"
    "Include a timeline of services and capabilities. | 14 |\\n| Include a timeline.\n\n"
    "Our services are a data platform and the technical capabilities of twelve engineers.\n"
    "The contractor shall offer services and technical capabilities to the Government.\n\n"
    "Services that the company offers together with partners participating in"
)
SERVICES = "What services and technical capabilities does our organization offer?"


def request(
    *passages: str, question: str = "Who leads the project on water quality?", more: tuple[str, ...] = (), written: str = ""
) -> SectionRequest:
    return SectionRequest(
        heading="Team",
        questions=(question, *more),
        instructions="About 60 words.",
        opportunity="Monitoring of lakes",
        passages=tuple(NumberedPassage(number=number, text=text) for number, text in enumerate(passages, start=1)),
        language="en",
        written=written,
    )


async def write(core: Core, asked: SectionRequest) -> list[str]:
    writer = await service.get_writer(core)
    return [piece async for piece in writer.write(asked) if isinstance(piece, str)]


async def left_open(core: Core, asked: SectionRequest) -> list[int]:
    writer = await service.get_writer(core)
    return [piece.question async for piece in writer.write(asked) if isinstance(piece, Unanswered)]


class TestWrite:
    async def test_every_sentence_is_in_its_passage(self, core: Core) -> None:
        pieces = await write(core, request(BREAD, TEAM))
        assert pieces
        for piece in pieces:
            sentence, _, number = piece.strip().rpartition(" ")
            assert number == "[2]"
            assert sentence in TEAM

    async def test_boilerplate_is_not_quoted(self, core: Core) -> None:
        assert "Copyright" not in "".join(await write(core, request(TEAM)))

    async def test_the_same_sentence_is_quoted_once(self, core: Core) -> None:
        assert len(await write(core, request(TEAM, TEAM))) == len(await write(core, request(TEAM)))

    async def test_headings_disclaimers_table_rows_and_half_sentences_are_not_quoted(self, core: Core) -> None:
        text = "".join(await write(core, request(PROFILE, question=SERVICES)))
        assert "Our services are a data platform" in text
        for unwanted in ("(sample)", "sample document", "Core Technical", "CDRL", "| 14", "participating in"):
            assert unwanted not in text

    async def test_items_of_a_list_stay_a_list(self, core: Core) -> None:
        asked = request(
            PROFILE, question="Which water quality networks do we design, and what training do we offer on data quality?"
        )
        lines = "".join(await write(core, asked)).splitlines()
        listed = "- Design and operation of continuous water quality networks, including nitrate sensors. [1]"
        assert listed in lines
        assert lines[lines.index(listed) + 1] == "- Training of agency staff in data quality [1]"

    async def test_what_others_have_to_do_is_not_quoted(self, core: Core) -> None:
        assert "contractor shall" not in "".join(await write(core, request(PROFILE, question=SERVICES)))
        assert await write(core, request("The project on water quality must be led by a registered engineer.")) == []

    async def test_a_sentence_that_points_back_follows_the_one_it_points_to(self, core: Core) -> None:
        pieces = await write(core, request(TEAM, question="Who supports her: statisticians, field crew?"))
        assert [piece.split()[0] for piece in pieces] == ["The", "She"]
        cut = TEAM[TEAM.index("She") :]
        assert await write(core, request(cut, question="Who supports her: statisticians, field crew?")) == []

    async def test_nothing_is_repeated_in_a_draft(self, core: Core) -> None:
        before = "".join(await write(core, request(TEAM)))
        assert await write(core, request(TEAM, written=before)) == []

    async def test_an_item_is_left_out_when_it_is_an_item_already_not_when_a_sentence_has_its_words(self, core: Core) -> None:
        question = "Which water quality networks do we design, and what training do we offer on data quality?"
        item = "Training of agency staff in data quality"
        elsewhere = f"{item} began in 2019 at two agencies. [1]"
        assert f"- {item} [1]" in "".join(await write(core, request(PROFILE, question=question, written=elsewhere)))
        listed = f"Ours:\n\n- {item} [1]\n"
        assert item not in "".join(await write(core, request(PROFILE, question=question, written=listed)))

    async def test_nothing_is_written_when_nothing_answers(self, core: Core) -> None:
        assert await write(core, request(BREAD)) == []
        assert await write(core, request()) == []

    async def test_each_question_is_answered_or_listed_as_open(self, core: Core) -> None:
        asked = request(
            TEAM,
            BREAD,
            question="What does the project cost?",
            more=("Who leads the project on water quality?", "How long is bread baked?"),
        )
        assert await left_open(core, asked) == [0]
        text = "".join(await write(core, asked))
        assert "led by Dr. Ada Example" in text
        assert "sourdough" in text

    async def test_how_work_is_managed_is_no_answer_to_what_it_is_for(self, core: Core) -> None:
        managed = (
            "Each project has one manager who is named in the contract and answers within one working day. Work is planned in "
            "two-week steps; at the end of each, the client sees what was finished. Risks are kept in a register."
        )
        (need,) = PROJECT_SUMMARY.sections[0].questions
        assert (
            await write(core, request(managed, question=need.ask).model_copy(update={"heading": "Need and significance"})) == []
        )

    async def test_the_screen_says_that_it_only_quotes(self, core: Core) -> None:
        await service.get_writer(core)
        models = service.describe(core)
        assert not models.is_generative
        assert models.embedder_dimension == 384
        with using_language("de"):
            models = service.describe(core)
        assert models.writer_label == "Eingebaut (zitiert Ihre Dokumente wörtlich)"


def section(topic: Topic, *passages: NumberedPassage, written: str = "") -> SectionRequest:
    return SectionRequest(
        heading="Section",
        questions=("What is there to say?",),
        topics=(topic,),
        instructions="About 120 words.",
        opportunity="Boilers of a hospital",
        passages=passages,
        language="en",
        company="Iron Peak Inc.",
        written=written,
    )


def passage(text: str, kind: DocumentKind, *heading: str) -> NumberedPassage:
    return NumberedPassage(number=1, text=text, kind=kind, heading=heading)


class TestFacts:
    @pytest.mark.parametrize(
        "status",
        ["service-disabled veteran-owned small business (SDVOSB)", "economically disadvantaged women-owned small business"],
    )
    async def test_the_legal_status_is_quoted_in_full(self, core: Core, status: str) -> None:
        about = passage(f"We are a {status} in Dayton, Ohio.\n", DocumentKind.ABOUT_US, "Capability statement")
        assert f"| Status | {status} [1] |" in "".join(await write(core, section(Topic.COMPANY_DATA, about)))

    async def test_values_below_their_labels_and_a_title_with_a_colon(self, core: Core) -> None:
        below = passage(
            "PROJECT PROFILE\nMaintenance of Air Handlers\n\nClient:\nVeterans Hospital\nContract:\n36C25922D0031\n\n"
            "Scope\nMaintained 410 air handlers each quarter.\n",
            DocumentKind.PAST_PERFORMANCE,
        )
        text = "".join(await write(core, section(Topic.PAST_PERFORMANCE, below)))
        assert "| Maintenance of Air Handlers | Veterans Hospital | 36C25922D0031 [1] |" in text
        titled = passage(
            "School District 60: chiller plants\n\nContract amount: $1.26M\n\nIron Peak replaced chillers at four schools.\n",
            DocumentKind.PAST_PERFORMANCE,
        )
        text = "".join(await write(core, section(Topic.PAST_PERFORMANCE, titled)))
        assert "| School District 60: chiller plants | $1.26M [1] |" in text

    async def test_numbered_titles_above_their_values(self, core: Core) -> None:
        listed = passage(
            'COMPLETED AND CURRENT SUPPORT\n\n(1) "Margins that feed bees"\n    Sponsor: NIFA\n    Amount: $749,600\n    PI: I. Solheim\n'
            '    We sowed six seed mixes on 40 farms.\n\n(2) "Soils of the prairie"\n    Sponsor: Trust Fund\n    Amount: $295,000\n',
            DocumentKind.PAST_PERFORMANCE,
        )
        text = "".join(await write(core, section(Topic.PAST_PERFORMANCE, listed)))
        assert "| Margins that feed bees | NIFA | $749,600 [1] |\n| Soils of the prairie | Trust Fund | $295,000 [1] |" in text
        assert "**Margins that feed bees**: We sowed six seed mixes on 40 farms. [1]" in text

    async def test_a_label_in_uppercase_that_ends_with_a_period(self, core: Core) -> None:
        sheet = passage(
            "FORMER PLANT, MEAD\n\nCLIENT\nRegion Seven\n\nCONTRACT NO.\n68HE0720C0019\n\nSCOPE\nInstalled 61 monitoring wells.\n",
            DocumentKind.PAST_PERFORMANCE,
        )
        assert "| Region Seven | 68HE0720C0019 [1] |" in "".join(await write(core, section(Topic.PAST_PERFORMANCE, sheet)))

    @pytest.mark.parametrize("topic", Topic)
    async def test_questions_about_every_topic_are_answered_or_left_open(self, core: Core, topic: Topic) -> None:
        asked = section(topic, passage("We repair roofs and gutters for schools in Ohio.", DocumentKind.ABOUT_US, "Services"))
        assert "".join(await write(core, asked)) or await left_open(core, asked)

    async def test_two_dates_keep_their_labels(self, core: Core) -> None:
        sheet = passage(
            "Title: Replace Boilers\nOwner: Fort Example\nAward date: 15 May 2020\nCompletion date: 30 Nov 2021\n",
            DocumentKind.PAST_PERFORMANCE,
        )
        text = "".join(await write(core, section(Topic.PAST_PERFORMANCE, sheet)))
        assert "Award date 15 May 2020; Completion date 30 Nov 2021" in text

    async def test_what_went_wrong_is_not_past_performance(self, core: Core) -> None:
        sheet = passage(
            "Title: Replace Boilers\nOwner: Fort Example\n\nScope\nInstalled 32 boilers in two winters.\n\n"
            "Challenges and how we solved them\nThe first pump failed twice.\n",
            DocumentKind.PAST_PERFORMANCE,
        )
        text = "".join(await write(core, section(Topic.PAST_PERFORMANCE, sheet)))
        assert "Installed 32 boilers" in text
        assert "failed" not in text

    async def test_roles_with_dates_and_certificates_in_a_sentence(self, core: Core) -> None:
        resume = passage(
            "Thelma Jeffries, MPH\n\nExecutive Director, Riverbend Partners (2011 - present)\n\n"
            "LEED AP BD+C; Master Plumber; OSHA 500 trainer.\n",
            DocumentKind.RESUME,
        )
        text = "".join(await write(core, section(Topic.PEOPLE, resume)))
        assert "| Executive Director, Riverbend Partners | LEED AP BD+C; Master Plumber; OSHA 500 trainer [1] |" in text

    async def test_the_role_of_a_work_history_that_continues(self, core: Core) -> None:
        resume = passage(
            "Ada Example\n\nEDUCATION\nPhD, Biology, 2001\n\nWORK HISTORY\n2004-present   Director of Research, Institute\n1998-2004   Analyst\n",
            DocumentKind.RESUME,
        )
        assert "| Director of Research, Institute |" in "".join(await write(core, section(Topic.PEOPLE, resume)))

    async def test_founding_year_and_location_are_found_below_any_heading(self, core: Core) -> None:
        about = passage(
            "Iron Peak Inc. installs and maintains boilers for hospitals. We have been in business since 2013 and are based in Duluth, Minnesota.",
            DocumentKind.ABOUT_US,
            "WHAT WE DO",
        )
        assert "based in Duluth" in "".join(await write(core, section(Topic.PROFILE, about)))

    async def test_a_list_of_customers_is_not_a_project(self, core: Core) -> None:
        about = passage(
            "U.S. Geological Survey, Great Lakes Restoration Initiative, City of Holland Board of Public Works\n",
            DocumentKind.ABOUT_US,
            "PAST PERFORMANCE (see separate sheets)",
        )
        sheet = NumberedPassage(
            number=2,
            text="Title: Replace Boilers\nOwner: Fort Example\nValue: $96,400\n\nScope\nInstalled 32 boilers in two winters.\n",
            kind=DocumentKind.PAST_PERFORMANCE,
            document="Boilers",
        )
        text = "".join(await write(core, section(Topic.PAST_PERFORMANCE, about, sheet)))
        assert "| Replace Boilers | Fort Example |" in text
        assert "Geological Survey" not in text

    @pytest.mark.parametrize(
        ("told", "kept"),
        [
            (
                "I have studied T cell metabolism for 17 years and direct the Metabolomics Core.",
                "studied T cell metabolism for 17 years",
            ),
            ("I am a nurse and have worked for 14 years on access to food.", "worked for 14 years on access to food"),
            ("I have been teaching for 12 years.", "teaching for 12 years"),
            ("I managed field crews for 12 years.", "managed field crews for 12 years"),
            ("For the Core, I direct, for 17 years now, what my group does.", ""),
            ("I have led my group for 17 years.", ""),
        ],
    )
    async def test_a_self_description_becomes_a_whole_phrase_or_nothing(self, core: Core, told: str, kept: str) -> None:
        resume = passage(
            f"Ada Example\n\nProfessor of Biology\n\nEDUCATION\nPhD, Biology, 2001\n\nPERSONAL STATEMENT\n{told}\n",
            DocumentKind.RESUME,
        )
        text = "".join(await write(core, section(Topic.PEOPLE, resume)))
        row = next(line for line in text.splitlines() if line.startswith("| Ada Example"))
        cell = row.split("|")[3].removesuffix("[1] ").strip()
        assert sorted(cell.split("; ")) == sorted(["PhD, Biology, 2001", *([kept] if kept else [])])


class TestOrganization:
    async def test_certifications_and_a_contact_under_other_names(self, core: Core) -> None:
        about = passage(
            "Halvorsen Bureau\n\nUEI M3WJ8CT5RKD6\nSBA-certified WOSB, 8(a) participant thru 2031\nISO 17100 audit\n\nGrants: Loretta Mullins, Manager, lm@food.example\n",
            DocumentKind.ABOUT_US,
        )
        assert "SBA-certified WOSB" in "".join(await write(core, section(Topic.COMPANY_DATA, about)))
        assert "Loretta Mullins, Manager" in "".join(await write(core, section(Topic.CONTACT, about)))


class TestLetters:
    async def test_what_is_no_sentence_follows_in_a_list_that_is_introduced(self, core: Core) -> None:
        about = passage(
            "Core competencies\n\n- Roof repair on air force bases\n- Roof inspection on air force bases\n\n"
            "About us\n\nWe repair roofs on air force bases. Repaired 12 roofs on air force bases.\n",
            DocumentKind.ABOUT_US,
        )
        asked = section(Topic.FIT, about).model_copy(update={"opportunity": "Roof repair on an air force base"})
        text = "".join(await write(core, asked))
        prose, _, items = text.partition("\n\nOur capabilities and experience include:\n\n")
        assert prose == "We repair roofs on air force bases. [1]"
        assert sorted(items.splitlines()) == [
            "- Repaired 12 roofs on air force bases. [1]",
            "- Roof inspection on air force bases [1]",
            "- Roof repair on air force bases [1]",
        ]

    async def test_a_contact_in_one_line_is_set_in_lines(self, core: Core) -> None:
        about = passage(
            "The Berg Laboratory\n\nContact: Ingrid Berg, Ph.D., Director, iberg@westmoor.example, 555-0170-22\n",
            DocumentKind.ABOUT_US,
        )
        text = "".join(await write(core, section(Topic.CONTACT, about)))
        assert text == "Ingrid Berg, Ph.D., Director  \niberg@westmoor.example  \n555-0170-22 [1]"

    async def test_a_contact_ends_where_another_part_starts(self, core: Core) -> None:
        about = passage(
            "POC\nRenata Oyelaran\n(707) 555-0148\n\nLARKSPUR FACILITY CARE\n\nWe clean public buildings in northern California.\n",
            DocumentKind.ABOUT_US,
        )
        assert "clean" not in "".join(await write(core, section(Topic.CONTACT, about)))

    async def test_a_nickname_hides_nobody(self, core: Core) -> None:
        resume = passage(
            'Osvaldo "Oz" Delacruz\n\nQuality Control Manager\n\nEDUCATION\nBS, Physics, 2001\n', DocumentKind.RESUME
        )
        assert '| Osvaldo "Oz" Delacruz | Quality Control Manager |' in "".join(await write(core, section(Topic.PEOPLE, resume)))

    async def test_what_a_labeled_paragraph_says_of_others_is_left_out(self, core: Core) -> None:
        sheet = passage(
            "Lake Sorrel\n\nCustomer: Sacramento District\nValue: $1,874,300\nScope: We cleaned 46 vault toilets. The lake has 32 miles of shoreline.\n",
            DocumentKind.PAST_PERFORMANCE,
        )
        text = "".join(await write(core, section(Topic.PAST_PERFORMANCE, sheet)))
        assert "We cleaned 46 vault toilets." in text
        assert "shoreline" not in text

    @pytest.mark.parametrize(
        "foreign", ["The lake has 32 miles of shoreline.", "The Corps closed two campgrounds during the fire season."]
    )
    def test_what_customers_have_and_do_is_not_ours(self, foreign: str) -> None:
        assert not Others("Larkspur Facility Care, Inc.").may_claim(foreign)

    async def test_comments_of_reviewers_and_the_names_of_a_project_are_no_approach(self, core: Core) -> None:
        proposal = passage(
            "PROJECT NARRATIVE\n\nApplicant: Larkspur Canyon District\nProject: Two Ways Out of Halfmoon - East Side\n\n"
            "REVIEW PANEL COMMENTS (not funded)\n\n"
            "- The panel recommends only plans that are less than ten years old.\n- 71 of 290 applications were funded in this round.\n",
            DocumentKind.PREVIOUS_PROPOSAL,
        )
        assert await write(core, section(Topic.APPROACH, proposal)) == []

    async def test_of_a_list_of_services_all_items_are_quoted_and_no_note(self, core: Core) -> None:
        about = passage(
            "The short list\n\n* dredging, mechanical and hydraulic, of small ports\n* debris removal\n* (ask Joe before you send this)\n",
            DocumentKind.ABOUT_US,
        )
        text = "".join(await write(core, section(Topic.CAPABILITIES, about)))
        assert "debris removal" in text
        assert "Joe" not in text

    async def test_a_contact_below_company_data_is_not_data(self, core: Core) -> None:
        about = passage(
            "Company data\n\nUEI: VH7QPL2M9XK4\n\nCall Ada Example, (207) 555-0136, bids@acme.example\n14 Slip Road, Vestal, ME 04999\n",
            DocumentKind.ABOUT_US,
            "Company data",
        )
        text = "".join(await write(core, section(Topic.COMPANY_DATA, about)))
        assert "VH7QPL2M9XK4" in text
        assert "Slip Road" not in text

    @pytest.mark.parametrize(
        "noise",
        [
            "Revised this year.",
            "Last updated January 2026 – please check before quoting",
            "Follow us on Facebook! Donate at acme.example/give",
            "Send questions about this page to Ada Example, our Data Systems Lead, at ada@acme.example or call (218) 555-0117.",
            "www.acme.example",
        ],
    )
    async def test_a_remark_or_contact_below_company_data_is_not_data(self, core: Core, noise: str) -> None:
        about = passage(
            f"Company data\n\nUEI: VH7QPL2M9XK4\n\nBonded to $2 million.\n\n{noise}\n", DocumentKind.ABOUT_US, "Company data"
        )
        text = "".join(await write(core, section(Topic.COMPANY_DATA, about)))
        assert text.splitlines()[2:] == ["| UEI | VH7QPL2M9XK4 [1] |", "", "- Bonded to $2 million. [1]"]

    async def test_how_to_reach_someone_is_not_a_capability(self, core: Core) -> None:
        offered = "We calibrate sondes for four counties."
        about = passage(
            f"Services\n\n{offered} Send requests for this work to our field office at (218) 555-0117.\n",
            DocumentKind.ABOUT_US,
            "Services",
        )
        assert "".join(await write(core, section(Topic.CAPABILITIES, about))) == f"{offered} [1]"

    async def test_programs_are_the_approach_of_a_nonprofit_unless_a_heading_names_it(self, core: Core) -> None:
        programs = passage(
            "Programs\n\nTrained parent educators visit 118 families twice a month.\n", DocumentKind.ABOUT_US, "Programs"
        )
        assert "parent educators" in "".join(await write(core, section(Topic.APPROACH, programs)))
        assert "parent educators" in "".join(await write(core, section(Topic.CAPABILITIES, programs)))
        proposed = NumberedPassage(
            number=2,
            text="Approach\n\nTwo nurses will screen every newborn within a week.\n",
            kind=DocumentKind.PREVIOUS_PROPOSAL,
            document="Proposal",
            heading=("Approach",),
        )
        text = "".join(await write(core, section(Topic.APPROACH, programs, proposed)))
        assert text == "Two nurses will screen every newborn within a week. [2]"

    async def test_results_and_evaluation_below_their_headings_are_expected_results(self, core: Core) -> None:
        result = "Evening classes enrolled 214 adults; 97 earned a diploma."
        evaluated = "An independent evaluator, Dr. Ada Example, tests reading in May and September of each year."
        report = [
            passage(f"Programs and results\n\n- {result}\n", DocumentKind.ABOUT_US, "Programs and results"),
            NumberedPassage(number=2, text=f"Evaluation\n\n{evaluated}\n", heading=("Evaluation",), kind=DocumentKind.ABOUT_US),
        ]
        text = "".join(await write(core, section(Topic.OUTCOMES, *report)))
        assert text == f"- {result} [1]\n\n{evaluated} [2]"

    async def test_a_list_of_standards_is_a_differentiator(self, core: Core) -> None:
        items = ("ISO 9001:2015, ISO/IEC 20000-1, and ISO/IEC 27001 certified.", "ISO 14001:2015", "No accident in eleven years")
        listed = "\n".join(f"- {item}" for item in items)
        about = passage(f"Differentiators\n\n{listed}\n", DocumentKind.ABOUT_US, "Differentiators")
        assert "".join(await write(core, section(Topic.DIFFERENTIATORS, about))) == "\n".join(f"- {item} [1]" for item in items)

    async def test_the_ratings_of_a_table_of_projects_are_kept(self, core: Core) -> None:
        sheet = passage(
            "| Customer | Contract | Value | Rating |\n|---|---|---|---|\n| Port of Vestal | VP-2022-044 | $1.1 million | Very Good |\n",
            DocumentKind.PAST_PERFORMANCE,
        )
        text = "".join(await write(core, section(Topic.PAST_PERFORMANCE, sheet)))
        assert text.splitlines()[0] == "| Customer | Contract | Value | Rating |"
        assert "| Port of Vestal | VP-2022-044 | $1.1 million | Very Good [1] |" in text

    async def test_a_transition_described_in_a_proposal_is_what_we_will_deliver(self, core: Core) -> None:
        text = "We transition a service desk in 60 days, with 30 days of shadowing."
        approach = passage(f"{text}\n", DocumentKind.PREVIOUS_PROPOSAL, "Approach", "Transition")
        assert "".join(await write(core, section(Topic.OFFER, approach))) == f"{text} [1]"

    async def test_low_ratings_are_left_out(self, core: Core) -> None:
        table = "| Customer | Contract | Value | Rating |\n|---|---|---|---|\n"
        rows = "| Port of Vestal | VP-2022-044 | $1.1 million | Very Good |\n| Port of Ames | PA-17 | $0.4 million | Marginal |\n"
        sheet = passage(table + rows, DocumentKind.PAST_PERFORMANCE)
        text = "".join(await write(core, section(Topic.PAST_PERFORMANCE, sheet)))
        assert "| Port of Ames | PA-17 | $0.4 million [1] |  |" in text
        assert "Marginal" not in text

    async def test_each_code_is_named_once(self, core: Core) -> None:
        about = passage(
            "Codes\n\nPrimary NAICS 541512. Also 541511, 541513, and 518210. PSC DA01, DE10.\n", DocumentKind.ABOUT_US, "Codes"
        )
        assert "".join(await write(core, section(Topic.COMPANY_DATA, about))).splitlines()[2:] == [
            "| Primary NAICS | 541512 [1] |",
            "| Additional NAICS | 541511, 541513, and 518210 [1] |",
            "| PSC | DA01, DE10 [1] |",
        ]

    async def test_a_row_of_the_team_cites_the_list_and_the_resume(self, core: Core) -> None:
        team = passage(
            "Our team\n\n| Name | Position |\n|---|---|\n| Ada Example | Program Lead |\n", DocumentKind.ABOUT_US, "Our team"
        )
        resume = NumberedPassage(
            number=2,
            text="Ada Example\nGeologist\n\nEDUCATION\nM.S., Geology, Lawrence University, 1996\n",
            kind=DocumentKind.RESUME,
            document="Résumé",
        )
        text = "".join(await write(core, section(Topic.PEOPLE, team, resume)))
        assert "| Ada Example | Program Lead | M.S., Geology, Lawrence University, 1996 [2][1] |" in text

    @pytest.mark.parametrize("invitation", ["Call", "Please contact", "Questions go to"])
    async def test_a_letter_ends_with_the_name_of_the_contact(self, core: Core, invitation: str) -> None:
        about = passage(
            f"Contact\n\n{invitation} Ada Example, Grants Officer, (207) 555-0136, bids@acme.example\n",
            DocumentKind.ABOUT_US,
            "Contact",
        )
        text = "".join(await write(core, section(Topic.CONTACT, about)))
        assert text.startswith("Ada Example, Grants Officer  \n(207) 555-0136")

    async def test_items_below_goals_are_offered(self, core: Core) -> None:
        proposal = passage(
            "GOALS\n\nIn five years, the District will:\n\n- treat 2,400 acres of private land,\n- bring 900 homes to the standard.\n",
            DocumentKind.PREVIOUS_PROPOSAL,
            "GOALS",
        )
        assert "treat 2,400 acres" in "".join(await write(core, section(Topic.OFFER, proposal)))

    async def test_names_in_uppercase_are_written_small(self, core: Core) -> None:
        resume = passage("JOAN KOWALSKI\n\nSENIOR PROJECT MANAGER\n\nEDUCATION\nBS, Physics, 2001\n", DocumentKind.RESUME)
        assert "| Joan Kowalski | Senior Project Manager |" in "".join(await write(core, section(Topic.PEOPLE, resume)))


class TestPossibleMatches:
    async def test_what_comes_near_is_shown_and_not_written(self, core: Core) -> None:
        sheet = passage("We staff a 24/7 service desk for 4,800 users in seven regional offices.", DocumentKind.PAST_PERFORMANCE)
        asked = section(Topic.FACILITIES, sheet).model_copy(
            update={"questions": ("What facilities, equipment, and capacity do we have?",)}
        )
        writer = await service.get_writer(core)
        pieces = [piece async for piece in writer.write(asked)]
        assert [type(piece) for piece in pieces] == [PossibleMatch, Unanswered]


class TestHeadings:
    async def test_a_section_named_in_its_first_line_is_prose(self, core: Core) -> None:
        about = passage(
            "MERIDIAN GROUP\n\nAbout: Meridian Group provides interpreters to courts. It was founded in 1999.\n",
            DocumentKind.ABOUT_US,
        )
        asked = section(Topic.PROFILE, about).model_copy(update={"company": "Meridian Group"})
        assert "".join(await write(core, asked)).startswith("Meridian Group provides interpreters to courts. [1]")

    @pytest.mark.parametrize(
        ("said", "written"),
        [
            ("Repair of steam boilers, calibration of meters, and testing of relief valves.", "{} [1]"),
            ("Repair of steam boilers, calibration of meters, and testing of relief valves", "- {} [1]"),
            ("Iron Peak Inc. repairs steam boilers and calibrates meters.", "{} [1]"),
            ("We repair steam boilers and calibrate meters in nine counties.", "{} [1]"),
        ],
    )
    async def test_competencies_may_be_directly_below_the_title(self, core: Core, said: str, written: str) -> None:
        title = "Iron Peak Inc. — Capability Statement"
        about = passage(
            f"{title}\n\n{said}\n\nIron Peak Inc. is a small business in Duluth, Minnesota. It has 19 employees.\n",
            DocumentKind.ABOUT_US,
            title,
        )
        assert "".join(await write(core, section(Topic.CAPABILITIES, about))) == written.format(said)

    async def test_a_list_of_competencies_after_their_name_is_not_a_title(self, core: Core) -> None:
        listed = "repair of steam boilers, calibration of meters, testing of relief valves"
        about = passage(
            f"Core competencies: {listed}.\n\nIron Peak Inc. is a small business in Duluth, Minnesota.\n", DocumentKind.ABOUT_US
        )
        assert "".join(await write(core, section(Topic.CAPABILITIES, about))) == f"- {listed}. [1]"

    @pytest.mark.parametrize(
        "said",
        [
            "Iron Peak Inc. is a small business in Duluth, Minnesota. It has 19 employees.",
            "Prepared for the Bureau of Reclamation, Boise, Idaho, March 2026.",
            "Ada Example, Ben Sample, and Cora Specimen, Duluth",
        ],
    )
    async def test_other_text_below_the_title_is_not_a_competence(self, core: Core, said: str) -> None:
        about = passage(f"Iron Peak Inc.\n\n{said}\n", DocumentKind.ABOUT_US, "Iron Peak Inc.")
        assert await write(core, section(Topic.CAPABILITIES, about)) == []

    async def test_text_next_to_a_section_is_not_of_it(self, core: Core) -> None:
        about = passage(
            "Facilities\n\nWe run a clean laboratory of 1,400 square feet.\n\nNews of the Season\n\nOur lab won a prize for its garden.\n",
            DocumentKind.ABOUT_US,
            "Facilities",
        )
        text = "".join(await write(core, section(Topic.FACILITIES, about)))
        assert "laboratory" in text
        assert "garden" not in text

    async def test_remarks_of_an_equipment_list_are_no_equipment(self, core: Core) -> None:
        title = "Field equipment list (Jan 2025)"
        listed = passage(
            f"{title}\n\n| Item | Qty | Notes |\n|---|---|---|\n| Boiler feed pump | 4 | rented to nobody so far |\n"
            "| 14-ft boat | 2 | both of them sold in March |\n",
            DocumentKind.DATA,
            title,
        )
        assert await write(core, section(Topic.FACILITIES, listed)) == ["- Boiler feed pump [1]"]

    async def test_an_item_that_names_a_section_answers_it_even_if_it_is_a_repetition(self, core: Core) -> None:
        item = "Own fleet: two aircraft and five drones"
        about = passage(f"Differentiators\n\n- {item}\n- No accident in eleven years\n", DocumentKind.ABOUT_US, "Differentiators")
        written = f"- {item} [1]\n- No accident in eleven years [1]"
        text = "".join(await write(core, section(Topic.FACILITIES, about, written=written)))
        assert text == f"- {item} [1]"


class TestHeadingClassifier:
    @pytest.mark.parametrize(
        ("heading", "items"),
        [
            (
                "THINGS WE DO EVERY DAY",
                ("Rebuild traction motors for railways", "Rewind generators in the field", "Balance rotors up to nine tons"),
            ),
            ("What we bring", ("grant writing for rural towns", "bookkeeping and audits", "training of board members")),
            (
                "How we help",
                ("English lessons for refugees", "rides to medical appointments", "finding apartments and furniture"),
            ),
        ],
    )
    async def test_informal_headings_name_core_competencies(self, core: Core, heading: str, items: tuple[str, ...]) -> None:
        text = f"{heading}\n\n" + "\n".join(f"- {item}" for item in items)
        asked = request(text, question="What services, products, and technical capabilities does our organization offer?")
        asked = asked.model_copy(
            update={
                "topics": (Topic.CAPABILITIES,),
                "passages": (NumberedPassage(number=1, text=text, heading=(heading,)),),
            }
        )
        written = "".join(await write(core, asked))
        assert all(item in written for item in items)

    async def test_a_heading_that_resembles_no_section_names_none(self, core: Core) -> None:
        embedder = await service.get_embedder(core)
        text = "Recipe of the month\n\nA sourdough loaf rises overnight in a cool kitchen."
        passage = NumberedPassage(number=1, text=text, heading=("Recipe of the month",))
        assert await HeadingClassifier(embedder).find([passage]) == {}
