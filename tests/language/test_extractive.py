from __future__ import annotations

from fundwright.core.assembly import Core
from fundwright.core.messages import speaking
from fundwright.generation.templates import PROJECT_SUMMARY
from fundwright.language import service
from fundwright.language.protocols import NumberedPassage, SectionRequest, Unanswered

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
SERVICES = "What services and technical capabilities does our organisation offer?"


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
    async def test_every_sentence_stands_in_its_passage(self, core: Core) -> None:
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

    async def test_nothing_is_said_twice_in_a_draft(self, core: Core) -> None:
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

    async def test_each_question_is_answered_or_said_to_be_open(self, core: Core) -> None:
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
        assert "FUNDWRIGHT_WRITER_URL" in models.how_to_connect
        with speaking("de"):
            models = service.describe(core)
        assert models.writer_label == "Auszüge: Sätze aus Ihren Dokumenten, Wort für Wort"
        assert models.how_to_connect.startswith("Um mit einem generativen Modell zu schreiben")
