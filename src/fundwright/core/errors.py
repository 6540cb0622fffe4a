"""Errors a person can act on. Screens, API and CLI show the same sentence."""

from __future__ import annotations

from pathlib import Path


class FundwrightError(Exception):
    """An expected refusal. `sentence` says what happened and what to do next; `status` is its HTTP status."""

    status = 400

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class NotFound(FundwrightError):
    """The thing does not exist, or the actor may not know that it does."""

    status = 404

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} was not found. It may have been removed; go back to the list and try again.")


class NotAllowed(FundwrightError):
    status = 403

    def __init__(self, what: str) -> None:
        super().__init__(f"You may not {what}. Ask an administrator for access.")


class Invalid(FundwrightError):
    """The input cannot be used as it is."""

    status = 422


class UnusableText(Invalid):
    """A character that PostgreSQL cannot keep."""

    def __init__(self) -> None:
        super().__init__(
            "The text has an invisible character (NUL) that cannot be kept. Type it anew, or remove what was pasted."
        )


class Conflict(FundwrightError):
    status = 409


class StartRefused(FundwrightError):
    """The process cannot start; the sentence is all that is printed."""

    status = 503


class DatabaseAway(FundwrightError):
    """The server of the database is stopped, starting or out of reach."""

    status = 503

    def __init__(self) -> None:
        super().__init__("The database does not answer. Try again in a minute; what was saved before is kept.")


class DiskFull(FundwrightError):
    """Nothing can be written to `folder`, or to the disk of a database server elsewhere."""

    status = 507

    def __init__(self, folder: Path | None = None) -> None:
        where = f"that holds {folder}" if folder else "of the database"
        super().__init__(f"The disk {where} is full. Free some space and try again; what was saved before is kept.")
