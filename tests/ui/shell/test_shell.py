from __future__ import annotations

from collections.abc import Iterable

import pytest
from reactpy import component, html
from reactpy.types import VdomDict

from fundwright.accounts import commands
from fundwright.accounts.schemas import Actor, Client, Role
from fundwright.authentication import service as authentication
from fundwright.authentication.schemas import SignedIn
from fundwright.core.assembly import Core
from fundwright.core.plugins import hookimpl
from fundwright_ui import sidebar
from fundwright_ui.extension import Screen, SidebarEntry
from fundwright_ui.runtime.events import MalformedPayload
from fundwright_ui.sidebar.entries import current_entry
from tests.ui.conftest import PASSWORD, Open, Page, text_of

ENTRIES = {
    "Opportunities": "/dashboard/nih",
    "Category": "/dashboard/category",
    "Train": "/dashboard/train",
    "Embedding History": "/dashboard/history",
    "Generate": "/generate/index",
}

WORKSPACE = {"Pipeline": "/dashboard/pipeline", "Tasks": "/dashboard/tasks"}

ADMINISTRATION = {
    "Dashboard": "/dashboard/index",
    "Analyze": "/dashboard/analyze",
    "History": "/dashboard/history",
    "Payment": "/dashboard/payment/history",
    "Setting": "/dashboard/user/account",
    "New post": "/dashboard/blog/new-post",
    "List": "/dashboard/blog/list",
    "Feedback": "/dashboard/feedback",
    "Premium Link": "/dashboard/freepremium",
    "Subscription": "/dashboard/subscription",
}

BELOW = {
    **{label: path for label, path in ENTRIES.items() if label != "Embedding History"},
    **WORKSPACE,
    "People": "/dashboard/users",
    "Audit trail": "/dashboard/audit",
    "Outbox": "/dashboard/outbox",
}

OWN = {
    "Dashboard": "/dashboard/index",
    "Trash": "/dashboard/trash",
    "Workspace": "/dashboard/workspace",
    "Account": "/dashboard/user/account",
    "Send feedback": "/feedback",
}


@component
def _blank() -> VdomDict:
    return html.h1("Here")


SCREENS = (
    Screen("/dashboard/train", "Train", _blank),
    Screen("/dashboard/train/deeper", "Deeper", _blank),
    Screen("/generate/index", "Generate", _blank, area="generate"),
)


@pytest.fixture
def entries(committed: Core) -> None:
    """Registers Fundwright's own entries if no plug-in has."""

    class Own:
        @hookimpl
        def sidebar_entries(self) -> Iterable[SidebarEntry]:
            return sidebar.ENTRIES

    if not committed.plugins.collect("sidebar_entries"):
        committed.plugins.register(Own())


def _links(page: Page) -> dict[str, str]:
    (navigation,) = page.all("nav")
    return {
        text_of(link): link["a"]["href"]
        for item in navigation["c"]
        for link in _anchors(item)
        if link["a"].get("aria-label") is None
    }


def _menu(page: Page) -> dict[str, str]:
    return {link["label"]: link["href"] for link in page.one("AccountMenu")["a"]["links"]}


def _anchors(node: object) -> Iterable[dict[str, dict[str, str]]]:
    from tests.ui.conftest import walk

    return [each for each in walk(node) if each.get("t") == "a"]


@pytest.mark.usefixtures("entries")
class TestSidebar:
    async def test_leads_to_the_five_screens_and_those_of_the_workspace(self, open_page: Open, ada: Actor) -> None:
        async with open_page("/dashboard/train", actor=ada, extra=SCREENS) as page:
            assert _links(page) == ENTRIES | WORKSPACE
            assert page.one("nav")["a"]["aria-label"] == "Main"

    async def test_leads_administrators_to_what_they_administer(self, open_page: Open, ada: Actor) -> None:
        async with open_page("/dashboard/train", actor=ada.model_copy(update={"role": Role.ADMIN}), extra=SCREENS) as page:
            links = _links(page)
            assert links == ADMINISTRATION | BELOW
            assert list(links)[-len(BELOW) :] == list(BELOW)
            headings = [text_of(item) for item in page.all("li", className="fw-nav-heading")]
            assert headings == ["Admin area", "Work", "Workspace", "Administration"]
            assert [text_of(item) for item in page.all("li", className="fw-nav-group")] == ["Blog"]
            assert _menu(page) == {
                "Trash": "/dashboard/trash",
                "Workspace": "/dashboard/workspace",
                "Send feedback": "/feedback",
            }

    @pytest.mark.parametrize("path", ["/dashboard/train", "/dashboard/train/deeper"])
    async def test_marks_the_current_page(self, open_page: Open, ada: Actor, path: str) -> None:
        async with open_page(path, actor=ada, extra=SCREENS) as page:
            assert [text_of(link) for link in page.all("a", aria_current="page")] == ["Train"]

    @pytest.mark.parametrize(
        ("path", "labels"),
        [
            ("/dashboard/nih", ["Opportunities"]),
            ("/dashboard/nih/1", ["Opportunities"]),
            ("/dashboard/sam/1", ["Opportunities"]),
            ("/dashboard/passage/1", ["Train"]),
            ("/dashboard/history/1", ["Embedding History", "History"]),
            ("/generate/index", ["Generate"]),
            ("/generate/slug/a", ["Generate"]),
            ("/dashboard/blog/new-post", ["New post"]),
            ("/dashboard/blog/1/edit", ["List"]),
            ("/dashboard/payment/history/1", ["Payment"]),
            ("/dashboard/trainer", []),
        ],
    )
    def test_drafts_and_details_belong_to_an_entry(self, path: str, labels: list[str]) -> None:
        current = [
            current_entry([entry for entry in sidebar.ENTRIES if role in (entry.roles or ())], path)
            for role in (Role.USER, Role.ADMIN)
        ]
        assert sorted({entry.label for entry in current if entry}) == labels

    async def test_stays_narrow_once_collapsed(self, open_page: Open, ada: Actor) -> None:
        async with open_page("/dashboard/train", actor=ada, extra=SCREENS) as page:
            assert page.all("div", className="fw-shell")
            await page.fire(page.labeled("button", "Collapse sidebar"), "onClick")
            assert page.all("div", className="fw-shell fw-shell-collapsed")
            assert [link["a"]["title"] for link in page.all("a", className="fw-nav-item")] == list(ENTRIES | WORKSPACE)
        async with open_page("/dashboard/train", actor=ada, extra=SCREENS) as page:
            assert page.all("div", className="fw-shell fw-shell-collapsed")
            await page.fire(page.labeled("button", "Expand sidebar"), "onClick")
            assert page.all("div", className="fw-shell")

    @pytest.mark.parametrize("path", ["/dashboard/train", "/generate/index"])
    async def test_is_a_drawer_on_small_screens(self, open_page: Open, ada: Actor, path: str) -> None:
        async with open_page(path, actor=ada, extra=SCREENS) as page:
            opening = page.labeled("button", "Open navigation")
            assert opening["a"]["aria-expanded"] is False
            await page.fire(opening, "onClick")
            drawer = page.one("div", role="dialog")
            assert (drawer["a"]["aria-modal"], page.labeled("button", "Close navigation")["a"]["autoFocus"]) == ("true", True)
            assert [text_of(link) for link in _anchors(drawer)][1:] == list(ENTRIES | WORKSPACE)
            assert page.one("div", className="fw-shell-body")["a"]["inert"] is True
            await page.fire(drawer, "onKeyDown", key="Escape")
            assert page.all("div", role="dialog") == []
            await page.fire(page.labeled("button", "Open navigation"), "onClick")
            (current,) = (link for link in _anchors(page.one("div", role="dialog")) if "aria-current" in link["a"])
            await page.fire(current, "onClick")
            assert page.all("div", role="dialog") == []


@pytest.mark.usefixtures("entries")
class TestTopBar:
    async def test_has_settings_and_the_account_menu(self, open_page: Open, ada: Actor) -> None:
        async with open_page("/dashboard/train", actor=ada, extra=SCREENS) as page:
            assert page.labeled("button", "Settings")
            assert page.labeled("button", "Account menu")
            menu = page.one("AccountMenu")["a"]
            assert (menu["name"], menu["email"], menu["logoutLabel"]) == (ada.name, ada.email, "Logout")
            assert _menu(page) == OWN
            assert [each["code"] for each in page.one("SettingsDrawer")["a"]["languages"]] == ["en", "de", "fr"]

    async def test_leads_back_from_the_generate_area(self, open_page: Open, ada: Actor) -> None:
        async with open_page("/generate/index", actor=ada, extra=SCREENS) as page:
            work = {label: path for label, path in ENTRIES.items() if label != "Generate"}
            assert _menu(page) == work | WORKSPACE | OWN
            assert _links(page) == ENTRIES | WORKSPACE

    async def test_leads_other_roles_from_the_generate_area_to_their_pages(self, open_page: Open, ada: Actor) -> None:
        async with open_page("/generate/index", actor=ada.model_copy(update={"role": Role.ADMIN}), extra=SCREENS) as page:
            assert {"Opportunities", "Embedding History", "Dashboard", "Account"} <= _menu(page).keys()
            letters = {each["path"] for each in page.one("CommandPalette")["a"]["shortcuts"]}
            assert {"/dashboard/nih", "/dashboard/index", "/dashboard/users"} <= letters

    async def test_the_menu_marks_the_open_page(self, open_page: Open, ada: Actor) -> None:
        account = Screen("/dashboard/user/account", "Account", _blank)
        async with open_page("/dashboard/user/account", actor=ada, extra=(*SCREENS, account)) as page:
            marked = [link["label"] for link in page.one("AccountMenu")["a"]["links"] if link.get("isCurrent")]
            assert marked == ["Account"]

    @pytest.mark.parametrize("path", ["/dashboard/train", "/generate/index"])
    async def test_lets_keyboards_skip_it(self, open_page: Open, ada: Actor, path: str) -> None:
        async with open_page(path, actor=ada, extra=SCREENS) as page:
            assert page.labeled("a", "Skip to content")["a"]["href"] == "#main"
            assert text_of(page.one("main", id="main")) == "Here"


@pytest.mark.usefixtures("entries")
class TestSettings:
    async def test_a_chosen_language_is_kept_for_the_account(self, open_page: Open, committed: Core, ada: Actor) -> None:
        async with open_page("/dashboard/train?q=x", actor=ada, extra=SCREENS) as page:
            await page.fire(page.one("SettingsDrawer"), "onLanguage", code="de")
            assert page.frames("navigate") == [
                {"type": "navigate", "path": "/dashboard/train?q=x", "replace": False, "reload": True}
            ]
        async with committed.database.transaction() as session:
            assert [account.language for account in await commands.list_accounts(session)] == ["de"]

    async def test_an_unsupported_language_is_refused(self, open_page: Open, committed: Core, ada: Actor) -> None:
        async with open_page("/dashboard/train", actor=ada, extra=SCREENS) as page:
            with pytest.raises(MalformedPayload):
                await page.fire(page.one("SettingsDrawer"), "onLanguage", code="xx")
        async with committed.database.transaction() as session:
            assert [account.language for account in await commands.list_accounts(session)] == [None]


@pytest.mark.usefixtures("entries")
class TestLogout:
    async def _signed_in(self, core: Core) -> SignedIn:
        async with core.database.transaction() as session:
            result = await authentication.sign_in(
                session, core, email="ada@example.org", password=PASSWORD, remember=True, client=Client(address="192.0.2.7")
            )
        assert isinstance(result, SignedIn)
        return result

    @pytest.mark.usefixtures("ada")
    @pytest.mark.security(18)
    async def test_asks_first_and_ends_the_session(self, open_page: Open, committed: Core) -> None:
        signed_in = await self._signed_in(committed)
        async with open_page("/dashboard/train", actor=signed_in.actor, extra=SCREENS) as page:
            assert page.all("ConfirmDialog") == []
            await page.fire(page.one("AccountMenu"), "onLogout")
            dialog = page.one("ConfirmDialog")
            asked = [dialog["a"][name] for name in ("title", "cancelLabel", "confirmLabel")]
            assert asked == ["Sure you want to Log Out?", "No, cancel", "Yes, confirm"]
            await page.fire(dialog, "onCancel")
            assert page.all("ConfirmDialog") == page.frames("signed_out") == []
            await page.fire(page.one("AccountMenu"), "onLogout")
            await page.fire(page.one("ConfirmDialog"), "onConfirm")
            assert page.frames("signed_out") == [{"type": "signed_out", "next": "/", "forget": False}]
        async with committed.database.transaction() as session:
            assert await authentication.authenticate(session, committed, signed_in.token) is None
