"""Section 7: the calls that the client makes.

Covered elsewhere: page views (tests/insights/test_tracking.py). Demo-only calls (chat, mail, calendar, kanban …) are sample data.
"""

from __future__ import annotations

from dataclasses import replace

from fundwright.core.assembly import Core
from fundwright_ui.app import build_app
from tests.spec.conftest import PASSWORD, Visitor
from tests.ui.runtime.test_application import browse


async def test_signin(spec_core: Core) -> None:
    """'POST /signin …: payload email, password; reads flag ('success' means success), token, error.'"""
    async with browse(build_app(spec_core)) as client:
        answer = (await client.post("/signin", json={"email": "user@example.org", "password": PASSWORD})).json()
    assert (answer["flag"], answer["error"], answer["token"].count(".")) == ("success", None, 2)


async def test_login(spec_core: Core) -> None:
    """'POST /api/account/login: payload email, password; reads accessToken and user.'"""
    async with browse(build_app(spec_core)) as client:
        answer = (await client.post("/api/account/login", json={"email": "user@example.org", "password": PASSWORD})).json()
    assert set(answer) == {"accessToken", "user"}


async def test_register(spec_core: Core) -> None:
    """'POST /api/account/register: payload email, password, firstName, lastName; reads accessToken and user.'"""
    open_core = replace(spec_core, settings=spec_core.settings.model_copy(update={"open_registration": True}))
    form = {"email": "grace@example.org", "password": PASSWORD, "firstName": "Grace", "lastName": "Hopper"}
    async with browse(build_app(open_core)) as client:
        answer = (await client.post("/api/account/register", json=form)).json()
    assert set(answer) == {"accessToken", "user"} and answer["user"]["displayName"] == "Grace Hopper"


async def test_my_account(user: Visitor) -> None:
    """'GET /api/account/my-account with bearer authorization: reads user.'"""
    answer = await user.get("/api/account/my-account", Authorization=f"Bearer {user.token}")
    assert set(answer.json()) == {"user"}
