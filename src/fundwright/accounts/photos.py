"""Profile photos: cropped to a square and re-encoded, which removes all metadata."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator, Iterator
from functools import partial
from uuid import UUID, uuid4

from PIL import Image, ImageOps, UnidentifiedImageError
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit, repository, service
from fundwright.accounts.models import AccountPhoto
from fundwright.accounts.permissions import needs, require_confirmed
from fundwright.accounts.schemas import AccountProfile, Actor, Client, Permission
from fundwright.core.errors import Invalid, NotFound
from fundwright.core.messages import t
from fundwright.core.sandbox import Limits, Sandbox

MAX_BYTES = 3_000_000
_SIDE_PIXELS = 256
_MAX_PIXELS = 50_000_000
_FORMATS = ("PNG", "JPEG", "WEBP")


class NotAPhoto(Invalid):
    """The content is not an image that can be shown."""


LIMITS = Limits(
    error=NotAPhoto,
    silent_seconds=30,
    total_seconds=30,
    memory_bytes=500_000_000,
    output_bytes=1_000_000,
    modules=("PIL.JpegImagePlugin", "PIL.PngImagePlugin", "PIL.WebPImagePlugin"),
)


async def read(pieces: AsyncIterator[bytes]) -> bytes:
    """Read an upload. Raises Invalid as soon as it is larger than `MAX_BYTES`."""
    content = bytearray()
    async for piece in pieces:
        content += piece
        if len(content) > MAX_BYTES:
            raise Invalid(t("The photo is larger than 3 MB. Choose a smaller one."))
    return bytes(content)


@needs(Permission.READ)
async def set_photo(session: AsyncSession, actor: Actor, sandbox: Sandbox, content: bytes, *, client: Client) -> AccountProfile:
    """Set the actor's photo, a PNG, JPEG, or WebP. Raises NotAPhoto."""
    require_confirmed(actor)
    (square,) = await sandbox.run(partial(_square, content), limits=LIMITS, name=t("the photo"))
    own = await service.get_account_by_id(session, actor.id)
    await repository.remove_photos(session, own.id)
    photo = AccountPhoto(id=uuid4(), owner_id=own.id, content=square)
    session.add(photo)
    own.photo_url = f"/api/account/photos/{photo.id}"
    await session.flush()
    await audit.record(session, "photo.changed", actor=actor, subject=actor.email, client=client)
    return AccountProfile.model_validate(own)


@needs(Permission.READ)
async def remove_photo(session: AsyncSession, actor: Actor, *, client: Client) -> AccountProfile:
    """Remove the photo; the initial is shown instead."""
    own = await service.get_account_by_id(session, actor.id)
    await repository.remove_photos(session, own.id)
    own.photo_url = None
    await audit.record(session, "photo.removed", actor=actor, subject=actor.email, client=client)
    return AccountProfile.model_validate(own)


@needs(Permission.READ)
async def get_photo(session: AsyncSession, actor: Actor, photo_id: UUID) -> bytes:
    """Return a photo as WebP: the actor's own, that of a public profile, or any for administrators. Raises NotFound."""
    photo = await repository.find_photo(session, photo_id, reader_id=actor.id, sees_all=actor.may(Permission.ADMINISTER))
    if photo is None:
        raise NotFound(t("The photo"))
    return photo.content


def _square(content: bytes) -> Iterator[bytes]:
    try:
        with Image.open(io.BytesIO(content), formats=_FORMATS) as picture:
            if picture.width * picture.height > _MAX_PIXELS:
                raise NotAPhoto(t("The photo has more than 50 million pixels. Choose a smaller one."))
            upright = ImageOps.exif_transpose(picture).convert("RGBA" if picture.has_transparency_data else "RGB")
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        raise NotAPhoto(t("The file is not a readable image. Choose a PNG, JPEG, or WebP file.")) from None
    square = ImageOps.fit(upright, (_SIDE_PIXELS, _SIDE_PIXELS))
    written = io.BytesIO()
    # A new image with pixels only: Pillow would copy location, camera, and color profile.
    Image.frombytes(square.mode, square.size, square.tobytes()).save(written, "WEBP", quality=85)
    yield written.getvalue()
