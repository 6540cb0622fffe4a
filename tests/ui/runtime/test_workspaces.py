"""Pages stay in the workspace in which they were opened."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from fundwright.accounts.schemas import Actor, WorkspaceRole
from fundwright.authentication import service as authentication
from fundwright.categories import service as categories
from fundwright.categories.schemas import CategoryCreate
from fundwright.core.live import publish_to
from fundwright.workspaces import invitations, service
from fundwright.workspaces.schemas import InvitationForm, WorkspaceForm
from fundwright_ui.product.host import ProductHost
from tests.support.accounts import add_account
from tests.ui.runtime.conftest import EMAIL, PASSWORD, Server

pytestmark = pytest.mark.security(49)

BOB = "bob@example.org"
OPENED = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "none"}
"""What a browser sends when a person opens an address."""


async def shared_with(server: Server, email: str, role: WorkspaceRole = WorkspaceRole.EDITOR) -> Actor:
    """A workspace of a new account, which the account with `email` has joined. Returns the owner in it."""
    async with server.core.database.transaction() as session:
        owner = await add_account(session, BOB, name="Bob", password=PASSWORD)
        created = await service.create_workspace(session, owner, server.core, WorkspaceForm(name="Harbor"))
        owner = await service.actor_in(session, owner, created.id)
        sent = await invitations.invite(session, owner, server.core, InvitationForm(email=email, role=role))
        await invitations.accept_link(session, server.actor, sent.link.rpartition("/")[2])
        return owner


async def identity(server: Server, token: str) -> str:
    return (await server.get("/connection", token=token)).json()["account"]


async def test_the_address_of_a_page_names_a_workspace_which_is_the_last_used_one_from_then_on(server: Server) -> None:
    owner, token = await shared_with(server, EMAIL), await server.sign_in()
    assert await identity(server, token) == str(server.actor.id)
    page = await server.get(f"/private?w={owner.workspace_id}", token=token, headers=OPENED)
    there = f"{server.actor.id}/{owner.workspace_id}"
    assert page.status_code == 200 and f'"account": "{there}"' in page.text.replace('":"', '": "')
    assert await identity(server, token) == there
    await server.get(f"/private?w={server.actor.id}", token=token, headers=OPENED)
    assert await identity(server, token) == str(server.actor.id)


@pytest.mark.parametrize("headers", [{**OPENED, "Sec-Fetch-Site": "cross-site"}, {**OPENED, "Sec-Fetch-Mode": "no-cors"}, {}])
async def test_another_site_does_not_change_the_last_used_workspace(server: Server, headers: dict[str, str]) -> None:
    owner, token = await shared_with(server, EMAIL), await server.sign_in()
    page = await server.get(f"/private?w={owner.workspace_id}", token=token, headers=headers)
    assert str(owner.workspace_id) in page.text
    assert await identity(server, token) == str(server.actor.id)


@pytest.mark.parametrize("named", ["0b0e5a5e-4c1e-4b0e-9b0e-000000000000", "nonsense"])
async def test_a_workspace_of_others_is_answered_like_an_unknown_one(server: Server, named: str) -> None:
    token = await server.sign_in()
    assert (await server.get(f"/private?w={named}", token=token)).status_code == 404
    async with server.core.database.transaction() as session:
        bob = await add_account(session, BOB, name="Bob", password=PASSWORD)
        other = await service.create_workspace(session, bob, server.core, WorkspaceForm(name="Other"))
    assert (await server.get(f"/private?w={other.id}", token=token)).status_code == 404
    assert await identity(server, token) == str(server.actor.id)


async def test_a_former_member_is_led_home_from_the_address_of_a_workspace(server: Server) -> None:
    owner, token = await shared_with(server, EMAIL), await server.sign_in()
    async with server.core.database.transaction() as session:
        await service.remove_member(session, owner, server.actor.id)
    page = await server.get(f"/private?w={owner.workspace_id}", token=token, headers=OPENED)
    assert page.status_code == 404
    assert "<h1>Sorry, page not found!</h1>" in page.text and "You are no longer a member of this workspace." in page.text
    assert 'href="/">Go to home</a>' in page.text
    assert "Harbor" not in page.text


async def category_of(server: Server, owner: Actor) -> str:
    async with server.core.database.transaction(scope=owner.scope) as session:
        return str((await categories.create(session, owner, CategoryCreate(name="Boats"))).id)


def page_data(page: httpx.Response) -> dict[str, Any]:
    return json.loads(re.findall(r'id="page">(.*?)</script>', page.text, re.DOTALL)[0])


async def test_a_link_to_what_another_workspace_has_switches_to_it_and_says_so(server: Server) -> None:
    owner, token = await shared_with(server, EMAIL), await server.sign_in()
    address = f"/private?category={await category_of(server, owner)}"
    page = page_data(await server.get(address, token=token, headers=OPENED))
    assert page["account"] == f"{server.actor.id}/{owner.workspace_id}"
    assert page["notice"] == "You are now in the workspace “Harbor”."
    assert await identity(server, token) == page["account"]
    again = page_data(await server.get(address, token=token, headers=OPENED))
    assert (again["account"], again["notice"]) == (page["account"], None)


async def test_a_link_that_names_another_workspace_says_so(server: Server) -> None:
    owner, token = await shared_with(server, EMAIL), await server.sign_in()
    notices = [
        page_data(await server.get(f"/private?w={id}", token=token, headers=OPENED))["notice"]
        for id in (owner.workspace_id, owner.workspace_id, server.actor.id)
    ]
    assert notices == ["You are now in the workspace “Harbor”.", None, "You are now in the workspace “Personal”."]


async def test_a_link_to_what_a_stranger_has_opens_like_one_to_nothing(server: Server) -> None:
    token = await server.sign_in()
    async with server.core.database.transaction() as session:
        bob = await add_account(session, BOB, name="Bob", password=PASSWORD)
        other = await service.create_workspace(session, bob, server.core, WorkspaceForm(name="Other"))
        bob = await service.actor_in(session, bob, other.id)
    for id in (await category_of(server, bob), str(uuid4())):
        page = page_data(await server.get(f"/private?category={id}", token=token, headers=OPENED))
        assert (page["account"], page["notice"]) == (str(server.actor.id), None)


async def test_a_link_on_a_page_to_what_another_workspace_has_is_loaded_there(server: Server) -> None:
    owner, token = await shared_with(server, EMAIL), await server.sign_in()
    id = await category_of(server, owner)
    async with server.socket(token=token) as client:
        await client.hello("/private")
        await client.websocket.send(json.dumps({"type": "location", "path": f"/private?category={id}", "seq": 1}))
        frame = await client.until("navigate")
    assert (frame["path"], frame["reload"], frame["replace"]) == (f"/private?category={id}&w={owner.workspace_id}", True, True)


async def test_signing_in_leads_back_to_the_workspace_of_the_address(server: Server) -> None:
    address = "/private?a=1&w=0b0e5a5e-4c1e-4b0e-9b0e-000000000000"
    there = f"/auth/login?next={quote(address, safe='')}"
    assert (await server.get(address)).headers["location"] == there
    async with server.socket() as client:
        await client.websocket.send(f'{{"type": "hello", "path": "{address}", "hash": null, "account": "{server.actor.id}"}}')
        assert (await client.until("navigate"))["path"] == there


async def test_a_page_that_reconnects_stays_in_its_workspace_after_a_switch_in_another_tab(server: Server) -> None:
    owner, token = await shared_with(server, EMAIL), await server.sign_in()
    personal, shared = str(server.actor.id), f"{server.actor.id}/{owner.workspace_id}"
    for used, other in ((personal, shared), (shared, personal)):
        await server.get(f"/private?w={used.rpartition('/')[2]}", token=token, headers=OPENED)
        async with server.socket(token=token) as client:
            await client.hello("/private", account=other)
        assert await identity(server, token) == used


@pytest.mark.parametrize(
    "named", ["{own}/{removed}", "{own}/nonsense", "{own}/", "{other}", "{other}/{own}", "nonsense", "{removed}", "{own}/{own}"]
)
async def test_a_page_of_another_account_or_a_former_workspace_is_loaded_again(server: Server, named: str) -> None:
    owner, token = await shared_with(server, EMAIL), await server.sign_in()
    async with server.core.database.transaction() as session:
        await service.remove_member(session, owner, server.actor.id)
    account = named.format(own=server.actor.id, removed=owner.workspace_id, other=owner.id)
    async with server.socket(token=token) as client:
        path = f"/private?w={owner.workspace_id}"
        await client.websocket.send(f'{{"type": "hello", "path": "{path}", "hash": null, "account": "{account}"}}')
        frame = await client.until("navigate")
    assert (frame["path"], frame["reload"]) == ("/private", True)


async def test_a_page_closes_when_its_membership_ends(server: Server) -> None:
    owner, token = await shared_with(server, EMAIL), await server.sign_in()
    await server.get(f"/private?w={owner.workspace_id}", token=token, headers=OPENED)
    async with server.socket(token=token) as client:
        await client.hello("/private")
        async with server.core.database.transaction() as session:
            await service.remove_member(session, owner, server.actor.id)
        with pytest.raises(ConnectionClosed) as closed:
            await client.until("never")
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 4401


async def test_a_page_closes_when_its_membership_ends_during_a_check(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, token = await shared_with(server, EMAIL), await server.sign_in()
    await server.get(f"/private?w={owner.workspace_id}", token=token, headers=OPENED)
    recognize, has_read, may_answer = ProductHost.recognize, asyncio.Event(), asyncio.Event()

    async def slowly(host: ProductHost, actor: Actor, *, is_use: bool) -> Actor | None:
        found = await recognize(host, actor, is_use=is_use)
        has_read.set()
        await may_answer.wait()
        return found

    async with server.core.database.transaction() as session:
        actor = await authentication.authenticate(session, server.core, token)
    topic, is_told = f"session:{actor.session_id if actor else None}", asyncio.Event()
    async with asyncio.timeout(20), server.socket(token=token) as client:
        await client.hello("/private")
        monkeypatch.setattr(ProductHost, "recognize", slowly)
        async with server.core.database.transaction() as session:
            await publish_to(session, [topic])
        await has_read.wait()
        with server.core.live.subscribed(topic, lambda _payload: is_told.set()):
            async with server.core.database.transaction() as session:
                await service.remove_member(session, owner, server.actor.id)
            await is_told.wait()
        may_answer.set()
        with pytest.raises(ConnectionClosed):
            await client.until("never")
