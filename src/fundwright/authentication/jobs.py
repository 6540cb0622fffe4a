"""Jobs of authentication."""

from __future__ import annotations

from typing import TypedDict

from fundwright.authentication import email_confirmation, recovery
from fundwright.authentication.requested_emails import SendEmail
from fundwright.core.jobs import JobRun


class EmailCheckpoint(TypedDict, total=False):
    is_written: bool


async def send_email(run: JobRun[SendEmail, None, EmailCheckpoint]) -> None:
    """Send the email, once, if there is an account that it concerns. A second link would make that of the first email useless."""
    send = {"verification": email_confirmation.send_verification, "reset": recovery.send_reset}[run.payload.kind]
    if run.checkpoint:
        return
    async with run.transaction() as session:
        await run.save_checkpoint(session, {"is_written": True})
        await send(session, run.services, email=run.payload.email, language=run.payload.language)
