"""Passkeys (WebAuthn): signing in with a key on a device, instead of a password or as the second step.

A passkey belongs to the host name that it was created for. That name, and the expected origin of responses, follow from the
configured address, never from a request.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from ipaddress import ip_address
from typing import Literal, NamedTuple
from urllib.parse import urlsplit
from uuid import UUID

import webauthn
from sqlalchemy.ext.asyncio import AsyncSession
from webauthn.helpers import parse_authentication_credential_json, parse_client_data_json, parse_registration_credential_json
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from fundwright.accounts import audit
from fundwright.accounts import service as accounts
from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import Actor, Client, Permission
from fundwright.authentication import attempts, emails, one_time_secrets, reauthentication, repository, second_factor
from fundwright.authentication.models import OneTimeSecret, Passkey
from fundwright.authentication.reauthentication import needs_recent_authentication
from fundwright.authentication.schemas import PasskeyRead, SignInRefusal, SignInRefused
from fundwright.core import tokens
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import Conflict, Invalid, NotFound
from fundwright.core.mail import MailKind
from fundwright.core.messages import t
from fundwright.core.settings import Settings
from fundwright.core.spreadsheets import csv_lines

_NAME = "Fundwright"
_CHALLENGE_LASTS = timedelta(minutes=5)
_MAX_PASSKEYS = 20


Purpose = Literal["passkey.add", "passkey.sign_in", "passkey.reauthentication"]


class NoHostName(Conflict):
    def __init__(self) -> None:
        super().__init__(
            t(
                "Passkeys require a host name and HTTPS. Ask your administrator to set FUNDWRIGHT_PUBLIC_URL to the address that people open. http://localhost works, too."
            )
        )


class PasskeyTaken(Conflict):
    def __init__(self) -> None:
        super().__init__(t("That passkey is already in use. Choose another device or password manager."))


class TooManyPasskeys(Conflict):
    def __init__(self) -> None:
        super().__init__(t("An account can have at most {count} passkeys. Remove one that you don't use.", count=_MAX_PASSKEYS))


class PasskeyRefused(Invalid):
    def __init__(self) -> None:
        super().__init__(t("The browser's response was invalid or too late. Try again."))


class RelyingParty(NamedTuple):
    id: str
    origin: str


def relying_party(settings: Settings) -> RelyingParty | None:
    """The host that passkeys are created for; None where browsers do not create any: at a bare IP address, or without https."""
    address = urlsplit(settings.address)
    host = address.hostname or ""
    is_local = host == "localhost" or host.endswith(".localhost")
    if _is_ip(host) or not (address.scheme == "https" or is_local):
        return None
    is_usual = address.port in (None, {"https": 443, "http": 80}[address.scheme])
    return RelyingParty(host, f"{address.scheme}://{host}" + ("" if is_usual else f":{address.port}"))


@needs(Permission.READ)
async def list_passkeys(session: AsyncSession, actor: Actor) -> list[PasskeyRead]:
    """Oldest first."""
    return [PasskeyRead.model_validate(row) for row in await repository.list_passkeys(session, actor.id)]


@needs(Permission.READ)
async def export_passkeys(session: AsyncSession, actor: Actor) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    columns: list[tuple[str, Callable[[PasskeyRead], object]]] = [
        (t("Name"), lambda passkey: passkey.name),
        (t("Added"), lambda passkey: passkey.created_at),
        (t("Last used"), lambda passkey: passkey.last_used_at),
    ]
    async for line in csv_lines(columns, await list_passkeys(session, actor)):
        yield line


@needs(Permission.READ)
@needs_recent_authentication
async def start_adding(session: AsyncSession, actor: Actor, core: Core) -> str:
    """Options for the browser's `navigator.credentials.create`, as JSON. Raises NoHostName, TooManyPasskeys, or
    ReauthenticationRequired."""
    party = _require_party(core)
    known = await repository.list_passkeys(session, actor.id)
    if len(known) >= _MAX_PASSKEYS:
        raise TooManyPasskeys
    options = webauthn.generate_registration_options(
        rp_id=party.id,
        rp_name=_NAME,
        user_id=actor.id.bytes,
        user_name=actor.email,
        user_display_name=actor.name,
        challenge=await _new_challenge(session, "passkey.add", actor.id),
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED, user_verification=UserVerificationRequirement.REQUIRED
        ),
        exclude_credentials=[PublicKeyCredentialDescriptor(id=each.credential_id) for each in known],
    )
    return webauthn.options_to_json(options)


@needs(Permission.READ)
async def add(session: AsyncSession, actor: Actor, core: Core, *, name: str, credential: str, client: Client) -> PasskeyRead:
    """Save the passkey that the browser created. Raises NoHostName, PasskeyRefused, or PasskeyTaken."""
    party, name = _require_party(core), accounts.checked_name(name)
    try:
        answer = parse_registration_credential_json(credential)
        challenge, issued = await _use_challenge(session, "passkey.add", answer.response.client_data_json)
        if issued.owner_id != actor.id:
            raise PasskeyRefused
        made = webauthn.verify_registration_response(
            credential=answer,
            expected_challenge=challenge,
            expected_rp_id=party.id,
            expected_origin=party.origin,
            require_user_verification=True,
        )
    except (WebAuthnException, ValueError) as error:
        raise PasskeyRefused from error
    passkey = await repository.add_passkey(
        session,
        owner_id=actor.id,
        name=name,
        credential_id=made.credential_id,
        public_key=made.credential_public_key,
        sign_count=made.sign_count,
    )
    if passkey is None:
        raise PasskeyTaken
    await audit.record(session, "passkey.added", actor=actor, subject=name, client=client)
    await emails.notify_owner(session, core, await accounts.get_account(session, actor.email), MailKind.PASSKEY_ADDED, what=name)
    return PasskeyRead.model_validate(passkey)


@needs(Permission.READ)
@needs_recent_authentication
async def remove(session: AsyncSession, actor: Actor, core: Core, passkey_id: UUID, *, client: Client) -> None:
    """Raises NotFound or ReauthenticationRequired."""
    names = await repository.forget_passkeys(session, actor.id, only=passkey_id)
    if not names:
        raise NotFound(t("The passkey"))
    await audit.record(session, "passkey.removed", actor=actor, subject=names[0], client=client)
    await emails.notify_owner(
        session, core, await accounts.get_account(session, actor.email), MailKind.PASSKEY_REMOVED, what=names[0]
    )


async def start_sign_in(session: AsyncSession, core: Core, *, pending: str = "") -> str:
    """Options for the browser's `navigator.credentials.get`, as JSON: for any account, or for the one whose second step is
    `pending`.

    Raises NoHostName, or LinkSpent if the first step is too long ago.
    """
    waiting = await _waiting(session, pending)
    return await _request(session, core, "passkey.sign_in", waiting[0] if waiting else None)


async def sign_in(
    session: AsyncSession, core: Core, *, credential: str, remember: bool, client: Client, pending: str = ""
) -> str | SignInRefused:
    """Return a handover code for the account of the passkey. It counts as both steps: the device has required a PIN or a
    fingerprint.

    As the second step of a `pending` sign-in, it must belong to the same account. Raises NoHostName or LinkSpent.
    """
    waiting = await _waiting(session, pending)
    passkey = await _check(session, core, "passkey.sign_in", credential, owner_id=waiting[0] if waiting else None)
    account = await accounts.find_account_by_id(session, passkey.owner_id) if passkey else None
    if passkey is None or account is None or account.disabled_at is not None:
        email = account.email if account else ""
        return await attempts.refuse(session, SignInRefusal.WRONG_PASSKEY, email=email, client=client)
    if account.verified_at is None:
        return await attempts.refuse(session, SignInRefusal.UNVERIFIED, email=account.email, client=client)
    if waiting:
        remember = waiting[1]
        await second_factor.end_pending(session, pending)
    await audit.record(session, "passkey.used", actor=accounts.actor_of(account), subject=passkey.name, client=client)
    return await one_time_secrets.new_handover(session, account.id, remember=remember)


@needs(Permission.READ)
async def start_reauthentication(session: AsyncSession, actor: Actor, core: Core) -> str:
    """Options for the browser to re-authenticate the actor. Raises NoHostName."""
    return await _request(session, core, "passkey.reauthentication", actor.id)


@needs(Permission.READ)
async def reauthenticate_by_passkey(
    session: AsyncSession, actor: Actor, core: Core, *, credential: str, client: Client
) -> SignInRefused | None:
    """Re-authenticate with a passkey. Returns None if it belongs to the actor. Raises NoHostName."""
    if await _check(session, core, "passkey.reauthentication", credential, owner_id=actor.id) is None:
        return await attempts.refuse(session, SignInRefusal.WRONG_PASSKEY, email=actor.email, client=client)
    await reauthentication.record_reauthentication(session, actor, core, by="passkey", client=client)
    return None


async def _waiting(session: AsyncSession, pending: str) -> tuple[UUID, bool] | None:
    if not pending:
        return None
    found = await second_factor.find_pending(session, pending)
    if found is None:
        raise one_time_secrets.LinkSpent(t("This sign-in"), t("Sign in again."))
    return found[0].id, found[1]


async def _request(session: AsyncSession, core: Core, purpose: Purpose, owner_id: UUID | None) -> str:
    party = _require_party(core)
    known = await repository.list_passkeys(session, owner_id) if owner_id else []
    options = webauthn.generate_authentication_options(
        rp_id=party.id,
        challenge=await _new_challenge(session, purpose, owner_id),
        allow_credentials=[PublicKeyCredentialDescriptor(id=each.credential_id) for each in known],
        user_verification=UserVerificationRequirement.REQUIRED,
    )
    return webauthn.options_to_json(options)


async def _check(
    session: AsyncSession, core: Core, purpose: Purpose, credential: str, *, owner_id: UUID | None
) -> Passkey | None:
    """Return the passkey that answered one of our challenges, which is then used up."""
    party = _require_party(core)
    try:
        answer = parse_authentication_credential_json(credential)
        challenge, issued = await _use_challenge(session, purpose, answer.response.client_data_json)
        passkey = await repository.find_passkey(session, answer.raw_id)
        if passkey is None or issued.owner_id != owner_id or (owner_id is not None and passkey.owner_id != owner_id):
            return None
        if answer.response.user_handle not in (None, passkey.owner_id.bytes):
            return None
        verified = webauthn.verify_authentication_response(
            credential=answer,
            expected_challenge=challenge,
            expected_rp_id=party.id,
            expected_origin=party.origin,
            credential_public_key=passkey.public_key,
            credential_current_sign_count=passkey.sign_count,
            require_user_verification=True,
        )
    except (WebAuthnException, PasskeyRefused, ValueError):
        return None
    passkey.sign_count, passkey.last_used_at = verified.new_sign_count, now()
    return passkey


async def _new_challenge(session: AsyncSession, purpose: Purpose, owner_id: UUID | None) -> bytes:
    return (await one_time_secrets.new_secret(session, purpose, lasts=_CHALLENGE_LASTS, owner_id=owner_id)).encode()


async def _use_challenge(session: AsyncSession, purpose: Purpose, client_data: bytes) -> tuple[bytes, OneTimeSecret]:
    challenge = parse_client_data_json(client_data).challenge
    issued = await repository.use_secret(session, purpose=purpose, digest=tokens.digest(challenge.decode()))
    if issued is None:
        raise PasskeyRefused
    return challenge, issued


def _require_party(core: Core) -> RelyingParty:
    party = relying_party(core.settings)
    if party is None:
        raise NoHostName
    return party


def _is_ip(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
