"""Screens say which parts of their address they ignore: `?psc=R425` and `sort=fit` listed everything."""

from __future__ import annotations

import re
from urllib.parse import urlencode, urlsplit
from uuid import uuid4

import pytest

from fundwright.accounts.schemas import Actor, Role
from fundwright.core.assembly import Core
from tests.access.table import QUERIES, SCREENS
from tests.support.accounts import account_and_samples, add_account
from tests.ui.conftest import Open, Page

LISTS = (
    "/dashboard/nih", "/dashboard/sam", "/dashboard/train", "/dashboard/train/collections", "/dashboard/notifications", "/dashboard/trash",
    "/dashboard/history", "/generate/index", "/generate/templates", "/dashboard/saved-searches",
    "/dashboard/pipeline?view=table", "/dashboard/tasks", "/dashboard/notes", "/dashboard/share-links", "/dashboard/audit",
    "/dashboard/analyze", "/dashboard/blog/list", "/dashboard/feedback", "/dashboard/freepremium", "/dashboard/payment/history",
    "/dashboard/subscription", "/dashboard/users", "/dashboard/outbox", "/dashboard/user/account?tab=security",
)  # fmt: skip
FREE_TEXT = {
    "activity_code": "any, before there are notices; a later test tries it with some",
    "added_after": "a moment, which the checks of dates try",
    "agency": "any, before there are notices; a later test tries it with some",
    "company": "a name",
    "filters": "the filter that is open",
    "find": "words",
    "link": "the secret of an email",
    "next": "any address",
    "number": "how a notice is numbered, in any spelling",
    "pending": "the secret of a sign-in",
    "q": "words",
    "question": "words",
    "sort": "an order, which the next test tries",
    "text": "words",
    "verbatim": "a word",
}
"""Parameters of screens that can have any value."""
OF_VISITORS = [path for path, need in SCREENS.items() if need is None and path.startswith("/auth/") and "premium" not in path]
"""Screens from which people who are signed in are redirected."""
IGNORED = "Part of this page’s address is not valid."


def alerts(page: Page) -> str:
    return "".join(str(node) for node in page.all("div", className="fw-alert fw-alert-info"))


@pytest.fixture
async def root(committed: Core) -> Actor:
    async with committed.database.transaction() as session:
        return await add_account(session, role=Role.ADMIN)


class TestIgnoredParameters:
    @pytest.mark.parametrize("path", SCREENS)
    async def test_every_screen_names_an_unknown_one_and_all_that_it_knows(self, root: Actor, open_page: Open, path: str) -> None:
        address, actor = re.sub(r"\{\w+\}", str(uuid4()), path), None if path in OF_VISITORS else root
        async with open_page(f"{address}?psc=R425", actor=actor) as page:
            told = alerts(page)
            assert "There is no parameter “psc” here." in told
            await page.follow(address)
            assert IGNORED not in page.text
        known = re.search(r"The parameters are: ([\w, ]+)\.", told)
        names = known[1].split(", ") if known else []
        wrong = {
            name: "1 or more"
            for name in names
            if name.removeprefix("failures_") not in FREE_TEXT and (path, name) != ("/feedback", "page")
        }
        async with open_page(f"{address}?{urlencode(wrong)}", actor=actor) as page:
            told = alerts(page)
            assert [name for name in wrong if name not in told.casefold()] == []
            assert "There is no parameter" not in told

    async def test_names_of_another_screen_are_unknown(self, root: Actor, open_page: Open) -> None:
        async with open_page("/generate/slug/gone?tab=zz&view=zz&sort=zz&passage=zz&open=zz", actor=root) as page:
            assert all(f"There is no parameter “{name}” here." in alerts(page) for name in ("tab", "view", "sort"))
            assert "The parameters are: about, at, claims, comment, " in alerts(page)
            assert "“zz” is not a valid value for “passage”." in alerts(page)
            assert "“zz” is not a valid value for “open”. Choose one of these: share, who, " in alerts(page)

    @pytest.mark.parametrize("path", ["/blog", "/help", "/pricing", "/dashboard/sam"])
    async def test_ignores_what_others_add_to_links(self, open_page: Open, ada: Actor, path: str) -> None:
        added = "utm_source=news&utm_medium=email&fbclid=1&gclid=1&msclkid=1&mc_cid=1&_gl=1"
        async with open_page(f"{path}?{added}", actor=ada) as page:
            assert IGNORED not in page.text
        async with open_page(f"{path}?{added}&psc=R425", actor=ada) as page:
            assert "There is no parameter “psc” here." in alerts(page)
            assert "utm_source" not in alerts(page)

    async def test_the_login_in_place_of_a_screen_ignores_the_parameters_of_that(self, open_page: Open) -> None:
        async with open_page("/feedback?page=/dashboard/train") as page:
            assert page.all("form")
            assert IGNORED not in page.text

    @pytest.mark.parametrize("path", LISTS)
    async def test_every_list_says_how_it_can_be_sorted(self, root: Actor, open_page: Open, path: str) -> None:
        async with open_page(f"{path}{'&' if '?' in path else '?'}sort=nonsense", actor=root) as page:
            assert "This list cannot be sorted" in alerts(page)

    @pytest.mark.parametrize("path", [path for path in QUERIES if SCREENS[urlsplit(path).path] is not None])
    async def test_a_known_one_is_not_reported(self, root: Actor, open_page: Open, path: str) -> None:
        async with open_page(path.replace("{id}", str(uuid4())), actor=root) as page:
            assert "There is no parameter" not in page.text

    async def test_a_value_that_a_filter_cannot_have_is_named_with_those_it_can(self, committed: Core, open_page: Open) -> None:
        async with committed.database.transaction() as session:
            ada = await add_account(session)
        async with open_page("/dashboard/tasks?state=lost&page=0", actor=ada) as page:
            assert "“lost” is not a valid value for “state”. Choose one of these: open, done, all." in alerts(page)
            assert "“0” is not a valid value for “page”." in alerts(page)
            assert page.all("h1")

    async def test_a_source_a_set_aside_or_a_type_that_there_is_not_is_named(self, committed: Core, open_page: Open) -> None:
        ada = await account_and_samples(committed)
        async with open_page("/dashboard/sam?type=Riddle&set_aside=SBA&source=sam|samm", actor=ada) as page:
            assert "“Riddle” is not a valid value for “type”. Choose one of these: " in alerts(page)
            assert "“samm” is not a valid value for “source”." in alerts(page)
            assert "set_aside" not in alerts(page)

    async def test_a_list_is_not_exported_with_a_value_that_the_api_refuses(self, committed: Core, open_page: Open) -> None:
        ada = await account_and_samples(committed)
        async with open_page("/dashboard/sam?source=sam|samm", actor=ada) as page:
            assert "Export as CSV" not in page.text
            await page.follow("/dashboard/sam?source=sam")
            assert "Export as CSV" in page.text

    async def test_any_agency_is_valid_before_there_are_notices(self, committed: Core, open_page: Open) -> None:
        async with committed.database.transaction() as session:
            ada = await add_account(session)
        async with open_page("/dashboard/sam?agency=NASA&activity_code=R01", actor=ada) as page:
            assert IGNORED not in page.text

    async def test_other_values_that_no_notice_has_are_named(self, committed: Core, open_page: Open) -> None:
        ada = await account_and_samples(committed)
        async with open_page(
            f"/dashboard/sam?agency=Nonsense&activity_code=R99999&naics=99&due_from=0&category={uuid4()}", actor=ada
        ) as page:
            assert "“Nonsense” is not a valid value for “agency”. Choose one of these: " in alerts(page)
            assert "“R99999” is not a valid value for “activity_code”." in alerts(page)
            assert "“99” is not a valid value for “naics”. Some of them: " in alerts(page)
            assert "“0” is not a date." in alerts(page)
            assert "The item in “category” was not found." in alerts(page)

    @pytest.mark.parametrize(
        "path", ["/dashboard/notifications", "/dashboard/trash", "/dashboard/history", "/dashboard/workspace"]
    )
    async def test_a_kind_that_there_is_not_is_named(self, root: Actor, open_page: Open, path: str) -> None:
        async with open_page(f"{path}?kind=nope", actor=root) as page:
            assert "“nope” is not a valid value for “kind”." in alerts(page)
