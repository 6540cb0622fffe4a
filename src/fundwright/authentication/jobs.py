"""Jobs of authentication."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.assembly import Core
from fundwright.core.jobs import JobPayload, JobRun
from fundwright.core.messages import Language

Kind = Literal["verification", "reset"]


class WriteLetter(JobPayload):
    """Names an address instead of an account: whether the account exists is only looked up by the job."""

    job_kind: ClassVar[str] = "identity.letter"

    kind: Kind
    email: str
    language: Language


async def write_later(core: Core, session: AsyncSession, kind: Kind, *, email: str, language: Language) -> None:
    """Leave it to a job whether the address gets a letter: who asks sees and waits for the same in every case."""
    payload = WriteLetter(kind=kind, email=email, language=language)
    await core.jobs.enqueue(session, payload, title="Write a letter", owner_id=None)


async def write(run: JobRun[WriteLetter, None]) -> dict[str, Any]:
    """Send the letter, once, if there is an account that it concerns. Another link would make that of the first letter useless."""
    from fundwright.authentication import email_confirmation, recovery  # they enqueue this job

    send = {"verification": email_confirmation.send_verification, "reset": recovery.send_reset}[run.payload.kind]
    if run.checkpoint:
        return {}
    async with run.transaction() as session:
        await run.save_checkpoint(session, {"is_written": True})
        await send(run.services, session, email=run.payload.email, language=run.payload.language)
    return {}
