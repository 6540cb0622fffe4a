"""Turning off emails without signing in, with the link in their header. It is valid for one account, address, and set of kinds,
and for 60 days: RFC 8058 names no time, and laws such as CAN-SPAM require 30."""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable
from datetime import date, timedelta
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts.models import Account
from fundwright.accounts.schemas import Client
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import FundwrightError
from fundwright.core.keys import lasting_key
from fundwright.core.live import publish
from fundwright.core.messages import t
from fundwright.core.scopes import installation
from fundwright.notifications import repository
from fundwright.notifications.schemas import EmailTiming, NotificationKind
from fundwright.notifications.service import list_kinds, notifications_topic, timing_of


class UnsubscribeLinkOver(FundwrightError):
    status = 404

    def __init__(self) -> None:
        super().__init__(
            t("The link is incomplete or has expired, or your email address has changed. Sign in to choose your notifications.")
        )


_VALID = timedelta(days=60)


def link_of(core: Core, account_id: UUID, email: str, kinds: Iterable[str]) -> str:
    """Return the address that turns off emails about these kinds of notifications for the account, for 60 days and as long as it has this
    email address."""
    content = " ".join((str(account_id), str((now() + _VALID).date()), *sorted(kinds)))
    token = urlsafe_b64encode(content.encode()).decode().rstrip("=")
    return f"{core.settings.address}/unsubscribe/{token}.{_seal(core, email, content)}"


async def list_labels(core: Core, token: str) -> list[str]:
    """Return the kinds of notifications whose emails a link turns off. Raises UnsubscribeLinkOver."""
    async with core.database.reading(scope=installation("unsubscribe links")) as session:
        _, keys = await _read(session, core, token)
    return _labels(list_kinds(core), keys)


async def turn_off(core: Core, token: str, *, client: Client) -> list[str]:
    """Turn off the emails of a link, and return its kinds of notifications. Where they are listed does not change. Opens its own
    transaction. Raises UnsubscribeLinkOver."""
    async with core.database.transaction(scope=installation("unsubscribe links")) as session:
        return await _turn_off(session, core, token, client)


async def _turn_off(session: AsyncSession, core: Core, token: str, client: Client) -> list[str]:
    all_kinds = list_kinds(core)
    kinds = {kind.key: kind for kind in all_kinds}
    account, keys = await _read(session, core, token)
    choices = {choice.kind: choice for choice in await repository.list_choices(session, account.id)}
    changed = list[str]()
    for kind, choice in ((kinds[key], choices.get(key)) for key in keys if key in kinds):
        if timing_of(kind, choice.email if choice else None) is not EmailTiming.OFF:
            is_listed = choice.is_listed if choice else kind.is_listed
            await repository.choose(session, account.id, kind.key, is_listed=is_listed, email=EmailTiming.OFF)
            changed.append(kind.key)
    if changed:
        await audit.record(
            session, "notification.emails_off", actor=None, subject=account.email, client=client, kinds=", ".join(changed)
        )
        await publish(session, notifications_topic(account.id))
    return _labels(all_kinds, keys)


def _labels(kinds: Iterable[NotificationKind], keys: Iterable[str]) -> list[str]:
    labels = {kind.key: str(kind.label) for kind in kinds}
    return [labels.get(key, key) for key in keys]


async def _read(session: AsyncSession, core: Core, token: str) -> tuple[Account, list[str]]:
    """Return the account and the kinds that a link names."""
    encoded, _, seal = token.partition(".")
    try:
        content = urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode()
        account_id, last_day, *keys = content.split(" ")
        if date.fromisoformat(last_day) < now().date():
            raise UnsubscribeLinkOver
        account = await repository.find_account(session, UUID(account_id))
    except ValueError as error:
        raise UnsubscribeLinkOver from error
    if account is None or not hmac.compare_digest(seal.encode(), _seal(core, account.email, content).encode()):
        raise UnsubscribeLinkOver
    return account, keys


def _seal(core: Core, email: str, content: str) -> str:
    return hmac.digest(lasting_key(core, "unsubscribe.key"), f"{email} {content}".encode(), "sha256").hex()
