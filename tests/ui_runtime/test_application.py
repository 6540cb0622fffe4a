"""The whole application: what holds for every answer, and what it takes from a proxy's word."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from uuid import uuid4

import httpx
import pytest
from fastapi import FastAPI

from fundwright.core.assembly import Core
from fundwright.identity import service as identity
from fundwright.identity.schemas import Role
from fundwright_ui.app import build_app

EMAIL, PASSWORD = "ada@example.org", "a quiet harbour at dawn"
NOTHING = "default-src 'none'; frame-ancestors 'none'"


@asynccontextmanager
async def browse(app: FastAPI, *, peer: str = "192.0.2.7") -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app, client=(peer, 5_000), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://fundwright.test") as client:
        yield client


@pytest.fixture
async def open_to_ada(committed: Core) -> Core:
    async with committed.database.transaction() as session:
        await identity.add_account(session, email=EMAIL, name="Ada", role=Role.ADMIN, password=PASSWORD)
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


class TestTrustedProxies:
    @staticmethod
    async def seen(core: Core, *, peer: str, forwarded: str, trusted: list[str]) -> str:
        """The address that a session is kept with."""
        settings = type(core.settings)(**{**dict(core.settings), "trusted_proxies": trusted})
        async with browse(build_app(replace(core, settings=settings)), peer=peer) as client:
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
        ids=["proxy", "a forged one before it", "two proxies", "IPv6", "somebody else", "nobody is trusted"],
    )
    async def test_only_their_word_is_taken(
        self, open_to_ada: Core, peer: str, forwarded: str, trusted: list[str], address: str
    ) -> None:
        assert await self.seen(open_to_ada, peer=peer, forwarded=forwarded, trusted=trusted) == address
