"""The letters of an installation that sends none."""

from __future__ import annotations

import re
import time

from playwright.sync_api import APIRequestContext

WITHIN_S = 20
LOOK_EVERY_S = 0.2


class Outbox:
    """`request` is an administrator's, as `browser.new_context(extra_http_headers=…).request`."""

    def __init__(self, request: APIRequestContext) -> None:
        self.request = request

    def link_to(self, recipient: str) -> str:
        """The path of the link in the newest letter to this address, as soon as it has been written."""
        deadline = time.monotonic() + WITHIN_S
        while time.monotonic() < deadline:
            for mail in self.request.get("/api/mails").json()["items"]:
                if mail["recipient"] == recipient:
                    (path,) = re.findall(r"https?://[^/]+(\S+)", self.request.get(f"/api/mails/{mail['id']}").json()["text"])
                    return path
            time.sleep(LOOK_EVERY_S)
        raise AssertionError(f"No letter to {recipient} in {WITHIN_S} s.")
