"""Two-step verification: codes of an authenticator app (TOTP, RFC 6238), and recovery codes for when it is lost."""

from __future__ import annotations

import base64
import hmac
import secrets
from datetime import timedelta
from hmac import compare_digest
from uuid import UUID

import segno
from pyotp.totp import TOTP
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts import service as accounts
from fundwright.accounts.models import Account
from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import COMMAND_LINE, Actor, Client, Permission
from fundwright.authentication import attempts, emails, one_time_secrets, reauthentication, repository, throttle
from fundwright.authentication.models import RecoveryCode
from fundwright.authentication.reauthentication import needs_recent_authentication
from fundwright.authentication.schemas import (
    RecoveryCodes,
    SecondFactorRead,
    SecondFactorSetUp,
    SecondStep,
    SignInRefusal,
    SignInRefused,
)
from fundwright.core import tokens
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import Conflict, FundwrightError, Invalid
from fundwright.core.keys import lasting_key
from fundwright.core.mail import MailKind
from fundwright.core.messages import t

_ISSUER = "Fundwright"
_STEP_S = 30
_DRIFT = (0, -1, 1)
"""Time steps by which the phone's clock may differ, or a code may be late."""


_CODE_LENGTH = 6
_RECOVERY_CODES = 10
_RECOVERY_BYTES = 10
_WAITS_FOR = timedelta(minutes=5)
_PENDING = "second_step"


class AlreadyOn(Conflict):
    def __init__(self) -> None:
        super().__init__(t("Two-step verification is already on. Turn it off first to use another app."))


class NotStarted(Conflict):
    def __init__(self) -> None:
        super().__init__(t("There is nothing to confirm. Start the setup again."))


class WrongCode(Invalid):
    def __init__(self) -> None:
        super().__init__(
            t("That code is wrong. Enter the one the app shows now. If it keeps happening, check your phone's clock.")
        )


class CodesPaused(FundwrightError):
    status = 429

    def __init__(self) -> None:
        super().__init__(t("Too many wrong codes. Wait 5 minutes, then try again."))


def confirmation_error(refused: SignInRefused) -> FundwrightError:
    """The message for a code that `confirm` refused. Raise it only after the commit that counts wrong codes."""
    return CodesPaused() if refused.reason is SignInRefusal.THROTTLED else WrongCode()


@needs(Permission.READ)
async def read(session: AsyncSession, actor: Actor) -> SecondFactorRead:
    factor = await repository.find_second_factor(session, actor.id)
    codes = await repository.count_recovery_codes(session, actor.id)
    return SecondFactorRead(since=factor.confirmed_at if factor else None, recovery_codes=codes)


@needs(Permission.READ)
@needs_recent_authentication
async def start(session: AsyncSession, actor: Actor, core: Core) -> SecondFactorSetUp:
    """Create a new secret for an authenticator app. It takes effect with `confirm`. Raises AlreadyOn or
    ReauthenticationRequired."""
    factor_id = await repository.begin_second_factor(session, actor.id)
    if factor_id is None:
        raise AlreadyOn
    totp = _totp(core, factor_id)
    address = totp.provisioning_uri(name=actor.email, issuer_name=_ISSUER)
    picture = segno.make(address, error="m").svg_data_uri(scale=5, border=4, light="white")
    return SecondFactorSetUp(secret=totp.secret, address=address, picture=picture)


@needs(Permission.READ)
async def confirm(session: AsyncSession, actor: Actor, core: Core, *, code: str, client: Client) -> RecoveryCodes | SignInRefused:
    """Turn on two-step verification with a code of the app; return the recovery codes. The other sessions of the account have
    to re-authenticate.

    Wrong codes count as at sign-in. Raises NotStarted or AlreadyOn.
    """
    factor = await repository.find_second_factor(session, actor.id)
    if factor is None:
        raise NotStarted
    if factor.confirmed_at is not None:
        raise AlreadyOn
    attempt = await attempts.attempt_of(
        session, email=actor.email, client=client, place=attempts.place_of_session(actor.session_id), factor="app_code"
    )
    if await throttle.is_banned(session, attempt):
        return await attempts.refuse_banned(session, attempt, email=actor.email, client=client)
    digits = _app_digits(code)
    is_right = digits is not None and await _is_app_code(session, core, factor.id, digits)
    if not await throttle.record_attempt(session, attempt, is_right=is_right):
        return await attempts.refuse_banned(session, attempt, email=actor.email, client=client)
    if not is_right:
        return await attempts.refuse(session, SignInRefusal.WRONG_CODE, email=actor.email, client=client)
    factor.confirmed_at = now()
    await repository.require_reauthentication(session, actor.id, but=actor.session_id)
    await audit.record(session, "second_factor.added", actor=actor, subject=actor.email, client=client)
    await emails.notify_owner(session, core, await accounts.get_account(session, actor.email), MailKind.SECOND_FACTOR_ON)
    return await _new_recovery_codes(session, actor.id)


@needs(Permission.READ)
@needs_recent_authentication
async def renew_recovery_codes(session: AsyncSession, actor: Actor, *, client: Client) -> RecoveryCodes:
    """Create new recovery codes; the old ones stop working. Raises NotStarted or ReauthenticationRequired."""
    if not await repository.has_second_factor(session, actor.id):
        raise NotStarted
    await audit.record(session, "second_factor.recovery_codes_renewed", actor=actor, subject=actor.email, client=client)
    return await _new_recovery_codes(session, actor.id)


@needs(Permission.READ)
@needs_recent_authentication
async def turn_off(session: AsyncSession, actor: Actor, core: Core, *, client: Client) -> None:
    """Turn off two-step verification: the password alone is enough from now on. Turning it off twice is not an error. Raises
    ReauthenticationRequired."""
    if await repository.forget_second_factor(session, actor.id):
        await audit.record(session, "second_factor.removed", actor=actor, subject=actor.email, client=client)
        await emails.notify_owner(session, core, await accounts.get_account(session, actor.email), MailKind.SECOND_FACTOR_OFF)


async def remove(
    session: AsyncSession, core: Core, *, email: str, client: Client = COMMAND_LINE, by: Actor | None = None
) -> None:
    """Remove the authenticator app, recovery codes, and passkeys of an account. Raises NotFound."""
    account = await accounts.get_account(session, accounts.normalize_email(email))
    was_on = await repository.forget_second_factor(session, account.id)
    if await repository.forget_passkeys(session, account.id) or was_on:
        await audit.record(session, "second_factor.removed", actor=by, subject=account.email, client=client)
        await emails.notify_owner(session, core, account, MailKind.SECOND_FACTOR_OFF)


async def is_protected(session: AsyncSession, account_id: UUID) -> bool:
    """Whether the account has an authenticator app or a passkey."""
    return await repository.has_second_factor(session, account_id) or bool(await repository.list_passkeys(session, account_id))


async def check(session: AsyncSession, core: Core, account: Account, *, code: str, client: Client) -> SignInRefused | None:
    """For programs, which send the code with the password: None if the account requires none, or the code is right."""
    if not await repository.has_second_factor(session, account.id):
        return None
    if not code:
        return await attempts.refuse(session, SignInRefusal.CODE_NEEDED, email=account.email, client=client)
    return await accept(session, core, account, code=code, client=client)


async def start_second_step(session: AsyncSession, account: Account, *, remember: bool, client: Client) -> SecondStep | None:
    """Let a sign-in with the right password wait for its second step; None if the account requires none."""
    if not await repository.has_second_factor(session, account.id):
        return None
    await audit.record(session, "sign_in.code_asked", actor=None, subject=account.email, client=client)
    return SecondStep(
        pending=await one_time_secrets.new_secret(session, _PENDING, lasts=_WAITS_FOR, owner_id=account.id, remember=remember)
    )


async def find_pending(session: AsyncSession, pending: str) -> tuple[Account, bool] | None:
    """The account whose second step is pending, and whether to remember the session; None if the step has expired or is
    done."""
    found = await repository.find_secret(session, purpose=_PENDING, digest=tokens.digest(pending))
    account = await accounts.find_account_by_id(session, found.owner_id) if found and found.owner_id else None
    return (account, found.remember) if found and account else None


async def finish(session: AsyncSession, core: Core, *, pending: str, code: str, client: Client) -> str | SignInRefused:
    """Complete the second step and return a handover code, which starts the session. Raises LinkSpent if the first step is too
    long ago."""
    found = await find_pending(session, pending)
    if found is None:
        raise one_time_secrets.LinkSpent(t("This sign-in"), t("Sign in again."))
    account, remember = found
    refused = await accept(session, core, account, code=code, client=client)
    if refused is not None:
        return refused
    await end_pending(session, pending)
    return await one_time_secrets.new_handover(session, account.id, remember=remember)


async def pending_email(session: AsyncSession, pending: str) -> str | None:
    """The account whose second step is pending; None if the step has expired or is done."""
    found = await find_pending(session, pending)
    return found[0].email if found else None


async def end_pending(session: AsyncSession, pending: str) -> None:
    """Raises LinkSpent: of two simultaneous attempts, one succeeds."""
    if await repository.use_secret(session, purpose=_PENDING, digest=tokens.digest(pending)) is None:
        raise one_time_secrets.LinkSpent(t("This sign-in"), t("Sign in again."))


async def accept(
    session: AsyncSession, core: Core, account: Account, *, code: str, client: Client, place: str = ""
) -> SignInRefused | None:
    """Return None if it is a code of the account's app, or one of its recovery codes, neither used before. `place` is the known
    place where it is entered, if there is one.

    Wrong codes of the app are counted for the account, wherever they are entered, and wrong recovery codes for the place. During
    the pause that follows, a right code is refused like a wrong one.
    """
    digits = _app_digits(code)
    attempt = await attempts.attempt_of(
        session, email=account.email, client=client, place=place, factor="app_code" if digits else "recovery_code"
    )
    if await throttle.is_banned(session, attempt):
        return await _refuse_paused(session, attempt, account, client)
    factor = await repository.find_second_factor(session, account.id)
    if factor is None or factor.confirmed_at is None:
        is_right = False
    elif digits:
        is_right = await _is_app_code(session, core, factor.id, digits)
    else:
        is_right = await repository.use_recovery_code(session, account.id, _recovery_digest(code))
    if not await throttle.record_attempt(session, attempt, is_right=is_right):
        return await _refuse_paused(session, attempt, account, client)
    if not is_right:
        return await attempts.refuse(session, SignInRefusal.WRONG_CODE, email=account.email, client=client)
    if not digits:
        actor = accounts.actor_of(account)
        await audit.record(session, "second_factor.recovery_code_used", actor=actor, subject=account.email, client=client)
        await emails.notify_owner(session, core, account, MailKind.RECOVERY_CODE_USED)
    return None


async def _refuse_paused(session: AsyncSession, attempt: throttle.Attempt, account: Account, client: Client) -> SignInRefused:
    await attempts.refuse_banned(session, attempt, email=account.email, client=client)
    return SignInRefused(reason=SignInRefusal.WRONG_CODE)


@needs(Permission.READ)
async def reauthenticate_by_code(
    session: AsyncSession, actor: Actor, core: Core, *, code: str, client: Client
) -> SignInRefused | None:
    """Re-authenticate with a code. Returns None if it is right."""
    account = await accounts.get_account(session, actor.email)
    refused = await accept(session, core, account, code=code, client=client, place=attempts.place_of_session(actor.session_id))
    if refused is None:
        await reauthentication.record_reauthentication(session, actor, core, by="code", client=client)
    return refused


def _totp(core: Core, factor_id: UUID) -> TOTP:
    secret = base64.b32encode(_authenticator_secret(core, factor_id)).decode()
    return TOTP(secret, digits=_CODE_LENGTH, interval=_STEP_S)


def _app_digits(code: str) -> str | None:
    """The digits of an app's code, without the spaces that some apps show; None for anything else, such as a recovery code."""
    plain = "".join(code.split())
    return plain if plain.isascii() and plain.isdecimal() and len(plain) == _CODE_LENGTH else None


async def _is_app_code(session: AsyncSession, core: Core, factor_id: UUID, digits: str) -> bool:
    totp, current = _totp(core, factor_id), int(now().timestamp()) // _STEP_S
    steps = [current + drift for drift in _DRIFT if compare_digest(totp.generate_otp(current + drift), digits)]
    return bool(steps) and await repository.take_step(session, factor_id, steps[0])


async def _new_recovery_codes(session: AsyncSession, owner_id: UUID) -> RecoveryCodes:
    await repository.forget_recovery_codes(session, owner_id)
    codes = [_new_recovery_code() for _ in range(_RECOVERY_CODES)]
    session.add_all(RecoveryCode(owner_id=owner_id, digest=_recovery_digest(code)) for code in codes)
    await session.flush()
    return RecoveryCodes(codes=codes)


def _new_recovery_code() -> str:
    """80 random bits in four groups, of letters and digits that are not confused with each other."""
    text = base64.b32encode(secrets.token_bytes(_RECOVERY_BYTES)).decode().lower()
    return "-".join(text[start : start + 4] for start in range(0, len(text), 4))


def _recovery_digest(code: str) -> str:
    return tokens.digest("".join(character for character in code.lower() if character.isalnum()))


def _authenticator_secret(core: Core, factor_id: UUID) -> bytes:
    """The secret that an authenticator app shares with us, derived from a separate key, because the session key may change."""
    return hmac.digest(lasting_key(core, "second_factor.key"), factor_id.bytes, "sha256")[:20]
