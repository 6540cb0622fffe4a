from __future__ import annotations

import io
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from uuid import uuid4

import httpx
import pytest
from docx import Document

from fundwright.accounts.schemas import WorkspaceRole
from fundwright.generation import api
from tests.generation.conftest import Desk
from tests.generation.test_drafting import add, write
from tests.support.programs import api_of, program, program_of_new_account


@pytest.fixture
async def ada(desk: Desk) -> AsyncIterator[httpx.AsyncClient]:
    async with program(api_of(desk.core, api.router), desk.actor) as client:
        yield client


def other(desk: Desk, role: WorkspaceRole | None = None) -> AbstractAsyncContextManager[httpx.AsyncClient]:
    return program_of_new_account(api_of(desk.core, api.router), role=role)


async def test_a_draft_is_started_found_by_its_slug_and_deleted(desk: Desk, ada: httpx.AsyncClient) -> None:
    started = await ada.post("/api/drafts", json={"opportunity_id": str(desk.opportunity_id), "template": "cover-letter"})
    assert (started.status_code, started.json()["state"]) == (201, "queued")
    slug, draft_id = started.json()["slug"], started.json()["id"]
    assert len(slug) >= 20
    assert (await ada.get(f"/api/drafts/slug/{slug}")).json()["id"] == draft_id
    assert (await ada.get("/api/drafts", params={"state": "queued"})).json()["total"] == 1
    assert (await ada.put(f"/api/drafts/{draft_id}/cancellation")).json()["state"] == "canceled"
    assert (await ada.put(f"/api/drafts/{draft_id}/cancellation")).status_code == 409
    assert (await ada.put(f"/api/drafts/{draft_id}/continuation")).json()["state"] == "queued"
    assert (await ada.delete(f"/api/drafts/{draft_id}")).status_code == 204
    assert (await ada.get(f"/api/drafts/{draft_id}")).status_code == 404


async def test_a_draft_names_only_documents_of_its_owner(desk: Desk, ada: httpx.AsyncClient) -> None:
    start = {"opportunity_id": str(desk.opportunity_id), "template": "brief", "company": "Hill Roofing LLC"}
    refused = await ada.post("/api/drafts", json=start | {"document_ids": [str(uuid4())]})
    assert refused.status_code == 404


async def test_what_cannot_be_drafted_is_refused_with_a_message(desk: Desk, ada: httpx.AsyncClient) -> None:
    poem = await ada.post("/api/drafts", json={"opportunity_id": str(desk.opportunity_id), "template": "poem"})
    assert poem.status_code == 422
    assert "Choose one of these: capability-statement" in poem.json()["error"]["message"]
    assert (await ada.post("/api/drafts", json={"opportunity_id": str(uuid4()), "template": "brief"})).status_code == 404


async def test_lists_are_sorted_searched_and_paged(desk: Desk, ada: httpx.AsyncClient) -> None:
    for template in ("brief", "cover-letter", "project-summary"):
        await add(desk, template)
    page = (await ada.get("/api/drafts", params={"sort": "title", "page_size": 2})).json()
    assert (page["total"], [draft["template"] for draft in page["items"]]) == (3, ["brief", "cover-letter"])
    found = (await ada.get("/api/drafts", params={"text": "PROJECT SUM"})).json()
    assert [draft["template"] for draft in found["items"]] == ["project-summary"]
    assert (await ada.get("/api/drafts", params={"text": "100%"})).json()["total"] == 0
    newest = (await ada.get("/api/drafts")).json()
    assert newest["items"][0]["template"] == "project-summary"


async def test_drafts_of_one_notice_are_told_apart_in_lists_but_not_in_what_is_sent(desk: Desk, ada: httpx.AsyncClient) -> None:
    asked = {"opportunity_id": str(desk.opportunity_id), "template": "capability-statement"}
    first, second = [(await ada.post("/api/drafts", json=asked)).json() for _ in range(2)]
    listed = (await ada.get("/api/drafts", params={"page_size": 1})).json()["items"]
    assert first["title"] == second["title"] == listed[0]["title"]
    assert [(each["id"], each["number"]) for each in listed] == [(second["id"], 2)]
    exported = (await ada.get("/api/drafts/export.csv")).text
    assert exported.count(f"{first['title']} (2)") == 1


async def test_a_draft_is_exported_as_markdown_and_word(desk: Desk, ada: httpx.AsyncClient) -> None:
    draft = await write(desk, (await add(desk)).id)
    markdown = await ada.get(f"/api/drafts/{draft.id}/export", params={"form": "md"})
    assert markdown.headers["content-disposition"].startswith("attachment; filename*=UTF-8''Brief-")
    assert "[^1]: Roofs." in markdown.text
    bare = await ada.get(f"/api/drafts/{draft.id}/export", params={"form": "md", "citations": "none"})
    assert "Shingles gutters" in bare.text
    assert "[" not in bare.text
    word = Document(io.BytesIO((await ada.get(f"/api/drafts/{draft.id}/export", params={"form": "docx"})).content))
    assert any("Shingles gutters" in paragraph.text for paragraph in word.paragraphs)
    assert word.core_properties.author == "Ada Example"
    assert (await ada.get(f"/api/drafts/{draft.id}/export", params={"citations": "endnotes"})).status_code == 422


@pytest.mark.security(40)
async def test_another_accounts_draft_is_not_found_on_any_route(desk: Desk) -> None:
    draft = await write(desk, (await add(desk)).id)
    async with other(desk) as bob:
        assert (await bob.get("/api/drafts")).json()["total"] == 0
        for path in (f"/{draft.id}", f"/slug/{draft.slug}", f"/{draft.id}/export"):
            assert (await bob.get(f"/api/drafts{path}")).status_code == 404, path
        assert (await bob.put(f"/api/drafts/{draft.id}/cancellation")).status_code == 404
        assert (await bob.put(f"/api/drafts/{draft.id}/continuation")).status_code == 404
        assert (await bob.delete(f"/api/drafts/{draft.id}")).status_code == 404


async def test_a_viewer_may_not_write_drafts(desk: Desk) -> None:
    async with other(desk, WorkspaceRole.VIEWER) as eve:
        refused = await eve.post("/api/drafts", json={"opportunity_id": str(desk.opportunity_id), "template": "brief"})
        assert refused.status_code == 403


async def test_an_opportunity_is_meant_by_its_number_as_well(desk: Desk, ada: httpx.AsyncClient) -> None:
    number = (await add(desk)).opportunity_number
    started = await ada.post("/api/drafts", json={"opportunity_id": number.lower(), "template": "brief"})
    assert (started.status_code, started.json()["opportunity_id"]) == (201, str(desk.opportunity_id))
    unknown = await ada.post("/api/drafts", json={"opportunity_id": "PAR-00-000", "template": "brief"})
    assert unknown.status_code == 404
    assert unknown.json()["error"]["message"].startswith("There is no opportunity “PAR-00-000”. Use its id, ")


@pytest.mark.parametrize("query", [{"page": "0"}, {"page_size": "1000"}, {"state": "lost"}])
async def test_an_impossible_page_is_refused(ada: httpx.AsyncClient, query: dict[str, str]) -> None:
    assert (await ada.get("/api/drafts", params=query)).status_code == 422
