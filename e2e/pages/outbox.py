"""The letters of an installation that sends none."""

from __future__ import annotations

import re

from playwright.sync_api import APIRequestContext

from e2e.pages.polling import eventually


class Outbox:
    """`request` is an administrator's, as `browser.new_context(extra_http_headers=…).request`."""

    def __init__(self, request: APIRequestContext) -> None:
        self.request = request

    def link_to(self, recipient: str) -> str:
        """The path of the link in the newest letter to this address, as soon as it has been written."""
        letter = eventually(lambda: self._newest(recipient))
        (path,) = re.findall(r"https?://[^/]+(\S+)", self.request.get(f"/api/mails/{letter}").json()["text"])
        return path

    def _newest(self, recipient: str) -> str | None:
        mails = self.request.get("/api/mails").json()["items"]
        return next((mail["id"] for mail in mails if mail["recipient"] == recipient), None)
