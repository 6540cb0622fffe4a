from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import httpx
import pytest

from fundwright.accounts.schemas import Actor
from fundwright.categories.api import router as categories_router
from fundwright.core.assembly import Core
from fundwright.opportunities import service
from fundwright.opportunities.api import router
from fundwright.opportunities.repository import indexing
from fundwright.opportunities.schemas import ImportOpportunities
from tests.opportunities.conftest import ImportFile
from tests.opportunities.files import notice_id, sam_file, sam_row
from tests.support.accounts import add_account
from tests.support.programs import api_of, program


@pytest.fixture
async def client(committed: Core, member: Actor) -> AsyncIterator[httpx.AsyncClient]:
    async with program(api_of(committed, router, categories_router), member) as opened:
        yield opened


class TestCategorizing:
    async def test_its_job_is_read_and_canceled(self, client: httpx.AsyncClient) -> None:
        address = f"/api/opportunities/categorize/{(await client.post('/api/opportunities/categorize')).json()['id']}"
        assert (await client.get(address)).json()["state"] == "queued"
        assert (await client.put(f"{address}/cancellation")).json()["state"] == "canceled"
        assert (await client.put(f"{address}/cancellation")).status_code == 409

    async def test_one_job_waits_however_often_it_is_asked_for(self, client: httpx.AsyncClient) -> None:
        asked = await asyncio.gather(*(client.post("/api/opportunities/categorize") for _ in range(4)))
        assert len({answer.json()["id"] for answer in asked}) == 1

    async def test_another_users_job_and_another_kind_of_job_are_not_found(
        self, client: httpx.AsyncClient, committed: Core, member: Actor
    ) -> None:
        async with committed.database.transaction() as session:
            others = await service.start_categorizing(session, await add_account(session), committed)
            payload = ImportOpportunities(run_id=others.id, source="sam", path=Path("x"))
            own = await committed.jobs.enqueue(session, payload, title="x", owner_id=member.id)
        for job in (others, own):
            assert (await client.get(f"/api/opportunities/categorize/{job.id}")).status_code == 404
            assert (await client.put(f"/api/opportunities/categorize/{job.id}/cancellation")).status_code == 404


class TestCategories:
    async def test_use_no_opportunity_that_does_not_exist(self, client: httpx.AsyncClient) -> None:
        category = (await client.post("/api/categories", json={"name": "Roofs"})).json()["id"]
        phantom = UUID(int=1)
        unknown = (await client.get(f"/api/opportunities/{phantom}/versions")).json()["error"]["message"]
        for address, body in (
            (f"/api/categories/labels/{phantom}", {"category_id": category}),
            (f"/api/categories/labels/{phantom}", {"category_id": None}),
            (f"/api/categories/labels/{phantom}/{category}/acceptance", None),
            (f"/api/categories/labels/{phantom}/{category}/rejection", None),
        ):
            refused = await client.put(address, json=body)
            assert (refused.status_code, refused.json()["error"]["message"]) == (404, unknown)
        assert (await client.get(f"/api/categories/{category}/examples")).json()["total"] == 0


class TestList:
    async def test_searches_filters_and_pages(self, client: httpx.AsyncClient, import_file: ImportFile) -> None:
        await import_file(sam_file(*(sam_row(NoticeId=notice_id(i), Title=f"Roof {i}", NaicsCode="541519") for i in range(3))))
        page = (await client.get("/api/opportunities", params={"text": "roof", "naics": ["54", "541"], "page_size": 2})).json()
        assert (page["total"], len(page["items"])) == (3, 2)
        opened = (await client.get(f"/api/opportunities/{page['items'][0]['id']}")).json()
        assert opened["naics"] == "541519"
        versions = (await client.get(f"/api/opportunities/{page['items'][0]['id']}/versions")).json()
        assert [version["number"] for version in versions["items"]] == [1]

    async def test_corrects_misspelled_words_unless_verbatim(
        self, client: httpx.AsyncClient, committed: Core, import_file: ImportFile
    ) -> None:
        await import_file(sam_file(*(sam_row(NoticeId=notice_id(i), Title=f"Janitorial services {i}") for i in range(3))))
        async with committed.database.transaction() as session:
            await indexing.count_words(session)
        found = (await client.get("/api/opportunities", params={"text": "janitoral"})).json()
        assert (found["total"], found["corrected"]) == (3, "janitorial")
        exported = await client.get("/api/opportunities/export.csv", params={"text": "janitoral"})
        assert len(exported.text.splitlines()) == 4
        found = (await client.get("/api/opportunities", params={"text": "janitoral", "verbatim": True})).json()
        assert (found["total"], found["corrected"]) == (0, "")

    async def test_suggests_what_is_meant_by_the_beginning_of_a_word(
        self, client: httpx.AsyncClient, import_file: ImportFile
    ) -> None:
        titles = ("Roof repair", "Pier repair", "Roof repair")  # the last one amends the first
        await import_file(sam_file(*(sam_row(NoticeId=notice_id(i), Title=title) for i, title in enumerate(titles))))
        found = (await client.get("/api/opportunities/suggestions", params={"words": "roo"})).json()
        assert [row["title"] for row in found] == ["Roof repair"]
        assert len((await client.get("/api/opportunities/suggestions")).json()) == 2
        assert (await client.get("/api/opportunities/new")).json() == {"count": 0}

    async def test_refuses_nonsense_with_a_message(self, client: httpx.AsyncClient) -> None:
        assert (await client.get("/api/opportunities", params={"page_size": 101})).status_code == 422
        assert (await client.get("/api/opportunities/00000000-0000-0000-0000-000000000000")).status_code == 404

    async def test_exports_csv(self, client: httpx.AsyncClient, import_file: ImportFile) -> None:
        await import_file(sam_file(sam_row(NaicsCode="541511", SetASideCode="WOSB")))
        answer = await client.get("/api/opportunities/export.csv")
        assert answer.headers["content-disposition"].startswith("attachment")
        assert len(answer.text.splitlines()) == 2
        assert ",541511,Custom Computer Programming Services," in answer.text
        assert ",WOSB,Women-owned," in answer.text


class TestImport:
    async def test_an_upload_becomes_a_job(self, client: httpx.AsyncClient, committed: Core, member: Actor) -> None:
        files = {"file": ("mine.csv", sam_file(sam_row(), "x\r\n"))}
        answer = await client.post("/api/opportunities/imports/sam", files=files)
        assert answer.status_code == 202
        started = answer.json()
        assert (started["filename"], started["state"]) == ("mine.csv", "queued")
        await committed.jobs._run(UUID(started["job_id"]), reraise=True)
        run = (await client.get(f"/api/opportunities/imports/{started['id']}")).json()
        assert (run["state"], run["new"], run["rejected"]) == ("succeeded", 1, 1)
        rejections = (await client.get(f"/api/opportunities/imports/{started['id']}/rejections")).json()
        assert rejections["items"][0]["line"] == 3
        assert "mine.csv,3" in (await client.get(f"/api/opportunities/imports/{started['id']}/rejections/export.csv")).text
        assert (await client.get("/api/opportunities/imports")).json()["total"] == 1

    async def test_an_upload_can_be_stopped_once(self, client: httpx.AsyncClient, committed: Core) -> None:
        files = {"file": ("mine.csv", sam_file(sam_row()))}
        started = (await client.post("/api/opportunities/imports/sam", files=files)).json()
        canceled = await client.put(f"/api/opportunities/imports/{started['id']}/cancellation")
        assert canceled.json()["state"] == "canceled"
        assert [path for path in (committed.settings.data / "files").rglob("*") if path.is_file()] == []
        assert (await client.put(f"/api/opportunities/imports/{started['id']}/cancellation")).status_code == 409

    async def test_refuses_an_unknown_source_and_a_missing_file(self, client: httpx.AsyncClient) -> None:
        files = {"file": ("mine.csv", b"x")}
        assert (await client.post("/api/opportunities/imports/nothing", files=files)).status_code == 422
        assert (await client.post("/api/opportunities/imports/sam", files={"other": ("a", b"x")})).status_code == 422

    async def test_lists_sources_and_facets(self, client: httpx.AsyncClient) -> None:
        assert [s["name"] for s in (await client.get("/api/opportunities/sources")).json()] == ["sam", "grants", "nih"]
        assert (await client.get("/api/opportunities/facets")).json()["total"] == 0
