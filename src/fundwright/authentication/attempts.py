"""Attempts to sign in: checking a password, counting it, and refusing it."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit, passwords
from fundwright.accounts import service as accounts
from fundwright.accounts.models import Account
from fundwright.accounts.schemas import Client
from fundwright.authentication import repository, throttle
from fundwright.authentication.models import OneTimeSecret
from fundwright.authentication.schemas import SignInRefusal, SignInRefused
from fundwright.core.assembly import Core


async def attempt_of(
    session: AsyncSession,
    *,
    email: str,
    client: Client,
    place: str = "",
    factor: Literal["password", "app_code", "recovery_code"] = "password",
) -> throttle.Attempt:
    """How a password or code is counted. Without a `place`, the client is one if it is a known device of the account."""
    if not place and client.device:
        device_id = await repository.find_known_device(session, email, client.device)
        place = f"device:{device_id}" if device_id else ""
    return throttle.Attempt(email=email, address=client.address, place=place, factor=factor)


def place_of_session(session_id: UUID | None) -> str:
    """Where a signed-in person enters a password or code."""
    return f"session:{session_id}" if session_id else ""


def place_of_link(link: OneTimeSecret) -> str:
    """Where a person who has followed an emailed link to the account enters a password or code."""
    return f"link:{link.id}"


async def check_password(
    session: AsyncSession, core: Core, *, email: str, password: str, client: Client, place: str = ""
) -> Account | SignInRefused:
    plain = audit.one_line(email.strip().lower())
    attempt = await attempt_of(session, email=plain, client=client, place=place)
    account = await accounts.find_account(session, plain)
    subject = plain if account else audit.unknown_address(core, plain)
    if await throttle.is_banned(session, attempt):
        return await refuse_banned(session, attempt, email=subject, client=client)
    is_open = account is not None and account.disabled_at is None
    is_right, newer = await passwords.check_password(password, account.password_hash if account and is_open else None)
    if not await throttle.record_attempt(session, attempt, is_right=is_right):
        return await refuse_banned(session, attempt, email=subject, client=client)
    if account is None or not is_open:
        return await refuse(session, SignInRefusal.UNKNOWN_EMAIL, email=subject, client=client)
    if not is_right:
        return await refuse(session, SignInRefusal.WRONG_PASSWORD, email=plain, client=client)
    if newer:
        account.password_hash = newer
    return account


async def refuse(session: AsyncSession, reason: SignInRefusal, *, email: str, client: Client) -> SignInRefused:
    await audit.record(session, "sign_in.refused", actor=None, subject=email, client=client, reason=reason.value)
    return SignInRefused(reason=reason)


async def refuse_banned(session: AsyncSession, attempt: throttle.Attempt, *, email: str, client: Client) -> SignInRefused:
    """Refuse an attempt during a ban. Only the 1st, 10th, 100th, and so on are recorded, with their number, so that nobody can fill
    the audit trail."""
    tries = await throttle.count_refused(session, attempt)
    if str(tries).strip("0") == "1":
        reason = SignInRefusal.THROTTLED.value
        await audit.record(session, "sign_in.refused", actor=None, subject=email, client=client, reason=reason, tries=str(tries))
    return SignInRefused(reason=SignInRefusal.THROTTLED)
