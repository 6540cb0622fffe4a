"""A Core whose models are fakes registered through the plug-in hooks, documents to draft from, and an opportunity."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterable
from types import SimpleNamespace
from uuid import UUID

import pytest

from fundwright.accounts.schemas import Actor
from fundwright.core.assembly import Core
from fundwright.core.errors import FundwrightError
from fundwright.core.plugins import hookimpl
from fundwright.language.protocols import EmbedderFactory, PossibleMatch, SectionRequest, Unanswered, WriterFactory
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.schemas import OpportunityQuery
from fundwright.templates.schemas import DraftTemplate, TemplateQuestion, TemplateSection
from fundwright.training import adding, runs
from fundwright.training.schemas import PastedText
from tests.categories.embedding import WordEmbedder
from tests.support.accounts import add_account
from tests.support.signing_in import with_settings
from tests.support.snapshots import Snapshots

BRIEF = DraftTemplate(
    name="brief",
    title="Brief",
    description="Three sections for tests.",
    sections=(
        TemplateSection(
            heading="Roofs",
            questions=(TemplateQuestion(ask="shingles gutters", missing="your roofs"),),
            instructions="Plainly.",
            words=50,
        ),
        TemplateSection(
            heading="Submarines",
            questions=(TemplateQuestion(ask="submarine periscope", missing="your submarines"),),
            instructions="Plainly.",
            words=50,
        ),
        TemplateSection(
            heading="Team",
            questions=(
                TemplateQuestion(ask="foreman electrician", missing="your team"),
                TemplateQuestion(
                    ask="zeppelin hangar {opportunity}", missing="your hangar", answered=("captain",), remaining="your mast"
                ),
            ),
            instructions="Plainly.",
            words=50,
        ),
    ),
)


class ScriptedWriter:
    """Writes the output of `script` for a request, piece by piece; `before_piece` may wait or raise."""

    id = "scripted"
    label = "Scripted"
    is_generative = True

    def __init__(self) -> None:
        self.requests: list[SectionRequest] = []
        self.script: Callable[[SectionRequest], Iterable[str | Unanswered | PossibleMatch]] = quote_all
        self.before_piece: Callable[[SectionRequest, int], None] = lambda _request, _index: None
        self.pause = asyncio.Event()
        self.pause.set()

    async def write(self, request: SectionRequest) -> AsyncIterator[str | Unanswered | PossibleMatch]:
        self.requests.append(request)
        for index, piece in enumerate(self.script(request)):
            self.before_piece(request, index)
            await self.pause.wait()
            yield piece


def quote_all(request: SectionRequest) -> Iterable[str]:
    for passage in request.passages:
        first = re.split(r"(?<=\.)\s", passage.text)[0]
        yield from (f"{first} ", f"[{passage.number}] ")


class EndpointDown(FundwrightError):
    status = 503


class Models:
    """The plug-in with the fakes."""

    def __init__(self) -> None:
        self.writer = ScriptedWriter()
        self.embedder = WordEmbedder()

    @hookimpl
    def embedding_models(self) -> list[EmbedderFactory]:
        return [EmbedderFactory(name="words", label="Words", create=lambda _core: self.embedder)]

    @hookimpl
    def text_models(self) -> list[WriterFactory]:
        return [WriterFactory(name="scripted", label="Scripted", create=lambda _core, _embedder: self.writer)]

    @hookimpl
    def draft_templates(self) -> list[DraftTemplate]:
        return [BRIEF]


class Desk(SimpleNamespace):
    """Everything a test of drafting needs."""

    core: Core
    actor: Actor
    writer: ScriptedWriter
    opportunity_id: UUID
    snapshots: Snapshots


@pytest.fixture
async def desk(committed: Core, snapshots: Snapshots) -> Desk:
    models = Models()
    committed.plugins.register(models)
    core = committed.jobs.services = with_settings(committed, embedder="words", writer="scripted")
    actor, opportunity_id = await snapshots.of(core, _fill)
    return Desk(core=core, actor=actor, writer=models.writer, opportunity_id=opportunity_id, snapshots=snapshots)


async def _fill(core: Core) -> tuple[Actor, UUID]:
    async with core.database.transaction() as session:
        await opportunities.load_sample_once(session)
        actor = await add_account(session, "ada@example.org")
        found = await opportunities.list_opportunities(session, actor, OpportunityQuery(page_size=1, kind="contract"))
        roofs = await adding.add_text(
            session, actor, core, PastedText(title="Roofs", text="Shingles gutters were repaired at Hill base in 2024.")
        )
        team = await adding.add_text(
            session, actor, core, PastedText(title="Team", text="Foreman electrician Bo Diaz holds a master license.")
        )
    await runs.run_inline(core, actor, [roofs.id, team.id])
    return actor, found.items[0].id
