"""`fundwright mail`: what was written to people."""

from __future__ import annotations

from typing import Annotated

import typer

from fundwright.cli.context import AsJson, emit, opened, run
from fundwright.core import mail
from fundwright.core.mail import MailRead
from fundwright.core.paging import PageRequest


def add_to(app: typer.Typer) -> None:
    app.command("mail")(show_mail)


def show_mail(
    context: typer.Context,
    last: Annotated[int, typer.Option(min=1, max=100, help="How many of the newest letters.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Print the newest letters of the outbox: all of them where no SMTP server is set; the text of one that was sent is gone."""

    async def command() -> None:
        async with opened(context) as core, core.database.transaction() as session:
            letters = (await mail.list_mails(session, PageRequest(page_size=last))).items
        emit(
            {"mails": [letter.model_dump(mode="json") for letter in letters]},
            as_json=as_json,
            human="\n\n".join(map(_letter, reversed(letters))) or "The outbox is empty.",
        )

    run(command)


def _letter(letter: MailRead) -> str:
    lines = [f"{letter.created_at:%Y-%m-%d %H:%M} UTC  {letter.state}", f"To: {letter.recipient}", f"Subject: {letter.subject}"]
    if letter.error:
        lines.append(f"Error: {letter.error}")
    return "\n".join(lines) + (f"\n\n{letter.text.rstrip()}" if letter.text else "")
