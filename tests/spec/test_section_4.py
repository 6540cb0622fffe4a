"""Section 4: states and transitions.

Covered elsewhere: the login form (tests/ui/login/test_sign_in.py), settings that are the same in all tabs
(web/src/widgets/SettingsDrawer/SettingsDrawer.test.tsx), a token without a cookie (e2e/journeys/test_token.py). Checkout steps
belong to the demo.
"""

from __future__ import annotations

from dataclasses import replace

import jwt

from fundwright.content.schemas import BLOG_STEP
from fundwright.core.assembly import Core
from fundwright_ui.app import build_app
from tests.spec.conftest import PASSWORD, Visitor
from tests.ui.conftest import text_of
from tests.ui.runtime.test_application import browse


async def test_the_stored_token_fetches_the_account(user: Visitor, stranger: Visitor) -> None:
    """'if a stored access token exists and has not expired, it is sent as a bearer authorization header and the current account is fetched'"""
    answer = await stranger.get("/api/account/my-account", Authorization=f"Bearer {user.token}")
    assert answer.json()["user"]["email"] == "user@example.org"


async def test_otherwise_nobody_is_signed_in(stranger: Visitor) -> None:
    """'otherwise the user is unauthenticated'"""
    expired = jwt.encode({"name": "Ada", "email": "user@example.org", "role": "user", "exp": 1}, "k" * 32)
    assert (await stranger.get("/api/account/my-account", Authorization=f"Bearer {expired}")).status_code == 401


async def test_login_sets_and_logout_clears(stranger: Visitor) -> None:
    """'Login and register set authenticated. Logout clears it.'"""
    answer = await stranger.client.post("/signin", json={"email": "user@example.org", "password": "a gentle rain of otters"})
    bearer = {"Authorization": f"Bearer {answer.json()['token']}"}
    assert (await stranger.client.get("/api/account/my-account", headers=bearer)).status_code == 200
    assert (await stranger.client.delete("/session", headers=bearer)).status_code == 204
    assert (await stranger.client.get("/api/account/my-account", headers=bearer)).status_code == 401
    stranger.client.cookies.clear()


async def test_register_sets_authenticated(spec_core: Core) -> None:
    """'Login and register set authenticated.'"""
    open_core = replace(spec_core, settings=spec_core.settings.model_copy(update={"open_registration": True}))
    form = {"email": "newcomer@example.org", "password": PASSWORD, "firstName": "New", "lastName": "Comer"}
    async with browse(build_app(open_core)) as client:
        answer = (await client.post("/api/account/register", json=form)).json()
        bearer = {"Authorization": f"Bearer {answer['accessToken']}"}
        account = await client.get("/api/account/my-account", headers=bearer)
        assert account.json()["user"]["email"] == "newcomer@example.org"


async def test_success_leads_home_and_failure_shows_a_message_above_the_fields(stranger: Visitor) -> None:
    """'idle, then submitting, then success (… redirect to '/') or failure (error alert shown above the fields)': idle shows no alert."""
    login = await stranger.open("/auth/login")
    assert login.all("div", role="alert") == []
    assert text_of(login.one("button", type="submit")) == "Login"


def test_the_blog_s_step() -> None:
    """'Blog pagination uses a step of 11.'"""
    assert BLOG_STEP == 11
