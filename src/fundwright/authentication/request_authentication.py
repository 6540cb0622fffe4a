"""Authentication of requests, pages, and sockets."""

from __future__ import annotations

from uuid import UUID

from fastapi import Request
from fastapi.requests import HTTPConnection

from fundwright.accounts import service as accounts
from fundwright.accounts.dependencies import client_of, current_actor
from fundwright.accounts.schemas import Actor, Permission
from fundwright.authentication import api_tokens, service, session_tokens, sessions
from fundwright.authentication.api_tokens import API_TOKEN_PREFIX
from fundwright.authentication.schemas import TokenScope
from fundwright.core.assembly import Core
from fundwright.core.connections import note_signed_in
from fundwright.core.cookies import cookie_name
from fundwright.core.errors import FundwrightError, NotFound, UnderMaintenance
from fundwright.core.messages import t
from fundwright.core.origins import require_same_origin
from fundwright.core.web import SAFE_METHODS, WORKSPACE_PARAMETER, CoreDep, requested_time_zone

_OPEN_IN_MAINTENANCE = ("/signin", "/session", "/api/account/login", "/api/health", "/healthz", "/readyz")


class TokenInvalid(FundwrightError):
    """The specification defines the text."""

    status = 401

    def __init__(self) -> None:
        super().__init__("Invalid authorization token")


class ReadOnlyToken(FundwrightError):
    status = 403

    def __init__(self) -> None:
        super().__init__(t("This API token is read-only. Create one with the scope `write` to make changes."))


async def authenticate_request(core: Core, request: Request) -> Actor | None:
    """The account of the bearer token (a session token or an API token), or else of the session cookie; None if there is
    neither."""
    bearer = bearer_of(request)
    if bearer and bearer.startswith(API_TOKEN_PREFIX):
        async with core.database.transaction() as session:
            holder = await api_tokens.authenticate_api_token(session, bearer, workspace_id=_workspace_named_by(request))
        if holder is None:
            raise TokenInvalid
        actor, scope = holder
        if scope is TokenScope.READ and request.method not in SAFE_METHODS:
            raise ReadOnlyToken
        note_signed_in(request, actor.id)
        return actor
    token = bearer or request.cookies.get(cookie_name(core.settings))
    if not token:
        return None
    async with core.database.transaction() as session:
        actor = await service.authenticate(session, core, token, workspace_id=_workspace_named_by(request))
        if actor is not None and actor.is_support:
            await accounts.record_support(session, actor, client=client_of(request))
    if actor is None:
        await end_if_replayed(core, token, request)
        raise TokenInvalid
    if not bearer and request.method not in SAFE_METHODS:
        require_same_origin(request)
    return _with_browser_time_zone(actor, request)


def signed_for(core: Core, connection: HTTPConnection) -> UUID | None:
    """The account for which the session token of a request was signed. Whether the session still exists is not asked, so this only tells people
    at one address apart."""
    token = bearer_of(connection) or connection.cookies.get(cookie_name(core.settings))
    payload = session_tokens.read(core, token) if token else None
    return payload.sub if payload is not None else None


async def authenticate(core: Core, connection: HTTPConnection, *, is_use: bool = True) -> Actor | None:
    """The actor of a page or a socket, from the cookie, in the workspace that the address names; None if signed out.

    Raises NotFound if the account is not a member of that workspace.
    """
    token = connection.cookies.get(cookie_name(core.settings))
    if not token:
        return None
    async with core.database.transaction() as session:
        actor = await service.authenticate(session, core, token, is_use=is_use, workspace_id=_workspace_named_by(connection))
        if actor is not None and actor.is_support:
            await accounts.record_support(session, actor, client=client_of(connection))
    if actor is None:
        await end_if_replayed(core, token, connection)
        return None
    return _with_browser_time_zone(actor, connection)


async def arrive(core: Core, actor: Actor, connection: HTTPConnection) -> bool:
    """Make the workspace of a page that is opened the last used one, unless a page of another site led there. Returns whether another one
    was."""
    if actor.is_support:  # it is never the last used one
        return False
    async with core.database.transaction() as session:
        if await accounts.uses_workspace(session, actor):
            return False
        if _is_opened_here(connection):
            await accounts.use_workspace(session, actor)
        return True


def names_workspace(connection: HTTPConnection) -> bool:
    """Whether the address of a page names a workspace."""
    return bool(connection.query_params.get(WORKSPACE_PARAMETER))


def _with_browser_time_zone(actor: Actor, connection: HTTPConnection) -> Actor:
    """The actor with the time zone of the browser, which its pages keep in a cookie. The connection is one of a signed-in person."""
    note_signed_in(connection, actor.id)
    return actor.model_copy(update={"browser_time_zone": requested_time_zone(connection)})


def _is_opened_here(connection: HTTPConnection) -> bool:
    """Whether one of our own pages leads to this page, or the person has typed the address or opened a bookmark."""
    headers = connection.headers
    return headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-site") in ("same-origin", "none")


def _workspace_named_by(connection: HTTPConnection) -> UUID | None:
    """The workspace that the address of a page or request names with `w`. Raises NotFound if it is no id."""
    named = connection.query_params.get(WORKSPACE_PARAMETER)
    try:
        return UUID(named) if named else None
    except ValueError:
        raise NotFound(t("The workspace")) from None


def session_named_by(core: Core, connection: HTTPConnection) -> UUID | None:
    """The session in the cookie, if the cookie is signed by us and not expired. Does not check in the database whether the
    session has ended: enough to identify a page, not to act for its account."""
    payload = session_tokens.read(core, connection.cookies.get(cookie_name(core.settings), ""))
    return payload.sid if payload else None


async def recognize(core: Core, actor: Actor, *, is_use: bool) -> Actor | None:
    """The current actor of an open page; None once the session has ended."""
    async with core.database.reading() as session:
        found = await sessions.recognize(session, core, actor)
    if found is None:
        return None
    row, present = found
    if is_use and sessions.is_touch_due(row):
        async with core.database.transaction() as session:
            await sessions.touch(session, row)
    return present.model_copy(update={"browser_time_zone": actor.browser_time_zone})


async def refuse_in_maintenance(base: str, request: Request, core: CoreDep) -> None:
    """Allow only administrators, signing in and out (because it may be an administrator), and health checks. `base` is the
    path prefix. Raises UnderMaintenance."""
    if request.scope["path"] in [base + path for path in _OPEN_IN_MAINTENANCE]:
        return
    try:
        actor = await current_actor(request, core)
    except FundwrightError:
        actor = None
    if actor is None or not actor.may(Permission.ADMINISTER):
        raise UnderMaintenance(core.settings.maintenance)


async def end_if_replayed(core: Core, token: str, connection: HTTPConnection) -> None:
    """Uses its own transaction, because the request's transaction is rolled back when the request is refused."""
    async with core.database.transaction() as session:
        await sessions.end_if_replayed(session, core, token, client=client_of(connection))


def bearer_of(connection: HTTPConnection) -> str | None:
    scheme, _, token = connection.headers.get("authorization", "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None
