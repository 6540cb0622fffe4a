"""What people do with their own account: say who they are, choose a password, look after sessions and tokens."""

from __future__ import annotations

import asyncio

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core import mail
from fundwright.core.assembly import Core
from fundwright.core.errors import Invalid, NotAllowed
from fundwright.core.messages import current_language, t
from fundwright.identity import audit, entry, letters, places, reauthentication, repository, service
from fundwright.identity.permissions import needs, refuse_programs
from fundwright.identity.schemas import (
    AccountProfile,
    Actor,
    ApiTokenCreated,
    Client,
    LocaleChange,
    Permission,
    ProfileChange,
    Refusal,
    SignInRefused,
    TokenScope,
)


@needs(Permission.READ)
async def get_profile(session: AsyncSession, actor: Actor) -> AccountProfile:
    return AccountProfile.model_validate(await entry.get_account_by_id(session, actor.id))


@needs(Permission.READ)
async def change_profile(session: AsyncSession, actor: Actor, change: ProfileChange) -> AccountProfile:
    account = await entry.get_account_by_id(session, actor.id)
    for name, value in change:
        setattr(account, name, None if value == "" else value)
    return AccountProfile.model_validate(account)


@needs(Permission.READ)
async def change_locale(session: AsyncSession, actor: Actor, change: LocaleChange) -> AccountProfile:
    """Choose the language of pages and letters and the zone of times. Raises Invalid when there is no such zone."""
    if change.time_zone is not None and change.time_zone not in await asyncio.to_thread(places.time_zones):
        raise Invalid(t("There is no time zone {name}. Choose one from the list.", name=change.time_zone))
    account = await entry.get_account_by_id(session, actor.id)
    account.language, account.time_zone = change.language, change.time_zone
    return AccountProfile.model_validate(account)


@needs(Permission.READ)
async def change_password(
    core: Core, session: AsyncSession, actor: Actor, *, current: str, new: str, client: Client
) -> SignInRefused | None:
    """Choose a new password; every other session ends and the owner is told. Answers why not when `current` is wrong.

    Wrong ones count as at sign-in. Raises WeakPassword, Invalid when nothing would change, or ProofRequired (see
    `check_own_password`).
    """
    account = await reauthentication.check_own_password(core, session, actor, password=current, client=client)
    if isinstance(account, SignInRefused):
        return account
    if new == current:
        raise Invalid(t("That is the password you have. Choose another one."))
    account.password_hash = await entry.new_hash(new, account.email, account.display_name)
    await repository.forget_secrets(session, owner_id=account.id)  # also a change of address that somebody else has asked for
    await entry.end_sessions(session, account.id, but=actor.session_id, device=client.device)
    forgot = f"{core.settings.address}/auth/reset-password"
    language = entry.language_of(account, otherwise=current_language())
    await mail.post(core, session, letters.own_password_changed(account.email, language, link=forgot))
    await audit.record(session, "password.changed", actor=actor, subject=account.email, client=client)
    return None


@needs(Permission.READ)
async def end_other_sessions(session: AsyncSession, actor: Actor, *, client: Client) -> None:
    """Sign the account out everywhere but here. Raises NotForPrograms, because an API token has no session to keep."""
    refuse_programs(actor)
    await entry.end_sessions(session, actor.id, but=actor.session_id, device=client.device)
    await audit.record(session, "session.others_ended", actor=actor, subject=actor.email, client=client)


@needs(Permission.READ)
async def make_api_token(
    core: Core, session: AsyncSession, actor: Actor, *, name: str, scope: TokenScope, lasts_days: int, client: Client
) -> ApiTokenCreated:
    """As `service.create_api_token`; the owner is told by letter. Raises Invalid."""
    made = await service.create_api_token(session, actor, name=name, scope=scope, lasts_days=lasts_days, client=client)
    link = f"{core.settings.address}/dashboard/user/account?tab=tokens"
    await mail.post(core, session, letters.token_made(actor.email, actor.language or "en", name=made.name, link=link))
    return made


def wrong_password(refused: SignInRefused) -> str:
    """What to tell somebody who is signed in and whose password was asked for."""
    if refused.reason is Refusal.THROTTLED:
        return t("After several wrong passwords this is paused for 5 minutes. Wait, then try again.")
    return t("That is not your password. Try again; after several wrong ones this is paused for 5 minutes.")


def check_password_accepted(refused: SignInRefused | None) -> None:
    """Call it after the commit that counts wrong passwords. Raises NotAllowed."""
    if refused is not None:
        raise NotAllowed(wrong_password(refused))
