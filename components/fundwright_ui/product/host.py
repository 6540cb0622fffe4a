"""Implements the runtime's interfaces for Fundwright."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from uuid import UUID

from starlette.requests import HTTPConnection
from starlette.responses import Response

from fundwright import __version__
from fundwright.accounts.dependencies import client_of
from fundwright.accounts.schemas import Actor, Client, Permission
from fundwright.authentication import request_authentication
from fundwright.core import live
from fundwright.core.assembly import Core
from fundwright.core.connections import network_of
from fundwright.core.cookies import set_visitor_cookie, visitor_of
from fundwright.core.errors import NotAllowed, NotFound
from fundwright.core.fair_loop import work_for_page
from fundwright.core.keys import lasting_key
from fundwright.core.messages import t
from fundwright.core.scopes import NOBODY, act_in
from fundwright.core.turns import Turns
from fundwright.core.web import requested_language
from fundwright.workspaces import service as workspaces
from fundwright_ui.product.connection import id_in, parse_id
from fundwright_ui.runtime.host import Addresses
from fundwright_ui.runtime.router import PUBLIC, Found
from fundwright_ui.ui.moments import show_moments_in

_MOST_IDS = 8
"""Real addresses contain fewer. Each is looked up in every table, for each of the person's workspaces."""
_PAGES_AT_ONCE, _PAGES_OF_EACH, _PAGES_OF_OTHERS = 8, 4, 3
"""How many pages open at the same time, how many of one account, and how many of those are left to accounts with fewer than two."""
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)

OnView = Callable[[str, Actor | None, str], None]


class ProductHost:
    """The `Host` of an open Core; `on_view` is called for each page view."""

    version = __version__
    addresses = Addresses(login="/auth/login", not_found="/404", maintenance="/maintenance")

    def __init__(self, core: Core, *, on_view: OnView = lambda _path, _actor, _language: None) -> None:
        self.core = core
        self._on_view = on_view
        self.page_turns = Turns(_PAGES_AT_ONCE, each=_PAGES_OF_EACH, reserved=_PAGES_OF_OTHERS)

    @property
    def has_other_processes(self) -> bool:
        return self.core.settings.database_url is not None

    @property
    def stream_key(self) -> bytes:
        return lasting_key(self.core, "stream.key")

    async def authenticate(self, connection: HTTPConnection, *, is_use: bool = True) -> Actor | None:
        return await request_authentication.authenticate(self.core, connection, is_use=is_use)

    async def recognize(self, actor: Actor, *, is_use: bool) -> Actor | None:
        return await request_authentication.recognize(self.core, actor, is_use=is_use)

    def act_for(self, actor: Actor | None) -> None:
        act_in(actor.scope if actor else NOBODY)
        work_for_page()
        show_moments_in((actor.time_zone or actor.browser_time_zone) if actor else None)

    def session_named_by(self, connection: HTTPConnection) -> UUID | None:
        return request_authentication.session_named_by(self.core, connection)

    def identity_of(self, actor: Actor | None) -> str | None:
        """Return the account, with its workspace unless that is the personal one."""
        if actor is None:
            return None
        return f"{actor.id}/{actor.workspace_id}" if actor.is_in_shared_workspace else str(actor.id)

    async def acting_as(self, actor: Actor | None, identity: str | None) -> Actor | None:
        if actor is None or identity is None or identity == self.identity_of(actor):
            return actor
        account, _, workspace = identity.partition("/")
        with suppress(NotFound):
            there = actor.model_copy(update={"workspace_id": parse_id(workspace or account, t("The workspace"))})
            if self.identity_of(there) == identity:
                return await self.recognize(there, is_use=False) or actor
        return actor

    async def find_home(self, actor: Actor, page: Found) -> Actor | None:
        if page.screen.area == PUBLIC or page.screen.roles is not None:  # nothing there belongs to a workspace
            return None
        slugs = page.location.params.values()
        ids = {id for value in (*slugs, *page.location.query.values()) for id in map(id_in, _ID.findall(value)) if id}
        if len(ids) > _MOST_IDS or not (ids or slugs):
            return None
        async with self.core.database.reading(scope=actor.scope) as session:
            there = await workspaces.find_home(session, actor, ids, slugs)
        return there and there.model_copy(update={"browser_time_zone": actor.browser_time_zone})

    def workspace_of(self, actor: Actor) -> str:
        return str(actor.workspace_id)

    async def arrive(self, actor: Actor, page: Found | None, connection: HTTPConnection) -> tuple[Actor, str | None]:
        home = await self.find_home(actor, page) if page else None
        if home is None and not request_authentication.names_workspace(connection):
            return actor, None
        there = home or actor
        is_other = await request_authentication.arrive(self.core, there, connection)
        if not is_other and home is None:
            return there, None
        async with self.core.database.reading(scope=there.scope) as session:
            name = (await workspaces.get_workspace(session, there)).title
        return there, t("You are now in the workspace “{name}”.", name=name)

    def may_open(self, actor: Actor) -> bool:
        return actor.email != self.core.settings.unknown_email

    def is_closed_to(self, actor: Actor | None) -> bool:
        return self.core.settings.is_closed and not (actor and actor.may(Permission.ADMINISTER))

    def refusal_of(self, origin: str) -> NotAllowed:
        return NotAllowed(
            t(
                "The server does not accept connections from this address. Ask your administrator to add {origin} to "
                "FUNDWRIGHT_ALLOWED_ORIGINS.",
                origin=origin,
            )
        )

    def client_of(self, connection: HTTPConnection) -> Client:
        return client_of(connection)

    def network_of(self, connection: HTTPConnection) -> str:
        return network_of(client_of(connection).address)

    def visitor_of(self, connection: HTTPConnection) -> str:
        return visitor_of(connection)

    def mark_visitor(self, response: Response) -> None:
        set_visitor_cookie(response, self.core.settings)

    def language_of(self, actor: Actor | None, connection: HTTPConnection) -> str:
        """Return the account's language, or else the one chosen in this browser."""
        return actor.language if actor is not None and actor.language is not None else requested_language(connection)

    async def publish(self, topic: str, payloads: Iterable[Mapping[str, object]]) -> None:
        async with self.core.database.transaction() as session:
            await live.publish_all(session, topic, payloads)

    def on_view(self, path: str, actor: Actor | None, language: str) -> None:
        self._on_view(path, actor, language)
