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
    """From the next document on, whatever the page tells the server arrives that much later.

    Done in the page: the browser's own emulation of a slow network leaves sockets out.
    """
    page.add_init_script(_SEND_LATER.replace("LATENCY_MS", str(latency_ms)))
