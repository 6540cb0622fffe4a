"""Routes for the person's own profile, preferences, photo, and personal data."""

from __future__ import annotations

from uuid import UUID

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, Response
from pydantic import BaseModel, ConfigDict

from fundwright.accounts import personal_data, photos, preferences, profile
from fundwright.accounts.dependencies import CurrentActor, RequestClient, Uploader, request_slot
from fundwright.accounts.schemas import AccountProfile, DataCopyRead, LocaleChange, ProfileChange
from fundwright.core.messages import Language, t
from fundwright.core.uploads import UPLOAD, receive_file
from fundwright.core.web import CoreDep, DbSession

router = APIRouter(prefix="/api/account", tags=["account"])


@router.get("/profile")
async def get_profile(session: DbSession, actor: CurrentActor) -> AccountProfile:
    """Return your own account."""
    return await profile.get_profile(session, actor)


@router.put("/profile")
async def change_profile(session: DbSession, actor: CurrentActor, change: ProfileChange) -> AccountProfile:
    """Save your profile. A field that is left out is emptied."""
    return await profile.change_profile(session, actor, change)


@router.put("/locale")
async def change_locale(session: DbSession, actor: CurrentActor, change: LocaleChange) -> AccountProfile:
    """Choose language and time zone; null follows the browser."""
    return await preferences.change_locale(session, actor, change)


@router.post("/photo", openapi_extra=UPLOAD)
async def set_photo(
    request: Request, core: CoreDep, session: DbSession, actor: Uploader, client: RequestClient
) -> AccountProfile:
    """Upload a photo (form field `file`; PNG, JPEG or WebP, at most 3 MB)."""
    received = await receive_file(
        core,
        request,
        photos.read,
        account_id=actor.id,
        max_bytes=photos.MAX_BYTES,
        otherwise=t("Choose a smaller photo."),
    )
    async with request_slot(core, actor):
        return await photos.set_photo(session, actor, core.sandbox, received.kept, client=client)


@router.delete("/photo")
async def remove_photo(session: DbSession, actor: CurrentActor, client: RequestClient) -> AccountProfile:
    return await photos.remove_photo(session, actor, client=client)


@router.get("/photos/{photo_id}", response_class=Response, responses={200: {"content": {"image/webp": {}}}})
async def get_photo(session: DbSession, actor: CurrentActor, photo_id: UUID) -> Response:
    """Return a photo of 256 × 256 pixels. A new photo has a new address."""
    content = await photos.get_photo(session, actor, photo_id)
    headers = {"Cache-Control": "private, max-age=86400", "Content-Disposition": "inline"}
    return Response(content, media_type="image/webp", headers=headers)


@router.get("/data")
async def find_data_copy(session: DbSession, actor: CurrentActor) -> DataCopyRead | None:
    """Return the copy of your data, finished or in progress, or null."""
    return await personal_data.find_copy(session, actor)


@router.post("/data", status_code=202)
async def start_data_copy(session: DbSession, actor: CurrentActor, core: CoreDep, client: RequestClient) -> DataCopyRead:
    """Start collecting everything that belongs to your account in one archive."""
    return await personal_data.start_copy(session, actor, core, client=client)


@router.get("/data/archive", response_class=FileResponse, responses={200: {"content": {"application/zip": {}}}})
async def download_data_copy(core: CoreDep, actor: CurrentActor, client: RequestClient) -> FileResponse:
    """Download the finished archive as a ZIP file."""
    async with core.database.transaction() as session:  # reading it is recorded
        path = await personal_data.open_copy(session, actor, core, client=client)
    return FileResponse(path, media_type="application/zip", filename="fundwright-data.zip")


class LanguageForm(BaseModel):
    model_config = ConfigDict(frozen=True)

    language: Language


@router.put("/language", status_code=204)
async def choose_language(form: LanguageForm, session: DbSession, actor: CurrentActor) -> None:
    await preferences.choose_language(session, actor, form.language)
