"""Section 5: validation rules.

Covered elsewhere: errors of touched fields only (tests/ui/login/test_sign_in.py), and the sentences of register and reset
(test_links.py). 'Invalid conversation id' belongs to the demo's chat.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from fundwright.accounts.schemas import Role
from fundwright.core.assembly import Core
from fundwright_ui.app import build_app
from fundwright_ui.login import sign_in_screen
from fundwright_ui.testing import mounted
from tests.spec.conftest import PASSWORD, Visitor
from tests.ui.runtime.test_application import browse


@pytest.mark.parametrize(
    ("field", "typed", "says"),
    [
        ("Email", "", "Email is required"),
        ("Email", "ada", "Email must be a valid email address"),
        ("Password", "", "Password is required"),
    ],
)
async def test_fields(spec_core: Core, field: str, typed: str, says: str) -> None:
    """'Email required: 'Email is required'.' and so on. 'Field errors show only after the field has been touched.'"""
    async with mounted(spec_core, None, sign_in_screen) as screen:
        assert says not in screen.text
        await screen.type(field, typed)
        assert says in screen.text


async def test_the_browser_does_not_validate(stranger: Visitor) -> None:
    """'Browser validation is not used; autocomplete is off.'"""
    form = (await stranger.open("/auth/login")).one("form")["a"]
    assert (form["noValidate"], form["autoComplete"]) == (True, "off")


async def test_the_placeholder_address_is_nobody(spec_core: Core) -> None:
    """'a token … whose email is the unknown placeholder address, sends the user to the login page'"""
    settings = spec_core.settings.model_copy(update={"unknown_email": "user@example.org"})
    async with browse(build_app(replace(spec_core, settings=settings))) as client:
        await client.post("/signin", json={"email": "user@example.org", "password": PASSWORD})
        assert (await client.get("/dashboard/train")).headers["location"].startswith("/auth/login")


@pytest.mark.parametrize("role", list(Role))
async def test_feedback_shows_the_login_screen_in_place(stranger: Visitor, visitors: dict[str, Visitor], role: Role) -> None:
    """'except that /feedback shows the login screen in place'"""
    assert (await stranger.open("/feedback")).title == "Login"
    assert (await visitors[role].open("/feedback")).title == "Feedback"


@pytest.mark.parametrize(
    ("email", "says"),
    [
        ("nobody@example.org", "There is no user corresponding to the email address."),
        ("user@example.org", "Wrong password"),
    ],
)
async def test_what_the_account_api_says_of_a_refusal(stranger: Visitor, email: str, says: str) -> None:
    """'unknown email gives 'There is no user corresponding to the email address.'; wrong password gives 'Wrong password''"""
    answer = await stranger.client.post("/api/account/login", json={"email": email, "password": "wrong"})
    assert (answer.status_code, answer.json()["message"]) == (400, says)


async def test_an_address_that_is_taken(spec_core: Core) -> None:
    """'registering an existing email gives 'There already exists an account with the given email address.''"""
    open_core = replace(spec_core, settings=spec_core.settings.model_copy(update={"open_registration": True}))
    form = {"email": "user@example.org", "password": PASSWORD, "firstName": "Ada", "lastName": "User"}
    async with browse(build_app(open_core)) as client:
        answer = await client.post("/api/account/register", json=form)
    assert (answer.status_code, answer.json()["message"]) == (
        400,
        "There already exists an account with the given email address.",
    )
