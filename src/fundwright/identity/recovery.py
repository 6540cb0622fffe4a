"""A forgotten password: a link to the owner, by letter or from an administrator, and the new password."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core import mail
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.messages import Language, current_language, t
from fundwright.identity import audit, entry, jobs, letters, repository, throttle, tokens
from fundwright.identity.schemas import Actor, Client

_RESET_LINK = timedelta(hours=1)
_BY_LETTER = Client(address="letter")


async def ask_for_reset(core: Core, session: AsyncSession, *, email: str, language: Language, client: Client) -> None:
    """Send a link for a new password to the address, if it has an account. Raises Invalid or TooManyTries."""
    plain = entry.normalise_email(email)
    await throttle.require_calm(session, "reset", email=plain, address=client.address)
    await audit.record(session, "password.reset_asked", actor=None, subject=plain, client=client)
    await jobs.write_later(core, session, "reset", email=plain, language=language)


async def send_reset(core: Core, session: AsyncSession, *, email: str, language: Language) -> None:
    """For the job: nothing is sent when nobody could sign in with a new password."""
    account = await repository.find_account(session, email)
    if account is not None and account.disabled_at is None:
        link = core.settings.address + await reset_link(session, email=email, client=_BY_LETTER)
        await mail.post(core, session, letters.reset(email, entry.language_of(account, otherwise=language), link=link))


async def reset_link(session: AsyncSession, *, email: str, client: Client | None = None, by: Actor | None = None) -> str:
    """Path of a page where the owner of the account chooses a new password, once, within an hour. Raises NotFound.

    An older link of the account stops working. The administrator who makes the link never learns the password.
    """
    account = await entry.get_account(session, entry.normalise_email(email))
    await repository.forget_secrets(session, purpose="reset", owner_id=account.id)
    secret = await entry.new_secret(session, "reset", lasts=_RESET_LINK, owner_id=account.id)
    await audit.record(session, "password.reset_started", actor=by, subject=account.email, client=client or entry.COMMAND_LINE)
    return f"/auth/confirm-reset/{secret}"


async def is_reset_link(session: AsyncSession, secret: str) -> bool:
    """Whether the link still works."""
    return await repository.find_secret(session, purpose="reset", digest=tokens.digest(secret)) is not None


async def reset_password(core: Core, session: AsyncSession, *, secret: str, password: str, client: Client) -> None:
    """Set a new password by a reset link and end every session of the account. Raises LinkSpent or WeakPassword."""
    used = await repository.use_secret(session, purpose="reset", digest=tokens.digest(secret))
    account = await repository.find_account_by_id(session, used.owner_id) if used and used.owner_id else None
    if account is None:
        raise entry.LinkSpent(t("This link"), t("Ask for a new one."))
    account.password_hash = await entry.new_hash(password, account.email, account.display_name)
    if account.verified_at is None:
        account.verified_at = now()  # the letter with the link has arrived
        await entry.close_ways_in(session, account.id)
    else:
        await entry.end_sessions(session, account.id)
    forgot = f"{core.settings.address}/auth/reset-password"
    await mail.post(
        core,
        session,
        letters.password_changed(account.email, entry.language_of(account, otherwise=current_language()), link=forgot),
    )
    await audit.record(session, "password.reset", actor=entry.actor_of(account), subject=account.email, client=client)
