"""Section 6: roles and permissions.

Covered elsewhere: the seed account has role admin (tests/ui/login/test_links.py, the first administrator), and what the server
enforces for every role (tests/architecture/test_permissions.py).
"""

from __future__ import annotations

import pytest

from fundwright.accounts.schemas import Role
from tests.spec.conftest import Visitor
from tests.ui.conftest import text_of


def test_the_roles() -> None:
    """'Roles seen: user and admin.'"""
    assert set(Role) == {"user", "admin"}


@pytest.mark.parametrize("role", list(Role))
async def test_the_sidebar_follows_the_role(visitors: dict[str, Visitor], role: Role) -> None:
    """'Role user sees the reduced sidebar; any other role sees the full sidebar including the admin area.'"""
    screen = await visitors[role].open("/dashboard/category")
    headings = [text_of(each) for each in screen.all("li", className="fw-nav-heading")]
    assert headings == (["Workspace"] if role is Role.USER else ["Admin area", "Work", "Workspace", "Administration"])
    assert ("Subscription" in screen.links(inside="nav")) is (role is not Role.USER)


@pytest.mark.parametrize("path", ["/dashboard/train", "/generate/index"])
async def test_the_areas_need_a_token_with_a_role(stranger: Visitor, path: str) -> None:
    """'The dashboard and generate areas need a stored token carrying a role.'"""
    assert (await stranger.leads_to(path)).startswith("/auth/login")


@pytest.mark.parametrize("path", ["/auth/login", "/auth/register/standard/open"])
async def test_a_signed_in_user_needs_no_form(user: Visitor, path: str) -> None:
    """'Login and register pages redirect authenticated users to the auth root.'"""
    assert await user.leads_to(path) == "/"
