"""Section 9: business constants and limits. The demo's delay of 1000 ms belongs to the demo."""

from __future__ import annotations

import re
from datetime import timedelta

import jwt

from fundwright.authentication.api import SignInForm
from fundwright.content.schemas import BLOG_STEP
from fundwright.core.settings import Settings
from tests.spec.conftest import Visitor, source


def constant(path: str, name: str) -> int:
    """The number that a file of the browser's half calls `name`."""
    found = re.search(rf"const {name} = ([\d_]+);", source(path))
    assert found, f"{path} has no {name}"
    return int(found[1])


def width(name: str) -> str:
    found = re.search(rf"--{name}: (\w+);", source("theme/tokens.css"))
    assert found, f"tokens.css has no --{name}"
    return found[1]


def test_the_login_form() -> None:
    """'Login form container maximum width 426px.'"""
    form = source("theme/login.css").split(".fw-login-form {")[1].split("}")[0]
    assert "max-inline-size: 426px;" in form


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


def test_toasts() -> None:
    """'Toasts: max 5, auto-hide after 3000 ms, top right.'"""
    assert constant("runtime/Toasts.tsx", "MOST_AT_ONCE") == 5
    assert constant("widgets/Toaster/Toast.tsx", "SHOWN_MS") == 3_000
    assert "right: 20px;" in source("widgets/Toaster/Toaster.css")


def test_the_sidebar() -> None:
    """'Sidebar width 280 (102 collapsed).'"""
    assert (width("fw-sidebar-width"), width("fw-sidebar-collapsed-width")) == ("280px", "102px")


async def test_the_language(stranger: Visitor) -> None:
    """'Default language English.'"""
    assert '<html lang="en"' in (await stranger.open("/auth/login")).html
