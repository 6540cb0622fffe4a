"""Changing the email address of an account. The new address takes effect when its owner confirms it.

The response is the same for every address; only the email tells whether the address has an account.
"""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts import service as accounts
from fundwright.accounts.permissions import needs, require_confirmed
from fundwright.accounts.schemas import Actor, Client, Permission
from fundwright.authentication import emails, one_time_secrets, reauthentication, repository, sessions, throttle
from fundwright.authentication.schemas import SignInRefused
from fundwright.core import mail, tokens
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import Invalid
from fundwright.core.messages import current_language, t

_LINK_LASTS = timedelta(hours=1)
_PURPOSE = "email"


# Links to the old address, or about it, must not open the account.
_REVOKED_WITH_ADDRESS = ("reset", "verify", _PURPOSE)


@needs(Permission.READ)
async def ask(
    session: AsyncSession, actor: Actor, core: Core, *, email: str, password: str, client: Client
) -> SignInRefused | None:
    """Send a link to the new address and a notice to the current one. Returns why not if the password is wrong.

    An earlier link stops working. Raises Invalid, TooManyTries, or ReauthenticationRequired (see `check_own_password`).
    """
    require_confirmed(actor)
    plain = accounts.normalize_email(email)
    if plain == actor.email:
        raise Invalid(t("That is your current address. Enter another one."))
    account = await reauthentication.check_own_password(session, actor, core, password=password, client=client)
    if isinstance(account, SignInRefused):
        return account
    await throttle.enforce_rate_limit(session, _PURPOSE, subject=plain, address=client.address)
    await repository.forget_secrets(session, purpose=_PURPOSE, owner_id=account.id)
    secret = await one_time_secrets.new_secret(session, _PURPOSE, lasts=_LINK_LASTS, owner_id=account.id, email=plain)
    language = accounts.language_of(account, otherwise=current_language())
    taken_by = await accounts.find_account(session, plain)
    if taken_by is None:
        message = emails.confirm_new_email(plain, language, link=f"{core.settings.address}/auth/confirm-email/{secret}")
    else:
        message = emails.address_in_use(plain, accounts.language_of(taken_by, otherwise=language))
    await mail.post(session, core, message)
    forgot = f"{core.settings.address}/auth/reset-password"
    await mail.post(session, core, emails.email_changes(account.email, language, new=plain, link=forgot))
    await audit.record(session, "email.change_asked", actor=actor, subject=account.email, client=client, new=plain)
    return None


async def address_to_confirm(session: AsyncSession, secret: str) -> str | None:
    """The address that the link confirms for the account, or None if the link no longer works."""
    found = await repository.find_secret(session, purpose=_PURPOSE, digest=tokens.digest(secret))
    return found.email if found else None


async def confirm(session: AsyncSession, *, secret: str, client: Client) -> Actor:
    """Change the address of the account, and return the account. Every session ends: sign in with the new address. Raises
    LinkSpent."""
    used = await repository.use_secret(session, purpose=_PURPOSE, digest=tokens.digest(secret))
    account = await accounts.find_account_by_id(session, used.owner_id) if used and used.owner_id else None
    new = used.email if used else None
    spent = one_time_secrets.LinkSpent(t("This link"), t("Sign in and request a new one under Account."))
    if account is None or new is None or account.disabled_at is not None:
        raise spent
    actor, old = accounts.actor_of(account), account.email
    try:
        async with session.begin_nested():
            account.email, account.verified_at = new, now()
    except IntegrityError:  # the address has been registered in the meantime
        raise spent from None
    for purpose in _REVOKED_WITH_ADDRESS:
        await repository.forget_secrets(session, purpose=purpose, owner_id=account.id)
    await sessions.end_sessions(session, account.id)
    await audit.record(session, "email.changed", actor=actor, subject=new, client=client, old=old)
    return accounts.actor_of(account)
