"""Section 3: entities and their fields. Chat, mail, calendar, kanban and product are demo data of the template, not of the product."""

from __future__ import annotations

import re

import jwt

from tests.spec.conftest import PASSWORD, Visitor, source


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


def test_where_the_token_is_kept() -> None:
    """'The session token is kept in browser storage under the key token.'"""
    assert 'const KEY = "token";' in source("runtime/session.ts")


def test_theme_settings() -> None:
    """'stored under the key settings: themeMode (default light), themeDirection (default ltr), themeColor (default), themeStretch'"""
    text = source("runtime/settings.ts")
    assert 'const KEY = "settings";' in text
    defaults = text.split("DEFAULT_SETTINGS: Settings = {")[1].split("}")[0]
    assert re.findall(r"(\w+): (\S+),", defaults) == [
        ("themeMode", '"light"'),
        ("themeDirection", '"ltr"'),
        ("themeColor", '"default"'),
        ("themeStretch", "false"),
    ]


def test_colors() -> None:
    """'Colour options: default, purple, cyan, blue, orange, red.'"""
    assert 'THEME_COLORS = ["default", "purple", "cyan", "blue", "orange", "red"]' in source("runtime/settings.ts")


async def test_the_account(user: Visitor) -> None:
    """'Account user: id, displayName, email, password, photoURL, phoneNumber, …'; the password is taken and never given."""
    answer = await user.get("/api/account/my-account", Authorization=f"Bearer {user.token}")
    assert set(answer.json()["user"]) == {
        "id", "displayName", "email", "photoURL", "phoneNumber", "country", "address", "state", "city", "zipCode", "about", "role",
        "isPublic",
    }  # fmt: skip
    assert PASSWORD not in answer.text
