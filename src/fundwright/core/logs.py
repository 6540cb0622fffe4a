"""Structured logs. Every line of a request carries its `request_id`; secrets are masked by the name of the value or by their
form in a text: passwords in addresses, tokens, and one-time links."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import MutableMapping, Sequence
from typing import Any, cast

import structlog

_SECRET_NAME = re.compile(r"password|token|secret|authorization|cookie|api_?key", re.IGNORECASE)
_SECRET_TEXT = re.compile(
    # In an address that is part of another address, "/", "=", and "?" are escaped.
    r"(\bbearer\s+|\b(?:token|key|password|secret)=|(?:[?&]|%3F|%26)(?:pending|link|code)(?:=|%3D)|://[^\s/:@]*:"
    r"|(?:/|%2F)auth(?:/|%2F)(?:register(?:/|%2F))?[\w-]+(?:/|%2F)|(?:/|%2F)(?:shared|workspaces(?:/|%2F)join)(?:/|%2F)"
    r"|\bfwt_)(?:(?!%26)[^\s&\"'@/])+",
    re.IGNORECASE,
)


def masked(text: str) -> str:
    """The text without secrets: passwords, tokens, and the secrets of one-time links."""
    return _SECRET_TEXT.sub(r"\1***", text)


def mask_secrets(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for name, value in event.items():
        event[name] = "***" if _SECRET_NAME.search(name) else _masked_within(value)
    return event


def _masked_within(value: Any) -> Any:
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, dict):
        named = cast(dict[Any, Any], value)
        return {name: "***" if _SECRET_NAME.search(str(name)) else _masked_within(each) for name, each in named.items()}
    if isinstance(value, (list, tuple)):
        return [_masked_within(each) for each in cast(Sequence[Any], value)]
    return value


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
