"""The whole application: common properties of all responses, and the proxy headers that it trusts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from threading import Event
from typing import Any
from uuid import uuid4

import httpx
import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from structlog.testing import capture_logs

from fundwright.accounts.schemas import Role
from fundwright.core.assembly import Core
from fundwright_ui.app import build_app
from tests.support.accounts import add_account
from tests.support.polling import eventually

EMAIL, PASSWORD = "ada@example.org", "a quiet harbor at dawn"
NOTHING = "default-src 'none'; frame-ancestors 'none'"


@asynccontextmanager
async def browse(
    app: FastAPI, *, peer: str = "192.0.2.7", base_url: str = "http://localhost"
) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app, client=(peer, 5_000), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url=base_url) as client:
        yield client


@pytest.fixture
async def open_to_ada(committed: Core) -> Core:
    async with committed.database.transaction() as session:
        await add_account(session, EMAIL, name="Ada", role=Role.ADMIN, password=PASSWORD)
    return committed


async def sign_in(client: httpx.AsyncClient, **headers: str) -> None:
    answer = await client.post("/signin", json={"email": EMAIL, "password": PASSWORD}, headers=headers)
    client.headers["authorization"] = f"Bearer {answer.json()['token']}"


class TestPolicy:
    @pytest.mark.security(35)
    async def test_of_every_screen_allows_no_inline_script_or_style_without_the_nonce(self, open_to_ada: Core) -> None:
        screens: list[Any] = open_to_ada.plugins.collect("screens")
        assert len(screens) > 15
        async with browse(build_app(open_to_ada)) as client:
            addresses = [screen.path.replace("{", "").replace("}", "") for screen in screens]
            seen: set[str] = set()
            for is_signed_in in (False, True):
                if is_signed_in:
                    await sign_in(client)
                for address in (*addresses, "/api/docs"):
                    answer = await client.get(address)
                    if answer.status_code == 302:
                        assert answer.headers["content-security-policy"] == NOTHING
                        continue
                    seen.add(address)
                    policy = answer.headers["content-security-policy"]
                    assert "unsafe" not in policy and "default-src 'self'" in policy, address
                    assert "script-src 'self' 'nonce-" in policy and "style-src 'self' 'nonce-" in policy, address
            assert seen == {*addresses, "/api/docs"}

    @pytest.mark.security(35)
    @pytest.mark.parametrize(
        ("path", "status"),
        [
            ("/api/nothing", 404),
            ("/api/openapi.json", 200),
            ("/api/opportunities?page=none", 422),
            ("/api/opportunities/export.csv", 200),
            ("/api/drafts/x", 422),
            ("/api/broken", 500),
            ("/assets/nothing.js", 404),
            (f"/assets/{'a' * 5_000}", 404),
        ],
    )
    async def test_of_everything_else_allows_nothing(self, open_to_ada: Core, path: str, status: int) -> None:
        app = build_app(open_to_ada)

        async def broken() -> None:
            raise RuntimeError("a secret detail")

        app.router.add_api_route("/api/broken", broken)
        async with browse(app) as client:
            await sign_in(client)
            answer = await client.get(path)
        assert answer.status_code == status
        assert answer.headers["content-security-policy"] == NOTHING
        assert answer.headers["x-content-type-options"] == "nosniff"


class TestDescription:
    async def test_is_built_once_while_others_are_served(self, committed: Core, monkeypatch: pytest.MonkeyPatch) -> None:
        app, may_end, built = build_app(committed), Event(), list[bool]()

        def describe() -> dict[str, str]:
            built.append(may_end.wait(20))
            return {"openapi": "3.1.0"}

        monkeypatch.setattr(app, "openapi", describe)
        async with browse(app) as client:
            asked = [asyncio.create_task(client.get("/api/openapi.json")) for _ in range(3)]
            assert (await client.get("/healthz")).status_code == 200
            may_end.set()
            assert [(await each).json() for each in asked] == [{"openapi": "3.1.0"}] * 3
        assert built == [True]


class TestANullCharacterInAnAddress:
    @pytest.mark.parametrize("path", ["/dashboard/sam?q=a%00b", "/dashboard/sa%00m", "/auth/login?next=%00"])
    async def test_leads_to_the_page_for_addresses_that_do_not_exist(self, open_to_ada: Core, path: str) -> None:
        async with browse(build_app(open_to_ada)) as client:
            answer = await client.get(path)
        assert (answer.status_code, answer.headers["location"]) == (302, "/404")

    @pytest.mark.parametrize("path", ["/api/blog?text=a%00b", "/api/blog/%00"])
    async def test_is_refused_by_the_api(self, open_to_ada: Core, path: str) -> None:
        async with browse(build_app(open_to_ada)) as client:
            answer = await client.get(path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (422, "UnusableText")


class TestBounds:
    @pytest.mark.security(53)
    async def test_requests_of_a_stranger_that_do_not_arrive_keep_no_one_at_the_same_address_from_saving(
        self, open_to_ada: Core
    ) -> None:
        arrives = asyncio.Event()

        async def half() -> AsyncIterator[bytes]:
            yield b"half"
            await arrives.wait()

        app = build_app(open_to_ada)
        async with browse(app) as ada, browse(app) as stranger:
            await sign_in(ada)
            opened = [asyncio.create_task(stranger.post("/api/account/login", content=half())) for _ in range(80)]
            await eventually(lambda: any(each.done() for each in opened))
            refused = await stranger.put(
                "/api/account/language", json={"language": "de"}, headers={"authorization": "Bearer forged"}
            )
            saved = await ada.put("/api/account/language", json={"language": "de"})
            arrives.set()
            await asyncio.wait(opened)
        assert (refused.status_code, saved.status_code) == (429, 204)

    async def test_so_many_headers_or_parameters_are_refused(self, open_to_ada: Core) -> None:
        async with browse(build_app(open_to_ada)) as client:
            headers = await client.get("/api/blog", headers=[("x", "y")] * 101)
            parameters = await client.get("/api/blog?" + "&".join(["a=1"] * 201))
        assert (headers.status_code, headers.json()["error"]["code"]) == (431, "TooManyHeaders")
        assert (parameters.status_code, parameters.json()["error"]["code"]) == (422, "TooManyParameters")


class TestPrefix:
    @pytest.mark.pain(20)
    async def test_redirects_name_no_host_and_stay_below_it(self, open_to_ada: Core) -> None:
        async with browse(build_app(open_to_ada, base="/app")) as client:
            for path in ("/app", "/app/"):
                assert (await client.get(path)).headers["location"] == "/app/dashboard/train"
            assert (await client.get("/app/dashboard/train")).headers["location"] == "/app/auth/login?next=%2Fdashboard%2Ftrain"
            assert (await client.get(f"/app/{uuid4()}")).headers["location"] == "/app/404"
            for path in ("/", "/application", "/app/api/opportunities/"):
                answer = await client.get(path)
                assert answer.status_code == 404 and "location" not in answer.headers


def with_settings(core: Core, **values: Any) -> Core:
    return replace(core, settings=type(core.settings)(**{**dict(core.settings), **values}))


class TestStrictTransport:
    PATHS = (
        ("/auth/login", 200),
        ("/", 302),
        ("/dashboard/train", 302),
        ("/assets/nothing.js", 404),
        ("/api/health", 200),
        ("/api/docs", 200),
        ("/api/nothing", 404),
        ("/api/opportunities", 401),
        ("/api/blog?text=%00", 422),
        ("/api/broken", 500),
    )

    @pytest.mark.security(36)
    @pytest.mark.parametrize(("path", "status"), PATHS)
    async def test_is_asked_for_by_every_answer_behind_tls(self, open_to_ada: Core, path: str, status: int) -> None:
        app = build_app(with_settings(open_to_ada, public_url="https://fundwright.test"))

        async def broken() -> None:
            raise RuntimeError

        app.router.routes.insert(0, APIRoute("/api/broken", broken))
        async with browse(app) as client:
            answer = await client.get(path)
        assert (answer.status_code, answer.headers.get("strict-transport-security")) == (status, "max-age=31536000")

    @pytest.mark.security(36)
    async def test_is_asked_for_where_a_trusted_proxy_says_https(self, open_to_ada: Core) -> None:
        async with browse(build_app(with_settings(open_to_ada, trusted_proxies=["192.0.2.7"]))) as client:
            over_http = await client.get("/auth/login")
            over_https = await client.get("/auth/login", headers={"x-forwarded-proto": "https"})
        assert "strict-transport-security" not in over_http.headers
        assert over_https.headers["strict-transport-security"] == "max-age=31536000"

    @pytest.mark.security(36)
    async def test_is_not_asked_for_by_another_users_word(self, open_to_ada: Core) -> None:
        async with browse(build_app(open_to_ada)) as client:
            answer = await client.get("/auth/login", headers={"x-forwarded-proto": "https"})
        assert "strict-transport-security" not in answer.headers

    @pytest.mark.security(36)
    async def test_is_asked_for_by_a_refused_socket(self, open_to_ada: Core) -> None:
        sent = await handshake(
            build_app(with_settings(open_to_ada, public_url="https://fundwright.test")), origin="http://evil.test"
        )
        start, _body = sent
        assert (start["type"], start["status"]) == ("websocket.http.response.start", 403)
        assert (b"strict-transport-security", b"max-age=31536000") in start["headers"]


async def handshake(app: FastAPI, *, origin: str, host: str = "localhost") -> list[dict[str, Any]]:
    """The application's response to the handshake of a socket."""
    sent: list[dict[str, Any]] = []

    messages = iter(("websocket.connect", "websocket.disconnect"))

    async def receive() -> dict[str, Any]:
        return {"type": next(messages), "code": 1001}

    async def send(message: Any) -> None:
        sent.append(message)

    scope: dict[str, Any] = {
        "type": "websocket", "scheme": "ws", "path": "/socket", "raw_path": b"/socket", "query_string": b"", "root_path": "",
        "headers": [(b"host", host.encode()), (b"origin", origin.encode())], "client": ("192.0.2.7", 5_000),
        "extensions": {"websocket.http.response": {}}, "subprotocols": [],
    }  # fmt: skip
    await app(scope, receive, send)
    return sent


class TestHosts:
    """Without a public URL, a page of another site whose name resolves to this server (DNS rebinding) must get nothing."""

    @pytest.mark.security(28)
    @pytest.mark.parametrize("path", ["/auth/login", "/api/health", "/assets/nothing.js", "/", "/api/account/my-account"])
    async def test_of_others_are_refused_in_one_message(self, open_to_ada: Core, path: str) -> None:
        async with browse(build_app(open_to_ada), base_url="http://evil.test:8000") as client:
            answer = await client.get(path)
        assert answer.status_code == 400
        assert answer.json()["error"]["code"] == "UnknownHost"
        message: str = answer.json()["error"]["message"]
        assert message.startswith("This server does not respond to the name evil.test:8000.")
        assert "FUNDWRIGHT_PUBLIC_URL" in message and "http://evil.test:8000 to FUNDWRIGHT_ALLOWED_ORIGINS" in message

    @pytest.mark.security(28)
    async def test_of_others_open_no_socket(self, open_to_ada: Core) -> None:
        app = build_app(open_to_ada)
        assert (await handshake(app, origin="http://127.0.0.1:8000", host="evil.test"))[0]["type"] == "websocket.close"
        assert (await handshake(app, origin="http://127.0.0.1:8000"))[0]["type"] == "websocket.accept"

    @pytest.mark.parametrize(
        "host",
        [
            "localhost",
            "LOCALHOST:9000",
            "127.0.0.1:8000",
            "[::1]:8000",
            "192.168.1.5:8000",
            "a.localhost",
            "localhost.",
            "intranet",
        ],
    )
    async def test_of_this_machine_are_answered(self, open_to_ada: Core, host: str) -> None:
        async with browse(build_app(with_settings(open_to_ada, host="intranet"))) as client:
            assert (await client.get("/auth/login", headers={"host": host})).status_code == 200

    @pytest.mark.parametrize("host", ["localhost.evil.test", "127.0.0.1.evil.test", "localhost@evil.test"])
    async def test_that_only_look_like_this_machine_are_refused(self, open_to_ada: Core, host: str) -> None:
        async with browse(build_app(open_to_ada)) as client:
            assert (await client.get("/auth/login", headers={"host": host})).status_code == 400

    @pytest.mark.security(28)
    @pytest.mark.parametrize("public_url", [None, "https://funds.example.org"])
    @pytest.mark.parametrize(
        "host",
        [
            "",
            " ",
            ":8000",
            "localhost#evil.test",
            "localhost/evil.test",
            "localhost?evil.test",
            "evil.test:80@localhost",
            "user@localhost",
            "evil.test\\@localhost",
            "evil.test,localhost",
            "localhost..",
            ".localhost",
            "localhost:abc",
            "localhost:99999",
            "localhost:999999999",
            "[::1%25x]",
            "[::1]evil.test",
            "[1:2]",
            "[1.2.3.4]",
            "[v1.evil]",
            "::1",
            "%6cocalhost",
        ],
    )
    async def test_that_are_malformed_are_refused(self, open_to_ada: Core, host: str, public_url: str | None) -> None:
        async with browse(build_app(with_settings(open_to_ada, public_url=public_url))) as client:
            answer = await client.get("/api/health", headers={"host": host})
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "MalformedHost")

    @pytest.mark.security(28)
    async def test_named_twice_are_refused(self, open_to_ada: Core) -> None:
        async with browse(build_app(open_to_ada)) as client:
            answer = await client.get("/api/health", headers=[("host", "localhost"), ("host", "evil.test")])
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "MalformedHost")

    async def test_of_a_setting_are_answered(self, open_to_ada: Core) -> None:
        async with browse(
            build_app(with_settings(open_to_ada, allowed_origins=["http://funds.lan:8000"])), base_url="http://funds.lan:8000"
        ) as client:
            assert (await client.get("/auth/login")).status_code == 200

    async def test_behind_a_public_url_are_all_answered(self, open_to_ada: Core) -> None:
        """A load balancer checks each server's health under the server's own name."""
        app = build_app(with_settings(open_to_ada, public_url="https://funds.example.org"))
        async with browse(app, base_url="http://web-1:8000") as client:
            assert (await client.get("/api/health")).status_code == 200


class TestTrustedProxies:
    @pytest.mark.security(4)
    @pytest.mark.parametrize("header", ["x-forwarded-for", "forwarded", "x-real-ip"])
    async def test_one_that_is_not_set_up_is_reported_once(self, open_to_ada: Core, header: str) -> None:
        app = build_app(with_settings(open_to_ada, trusted_proxies=["10.0.0.0/8"]))
        with capture_logs() as lines:
            async with browse(app, peer="10.0.0.2") as client:
                await client.get("/api/health", headers={header: "203.0.113.5"})
            assert lines == []
            async with browse(app, peer="192.0.2.7") as client:
                await client.get("/api/health")
                assert lines == []
                for _ in range(2):
                    await client.get("/api/health", headers={header: "203.0.113.5"})
        (line,) = lines
        assert (line["event"], line["log_level"], line["peer"]) == ("proxy.not_trusted", "warning", "192.0.2.7")
        assert "FUNDWRIGHT_TRUSTED_PROXIES" in line["advice"]

    @staticmethod
    async def seen(core: Core, *, peer: str, forwarded: str, trusted: list[str]) -> str:
        """The address that is stored with a session."""
        async with browse(build_app(with_settings(core, trusted_proxies=trusted)), peer=peer) as client:
            await sign_in(client, **{"x-forwarded-for": forwarded})
            (session,) = (await client.get("/api/account/sessions")).json()["items"]
        return session["address"]

    @pytest.mark.security(4)
    @pytest.mark.parametrize(
        ("peer", "forwarded", "trusted", "address"),
        [
            ("10.0.0.2", "203.0.113.5", ["10.0.0.0/8"], "203.0.113.5"),
            ("10.0.0.2", "6.6.6.6, 203.0.113.5", ["10.0.0.2"], "203.0.113.5"),
            ("10.0.0.2", "6.6.6.6, 203.0.113.5, 10.0.0.3", ["10.0.0.0/8"], "203.0.113.5"),
            ("fd00::2", "2001:db8::5", ["fd00::/8"], "2001:db8::5"),
            ("192.0.2.7", "203.0.113.5", ["10.0.0.0/8"], "192.0.2.7"),
            ("10.0.0.2", "203.0.113.5", [], "10.0.0.2"),
        ],
        ids=["proxy", "a forged one before it", "two proxies", "IPv6", "someone else", "nobody is trusted"],
    )
    async def test_only_their_headers_are_trusted(
        self, open_to_ada: Core, peer: str, forwarded: str, trusted: list[str], address: str
    ) -> None:
        assert await self.seen(open_to_ada, peer=peer, forwarded=forwarded, trusted=trusted) == address
