"""A slow network."""

from __future__ import annotations

from playwright.sync_api import Page

_SEND_LATER = """
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (data) {
  setTimeout(() => this.readyState === WebSocket.OPEN && send.call(this, data), LATENCY_MS);
};
"""


def slow_down(page: Page, *, latency_ms: int = 1_000) -> None:
    """Delay everything that the page sends to the server, from the next document on.

    This runs in the page, because the browser's own network emulation does not cover sockets.
    """
    page.add_init_script(_SEND_LATER.replace("LATENCY_MS", str(latency_ms)))
