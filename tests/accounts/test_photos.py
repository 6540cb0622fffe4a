"""Photos are cropped and re-encoded."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator

import pytest
from PIL import Image
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import photos, profile
from fundwright.accounts.photos import NotAPhoto
from fundwright.accounts.schemas import Actor, ProfileChange, Role
from fundwright.core.assembly import Core
from fundwright.core.errors import Invalid, NotFound
from tests.support.accounts import add_account
from tests.support.signing_in import HERE


def picture(kind: str = "PNG", *, size: tuple[int, int] = (640, 480), mode: str = "RGB", **options: object) -> bytes:
    written = io.BytesIO()
    Image.new(mode, size, "red").save(written, kind, **options)
    return written.getvalue()


def shown(content: bytes) -> Image.Image:
    return Image.open(io.BytesIO(content))


async def photo_of(session: AsyncSession, actor: Actor, *, by: Actor | None = None) -> bytes:
    address = (await profile.get_profile(session, actor)).photo_url
    assert address is not None
    assert address.startswith("/api/account/photos/")
    return await photos.get_photo(session, by or actor, type(actor.id)(address.rpartition("/")[2]))


class TestSetPhoto:
    @pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
    async def test_keeps_a_square_of_256_pixels(self, session: AsyncSession, actor: Actor, core: Core, kind: str) -> None:
        await photos.set_photo(session, actor, core.sandbox, picture(kind), client=HERE)
        kept = shown(await photo_of(session, actor))
        assert (kept.format, kept.size) == ("WEBP", (256, 256))

    @pytest.mark.security(42)
    async def test_removes_location_and_camera_metadata(self, session: AsyncSession, actor: Actor, core: Core) -> None:
        exif = Image.Exif()
        exif[0x010F] = "Camera of Ada"  # maker
        exif[0x0112] = 6  # turned by 90 degrees
        await photos.set_photo(
            session, actor, core.sandbox, picture("JPEG", exif=exif, icc_profile=b"profile of Ada"), client=HERE
        )
        kept = await photo_of(session, actor)
        assert not shown(kept).getexif()
        assert "Ada" not in kept.decode("latin-1")

    async def test_is_rotated_upright(self, session: AsyncSession, actor: Actor, core: Core) -> None:
        lying = Image.new("RGB", (400, 400), "blue")
        lying.paste("red", (0, 0, 200, 400))  # the left half
        exif = Image.Exif()
        exif[0x0112] = 6
        written = io.BytesIO()
        lying.save(written, "JPEG", exif=exif)
        await photos.set_photo(session, actor, core.sandbox, written.getvalue(), client=HERE)
        kept = shown(await photo_of(session, actor)).convert("RGB")
        red, blue = kept.getpixel((128, 20)), kept.getpixel((128, 236))
        assert isinstance(red, tuple)
        assert isinstance(blue, tuple)
        assert red[0] > 200 > red[2]
        assert blue[2] > 200 > blue[0]

    @pytest.mark.security(42)
    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"<svg onload='alert(1)'/>",
            b"GIF89a",
            picture("GIF"),
            picture("BMP"),
            picture()[:200],
            b"\x89PNG\r\n\x1a\n" + bytes(40),
        ],
        ids=["nothing", "svg", "gif head", "gif", "bmp", "cut off", "no png"],
    )
    async def test_refuses_by_content_what_is_not_a_photo(
        self, session: AsyncSession, actor: Actor, core: Core, content: bytes
    ) -> None:
        with pytest.raises(NotAPhoto, match="Choose a PNG, JPEG, or WebP file"):
            await photos.set_photo(session, actor, core.sandbox, content, client=HERE)

    @pytest.mark.security(42)
    async def test_refuses_a_decompression_bomb_before_it_is_decoded(
        self, session: AsyncSession, actor: Actor, core: Core
    ) -> None:
        with pytest.raises(NotAPhoto, match="50 million pixels"):
            await photos.set_photo(session, actor, core.sandbox, picture(size=(9_000, 6_000), mode="1"), client=HERE)

    async def test_a_new_one_has_a_new_address(self, session: AsyncSession, actor: Actor, core: Core) -> None:
        first = (await photos.set_photo(session, actor, core.sandbox, picture(), client=HERE)).photo_url
        second = (await photos.set_photo(session, actor, core.sandbox, picture(), client=HERE)).photo_url
        assert first != second
        assert first is not None
        with pytest.raises(NotFound):
            await photos.get_photo(session, actor, type(actor.id)(first.rpartition("/")[2]))

    async def test_can_be_removed(self, session: AsyncSession, actor: Actor, core: Core) -> None:
        await photos.set_photo(session, actor, core.sandbox, picture(), client=HERE)
        assert (await photos.remove_photo(session, actor, client=HERE)).photo_url is None


class TestRead:
    @pytest.mark.security(42)
    async def test_stops_at_three_megabytes(self) -> None:
        taken = 0

        async def endless() -> AsyncIterator[bytes]:
            nonlocal taken
            while True:
                taken += 1_000_000
                yield bytes(1_000_000)

        with pytest.raises(Invalid, match="larger than 3 MB"):
            await photos.read(endless())
        assert taken == 4_000_000


class TestGetPhoto:
    @pytest.mark.security(40)
    async def test_is_seen_by_others_where_the_profile_is_public(self, session: AsyncSession, core: Core, actor: Actor) -> None:
        stranger, administrator = await add_account(session), await add_account(session, role=Role.ADMIN)
        await photos.set_photo(session, actor, core.sandbox, picture(), client=HERE)
        assert await photo_of(session, actor, by=administrator)
        with pytest.raises(NotFound):
            await photo_of(session, actor, by=stranger)
        await profile.change_profile(session, actor, ProfileChange(display_name="Ada", is_public=True))
        assert await photo_of(session, actor, by=stranger)
