"""The language of a page, and the sign-in page in each language."""

from __future__ import annotations

from uuid import uuid4

import pytest
from starlette.requests import HTTPConnection

from fundwright.accounts.schemas import Actor, Role
from fundwright.core.assembly import Core
from fundwright.core.messages import Language
from fundwright_ui.login.register import register_screen
from fundwright_ui.login.sign_in import sign_in_screen
from fundwright_ui.product.host import ProductHost
from fundwright_ui.runtime.router import Screen
from fundwright_ui.testing import mounted
from tests.support.accounts import add_account

PARAMS = {"type": "standard", "token": "open"}


@pytest.mark.parametrize("screen", [sign_in_screen, register_screen])
@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("de", "Es gibt noch kein Konto."),
        ("fr", "Il n’y a pas encore de compte."),
        ("en", "There is no account yet. To create the first one, open the link that Fundwright printed when it started."),
    ],
)
async def test_the_printed_link_is_named_while_there_is_no_account(
    committed: Core, screen: Screen, language: Language, sentence: str
) -> None:
    async with mounted(committed, None, screen, params=PARAMS, language=language) as shown:
        assert sentence in shown.text and "Ask an administrator" not in shown.text


@pytest.mark.parametrize("screen", [sign_in_screen, register_screen])
async def test_the_printed_link_is_not_named_once_there_is_an_account(committed: Core, screen: Screen) -> None:
    async with committed.database.transaction() as session:
        await add_account(session)
    async with mounted(committed, None, screen, params=PARAMS) as shown:
        assert "There is no account yet" not in shown.text
        assert ("Ask an administrator" in shown.text) == (screen is register_screen)


@pytest.mark.parametrize(
    ("language", "heading", "button"),
    [("de", "Willkommen,", "Anmelden"), ("fr", "Bienvenue,", "Connexion"), ("en", "Welcome,", "Login")],
)
async def test_sign_in_reads_in_the_chosen_language(core: Core, language: str, heading: str, button: str) -> None:
    async with mounted(core, None, sign_in_screen, path="/auth/login", language=language) as screen:
        assert screen.elements("heading", heading)
        assert screen.elements("button", button)


@pytest.mark.parametrize(
    ("chosen", "cookie", "accepted", "spoken"),
    [
        (None, "", "", "en"),
        (None, "", "fr-CH, de;q=0.8", "en"),
        (None, "", "it, xx", "en"),
        (None, "language=de", "fr", "de"),
        (None, "language=xx", "fr", "en"),
        ("en", "language=de", "fr", "en"),
    ],
)
async def test_the_account_s_language_counts_then_the_browser_s_choice_then_english(
    core: Core, chosen: Language | None, cookie: str, accepted: str, spoken: str
) -> None:
    headers = [(b"cookie", cookie.encode()), (b"accept-language", accepted.encode())]
    request = HTTPConnection({"type": "http", "headers": headers})
    ada = Actor(id=uuid4(), email="ada@example.org", name="Ada", role=Role.USER, language=chosen)
    host = ProductHost(core)
    assert host.language_of(ada, request) == spoken
    assert host.language_of(None, request) == (spoken if chosen is None else "de")
