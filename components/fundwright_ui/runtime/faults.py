"""Error messages: the sentence of an expected error, or an error id that is also in the log."""

from __future__ import annotations

from uuid import uuid4

import structlog

from fundwright_ui.runtime.host import Refusal, t

log = structlog.get_logger()


def new_error_id() -> str:
    return uuid4().hex[:8]


def sentence_of(error: Exception, *, while_doing: str) -> str:
    """The message of an expected error. Other errors are logged with an id, and the message contains the id."""
    if isinstance(error, Refusal):
        return error.sentence
    error_id = new_error_id()
    log.error("ui.failed", error_id=error_id, doing=while_doing, exc_info=error)
    return t(
        "Something went wrong (error {id}). Your input is kept. Try again, and if it happens again, give your administrator the error ID.",
        id=error_id,
    )
