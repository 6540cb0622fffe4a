from __future__ import annotations

from collections.abc import AsyncIterator
from uuid import uuid4

import httpx
import pytest
from fastapi import FastAPI

from fundwright.accounts import commands
from fundwright.accounts.schemas import WorkspaceRole
from fundwright.categories import api
from fundwright.core.assembly import Core
from tests.categories.embedding import WordEmbedder, classify
from tests.support.programs import api_of, program_of_new_account


@pytest.fixture
def app(committed: Core) -> FastAPI:
    return api_of(committed, api.router)


@pytest.fixture
async def ada(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    async with program_of_new_account(app, "ada@example.org") as client:
        yield client


@pytest.fixture
async def bob(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    async with program_of_new_account(app, "bob@example.org") as client:
        yield client


async def test_a_category_is_created_changed_read_and_deleted(ada: httpx.AsyncClient) -> None:
    made = await ada.post("/api/categories", json={"name": "Roofing", "color": "red"})
    assert made.status_code == 201
    url = f"/api/categories/{made.json()['id']}"
    changed = await ada.patch(url, json={"description": "Roofs and gutters"})
    assert (changed.json()["name"], changed.json()["description"]) == ("Roofing", "Roofs and gutters")
    assert [c["name"] for c in (await ada.get("/api/categories")).json()] == ["Roofing"]
    assert (await ada.delete(url)).status_code == 204
    assert (await ada.get(url)).status_code == 404


async def test_refusals_carry_a_message_and_a_status(ada: httpx.AsyncClient) -> None:
    await ada.post("/api/categories", json={"name": "Roofing"})
    again = await ada.post("/api/categories", json={"name": "roofing"})
    assert again.status_code == 409
    assert "Choose another name" in again.json()["error"]["message"]
    assert (await ada.post("/api/categories", json={"name": "   "})).status_code == 422
    assert (await ada.post("/api/categories", json={"name": "x", "color": "plaid"})).status_code == 422


async def test_a_stranger_is_refused(committed: Core, ada: httpx.AsyncClient) -> None:
    assert (await ada.get("/api/categories", headers={"Authorization": ""})).status_code == 401


@pytest.mark.security(40)
async def test_another_accounts_categories_and_labels_are_not_found(ada: httpx.AsyncClient, bob: httpx.AsyncClient) -> None:
    category_id = (await ada.post("/api/categories", json={"name": "Roofing"})).json()["id"]
    subject = uuid4()
    await ada.put(f"/api/categories/labels/{subject}/{category_id}/acceptance")
    url = f"/api/categories/{category_id}"
    assert (await bob.get("/api/categories")).json() == []
    assert (await bob.get(url)).status_code == 404
    assert (await bob.patch(url, json={"name": "Mine"})).status_code == 404
    assert (await bob.delete(url)).status_code == 404
    assert (await bob.get(f"{url}/examples")).status_code == 404
    assert (await bob.put(f"/api/categories/labels/{subject}/{category_id}/acceptance")).status_code == 404
    assert (await bob.put(f"/api/categories/labels/{subject}", json={"category_id": category_id})).status_code == 404
    assert (await bob.put(f"/api/categories/labels/{subject}/{category_id}/acceptance")).status_code == 404
    assert (await bob.put(f"/api/categories/labels/{subject}/{category_id}/rejection")).status_code == 404
    assert (await bob.delete(f"/api/categories/labels/{subject}/{category_id}")).status_code == 404
    assert (await ada.get(f"{url}/examples")).json()["total"] == 1


async def test_a_viewer_reads_but_does_not_change(app: FastAPI) -> None:
    async with program_of_new_account(app, "eve@example.org", role=WorkspaceRole.VIEWER) as eve:
        assert (await eve.get("/api/categories")).status_code == 200
        refused = await eve.post("/api/categories", json={"name": "Roofing"})
        assert refused.status_code == 403


async def test_suggestions_are_reviewed_page_by_page(committed: Core, ada: httpx.AsyncClient) -> None:
    await ada.post("/api/categories", json={"name": "Roofing", "description": "shingles gutters roof repair"})
    items = [(uuid4(), "roofing shingles gutters roof repair") for _ in range(3)]
    async with committed.database.transaction() as session:
        actor = await commands.actor_for_command(session, email="ada@example.org")
        await classify(session, actor, items, embedder=WordEmbedder())
    page = (await ada.get("/api/categories/suggestions", params={"page_size": 2, "sort": "confidence", "is_all": True})).json()
    assert (page["total"], len(page["items"])) == (3, 2)
    first, second = (label["subject_id"] for label in page["items"])
    category_id = page["items"][0]["category_id"]
    assert page["items"][0]["band"] in ("high", "medium", "low")
    accepted = await ada.put(f"/api/categories/labels/{first}/{category_id}/acceptance")
    assert (accepted.json()["state"], accepted.json()["source"]) == ("accepted", "person")
    rejected = await ada.put(f"/api/categories/labels/{second}", json={"category_id": None})
    assert [label["state"] for label in rejected.json()] == ["rejected"]
    assert (await ada.get("/api/categories/suggestions", params={"is_all": True})).json()["total"] == 1
    assert (await ada.delete(f"/api/categories/labels/{first}/{category_id}")).status_code == 204


async def test_a_decision_is_undone(committed: Core, ada: httpx.AsyncClient, bob: httpx.AsyncClient) -> None:
    await ada.post("/api/categories", json={"name": "Roofing", "description": "shingles gutters roof repair"})
    async with committed.database.transaction() as session:
        actor = await commands.actor_for_command(session, email="ada@example.org")
        await classify(session, actor, [(uuid4(), "roofing shingles gutters roof repair")], embedder=WordEmbedder())
    [suggested] = (await ada.get("/api/categories/suggestions", params={"is_all": True})).json()["items"]
    label = f"/api/categories/labels/{suggested['subject_id']}"
    accepted = (await ada.put(f"{label}/{suggested['category_id']}/acceptance")).json()
    undo = {"decided_at": accepted["decided_at"], "before": [suggested]}
    assert (await bob.put(f"{label}/restoration", json=undo)).status_code == 409
    assert (await ada.put(f"{label}/restoration", json=undo)).status_code == 204
    assert (await ada.get("/api/categories/suggestions", params={"is_all": True})).json()["items"] == [suggested]
    assert (await ada.put(f"{label}/restoration", json=undo)).status_code == 409, "it has been undone already"


async def test_undoing_a_first_decision_leaves_no_label(ada: httpx.AsyncClient) -> None:
    category = (await ada.post("/api/categories", json={"name": "Roofing"})).json()["id"]
    label = f"/api/categories/labels/{uuid4()}"
    [decided] = (await ada.put(label, json={"category_id": category})).json()
    undone = await ada.put(f"{label}/restoration", json={"decided_at": decided["decided_at"], "before": []})
    assert undone.status_code == 204
    assert (await ada.get(f"/api/categories/{category}/examples")).json()["total"] == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"source": "model"},
        {"state": "suggested"},
        {"confidence": 0.5},
        {"category_id": None},
        {"model_id": "words"},
        {"source": "model", "state": "suggested", "model_id": "words", "confidence": 2},
        {"source": "model", "state": "suggested", "model_id": "a\0b"},
        {"decided_at": "0001-01-01T00:00:00+12:00"},
    ],
)
async def test_undoing_takes_no_label_that_cannot_have_been(ada: httpx.AsyncClient, wrong: dict[str, object]) -> None:
    category = (await ada.post("/api/categories", json={"name": "Roofing"})).json()["id"]
    label = f"/api/categories/labels/{uuid4()}"
    [before] = (await ada.put(label, json={"category_id": category})).json()
    [decided] = (await ada.put(label, json={"category_id": None})).json()
    refused = await ada.put(f"{label}/restoration", json={"decided_at": decided["decided_at"], "before": [before | wrong]})
    assert refused.status_code == 422
