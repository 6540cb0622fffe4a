"""Routes for two-step verification, passkeys, and re-authentication."""

from __future__ import annotations

from uuid import UUID

from fastapi import APIRouter
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from fundwright.accounts.dependencies import CurrentActor, Export, RequestClient
from fundwright.authentication import passkeys, reauthentication, second_factor
from fundwright.authentication.api import PasskeyOptions
from fundwright.authentication.schemas import PasskeyRead, RecoveryCodes, SecondFactorRead, SecondFactorSetUp, SignInRefused
from fundwright.core.web import CoreDep, CsvDownload, DbSession, error_body

router = APIRouter(prefix="/api/account", tags=["security"])


class CodeForm(BaseModel):
    model_config = ConfigDict(frozen=True)

    code: str = Field(max_length=100)


class NewPasskeyForm(BaseModel):
    """`credential` is the result of `navigator.credentials.create` as JSON."""

    model_config = ConfigDict(frozen=True)

    name: str = Field(max_length=200)
    credential: str = Field(max_length=20_000)


class ReauthenticationForm(BaseModel):
    """One of the three, but not the password if two-step verification is on. `credential` is the result of
    `navigator.credentials.get` as JSON."""

    model_config = ConfigDict(frozen=True)

    password: str = Field(default="", max_length=10_000)
    code: str = Field(default="", max_length=100)
    credential: str = Field(default="", max_length=20_000)


@router.get("/second-factor")
async def read_second_factor(session: DbSession, actor: CurrentActor) -> SecondFactorRead:
    """Return whether signing in requires a code in addition to the password."""
    return await second_factor.read(session, actor)


@router.post("/second-factor")
async def start_second_factor(session: DbSession, actor: CurrentActor, core: CoreDep) -> SecondFactorSetUp:
    """Create a secret for an authenticator app. It takes effect when a code of the app is sent with PUT."""
    return await second_factor.start(session, actor, core)


@router.put("/second-factor", response_model=RecoveryCodes)
async def confirm_second_factor(
    form: CodeForm, core: CoreDep, session: DbSession, actor: CurrentActor, client: RequestClient
) -> RecoveryCodes | JSONResponse:
    """Turn it on with a code of the app. Only this response contains the recovery codes."""
    made = await second_factor.confirm(session, actor, core, code=form.code, client=client)
    if isinstance(made, RecoveryCodes):
        return made
    error = second_factor.confirmation_error(made)
    return JSONResponse(error_body(type(error).__name__, error.sentence), status_code=error.status)


@router.delete("/second-factor", status_code=204)
async def turn_off_second_factor(session: DbSession, actor: CurrentActor, core: CoreDep, client: RequestClient) -> None:
    await second_factor.turn_off(session, actor, core, client=client)


@router.post("/recovery-codes")
async def renew_recovery_codes(session: DbSession, actor: CurrentActor, client: RequestClient) -> RecoveryCodes:
    """Create new recovery codes. The old ones stop working."""
    return await second_factor.renew_recovery_codes(session, actor, client=client)


@router.get("/passkeys")
async def list_passkeys(session: DbSession, actor: CurrentActor) -> list[PasskeyRead]:
    return await passkeys.list_passkeys(session, actor)


@router.get("/passkeys/export.csv", response_class=CsvDownload)
async def export_passkeys(export: Export, actor: CurrentActor) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    return export("passkeys.csv", lambda session: passkeys.export_passkeys(session, actor))


@router.post("/passkeys/options")
async def start_adding_passkey(session: DbSession, actor: CurrentActor, core: CoreDep) -> PasskeyOptions:
    """Begin to add a passkey. The options are valid for one attempt, within five minutes."""
    return PasskeyOptions(options=await passkeys.start_adding(session, actor, core))


@router.post("/passkeys", status_code=201)
async def add_passkey(
    form: NewPasskeyForm, core: CoreDep, session: DbSession, actor: CurrentActor, client: RequestClient
) -> PasskeyRead:
    return await passkeys.add(session, actor, core, name=form.name, credential=form.credential, client=client)


@router.delete("/passkeys/{passkey_id}", status_code=204)
async def remove_passkey(passkey_id: UUID, core: CoreDep, session: DbSession, actor: CurrentActor, client: RequestClient) -> None:
    await passkeys.remove(session, actor, core, passkey_id, client=client)


@router.post("/reauthentication/options")
async def start_reauthentication(session: DbSession, actor: CurrentActor, core: CoreDep) -> PasskeyOptions:
    """Return options for re-authentication with a passkey."""
    return PasskeyOptions(options=await passkeys.start_reauthentication(session, actor, core))


@router.put("/reauthentication", status_code=204, response_model=None)
async def reauthenticate(
    form: ReauthenticationForm, core: CoreDep, session: DbSession, actor: CurrentActor, client: RequestClient
) -> JSONResponse | None:
    """Re-authenticate with a password, code, or passkey, and then repeat the request that was refused with `ReauthenticationRequired`."""
    if form.credential:
        refused = await passkeys.reauthenticate_by_passkey(session, actor, core, credential=form.credential, client=client)
    elif form.code:
        refused = await second_factor.reauthenticate_by_code(session, actor, core, code=form.code, client=client)
    else:
        refused = await reauthentication.reauthenticate_by_password(session, actor, core, password=form.password, client=client)
    return _refused(refused) if refused else None


def _refused(refused: SignInRefused) -> JSONResponse:
    return JSONResponse(error_body("ReauthenticationRefused", refused.sentence), status_code=403)
