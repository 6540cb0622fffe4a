"""Plain HTML pages for people who are not signed in. They carry no session and have no live connection, and run no script but one line that
follows the browser's color scheme."""

from __future__ import annotations

import secrets
from base64 import b64encode
from hashlib import sha256
from html import escape
from http import HTTPStatus

from fastapi.responses import HTMLResponse, Response
from reactpy import html
from reactpy.types import VdomDict

from fundwright.core.messages import current_language
from fundwright_ui.runtime.bundle import Bundle
from fundwright_ui.runtime.html import to_html
from fundwright_ui.runtime.vdom import to_node
from fundwright_ui.sidebar.logo import logo_mark
from fundwright_ui.ui.elements import Child, classes

_ENTRY = "web/src/main.tsx"
_COLOR_SCHEME = "document.documentElement.dataset.mode=matchMedia('(prefers-color-scheme: dark)').matches?'dark':'light'"
_SCRIPTS = f"'sha256-{b64encode(sha256(_COLOR_SCHEME.encode()).digest()).decode()}'"
_WATERMARKS = 40
"""How often the watermark is repeated, which covers a large screen."""


def plain_page(bundle: Bundle, title: str, body: VdomDict, *, status: int = HTTPStatus.OK) -> Response:
    nonce = secrets.token_urlsafe(16)
    text = (
        f'<!doctype html><html lang="{current_language()}" dir="ltr"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex, nofollow">'
        f"<title>{escape(title)}</title><script>{_COLOR_SCHEME}</script>{bundle.styled_head(_ENTRY, nonce=nonce)}</head>"
        f"<body>{to_html(to_node(body))}</body></html>"
    )
    return HTMLResponse(text, status_code=status, headers=plain_headers(nonce))


def plain_headers(nonce: str = "") -> dict[str, str]:
    """Nothing but the page itself, its styles, and its form; no copy of it anywhere, and no trace of its address on other sites."""
    return {
        "Content-Security-Policy": (
            f"default-src 'none'; script-src {_SCRIPTS}; style-src 'nonce-{nonce}'; font-src 'self'; img-src 'self' data:; "
            "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        ),
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
        "X-Robots-Tag": "noindex, nofollow",
        "X-Content-Type-Options": "nosniff",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Vary": "Cookie, Accept-Language",
    }


def plain_frame(*children: Child, watermark: str = "", is_wide: bool = False) -> VdomDict:
    """The name of the product, which leads nowhere, and one column; `watermark` is repeated across the screen and each printed page."""
    return html.div(
        {"className": "fw-public fw-shared"},
        html.header({"className": "fw-public-header"}, html.span({"className": "fw-logo"}, *logo_mark())),
        html.main({"className": classes("fw-public-main", "fw-public-wide" if is_wide else None), "id": "main"}, *children),
        html.div(
            {"className": "fw-watermark", "aria-hidden": "true"},
            *(html.span(watermark) for _ in range(_WATERMARKS)),
        )
        if watermark
        else None,
    )
