"""Section 8: the error catalogue.

Covered elsewhere: where the login screen shows them (tests/ui/login/test_sign_in.py). 'Something went wrong' is the message of a failed
request; the page /500 is one of the static pages of section 2, which fixes no text for it, and says below its title what to do next. 'Mail not found' and the like belong to
the demo.
"""

from __future__ import annotations

import pytest

from fundwright.core.assembly import Core
from fundwright_ui.app import build_app
from tests.spec.conftest import Visitor
from tests.ui.runtime.test_application import browse


async def test_a_refused_sign_in(stranger: Visitor) -> None:
    """'Sign-in response flag other than 'success': the text of the response field error'"""
    answer = (await stranger.client.post("/signin", json={"email": "nobody@example.org", "password": "x"})).json()
    assert (answer["flag"], answer["token"]) == ("error", None) and "don't match an account" in answer["error"]


@pytest.mark.parametrize(
    ("headers", "says"),
    [
        ({}, "Authorization token missing"),
        ({"Authorization": "Bearer a.b.c"}, "Invalid authorization token"),
    ],
)
async def test_tokens(stranger: Visitor, headers: dict[str, str], says: str) -> None:
    """'401 'Authorization token missing' and 'Invalid authorization token''"""
    answer = await stranger.get("/api/account/my-account", **headers)
    assert (answer.status_code, answer.json()["message"]) == (401, says)


async def test_an_unexpected_error_has_a_body_to_reject_with(spec_core: Core) -> None:
    """'The HTTP client rejects with the response body, or 'Something went wrong' if there is none.'"""
    app = build_app(spec_core)

    async def broken() -> None:
        raise RuntimeError("a secret detail")

    app.router.add_api_route("/api/broken", broken)
    async with browse(app) as client:
        answer = await client.get("/api/broken")
    assert answer.status_code == 500
    assert answer.json()["error"]["message"] == "Something went wrong" and "secret" not in answer.text


@pytest.mark.parametrize("token", ["x", "a.b.c", "eyJhbGciOiJub25lIn0.e30."])
async def test_a_token_that_cannot_be_decoded(spec_core: Core, token: str) -> None:
    """'If the token cannot be decoded, the user goes to the login page.'"""
    async with browse(build_app(spec_core)) as client:
        answer = await client.get("/dashboard/train", headers={"cookie": f"session={token}"})
    assert answer.headers["location"] == "/auth/login?next=%2Fdashboard%2Ftrain"
