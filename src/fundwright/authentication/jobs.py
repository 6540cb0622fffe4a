"""Jobs of authentication."""

from __future__ import annotations

from typing import Any

from fundwright.authentication import email_confirmation, recovery
from fundwright.authentication.requested_emails import SendEmail
from fundwright.core.jobs import JobRun


async def send_email(run: JobRun[SendEmail, None]) -> dict[str, Any]:
    """Send the email, once, if there is an account that it concerns. A second link would make that of the first email useless."""
    send = {"verification": email_confirmation.send_verification, "reset": recovery.send_reset}[run.payload.kind]
    if run.checkpoint:
        return {}
    async with run.transaction() as session:
        await run.save_checkpoint(session, {"is_written": True})
        await send(session, run.services, email=run.payload.email, language=run.payload.language)
    return {}
