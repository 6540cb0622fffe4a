"""Operations on accounts for the command line only. They check no permission: anyone who can open the data folder has
full access."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import repository, service
from fundwright.accounts.schemas import AccountRead, Actor
from fundwright.core.errors import FundwrightError, NotFound


class NoSuchAccount(NotFound):
    """There is no account for a command to act as."""

    def __init__(self, email: str | None, *, is_disabled: bool = False) -> None:
        if email and is_disabled:
            sentence = f"The account {email} is disabled. Enable it with `fundwright user enable {email}`."
        elif email:
            sentence = f"There is no account {email}. Add it with `fundwright user add {email}`, or see `fundwright user list`."
        else:
            sentence = "There is no account to act as yet. Add one with `fundwright user add EMAIL`."
        FundwrightError.__init__(self, sentence)


class NoSuchWorkspace(NotFound):
    """The account of a command is not a member of a workspace with this name or id, or of several."""

    def __init__(self, email: str, workspace: str, known: Sequence[str], *, is_ambiguous: bool) -> None:
        problem = "is a member of several workspaces" if is_ambiguous else "is not a member of a workspace"
        names = ", ".join(known)
        remedy = f"Choose one of these by its id: {names}." if known else "Omit --workspace to use the personal one."
        sentence = f"{email} {problem} named “{workspace}”. {remedy}"
        FundwrightError.__init__(self, sentence)


async def list_accounts(session: AsyncSession) -> list[AccountRead]:
    return [AccountRead.model_validate(account) for account in await repository.list_accounts(session)]


async def actor_for_command(session: AsyncSession, *, email: str | None, workspace: str | None = None) -> Actor:
    """Return the actor of a command: the account with this email; otherwise, the oldest with role user, or else the oldest. It acts in
    the workspace with this name or id; otherwise, in its personal one. Raises NotFound."""
    account = await (
        repository.find_account(session, service.normalize_email(email)) if email else repository.find_oldest_account(session)
    )
    if account is None or account.disabled_at is not None:
        raise NoSuchAccount(email, is_disabled=account is not None)
    known = await repository.list_memberships(session, account.id)
    wanted = workspace or str(account.id)
    found = [membership for name, membership in known if wanted in (name, str(membership.workspace_id))]
    if len(found) != 1:
        choices = [f"{name} ({membership.workspace_id})" for name, membership in known if name]
        raise NoSuchWorkspace(account.email, wanted, choices, is_ambiguous=bool(found))
    return service.actor_of(account, membership=found[0])
