from __future__ import annotations

from fundwright.core.assembly import Core
from fundwright.language import service
from fundwright.language.protocols import NumberedPassage, SectionRequest

TEAM = (
    "The project is led by Dr. Ada Example, who has managed water quality programs for sixteen years. "
    "She is supported by two statisticians and a field crew of eight people. Copyright 2026, all rights reserved."
)
BREAD = "A sourdough loaf rises overnight in a cool kitchen before it is baked in a very hot oven."


def request(*passages: str, question: str = "Who leads the project and who is on the team?") -> SectionRequest:
    return SectionRequest(
        heading="Team",
        question=question,
        instructions="About 60 words.",
        opportunity="Monitoring of lakes",
        passages=tuple(NumberedPassage(number=number, text=text) for number, text in enumerate(passages, start=1)),
        language="en",
    )


async def write(core: Core, asked: SectionRequest) -> list[str]:
    writer = await service.get_writer(core)
    return [piece async for piece in writer.write(asked)]


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

    async def test_nothing_is_written_when_nothing_answers(self, core: Core) -> None:
        assert await write(core, request(BREAD)) == []
        assert await write(core, request()) == []

    async def test_the_screen_says_that_it_only_quotes(self, core: Core) -> None:
        await service.get_writer(core)
        models = service.describe(core)
        assert not models.is_generative
        assert models.embedder_dimension == 384
        assert "FUNDWRIGHT_WRITER_URL" in models.how_to_connect
