from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest
from fastapi import FastAPI

from fundwright.accounts.schemas import Actor
from fundwright.authentication import one_time_secrets
from fundwright.authentication import service as authentication
from fundwright.core.assembly import Core
from fundwright.training import api as training_api
from fundwright.workspaces import api
from tests.support.programs import api_of
from tests.support.signing_in import HERE

pytestmark = pytest.mark.security(49)


@pytest.fixture
def app(committed: Core) -> FastAPI:
    return api_of(committed, api.router, training_api.router)


@pytest.fixture
async def client(app: FastAPI, committed: Core, ada: Actor) -> AsyncIterator[httpx.AsyncClient]:
    """A program with Ada's session token."""
    async with committed.database.transaction() as session:
        code = await one_time_secrets.new_handover(session, ada.id, remember=True)
        token = (await authentication.redeem_handover(session, committed, code, client=HERE)).token
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://fundwright.test", headers=headers
    ) as browser:
        yield browser


async def test_requests_act_in_the_workspace_that_the_address_names(client: httpx.AsyncClient) -> None:
    created = await client.post("/api/workspaces", json={"name": " Harbor "})
    assert (created.status_code, created.json()["name"], created.json()["role"]) == (201, "Harbor", "owner")
    there = {"w": created.json()["id"]}
    uploaded = await client.post("/api/training/documents", files={"file": ("boats.md", b"# Boats")}, params=there)
    path = f"/api/training/documents/{uploaded.json()['id']}"
    assert (await client.get(path, params=there)).status_code == 200
    assert (await client.get(path)).status_code == 404
    assert (await client.get("/api/workspace", params=there)).json()["name"] == "Harbor"
    assert (await client.get("/api/workspace")).json()["name"] == ""
    assert (await client.put(f"/api/workspaces/{there['w']}/use")).status_code == 204
    assert (await client.get("/api/workspace")).json()["name"] == "Harbor"


@pytest.mark.parametrize("named", ["0b0e5a5e-4c1e-4b0e-9b0e-000000000000", "nonsense"])
async def test_an_unknown_workspace_is_not_found(client: httpx.AsyncClient, named: str) -> None:
    assert (await client.get("/api/workspace", params={"w": named})).status_code == 404


async def test_people_are_invited_by_link(client: httpx.AsyncClient, ada: Actor) -> None:
    there = {"w": (await client.post("/api/workspaces", json={"name": "Harbor"})).json()["id"]}
    sent = (await client.post("/api/workspace/invitations", json={"role": "viewer", "most_uses": 3}, params=there)).json()
    assert (sent["state"], sent["invited_by"], sent["workspace"]) == ("pending", ada.name, "Harbor")
    listed = (await client.get("/api/workspace/invitations", params=there)).json()["items"]
    assert [each["id"] for each in listed] == [sent["id"]] and "link" not in listed[0]
    assert (await client.delete(f"/api/workspace/invitations/{sent['id']}", params=there)).status_code == 204
    secret = sent["link"].rpartition("/")[2]
    assert (await client.post(f"/api/workspaces/links/{secret}/acceptance")).status_code == 409


@pytest.mark.parametrize("form", [{"name": " "}, {"name": "x" * 101}, {}])
async def test_a_name_is_needed(client: httpx.AsyncClient, form: dict[str, str]) -> None:
    assert (await client.post("/api/workspaces", json=form)).status_code == 422


@pytest.mark.parametrize(
    ("given", "name"), [("a\r\nBcc: b", "a Bcc: b"), ("\u202eHarbor", "Harbor"), ("Hafen\u200b", "Hafen"), ("\u200b", None)]
)
async def test_a_name_is_one_visible_line(client: httpx.AsyncClient, given: str, name: str | None) -> None:
    created = await client.post("/api/workspaces", json={"name": given})
    assert (created.status_code, created.json().get("name")) == (422 if name is None else 201, name)


async def test_members_are_exported(client: httpx.AsyncClient) -> None:
    there = {"w": (await client.post("/api/workspaces", json={"name": "Harbor"})).json()["id"]}
    lines = (await client.get("/api/workspace/members/export.csv", params=there)).text.splitlines()
    assert lines[0].lstrip("\ufeff").startswith("Name,Email,Role,Joined") and "ada@example.org,Owner" in lines[1]
