"""The socket sends minimal changes, handles events in order, and rejects people without a valid session."""

import asyncio
import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import SimpleNamespace

import pytest
from sqlalchemy import text
from structlog.testing import capture_logs
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Origin

from fundwright.access import account_changes
from fundwright.accounts.schemas import Client, Role
from fundwright.authentication import service as authentication
from fundwright.core.assembly import Core
from fundwright_ui.runtime.diff import Node
from fundwright_ui.runtime.socket import allowed_origins
from fundwright_ui.runtime.view import View
from tests.support.polling import eventually
from tests.support.statements import statements
from tests.ui.runtime.conftest import EMAIL, Fragile, Server, find
from tests.ui.runtime.conftest import Client as Browser

TOO_LATE = "The page changed before your click arrived. Check it and try again."


async def hash_of(server: Server, path: str, token: str | None = None) -> str:
    html = (await server.get(path, token=token)).text
    page = html.split('id="page">')[1].split("</script>")[0]
    return json.loads(page)["hash"]


class TestHello:
    async def test_nothing_is_sent_again_when_the_first_paint_was_right(self, server: Server) -> None:
        async with server.socket() as client:
            mount = await client.hello("/public", await hash_of(server, "/public"))
        assert mount["tree"] is None and mount["title"] == "Counter"

    async def test_a_page_of_another_state_gets_the_whole_tree(self, server: Server) -> None:
        async with server.socket() as client:
            await client.hello("/public", "0000")
            assert "count 0" in client.text

    async def test_first_paint_and_socket_agree_on_what_the_database_says(self, server: Server) -> None:
        token = await server.sign_in()
        painted = await hash_of(server, "/private", token)
        for _ in ("continued", "rendered again"):
            async with server.socket(token=token) as client:
                assert (await client.hello("/private", painted))["tree"] is None


class TestEvent:
    async def test_only_the_difference_travels(self, server: Server) -> None:
        async with server.socket() as client:
            await client.hello("/public")
            await client.click("add")
            assert client.text.endswith("count 1")
        patch = next(frame for frame in client.frames if frame["type"] == "patch")
        assert len(json.dumps(patch)) < 200

    async def test_works_on_an_idle_page_that_has_released_its_memory(
        self, server: Server, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        is_released = asyncio.Event()
        release_memory = View.release_memory

        def release_and_notify(view: View) -> None:
            release_memory(view)
            is_released.set()

        monkeypatch.setattr(View, "release_memory", release_and_notify)
        monkeypatch.setattr("fundwright_ui.runtime.session._IDLE_AFTER_S", 0.02)
        async with server.socket() as client:
            await client.hello("/public")
            for count in (1, 2):
                is_released.clear()
                await is_released.wait()
                await client.click("add")
                assert client.text.endswith(f"count {count}")

    @pytest.mark.pain(7)
    async def test_ten_rapid_clicks_have_ten_effects(self, server: Server) -> None:
        async with server.socket() as client:
            await client.hello("/public")
            await asyncio.gather(*(client.websocket.send(_event(client, n)) for n in range(1, 11)))
            while (await client.until("done"))["seq"] < 10:
                pass
            assert client.text.endswith("count 10")

    async def test_a_change_without_an_event_is_sent_although_a_child_rendered_with_its_parent(self, server: Server) -> None:
        async with server.socket() as client:
            await client.hello("/family")
            for count in (1, 2):
                await client.click("add")
                await client.until("patch")
                assert client.text == f"Addparent {count} child {count}"

    async def test_a_refusal_is_a_toast_with_its_message(self, server: Server) -> None:
        async with server.socket() as client:
            await client.hello("/public")
            await client.click("refuse")
            assert client.toasts() == ["Choose a file first."]

    @pytest.mark.security(46)
    async def test_a_crash_is_a_toast_with_an_id_and_the_session_continues(self, server: Server) -> None:
        async with server.socket() as client:
            await client.hello("/public")
            await client.click("crash")
            await client.click("add")
            assert client.text.endswith("count 1")
        (toast,) = [frame for frame in client.frames if frame["type"] == "toast"]
        assert toast["message"] == "Something went wrong" and re.fullmatch("[0-9a-f]{8}", toast["error_id"])
        assert "secret" not in json.dumps(toast)

    async def test_a_click_that_arrives_too_late_shows_a_message(self, server: Server) -> None:
        async with server.socket() as client:
            await client.hello("/public")
            await client.click("", target="/no/such:onClick|0")
            assert client.toasts() == [TOO_LATE]
            await client.click("", target="/no/such:onBlur|0")
            assert len(client.toasts()) == 1

    async def test_a_click_never_presses_what_has_come_in_the_place_of_its_button(self, server: Server) -> None:
        async with server.socket() as client:
            await client.hello("/two-faced")
            stop = find(client.tree, "row")["e"]["onClick"]["h"]
            await client.click("row")
            await client.click("row", target=stop)
            assert client.text.startswith("Stopped.Delete") and client.text.endswith("deleted False")
            assert client.toasts() == []  # the second click of a double click
            await client.click("row")
            assert client.text.endswith("deleted True")

    @pytest.mark.pain(8)
    async def test_a_double_click_acts_once(self, server: Server) -> None:
        async with server.socket() as client:
            await client.hello("/records")
            await client.press("make")
            await client.answered(await client.press("make"))
            assert client.text.endswith("made 1")
            await client.click("make")
            assert client.text.endswith("made 2")

    async def test_a_widget_continues_when_something_is_inserted_before_it(self, server: Server) -> None:
        async with server.socket() as client:
            await client.hello("/two-faced")
            await client.click("row")
        patches = [frame for frame in client.frames if frame["type"] == "patch"]
        assert "Stopped." in json.dumps(patches) and "FileDrop" not in json.dumps(patches)


class TestComponentThatRaises:
    async def test_fails_in_its_own_place(self, server: Server) -> None:
        async with server.socket() as client:
            await client.hello("/broken")
        assert "the rest" in client.text and '"x"' in json.dumps(client.tree) and "secret" not in json.dumps(client.tree)

    async def test_is_rendered_alone_when_asked_for_and_starts_over(
        self, server: Server, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async with server.socket() as client:
            await client.hello("/fragile")
            await client.click("press")
            assert Fragile.subscribers == 1
            monkeypatch.setattr(Fragile, "is_broken", True)
            await client.click("press")
            first = error_id(client)
            assert Fragile.subscribers == 0
            await client.click("add")
            assert "count 1" in client.text
            again = error_id(client)
            assert again != first
            await client.click("", target=f"retry|{again}")
            assert error_id(client) not in (first, again)
            monkeypatch.setattr(Fragile, "is_broken", False)
            client.frames.clear()
            await client.click("", target=f"retry|{error_id(client)}")
            assert client.text == "answered pressed 0subscribedcount 1"
            [[operation, place, children]] = client.frames[0]["ops"]
            assert (operation, place) == ("children", place_of(client, "add")[:-1])
            assert len(children) == 2 and children[1] == 1  # the elements beside it do not change
            await client.click("press")
            assert "pressed 1" in client.text

    async def test_does_not_start_over_automatically(self, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
        """Its query would run again, and the result would render it again, forever."""
        monkeypatch.setattr(Fragile, "is_broken", True)
        async with server.socket() as client:
            await client.hello("/fragile")
            renderings = Fragile.renderings
            await client.click("", target=f"retry|{error_id(client)}")
            assert Fragile.renderings == renderings + 1

    async def test_that_is_gone_is_not_tried_again(self, server: Server) -> None:
        async with server.socket() as client:
            await client.hello("/fragile")
            await client.click("", target="retry|0badc0de")
            assert len(client.toasts()) == 1

    async def test_in_the_browser_is_in_the_log_within_bounds(self, server: Server) -> None:
        async with server.socket() as client:
            await client.hello("/public")
            with capture_logs() as logs:
                fault = {"type": "fault", "id": "0badc0de-and-more", "part": "DataTable", "message": "x" * 9_000}
                for seq in range(1, 31):
                    await client.websocket.send(json.dumps({**fault, "seq": seq}))
                while (await client.until("done"))["seq"] < 30:
                    pass
        failures = [each for each in logs if each["event"] == "ui.browser_failed"]
        assert len(failures) == 20
        assert failures[0]["error_id"] == "0badc0de" and failures[0]["part"] == "DataTable" and len(failures[0]["message"]) == 500


class TestNavigation:
    async def test_moving_changes_screen_and_title(self, server: Server) -> None:
        token = await server.sign_in()
        async with server.socket(token=token) as client:
            await client.hello("/public")
            await client.go("/private?x=1")
        assert "private of ada@example.org" in client.text
        assert {"type": "title", "title": "Private"} in client.frames

    async def test_a_guarded_screen_leads_to_login_and_back(self, server: Server) -> None:
        async with server.socket() as client:
            await client.hello("/public")
            await client.go("/private?x=1")
        moves = [frame["path"] for frame in client.frames if frame["type"] == "navigate"]
        assert moves == ["/auth/login?next=%2Fprivate%3Fx%3D1"]


class TestStrangers:
    @pytest.mark.security(27)
    @pytest.mark.pain(13)
    @pytest.mark.parametrize("origin", ["https://evil.example", "null", None])
    async def test_a_foreign_null_or_missing_origin_is_refused_even_with_a_cookie(
        self, server: Server, origin: str | None
    ) -> None:
        token = await server.sign_in()
        with pytest.raises(InvalidStatus) as refused:
            async with server.socket(token=token, origin=origin):
                pass
        assert refused.value.response.status_code == 403

    @pytest.mark.security(28)
    async def test_the_host_header_does_not_make_an_origin_our_own(self, server: Server) -> None:
        port = server.core.settings.port
        with pytest.raises(InvalidStatus) as refused:
            async with connect(
                f"ws://evil.example:{port}/socket", origin=Origin(f"http://evil.example:{port}"), host="127.0.0.1", port=port
            ):
                pass
        assert refused.value.response.status_code == 403

    @pytest.mark.security(28)
    @pytest.mark.parametrize(
        ("configured", "allowed"),
        [
            ({"public_url": "https://funds.example/app"}, {"https://funds.example"}),
            (
                {"public_url": "https://funds.example", "allowed_origins": ["https://other.example:8443/"]},
                {"https://funds.example", "https://other.example:8443"},
            ),
            (
                {"host": "10.0.0.7", "port": 8001},
                {"http://10.0.0.7:8001", "http://localhost:8001", "http://127.0.0.1:8001", "http://[::1]:8001"},
            ),
        ],
    )
    async def test_origins_are_configured_without_the_path_behind_a_proxy(
        self, core: Core, configured: dict[str, object], allowed: set[str]
    ) -> None:
        settings = core.settings.model_copy(update={"public_url": None, "allowed_origins": [], **configured})
        assert allowed_origins(settings) == allowed

    @pytest.mark.security(31)
    async def test_a_handler_of_another_users_page_cannot_be_called(self, server: Server) -> None:
        await server.add_account("admin@example.org", role=Role.ADMIN)
        theirs, own = await server.sign_in("admin@example.org"), await server.sign_in()
        async with server.socket(token=theirs) as admin, server.socket(token=own) as client:
            await admin.hello("/notes")
            await client.hello("/notes")
            await admin.click("keep", value="theirs")
            await client.click("keep", value="own")
            await client.click("", target=find(admin.tree, "erase")["e"]["onClick"]["h"])
            await client.click("", target=find(admin.tree, "keep")["e"]["onClick"]["h"], value="more")
            await admin.click("keep", value="last")
            assert client.toasts() == [TOO_LATE]
            assert client.text.startswith("notes of ada@example.org: own, more")
            assert admin.text.startswith("notes of admin@example.org: theirs, last")

    @pytest.mark.security(21, 30, 31)
    @pytest.mark.pain(14)
    @pytest.mark.parametrize("change", ["signed out", "another role"])
    async def test_an_event_after_the_end_of_its_session_does_nothing(
        self, server: Server, monkeypatch: pytest.MonkeyPatch, change: str
    ) -> None:
        """The socket detects the end of its session even without a notification, for example because it was lost."""
        token = await server.sign_in()
        async with server.socket(token=token) as client:
            await client.hello("/notes")
            async with server.core.database.transaction() as session:
                monkeypatch.setattr("fundwright.core.live._notify", _say_nothing)
                actor = await authentication.authenticate(session, server.core, token)
                assert actor is not None
                if change == "signed out":
                    await authentication.sign_out(session, actor, client=Client(address="", user_agent=""))
                else:
                    await account_changes.change_role(session, server.core, email=EMAIL, role=Role.ADMIN)
            monkeypatch.setattr("fundwright_ui.runtime.session.time", SimpleNamespace(monotonic=_five_seconds_later))
            with _sent_to_sign_in():
                await client.click("keep", value="too late")
        assert not [frame for frame in client.frames if frame["type"] == "patch"]

    @pytest.mark.pain(12)
    async def test_people_at_the_same_time_each_see_their_own(self, server: Server) -> None:
        emails = [f"person{n}@example.org" for n in range(4)]
        for email in emails:
            await server.add_account(email)
        tokens = [await server.sign_in(email) for email in emails]

        async def work(email: str, token: str) -> None:
            async with server.socket(token=token) as client:
                await client.hello("/notes")
                for n in range(20):
                    await client.click("keep", value=f"{email} {n}")
                shown = ", ".join(f"{email} {n}" for n in range(20))
                assert client.text.startswith(f"notes of {email}: {shown}")

        await asyncio.gather(*(work(email, token) for email, token in zip(emails, tokens, strict=True)))

    @pytest.mark.security(29)
    async def test_without_a_session_nothing_private_is_rendered(self, server: Server) -> None:
        async with server.socket() as client:
            await client.websocket.send(json.dumps({"type": "hello", "path": "/private", "hash": None}))
            frame = await client.until("navigate")
            assert frame["path"].startswith("/auth/login")
            with pytest.raises(ConnectionClosed):
                await client.until("mount")

    @pytest.mark.security(29, 30)
    async def test_a_socket_opened_before_signing_out_shows_nothing_after_it(self, server: Server) -> None:
        token = await server.sign_in()
        async with server.socket(token=token) as client:
            async with server.core.database.transaction() as session:
                actor = await authentication.authenticate(session, server.core, token)
                assert actor is not None
                await authentication.sign_out(session, actor, client=Client(address="", user_agent=""))
            with _sent_to_sign_in():
                await client.hello("/private")
        assert client.frames == []

    @pytest.mark.security(30)
    @pytest.mark.pain(14)
    async def test_an_ended_session_closes_its_open_socket(self, server: Server) -> None:
        token = await server.sign_in()
        async with server.socket(token=token) as client:
            await client.hello("/private")
            async with server.core.database.transaction() as session:
                actor = await authentication.authenticate(session, server.core, token)
                assert actor is not None
                await authentication.sign_out(session, actor, client=Client(address="", user_agent=""))
            async with asyncio.timeout(5):
                with _sent_to_sign_in():
                    await client.until("mount")

    @pytest.mark.security(23, 30)
    @pytest.mark.parametrize("what", ["expires_at = now() - interval '1 second'", "last_used_at = now() - interval '73 hours'"])
    async def test_a_session_that_expires_or_rests_too_long_closes_the_socket_of_an_idle_page(
        self, server: Server, monkeypatch: pytest.MonkeyPatch, what: str
    ) -> None:
        monkeypatch.setattr("fundwright_ui.runtime.session._IDLE_CHECK_S", 0.1)
        token = await server.sign_in()
        async with server.socket(token=token) as client:
            await client.hello("/private")
            async with server.core.database.transaction() as session:
                await session.execute(text(f"UPDATE account_session SET {what}"))
            with _sent_to_sign_in():
                await client.until("mount")

    @pytest.mark.security(23)
    async def test_a_page_that_is_only_open_does_not_use_the_session_and_a_click_does(
        self, server: Server, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("fundwright_ui.runtime.session._IDLE_CHECK_S", 0.05)
        monkeypatch.setattr("fundwright_ui.runtime.session._IDENTITY_MAX_AGE_S", 0.0)

        async def minutes_unused() -> float:
            async with server.core.database.transaction() as session:
                return (
                    await session.scalar(text("SELECT extract(epoch FROM now() - last_used_at) / 60 FROM account_session")) or 0
                )

        async with server.socket(token=await server.sign_in()) as client:
            await client.hello("/notes")
            async with server.core.database.transaction() as session:
                await session.execute(text("UPDATE account_session SET last_used_at = now() - interval '10 minutes'"))
            with statements(server.core.database.engine.sync_engine) as sent:
                await eventually(lambda: sum("FROM account_session" in each for each in sent) >= 3)  # the page was checked
            assert await minutes_unused() > 9
            await client.click("keep", value="mine")
            assert await minutes_unused() < 1

    @pytest.mark.security(22)
    async def test_a_page_stays_open_when_the_token_it_was_opened_with_is_replaced(
        self, server: Server, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("fundwright_ui.runtime.session._IDENTITY_MAX_AGE_S", 0.0)
        async with server.socket(token=await server.sign_in()) as client:
            await client.hello("/notes")
            async with server.core.database.transaction() as session:
                await session.execute(
                    text("UPDATE account_session SET generation = 1, superseded_at = now() - interval '1 hour'")
                )
            await client.click("keep", value="mine")
            assert "mine" in client.text

    @pytest.mark.security(21)
    async def test_a_changed_role_ends_what_was_opened_with_the_old_one(self, server: Server) -> None:
        token = await server.sign_in()
        async with server.socket(token=token) as client:
            await client.hello("/private")
            async with server.core.database.transaction() as session:
                await account_changes.change_role(session, server.core, email=EMAIL, role=Role.ADMIN)
            with pytest.raises(ConnectionClosed):
                await client.until("done")


class TestLimits:
    @pytest.mark.security(33)
    @pytest.mark.pain(19)
    async def test_a_frame_that_is_too_large_is_answered_with_a_message(self, server: Server) -> None:
        async with server.socket() as client:
            await client.hello("/public")
            await client.websocket.send(
                json.dumps({"type": "event", "seq": 1, "target": "x", "data": {"value": "x" * 1_100_000}})
            )
            client.seq = 1
            assert "too much to send at once" in (await client.until("refused"))["sentence"]
            await client.until("done")
            await client.click("add")
            assert client.text.endswith("count 1")

    @pytest.mark.security(33)
    async def test_a_flood_is_answered_with_a_message(self, server: Server) -> None:
        async with server.socket() as client:
            await client.hello("/public")
            for seq in range(1, 400):
                await client.websocket.send(_event(client, seq))
            assert "Too many actions at once" in (await client.until("refused"))["sentence"]
            while not (done := await client.until("done")).get("refused"):
                pass
            assert done["seq"] > 0

    @pytest.mark.security(33)
    @pytest.mark.parametrize("frame", ['{"type": "ping"}', "{", b"\x00", "x" * 200])
    async def test_a_flood_of_any_frames_closes_the_socket(
        self, server: Server, monkeypatch: pytest.MonkeyPatch, frame: str | bytes
    ) -> None:
        monkeypatch.setattr("fundwright_ui.runtime.session._MAX_FRAME_CHARACTERS", 100)
        async with server.socket() as client:
            await client.hello("/public")
            with pytest.raises(ConnectionClosed) as closed:
                await _flood(client, frame)
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 1008

    async def test_a_handler_that_is_not_there_fills_no_log_with_its_name(self, server: Server) -> None:
        with capture_logs() as logs:
            async with server.socket() as client:
                await client.hello("/public")
                await client.click("add", target="x" * 900_000)
        (line,) = [each for each in logs if each["event"] == "ui.event_too_late"]
        assert line["target"] == "x" * 200

    async def test_nonsense_is_answered_with_a_message(self, server: Server) -> None:
        async with server.socket() as client:
            await client.hello("/public")
            await client.websocket.send("{")
            assert "could not process a message" in (await client.until("refused"))["sentence"]

    @pytest.mark.security(33)
    @pytest.mark.parametrize(
        ("id", "event", "data"),
        [
            ("field", "onChange", {"value": [1]}),
            ("form", "onSubmit", {"fields": 5}),
            ("form", "onSubmit", {"fields": {"email": {"a": 1}}}),
            ("form", "onSubmit", {"fields": {}, "submitter": 1}),
        ],
    )
    async def test_a_malformed_payload_is_refused_and_fills_no_log(
        self, server: Server, id: str, event: str, data: dict[str, object]
    ) -> None:
        with capture_logs() as logs:
            async with server.socket() as client:
                await client.hello("/waiting")
                for _ in range(30):
                    seq = await client.press(id, event, **data)
                    assert "could not process a message" in (await client.until("refused"))["sentence"]
                    await client.answered(seq)
                await client.click("add")
                assert client.text.endswith("count 1")
        assert {each["log_level"] for each in logs} == {"info"}
        assert len([each for each in logs if each["event"] == "ui.payload_malformed"]) == 20

    async def test_a_silent_client_is_disconnected_with_a_message(self, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("fundwright_ui.runtime.socket._HELLO_TIMEOUT_S", 0.1)
        async with server.socket() as client:
            assert "could not process a message" in (await client.until("refused"))["sentence"]
            with pytest.raises(ConnectionClosed):
                await client.websocket.recv()

    @pytest.mark.parametrize("first", ["{", '{"type": "event", "seq": 1}', '{"type": "hello", "path": "/' + "x" * 100_000 + '"}'])
    async def test_a_client_that_sends_no_hello_is_disconnected_with_a_message(self, server: Server, first: str) -> None:
        async with server.socket() as client:
            await client.websocket.send(first)
            assert "could not process a message" in (await client.until("refused"))["sentence"]
            with pytest.raises(ConnectionClosed):
                await client.websocket.recv()


@contextmanager
def _sent_to_sign_in() -> Iterator[None]:
    with pytest.raises(ConnectionClosed) as closed:
        yield
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 4401


_monotonic = time.monotonic


def _five_seconds_later() -> float:
    return _monotonic() + 5


async def _flood(client: Browser, frame: str | bytes) -> None:
    for _ in range(8_000):
        await client.websocket.send(frame)
    async with asyncio.timeout(30):
        while True:
            await client.websocket.recv()


async def _say_nothing(*_arguments: object, **_named: object) -> None: ...


def error_id(client: Browser) -> str:
    """The id that the failed part of the page shows."""
    match = re.search(r'"x": "([0-9a-f]{8})"', json.dumps(client.tree))
    assert match
    return match[1]


def place_of(client: Browser, id: str, node: Node | None = None, path: tuple[int, ...] = ()) -> list[int]:
    node = client.tree if node is None else node
    if isinstance(node, str):
        raise LookupError(id)
    if node.get("a", {}).get("id") == id:
        return list(path)
    for index, child in enumerate(node.get("c", [])):
        with suppress(LookupError):
            return place_of(client, id, child, (*path, index))
    raise LookupError(id)


def _event(client: Browser, seq: int) -> str:
    target = find(client.tree, "add")["e"]["onClick"]["h"]
    return json.dumps({"type": "event", "seq": seq, "target": target, "data": {}})
