"""Language, time zone, and saved state of screens."""

from __future__ import annotations

import asyncio
import json

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import locale_data, repository, service
from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import AccountProfile, Actor, LocaleChange, Permission
from fundwright.core.errors import Invalid
from fundwright.core.json_values import JsonValue
from fundwright.core.messages import Language, t

_MAX_STATE_NAME_LENGTH = 200
_MAX_SAVED_STATE_LENGTH = 20_000


@needs(Permission.READ)
async def change_locale(session: AsyncSession, actor: Actor, change: LocaleChange) -> AccountProfile:
    """Set the language of pages and emails, and the time zone. Raises Invalid if there is no such time zone."""
    if change.time_zone is not None and change.time_zone not in await asyncio.to_thread(locale_data.time_zones):
        raise Invalid(t("{name} is not a time zone. Choose one from the list.", name=change.time_zone))
    account = await service.get_account_by_id(session, actor.id)
    account.language, account.time_zone = change.language, change.time_zone
    return AccountProfile.model_validate(account)


@needs(Permission.READ)
async def saved_state(session: AsyncSession, actor: Actor, name: str) -> JsonValue:
    """The state that a screen has saved for the actor under `name`, as JSON; None if there is none."""
    return await repository.find_saved_state(session, actor.id, name)


@needs(Permission.READ)
async def save_state(session: AsyncSession, actor: Actor, name: str, value: JsonValue) -> None:
    """Save `value`, any JSON, for the actor under `name`. Raises Invalid if it is too long."""
    if len(name) > _MAX_STATE_NAME_LENGTH or len(json.dumps(value)) > _MAX_SAVED_STATE_LENGTH:
        raise Invalid(t("That is too long to save for this page. Shorten it and try again."))
    await repository.save_state(session, actor.id, name, value)


@needs(Permission.READ)
async def choose_language(session: AsyncSession, actor: Actor, language: Language) -> None:
    """Set the language for the actor on every device."""
    (await service.get_account(session, actor.email)).language = language
