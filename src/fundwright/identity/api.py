"""Routes of identity, and the dependencies by which every slice's routes learn who is asking."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Annotated, Literal
from urllib.parse import urlsplit
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.requests import HTTPConnection
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.assembly import Core
from fundwright.core.errors import FundwrightError, UnderMaintenance
from fundwright.core.mail import MailRead
from fundwright.core.messages import current_language, set_language, t
from fundwright.core.paging import Page, PageRequest
from fundwright.core.settings import Settings
from fundwright.core.turns import FairShares
from fundwright.core.web import SAFE_METHODS, CoreDep, CsvDownload, DbSession, csv_download, error_body
from fundwright.identity import account, audit, entry, outbox, passkeys, recovery, registration, service, sessions, tokens
from fundwright.identity.permissions import require
from fundwright.identity.schemas import (
    AccountUser,
    Actor,
    ApiTokenCreated,
    ApiTokenRead,
    Client,
    InvitationQuery,
    InvitationRead,
    Language,
    Permission,
    Refusal,
    ResetChoices,
    ResetRead,
    Role,
    SessionRead,
    SignedIn,
    SignInRefused,
    TokenScope,
)
from fundwright.identity.tokens import API_TOKEN_PREFIX

router = APIRouter(tags=["identity"])

_OPEN_IN_MAINTENANCE = ("/signin", "/session", "/api/account/login", "/api/health")
_REQUESTS_AT_ONCE = 4
_VISITOR_BYTES = 16
_VISITOR_CHARACTERS = 22


class TokenMissing(FundwrightError):
    """The specification gives the text."""

    status = 401

    def __init__(self) -> None:
        super().__init__("Authorization token missing")


class TokenInvalid(FundwrightError):
    """The specification gives the text."""

    status = 401

    def __init__(self) -> None:
        super().__init__("Invalid authorization token")


class ForeignOrigin(FundwrightError):
    status = 403

    def __init__(self) -> None:
        super().__init__(
            t(
                "The request came from another site. Send it from this site, with a bearer token, or with the header "
                "X-Requested-With."
            )
        )


class ReadOnlyToken(FundwrightError):
    status = 403

    def __init__(self) -> None:
        super().__init__(t("This API token may only read. Make one with scope `write` to change things."))


def cookie_name(settings: Settings) -> str:
    """Name of the session cookie. Over https it is bound to this very host."""
    return "__Host-session" if _is_https(settings) else "session"


def device_cookie_name(settings: Settings) -> str:
    """Name of the cookie by which a browser is recognized in which accounts have signed in."""
    return "__Host-device" if _is_https(settings) else "device"


def visitor_of(connection: HTTPConnection) -> str:
    """Which of the signed-out visitors at one network address this is, by a cookie that anybody can make up: it grants nothing."""
    visitor = connection.cookies.get(_visitor_cookie_name(connection.app.state.core.settings), "")
    return visitor if len(visitor) == _VISITOR_CHARACTERS else ""


def set_visitor_cookie(response: Response, settings: Settings) -> None:
    """Distinguish this visitor from others at the same address until the browser is closed."""
    _set_cookie(response, settings, _visitor_cookie_name(settings), secrets.token_urlsafe(_VISITOR_BYTES))


def _visitor_cookie_name(settings: Settings) -> str:
    return "__Host-visitor" if _is_https(settings) else "visitor"


def client_of(connection: HTTPConnection) -> Client:
    """Who is at the other end of the connection, or of the one to a trusted proxy. Others' X-Forwarded-For is not believed."""
    address = connection.client.host if connection.client else ""
    device = connection.cookies.get(device_cookie_name(connection.app.state.core.settings))
    return Client(
        address=address,
        user_agent=connection.headers.get("user-agent", ""),
        is_browser=not _is_silent(connection),
        device=tokens.digest(device) if device else "",
    )


RequestClient = Annotated[Client, Depends(client_of)]
"""Where the request comes from, as the audit trail notes it."""


async def authenticate(core: Core, connection: HTTPConnection, *, is_use: bool = True) -> Actor | None:
    """Who opens a page or a socket, going by the cookie. Signed out is None."""
    token = connection.cookies.get(cookie_name(core.settings))
    if not token:
        return None
    async with core.database.transaction() as session:
        actor = await service.authenticate(core, session, token, is_use=is_use)
    if actor is None:
        await _end_if_replayed(core, token, connection)
    return actor


def session_named_by(core: Core, connection: HTTPConnection) -> UUID | None:
    """The session that the cookie names, if the cookie is signed by us and not expired. Does not check in the database whether
    the session has ended: enough to identify a page, not to act for its account."""
    payload = tokens.read(core, connection.cookies.get(cookie_name(core.settings), ""))
    return payload.sid if payload else None


async def recognise(core: Core, actor: Actor, *, is_use: bool) -> Actor | None:
    """The actor of an open page as of now; None once the session has ended."""
    async with core.database.reading() as session:
        found = await sessions.recognise(core, session, actor)
    if found is None:
        return None
    row, present = found
    if is_use and sessions.is_touch_due(row):
        async with core.database.transaction() as session:
            await sessions.touch(session, row)
    return present


def require_same_origin(request: Request) -> None:
    """Raise ForeignOrigin unless the browser says that one of our pages sent this, or a script sets X-Requested-With."""
    if not (_is_ours(request) or (_is_silent(request) and "x-requested-with" in request.headers)):
        raise ForeignOrigin


async def _current_actor(request: Request, core: CoreDep) -> Actor:
    """Runs in its own transaction: a route may wait for an upload or a language model, and must not hold a connection."""
    bearer = _bearer(request)
    if bearer and bearer.startswith(API_TOKEN_PREFIX):
        async with core.database.transaction() as session:
            holder = await service.authenticate_api_token(session, bearer)
        if holder is None:
            raise TokenInvalid
        actor, scope = holder
        if scope is TokenScope.READ and request.method not in SAFE_METHODS:
            raise ReadOnlyToken
        return _spoken_to(actor)
    token = bearer or request.cookies.get(cookie_name(core.settings))
    if not token:
        raise TokenMissing
    async with core.database.transaction() as session:
        actor = await service.authenticate(core, session, token)
    if actor is None:
        await _end_if_replayed(core, token, request)
        raise TokenInvalid
    if not bearer and request.method not in SAFE_METHODS:
        require_same_origin(request)
    return _spoken_to(actor)


def _spoken_to(actor: Actor) -> Actor:
    """From here on the request is answered in the language of the account."""
    if actor.language is not None:
        set_language(actor.language)
    return actor


Uploader = Annotated[Actor, Depends(_current_actor, scope="function")]
"""As `CurrentActor`, for a request whose body may take minutes to arrive. The route uses `turn_of` once it has the body."""


def turn_of(core: Core, actor: Actor) -> AbstractAsyncContextManager[None]:
    """Limits how many database connections the requests of one account use at a time. Further requests wait before they open one."""
    shares: FairShares = core.cache.setdefault(f"{__name__}.shares", FairShares(_REQUESTS_AT_ONCE))
    return shares.turn(actor.id)


async def _in_turn(core: CoreDep, actor: Uploader) -> AsyncIterator[Actor]:
    async with turn_of(core, actor):
        yield actor


CurrentActor = Annotated[Actor, Depends(_in_turn, scope="function")]
"""Whoever sends the request: by bearer token (a session token or an API token), else by the session cookie.

Of many requests of one account, a few are answered at once and the others wait."""


CsvExport = Callable[[str, Callable[[AsyncSession], AsyncIterator[str]]], CsvDownload]


def _recorded_export(core: CoreDep, actor: CurrentActor, client: RequestClient) -> CsvExport:
    def export(name: str, lines: Callable[[AsyncSession], AsyncIterator[str]]) -> CsvDownload:
        async def recorded(session: AsyncSession) -> AsyncIterator[str]:
            async for line in lines(session):
                yield line
            await audit.record(session, "export", actor=actor, subject=name, client=client)

        return csv_download(core, name, recorded)

    return export


Export = Annotated[CsvExport, Depends(_recorded_export, scope="function")]
"""Makes a CSV file for the actor, as `csv_download` does, and records it in the audit trail before anything is sent."""


async def refuse_in_maintenance(base: str, request: Request, core: CoreDep) -> None:
    """Let only administrators go on, whoever signs in or out, since it may be one of them, and health checks. `base` is the path prefix. Raises UnderMaintenance."""
    if request.scope["path"] in [base + path for path in _OPEN_IN_MAINTENANCE]:
        return
    try:
        actor = await _current_actor(request, core)
    except FundwrightError:
        actor = None
    if actor is None or not actor.may(Permission.ADMINISTER):
        raise UnderMaintenance(core.settings.maintenance)


class SignInForm(BaseModel):
    """Email and password are taken as they come; only a match is checked."""

    model_config = ConfigDict(frozen=True)

    email: str = Field(max_length=1_000)
    password: str = Field(max_length=10_000)
    remember: bool = True
    code: str = Field(
        default="", max_length=100, description="Of the authenticator app, or a recovery code, where two-step verification is on."
    )


class SignInAnswer(BaseModel):
    model_config = ConfigDict(frozen=True)

    flag: Literal["success", "error"]
    token: str | None = None
    error: str | None = None


class LoginForm(BaseModel):
    model_config = ConfigDict(frozen=True)

    email: str = Field(max_length=1_000)
    password: str = Field(max_length=10_000)


class LoginWithCodeForm(LoginForm):
    code: str = Field(
        default="", max_length=100, description="Of the authenticator app, or a recovery code, where two-step verification is on."
    )


class PasskeyForm(BaseModel):
    """What `navigator.credentials.get` answered, as JSON."""

    model_config = ConfigDict(frozen=True)

    credential: str = Field(max_length=20_000)
    remember: bool = True


class PasskeyOptions(BaseModel):
    """What `navigator.credentials.get` or `create` takes as `publicKey`, as JSON."""

    model_config = ConfigDict(frozen=True)

    options: str


class RegisterForm(LoginForm):
    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True)

    first_name: str = Field(max_length=100)
    last_name: str = Field(max_length=100)


class EmailForm(BaseModel):
    model_config = ConfigDict(frozen=True)

    email: str = Field(max_length=1_000)


class ConfirmForm(BaseModel):
    """`link` is the last part of the address in the letter."""

    model_config = ConfigDict(frozen=True)

    link: str = Field(max_length=1_000)
    password: str = Field(max_length=10_000)


class LinkForm(BaseModel):
    """`link` is the last part of the address in the email."""

    model_config = ConfigDict(frozen=True)

    link: str = Field(max_length=1_000)


class ResetForm(ConfirmForm, ResetChoices):
    """`link` is the last part of the address in the email."""


class AccountAnswer(BaseModel):
    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True)

    access_token: str
    user: AccountUser


class MyAccountAnswer(BaseModel):
    model_config = ConfigDict(frozen=True)

    user: AccountUser


class SessionForm(BaseModel):
    """The code of a sign-in over the socket, or a token kept by the browser, or neither: then the cookie's session goes on."""

    model_config = ConfigDict(frozen=True)

    code: str | None = Field(default=None, max_length=1_000)
    token: str | None = Field(default=None, max_length=10_000)


class SessionAnswer(BaseModel):
    """`remember` says whether the browser keeps the token beyond its own session."""

    model_config = ConfigDict(frozen=True)

    token: str
    remember: bool


class InvitationForm(BaseModel):
    model_config = ConfigDict(frozen=True)

    email: str = Field(max_length=1_000)
    role: Role = Role.USER


class LanguageForm(BaseModel):
    model_config = ConfigDict(frozen=True)

    language: Language


class ApiTokenForm(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: str = Field(max_length=200)
    scope: TokenScope = TokenScope.READ
    lasts_days: int = Field(default=90, ge=1, le=366)


@router.post("/signin")
async def sign_in(form: SignInForm, request: Request, response: Response, core: CoreDep, session: DbSession) -> SignInAnswer:
    """Sign in. The answer's `flag` is `success` or `error`; the status is 200 in both cases."""
    refuse_foreign_page(request)
    result = await service.sign_in(
        core,
        session,
        email=form.email,
        password=form.password,
        code=form.code,
        remember=form.remember,
        client=client_of(request),
    )
    if isinstance(result, SignInRefused):
        return SignInAnswer(flag="error", error=result.sentence)
    _set_session_cookies(response, core.settings, result)
    return SignInAnswer(flag="success", token=result.token)


@router.post("/session")
async def begin_session(
    form: SessionForm, request: Request, response: Response, core: CoreDep, session: DbSession
) -> SessionAnswer:
    """Turn a handover code, or a token that the browser kept, into the session cookie; and an old token into its successor."""
    refuse_foreign_page(request)
    if form.code:
        signed_in = await service.redeem_handover(core, session, form.code, client=client_of(request))
    else:
        token = form.token or request.cookies.get(cookie_name(core.settings), "")
        signed_in = await sessions.resume(core, session, token)
        if signed_in is None:
            await _end_if_replayed(core, token, request)
            raise TokenInvalid
    _set_session_cookies(response, core.settings, signed_in)
    return SessionAnswer(token=signed_in.token, remember=signed_in.max_age_s is not None)


@router.delete("/session", status_code=204)
async def sign_out(request: Request, response: Response, core: CoreDep, session: DbSession) -> None:
    """Sign out: the session ends on the server. Signing out twice is no error."""
    name = cookie_name(core.settings)
    bearer = _bearer(request)
    token = bearer or request.cookies.get(name)
    if token:
        if not bearer:
            require_same_origin(request)
        actor = await service.authenticate(core, session, token)
        if actor:
            await service.sign_out(session, actor, client=client_of(request))
    response.delete_cookie(name, path="/", secure=_is_https(core.settings), httponly=True, samesite="lax")


@router.post("/api/account/login", response_model=AccountAnswer)
async def log_in(
    form: LoginWithCodeForm, request: Request, response: Response, core: CoreDep, session: DbSession
) -> AccountAnswer | JSONResponse:
    """Sign in for programs. Unlike `/signin` it says whether the email or the password was wrong, unless errors are uniform."""
    refuse_foreign_page(request)
    result = await service.sign_in(
        core, session, email=form.email, password=form.password, code=form.code, remember=True, client=client_of(request)
    )
    if isinstance(result, SignInRefused):
        match result.reason:
            case Refusal.UNVERIFIED:
                return _refused(403, "EmailNotConfirmed", result.sentence)
            case Refusal.CODE_NEEDED:
                return _refused(403, "CodeNeeded", result.sentence)
            case Refusal.WRONG_CODE:
                return _refused(403, "WrongCode", result.sentence)
            case _ if core.settings.uniform_errors:
                return _refused(400, "NotSignedIn", result.sentence)
            case Refusal.UNKNOWN_EMAIL:
                return _refused(400, "UnknownEmail", "There is no user corresponding to the email address.")
            case Refusal.WRONG_PASSWORD:
                return _refused(400, "WrongPassword", "Wrong password")
            case _:
                return _refused(429, "SignInPaused", result.sentence)
    return await _entered(result, response, core, session)


@router.post("/api/account/login/passkey-options")
async def start_passkey(request: Request, core: CoreDep, session: DbSession) -> PasskeyOptions:
    """Begin to sign in with a passkey. The answer is good for one try, within five minutes."""
    refuse_foreign_page(request)
    return PasskeyOptions(options=await passkeys.start_sign_in(core, session))


@router.post("/api/account/login/passkey", response_model=AccountAnswer)
async def log_in_with_passkey(
    form: PasskeyForm, request: Request, response: Response, core: CoreDep, session: DbSession
) -> AccountAnswer | JSONResponse:
    """Sign in with a passkey. It counts as both steps of two-step verification."""
    refuse_foreign_page(request)
    client = client_of(request)
    code = await passkeys.sign_in(core, session, credential=form.credential, remember=form.remember, client=client)
    if isinstance(code, SignInRefused):
        return _refused(403, "NotSignedIn", code.sentence)
    return await _entered(await service.redeem_handover(core, session, code, client=client), response, core, session)


@router.post("/api/account/register", response_model=AccountAnswer)
async def register(
    form: RegisterForm, request: Request, response: Response, core: CoreDep, session: DbSession
) -> AccountAnswer | JSONResponse:
    """Register and sign in, where the installation is open to strangers. Where errors are uniform, a letter tells how to go on."""
    refuse_foreign_page(request)
    name, client = f"{form.first_name} {form.last_name}".strip(), client_of(request)
    try:
        if not core.settings.uniform_errors:
            await registration.count_request(session, email=form.email, client=client)
        async with session.begin_nested():
            if core.settings.uniform_errors:
                kind, token = registration.OPEN
                await registration.register_by_link(
                    core, session, type=kind, token=token, email=form.email, name=name, password=form.password,
                    language=current_language(), client=client,
                )  # fmt: skip
                return JSONResponse({"message": registration.LETTER_SENT}, status_code=202)
            result = await registration.register(
                core, session, email=form.email, name=name, password=form.password, client=client
            )
    except FundwrightError as error:
        return _refused(error.status, type(error).__name__, error.sentence)
    return await _entered(result, response, core, session)


@router.post("/api/account/verify", response_model=AccountAnswer)
async def confirm_email(
    form: ConfirmForm, request: Request, response: Response, core: CoreDep, session: DbSession
) -> AccountAnswer | JSONResponse:
    """Confirm an address by the `link` of the letter and the password that was registered, and sign in."""
    refuse_foreign_page(request)
    client = client_of(request)
    code = await registration.confirm_email(core, session, secret=form.link, password=form.password, client=client)
    if isinstance(code, SignInRefused):
        return _refused(400, "NotSignedIn", code.sentence)
    return await _entered(await service.redeem_handover(core, session, code, client=client), response, core, session)


@router.post("/api/account/resend-verification", status_code=202)
async def ask_to_confirm_again(form: EmailForm, request: Request, core: CoreDep, session: DbSession) -> None:
    """Send the letter once more. The answer is the same whether the address waits to be confirmed or not."""
    refuse_foreign_page(request)
    await registration.ask_to_confirm_again(
        core, session, email=form.email, language=current_language(), client=client_of(request)
    )


@router.post("/api/account/reset-password", status_code=202)
async def ask_for_reset(form: EmailForm, request: Request, core: CoreDep, session: DbSession) -> None:
    """Send a link for a new password. The answer is the same whether the address has an account or not."""
    refuse_foreign_page(request)
    await recovery.ask_for_reset(core, session, email=form.email, language=current_language(), client=client_of(request))


@router.post("/api/account/reset-choices")
async def find_reset(form: LinkForm, request: Request, session: DbSession) -> ResetRead:
    """The passkeys and the authenticator app that the holder of a reset `link` may keep or remove; 410 when it does not work."""
    refuse_foreign_page(request)
    found = await recovery.find_reset(session, form.link)
    if found is None:
        raise entry.LinkSpent(t("This link"), t("Ask for a new one."))
    return found


@router.post("/api/account/confirm-reset", status_code=204, response_model=None)
async def reset_password(
    form: ResetForm, request: Request, response: Response, core: CoreDep, session: DbSession
) -> JSONResponse | None:
    """Choose a new `password` by the `link` of the email. Every session and API token of the account ends, unless `end_everything` is
    false. Sets a cookie by which signing in with the new password is not paused by wrong passwords of others."""
    refuse_foreign_page(request)
    result = await recovery.reset_password(
        core, session, secret=form.link, password=form.password, client=client_of(request), choices=form
    )
    if not isinstance(result, SignInRefused):
        max_age_s = int(recovery.KNOWN_AFTER_RESET.total_seconds())
        _set_cookie(response, core.settings, device_cookie_name(core.settings), result, max_age_s=max_age_s)
        return None
    return _refused(403, "CodeNeeded" if result.reason is Refusal.CODE_NEEDED else "WrongCode", result.sentence)


@router.get("/api/account/my-account", response_model=MyAccountAnswer)
async def my_account(request: Request, core: CoreDep, session: DbSession) -> MyAccountAnswer | JSONResponse:
    """The account that the bearer token belongs to."""
    token = _bearer(request)
    if not token:
        return _refused(401, "TokenMissing", "Authorization token missing")
    try:
        actor = await _current_actor(request, core)
    except TokenInvalid as error:
        return _refused(error.status, "TokenInvalid", error.sentence)
    return MyAccountAnswer(user=await service.get_user(session, actor))


@router.put("/api/account/language", status_code=204)
async def choose_language(form: LanguageForm, session: DbSession, actor: CurrentActor) -> None:
    await service.choose_language(session, actor, form.language)


@router.get("/api/account/sessions")
async def list_sessions(session: DbSession, actor: CurrentActor, request: Annotated[PageRequest, Query()]) -> Page[SessionRead]:
    return await service.list_sessions(session, actor, request)


@router.get("/api/account/sessions/export.csv", response_class=CsvDownload)
async def export_sessions(export: Export, actor: CurrentActor, request: Annotated[PageRequest, Query()]) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    return export("sessions.csv", lambda session: service.export_sessions(session, actor, request))


@router.delete("/api/account/sessions/{session_id}", status_code=204)
async def end_session(session_id: UUID, request: Request, session: DbSession, actor: CurrentActor) -> None:
    await service.end_session(session, actor, session_id, client=client_of(request))


@router.get("/api/mails")
async def list_mails(
    core: CoreDep, actor: CurrentActor, client: RequestClient, request: Annotated[PageRequest, Query()]
) -> Page[MailRead]:
    """List the outbox, newest first, without the messages. For administrators who have just confirmed who they are."""
    async with core.database.transaction() as session:  # reading it is recorded
        return await outbox.list_mails(session, actor, request, client=client)


@router.get("/api/mails/export.csv", response_class=CsvDownload)
async def export_mails(export: Export, actor: CurrentActor, request: Annotated[PageRequest, Query()]) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    require(actor, Permission.ADMINISTER)
    return export("emails.csv", lambda session: outbox.export_mails(session, actor, request))


@router.get("/api/invitations")
async def list_invitations(
    session: DbSession, actor: CurrentActor, query: Annotated[InvitationQuery, Query()]
) -> Page[InvitationRead]:
    """List invitations in every state, newest first unless `sort` says otherwise."""
    return await registration.list_invitations(session, actor, query)


@router.get("/api/invitations/export.csv", response_class=CsvDownload)
async def export_invitations(export: Export, actor: CurrentActor, query: Annotated[InvitationQuery, Query()]) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    require(actor, Permission.OVERSEE)
    return export("invitations.csv", lambda session: registration.export_invitations(session, actor, query))


@router.post("/api/invitations", status_code=201)
async def invite(
    form: InvitationForm, request: Request, core: CoreDep, session: DbSession, actor: CurrentActor
) -> InvitationRead:
    """Send somebody a link by which to register. For administrators."""
    return await registration.invite(core, session, actor, email=form.email, role=form.role, client=client_of(request))


@router.delete("/api/invitations/{invitation_id}", status_code=204)
async def withdraw_invitation(invitation_id: UUID, request: Request, session: DbSession, actor: CurrentActor) -> None:
    """Withdraw an invitation, so that its link stops working; 409 when it was accepted."""
    await registration.withdraw_invitation(session, actor, invitation_id, client=client_of(request))


@router.get("/api/account/tokens")
async def list_api_tokens(
    session: DbSession, actor: CurrentActor, request: Annotated[PageRequest, Query()]
) -> Page[ApiTokenRead]:
    return await service.list_api_tokens(session, actor, request)


@router.get("/api/account/tokens/export.csv", response_class=CsvDownload)
async def export_api_tokens(export: Export, actor: CurrentActor, request: Annotated[PageRequest, Query()]) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    return export("tokens.csv", lambda session: service.export_api_tokens(session, actor, request))


@router.post("/api/account/tokens", status_code=201)
async def create_api_token(
    form: ApiTokenForm, request: Request, core: CoreDep, session: DbSession, actor: CurrentActor
) -> ApiTokenCreated:
    """Make an API token. This answer is the only place where its secret can be read."""
    return await account.make_api_token(
        core, session, actor, name=form.name, scope=form.scope, lasts_days=form.lasts_days, client=client_of(request)
    )


@router.delete("/api/account/tokens/{token_id}")
async def revoke_api_token(token_id: UUID, request: Request, session: DbSession, actor: CurrentActor) -> ApiTokenRead:
    return await service.revoke_api_token(session, actor, token_id, client=client_of(request))


async def _end_if_replayed(core: Core, token: str, connection: HTTPConnection) -> None:
    """In a transaction of its own: that of the request rolls back with the refusal."""
    async with core.database.transaction() as session:
        await sessions.end_if_replayed(core, session, token, client=client_of(connection))


async def _entered(signed_in: SignedIn, response: Response, core: Core, session: AsyncSession) -> AccountAnswer:
    _set_session_cookies(response, core.settings, signed_in)
    return AccountAnswer(access_token=signed_in.token, user=await service.get_user(session, signed_in.actor))


def _refused(status: int, code: str, message: str) -> JSONResponse:
    """The common shape of errors, with `message` on top as well, where the specification's client reads it."""
    return JSONResponse({**error_body(code, message), "message": message}, status_code=status)


def _bearer(request: Request) -> str | None:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


def _set_session_cookies(response: Response, settings: Settings, signed_in: SignedIn) -> None:
    _set_cookie(response, settings, cookie_name(settings), signed_in.token, max_age_s=signed_in.max_age_s)
    if signed_in.device:
        max_age_s = int(entry.KNOWN_FOR.total_seconds()) if signed_in.max_age_s is not None else None
        _set_cookie(response, settings, device_cookie_name(settings), signed_in.device, max_age_s=max_age_s)
    response.headers["Cache-Control"] = "no-store"


def _set_cookie(response: Response, settings: Settings, name: str, value: str, *, max_age_s: int | None = None) -> None:
    """Without `max_age_s`, the cookie lives until the browser is closed."""
    response.set_cookie(name, value, max_age=max_age_s, path="/", secure=_is_https(settings), httponly=True, samesite="lax")


def _is_https(settings: Settings) -> bool:
    return settings.public_url is not None and settings.public_url.startswith("https://")


def refuse_foreign_page(request: Request) -> None:
    """For requests that set the cookie: another site's page must not sign its visitor in to somebody else's account."""
    if not (_is_ours(request) or _is_silent(request)):
        raise ForeignOrigin


def _is_silent(request: HTTPConnection) -> bool:
    """Neither header that browsers send with requests of pages: a program, or a very old browser."""
    return "sec-fetch-site" not in request.headers and "origin" not in request.headers


def _is_ours(request: Request) -> bool:
    if (site := request.headers.get("sec-fetch-site")) is not None:
        return site == "same-origin"
    origin = request.headers.get("origin")
    if origin is None:
        return False
    settings: Settings = request.app.state.core.settings
    if settings.public_url:
        public = urlsplit(settings.public_url)
        return origin in (f"{public.scheme}://{public.netloc}", *settings.allowed_origins)
    # A page cannot choose the Host header of its requests, so it tells where the browser believes to be.
    return origin in (f"{request.url.scheme}://{request.headers.get('host')}", *settings.allowed_origins)
