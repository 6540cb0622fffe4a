from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from uuid import UUID, uuid4

import httpx
import pytest

from fundwright.accounts.schemas import Actor
from fundwright.billing.api import router
from fundwright.core.assembly import Core
from fundwright.core.database import now
from tests.support.programs import api_of, program

TODAY = now().date().isoformat()
INVOICE = {"text": "Pro", "amount_cents": 4_900, "issued": TODAY, "due": TODAY}


def invoice_of(account: Actor) -> dict[str, object]:
    return INVOICE | {"workspace_id": str(account.workspace_id), "email": account.email}


def client_of(core: Core, actor: Actor) -> AbstractAsyncContextManager[httpx.AsyncClient]:
    return program(api_of(core, router), actor)


@pytest.fixture
async def client(committed: Core, boss: Actor, ada: Actor) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(committed, boss) as opened:
        yield opened


class TestPlans:
    async def test_a_plan_is_changed(self, client: httpx.AsyncClient) -> None:
        change = {"price_cents": 0, "documents": 10, "drafts": None, "imports": 5, "workspaces": 3}
        assert (await client.put("/api/billing/plans/free", json=change)).status_code == 200
        first = (await client.get("/api/billing/plans")).json()[0]
        assert {name: first[name] for name in change} == change

    async def test_nonsense_is_refused(self, client: httpx.AsyncClient) -> None:
        change = {"price_cents": -1, "documents": 10, "drafts": None, "imports": 5, "workspaces": 3}
        assert (await client.put("/api/billing/plans/free", json=change)).status_code == 422
        assert (await client.put("/api/billing/plans/gold", json={**change, "price_cents": 1})).status_code == 422


class TestSubscribers:
    async def test_an_account_is_put_on_a_plan(self, client: httpx.AsyncClient, ada: Actor) -> None:
        url = f"/api/billing/subscribers/{ada.id}"
        assert (await client.put(url, json={"plan": "team"})).json()["plan_name"] == "Team"
        assert (await client.get(url)).json()["plan"] == "team"
        listed = (await client.get("/api/billing/subscribers", params={"plan": "team"})).json()
        assert [each["owners"] for each in listed["items"]] == [["ada@example.org"]]
        exported = await client.get("/api/billing/subscribers/export.csv", params={"plan": "team"})
        assert exported.headers["content-disposition"] == 'attachment; filename="subscribers.csv"'
        assert len(exported.text.splitlines()) == 2


class TestPayments:
    async def test_an_invoice_is_written_read_and_paid(self, client: httpx.AsyncClient, ada: Actor) -> None:
        written = await client.post("/api/billing/payments", json=invoice_of(ada))
        assert written.status_code == 201
        url = f"/api/billing/payments/{written.json()['id']}"
        assert (await client.get(url)).json()["state"] == "open"
        assert (await client.put(f"{url}/paid")).json()["state"] == "paid"
        again = await client.put(f"{url}/void")
        assert (again.status_code, again.json()["error"]["code"]) == (409, "AlreadySettled")
        listed = (await client.get("/api/billing/payments", params={"state": "paid"})).json()
        assert listed["total"] == 1
        assert (await client.get("/api/billing/payments/sums")).json() == [
            {"currency": "usd", "state": "paid", "amount_cents": 4_900, "count": 1}
        ]
        exported = await client.get("/api/billing/payments/export.csv")
        assert exported.text.splitlines()[1].startswith(f"{written.json()['number']},Ada Example,ada@example.org,Pro,49.00,USD,")

    async def test_nonsense_is_refused(self, client: httpx.AsyncClient, ada: Actor) -> None:
        for wrong in ({"email": "nobody@example.org"}, {"amount_cents": 0}, {"currency": "eur"}, {"text": " "}):
            assert (await client.post("/api/billing/payments", json=invoice_of(ada) | wrong)).status_code == 422
        assert (await client.get(f"/api/billing/payments/{uuid4()}")).status_code == 404


class TestPremiumLinks:
    async def test_a_link_is_created_and_revoked(self, client: httpx.AsyncClient) -> None:
        wanted = {"plan": "pro", "days": 30, "uses": 2, "expires_on": TODAY, "note": "Fair"}
        made = await client.post("/api/billing/premium-links", json=wanted)
        assert made.status_code == 201
        url = f"/api/billing/premium-links/{made.json()['id']}"
        assert made.json()["path"].startswith("/auth/register/premium/")
        assert "path" not in (await client.get(url)).json()
        assert (await client.get(f"{url}/uses")).json()["total"] == 0
        assert (await client.put(f"{url}/revocation")).json()["state"] == "revoked"
        listed = (await client.get("/api/billing/premium-links", params={"state": "revoked"})).json()
        assert [UUID(each["id"]) for each in listed["items"]] == [UUID(made.json()["id"])]
        assert len((await client.get("/api/billing/premium-links/export.csv")).text.splitlines()) == 2

    async def test_nonsense_is_refused(self, client: httpx.AsyncClient) -> None:
        wanted = {"plan": "free", "days": 30, "expires_on": TODAY}
        assert (await client.post("/api/billing/premium-links", json=wanted)).status_code == 422


class TestWorkspace:
    async def test_an_owner_reads_plan_and_invoices(self, client: httpx.AsyncClient, committed: Core, ada: Actor) -> None:
        await client.post("/api/billing/payments", json=invoice_of(ada))
        async with client_of(committed, ada) as own:
            assert (await own.get("/api/billing/workspace")).json()["plan"]["code"] == "free"
            listed = (await own.get("/api/billing/workspace/payments")).json()
            assert [(each["workspace_name"], each["email"]) for each in listed["items"]] == [("Ada Example", "ada@example.org")]
            exported = await own.get("/api/billing/workspace/payments/export.csv")
            assert len(exported.text.splitlines()) == 2


@pytest.mark.security(40)
async def test_only_administrators_see_those_of_all(committed: Core, ada: Actor, client: httpx.AsyncClient) -> None:
    payment = (await client.post("/api/billing/payments", json=invoice_of(ada))).json()["id"]
    looks = [f"/api/billing/{name}" for name in ("payments", "payments/sums", "payments/export.csv", f"payments/{payment}",
             "subscribers", "subscribers/export.csv", f"subscribers/{ada.id}", "premium-links", "premium-links/export.csv")]  # fmt: skip
    async with client_of(committed, ada) as user:
        assert {(await user.get(path)).status_code for path in looks} == {403}
        assert (await user.post("/api/billing/payments", json=invoice_of(ada))).status_code == 403
        assert (await user.put(f"/api/billing/payments/{payment}/paid")).status_code == 403
        assert (await user.put(f"/api/billing/subscribers/{ada.id}", json={"plan": "team"})).status_code == 403
