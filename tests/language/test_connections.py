"""A model may take a minute to respond. Other requests do not wait for it, because no database connection is held in the
meantime."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from uuid import UUID

import httpx
import numpy as np
import pytest
from numpy.typing import NDArray

from fundwright.accounts.schemas import Actor
from fundwright.categories import service as categories
from fundwright.categories.schemas import CategoryCreate
from fundwright.core.assembly import Core
from fundwright.core.database import ConnectionHeld, Database
from fundwright.generation import service as generation
from fundwright.language import service as language
from fundwright.language.protocols import SectionRequest, Unanswered
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.schemas import OpportunityQuery
from fundwright.training import adding, runs
from fundwright.training import service as training
from fundwright.training.schemas import PastedText
from fundwright_ui.app import build_app
from fundwright_ui.runtime.router import Screen
from fundwright_ui.screens.opportunities.opportunity import contract_screen
from fundwright_ui.screens.training.train import train_screen
from fundwright_ui.testing import mounted
from tests.categories.embedding import WordEmbedder
from tests.support.accounts import add_account
from tests.support.programs import program


class HangingEmbedder(WordEmbedder):
    """Responds only once `answer` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.is_asked, self.answer = asyncio.Event(), asyncio.Event()

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.is_asked.set()
        await self.answer.wait()
        return await super().embed(texts)


class AgreeingEmbedder(WordEmbedder):
    """Every passage answers every question."""

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.full((len(texts), self.dimension), self.dimension**-0.5, dtype=np.float32)


class HangingWriter:
    """Writes one word, and the rest only once `answer` is set."""

    id, label, is_generative = "hanging", "Hanging", True

    def __init__(self) -> None:
        self.is_asked, self.answer = asyncio.Event(), asyncio.Event()

    async def write(self, request: SectionRequest) -> AsyncIterator[str | Unanswered]:
        yield "Roofs "
        self.is_asked.set()
        await self.answer.wait()
        yield "are repaired [1]."


@pytest.fixture
async def ada(committed: Core) -> Actor:
    async with committed.database.transaction() as session:
        return await add_account(session, "ada@example.org", name="Ada")


@pytest.fixture
async def narrow(committed: Core, ada: Actor, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Core]:
    """A document, a category, notices, and a single database connection."""
    async with committed.database.transaction() as session:
        await opportunities.load_sample_once(session)
        await categories.create(session, ada, CategoryCreate(name="Roofing"))
        await adding.add_text(session, ada, committed, PastedText(title="Roofs", text="Roofs are repaired by our crew."))
    database = Database(committed.database.url, pool_size=1)
    narrow = replace(committed, database=database)
    monkeypatch.setattr(committed.jobs, "database", database)
    monkeypatch.setattr(committed.jobs, "services", narrow)
    async with database.engine.connect():  # takes one of two: under load, the pool opens one more
        yield narrow
    await database.close()


@pytest.fixture
async def client(narrow: Core, ada: Actor) -> AsyncIterator[httpx.AsyncClient]:
    async with program(build_app(narrow), ada, base_url="http://127.0.0.1:8000") as opened:
        yield opened


async def another_is_answered(core: Core, ada: Actor) -> None:
    """Another person's request, which needs the only connection."""
    async with asyncio.timeout(20), core.database.transaction() as session:
        await training.list_documents(session, ada)


class TestEmbeddingEndpoint:
    @pytest.fixture
    def embedder(self, narrow: Core) -> HangingEmbedder:
        narrow.cache["language.embedder"] = made = HangingEmbedder()
        return made

    async def test_a_question_over_the_api_holds_no_connection(
        self, narrow: Core, ada: Actor, client: httpx.AsyncClient, embedder: HangingEmbedder
    ) -> None:
        asking = asyncio.create_task(client.get("/api/answers", params={"query": "Who repairs roofs?"}))
        await asyncio.wait_for(embedder.is_asked.wait(), 20)
        await another_is_answered(narrow, ada)
        embedder.answer.set()
        assert (await asking).status_code == 200

    async def test_a_question_on_the_page_holds_no_connection(self, narrow: Core, ada: Actor, embedder: HangingEmbedder) -> None:
        async with mounted(narrow, ada, train_screen) as screen:
            await screen.type("Question", "Who repairs roofs?")
            asking = asyncio.create_task(screen.click("button", "Ask"))
            await asyncio.wait_for(embedder.is_asked.wait(), 20)
            await another_is_answered(narrow, ada)
            embedder.answer.set()
            await asking

    @pytest.mark.parametrize(
        "kind", ["training", *(pytest.param(other, marks=pytest.mark.slow) for other in ("categorizing", "draft"))]
    )
    async def test_a_job_holds_no_connection(self, narrow: Core, ada: Actor, embedder: HangingEmbedder, kind: str) -> None:
        job_id = await start(kind, narrow, ada)
        running = asyncio.create_task(narrow.jobs._run(job_id, reraise=True))
        await asyncio.wait_for(embedder.is_asked.wait(), 20)
        await another_is_answered(narrow, ada)
        embedder.answer.set()
        await running

    async def test_a_model_that_takes_long_to_load_blocks_nobody(
        self, narrow: Core, ada: Actor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The first request to an endpoint determines the dimension of its vectors."""
        is_asked, answer = asyncio.Event(), asyncio.Event()

        async def load(*_arguments: object) -> WordEmbedder:
            is_asked.set()
            await answer.wait()
            return WordEmbedder()

        monkeypatch.setattr(language, "_once", load)
        for path, render in (("/dashboard/train", train_screen), (await a_notice(narrow, ada), contract_screen)):
            is_asked.clear()
            answer.clear()
            visit = asyncio.create_task(visited(narrow, ada, render, path))
            await asyncio.wait_for(is_asked.wait(), 20)
            await another_is_answered(narrow, ada)
            answer.set()
            await visit


class TestTextEndpoint:
    async def test_a_draft_that_streams_holds_no_connection(self, narrow: Core, ada: Actor) -> None:
        narrow.cache["language.embedder"] = AgreeingEmbedder()
        narrow.cache["language.writer"] = writer = HangingWriter()
        await narrow.jobs._run(await start("training", narrow, ada), reraise=True)
        running = asyncio.create_task(narrow.jobs._run(await start("draft", narrow, ada), reraise=True))
        await asyncio.wait_for(writer.is_asked.wait(), 20)
        await another_is_answered(narrow, ada)
        writer.answer.set()
        await running


class TestGuard:
    """Calling a model in an open transaction is an error that every test detects."""

    async def test_a_model_is_not_loaded_with_a_transaction_open(self, committed: Core) -> None:
        committed.cache["language.embedder"] = WordEmbedder()
        async with committed.database.transaction():
            with pytest.raises(ConnectionHeld, match="Read first"):
                await language.get_embedder(committed)

    async def test_a_model_is_not_called_with_a_transaction_open(self, committed: Core) -> None:
        committed.cache["language.embedder"] = WordEmbedder()
        embedder = await language.get_embedder(committed)
        async with committed.database.transaction():
            with pytest.raises(ConnectionHeld):
                await embedder.embed(["roof"])
        assert len(await embedder.embed(["roof"])) == 1

    async def test_a_stream_is_not_waited_for_with_a_transaction_open(self, committed: Core) -> None:
        committed.cache["language.embedder"] = WordEmbedder()
        committed.cache["language.writer"] = HangingWriter()
        writer = await language.get_writer(committed)
        pieces = aiter(writer.write(_REQUEST))
        assert await anext(pieces) == "Roofs "
        async with committed.database.transaction():
            with pytest.raises(ConnectionHeld):
                await anext(pieces)

    async def test_a_task_that_outlives_the_transaction_may_call(self, committed: Core) -> None:
        committed.cache["language.embedder"] = WordEmbedder()
        is_over = asyncio.Event()

        async def later() -> int:
            await is_over.wait()
            return len(await (await language.get_embedder(committed)).embed(["roof"]))

        async with committed.database.transaction():
            task = asyncio.create_task(later())
        is_over.set()
        assert await task == 1


_REQUEST = SectionRequest(heading="", questions=(), instructions="", opportunity="", passages=(), language="en")


async def visited(core: Core, actor: Actor, shown: Screen, path: str) -> None:
    params = {"id": path.rpartition("/")[2]} if shown is contract_screen else None
    async with mounted(core, actor, shown, path=path, params=params):
        pass


async def a_notice(core: Core, actor: Actor) -> str:
    async with core.database.transaction() as session:
        notice = (await opportunities.list_opportunities(session, actor, OpportunityQuery(kind="contract"))).items[0]
    return f"/dashboard/sam/{notice.id}"


async def start(kind: str, core: Core, actor: Actor) -> UUID:
    if kind == "training":
        async with core.database.transaction() as session:
            documents = (await training.list_documents(session, actor)).items
        return (await runs.start_run(core, actor, [document.id for document in documents])).job_id
    async with core.database.transaction() as session:
        if kind == "categorizing":
            return (await opportunities.start_categorizing(session, actor, core)).id
        notice = (await opportunities.list_opportunities(session, actor, OpportunityQuery())).items[0]
        draft = await generation.start_draft(session, actor, core, opportunity_id=notice.id, template="cover-letter")
    assert draft.job_id
    return draft.job_id
