"""Confirmation of the address of a new account, through a link that is sent to it."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import quote

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts import service as accounts
from fundwright.accounts.models import Account
from fundwright.accounts.schemas import Client
from fundwright.authentication import attempts, emails, one_time_secrets, repository, requested_emails, second_factor, throttle
from fundwright.authentication.schemas import SignInRefused
from fundwright.core import mail, tokens
from fundwright.core.assembly import Core
from fundwright.core.messages import Language, t

_LINK_LASTS = timedelta(days=1)


async def count_request(session: AsyncSession, *, email: str, client: Client) -> None:
    """Count a request to register an address, whether or not it can be registered. Raises Invalid or TooManyTries."""
    await throttle.enforce_rate_limit(session, "register", subject=accounts.normalize_email(email), address=client.address)


async def ask_to_confirm_again(session: AsyncSession, core: Core, *, email: str, language: Language, client: Client) -> None:
    """Send the email with the link again, if the address is waiting to be confirmed. Raises Invalid or TooManyTries."""
    plain = accounts.normalize_email(email)
    await count_request(session, email=plain, client=client)
    await requested_emails.request_email(session, core, "verification", email=plain, language=language)


async def send_verification(session: AsyncSession, core: Core, *, email: str, language: Language) -> None:
    """For the job: sends nothing if there is nothing to confirm."""
    account = await accounts.find_account(session, email)
    if account is not None and account.verified_at is None:
        await ask_to_confirm(session, core, account, language=language)


async def email_to_confirm(session: AsyncSession, secret: str) -> str | None:
    """The address that the link confirms, or None if the link no longer works."""
    found = await repository.find_secret(session, purpose="verify", digest=tokens.digest(secret))
    account = await accounts.find_account_by_id(session, found.owner_id) if found and found.owner_id else None
    return account.email if account else None


async def confirm_email(session: AsyncSession, core: Core, *, secret: str, password: str, client: Client) -> str | SignInRefused:
    """Confirm an address with its link and the password it was registered with. Returns a handover code. Raises LinkSpent.

    If the account requires a second factor, it is confirmed, and its sign-in is refused as CODE_NEEDED.

    The password is required because anyone can register someone else's address: its owner must not confirm a stranger's
    password.
    """
    link = await repository.find_secret(session, purpose="verify", digest=tokens.digest(secret))
    email = await email_to_confirm(session, secret)
    if link is None or email is None:
        raise one_time_secrets.LinkSpent(t("This link"), t("Sign in, or resend the email."))
    place = attempts.place_of_link(link)
    account = await attempts.check_password(session, core, email=email, password=password, client=client, place=place)
    if isinstance(account, SignInRefused):
        return account
    await repository.forget_secrets(session, purpose="verify", owner_id=account.id)
    actor = await accounts.confirm(session, core, account)
    await audit.record(session, "account.verified", actor=actor, subject=account.email, client=client)
    refused = await second_factor.check(session, core, account, code="", client=client)
    return refused or await one_time_secrets.new_handover(session, account.id, remember=True)


async def ask_to_confirm(session: AsyncSession, core: Core, account: Account, *, language: Language) -> None:
    await repository.forget_secrets(session, purpose="verify", owner_id=account.id)
    secret = await one_time_secrets.new_secret(session, "verify", lasts=_LINK_LASTS, owner_id=account.id)
    link = f"{core.settings.address}/auth/verify/{quote(account.email)}?link={secret}"
    message = emails.verification(account.email, accounts.language_of(account, otherwise=language), link=link)
    await mail.post(session, core, message, recipient_id=account.id)
