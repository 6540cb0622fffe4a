"""Jobs of identity."""

from __future__ import annotations

from typing import Any, Literal

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.assembly import Core
from fundwright.core.jobs import JobRun
from fundwright.core.messages import Language

JOB_KIND = "identity.letter"

Kind = Literal["verification", "reset"]


async def write_later(core: Core, session: AsyncSession, kind: Kind, *, email: str, language: Language) -> None:
    """Leave it to a job whether the address gets a letter: who asks sees and waits for the same in every case."""
    payload = {"kind": kind, "email": email, "language": language}
    await core.jobs.enqueue(session, JOB_KIND, title="Write a letter", owner_id=None, payload=payload)


async def write(run: JobRun) -> dict[str, Any]:
    """Send the letter if there is an account that it concerns."""
    from fundwright.identity import recovery, registration  # they enqueue this job

    send = {"verification": registration.send_verification, "reset": recovery.send_reset}[run.payload["kind"]]
    async with run.transaction() as session:
        await send(run.services, session, email=run.payload["email"], language=run.payload["language"])
    return {}
