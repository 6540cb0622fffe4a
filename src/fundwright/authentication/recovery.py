"""Resetting a forgotten password through a link that the owner requests or an administrator sends."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit, passwords
from fundwright.accounts import service as accounts
from fundwright.accounts.models import Account
from fundwright.accounts.schemas import COMMAND_LINE, Actor, Client
from fundwright.authentication import (
    attempts,
    emails,
    one_time_secrets,
    repository,
    requested_emails,
    revocation,
    second_factor,
    sessions,
    throttle,
)
from fundwright.authentication.models import OneTimeSecret
from fundwright.authentication.schemas import PasskeyRead, ResetChoices, ResetDone, ResetRead, SignInRefusal, SignInRefused
from fundwright.core import mail, tokens
from fundwright.core.assembly import Core
from fundwright.core.errors import NotFound
from fundwright.core.messages import Language, current_language, t

KNOWN_AFTER_RESET = timedelta(minutes=15)
_RESET_LINK = timedelta(hours=1)
_BY_EMAIL = Client(address="email")


async def ask_for_reset(session: AsyncSession, core: Core, *, email: str, language: Language, client: Client) -> None:
    """Send a link for a new password to the address, if it has an account. Raises Invalid or TooManyTries."""
    plain = accounts.normalize_email(email)
    await throttle.enforce_rate_limit(session, "reset", subject=plain, address=client.address)
    subject = plain if await accounts.find_account(session, plain) else audit.unknown_address(core, plain)
    await audit.record(session, "password.reset_asked", actor=None, subject=subject, client=client)
    await requested_emails.request_email(session, core, "reset", email=plain, language=language)


async def send_reset(session: AsyncSession, core: Core, *, email: str, language: Language) -> None:
    """For the job: sends nothing if nobody could sign in with a new password."""
    account = await accounts.find_account(session, email)
    if account is not None and account.disabled_at is None:
        link = core.settings.address + await reset_link(session, email=email, client=_BY_EMAIL)
        message = emails.reset(email, accounts.language_of(account, otherwise=language), link=link)
        await mail.post(session, core, message, recipient_id=account.id)


async def reset_link(session: AsyncSession, *, email: str, client: Client = COMMAND_LINE, by: Actor | None = None) -> str:
    """Return the path of a page where the owner of the account chooses a new password, once, within an hour. Raises NotFound.

    An older link of the account stops working. The administrator who creates the link never learns the password.
    """
    account = await accounts.get_account(session, accounts.normalize_email(email))
    await repository.forget_secrets(session, purpose="reset", owner_id=account.id)
    secret = await one_time_secrets.new_secret(session, "reset", lasts=_RESET_LINK, owner_id=account.id)
    await audit.record(session, "password.reset_started", actor=by, subject=account.email, client=client)
    return f"/auth/confirm-reset/{secret}"


async def find_reset(session: AsyncSession, secret: str) -> ResetRead | None:
    """The choices of the holder of the link, or None if it no longer works."""
    link = await repository.find_secret(session, purpose="reset", digest=tokens.digest(secret))
    if link is None or link.owner_id is None:
        return None
    factor = await repository.find_second_factor(session, link.owner_id)
    passkeys = await repository.list_passkeys(session, link.owner_id)
    return ResetRead(
        passkeys=[PasskeyRead.model_validate(passkey) for passkey in passkeys],
        authenticator_since=factor.confirmed_at if factor else None,
    )


async def reset_password(
    session: AsyncSession,
    core: Core,
    *,
    secret: str,
    password: str,
    client: Client,
    choices: ResetChoices = ResetChoices(),
) -> ResetDone | SignInRefused:
    """Set a new password with a reset link, and revoke what `choices` says.

    The email alone does not bypass two-step verification: signing in still requires the second factor, and removing a passkey or
    the authenticator app requires a code; without it, the refusal is CODE_NEEDED. Raises LinkSpent, WeakPassword, or NotFound.
    """
    link = await repository.find_secret(session, purpose="reset", digest=tokens.digest(secret))
    account = await accounts.find_account_by_id(session, link.owner_id) if link and link.owner_id else None
    if link is None or account is None:
        raise _spent()
    passkeys = {passkey.id: passkey.name for passkey in await repository.list_passkeys(session, account.id)}
    if account.verified_at is None:
        # The email with the link has arrived. Until then, anyone could register the address: revoke what they set.
        await accounts.confirm(session, core, account)
        choices = ResetChoices.everything(passkeys)
    elif choices.removes and await repository.has_second_factor(session, account.id):
        refused = await _refuse_without_code(session, core, account, link, choices, client)
        if refused is not None:
            return refused
    if await repository.use_secret(session, purpose="reset", digest=tokens.digest(secret)) is None:
        raise _spent()
    if not passkeys.keys() >= set(choices.remove_passkeys):
        raise NotFound(t("The passkey"))
    account.password_hash = await passwords.new_hash(password, account.email, account.display_name)
    ended = await revocation.revoke_credentials(session, account, choices, client=client, by=accounts.actor_of(account))
    device = await sessions.remember_device(session, account.id, lasts=KNOWN_AFTER_RESET)
    kept = [name for id, name in passkeys.items() if id not in choices.remove_passkeys]
    forgot = f"{core.settings.address}/auth/reset-password"
    language = accounts.language_of(account, otherwise=current_language())
    message = emails.password_reset(account.email, language, ended=ended, passkeys_kept=kept, link=forgot)
    await mail.post(session, core, message, recipient_id=account.id)
    everything = "ended" if choices.end_everything else "kept"
    await audit.record(
        session, "password.reset", actor=accounts.actor_of(account), subject=account.email, client=client, everything=everything
    )
    return ResetDone(device=device, is_signed_out=ended.sessions)


async def _refuse_without_code(
    session: AsyncSession, core: Core, account: Account, link: OneTimeSecret, choices: ResetChoices, client: Client
) -> SignInRefused | None:
    if not choices.code.strip():
        return await attempts.refuse(session, SignInRefusal.CODE_NEEDED, email=account.email, client=client)
    place = attempts.place_of_link(link)
    return await second_factor.accept(session, core, account, code=choices.code, client=client, place=place)


def _spent() -> one_time_secrets.LinkSpent:
    return one_time_secrets.LinkSpent(t("This link"), t("Request a new one."))
