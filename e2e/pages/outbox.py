"""The emails of an installation that sends none."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from e2e.pages.polling import eventually


class Outbox:
    """`command` runs `fundwright` with these arguments on the server and returns its JSON, as `Application.command` does."""

    def __init__(self, command: Callable[[str], Mapping[str, Any]]) -> None:
        self._command = command

    def link_to(self, recipient: str) -> str:
        """The path of the link in the newest email to this address, as soon as it has been written."""
        text = eventually(lambda: self._newest(recipient))
        (path,) = re.findall(r"https?://[^/]+(\S+)", text)
        return path

    def _newest(self, recipient: str) -> str | None:
        mails = self._command("mail")["mails"]
        return next((mail["text"] for mail in mails if mail["recipient"] == recipient), None)
