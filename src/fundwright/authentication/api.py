"""Routes for signing in and out, email confirmation, password reset, sessions, and API tokens."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import profile
from fundwright.accounts.dependencies import CurrentActor, Export, client_of, current_actor
from fundwright.accounts.schemas import AccountUser
from fundwright.authentication import api_tokens, email_confirmation, one_time_secrets, passkeys, recovery, service, sessions
from fundwright.authentication.request_authentication import TokenInvalid, bearer_of, end_if_replayed
from fundwright.authentication.schemas import (
    ApiTokenCreated,
    ApiTokenQuery,
    ApiTokenRead,
    ResetChoices,
    ResetRead,
    SessionQuery,
    SessionRead,
    SignedIn,
    SignInRefusal,
    SignInRefused,
    TokenScope,
)
from fundwright.core.assembly import Core
from fundwright.core.cookies import cookie_name, device_cookie_name, is_https, set_cookie
from fundwright.core.messages import current_language, t
from fundwright.core.origins import refuse_foreign_page, require_same_origin
from fundwright.core.paging import Page
from fundwright.core.settings import Settings
from fundwright.core.web import CoreDep, CsvDownload, DbSession, error_body

router = APIRouter(tags=["authentication"])


class SignInForm(BaseModel):
    """Email and password are not validated; only a match is checked."""

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
    """The result of `navigator.credentials.get` as JSON."""

    model_config = ConfigDict(frozen=True)

    credential: str = Field(max_length=20_000)
    remember: bool = True


class PasskeyOptions(BaseModel):
    """The `publicKey` argument of `navigator.credentials.get` or `create` as JSON."""

    model_config = ConfigDict(frozen=True)

    options: str


class EmailForm(BaseModel):
    model_config = ConfigDict(frozen=True)

    email: str = Field(max_length=1_000)


class ConfirmForm(BaseModel):
    """`link` is the last part of the address in the email."""

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
    """The code of a sign-in over the socket, or a token saved by the browser, or neither: then the cookie's session continues."""

    model_config = ConfigDict(frozen=True)

    code: str | None = Field(default=None, max_length=1_000)
    token: str | None = Field(default=None, max_length=10_000)


class SessionAnswer(BaseModel):
    """`remember` says whether the browser keeps the token after it is closed."""

    model_config = ConfigDict(frozen=True)

    token: str
    remember: bool


class ApiTokenForm(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: str = Field(max_length=200)
    scope: TokenScope = TokenScope.READ
    lasts_days: int = Field(default=90, ge=1, le=366)


@router.post("/signin")
async def sign_in(form: SignInForm, request: Request, response: Response, core: CoreDep, session: DbSession) -> SignInAnswer:
    """Sign in. The `flag` of the response is `success` or `error`; the status is 200 in both cases."""
    refuse_foreign_page(request)
    result = await service.sign_in(
        session,
        core,
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
    """Exchange a handover code, or a token that the browser has saved, for the session cookie, and an old token for its
    successor."""
    refuse_foreign_page(request)
    if form.code:
        signed_in = await service.redeem_handover(session, core, form.code, client=client_of(request))
    else:
        token = form.token or request.cookies.get(cookie_name(core.settings), "")
        signed_in = await sessions.resume(session, core, token)
        if signed_in is None:
            await end_if_replayed(core, token, request)
            raise TokenInvalid
    _set_session_cookies(response, core.settings, signed_in)
    return SessionAnswer(token=signed_in.token, remember=signed_in.max_age_s is not None)


@router.delete("/session", status_code=204)
async def sign_out(request: Request, response: Response, core: CoreDep, session: DbSession) -> None:
    """Sign out: the session ends on the server. Signing out twice is not an error."""
    name = cookie_name(core.settings)
    bearer = bearer_of(request)
    token = bearer or request.cookies.get(name)
    if token:
        if not bearer:
            require_same_origin(request)
        actor = await service.authenticate(session, core, token)
        if actor:
            await service.sign_out(session, actor, client=client_of(request))
    response.delete_cookie(name, path="/", secure=is_https(core.settings), httponly=True, samesite="lax")


@router.post("/api/account/login", response_model=AccountAnswer)
async def log_in(
    form: LoginWithCodeForm, request: Request, response: Response, core: CoreDep, session: DbSession
) -> AccountAnswer | JSONResponse:
    """Sign in for programs. Unlike `/signin` it says whether the email or the password was wrong, unless errors are uniform."""
    refuse_foreign_page(request)
    result = await service.sign_in(
        session, core, email=form.email, password=form.password, code=form.code, remember=True, client=client_of(request)
    )
    if isinstance(result, SignInRefused):
        match result.reason:
            case SignInRefusal.UNVERIFIED:
                return refused(403, "EmailNotConfirmed", result.sentence)
            case SignInRefusal.CODE_NEEDED:
                return refused(403, "CodeNeeded", result.sentence)
            case SignInRefusal.WRONG_CODE:
                return refused(403, "WrongCode", result.sentence)
            case _ if core.settings.uniform_errors:
                return refused(400, "NotSignedIn", result.sentence)
            case SignInRefusal.UNKNOWN_EMAIL:
                return refused(400, "UnknownEmail", "There is no user corresponding to the email address.")
            case SignInRefusal.WRONG_PASSWORD:
                return refused(400, "WrongPassword", "Wrong password")
            case _:
                return refused(429, "SignInPaused", result.sentence)
    return await entered(session, core, result, response)


@router.post("/api/account/login/passkey-options")
async def start_passkey(request: Request, core: CoreDep, session: DbSession) -> PasskeyOptions:
    """Begin to sign in with a passkey. The options are valid for one attempt, within five minutes."""
    refuse_foreign_page(request)
    return PasskeyOptions(options=await passkeys.start_sign_in(session, core))


@router.post("/api/account/login/passkey", response_model=AccountAnswer)
async def log_in_with_passkey(
    form: PasskeyForm, request: Request, response: Response, core: CoreDep, session: DbSession
) -> AccountAnswer | JSONResponse:
    """Sign in with a passkey. It counts as both steps of two-step verification."""
    refuse_foreign_page(request)
    client = client_of(request)
    code = await passkeys.sign_in(session, core, credential=form.credential, remember=form.remember, client=client)
    if isinstance(code, SignInRefused):
        return refused(403, "NotSignedIn", code.sentence)
    return await entered(session, core, await service.redeem_handover(session, core, code, client=client), response)


@router.post("/api/account/verify", response_model=AccountAnswer)
async def confirm_email(
    form: ConfirmForm, request: Request, response: Response, core: CoreDep, session: DbSession
) -> AccountAnswer | JSONResponse:
    """Confirm an address with the `link` of the email and the password that was registered, and sign in."""
    refuse_foreign_page(request)
    client = client_of(request)
    code = await email_confirmation.confirm_email(session, core, secret=form.link, password=form.password, client=client)
    if isinstance(code, SignInRefused):
        return refused(400, "NotSignedIn", code.sentence)
    return await entered(session, core, await service.redeem_handover(session, core, code, client=client), response)


@router.post("/api/account/resend-verification", status_code=202)
async def ask_to_confirm_again(form: EmailForm, request: Request, core: CoreDep, session: DbSession) -> None:
    """Send the email again. The response is the same whether or not the address is waiting to be confirmed."""
    refuse_foreign_page(request)
    await email_confirmation.ask_to_confirm_again(
        session, core, email=form.email, language=current_language(), client=client_of(request)
    )


@router.post("/api/account/reset-password", status_code=202)
async def ask_for_reset(form: EmailForm, request: Request, core: CoreDep, session: DbSession) -> None:
    """Send a link for a new password. The response is the same whether or not the address has an account."""
    refuse_foreign_page(request)
    await recovery.ask_for_reset(session, core, email=form.email, language=current_language(), client=client_of(request))


@router.post("/api/account/reset-choices")
async def find_reset(form: LinkForm, request: Request, session: DbSession) -> ResetRead:
    """List the passkeys and the authenticator app that the holder of a reset `link` may keep or remove. Returns 410 if it does
    not work."""
    refuse_foreign_page(request)
    found = await recovery.find_reset(session, form.link)
    if found is None:
        raise one_time_secrets.LinkSpent(t("This link"), t("Request a new one."))
    return found


@router.post("/api/account/confirm-reset", status_code=204, response_model=None)
async def reset_password(
    form: ResetForm, request: Request, response: Response, core: CoreDep, session: DbSession
) -> JSONResponse | None:
    """Choose a new `password` with the `link` of the email. Every session and API token of the account ends, unless
    `end_everything` is false. Sets a cookie, so that wrong passwords entered by others do not delay signing in with the new
    one."""
    refuse_foreign_page(request)
    result = await recovery.reset_password(
        session, core, secret=form.link, password=form.password, client=client_of(request), choices=form
    )
    if not isinstance(result, SignInRefused):
        max_age_s = int(recovery.KNOWN_AFTER_RESET.total_seconds())
        set_cookie(response, core.settings, device_cookie_name(core.settings), result.device, max_age_s=max_age_s)
        return None
    return refused(403, "CodeNeeded" if result.reason is SignInRefusal.CODE_NEEDED else "WrongCode", result.sentence)


@router.get("/api/account/my-account", response_model=MyAccountAnswer)
async def my_account(request: Request, core: CoreDep, session: DbSession) -> MyAccountAnswer | JSONResponse:
    """Return the account of the bearer token."""
    token = bearer_of(request)
    if not token:
        return refused(401, "TokenMissing", "Authorization token missing")
    try:
        actor = await current_actor(request, core)
    except TokenInvalid as error:
        return refused(error.status, "TokenInvalid", error.sentence)
    return MyAccountAnswer(user=await profile.get_user(session, actor))


@router.get("/api/account/sessions")
async def list_sessions(session: DbSession, actor: CurrentActor, request: Annotated[SessionQuery, Query()]) -> Page[SessionRead]:
    return await service.list_sessions(session, actor, request)


@router.get("/api/account/sessions/export.csv", response_class=CsvDownload)
async def export_sessions(export: Export, actor: CurrentActor, request: Annotated[SessionQuery, Query()]) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    return export("sessions.csv", lambda session: service.export_sessions(session, actor, request))


@router.delete("/api/account/sessions/{session_id}", status_code=204)
async def end_session(session_id: UUID, request: Request, session: DbSession, actor: CurrentActor) -> None:
    await service.end_session(session, actor, session_id, client=client_of(request))


@router.get("/api/account/tokens")
async def list_api_tokens(
    session: DbSession, actor: CurrentActor, request: Annotated[ApiTokenQuery, Query()]
) -> Page[ApiTokenRead]:
    return await api_tokens.list_api_tokens(session, actor, request)


@router.get("/api/account/tokens/export.csv", response_class=CsvDownload)
async def export_api_tokens(export: Export, actor: CurrentActor, request: Annotated[ApiTokenQuery, Query()]) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    return export("tokens.csv", lambda session: api_tokens.export_api_tokens(session, actor, request))


@router.post("/api/account/tokens", status_code=201)
async def create_api_token(
    form: ApiTokenForm, request: Request, core: CoreDep, session: DbSession, actor: CurrentActor
) -> ApiTokenCreated:
    """Create an API token. Only this response contains its secret."""
    return await api_tokens.create_api_token(
        session, actor, core, name=form.name, scope=form.scope, lasts_days=form.lasts_days, client=client_of(request)
    )


@router.delete("/api/account/tokens/{token_id}")
async def revoke_api_token(token_id: UUID, request: Request, session: DbSession, actor: CurrentActor) -> ApiTokenRead:
    return await api_tokens.revoke_api_token(session, actor, token_id, client=client_of(request))


async def entered(session: AsyncSession, core: Core, signed_in: SignedIn, response: Response) -> AccountAnswer:
    _set_session_cookies(response, core.settings, signed_in)
    return AccountAnswer(access_token=signed_in.token, user=await profile.get_user(session, signed_in.actor))


def refused(status: int, code: str, message: str) -> JSONResponse:
    """The common format of errors, with `message` also at the top level, where the specification's client reads it."""
    return JSONResponse({**error_body(code, message), "message": message}, status_code=status)


def _set_session_cookies(response: Response, settings: Settings, signed_in: SignedIn) -> None:
    set_cookie(response, settings, cookie_name(settings), signed_in.token, max_age_s=signed_in.max_age_s)
    if signed_in.device:
        max_age_s = int(sessions.KNOWN_FOR.total_seconds()) if signed_in.max_age_s is not None else None
        set_cookie(response, settings, device_cookie_name(settings), signed_in.device, max_age_s=max_age_s)
    response.headers["Cache-Control"] = "no-store"
