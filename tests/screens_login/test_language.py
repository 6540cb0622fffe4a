"""The sign-in page in the languages of the catalogues."""

from __future__ import annotations

import pytest

from fundwright.core.assembly import Core
from fundwright_ui.login.sign_in import sign_in_screen
from fundwright_ui.runtime.testing import mounted


@pytest.mark.parametrize(
    ("language", "heading", "button"),
    [("de", "Willkommen,", "Anmelden"), ("fr", "Bienvenue,", "Connexion"), ("en", "Welcome,", "Login")],
)
async def test_sign_in_reads_in_the_chosen_language(core: Core, language: str, heading: str, button: str) -> None:
    async with mounted(core, None, sign_in_screen, path="/auth/login", language=language) as screen:
        assert screen.elements("heading", heading)
        assert screen.elements("button", button)
