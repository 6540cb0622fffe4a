"""Matches addresses to screens and checks who may see them. All screens come from `screens()` hooks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from fundwright_ui.runtime.host import Actor, Addresses

if TYPE_CHECKING:
    from reactpy.types import Component

WORKSPACE = "w"
"""The parameter of an address that names a workspace. The host reads it; screens do not see it."""
PUBLIC = "public"
"""The area whose screens need nobody signed in."""

_PARAMETER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Screen:
    """One page, declared with `screen`.

    `path` may contain parameters (`/notes/{id}`); `title` is an English message id; `render` creates the component for each visit.
    Screens of the same `area`, which the product names, share a shell that stays mounted while the person moves between them. All
    areas except `PUBLIC` require a signed-in actor, with one of `roles` if given. `away_when_signed_in` is where signed-in actors
    are redirected, for example by the login page. With `stays_open`, the screen is available during maintenance. `visitor_screen`
    is shown at the same address to people who are not signed in. `status` is the HTTP status of the page, `feed` the path of an RSS
    feed that its head links to, and `help` the address of the help link beside its title.
    """

    path: str
    title: str
    render: Callable[[], Component]
    area: str = ""
    roles: frozenset[str] | None = None
    away_when_signed_in: str | None = None
    stays_open: bool = False
    visitor_screen: Screen | None = None
    status: int = 200
    feed: str | None = None
    help: str | None = None


def screen(
    path: str,
    title: str,
    *,
    area: str = "",
    roles: frozenset[str] | None = None,
    away_when_signed_in: str | None = None,
    stays_open: bool = False,
    status: int = 200,
    feed: str | None = None,
    help: str | None = None,
) -> Callable[[Callable[[], Any]], Screen]:
    """Declare the decorated function as the screen at `path`: a ReactPy component, which may call hooks. Return it from `screens()`.

    `path` may contain parameters (`/notes/{id}`, read from `use_connection().location.params`); `title` is an English message id.
    All areas except `public` require a signed-in person, with one of `roles` if given.
    """

    def declare(render: Callable[[], Any]) -> Screen:
        from reactpy import component  # Every command imports this module, but only the server needs ReactPy.

        return Screen(
            path, title, component(render), area, roles, away_when_signed_in, stays_open, status=status, feed=feed, help=help
        )

    return declare


@dataclass(frozen=True)
class Location:
    """The current address: path without the proxy's prefix, parameters of the screen's path, and query."""

    path: str
    params: Mapping[str, str] = field(default_factory=dict[str, str])
    query: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def address(self) -> str:
        """Path and query as one string."""
        return f"{self.path}?{urlencode(self.query)}" if self.query else self.path


@dataclass(frozen=True)
class Found:
    """The screen at an address."""

    screen: Screen
    location: Location
    stands_in: bool = False
    """It is shown in place of the screen at the address, to people who are not signed in."""


@dataclass(frozen=True)
class Redirect:
    """Another address to go to instead."""

    path: str


class Router:
    """Matches addresses in order of registration, after `redirects`. An address without a match or with a null character redirects to
    `addresses.not_found`.

    Actors for whom `is_closed_to` is true are redirected to `addresses.maintenance` from every screen that does not stay open.
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
        if "\0" in unquote(address):
            return Redirect(self._addresses.not_found)
        path = parts.path.rstrip("/") or "/"
        if path in self._redirects:
            return Redirect(self._redirects[path])
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        workspace = query.pop(WORKSPACE, "")
        for pattern, screen in self._routes:
            match = pattern.fullmatch(path)
            if match is None:
                continue
            params = {name: unquote(value) for name, value in match.groupdict().items()}
            location = Location(path, params, query)
            return self._guard(screen, location, actor, workspace)
        return Redirect(self._addresses.not_found)

    def _guard(self, screen: Screen, location: Location, actor: Actor | None, workspace: str) -> Found | Redirect:
        if not screen.stays_open and self._is_closed_to(actor):
            return Redirect(self._addresses.maintenance)
        if actor is not None and screen.away_when_signed_in is not None:
            return Redirect(safe_next(location.query.get("next"), default=screen.away_when_signed_in))
        if screen.area == PUBLIC:
            return Found(screen, location)
        if actor is None or not self._may_open(actor):
            if screen.visitor_screen is not None:
                return Found(screen.visitor_screen, location, stands_in=True)
            wanted = replace(location, query={**location.query, WORKSPACE: workspace}) if workspace else location
            return Redirect(f"{self._addresses.login}?next={quote(wanted.address, safe='')}")
        if screen.roles is not None and actor.role not in screen.roles:
            return Redirect(self._addresses.not_found)
        return Found(screen, location)


def safe_next(path: str | None, *, default: str = "/") -> str:
    r"""`path` if it is one of our own addresses, otherwise `default`: `//evil`, `/\evil`, and `https:` lead to other sites."""
    if not path or not path.startswith("/") or path.startswith(("//", "/\\")) or any(ord(c) < 0x20 for c in path):
        return default
    return path


def _compile(path: str) -> re.Pattern[str]:
    parts = _PARAMETER.split(path)
    return re.compile("".join(f"(?P<{part}>[^/]+)" if i % 2 else re.escape(part) for i, part in enumerate(parts)))
