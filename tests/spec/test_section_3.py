"""Section 3: entities and their fields. Chat, mail, calendar, kanban and product are demo data of the template, not of the product.

Covered elsewhere: where the browser stores the token (e2e/journeys/test_sign_in.py) and the settings
(e2e/journeys/test_shell.py).
"""

from __future__ import annotations

import jwt

from tests.spec.conftest import PASSWORD, Visitor


async def test_the_sign_in_form(stranger: Visitor) -> None:
    """'Sign-in form: email (text), password (text), remember (boolean, default true).'"""
    login = await stranger.open("/auth/login")
    names = [field["a"]["name"] for field in login.all("input")]
    assert names == ["email", "password", "remember"]
    assert login.one("input", name="remember")["a"]["defaultChecked"] is True


async def test_the_answer_to_signing_in(stranger: Visitor) -> None:
    """'Sign-in response fields read: flag, token, error.'"""
    answer = await stranger.client.post("/signin", json={"email": "user@example.org", "password": "wrong"})
    assert set(answer.json()) == {"flag", "token", "error"}


def test_the_token(user: Visitor) -> None:
    """'Token payload: name, email, role.'"""
    payload = jwt.decode(user.token, options={"verify_signature": False})
    assert {"name": "Ada User", "email": "user@example.org", "role": "user"}.items() <= payload.items()


async def test_the_account(user: Visitor) -> None:
    """'Account user: id, displayName, email, password, photoURL, phoneNumber, …'; the password is accepted and never
    returned."""
    answer = await user.get("/api/account/my-account", Authorization=f"Bearer {user.token}")
    assert set(answer.json()["user"]) == {
        "id", "displayName", "email", "photoURL", "phoneNumber", "country", "address", "state", "city", "zipCode", "about", "role",
        "isPublic",
    }  # fmt: skip
    assert PASSWORD not in answer.text
