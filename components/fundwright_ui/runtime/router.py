"""Which screen answers an address, and who may see it. The runtime knows no screen: they come from `screens()` hooks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from fundwright_ui.runtime.host import Actor, Addresses

if TYPE_CHECKING:
    from reactpy.types import Component

Area = Literal["dashboard", "generate", "public"]

_PARAMETER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Screen:
    """One page.

    `path` may hold parameters (`/generate/slug/{token}`); `title` is an English message id; `render` makes the component
    anew for each visit: `screen` declares it. Screens of one `area` share a shell that stays mounted while moving between them; everything but
    `public` needs a signed-in actor, of one of `roles` when given. `away_when_signed_in` sends a signed-in actor elsewhere,
    as the login page does; `stays_open` in maintenance; `for_strangers` is shown at the same address to whoever is not signed in. `status` is the HTTP status of the page,
    `feed` the path of an RSS feed that its head names, `help` the address that the help link beside its title leads to.
    """

    path: str
    title: str
    render: Callable[[], Component]
    area: Area = "dashboard"
    roles: frozenset[str] | None = None
    away_when_signed_in: str | None = None
    stays_open: bool = False
    for_strangers: Screen | None = None
    status: int = 200
    feed: str | None = None
    help: str | None = None


def screen(
    path: str,
    title: str,
    *,
    area: Area = "dashboard",
    roles: frozenset[str] | None = None,
    away_when_signed_in: str | None = None,
    stays_open: bool = False,
    status: int = 200,
    feed: str | None = None,
    help: str | None = None,
) -> Callable[[Callable[[], Any]], Screen]:
    """Declare the function below as the screen at `path`: a ReactPy component, which may call hooks. Answer it from `screens()`.

    `path` may hold parameters (`/dashboard/notes/{id}`, read from `use_connection().location.params`), `title` is an English
    message id. Everything but `area="public"` needs somebody signed in, of one of `roles` when given.
    """

    def declare(render: Callable[[], Any]) -> Screen:
        from reactpy import component  # Every command imports this module, and only the server shows screens.

        return Screen(
            path, title, component(render), area, roles, away_when_signed_in, stays_open, status=status, feed=feed, help=help
        )

    return declare


@dataclass(frozen=True)
class Location:
    """Where the person is: path without the proxy's prefix, parameters of the screen's pattern, query of the address."""

    path: str
    params: Mapping[str, str] = field(default_factory=dict[str, str])
    query: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def address(self) -> str:
        """Path and query as one string."""
        return f"{self.path}?{urlencode(self.query)}" if self.query else self.path


@dataclass(frozen=True)
class Found:
    """The address leads to this screen."""

    screen: Screen
    location: Location


@dataclass(frozen=True)
class Redirect:
    """The address leads elsewhere."""

    path: str


class Router:
    """Matches addresses in order of registration; `redirects` come first, what nothing matches goes to `addresses.not_found`.

    Whoever the installation `is_closed_to` is led to `addresses.maintenance` from every screen that does not stay open.
    """

    def __init__(
        self,
        screens: Iterable[Screen],
        addresses: Addresses,
        *,
        redirects: Mapping[str, str],
        is_closed_to: Callable[[Any], bool] = lambda _actor: False,
        may_open: Callable[[Any], bool] = lambda _actor: True,
    ) -> None:
        self._routes = [(_compile(screen.path), screen) for screen in screens]
        self._redirects = redirects
        self._addresses = addresses
        self._is_closed_to = is_closed_to
        self._may_open = may_open

    def route(self, address: str, actor: Actor | None) -> Found | Redirect:
        """The screen for `address`, or where to send this actor instead."""
        try:
            parts = urlsplit(address)
        except ValueError:  # for example `//[`
            return Redirect(self._addresses.not_found)
        path = parts.path.rstrip("/") or "/"
        if path in self._redirects:
            return Redirect(self._redirects[path])
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        for pattern, screen in self._routes:
            match = pattern.fullmatch(path)
            if match is None:
                continue
            params = {name: unquote(value) for name, value in match.groupdict().items()}
            location = Location(path, params, query)
            return self._guard(screen, location, actor)
        return Redirect(self._addresses.not_found)

    def _guard(self, screen: Screen, location: Location, actor: Actor | None) -> Found | Redirect:
        if not screen.stays_open and self._is_closed_to(actor):
            return Redirect(self._addresses.maintenance)
        if actor is not None and screen.away_when_signed_in is not None:
            return Redirect(safe_next(location.query.get("next"), default=screen.away_when_signed_in))
        if screen.area == "public":
            return Found(screen, location)
        if actor is None or not self._may_open(actor):
            if screen.for_strangers is not None:
                return Found(screen.for_strangers, location)
            return Redirect(f"{self._addresses.login}?next={quote(location.address, safe='')}")
        if screen.roles is not None and actor.role not in screen.roles:
            return Redirect(self._addresses.not_found)
        return Found(screen, location)


def safe_next(path: str | None, *, default: str = "/") -> str:
    r"""`path` when it is one of our own addresses, else `default`: `//evil`, `/\evil` and `https:` lead outside."""
    if not path or not path.startswith("/") or path.startswith(("//", "/\\")) or any(ord(c) < 0x20 for c in path):
        return default
    return path


def _compile(path: str) -> re.Pattern[str]:
    parts = _PARAMETER.split(path)
    return re.compile("".join(f"(?P<{part}>[^/]+)" if i % 2 else re.escape(part) for i, part in enumerate(parts)))
