"""Routes about one's own account. Sessions, API tokens and the language have theirs in `api`."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from fundwright.core.messages import t
from fundwright.core.web import UPLOAD, CoreDep, DbSession, error_body, receive_file
from fundwright.identity import account, email_change, leaving, personal_data, photos
from fundwright.identity.api import CurrentActor, LinkForm, RequestClient, Uploader, refuse_foreign_page, turn_of
from fundwright.identity.schemas import (
    AccountProfile,
    DataCopyRead,
    LocaleChange,
    ProfileChange,
    Refusal,
    SignInRefused,
)

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
    """`email` is the account's address, typed to show that this is meant."""


class EmailAnswer(BaseModel):
    model_config = ConfigDict(frozen=True)

    email: str


@router.get("/profile")
async def get_profile(session: DbSession, actor: CurrentActor) -> AccountProfile:
    """Your own account."""
    return await account.get_profile(session, actor)


@router.put("/profile")
async def change_profile(session: DbSession, actor: CurrentActor, change: ProfileChange) -> AccountProfile:
    """Say who you are; a field that is left out is emptied."""
    return await account.change_profile(session, actor, change)


@router.put("/locale")
async def change_locale(session: DbSession, actor: CurrentActor, change: LocaleChange) -> AccountProfile:
    """Choose language and time zone; null follows the browser."""
    return await account.change_locale(session, actor, change)


@router.put("/password", status_code=204, response_class=Response, responses=REFUSED)
async def change_password(
    core: CoreDep, session: DbSession, actor: CurrentActor, client: RequestClient, form: PasswordForm
) -> Response:
    """Choose a new password. Every other session ends."""
    answer = await account.change_password(core, session, actor, current=form.current, new=form.new, client=client)
    return _refused(answer) if answer else Response(status_code=204)


@router.post("/email", status_code=202, response_class=Response, responses=REFUSED)
async def ask_to_change_email(
    core: CoreDep, session: DbSession, actor: CurrentActor, client: RequestClient, form: NewEmailForm
) -> Response:
    """Send a link to the new address, which counts once it is confirmed. The answer is the same if another account has it."""
    answer = await email_change.ask(core, session, actor, email=form.email, password=form.password, client=client)
    return _refused(answer) if answer else Response(status_code=202)


@router.post("/confirm-email")
async def confirm_new_email(form: LinkForm, request: Request, session: DbSession, client: RequestClient) -> EmailAnswer:
    """Confirm a new address by the `link` of the letter. Every session of the account ends."""
    refuse_foreign_page(request)
    changed = await email_change.confirm(session, secret=form.link, client=client)
    return EmailAnswer(email=changed.email)


@router.delete("/sessions", status_code=204)
async def end_other_sessions(session: DbSession, actor: CurrentActor, client: RequestClient) -> None:
    """Sign out everywhere but in the session that asks."""
    await account.end_other_sessions(session, actor, client=client)


@router.post("/photo", openapi_extra=UPLOAD)
async def set_photo(
    request: Request, core: CoreDep, session: DbSession, actor: Uploader, client: RequestClient
) -> AccountProfile:
    """Upload a photo (form field `file`; PNG, JPEG or WebP, at most 3 MB)."""
    received = await receive_file(core, request, photos.read, max_bytes=photos.MAX_BYTES, otherwise=t("Choose a smaller photo."))
    async with turn_of(core, actor):
        return await photos.set_photo(core.sandbox, session, actor, received.kept, client=client)


@router.delete("/photo")
async def remove_photo(session: DbSession, actor: CurrentActor, client: RequestClient) -> AccountProfile:
    return await photos.remove_photo(session, actor, client=client)


@router.get("/photos/{photo_id}", response_class=Response, responses={200: {"content": {"image/webp": {}}}})
async def get_photo(session: DbSession, actor: CurrentActor, photo_id: UUID) -> Response:
    """256 × 256 pixels. A new photo has a new address."""
    content = await photos.get_photo(session, actor, photo_id)
    headers = {"Cache-Control": "private, max-age=86400", "Content-Disposition": "inline"}
    return Response(content, media_type="image/webp", headers=headers)


@router.get("/data")
async def find_data_copy(session: DbSession, actor: CurrentActor) -> DataCopyRead | None:
    """The copy of your data that there is or that is being written, or null."""
    return await personal_data.find_copy(session, actor)


@router.post("/data", status_code=202)
async def start_data_copy(core: CoreDep, session: DbSession, actor: CurrentActor, client: RequestClient) -> DataCopyRead:
    """Let everything that belongs to your account be collected in one archive."""
    return await personal_data.start_copy(core, session, actor, client=client)


@router.get("/data/archive", response_class=FileResponse, responses={200: {"content": {"application/zip": {}}}})
async def download_data_copy(core: CoreDep, actor: CurrentActor, client: RequestClient) -> FileResponse:
    """The finished archive, as a ZIP file."""
    async with core.database.transaction() as session:  # reading it is recorded
        path = await personal_data.open_copy(core, session, actor, client=client)
    return FileResponse(path, media_type="application/zip", filename="fundwright-data.zip")


@router.post("/deletion", status_code=204, response_class=Response, responses=REFUSED)
async def delete_account(
    core: CoreDep, session: DbSession, actor: CurrentActor, client: RequestClient, form: DeletionForm
) -> Response:
    """Delete your account for good; invoices and the audit trail stay."""
    answer = await leaving.delete_account(core, session, actor, email=form.email, password=form.password, client=client)
    return _refused(answer) if answer else Response(status_code=204)


def _refused(answer: SignInRefused) -> JSONResponse:
    """An answer, not an error, so that the count of wrong passwords is committed."""
    status = 429 if answer.reason is Refusal.THROTTLED else 403
    return JSONResponse(error_body("WrongPassword", account.wrong_password(answer)), status_code=status)
