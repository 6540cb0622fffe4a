"""Changing the person's own password."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit, passwords
from fundwright.accounts import service as accounts
from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import Actor, Client, Permission
from fundwright.authentication import emails, reauthentication, repository, sessions
from fundwright.authentication.schemas import SignInRefusal, SignInRefused
from fundwright.core import mail
from fundwright.core.assembly import Core
from fundwright.core.errors import Invalid, NotAllowed
from fundwright.core.messages import current_language, t


@needs(Permission.READ)
async def change_password(
    session: AsyncSession, actor: Actor, core: Core, *, current: str, new: str, client: Client
) -> SignInRefused | None:
    """Set a new password; every other session ends, and the owner is notified. Returns why not if `current` is wrong.

    Wrong passwords count as at sign-in. Raises WeakPassword, Invalid if nothing would change, or ReauthenticationRequired (see
    `check_own_password`).
    """
    account = await reauthentication.check_own_password(session, actor, core, password=current, client=client)
    if isinstance(account, SignInRefused):
        return account
    if new == current:
        raise Invalid(t("That is your current password. Choose another one."))
    account.password_hash = await passwords.new_hash(new, account.email, account.display_name)
    await repository.forget_secrets(session, owner_id=account.id)  # also a change of address requested by someone else
    await sessions.end_sessions(session, account.id, but=actor.session_id, device=client.device)
    forgot = f"{core.settings.address}/auth/reset-password"
    language = accounts.language_of(account, otherwise=current_language())
    await mail.post(session, core, emails.own_password_changed(account.email, language, link=forgot))
    await audit.record(session, "password.changed", actor=actor, subject=account.email, client=client)
    return None


def wrong_password(refused: SignInRefused) -> str:
    """The message for a signed-in person whose password was refused."""
    if refused.reason is SignInRefusal.THROTTLED:
        return t("Too many wrong passwords. Wait 5 minutes, then try again.")
    return t("Wrong password. Try again. After several wrong attempts, you'll have to wait 5 minutes.")


def check_password_accepted(refused: SignInRefused | None) -> None:
    """Call it after the commit that counts wrong passwords. Raises NotAllowed."""
    if refused is not None:
        raise NotAllowed(wrong_password(refused))
