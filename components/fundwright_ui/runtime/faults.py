"""Error messages: the sentence of an expected error, or an error id that is also in the log."""

from __future__ import annotations

from uuid import uuid4

import structlog

from fundwright_ui.runtime.host import Refusal, t

log = structlog.get_logger()


def new_error_id() -> str:
    return uuid4().hex[:8]


class Fault(str):
    """The sentence about an unexpected error. The id is shown beside it, and is in the log."""

    __slots__ = ("error_id",)

    error_id: str

    def __new__(cls, error_id: str) -> Fault:
        fault = super().__new__(cls, t("Something went wrong"))
        fault.error_id = error_id
        return fault


def sentence_of(error: Exception, *, while_doing: str) -> str:
    """The message of an expected error. Other errors are logged with the id of the `Fault`."""
    if isinstance(error, Refusal):
        return error.sentence
    error_id = new_error_id()
    log.error("ui.failed", error_id=error_id, doing=while_doing, exc_info=error)
    return Fault(error_id)


def error_id_of(sentence: str) -> str | None:
    """The id under which the log describes the error; None for an expected one."""
    return sentence.error_id if isinstance(sentence, Fault) else None
