"""A real server with a few screens, in the test's own event loop."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

import httpx
import pytest
import uvicorn
from fastapi import FastAPI
from reactpy import component, html, use_effect, use_state
from reactpy.types import Component
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession
from websockets.asyncio.client import ClientConnection, connect

from fundwright.accounts.schemas import Actor, Role
from fundwright.authentication import api
from fundwright.core.assembly import Core
from fundwright.core.errors import DatabaseAway, Invalid, NotFound
from fundwright.core.live import publish
from fundwright.core.settings import Settings
from fundwright.core.web import add_error_handlers
from fundwright_ui.hooks import use_action, use_query, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.product.host import ProductHost
from fundwright_ui.runtime.diff import Node, apply
from fundwright_ui.runtime.mounting import mount
from fundwright_ui.runtime.router import Screen
from fundwright_ui.runtime.wire import LowMemoryWebSocket
from fundwright_ui.widgets import FileDrop
from tests.support.accounts import add_account
from tests.support.polling import eventually

EMAIL, PASSWORD = "ada@example.org", "a quiet harbor at dawn"


@component
def counter() -> Any:
    count, set_count = use_state(0)

    def add(_event: object) -> None:
        set_count(lambda n: n + 1)

    def refuse(_event: object) -> None:
        raise Invalid("Choose a file first.")

    def crash(_event: object) -> None:
        raise RuntimeError("a secret detail")

    return html.main(
        html.button({"id": "add", "onClick": add}, "Add"),
        html.button({"id": "refuse", "onClick": refuse}, "Refuse"),
        html.button({"id": "crash", "onClick": crash}, "Crash"),
        html.p(f"count {count}"),
    )


@component
def two_faced() -> Any:
    """A row with one of two buttons in the same place, with a widget after the part that appears and disappears."""
    is_running, set_running = use_state(True)
    deleted, set_deleted = use_state(False)
    return html.main(
        html.p("Stopped.") if not is_running else None,
        html.button({"id": "row", "onClick": lambda: set_running(False)}, "Stop")
        if is_running
        else html.button({"id": "row", "onClick": lambda: set_deleted(True)}, "Delete"),
        FileDrop(label="Files", upload_url="/upload", max_bytes=1),
        html.p(f"deleted {deleted}"),
    )


@component
def records() -> Any:
    made, set_made = use_state(0)

    async def make(_session: object) -> None:
        set_made(lambda count: count + 1)

    return html.main(html.button({"id": "make", "onClick": use_action(make)}, "Make"), html.p(f"made {made}"))


@component
def private() -> Any:
    connection = use_connection()
    answer = use_query(_slow_answer)
    assert connection.actor is not None
    return html.main(f"private of {connection.actor.email}, {connection.actor.role}, {answer.value}")


async def _slow_answer(_session: object) -> str:
    await asyncio.sleep(0.05)
    return "answered"


@component
def notes() -> Any:
    """Notes of their owner; the handlers of all visitors have the same names."""
    actor = use_actor()
    kept, set_kept = use_state(())

    async def keep(event: dict[str, Any]) -> None:
        await asyncio.sleep(0)
        set_kept(lambda earlier: (*earlier, str(event.get("value"))))

    writing = html.button({"id": "keep", "onClick": keep}, "Keep")
    erasing = html.button({"id": "erase", "onClick": lambda: set_kept(())}, "Erase") if actor.role == "admin" else None
    return html.main(f"notes of {actor.email}: {', '.join(kept)}", writing, erasing)


@component
def restless() -> Any:
    """Requests a rendering while it is removed from the page."""
    left, set_left = use_state(False)

    @use_effect(dependencies=[])
    def leave() -> Any:
        return lambda: set_left(True)

    return html.main(f"left {left}")


@component
def missing() -> Any:
    async def read(_session: object) -> str:
        raise NotFound("The draft")

    return html.main(use_query(read).error)


class Crowd:
    """The number of concurrent queries of the screen `/crowd`."""

    now = 0
    most = 0


@component
def crowd() -> Any:
    async def read(session: AsyncSession) -> str:
        Crowd.now += 1
        Crowd.most = max(Crowd.most, Crowd.now)
        for _ in range(5):
            await session.execute(text("SELECT 1"))
        Crowd.now -= 1
        return "read"

    return html.main(use_query(read).value or "")


@component
def family() -> Any:
    count, set_count = use_state(0)
    set_child: list[Any] = []

    def add_both() -> None:
        set_count(count + 1)
        set_child[0](count + 1)  # its parent is queued before it and renders it, too

    def add(_event: object) -> None:
        asyncio.get_running_loop().call_later(0.05, add_both)

    return html.main(html.button({"id": "add", "onClick": add}, "Add"), html.p(f"parent {count} "), _child(set_child))


@component
def _child(setter: list[Any]) -> Any:
    count, set_count = use_state(0)
    setter.append(set_count)
    return html.p(f"child {count}")


@component
def echo() -> Any:
    return html.main(use_connection().location.params["word"])


class Walk:
    """The addresses at which the screens of `/walk` were rendered."""

    renderings: ClassVar[list[str]] = []


@component
def walk() -> Any:
    """Shows its address and navigates within its path or to another one, immediately or after a while."""
    connection, url = use_connection(), use_url_state(q=("{text}",))
    Walk.renderings.append(connection.location.address)

    def choose(event: dict[str, Any]) -> None:
        url.set(q=event["value"])

    async def choose_slowly(event: dict[str, Any]) -> None:
        await asyncio.sleep(0.05)
        url.set(q=event["value"])

    async def leave_slowly(event: dict[str, Any]) -> None:
        await asyncio.sleep(0.05)
        connection.navigate(f"/walk/{event['value']}", replace=True)

    def leave(event: dict[str, Any]) -> None:
        connection.navigate(f"/walk/{event['value']}")
        url.set(q="left behind")

    def load(event: dict[str, Any]) -> None:
        connection.navigate(event["value"], reload=True)

    handlers = {
        "choose": choose,
        "choose-slowly": choose_slowly,
        "leave": leave,
        "leave-slowly": leave_slowly,
        "load": load,
        "home": lambda: connection.navigate("/"),
    }
    return html.main(
        connection.location.address,
        *(html.button({"id": id, "key": id, "onClick": handler}) for id, handler in handlers.items()),
    )


@component
def removable() -> Any:
    """An item that exists until it is removed; removing it navigates away."""
    connection = use_connection()

    async def read(_session: object) -> str:
        if Removable.is_removed:
            raise NotFound("The thing")
        return "the thing"

    thing = use_query(read, topics=["things"])

    async def remove(_event: object) -> None:
        Removable.is_removed = True
        async with connection.core.database.transaction() as session:
            await publish(session, "things")
        await asyncio.sleep(0.1)  # the page receives it before the navigation
        connection.navigate("/walk/list", replace=True)

    return html.main(html.button({"id": "remove", "onClick": remove}), thing.error or thing.value)


class Continued:
    """What the screen `/continued` did and shows."""

    renderings = 0
    reads = 0
    visits = 0
    word = ""

    @classmethod
    def reset(cls) -> None:
        cls.renderings = cls.reads = cls.visits = 0
        cls.word = "first"


@component
def continued() -> Any:
    connection, url = use_connection(), use_url_state()
    count, set_count = use_state(0)

    async def read(_session: object) -> str:
        Continued.reads += 1
        return Continued.word

    async def visit() -> None:
        if connection.is_live:
            Continued.visits += 1

    word = use_query(read, topics=["words"])
    use_query(visit, with_session=False)
    Continued.renderings += 1
    add = html.button({"id": "add", "onClick": lambda: set_count(count + 1)}, "Add")
    return html.main(add, f"{word.value} {count} {url.get('q')}")


class Removable:
    is_removed = False


@component
def half_broken() -> Any:
    return html.main(_broken(), html.p("the rest"))


@component
def _broken() -> Any:
    raise RuntimeError("a secret detail")


class Fragile:
    """The behavior of the part of `/fragile` that can fail."""

    is_broken = False
    renderings = 0
    subscribers = 0


@component
def fragile() -> Any:
    """A part that can fail beside one that works."""
    count, set_count = use_state(0)
    return html.main(
        _fragile_part(key="part"), html.button({"id": "add", "onClick": lambda: set_count(count + 1)}, f"count {count}")
    )


@component
def _fragile_part() -> Any:
    answer = use_query(_slow_answer)
    presses, set_presses = use_state(0)
    Fragile.renderings += 1
    if Fragile.is_broken:
        raise RuntimeError("a secret detail")
    press = html.button({"id": "press", "onClick": lambda: set_presses(presses + 1)}, f"pressed {presses}")
    return html.div(f"{answer.value} ", press, _subscriber())


@component
def _subscriber() -> Any:
    def subscribed() -> Any:
        Fragile.subscribers += 1

        def end() -> None:
            Fragile.subscribers -= 1

        return end

    use_effect(subscribed, dependencies=[])
    return html.p("subscribed")


class Slow:
    """The behavior of the handlers of `/waiting`: each waits until the test lets it continue."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.begun: list[str] = []
        self.ended: list[str] = []
        self.canceled: list[str] = []

    async def work(self, name: str) -> None:
        self.begun.append(name)
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.canceled.append(name)
            raise
        self.ended.append(name)

    async def until_begun(self, name: str) -> None:
        await eventually(lambda: name in self.begun)

    @property
    def running(self) -> int:
        return len(self.begun) - len(self.ended) - len(self.canceled)


slow_work = Slow()


@component
def waiting() -> Any:
    """Handlers that take as long as the test wants, beside one that finishes immediately."""
    connection = use_connection()
    count, set_count = use_state(0)
    names, set_names = use_state(())

    def waiter(name: str) -> Any:
        async def wait(_event: object) -> None:
            await slow_work.work(name)

        return html.button({"id": name, "key": name, "onClick": wait}, name)

    def keeper(name: str) -> Any:
        async def keep(_event: object) -> None:
            await asyncio.sleep(0.01)
            set_names((*names, name))

        return html.button({"id": name, "key": name, "onClick": keep}, name)

    async def wait_and_go(_event: object) -> None:
        await slow_work.work("go")
        connection.navigate("/public")
        connection.toast("done")

    async def give_up(_event: object) -> None:
        raise asyncio.CancelledError

    async def change(_event: object) -> None:
        await slow_work.work("change")

    async def submit(_event: object) -> None:
        await slow_work.work("submit")

    return html.main(
        *(waiter(f"wait{number}") for number in range(6)),
        keeper("a"),
        keeper("b"),
        html.button({"id": "go", "onClick": wait_and_go}, "Go"),
        html.button({"id": "cancel", "onClick": give_up}, "Cancel"),
        html.button({"id": "add", "onClick": lambda: set_count(count + 1)}, "Add"),
        html.form({"id": "form", "onSubmit": submit}, html.input({"id": "field", "onChange": change})),
        html.p(" ".join(names)),
        html.p(f"count {count}"),
    )


@component
def _frame(screen: Component) -> Any:
    return html.div(screen)


def shell(area: str, screen: Component) -> Component:
    return _frame(screen, key=area)


SCREENS = [
    Screen("/public", "Counter", counter, area="public"),
    Screen("/crowd", "Crowd", crowd, area="public"),
    Screen("/family", "Family", family, area="public"),
    Screen("/missing", "Missing", missing, area="public"),
    Screen("/restless", "Restless", restless, area="public"),
    Screen("/echo/{word}", "Echo", echo, area="public"),
    Screen("/two-faced", "Two-faced", two_faced, area="public"),
    Screen("/records", "Records", records, area="public"),
    Screen("/waiting", "Waiting", waiting, area="public"),
    Screen("/continued", "Continued", continued),
    Screen("/walk/{word}", "Walk", walk, area="public"),
    Screen("/removable", "Removable", removable, area="public"),
    Screen("/broken", "Half broken", half_broken, area="public"),
    Screen("/fragile", "Fragile", fragile, area="public"),
    Screen("/auth/login", "Login", counter, area="public", away_when_signed_in="/private"),
    Screen("/404", "Not found", counter, area="public", status=404),
    Screen("/private", "Private", private),
    Screen("/notes", "Notes", notes),
    Screen("/admins", "Admins", private, roles=frozenset({"admin"})),
]


class Client:
    """The browser's end of a socket, which maintains the tree as a browser does."""

    def __init__(self, websocket: ClientConnection) -> None:
        self.websocket = websocket
        self.tree: Node = ""
        self.title = ""
        self.frames: list[dict[str, Any]] = []
        self.session = ""
        self.received = 0
        self.seq = 0

    async def hello(self, path: str, hash: str | None = None, **more: object) -> dict[str, Any]:
        await self.websocket.send(json.dumps({"type": "hello", "path": path, "hash": hash, **more}))
        return await self.until("mount")

    async def resume(self, lost: Client) -> dict[str, Any]:
        """Resume the page of a lost connection."""
        self.tree, self.title, self.session, self.received, self.seq = (
            lost.tree,
            lost.title,
            lost.session,
            lost.received,
            lost.seq,
        )
        hello = {"type": "hello", "path": "/", "hash": None, "session": self.session, "received": self.received}
        await self.websocket.send(json.dumps(hello))
        return await self.until("resumed")

    async def until(self, kind: str) -> dict[str, Any]:
        """Receive frames until one of this kind; they are added to `frames`."""
        async with asyncio.timeout(5):
            while True:
                frame = json.loads(await self.websocket.recv())
                self.frames.append(frame)
                if frame["type"] == "mount":
                    self.session, self.received = frame["session"], 0
                    self.tree = frame["tree"] or self.tree
                elif frame["type"] != "resumed":
                    self.received += 1
                if frame["type"] == "patch":
                    self.tree = apply(self.tree, frame["ops"])
                if frame["type"] == kind:
                    return frame

    async def press(self, id: str, event: str = "onClick", target: str | None = None, **data: object) -> int:
        """Send an event without waiting for it; returns its sequence number."""
        self.seq += 1
        target = target or find(self.tree, id)["e"][event]["h"]
        await self.websocket.send(json.dumps({"type": "event", "seq": self.seq, "target": target, "data": data}))
        return self.seq

    async def click(self, id: str, target: str | None = None, **data: object) -> None:
        await self.answered(await self.press(id, target=target, **data))

    async def go(self, path: str) -> None:
        self.seq += 1
        await self.websocket.send(json.dumps({"type": "location", "seq": self.seq, "path": path}))
        await self.answered(self.seq)

    async def answered(self, seq: int) -> dict[str, Any]:
        """Receive frames until the event with this number is done."""
        while (done := await self.until("done"))["seq"] != seq:
            pass
        return done

    @property
    def text(self) -> str:
        return text_of(self.tree)

    def toasts(self) -> list[str]:
        return [frame["message"] for frame in self.frames if frame["type"] == "toast"]


def find(node: Node, id: str) -> dict[str, Any]:
    """The element with this id. Raises LookupError."""
    if isinstance(node, dict):
        if node.get("a", {}).get("id") == id:
            return node
        for child in node.get("c", []):
            try:
                return find(child, id)
            except LookupError:
                continue
    raise LookupError(id)


def text_of(node: Node) -> str:
    return node if isinstance(node, str) else "".join(text_of(child) for child in node.get("c", []))


@dataclass(frozen=True)
class Server:
    url: str
    core: Core
    actor: Actor
    views: list[tuple[str, str | None, str]] = field(default_factory=list)
    """The arguments of `on_view`: path, email, and language."""
    outage: asyncio.Event = field(default_factory=asyncio.Event)
    """While it is set, the session of a page cannot be determined."""
    silence: asyncio.Event = field(default_factory=asyncio.Event)
    """While it is set, such requests get no response at all."""

    @asynccontextmanager
    async def socket(
        self, *, token: str | None = None, visitor: str | None = None, origin: str | None = "own"
    ) -> AsyncIterator[Client]:
        cookies = [f"{name}={value}" for name, value in (("session", token), ("visitor", visitor)) if value]
        headers = {"Cookie": "; ".join(cookies)} if cookies else {}
        async with connect(
            self.url.replace("http", "ws") + "/socket",
            origin=self.url if origin == "own" else origin,  # type: ignore[arg-type]
            additional_headers=headers,
            max_size=None,
            close_timeout=0.2,
        ) as websocket:
            yield Client(websocket)

    def client(self, **options: Any) -> httpx.AsyncClient:
        """Options are httpx's. It loads no certificates, which would take longer than most requests."""
        return httpx.AsyncClient(base_url=self.url, verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), **options)

    async def sign_in(self, email: str = EMAIL) -> str:
        async with self.client() as http:
            answer = await http.post("/signin", json={"email": email, "password": PASSWORD})
        return answer.json()["token"]

    async def add_account(self, email: str, *, role: Role = Role.USER) -> None:
        async with self.core.database.transaction() as session:
            await add_account(session, email, name=email, role=role, password=PASSWORD)

    def set(self, **settings: object) -> None:
        object.__setattr__(self.core, "settings", self.core.settings.model_copy(update=settings))

    async def get(self, path: str, *, token: str | None = None, headers: Mapping[str, str] | None = None) -> httpx.Response:
        async with self.client(cookies={"session": token} if token else {}) as http:
            return await http.get(path, headers=headers)


@pytest.fixture
async def server(committed: Core) -> AsyncIterator[Server]:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]
    settings: Settings = committed.settings.model_copy(update={"port": port})
    object.__setattr__(committed, "settings", settings)
    async with committed.database.transaction() as session:
        actor = await add_account(session, EMAIL, name="Ada", password=PASSWORD)

    app = FastAPI(openapi_url=None)
    app.state.core = committed
    add_error_handlers(app)
    app.include_router(api.router)
    served = Server(f"http://127.0.0.1:{port}", committed, actor)

    class Host(ProductHost):
        async def recognize(self, actor: Actor, *, is_use: bool) -> Actor | None:
            if served.outage.is_set():
                raise DatabaseAway
            if served.silence.is_set():
                await asyncio.Event().wait()
            return await super().recognize(actor, is_use=is_use)

    def on_view(path: str, actor: Actor | None, language: str) -> None:
        served.views.append((path, actor.email if actor else None, language))

    mount(
        app,
        Host(committed, on_view=on_view),
        screens=SCREENS,
        redirects={"/": "/private"},
        shell=shell,
    )
    serving = uvicorn.Server(
        uvicorn.Config(app, port=port, log_config=None, lifespan="off", ws=LowMemoryWebSocket, timeout_graceful_shutdown=1)
    )
    task = asyncio.create_task(serving.serve())
    await eventually(lambda: serving.started)
    yield served
    serving.should_exit = True
    await task
