"""`fundwright mail`: the newest emails with their links, for the operator."""

from __future__ import annotations

from typing import Annotated

import typer

from fundwright.cli.context import AsJson, emit, opened, run
from fundwright.core import mail
from fundwright.core.mail import MailMessage
from fundwright.core.paging import PageRequest


def add_to(app: typer.Typer) -> None:
    app.command("mail")(show_mail)


def show_mail(
    context: typer.Context,
    last: Annotated[int, typer.Option(min=1, max=100, help="How many of the newest emails.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Print the newest emails with their texts and links. The text of an email that was sent is deleted."""

    async def command() -> None:
        async with opened(context) as core, core.database.transaction() as session:
            messages = (await mail.list_messages(session, PageRequest(page_size=last))).items
        emit(
            {"mails": [message.model_dump(mode="json") for message in messages]},
            as_json=as_json,
            human="\n\n".join(map(_shown, reversed(messages))) or "The outbox is empty.",
        )

    run(command)


def _shown(message: MailMessage) -> str:
    lines = [
        f"{message.created_at:%Y-%m-%d %H:%M} UTC  {message.state}",
        f"To: {message.recipient}",
        f"Subject: {message.subject}",
    ]
    if message.error:
        lines.append(f"Error: {message.error}")
    return "\n".join(lines) + (f"\n\n{message.text.rstrip()}" if message.text else "")
