"""Hooks, elements, and widgets as screens use them, without a browser."""

from __future__ import annotations

import asyncio
import gc
import re
from typing import Annotated, Any
from uuid import UUID, uuid4
from weakref import ref

import pytest
from pydantic import BaseModel, Field, model_validator
from reactpy import component, html, use_async_effect, use_effect, use_state
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Client
from fundwright.core import live
from fundwright.core.assembly import Core
from fundwright.core.errors import Conflict
from fundwright.core.messages import t
from fundwright.core.paging import Page
from fundwright_ui.hooks import use_action, use_live, use_query, use_url_state
from fundwright_ui.product import use_connection
from fundwright_ui.runtime.connection import Connection
from fundwright_ui.runtime.router import Found, Location, Screen
from fundwright_ui.runtime.view import View
from fundwright_ui.testing import ScreenUnderTest, mounted
from fundwright_ui.ui import button, checkbox, form, page, problem, select_field, text_field
from fundwright_ui.widgets import Column, ConfirmDialog, Row, RowOpened, TableQuery, data_table
from tests.support.polling import eventually


class NewThing(BaseModel):
    name: Annotated[str, Field(min_length=1, max_length=5)]
    kind: str = ""
    is_big: bool = False


class Kept(list[Any]):
    """The payloads that a handler received."""

    def keep(self, given: object) -> None:
        self.append(given)


async def scalar(session: AsyncSession, sql: str) -> Any:
    return await session.scalar(text(sql))


class TestQuery:
    async def test_the_first_paint_waits_for_the_answer(self, core: Core) -> None:
        @component
        def screen() -> Any:
            found = use_query(lambda session: scalar(session, "SELECT 'from the database'"))
            return html.p("nothing yet" if found.value is None else found.value)

        async with mounted(core, None, screen, is_live=False) as shown:
            assert shown.text == "from the database"

    async def test_a_failure_shows_a_message_with_an_id_and_reload_tries_again(self, core: Core) -> None:
        statements = ["SELECT 1/0", "SELECT 7"]

        @component
        def screen() -> Any:
            found = use_query(lambda session: scalar(session, statements.pop(0)))
            return problem(found.error, on_retry=found.reload) if found.error else html.p(str(found.value))

        async with mounted(core, None, screen) as shown:
            assert re.search(r"Something went wrong Error ID [0-9a-f]{8}", shown.text)
            assert "division" not in shown.text
            await shown.click("button", "Try again")
            assert shown.text == "7"

    async def test_a_new_key_asks_again(self, core: Core) -> None:
        @component
        def screen() -> Any:
            number, set_number = use_state(1)
            found = use_query(lambda session: scalar(session, f"SELECT {number} * 10"), key=[number])
            return html.div(str(found.value), button("More", on_click=lambda: set_number(number + 1)))

        async with mounted(core, None, screen) as shown:
            await shown.click("button", "More")
            await shown.click("button", "More")
            assert shown.text.startswith("30")

    async def test_a_topic_asks_again(self, core: Core) -> None:
        topic = f"test:{uuid4()}"
        answers = iter(range(1, 100))

        async def read(_session: AsyncSession) -> int:
            return next(answers)

        @component
        def screen() -> Any:
            found = use_query(read, topics=[topic])
            return html.p(str(found.value))

        async with mounted(core, None, screen) as shown:
            assert shown.text == "1"
            async with core.database.transaction() as session:
                await live.publish(session, topic)
            await eventually(lambda: shown.text == "2")
        assert topic not in core.live._listeners

    async def test_a_topic_asks_again_in_the_language_of_the_page(self, core: Core) -> None:
        topic = f"test:{uuid4()}"
        answers = iter(range(1, 100))

        async def read(_session: AsyncSession) -> str:
            return f"{next(answers)} {t('Category')}"

        @component
        def screen() -> Any:
            return html.p(use_query(read, topics=[topic]).value)

        async with mounted(core, None, screen, language="de") as shown:
            assert shown.text == "1 Kategorie"
            async with core.database.transaction() as session:
                await live.publish(session, topic)
            await shown.expect("2 Kategorie")


class TestLive:
    async def test_messages_arrive_while_the_component_is_mounted(self, core: Core) -> None:
        topic = f"test:{uuid4()}"

        @component
        def listener() -> Any:
            heard, set_heard = use_state("")
            use_live(topic, lambda payload: set_heard(payload["word"]))
            return html.p(heard)

        @component
        def screen() -> Any:
            is_shown, set_shown = use_state(True)
            return html.div(listener() if is_shown else None, button("Hide", on_click=lambda: set_shown(False)))

        async with mounted(core, None, screen) as shown:
            async with core.database.transaction() as session:
                await live.publish(session, topic, {"word": "hello"})
            await eventually(lambda: "hello" in shown.text)
            await shown.click("button", "Hide")
            assert topic not in core.live._listeners

    async def test_first_paint_subscribes_to_nothing(self, core: Core) -> None:
        topic = f"test:{uuid4()}"

        @component
        def screen() -> Any:
            use_live(topic, lambda _payload: None)
            return html.p("x")

        async with mounted(core, None, screen, is_live=False):
            assert topic not in core.live._listeners


class TestAction:
    async def test_success_is_toasted_and_what_follows_runs(self, core: Core) -> None:
        done: list[object] = []

        @component
        def screen() -> Any:
            async def work(session: AsyncSession) -> int:
                return await scalar(session, "SELECT 5")

            return button("Go", on_click=use_action(work, success="Done.", then=done.append))

        async with mounted(core, None, screen) as shown:
            await shown.click("button", "Go")
            assert shown.toasts == ["Done."]
            assert done == [5]

    async def test_a_refusal_is_shown_in_the_form_and_not_in_a_toast_and_typed_text_stays(self, core: Core) -> None:
        @component
        def screen() -> Any:
            async def work(_session: AsyncSession, _fields: dict[str, str]) -> None:
                raise Conflict("A thing of that name exists. Choose another name.")

            return form(text_field("name", "Name"), on_submit=use_action(work), submit="Save")

        async with mounted(core, None, screen) as shown:
            await shown.type("Name", "abc")
            await shown.click("button", "Save")
            assert shown.toasts == []
            assert shown.text.endswith("A thing of that name exists. Choose another name. Save")
            assert shown.value("Name") == "abc"
            assert not shown.find("button", "Save").props.get("aria-busy")

    async def test_an_unexpected_error_is_rolled_back_and_names_an_id(self, committed: Core) -> None:
        @component
        def screen() -> Any:
            async def work(session: AsyncSession) -> None:
                await session.execute(text("INSERT INTO procrastinate_workers DEFAULT VALUES"))
                raise RuntimeError("secret detail")

            return button("Go", on_click=use_action(work))

        async with mounted(committed, None, screen) as shown:
            await shown.click("button", "Go")
            assert "secret" not in shown.toasts[0]
            assert shown.toasts == ["Something went wrong"]
            async with committed.database.transaction() as session:
                assert await scalar(session, "SELECT count(*) FROM procrastinate_workers") == 0

    async def test_a_second_click_while_it_runs_is_dropped(self, core: Core) -> None:
        started = 0
        may_end = asyncio.Event()

        @component
        def screen() -> Any:
            async def work(_session: AsyncSession) -> None:
                nonlocal started
                started += 1
                await may_end.wait()

            going = use_action(work)
            return button("Go", on_click=going, is_busy=going.is_running)

        async with mounted(core, None, screen) as shown:
            first = asyncio.create_task(shown.click("button", "Go"))
            await eventually(lambda: shown.find("button", "Go").props.get("aria-busy") is True)
            await shown.click("button", "Go")
            may_end.set()
            await first
            assert started == 1
            assert shown.find("button", "Go").node["e"]["onClick"]["o"] == 1


class TestPlainHandler:
    async def test_what_a_lambda_answers_is_awaited(self, core: Core) -> None:
        @component
        def screen() -> Any:
            shown, set_shown = use_state("before")

            async def show(text: str) -> None:
                await asyncio.sleep(0)
                set_shown(text)

            return html.div(html.button({"onClick": lambda: show("after")}, "Go"), html.p(shown))

        async with mounted(core, None, screen) as shown:
            await shown.click("button", "Go")
            assert shown.text == "Go after"


class TestForm:
    async def test_fields_arrive_as_the_model(self, core: Core) -> None:
        got = Kept()

        @component
        def screen() -> Any:
            return form(
                text_field("name", "Name", default="abc"),
                select_field("kind", "Kind", [("a", "Apple"), ("b", "Berry")]),
                checkbox("is_big", "Big", value="true"),
                on_submit=got.keep,
                model=NewThing,
                submit="Save",
            )

        async with mounted(core, None, screen) as shown:
            await shown.choose("Kind", "b")
            await shown.check("Big")
            await shown.click("button", "Save")
            assert got == [NewThing(name="abc", kind="b", is_big=True)]

    async def test_errors_are_beside_their_fields_and_disappear(self, core: Core) -> None:
        got = Kept()

        @component
        def screen() -> Any:
            return form(text_field("name", "Name"), on_submit=got.keep, model=NewThing, submit="Save")

        async with mounted(core, None, screen) as shown:
            await shown.type("Name", "too long")
            await shown.click("button", "Save")
            field = shown.find("textbox", "Name")
            assert field.props["aria-invalid"] is True
            assert shown.find("alert").text == "Use at most 5 characters."
            assert field.props["aria-describedby"] == shown.find("alert").props["id"]
            assert shown.value("Name") == "too long"
            await shown.type("Name", "fine")
            await shown.click("button", "Save")
            assert not shown.has("alert")
            assert [thing.name for thing in got] == ["fine"]

    async def test_errors_reach_fields_at_any_depth(self, core: Core) -> None:
        @component
        def screen() -> Any:
            fields = html.fieldset(html.div(text_field("name", "Name", default="too long"), html.hr()), "Rest")
            return form(fields, on_submit=Kept().keep, model=NewThing, submit="Save")

        async with mounted(core, None, screen) as shown:
            before = shown.text
            await shown.click("button", "Save")
            assert shown.find("textbox", "Name").props["aria-invalid"] is True
            assert shown.text == before.replace("Name", "Name Use at most 5 characters.")


class TestAnotherForm:
    async def test_the_form_of_something_else_starts_over_in_the_browser(self, core: Core) -> None:
        @component
        def screen() -> Any:
            return form(text_field("name", "Name"), on_submit=Kept().keep, submit="Save", label="Post")

        async with mounted(core, None, screen, path="/posts?open=1") as shown:
            key = shown.find("form", "Post").node["k"]
            await shown.go("/posts?open=1&page=2")
            assert shown.find("form", "Post").node["k"] == key
            await shown.go("/posts?open=2")
            assert shown.find("form", "Post").node["k"] != key


class TestOtherComplaints:
    async def test_a_box_to_tick_shows_its_own(self, core: Core) -> None:
        class Terms(BaseModel):
            agree: str

        @component
        def screen() -> Any:
            return form(checkbox("agree", "I agree"), on_submit=Kept().keep, model=Terms, submit="Go")

        async with mounted(core, None, screen) as shown:
            await shown.click("button", "Go")
            box = shown.find("checkbox", "I agree")
            assert box.props["aria-invalid"] is True
            assert shown.find("alert").text == "Check this box."
            assert box.props["aria-describedby"] == shown.find("alert").props["id"]
            await shown.check("I agree")
            await shown.click("button", "Go")
            assert not shown.has("alert")

    async def test_an_error_without_a_field_is_shown_above_the_button(self, core: Core) -> None:
        class Period(BaseModel):
            first: int = 1
            last: int = 0
            absent: str

            @model_validator(mode="before")
            @classmethod
            def in_order(cls, value: Any) -> Any:
                if int(value["last"]) < int(value["first"]):
                    raise ValueError("The last year is before the first one.")
                return value

        @component
        def screen() -> Any:
            return form(
                text_field("first", "First"), text_field("last", "Last"), on_submit=Kept().keep, model=Period, submit="Go"
            )

        async with mounted(core, None, screen) as shown:
            await shown.type("First", "2027")
            await shown.type("Last", "2026")
            await shown.click("button", "Go")
            assert shown.find("alert").text == "The last year is before the first one."
            assert shown.find("alert").props["tabIndex"] == -1
            await shown.type("Last", "2028")
            await shown.click("button", "Go")
            assert shown.find("alert").text == "absent: Fill in this field."


def rest(shown: ScreenUnderTest) -> None:
    shown.view.mark_shown()
    shown.view.release_memory()


class TestRest:
    """On an idle page, components release their arguments, and queries compress their results."""

    async def test_a_component_shows_the_elements_it_was_given_again(self, core: Core) -> None:
        @component
        def box(name: str, *children: Any) -> Any:
            is_open, set_open = use_state(False)
            return html.div(button(name, on_click=lambda: set_open(not is_open)), *(children if is_open else ()))

        @component
        def screen() -> Any:
            opened, set_opened = use_state(0)
            count = button("Count", on_click=lambda: set_opened(opened + 1))
            return html.div(count, box("A", html.p(f"in A {opened}"), box("B", html.p(f"in B {opened}"))))

        async with mounted(core, None, screen) as shown:
            rest(shown)
            await shown.click("button", "A")
            assert shown.text == "Count A in A 0 B"
            await shown.click("button", "Count")
            rest(shown)
            await shown.click("button", "B")
            assert shown.text == "Count A in A 1 B in B 1"
            rest(shown)
            rest(shown)
            await shown.click("button", "A")
            assert shown.text == "Count A"

    async def test_nothing_rests_while_something_is_rendered(self, core: Core) -> None:
        @component
        def late(*children: Any) -> Any:
            round_, set_round = use_state(0)
            if round_ < 3:
                set_round(round_ + 1)
            return html.div(button("Again", on_click=lambda: set_round(0)), f"round {round_} ", *children)

        @component
        def screen() -> Any:
            return late(html.p("given"))

        async with mounted(core, None, screen) as shown:
            rest(shown)
            await shown.click("button", "Again")
            assert shown.text == "Again round 3 given"

    async def test_an_answer_is_released_and_restored(self, core: Core) -> None:
        answers: list[ref[NewThing]] = []

        async def read(_session: AsyncSession) -> tuple[Page[NewThing], dict[UUID, int]]:
            thing = NewThing(name="abc")
            answers.append(ref(thing))
            return Page[NewThing](items=[thing], total=1, page=1, page_size=25), {UUID(int=1): 1}

        @component
        def title(thing: NewThing) -> Any:
            is_loud, set_loud = use_state(False)
            return html.p(button("Loud", on_click=lambda: set_loud(True)), thing.name.upper() if is_loud else thing.name)

        @component
        def screen() -> Any:
            found = use_query(read)
            if not found.value:
                return None
            listed, counts = found.value
            return html.div(title(listed.items[0]), str(counts))

        async with mounted(core, None, screen) as shown:
            assert answers[0]()
            rest(shown)
            gc.collect()
            assert answers[0]() is None
            await shown.click("button", "Loud")
            assert shown.text == f"Loud ABC { {UUID(int=1): 1} }"

    async def test_an_answer_that_cannot_be_packed_is_kept(self, core: Core) -> None:
        async def read(_session: AsyncSession) -> Any:
            return lambda: "kept"

        @component
        def screen() -> Any:
            round_, set_round = use_state(0)
            found = use_query(read)
            return html.div(button("Again", on_click=lambda: set_round(round_ + 1)), found.value() if found.value else None)

        async with mounted(core, None, screen) as shown:
            rest(shown)
            await shown.click("button", "Again")
            assert shown.text == "Again kept"


class TestSlowQueries:
    async def test_an_answer_that_comes_soon_renders_once_and_one_that_does_not_is_announced(self, core: Core) -> None:
        rendered: list[tuple[bool, object]] = []
        gate = asyncio.Event()

        async def read(_session: AsyncSession) -> str:
            if url_page == "3":
                await gate.wait()
            return url_page

        url_page = "1"

        @component
        def screen() -> Any:
            nonlocal url_page
            url = use_url_state()
            url_page = url.get("page", "1")
            found = use_query(read, key=[url_page])
            rendered.append((found.is_slow, found.value))
            return html.div(button("Next", on_click=lambda: url.set(page=int(url_page) + 1)), str(found.value))

        async with mounted(core, None, screen, path="/list") as shown:
            rendered.clear()
            await shown.click("button", "Next")
            assert rendered == [(False, "1"), (False, "2")]
            clicking = asyncio.create_task(shown.click("button", "Next"))
            await shown.expect(lambda: (True, "2") in rendered)
            gate.set()
            await clicking
            assert rendered[-1] == (False, "3")


class TestUrlState:
    async def test_the_frame_is_not_rendered_again_for_another_query(self, core: Core) -> None:
        rendered: list[str] = []

        @component
        def screen() -> Any:
            url = use_url_state()
            rendered.append(f"screen {url.get('page')}")
            return button("Next", on_click=lambda: url.set(page=2))

        @component
        def shell(shown: Any) -> Any:
            rendered.append("shell")
            return html.div(shown)

        location = Location("/list")
        found = Found(Screen("/list", "List", screen, area="public"), location)
        connection = Connection(core, None, client=Client(address=""), location=location, is_live=True)
        async with View(connection, found, lambda _area, shown: shell(shown)) as view:
            rendered.clear()
            view.move(Found(found.screen, Location("/list", query={"page": "2"})))
            await view.settle(5)
            assert rendered == ["screen 2"]

    async def test_a_screen_that_is_about_to_be_left_is_not_rendered_at_the_next_address(self, core: Core) -> None:
        rendered: list[str] = []

        @component
        def screen() -> Any:
            rendered.append(str(use_connection().location))
            return html.p("one thing")

        @component
        def other() -> Any:
            return html.p("another screen")

        @component
        def shell(shown: Any) -> Any:
            return html.div(shown)

        at_first = Location("/list", query={"page": "1"})
        found = Found(Screen("/list", "List", screen, area="public"), at_first)
        connection = Connection(core, None, client=Client(address=""), location=at_first, is_live=True)
        async with View(connection, found, lambda _area, shown: shell(shown)) as view:
            rendered.clear()
            view.move(Found(found.screen, Location("/list", query={"page": "2"})))
            view.move(Found(Screen("/other", "Other", other, area="public"), Location("/other")))
            await view.settle(5)
            assert "another screen" in str(view.tree)
        assert rendered == []

    async def test_a_screen_is_not_rendered_at_the_address_of_the_next_one_while_effects_end(self, core: Core) -> None:
        rendered: list[tuple[str, str]] = []
        is_ending, may_end = asyncio.Event(), asyncio.Event()

        @component
        def first() -> Any:
            async def wait() -> None:
                try:
                    await asyncio.Event().wait()
                finally:
                    is_ending.set()
                    await may_end.wait()

            use_async_effect(wait, dependencies=[])
            return html.p("first")

        def screen(name: str) -> Screen:
            @component
            def shown() -> Any:
                rendered.append((name, use_connection().location.path))
                return html.p(name)

            return Screen(name, name, shown, area="public")

        @component
        def shell(shown: Any) -> Any:
            return html.div(shown)

        location = Location("/first")
        connection = Connection(core, None, client=Client(address=""), location=location, is_live=True)
        found = Found(Screen("/first", "First", first, area="public"), location)
        async with View(connection, found, lambda _area, shown: shell(shown)) as view:
            await view.settle(5)
            view.move(Found(screen("/second"), Location("/second")))
            await is_ending.wait()
            view.move(Found(screen("/third"), Location("/third")))
            may_end.set()
            await view.settle(5)
            assert "/third" in str(view.tree)
        assert {path for name, path in rendered if name != path} == set()

    @pytest.mark.security(53)
    async def test_a_page_that_moves_during_a_rendering_shows_one_address_and_then_the_other(
        self, core: Core, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("fundwright_ui.runtime.layout._STEP_S", 0.0)  # others take their turns after each component
        seen: list[str] = []

        @component
        def part(name: str) -> Any:
            seen.append(f"{name} {use_connection().location.path}")
            return html.p(name)

        @component
        def other() -> Any:
            asyncio.get_running_loop().call_soon(
                view.move, Found(Screen("/last", "Last", last, area="public"), Location("/last"))
            )
            return html.div(part("first"), html.div(part("second")))

        @component
        def last() -> Any:
            return part("third")

        @component
        def shell(shown: Any) -> Any:
            return html.div(shown)

        location = Location("/first")
        connection = Connection(core, None, client=Client(address=""), location=location, is_live=True)
        found = Found(Screen("/first", "First", last, area="public"), location)
        async with View(connection, found, lambda _area, shown: shell(shown)) as view:
            await view.settle(5)
            view.move(Found(Screen("/other", "Other", other, area="public"), Location("/other")))
            await view.settle(5)
        assert seen == ["third /first", "first /other", "second /other", "third /last"]

    @pytest.mark.parametrize(("label", "replace"), [("Open", True), ("Next", False)])
    async def test_a_change_shows_at_once_and_a_list_keeps_the_address_for_back(
        self, core: Core, label: str, replace: bool
    ) -> None:
        @component
        def screen() -> Any:
            url = use_url_state()
            return html.div(
                f"page {url.get('page', '1')}",
                button("Open", on_click=lambda: url.set(page=2, q=None)),
                button("Next", on_click=lambda: url.go(page=2, q=None)),
            )

        async with mounted(core, None, screen, path="/list?q=x") as shown:
            await shown.click("button", label)
            assert shown.text.startswith("page 2")
            assert shown.address == "/list?page=2"
            assert shown.frames == [{"type": "navigate", "path": "/list?page=2", "replace": replace, "reload": False}]


class TestWidgets:
    async def test_a_table_can_be_read_and_its_events_are_typed(self, core: Core) -> None:
        queries = Kept()
        opened = Kept()

        @component
        def screen() -> Any:
            return data_table(
                label="Things",
                columns=[Column(field="name", label="Name")],
                rows=[Row(id="1", cells={"name": "Robot"})],
                total=1,
                on_query=queries.keep,
                on_open=opened.keep,
            )

        async with mounted(core, None, screen) as shown:
            assert shown.text == "Name Robot"
            assert shown.props("DataTable")["sort"] is None
            await shown.emit("DataTable", "on_query", page=2, page_size=50)
            await shown.emit("DataTable", "on_open", id="1")
            assert queries == [TableQuery(page=2, page_size=50)]
            assert opened == [RowOpened(id="1")]

    async def test_a_forged_payload_is_refused(self, core: Core) -> None:
        opened = Kept()

        @component
        def screen() -> Any:
            return data_table(label="Things", columns=[], rows=[], total=0, on_open=opened.keep)

        async with mounted(core, None, screen) as shown:
            await shown.emit("DataTable", "on_open", id={"$gt": ""})
            assert opened == []
            assert len(shown.toasts) == 1

    async def test_props_are_checked(self) -> None:
        with pytest.raises(ValueError, match="is_open"):
            ConfirmDialog(title="a", confirm_label="b", cancel_label="c", is_open=[])  # type: ignore[arg-type]


class TestPlainElements:
    """Elements without components and handlers are shown without being rendered again."""

    async def test_they_become_alive_and_plain_again(self, core: Core) -> None:
        unmounted: list[int] = []

        @component
        def part() -> Any:
            use_effect(lambda: lambda: unmounted.append(1), dependencies=[])
            return html.p("part")

        @component
        def screen() -> Any:
            is_open, set_open = use_state(False)
            alive = html.li({"key": "row"}, html.button({"onClick": lambda: set_open(False)}, "Close"), part())
            plain = html.li({"key": "row"}, html.p("closed ", 7, None, html.b("now")))
            return html.main(html.ul(alive if is_open else plain), html.button({"onClick": lambda: set_open(True)}, "Open"))

        async with mounted(core, None, screen) as opened:
            for times in (1, 2):
                await opened.click("button", "Open")
                assert opened.text == "Close part Open"
                await opened.click("button", "Close")
                assert opened.text == "closed 7 now Open"
                assert len(unmounted) == times

    @pytest.mark.parametrize("alive", [False, True])
    async def test_two_of_one_key_are_refused(self, core: Core, caplog: pytest.LogCaptureFixture, *, alive: bool) -> None:
        @component
        def screen() -> Any:
            attributes = {"onClick": lambda: None} if alive else {}
            return html.ul(html.li({"key": 1}, "a"), html.li({"key": 1}, html.button(attributes, "b")))

        async with mounted(core, None, screen) as opened:
            assert opened.text == ""
        assert "the same key" in caplog.text
        caplog.clear()


class TestFailingComponent:
    async def test_the_rest_of_the_page_works_and_it_is_created_again(self, core: Core) -> None:
        @component
        def fragile(is_broken: bool) -> Any:
            use_state(0)
            if is_broken:
                raise RuntimeError("secret")
            use_state(1)
            return html.p("whole")

        @component
        def screen() -> Any:
            is_broken, set_broken = use_state(True)
            return page("Things", fragile(is_broken), button("Repair", on_click=lambda: set_broken(False)))

        async with mounted(core, None, screen) as shown:
            assert "secret" not in str(shown.view.tree)
            await shown.click("button", "Repair")
            assert "whole" in shown.text


async def test_screens_use_the_language_of_the_session(core: Core) -> None:
    @component
    def screen() -> Any:
        return html.p(t("No such message in any catalog"))

    async with mounted(core, None, screen, language="de") as shown:
        assert shown.text == "No such message in any catalog"
