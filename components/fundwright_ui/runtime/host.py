"""The interfaces that a product implements for the runtime. The runtime imports nothing from the product.

The product passes a `Host` to the runtime, and its translations to `use_translations`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable
from uuid import UUID

from starlette.requests import HTTPConnection
from starlette.responses import Response

if TYPE_CHECKING:
    from fundwright_ui.runtime.router import Found

Listener = Callable[[Any], None]
"""Takes the messages of a topic, each as it was published, or `{}`."""


class Actor(Protocol):
    """The person who is signed in. Two instances are equal if nothing about the person has changed."""

    @property
    def id(self) -> UUID: ...
    @property
    def role(self) -> str: ...
    @property
    def session_id(self) -> UUID | None:
        """The sign-in session. A message on the live topic `session:{session_id}` means that it may have changed or ended."""
        ...

    @property
    def time_zone(self) -> str | None: ...


class Client(Protocol):
    """Where a connection comes from."""

    @property
    def address(self) -> str: ...


class Storage(Protocol):
    """Opens database sessions. The runtime only passes them on."""

    def reading(self) -> AbstractAsyncContextManager[Any]: ...
    def transaction(self) -> AbstractAsyncContextManager[Any]: ...
    def together(self) -> Callable[[], AbstractAsyncContextManager[Any]]:
        """A function like `reading` for what is read for one page at the same time."""
        ...


class LiveTopics(Protocol):
    """Messages between all processes. An empty message means that others may have been lost."""

    def subscribe(self, topic: str, listener: Listener) -> Callable[[], None]:
        """Returns a function that ends the subscription."""
        ...

    def subscribed(self, topic: str, listener: Listener) -> AbstractContextManager[None]: ...


class Turns(Protocol):
    """Parties take turns for what there is little of."""

    async def take(self, account: Hashable) -> None: ...
    def give_back(self, account: Hashable) -> None: ...


class Settings(Protocol):
    """Settings that the runtime reads each time it needs them."""

    @property
    def host(self) -> str: ...
    @property
    def port(self) -> int: ...
    @property
    def public_url(self) -> str | None: ...
    @property
    def allowed_origins(self) -> list[str]: ...
    @property
    def handler_timeout_s(self) -> float: ...
    @property
    def resume_s(self) -> float: ...
    @property
    def web_dist(self) -> Path: ...


class Services(Protocol):
    """The part of the product's services that the runtime uses."""

    @property
    def settings(self) -> Settings: ...
    @property
    def database(self) -> Storage: ...
    @property
    def live(self) -> LiveTopics: ...


@dataclass(frozen=True)
class Addresses:
    """The paths of the screens to which people are redirected."""

    login: str
    not_found: str
    maintenance: str


class Host(Protocol):
    """One per application. Every actor passed to it is one that it has returned."""

    @property
    def core(self) -> Services: ...

    @property
    def version(self) -> str:
        """The version of the product. A page that another version rendered reloads."""
        ...

    @property
    def page_turns(self) -> Turns:
        """Turns of accounts to open pages, each of which waits for one."""
        ...

    @property
    def has_other_processes(self) -> bool:
        """Whether other processes may serve the same product."""
        ...

    @property
    def addresses(self) -> Addresses: ...

    @property
    def stream_key(self) -> bytes:
        """The key that signs event streams; the same in every process."""
        ...

    async def authenticate(self, connection: HTTPConnection, *, is_use: bool = True) -> Actor | None:
        """The actor who opens a page or a socket; None for a visitor. With `is_use`, this counts as a use of the sign-in session."""
        ...

    async def recognize(self, actor: Any, *, is_use: bool) -> Actor | None:
        """Reload the actor of an open page; None if the sign-in session has ended."""
        ...

    def act_for(self, actor: Any) -> None:
        """Let the current task act for the actor, or for a visitor (None), from now on."""
        ...

    def session_named_by(self, connection: HTTPConnection) -> UUID | None:
        """The sign-in session in the connection's credentials, which may have ended."""
        ...

    def identity_of(self, actor: Any) -> str | None:
        """Identifies whom a page is for, and what text typed on it belongs to; None for a visitor."""
        ...

    async def acting_as(self, actor: Any, identity: str | None) -> Any:
        """The actor as whom a page was opened, given the `identity_of` that the page names: a page that reconnects stays in its
        workspace. `actor` itself if the page is for another account, or the account is no longer a member."""
        ...

    async def find_home(self, actor: Any, page: Found) -> Any | None:
        """The actor in another workspace, if what the address of the page names is there; None if it is here, or nowhere."""
        ...

    def workspace_of(self, actor: Any) -> str:
        """What an address that leads to the actor's workspace names."""
        ...

    async def arrive(self, actor: Any, page: Found | None, connection: HTTPConnection) -> tuple[Any, str | None]:
        """The actor for whom a page is opened, and what the page says about that: what its address names may be in another workspace. None
        stands for an address that leads elsewhere."""
        ...

    def may_open(self, actor: Any) -> bool:
        """Whether the actor may open guarded screens at all."""
        ...

    def is_closed_to(self, actor: Any) -> bool:
        """Whether maintenance excludes the actor, or a visitor (None)."""
        ...

    def refusal_of(self, origin: str) -> Exception:
        """The error to raise for a request from another site or from an address that is not configured as allowed."""
        ...

    def client_of(self, connection: HTTPConnection) -> Client: ...

    def network_of(self, connection: HTTPConnection) -> str:
        """The network addresses that count as one: those of one IPv6 customer, or a single IPv4 address."""
        ...

    def visitor_of(self, connection: HTTPConnection) -> str:
        """Identifies a visitor among those at the same address; "" if the browser has no visitor cookie yet."""
        ...

    def mark_visitor(self, response: Response) -> None: ...

    def language_of(self, actor: Any, connection: HTTPConnection) -> str: ...

    async def publish(self, topic: str, payloads: Iterable[Mapping[str, object]]) -> None:
        """Send the payloads to all processes, in order."""
        ...

    def on_view(self, path: str, actor: Any, language: str) -> None:
        """Called for each page view, with the pattern of its path. It must not block or raise."""
        ...


@runtime_checkable
class Refusal(Protocol):
    """An expected error: `sentence` says what happened and what to do next, `status` is its HTTP status."""

    sentence: str
    status: int
    needs_reauthentication: bool
    """The person must re-authenticate first."""


class Refused(Exception):
    """A refusal by the runtime itself. In responses, the name of its class is the error code."""

    needs_reauthentication = False

    def __init__(self, sentence: str, *, status: int) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.status = status


class Translations(Protocol):
    """Translates English sentences into the current task's language."""

    def t(self, message: str, /, **values: object) -> str: ...
    def current_language(self) -> str: ...
    def set_language(self, language: str) -> None: ...
    def using_language(self, language: str) -> AbstractContextManager[None]: ...
    def translations(self, messages: tuple[str, ...]) -> dict[str, str]: ...


_translations: Translations


def use_translations(given: Translations) -> None:
    global _translations
    _translations = given


def t(message: str, /, **values: object) -> str:
    """`message` in the current language, with `{name}` replaced by `values`."""
    return _translations.t(message, **values)


def current_language() -> str:
    return _translations.current_language()


def set_language(language: str) -> None:
    """Set the language of the current task."""
    _translations.set_language(language)


def using_language(language: str) -> AbstractContextManager[None]:
    """Set the language inside the block."""
    return _translations.using_language(language)


def translations(messages: tuple[str, ...]) -> dict[str, str]:
    """Translations of those of `messages` that differ in the current language."""
    return _translations.translations(messages)
