"""Section 9: business constants and limits. The demo's delay of 1000 ms belongs to the demo.

Covered elsewhere: the widths of the form and the sidebar (e2e/journeys/test_sign_in.py), five toasts for three seconds
(web/src/widgets/Toaster), and their place (e2e/journeys/test_scroll_and_toasts.py).
"""

from __future__ import annotations

from datetime import timedelta

import jwt

from fundwright.authentication.api import SignInForm
from fundwright.content.schemas import BLOG_STEP
from fundwright.core.settings import Settings
from tests.spec.conftest import Visitor


def test_remember_me() -> None:
    """'Remember-me defaults to on.'"""
    assert SignInForm(email="a@b.org", password="x").remember is True


def test_the_token() -> None:
    """'Demo token expires after 5 days'"""
    assert timedelta(hours=Settings.model_fields["kept_session_hours"].default) == timedelta(days=5)


def test_its_expiry_is_in_it(user: Visitor) -> None:
    """'the stored access token is checked against its expiry time.'"""
    payload = jwt.decode(user.token, options={"verify_signature": False})
    assert payload["exp"] - payload["iat"] == timedelta(days=5).total_seconds()


def test_the_blog() -> None:
    """'Blog step 11.'"""
    assert BLOG_STEP == 11


async def test_the_language(stranger: Visitor) -> None:
    """'Default language English.'"""
    assert '<html lang="en"' in (await stranger.open("/auth/login")).html
