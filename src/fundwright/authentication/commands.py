"""Operations on authentication for the command line only. They check no permission: anyone who can open the data folder has
full access."""

from __future__ import annotations

from datetime import datetime, timedelta

from pydantic import BaseModel, ConfigDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts.schemas import COMMAND_LINE
from fundwright.authentication import recovery, second_factor
from fundwright.authentication.keyring import SigningKey, keyring
from fundwright.core.assembly import Core
from fundwright.core.database import call_after_commit, now
from fundwright.core.errors import Conflict, NotFound
from fundwright.core.installation import forget_key
from fundwright.core.messages import t


class KeyRead(BaseModel):
    """`read_until` is when the last token of the key expires; None for the key that signs."""

    model_config = ConfigDict(frozen=True)

    id: str
    made_at: datetime
    read_until: datetime | None


def list_keys(core: Core) -> list[KeyRead]:
    """Oldest first; the last one signs."""
    keys = keyring(core).keys
    ends = [newer.made_at + _longest_session(core) for newer in keys[1:]]
    return [KeyRead(id=key.id, made_at=key.made_at, read_until=end) for key, end in zip(keys, [*ends, None], strict=True)]


async def rotate_key(session: AsyncSession, core: Core) -> KeyRead:
    """Sign with a new key from now on. Nobody is signed out: older keys remain valid until their tokens have expired."""
    made = keyring(core).add()
    await audit.record(session, "signing_key.added", actor=None, subject=made.id, client=COMMAND_LINE)
    for key in list_keys(core):
        if key.read_until is not None and key.read_until < now():
            await _remove_key(session, core, _get_key(core, key.id))
    return list_keys(core)[-1]


async def retire_key(session: AsyncSession, core: Core, key_id: str) -> None:
    """Refuse all tokens of a key immediately. Raises NotFound, or Conflict for the key that signs."""
    key = _get_key(core, key_id)
    if key == keyring(core).newest:
        raise Conflict(t("This is the active signing key. Create another one first: `fundwright keys rotate`."))
    await _remove_key(session, core, key)


async def _remove_key(session: AsyncSession, core: Core, key: SigningKey) -> None:
    await forget_key(session, key.path.name)
    call_after_commit(session, lambda: keyring(core).remove(key))  # no process starts without a key that the database knows
    await audit.record(session, "signing_key.retired", actor=None, subject=key.id, client=COMMAND_LINE)


def _get_key(core: Core, key_id: str) -> SigningKey:
    key = keyring(core).find(key_id)
    if key is None:
        raise NotFound(t("The key {id}", id=key_id))
    return key


def _longest_session(core: Core) -> timedelta:
    settings = core.settings
    return timedelta(hours=max(settings.kept_session_hours, settings.session_hours))


async def reset_link(session: AsyncSession, *, email: str) -> str:
    """Return the path of a page where the owner of the account chooses a new password, once, within an hour. Raises NotFound."""
    return await recovery.reset_link(session, email=email, client=COMMAND_LINE)


async def remove_second_factor(session: AsyncSession, core: Core, *, email: str) -> None:
    """Remove the authenticator app, recovery codes, and passkeys of an account. Raises NotFound."""
    await second_factor.remove(session, core, email=email, client=COMMAND_LINE)
