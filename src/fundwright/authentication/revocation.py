"""Revoking credentials of an account."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts.models import Account
from fundwright.accounts.schemas import Actor, Client
from fundwright.authentication import emails, repository, sessions
from fundwright.authentication.schemas import ResetChoices


async def revoke_credentials(
    session: AsyncSession, account: Account, choices: ResetChoices, *, client: Client, by: Actor | None
) -> emails.Ended:
    """End the sessions, tokens, and factors that `choices` names. In any case, forget the account's known devices, its open
    links, such as one that confirms another address, and sign-ins that wait for their second step."""
    await repository.forget_secrets(session, owner_id=account.id)
    tokens_revoked, passkeys_removed, is_signed_out = list[str](), list[str](), False
    if choices.end_everything:
        is_signed_out = await sessions.end_sessions(session, account.id)
        if is_signed_out:
            await audit.record(session, "session.all_ended", actor=by, subject=account.email, client=client)
        tokens_revoked.extend(await repository.revoke_api_tokens(session, account.id))
    else:
        await repository.forget_known_devices(session, account.id)
    for passkey_id in choices.remove_passkeys:
        passkeys_removed.extend(await repository.forget_passkeys(session, account.id, only=passkey_id))
    is_off = choices.remove_authenticator and await repository.forget_second_factor(session, account.id)
    for name in tokens_revoked:
        await audit.record(session, "api_key.revoked", actor=by, subject=name, client=client)
    for name in passkeys_removed:
        await audit.record(session, "passkey.removed", actor=by, subject=name, client=client)
    if is_off:
        await audit.record(session, "second_factor.removed", actor=by, subject=account.email, client=client)
    return emails.Ended(
        is_everything=choices.end_everything,
        sessions=is_signed_out,
        api_tokens=tokens_revoked,
        passkeys=passkeys_removed,
        authenticator=is_off,
    )


async def revoke_all_credentials(session: AsyncSession, account: Account, *, client: Client) -> None:
    """Revoke every credential that the account has."""
    passkeys = [passkey.id for passkey in await repository.list_passkeys(session, account.id)]
    await revoke_credentials(session, account, ResetChoices.everything(passkeys), client=client, by=None)
