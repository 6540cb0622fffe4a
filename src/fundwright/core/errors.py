"""Errors that a person can act on. Screens, API, and CLI show the same message."""

from __future__ import annotations

from pathlib import Path

from fundwright.core.messages import t


class FundwrightError(Exception):
    """An expected refusal. `sentence` says what happened and what to do next; `status` is its HTTP status.

    `retry_after_s` tells programs when to ask again. With `needs_reauthentication`, the person must re-authenticate first.
    """

    status = 400
    retry_after_s: int | None = None
    needs_reauthentication = False

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence

    def __reduce__(self) -> tuple[object, ...]:  # a process that computes raises it, and subclasses take other arguments
        return _without_init, (type(self), self.sentence), self.__dict__


def _without_init(kind: type[FundwrightError], sentence: str) -> FundwrightError:
    return kind.__new__(kind, sentence)


class NotFound(FundwrightError):
    """The thing does not exist, or the actor may not know that it does."""

    status = 404

    def __init__(self, what: str) -> None:
        super().__init__(t("{what} was not found. It may have been removed. Go back to the list and try again.", what=what))


class NoLongerMember(NotFound):
    """The thing belongs to a workspace that the account has left. Only former members are told so."""

    def __init__(self) -> None:
        FundwrightError.__init__(
            self, t("You are no longer a member of this workspace. Ask one of its owners to invite you again.")
        )


class WorkspaceGone(NotFound):
    """The workspace in which something was to be saved is being deleted, or has been."""

    def __init__(self) -> None:
        super().__init__(t("The workspace"))


class ItemHidden(NotFound):
    """What something was to be saved about was restricted, so that it is hidden from the actor now."""

    def __init__(self) -> None:
        super().__init__(t("The restricted item"))


class NotAllowed(FundwrightError):
    status = 403


class Invalid(FundwrightError):
    """The input is not valid."""

    status = 422


class UnusableText(Invalid):
    """A character that PostgreSQL cannot store."""

    def __init__(self) -> None:
        super().__init__(
            t("The text contains an invisible character (NUL) that can't be saved. Type it again, or remove what you pasted.")
        )


class Conflict(FundwrightError):
    status = 409


class StartRefused(FundwrightError):
    """The process cannot start; only the message is printed."""

    status = 503


class UnderMaintenance(FundwrightError):
    """The installation is closed to everyone but administrators."""

    status = 503
    retry_after_s = 300

    def __init__(self, sentence: str | None) -> None:
        super().__init__(sentence or t("Fundwright is under maintenance. Try again in a few minutes. Your saved work is safe."))


class DatabaseAway(FundwrightError):
    """The database server is stopped, starting, or unreachable, or all connections to it are in use."""

    status = 503

    def __init__(self, sentence: str | None = None) -> None:
        super().__init__(sentence or t("The database is not responding. Try again in a minute. Your saved work is safe."))


class ConnectionsTaken(FundwrightError):
    """The party of the caller already holds its share of the connections to the database. Jobs wait instead."""

    status = 503
    retry_after_s = 5

    def __init__(self) -> None:
        super().__init__(t("Too many requests are waiting at the moment. Try again in a minute."))


class DatabaseSlow(FundwrightError):
    """The database server ended a statement that took too long, for example because another transaction held a row."""

    status = 503

    def __init__(self) -> None:
        super().__init__(t("The database took too long. Try again in a minute. Your saved work is safe."))


class DiskFull(FundwrightError):
    """Nothing can be written to `folder`, or to the disk of a remote database server."""

    status = 507

    def __init__(self, folder: Path | None = None) -> None:
        full = t("The disk of the server is full.") if folder else t("The disk of the database is full.")
        next_step = t("Free some space and try again. Your saved work is safe.")
        sentence = f"{full} {next_step}"
        super().__init__(sentence)
