"""The audit trail: who did what, when and from where."""

from __future__ import annotations

import re

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.identity import repository
from fundwright.identity.models import AuditEntry
from fundwright.identity.schemas import Actor, Client

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_SECRET_NAME = re.compile(r"password|token|secret|authorization|cookie|api_?key", re.IGNORECASE)
_MAX_LENGTH = 300


async def record(
    session: AsyncSession, action: str, *, actor: Actor | None, subject: str, client: Client, **details: str
) -> None:
    """Add a line in the caller's transaction. `actor` is None when nobody was signed in or the command line acted."""
    await repository.add_audit_entry(
        session,
        AuditEntry(
            actor_id=actor.id if actor else None,
            actor_email=actor.email if actor else None,
            action=action,
            subject=one_line(subject),
            address=one_line(client.address),
            details={name: "***" if _SECRET_NAME.search(name) else one_line(value) for name, value in details.items()},
        ),
    )


def one_line(text: str) -> str:
    """Text from outside, cut and without line breaks or other control characters, so that it cannot forge a line."""
    return _CONTROL.sub(" ", text)[:_MAX_LENGTH]
