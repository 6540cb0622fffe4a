"""Structured logs. Every line of a request carries its `request_id`; secrets are masked, by the name of
the value or by how they look in a text: passwords in addresses, tokens, one-time links."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

_SECRET_NAME = re.compile(r"password|token|secret|authorization|cookie|api_?key", re.IGNORECASE)
_SECRET_TEXT = re.compile(
    r"(\bbearer\s+|\b(?:token|key|password|secret)=|://[^\s/:@]*:|/auth/(?:first-admin|confirm-reset)/|\bfwt_)[^\s&\"'@/]+",
    re.IGNORECASE,
)


def mask_secrets(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for name, value in event.items():
        if _SECRET_NAME.search(name):
            event[name] = "***"
        elif isinstance(value, str):
            event[name] = _SECRET_TEXT.sub(r"\1***", value)
    return event


def configure(*, level: str, form: str) -> None:
    """Send our log lines and those of libraries to standard error in one format (`console` or `json`)."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        mask_secrets,
    ]
    renderer = structlog.processors.JSONRenderer() if form == "json" else structlog.dev.ConsoleRenderer(colors=False)
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processor=renderer))
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    for noisy in ("procrastinate", "uvicorn.access", "alembic", "httpx", "httpx2", "pypdf"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
