"""The emails of an installation without a mail server."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Protocol

from e2e.pages.polling import eventually


class Email(Protocol):
    @property
    def recipient(self) -> str: ...
    @property
    def text(self) -> str: ...


class Outbox:
    """`emails` returns the newest emails, the latest first."""

    def __init__(self, emails: Callable[[], Iterable[Email]]) -> None:
        self._emails = emails

    def link_to(self, recipient: str) -> str:
        """The path of the link in the newest email to this address, as soon as it has been written."""
        text = eventually(lambda: self._newest(recipient))
        (path,) = re.findall(r"https?://[^/]+(\S+)", text)
        return path

    def _newest(self, recipient: str) -> str | None:
        return next((email.text for email in self._emails() if email.recipient == recipient), None)
