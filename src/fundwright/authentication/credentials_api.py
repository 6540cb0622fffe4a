"""Routes for the person's own password, email address, sessions, and account deletion."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from fundwright.accounts.dependencies import CurrentActor, RequestClient
from fundwright.authentication import email_change, password_change, service
from fundwright.authentication.api import LinkForm
from fundwright.authentication.schemas import SignInRefusal, SignInRefused
from fundwright.core.origins import refuse_foreign_page
from fundwright.core.web import CoreDep, DbSession, error_body

router = APIRouter(prefix="/api/account", tags=["account"])


REFUSED: dict[int | str, dict[str, Any]] = {
    403: {"description": "The password is wrong."},
    429: {"description": "Too many wrong passwords: wait five minutes."},
}


class PasswordForm(BaseModel):
    model_config = ConfigDict(frozen=True)

    current: str = Field(max_length=10_000)
    new: str = Field(max_length=10_000)


class NewEmailForm(BaseModel):
    """`password` is that of the account."""

    model_config = ConfigDict(frozen=True)

    email: str = Field(max_length=1_000)
    password: str = Field(max_length=10_000)


class DeletionForm(NewEmailForm):
    """`email` is the account's address, typed as confirmation."""


class EmailAnswer(BaseModel):
    model_config = ConfigDict(frozen=True)

    email: str


@router.put("/password", status_code=204, response_class=Response, responses=REFUSED)
async def change_password(
    session: DbSession, actor: CurrentActor, core: CoreDep, client: RequestClient, form: PasswordForm
) -> Response:
    """Choose a new password. Every other session ends."""
    answer = await password_change.change_password(session, actor, core, current=form.current, new=form.new, client=client)
    return _refused(answer) if answer else Response(status_code=204)


@router.post("/email", status_code=202, response_class=Response, responses=REFUSED)
async def ask_to_change_email(
    session: DbSession, actor: CurrentActor, core: CoreDep, client: RequestClient, form: NewEmailForm
) -> Response:
    """Send a link to the new address, which takes effect when it is confirmed. The response is the same if another account has
    it."""
    answer = await email_change.ask(session, actor, core, email=form.email, password=form.password, client=client)
    return _refused(answer) if answer else Response(status_code=202)


@router.post("/confirm-email")
async def confirm_new_email(form: LinkForm, request: Request, session: DbSession, client: RequestClient) -> EmailAnswer:
    """Confirm a new address with the `link` of the email. Every session of the account ends."""
    refuse_foreign_page(request)
    changed = await email_change.confirm(session, secret=form.link, client=client)
    return EmailAnswer(email=changed.email)


@router.delete("/sessions", status_code=204)
async def end_other_sessions(session: DbSession, actor: CurrentActor, client: RequestClient) -> None:
    """End all sessions except the one that sends the request."""
    await service.end_other_sessions(session, actor, client=client)


@router.post("/deletion", status_code=204, response_class=Response, responses=REFUSED)
async def delete_account(
    session: DbSession, actor: CurrentActor, core: CoreDep, client: RequestClient, form: DeletionForm
) -> Response:
    """Delete your account permanently; invoices and the audit trail stay."""
    answer = await service.delete_account(session, actor, core, email=form.email, password=form.password, client=client)
    return _refused(answer) if answer else Response(status_code=204)


def _refused(answer: SignInRefused) -> JSONResponse:
    """A response, not an error, so that the count of wrong passwords is committed."""
    status = 429 if answer.reason is SignInRefusal.THROTTLED else 403
    return JSONResponse(error_body("WrongPassword", password_change.wrong_password(answer)), status_code=status)
