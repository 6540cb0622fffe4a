"""Re-authentication: people confirm who they are before sensitive changes and reads, unless they have just done so."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine
from datetime import timedelta
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts.models import Account
from fundwright.accounts.permissions import needs, refuse_programs
from fundwright.accounts.schemas import Actor, Client, Permission
from fundwright.authentication import attempts, repository
from fundwright.authentication.schemas import SignInRefusal, SignInRefused
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import FundwrightError
from fundwright.core.messages import t

P = ParamSpec("P")
R = TypeVar("R")


class ReauthenticationRequired(FundwrightError):
    """Screens ask the person to re-authenticate and then continue; programs call `/api/account/reauthentication` and try again."""

    status = 403
    needs_reauthentication = True

    def __init__(self) -> None:
        super().__init__(
            t("To continue, confirm your identity with your password (or a code if two-step verification is on) or a passkey.")
        )


class SessionEnded(FundwrightError):
    """The session of the actor ended after the request or event was authenticated."""

    status = 401

    def __init__(self) -> None:
        super().__init__(t("Your session has ended. Sign in again."))


def needs_recent_authentication(service: Callable[P, Coroutine[Any, Any, R]]) -> Callable[P, Coroutine[Any, Any, R]]:
    """Require recent authentication of the actor of a service. Goes below `@needs`.

    The service has parameters `session` and `actor`. The call raises ReauthenticationRequired, NotForPrograms for an API token,
    or SessionEnded. With two-step verification on, signing in and re-authentication include the second factor. Commands always
    pass: anyone who can open the data folder is its administrator.
    """
    signature = inspect.signature(service)

    @wraps(service)
    async def guarded(*arguments: P.args, **options: P.kwargs) -> R:
        given = signature.bind(*arguments, **options).arguments
        await require_recent_authentication(given["session"], given["actor"])
        return await service(*arguments, **options)

    return guarded


@needs(Permission.READ)
async def require_recent_authentication(session: AsyncSession, actor: Actor) -> None:
    """The same for services that yield, which the decorator cannot guard.

    Raises ReauthenticationRequired, NotForPrograms, or SessionEnded.
    """
    refuse_programs(actor)
    if actor.session_id is None:
        return
    until = await repository.find_reauthenticated_until(session, actor.session_id, actor.id)
    if until is None:
        raise SessionEnded
    if until <= now():
        raise ReauthenticationRequired


@needs(Permission.READ)
async def record_reauthentication(session: AsyncSession, actor: Actor, core: Core, *, by: str, client: Client) -> None:
    """Record that the actor has re-authenticated with a `password`, `code`, or `passkey`. Sensitive changes are allowed for some
    minutes.

    Raises SessionEnded.
    """
    if actor.session_id is not None:
        until = now() + timedelta(minutes=core.settings.reauthentication_minutes)
        if not await repository.mark_reauthenticated(session, actor.session_id, actor.id, until=until):
            raise SessionEnded
    await audit.record(session, "session.proved", actor=actor, subject=actor.email, client=client, by=by)


@needs(Permission.READ)
async def reauthenticate_by_password(
    session: AsyncSession, actor: Actor, core: Core, *, password: str, client: Client
) -> SignInRefused | None:
    """Return None if it is the actor's password. Wrong passwords count as at sign-in.

    With two-step verification on, the password is not enough and is not checked: the refusal is CODE_NEEDED.
    """
    if await repository.has_second_factor(session, actor.id):
        return await attempts.refuse(session, SignInRefusal.CODE_NEEDED, email=actor.email, client=client)
    account = await attempts.check_password(
        session, core, email=actor.email, password=password, client=client, place=attempts.place_of_session(actor.session_id)
    )
    if isinstance(account, SignInRefused):
        return account
    await record_reauthentication(session, actor, core, by="password", client=client)
    return None


@needs(Permission.READ)
async def check_own_password(
    session: AsyncSession, actor: Actor, core: Core, *, password: str, client: Client
) -> Account | SignInRefused:
    """Check the password of a signed-in person for a change that requires it. Wrong passwords count as at sign-in.

    With two-step verification on, the change also requires recent authentication, which includes the second factor. Raises
    ReauthenticationRequired, NotForPrograms, or SessionEnded.
    """
    refuse_programs(actor)
    if await repository.has_second_factor(session, actor.id):
        await require_recent_authentication(session, actor)
    return await attempts.check_password(
        session, core, email=actor.email, password=password, client=client, place=attempts.place_of_session(actor.session_id)
    )
