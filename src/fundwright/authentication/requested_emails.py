"""Emails that anyone can request for an address. A job decides whether it is sent."""

from __future__ import annotations

from typing import ClassVar, Literal

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.assembly import Core
from fundwright.core.jobs import JobPayload
from fundwright.core.messages import Language

Kind = Literal["verification", "reset"]


class SendEmail(JobPayload):
    """Names an address instead of an account: only the job looks up whether the account exists."""

    job_kind: ClassVar[str] = "email.requested"

    kind: Kind
    email: str
    language: Language


async def request_email(session: AsyncSession, core: Core, kind: Kind, *, email: str, language: Language) -> None:
    """Start the job. The requester sees the same response after the same time in every case."""
    payload = SendEmail(kind=kind, email=email, language=language)
    await core.jobs.enqueue(session, payload, title="Write an email", owner_id=None)
