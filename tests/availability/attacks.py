"""What accounts, a guest, and an address do to stop others.

`ATTACKS` are written by hand; those of routes and screens are derived from their descriptions (`derived_attacks`).
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx
from websockets.exceptions import WebSocketException

from tests.availability import worst
from tests.availability.people import Account, client, of_account, tab
from tests.availability.table import ROUTES_OF_ATTACKS, hostile_routes, hostile_screens

AT_ONCE = 16
"""Requests of one account at once."""
_HALF_OPEN = 1_500
_BUSY_PAGES = 8
_EVENTS_PER_S = 90
"""Below the limit of a socket."""
_BROWSER = {"user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}


@dataclass
class World:
    """The server, its description, and who attacks it."""

    url: str
    schema: Mapping[str, Any]
    accounts: Sequence[Account]
    guest_address: str
    address: str
    chance: random.Random = field(default_factory=random.Random)
    outcomes: Counter[str] = field(default_factory=Counter[str])
    """How often what was answered how: a use that is always refused tests nothing."""

    @property
    def secret(self) -> str:
        """Of the share link that the guest has."""
        return self.accounts[0].secret

    def note(self, route: str, status: int) -> None:
        self.outcomes[f"{route} {status}"] += 1


Act = Callable[[World, Account], Awaitable[None]]
ATTACKS: dict[str, Act] = {}
GUESTS: dict[str, Callable[[World], Awaitable[None]]] = {}
ADDRESSES: dict[str, Callable[[World], Awaitable[None]]] = {}


def by_accounts(act: Act) -> Act:
    ATTACKS[act.__name__.replace("_", " ")] = act
    return act


def by_guest(act: Callable[[World], Awaitable[None]]) -> Callable[[World], Awaitable[None]]:
    GUESTS[act.__name__.replace("_", " ")] = act
    return act


def by_address(act: Callable[[World], Awaitable[None]]) -> Callable[[World], Awaitable[None]]:
    ADDRESSES[act.__name__.replace("_", " ")] = act
    return act


async def again(at_once: int, act: Callable[[], Coroutine[Any, Any, object]], *, pause_s: float = 0.0) -> None:
    """Do it again and again, whatever the answers are."""

    async def loop() -> None:
        while True:
            with suppress(httpx.HTTPError, OSError, WebSocketException, TimeoutError, KeyError, StopIteration, LookupError):
                await act()
            await asyncio.sleep(pause_s)

    await asyncio.gather(*(loop() for _ in range(at_once)))


async def send(world: World, http: httpx.AsyncClient, request: worst.Request, route: str = "") -> httpx.Response:
    options: dict[str, Any] = {"params": request.params}
    if request.body is not None:
        options |= {"content": request.body, "headers": {"Content-Type": "application/json"}}
    if request.file is not None:
        options["files"] = {"file": request.file}
    answer = await http.request(request.method, request.path, **options)
    world.note(route or f"{request.method} {request.path}", answer.status_code)
    return answer


def derived_attacks(schema: Mapping[str, Any]) -> Mapping[str, Act]:
    """One for each area of the API, and one for each screen."""
    areas: dict[str, list[str]] = {}
    for route in hostile_routes():
        path = route.partition(" ")[2]
        if path in schema["paths"]:
            areas.setdefault("/".join(path.split("/")[:3]), []).append(route)
    return {f"routes of {area}": _using(routes) for area, routes in areas.items()} | {
        f"events of {path}": _firing(path) for path in hostile_screens()
    }


def _using(routes: Sequence[str]) -> Act:
    async def act(world: World, account: Account) -> None:
        known = world.schema["components"]["schemas"]
        async with of_account(world.url, account) as http:

            async def use() -> None:
                route = world.chance.choice(routes)
                method, path = route.split(" ")
                described = world.schema["paths"][path][method.lower()]
                made = worst.request(route, described, known, account.ids, world.chance)
                await send(world, http, made, route)

            await again(AT_ONCE, use)

    return act


def address_of(path: str, ids: Mapping[str, str]) -> str:
    places = {
        "/dashboard/nih/{id}": "grant", "/dashboard/sam/{id}": "contract", "/dashboard/history/{id}": "run",
        "/generate/slug/{token}": "draft slug", "/generate/templates/{id}": "template", "/dashboard/passage/{id}": "passage",
        "/dashboard/train/{id}": "document",
    }  # fmt: skip
    parameter = path[path.find("{") : path.find("}") + 1]
    return path.replace(parameter, ids.get(places.get(path, ""), "none")) if parameter else path


def _firing(path: str) -> Act:
    """All events of a screen, with the worst data, as quickly as a socket may send them."""

    async def act(world: World, account: Account) -> None:
        async def visit() -> None:
            async with tab(world.url, account) as page:
                await page.open(address_of(path, account.ids))
                for _ in range(200):
                    possible = [(node, event) for node in page.nodes() for event in node.get("e", ())]
                    if not possible:
                        break
                    node, event = world.chance.choice(possible)
                    world.note(f"{node.get('w', 'element')} {event}", 0)
                    async with asyncio.timeout(30):
                        await page.fire(node, event, worst.payload(node, event, account.ids, world.chance))

        await again(_BUSY_PAGES, visit)

    return act


@by_accounts
async def drafts_of_digits(world: World, account: Account) -> None:
    """Eight pages of a draft whose sections have 500 claims of digits, opened again and again, and its exports."""
    async with of_account(world.url, account) as http:
        draft = (await http.get(f"/api/drafts/{account.ids['draft']}")).json()
        sources = [each["number"] for each in draft["citations"]]

        async def save() -> None:
            for section in draft["sections"]:
                path = f"/api/drafts/{draft['id']}/sections/{section['id']}"
                now = (await http.get(f"/api/drafts/{draft['id']}")).json()
                revision = next(each["revision"] for each in now["sections"] if each["id"] == section["id"])
                body = {"heading": section["heading"], "text": worst.claims(480, sources), "based_on": revision}
                answer = await http.put(path, json=body)
                world.note("PUT section of digits", answer.status_code)
            await asyncio.sleep(3)

        async def visit() -> None:
            async with tab(world.url, account) as page, asyncio.timeout(2):
                await page.open(f"/generate/slug/{draft['slug']}")

        async def compare() -> None:
            section = world.chance.choice(draft["sections"])
            path = f"/api/drafts/{draft['id']}/sections/{section['id']}/comparison"
            answer = await http.post(path, json={"text": worst.claims(480, sources)})
            world.note("POST comparison of digits", answer.status_code)

        await asyncio.gather(again(1, save), again(_BUSY_PAGES, visit), again(2, compare))


@by_accounts
async def exports_of_drafts(world: World, account: Account) -> None:
    async with of_account(world.url, account) as http:

        async def export() -> None:
            form = world.chance.choice(["docx", "markdown"])
            answer = await http.get(f"/api/drafts/{account.ids['draft']}/export", params={"form": form})
            world.note(f"GET export as {form}", answer.status_code)

        await again(AT_ONCE, export)


@by_accounts
async def documents_of_every_pattern(world: World, account: Account) -> None:
    """Also 20 MB of text and marks nested deeply; all of them are trained as soon as they have arrived."""
    async with of_account(world.url, account) as http:
        files = iter(list(worst.documents()) * 50)

        async def upload() -> None:
            name, content = next(files)
            answer = await http.post("/api/training/documents", files={"file": (name, content)})
            world.note("POST /api/training/documents", answer.status_code)
            if answer.is_success:
                document_id = answer.json()["id"]
                answer = await http.post("/api/training/runs", json={"document_ids": [document_id]})
                world.note("POST /api/training/runs", answer.status_code)
                kind = world.chance.choice(["data", "resume", "past_performance"])
                answer = await http.put(f"/api/training/documents/{document_id}/kind", json={"kind": kind})
                world.note("PUT /api/training/documents/{document_id}/kind", answer.status_code)

        await again(4, upload, pause_s=0.1)


@by_accounts
async def facts_about_the_same_thing(world: World, account: Account) -> None:
    """As many as one account may add, half of which are to decide again and disagree with the others, and their lists."""
    async with of_account(world.url, account) as http:

        async def add() -> None:
            values = {"label": "Employees", "value": str(world.chance.random())}
            answer = await http.post("/api/facts", json={"kind": "detail", "values": values})
            world.note("POST /api/facts", answer.status_code)
            if answer.is_success and world.chance.random() < 0.5:
                version = {"id": answer.json()["id"], "based_on": answer.json()["changed_at"]}
                answer = await http.post("/api/facts/decisions", json={"decision": "proposed", "facts": [version]})
                world.note("POST /api/facts/decisions", answer.status_code)

        async def look() -> None:
            for path in ("/api/facts?is_disputed=true", "/api/facts/counts"):
                world.note(f"GET {path}", (await http.get(path)).status_code)

        await asyncio.gather(again(8, add), again(2, look))


@by_accounts
async def json_at_the_limit(world: World, account: Account) -> None:
    """Nested deeply or with many names, in bodies of almost a megabyte; texts of two million characters."""
    routes = [route for route in hostile_routes() if not route.startswith(("GET", "DELETE")) and "{" not in route]
    bodies = worst.nested_json(), worst.wide_json()
    async with of_account(world.url, account) as http:

        async def post() -> None:
            route = world.chance.choice(routes)
            await send(world, http, worst.Request(*route.split(" "), body=world.chance.choice(bodies)), route)

        async def paste() -> None:
            body = {"title": "Long", "text": worst.text(1_900_000, world.chance)}
            world.note("POST /api/training/texts", (await http.post("/api/training/texts", json=body)).status_code)

        await asyncio.gather(again(AT_ONCE, post), again(2, paste))


@by_accounts
async def every_list_as_csv(world: World, account: Account) -> None:
    routes = [route for route in hostile_routes() if route.endswith("/export.csv")]
    known = world.schema["components"]["schemas"]
    async with of_account(world.url, account) as http:

        async def export() -> None:
            route = world.chance.choice([*routes, *["GET /api/opportunities/export.csv"] * len(routes)])
            described = world.schema["paths"][route.split(" ")[1]]["get"]
            made = worst.request(route, described, known, account.ids, world.chance)
            bare = worst.Request(made.method, made.path) if world.chance.random() < 0.5 else made
            await send(world, http, bare, route)

        await again(AT_ONCE, export)


@by_accounts
async def searches(world: World, account: Account) -> None:
    """Two hundred terms, all filters, and far pages."""
    async with of_account(world.url, account) as http:
        described = world.schema["paths"]["/api/opportunities"]["get"]
        known = world.schema["components"]["schemas"]

        async def search() -> None:
            made = worst.request("GET /api/opportunities", described, known, {}, world.chance)
            words = " ".join(f'"{world.chance.choice(_COMMON)}" OR -{world.chance.choice(_COMMON)}' for _ in range(200))[:500]
            params = {**(made.params if world.chance.random() < 0.5 else {}), "text": words, "page": 1, "page_size": 100}
            await send(world, http, worst.Request("GET", "/api/opportunities", params))

        await again(AT_ONCE, search)


_COMMON = ("research", "services", "of", "support", "a", "health", "the", "system", "and", "equipment", "data", "to", "in", "for")


@by_accounts
async def long_questions(world: World, account: Account) -> None:
    async with of_account(world.url, account) as http:

        async def ask() -> None:
            params: dict[str, Any] = {"query": worst.text(4_000, world.chance), "limit": 50}
            await send(world, http, worst.Request("GET", "/api/answers", params))

        await again(AT_ONCE, ask)


@by_accounts
async def uploads_that_stop(world: World, account: Account) -> None:
    """Each announces 900 MB, sends some of it, and stops."""

    async def upload() -> None:
        async with half_open(world, account.address) as (_reader, writer):
            head = (
                f"POST /api/training/documents HTTP/1.1\r\nHost: {urlsplit(world.url).netloc}\r\nAuthorization: Bearer {account.token}\r\n"
                "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 900000000\r\n\r\n--x\r\n"
                'Content-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n'
            )
            writer.write(head.encode())
            for _ in range(30):
                writer.write(b"x" * 1_000_000)
                await writer.drain()
            await asyncio.sleep(600)

    await again(AT_ONCE, upload, pause_s=0.2)


@by_accounts
async def streams_that_nobody_reads(world: World, account: Account) -> None:
    """The fallback of the socket, with frames of the maximum size posted to it."""

    async def stream() -> None:
        async with half_open(world, account.address) as (reader, writer):
            hello = b'{"type": "hello", "path": "/dashboard/sam", "hash": null}'
            writer.write(own_page_request(world, "/stream", hello, cookie=f"session={account.token}"))
            await writer.drain()
            head = (await reader.read(4_000)).decode(errors="replace")
            world.note("POST /stream", int(head.split(" ")[1]))
            await asyncio.sleep(30)

    await again(_BUSY_PAGES * 4, stream, pause_s=0.05)


@by_accounts
async def comments_and_mentions(world: World, account: Account) -> None:
    async with of_account(world.url, account) as http:
        mention = f"@[Everyone](account:{account.ids['account']}) "

        async def comment() -> None:
            text = world.chance.choice([mention * 100, worst.text(10_000, world.chance)])
            answer = await http.post("/api/comments", json={"text": text, "subject_id": account.ids["draft"]})
            world.note("POST /api/comments", answer.status_code)

        await again(AT_ONCE, comment)


@by_accounts
async def hundreds_of_everything(world: World, account: Account) -> None:
    """Saved searches, notes, tasks, categories, templates, collections, share links, and links to the workspace."""
    creating = [route for route in hostile_routes() if route.startswith("POST") and route.count("/") == 2]
    await _using([each for each in creating if each.partition(" ")[2] in world.schema["paths"]])(world, account)


@by_accounts
async def imports_of_notices(world: World, account: Account) -> None:
    async with of_account(world.url, account) as http:

        async def upload() -> None:
            answer = await http.post("/api/opportunities/imports/sam", files={"file": ("notices.csv", worst.notices_file())})
            world.note("POST /api/opportunities/imports/sam", answer.status_code)

        await again(2, upload, pause_s=0.5)


@by_accounts
async def photos(world: World, account: Account) -> None:
    async with of_account(world.url, account) as http:

        async def upload() -> None:
            answer = await http.post("/api/account/photo", files={"file": ("photo.jpg", worst.photo())})
            world.note("POST /api/account/photo", answer.status_code)

        await again(4, upload)


@by_accounts
async def template_files(world: World, account: Account) -> None:
    async with of_account(world.url, account) as http:

        async def upload() -> None:
            answer = await http.post("/api/templates/files", files={"file": ("template.md", worst.template_file())})
            world.note("POST /api/templates/files", answer.status_code)

        await again(4, upload)


@by_accounts
async def drafts_by_the_hundred(world: World, account: Account) -> None:
    """The jobs that draft, and those that draft a section again."""
    async with of_account(world.url, account) as http:

        async def draft() -> None:
            body = {"opportunity_id": account.ids["notice"], "template": "capability-statement", "company": "1,2.3(" * 30}
            world.note("POST /api/drafts", (await http.post("/api/drafts", json=body)).status_code)
            path = f"/api/drafts/{account.ids['draft']}/sections/{account.ids['section']}/regeneration"
            world.note("PUT regeneration", (await http.put(path, json={"instructions": "1,234.5 " * 240})).status_code)

        await again(4, draft, pause_s=0.05)


@by_accounts
async def other_jobs(world: World, account: Account) -> None:
    """Copies of one's data, sorting of all notices, and training again."""
    async with of_account(world.url, account) as http:

        async def start() -> None:
            for method, path, body in (
                ("POST", "/api/account/data", None),
                ("POST", "/api/opportunities/categorize", None),
                ("POST", "/api/training/runs", {}),
                ("POST", f"/api/training/runs/{account.ids['run']}/repetitions", None),
            ):
                answer = await http.request(method, path, json=body)
                world.note(f"{method} {path}", answer.status_code)

        await again(2, start, pause_s=0.2)


@by_accounts
async def busy_pages(world: World, account: Account) -> None:
    """Eight sockets on the list, each of which navigates as often as it may, without waiting."""

    async def visit() -> None:
        async with tab(world.url, account) as page:
            await page.open("/dashboard/sam")

            async def press() -> None:
                while True:
                    words = world.chance.choice(_COMMON)
                    await page.go(f"/dashboard/sam?text={words}&page={world.chance.randrange(1, 40)}")
                    await asyncio.sleep(1 / _EVENTS_PER_S)

            await press()

    await again(_BUSY_PAGES, visit)


@by_accounts
async def pages_opened_again_and_again(world: World, account: Account) -> None:
    async with client(world.url, account.address, cookies={"session": account.token}) as http:

        async def visit() -> None:
            path = world.chance.choice(
                ["/dashboard/sam", "/dashboard/nih", "/dashboard/train", f"/generate/slug/{account.ids['draft slug']}"]
            )
            world.note(f"GET {path.partition('?')[0]}", (await http.get(path)).status_code)

        await again(AT_ONCE, visit)


@by_accounts
async def wrong_passwords_of_ones_own(world: World, account: Account) -> None:
    async with of_account(world.url, account) as http:

        async def change() -> None:
            body = {"current": "x" * 9_000, "new": "y" * 9_000}
            world.note("PUT /api/account/password", (await http.put("/api/account/password", json=body)).status_code)

        await again(AT_ONCE, change)


@by_guest
async def a_shared_draft_again_and_again(world: World) -> None:
    async with client(world.url, world.guest_address, headers=_BROWSER) as http:

        async def visit() -> None:
            answer = await http.get(f"/shared/{world.secret}", params={"page": world.chance.randrange(1, 10**6)})
            world.note("GET /shared/{secret}", answer.status_code)

        await again(AT_ONCE, visit)


@by_guest
async def comments_of_a_guest(world: World) -> None:
    async with client(world.url, world.guest_address, headers={**_BROWSER, "origin": world.url}) as http:

        async def comment() -> None:
            form = {
                "name": "Grace",
                "text": worst.text(10_000, world.chance),
                "password": "x" * 1_000,
                "key": str(world.chance.random()),
            }
            answer = await http.post(f"/shared/{world.secret}/comments", data=form)
            world.note("POST /shared/{secret}/comments", answer.status_code)
            answer = await http.post(f"/shared/{world.secret}", data={"password": "y" * 900})
            world.note("POST /shared/{secret}", answer.status_code)

        await again(AT_ONCE, comment)


@by_guest
async def forms_of_a_guest_that_stop(world: World) -> None:
    await _half_open_requests(world, world.guest_address, [f"/shared/{world.secret}", f"/shared/{world.secret}/comments"])


@by_address
async def half_open_requests(world: World) -> None:
    """Headers and bodies that never end."""
    await _half_open_requests(world, world.address, ["/api/account/login", "/signin", "/session", "/stream", "/unsubscribe/none"])


@by_address
async def wrong_passwords(world: World) -> None:
    async with client(world.url, world.address) as http:

        async def sign_in() -> None:
            path = world.chance.choice(["/signin", "/api/account/login"])
            nobody = f"nobody-{world.chance.randrange(10**6)}@example.org"
            body = {"email": world.chance.choice([nobody, world.accounts[0].email]), "password": "x" * 9_000}
            world.note(f"POST {path}", (await http.post(path, json=body)).status_code)
            for path in ("/api/account/reset-password", "/api/account/resend-verification"):
                world.note(f"POST {path}", (await http.post(path, json={"email": body["email"]})).status_code)

        await again(AT_ONCE, sign_in)


@by_address
async def public_pages(world: World) -> None:
    async with client(world.url, world.address) as http:

        async def visit() -> None:
            path = world.chance.choice(
                [
                    "/auth/login",
                    "/help",
                    "/pricing",
                    "/blog",
                    "/feedback",
                    "/api/openapi.json",
                    "/api/docs",
                    "/api/health",
                    "/healthz",
                    "/readyz",
                    "/none",
                    "/unsubscribe/x",
                    "/blog/rss.xml",
                ]
            )
            world.note(f"GET {path}", (await http.get(path)).status_code)

        await again(AT_ONCE, visit)


@by_address
async def sockets_of_a_visitor(world: World) -> None:
    async def visit() -> None:
        async with tab(world.url, None, address=world.address) as page:
            await page.open(world.chance.choice(["/auth/login", "/help", "/pricing"]))
            for _ in range(100):
                possible = [(node, event) for node in page.nodes() for event in node.get("e", ())]
                node, event = world.chance.choice(possible)
                await page.fire(node, event, worst.payload(node, event, {"none": "none"}, world.chance))

    await again(_BUSY_PAGES * 4, visit)


@by_address
async def streams_of_a_visitor(world: World) -> None:
    async def stream() -> None:
        async with half_open(world, world.address) as (reader, writer):
            writer.write(
                own_page_request(world, "/stream", b'{"type": "hello", "path": "/auth/login", "hash": null}' + b" " * 390_000)
            )
            await writer.drain()
            world.note("POST /stream", int((await reader.read(2_000)).decode(errors="replace").split(" ")[1]))
            await asyncio.sleep(20)

    await again(200, stream, pause_s=0.1)


@by_address
async def bodies_without_a_session(world: World) -> None:
    routes = list(ROUTES_OF_ATTACKS["bodies without a session"])
    async with client(world.url, world.address) as http:

        async def post() -> None:
            route = world.chance.choice(routes)
            body = world.chance.choice([worst.nested_json, worst.wide_json])()
            await send(world, http, worst.Request(*route.split(" "), body=body), route)

        await again(AT_ONCE, post)


async def _half_open_requests(world: World, address: str, paths: Sequence[str]) -> None:
    host = urlsplit(world.url).netloc
    begun = (
        "GET / HTTP/1.1\r\nHost: {host}\r\nX-Slow: ",
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{{",
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\na=",
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: multipart/form-data; boundary=x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n--x",
        "",
    )

    async def hold() -> None:
        async with half_open(world, address) as (reader, writer):
            writer.write(world.chance.choice(begun).format(host=host, path=world.chance.choice(paths)).encode())
            await writer.drain()
            world.note("connections held", 0)
            await reader.read(1_000)  # until the server ends it

    await again(_HALF_OPEN, hold, pause_s=0.2)


@asynccontextmanager
async def half_open(world: World, address: str) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    to = urlsplit(world.url)
    reader, writer = await asyncio.open_connection(to.hostname, to.port, local_addr=(address, 0), limit=5_000)
    try:
        yield reader, writer
    finally:
        writer.close()


def own_page_request(world: World, path: str, body: bytes, *, cookie: str = "") -> bytes:
    """A POST request from a page of the server."""
    head = (
        f"POST {path} HTTP/1.1\r\nHost: {urlsplit(world.url).netloc}\r\nOrigin: {world.url}\r\nCookie: {cookie}\r\nX-Requested-With: fundwright\r\n"
        f"Content-Type: text/plain\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body
