from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest

from fundwright.accounts.schemas import Actor
from fundwright.authentication import one_time_secrets
from fundwright.authentication import service as authentication
from fundwright.conversation import api
from fundwright.core.assembly import Core
from tests.support.programs import api_of
from tests.support.signing_in import HERE
from tests.workspaces.test_service import add_text


@pytest.fixture
async def client(committed: Core, ada: Actor) -> AsyncIterator[httpx.AsyncClient]:
    """A program with Ada's session token."""
    async with committed.database.transaction() as session:
        code = await one_time_secrets.new_handover(session, ada.id, remember=True)
        token = (await authentication.redeem_handover(session, committed, code, client=HERE)).token
    transport = httpx.ASGITransport(api_of(committed, api.router))
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://fundwright.test", headers=headers) as program:
        yield program


async def test_a_program_comments(client: httpx.AsyncClient, committed: Core, ada: Actor) -> None:
    about = {"subject_id": str(await add_text(committed, ada))}
    added = await client.post("/api/comments", json={**about, "text": "Which ferry?", "key": "1"})
    assert added.status_code == 201
    path = f"/api/comments/{added.json()['id']}"
    assert (await client.post(f"{path}/replies", json={"text": "=1+1"})).status_code == 201
    assert (await client.patch(path, json={"text": "Which one?"})).json()["text"] == "Which one?"
    assert (await client.put(f"{path}/resolution")).status_code == 204
    resolved = (await client.get("/api/comments", params={**about, "state": "resolved", "sort": "-created_at"})).json()
    assert ([each["text"] for each in resolved["items"]], resolved["total"]) == (["=1+1", "Which one?"], 2)
    assert (await client.delete(f"{path}/resolution")).status_code == 204
    assert (await client.get("/api/comments", params={**about, "state": "resolved"})).json()["total"] == 0
    found = (await client.get("/api/comments", params={**about, "text": "WHICH"})).json()
    assert [each["text"] for each in found["items"]] == ["Which one?"]
    lines = (await client.get("/api/comments/export.csv", params=about)).text.splitlines()
    assert len(lines) == 3 and "'=1+1" in lines[2]
    assert (await client.delete(path)).status_code == 204
    assert (await client.get(path)).json()["is_deleted"] is True


@pytest.mark.parametrize("text", ["", "\u200b", "x" * 10_001])
async def test_unusable_texts_are_explained(client: httpx.AsyncClient, committed: Core, ada: Actor, text: str) -> None:
    about = {"subject_id": str(await add_text(committed, ada))}
    answer = await client.post("/api/comments", json={**about, "text": text})
    assert answer.status_code == 422
