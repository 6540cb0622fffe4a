"""The first paint."""

import json
import os
import re
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from fundwright.core.database import Database
from fundwright_ui.runtime.bundle import Bundle
from tests.ui.runtime.conftest import Server


class TestPage:
    async def test_is_the_real_screen_before_any_script_runs(self, server: Server) -> None:
        answer = await server.get("/private", token=await server.sign_in())
        body = answer.text.split('<div id="root">')[1].split("<script")[0]
        assert "private of ada@example.org" in body and "answered" in body

    async def test_carries_the_tree_for_hydration(self, server: Server) -> None:
        html = (await server.get("/public")).text
        page = json.loads(html.split('id="page">')[1].split("</script>")[0])
        assert page["title"] == "Counter" and page["account"] is None and "count 0" in json.dumps(page["tree"])

    async def test_a_guarded_page_leads_to_login_and_keeps_the_way_back(self, server: Server) -> None:
        answer = await server.get("/private?x=1")
        assert answer.status_code == 302 and answer.headers["location"] == "/auth/login?next=%2Fprivate%3Fx%3D1"

    async def test_the_login_page_redirects_signed_in_users(self, server: Server) -> None:
        token = await server.sign_in()
        assert (await server.get("/auth/login", token=token)).headers["location"] == "/private"

    @pytest.mark.security(38)
    @pytest.mark.parametrize("next", ["https://evil.example", "//evil.example", "/\\evil.example"])
    async def test_the_way_back_never_leads_outside(self, server: Server, next: str) -> None:
        answer = await server.get(f"/auth/login?next={next}", token=await server.sign_in())
        assert answer.headers["location"] == "/private"

    async def test_an_unknown_path_is_the_404_page(self, server: Server) -> None:
        assert (await server.get("/nothing/here")).headers["location"] == "/404"
        assert (await server.get("/404")).status_code == 404

    async def test_a_path_that_names_something_that_is_not_there_answers_404_too(self, server: Server) -> None:
        answer = await server.get("/missing")
        assert answer.status_code == 404
        assert "The draft was not found." in answer.text

    async def test_a_role_that_may_not_see_a_screen_does_not_learn_that_it_exists(self, server: Server) -> None:
        assert (await server.get("/admins", token=await server.sign_in())).headers["location"] == "/404"

    @pytest.mark.pain(15)
    @pytest.mark.parametrize(
        ("written", "read"),
        [("a%2520b", "a%20b"), ("a%252Fb", "a%2Fb"), ("a%2Fb", "a/b"), ("a%3Fb", "a?b"), ("caf%C3%A9", "café")],
    )
    async def test_an_address_is_read_as_it_is_over_the_socket(self, server: Server, written: str, read: str) -> None:
        answer = await server.get(f"/echo/{written}")
        assert answer.status_code == 200
        assert f"<main>{read}</main>" in answer.text.split('<div id="root">')[1].split("<script")[0]
        async with server.socket() as client:
            await client.hello(f"/echo/{written}")
            assert client.text == read


@pytest.fixture
async def stranded(server: Server) -> AsyncIterator[httpx.Response]:
    """The page that a signed-in person sees when the database is unavailable."""
    token = await server.sign_in()
    database = server.core.database
    object.__setattr__(server.core, "database", Database("postgresql://nobody@127.0.0.1:1/nothing"))
    yield await server.get("/private?page=2", token=token)
    object.__setattr__(server.core, "database", database)


class TestDatabaseThatIsAway:
    async def test_is_a_page_with_a_message_and_a_way_to_try_again(self, stranded: httpx.Response) -> None:
        assert stranded.status_code == 503 and stranded.headers["content-type"].startswith("text/html")
        body = stranded.text.split("<body>")[1]
        assert "<h1>Something went wrong</h1>" in body
        assert "The database is not responding. Try again in a minute. Your saved work is safe." in body
        assert re.search(r'<a class="[^"]*" href="">Try again</a>', body)

    @pytest.mark.security(35)
    async def test_looks_like_every_page_and_runs_nothing_but_the_choice_of_the_theme(self, stranded: httpx.Response) -> None:
        head = stranded.text.split("</head>")[0]
        nonces = set(re.findall(r'nonce="([^"]+)"', stranded.text))
        assert len(nonces) == 1 and f"'nonce-{nonces.pop()}'" in stranded.headers["content-security-policy"]
        assert ".fw-message" in head and "module" not in head and "dataset.mode" in head


class TestFirstPaint:
    async def test_waits_for_nothing_but_the_page_itself(self, server: Server) -> None:
        answer = await server.get("/public")
        head = answer.text.split("</head>")[0]
        nonces = set(re.findall(r'<style nonce="([^"]+)">', head))
        assert len(nonces) == 1 and f"'nonce-{nonces.pop()}'" in answer.headers["content-security-policy"]
        assert (
            re.findall(r'rel="stylesheet" href="[^"]+"(.*?)>', head) == [" disabled"]
            and re.search(r"<script[^>]* src=", head) is None
        )

    async def test_what_is_kept_forever_has_the_hash_of_its_content_in_its_name(self, server: Server) -> None:
        head = (await server.get("/public")).text.split("</head>")[0]
        addresses = re.findall(r'(?:href|src)="(/assets/[^"]+)"', head)
        assert any(address.endswith(".svg") for address in addresses)
        for address in addresses:
            assert re.search(r"-[\w-]{8}\.\w+$", address), address

    async def test_finds_the_font_from_any_address_of_a_page(self, server: Server) -> None:
        font = re.search(r"url\((/assets/[^)]+\.woff2)\)", (await server.get("/public")).text)
        assert font is not None
        assert (await server.get(font[1])).headers["content-type"] == "font/woff2"

    async def test_fetches_the_font_that_the_style_uses_before_the_style_needs_it(self, server: Server) -> None:
        head = (await server.get("/public")).text.split("</head>")[0]
        preloaded = re.findall(r'<link rel="preload" as="font" type="font/woff2" crossorigin href="([^"]+)">', head)
        assert preloaded == list(dict.fromkeys(re.findall(r"url\((/assets/[^)]+\.woff2)\)", head)))

    def test_addresses_in_the_style_carry_the_prefix_of_a_proxy(self, tmp_path: Path) -> None:
        for name, text in {
            ".vite/manifest.json": '{"a.ts": {"file": "a.js", "css": ["assets/a.css"]}, "web/src/boot.ts": {"file": "boot.js"}}',
            "boot.js": "start()",
            "assets/a.css": "a{background:url(./b.png),url('./c.png'),url(data:,d)}",
        }.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text)
        head = Bundle(tmp_path, base="/app").painted_head("a.ts", nonce="n")
        assert head.startswith('<script nonce="n" data-main="/app/a.js">start()</script>')
        assert "<style nonce=\"n\">a{background:url(/app/assets/b.png),url('/app/assets/c.png'),url(data:,d)}</style>" in head

    def test_a_build_is_named_after_what_the_browser_is_given(self, tmp_path: Path) -> None:
        manifest = tmp_path / ".vite/manifest.json"
        manifest.parent.mkdir()
        manifest.write_text('{"a.ts": {"file": "a-1.js"}}')
        bundle = Bundle(tmp_path, base="")
        first = bundle.id
        assert Bundle(tmp_path, base="/app").id == first
        assert Bundle(tmp_path, base="", modules=["/assets/clock-1.js"]).id != first
        manifest.write_text('{"a.ts": {"file": "a-2.js"}}')
        os.utime(manifest, (1, 1))  # two writes can share a time stamp
        assert bundle.id != first


class TestConnection:
    """The response that a page requests if it cannot open its socket."""

    async def test_returns_who_is_signed_in_and_which_build_is_served(self, server: Server) -> None:
        page = json.loads((await server.get("/public")).text.split('id="page">')[1].split("</script>")[0])
        assert (await server.get("/connection")).json() == {"account": None, "build": page["build"]}
        answer = await server.get("/connection", token=await server.sign_in())
        assert answer.json()["account"] == str(server.actor.id)
        assert len(answer.content) < 100

    async def test_is_no_page_view(self, server: Server) -> None:
        await server.get("/connection")
        assert server.views == []


class TestHeaders:
    @pytest.mark.security(35)
    async def test_no_inline_script_or_style_runs_without_the_nonce(self, server: Server) -> None:
        answer = await server.get("/public")
        policy = answer.headers["content-security-policy"]
        assert "unsafe" not in policy
        for directive in ("object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"):
            assert directive in policy
        assert not re.search(r"\sstyle=", answer.text.split("<body>")[1].split('<script type="application/json"')[0])

    @pytest.mark.security(36)
    async def test_pages_are_not_kept_sniffed_or_shared(self, server: Server) -> None:
        headers = (await server.get("/public")).headers
        assert headers["cache-control"] == "no-store"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert "referrer-policy" in headers and "access-control-allow-origin" not in headers


class TestCompression:
    @pytest.mark.parametrize(("accepted", "packed"), [("gzip, deflate, br", "br"), ("gzip", "gzip"), ("identity", None)])
    async def test_a_page_is_packed_for_who_accepts_it(self, server: Server, accepted: str, packed: str | None) -> None:
        answer = await server.get("/public", headers={"accept-encoding": accepted})
        assert answer.headers.get("content-encoding") == packed and "count 0" in answer.text
        assert "Accept-Encoding" in answer.headers["vary"]
