"""Section 2: screens and routes.

Covered elsewhere: the behavior of the forms (tests/ui/login/test_sign_in.py, test_links.py), the logout dialog and the collapsed
sidebar (tests/ui/shell/test_shell.py), the settings drawer, the loading screen, and signing out in all tabs
(e2e/journeys/test_shell.py), toasts (e2e/journeys/test_scroll_and_toasts.py), and the prompt that small screens hide
(e2e/journeys/test_sign_in.py).
"""

from __future__ import annotations

import pytest

from fundwright.accounts.schemas import Role
from tests.spec.conftest import Visitor
from tests.ui.conftest import text_of

GUARDED = ("/dashboard/train", "/dashboard/history", "/dashboard/sam", "/dashboard/nih", "/dashboard/category", "/generate/index")


class TestRoutes:
    @pytest.mark.parametrize("path", ["/auth/login", "/auth/register/standard/open"])
    async def test_forms_redirect_signed_in_users(self, stranger: Visitor, user: Visitor, path: str) -> None:
        """'/auth/login: redirects away if already authenticated.' '/auth/register/{type}/{token}: redirects away …'"""
        assert (await stranger.get(path)).status_code == 200
        assert await user.leads_to(path) == "/"

    @pytest.mark.parametrize("path", ["/auth/login-unprotected", "/auth/register-unprotected"])
    async def test_unprotected_ones_lead_nobody_away(self, stranger: Visitor, user: Visitor, path: str) -> None:
        """'/auth/login-unprotected', '/auth/register-unprotected'"""
        assert [(await each.get(path)).status_code for each in (stranger, user)] == [200, 200]

    @pytest.mark.parametrize("path", ["/auth/reset-password", "/auth/verify/ada@example.org", "/auth/confirm-reset/link"])
    async def test_letters_and_their_links_have_screens(self, stranger: Visitor, path: str) -> None:
        """'/auth/reset-password', '/auth/verify/{email}', '/auth/confirm-reset/{link}'"""
        assert (await stranger.get(path)).status_code == 200

    @pytest.mark.parametrize("path", GUARDED)
    async def test_the_areas_are_guarded(self, stranger: Visitor, user: Visitor, path: str) -> None:
        """'/dashboard: guarded; … Children: train, history, generate, sam, nih, category.' '/generate: guarded; … Children: index'"""
        assert (await stranger.leads_to(path)).startswith("/auth/login?next=")
        assert (await user.get(path)).status_code == 200

    @pytest.mark.parametrize(
        ("path", "screen"),
        [
            ("/", "/dashboard/train"),
            ("/dashboard", "/dashboard/train"),
            ("/dashboard/generate", "/generate/index"),
            ("/generate", "/generate/index"),
        ],
    )
    async def test_defaults(self, user: Visitor, path: str, screen: str) -> None:
        """'default redirect to /dashboard/train', 'default redirect to /generate/index', '/ redirects to /dashboard/train.'"""
        assert await user.leads_to(path) == screen

    async def test_a_draft_has_its_slug(self, stranger: Visitor, user: Visitor) -> None:
        """'Children: index, and slug/{token}.'"""
        assert (await stranger.leads_to("/generate/slug/x")).startswith("/auth/login")
        assert (await user.open("/generate/slug/x")).title == "Draft"

    @pytest.mark.parametrize(
        ("path", "status"),
        [("coming-soon", 200), ("maintenance", 503), ("pricing", 200), ("payment", 200), ("500", 500), ("404", 404)],
    )
    async def test_static_pages(self, stranger: Visitor, user: Visitor, path: str, status: int) -> None:
        """'Static pages: coming-soon, maintenance, pricing, payment, 500, 404.'"""
        assert [(await each.get(f"/{path}")).status_code for each in (stranger, user)] == [status, status]
        assert "Fundwright" in (await stranger.open(f"/{path}")).links()

    @pytest.mark.parametrize("path", ["/nowhere", "/dashboard/nowhere", "/auth", "/generate/nowhere"])
    async def test_unknown_paths(self, stranger: Visitor, user: Visitor, path: str) -> None:
        """'Any unknown path redirects to /404.'"""
        assert [await each.leads_to(path) for each in (stranger, user)] == ["/404", "/404"]

    @pytest.mark.parametrize("path", ["/auth/login", "/404", "/pricing", "/dashboard/train", "/generate/index"])
    async def test_the_logo_leads_home(self, user: Visitor, stranger: Visitor, path: str) -> None:
        """'The logo in the page header links to '/'.'"""
        visitor = stranger if path.startswith("/auth") else user
        assert (await visitor.open(path)).one("a", className="fw-logo")["a"]["href"] == "/"


class TestLoginScreen:
    async def test_title_and_headings(self, stranger: Visitor) -> None:
        """'Page title Login. … Heading 'Welcome,' with subtitle 'Sign in to continue!'.'"""
        login = await stranger.open("/auth/login")
        assert login.title == "Login" and "<title>Login</title>" in login.html
        assert text_of(login.one("h1")) == "Welcome,"
        assert text_of(login.one("p", className="fw-login-subtitle")) == "Sign in to continue!"

    async def test_the_header_has_the_way_to_register(self, stranger: Visitor) -> None:
        """'The header shows a 'Sign up' link to the register route.'"""
        assert (await stranger.open("/auth/login")).links(inside="header")["Sign up"] == "/auth/register/standard/open"

    async def test_the_form(self, stranger: Visitor) -> None:
        """'The form has email, password (toggle between hidden and visible), a 'Keep Me Signed In' checkbox and a Login button'"""
        login = await stranger.open("/auth/login")
        form = login.one("form")
        assert [login.one("input", name=name)["a"]["type"] for name in ("email", "password")] == ["email", "password"]
        assert "Keep Me Signed In" in text_of(form)
        assert login.all("button", aria_label="Show password")
        assert text_of(login.one("button", type="submit")) == "Login"

    async def test_below_the_form(self, stranger: Visitor) -> None:
        """'a 'Forgot password?' link to the reset-password route, … 'Don't have an account?' with a 'Get started' link'"""
        login = await stranger.open("/auth/login")
        assert login.links()["Forgot password?"] == "/auth/reset-password"
        assert text_of(login.one("p", className="fw-login-foot fw-hide-small")) == "Don't have an account? Get started"
        assert login.links()["Get started"] == "/auth/register/standard/open"


class TestSidebar:
    async def test_of_role_user(self, user: Visitor) -> None:
        """'For role user: Opportunities (/dashboard/nih), Category, Train, Embedding History, Generate (/generate/index)'"""
        links = (await user.open("/dashboard/train")).links(inside="nav")
        assert list(links.items())[1:6] == [
            ("Opportunities", "/dashboard/nih"),
            ("Category", "/dashboard/category"),
            ("Train", "/dashboard/train"),
            ("Embedding History", "/dashboard/history"),
            ("Generate", "/generate/index"),
        ]

    async def test_of_other_roles(self, admin: Visitor) -> None:
        """'For other roles: Dashboard (/dashboard/index), Analyze, History, Payment … Under the heading 'Admin area': Blog …'"""
        screen = await admin.open("/dashboard/index")
        links = screen.links(inside="nav")
        expected = {
            "Dashboard": "/dashboard/index",
            "Analyze": "/dashboard/analyze",
            "History": "/dashboard/history",
            "Payment": "/dashboard/payment/history",
            "New post": "/dashboard/blog/new-post",
            "List": "/dashboard/blog/list",
            "Feedback": "/dashboard/feedback",
            "Premium Link": "/dashboard/freepremium",
            "Subscription": "/dashboard/subscription",
        }
        assert expected.items() <= links.items()
        assert [name for name in links if name in expected] == list(expected)
        assert list(links)[1 : len(expected) + 2] == [*list(expected)[:4], "Setting", *list(expected)[4:]]
        assert text_of(screen.all("li", className="fw-nav-heading")[0]) == "Admin area"
        assert [text_of(each) for each in screen.all("li", className="fw-nav-group")] == ["Blog"]

    async def test_is_collapsible(self, user: Visitor) -> None:
        """'The sidebar is collapsible.'"""
        assert (await user.open("/dashboard/train")).all("button", aria_label="Collapse sidebar")


class TestTopBars:
    async def test_of_the_generate_area(self, user: Visitor) -> None:
        """'an initial-letter avatar menu linking to Opportunities, Category, Train and Embedding History.'"""
        screen = await user.open("/generate/index")
        menu = screen.one("AccountMenu")["a"]
        assert [link["label"] for link in menu["links"]][:4] == ["Opportunities", "Category", "Train", "Embedding History"]
        assert text_of(screen.one("button", className="fw-avatar")) == "A"

    async def test_of_the_dashboard(self, user: Visitor) -> None:
        """'an avatar menu showing name and email from the token, with a Logout button.'"""
        menu = (await user.open("/dashboard/train")).one("AccountMenu")["a"]
        assert (menu["name"], menu["email"], menu["logoutLabel"]) == ("Ada User", "user@example.org", "Logout")


class TestOtherUi:
    async def test_the_settings_drawer(self, user: Visitor) -> None:
        """'A settings drawer for theme colour and language (English, German, French)'"""
        languages = (await user.open("/dashboard/train")).one("SettingsDrawer")["a"]["languages"]
        assert [(each["code"], each["label"]) for each in languages] == [("en", "English"), ("de", "Deutsch"), ("fr", "Français")]

    async def test_the_loading_screen(self, stranger: Visitor, user: Visitor) -> None:
        """'a loading screen' while a stored token is checked on a page that the server rendered for a person who is not signed
        in."""
        assert 'dir="ltr" data-visitor>' in (await stranger.open("/auth/login")).html
        assert "data-visitor" not in (await user.open("/dashboard/train")).html.split("<head>")[0]


async def test_every_page_has_a_title(visitors: dict[str, Visitor]) -> None:
    """'Page title Login', and one for every other route."""
    titles = {path: (await visitors[Role.ADMIN].open(path)).title for path in (*GUARDED, "/pricing", "/coming-soon", "/404")}
    assert all(titles.values()) and len(set(titles.values())) == len(titles) - 1  # sam and nih are both Opportunities
