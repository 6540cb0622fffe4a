"""The first paint: the routed screen as a whole HTML page, readable before any script runs."""

from __future__ import annotations

import gzip
import secrets
from collections.abc import Mapping
from html import escape
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.requests import HTTPConnection

from fundwright.core.assembly import Core
from fundwright.identity.schemas import Actor
from fundwright_ui.messages import LANGUAGES, current_language, set_language, translations
from fundwright_ui.runtime.bundle import Bundle
from fundwright_ui.runtime.connection import Connection
from fundwright_ui.runtime.html import embedded_json, to_html
from fundwright_ui.runtime.router import Found, Redirect, Router
from fundwright_ui.runtime.view import Shell, View

_FIRST_PAINT_TIMEOUT_S = 1.5
_ENTRY = "web/src/main.tsx"
_LANGUAGE_COOKIE = "language"


class Documents:
    """Answers `GET` of any page."""

    def __init__(
        self, core: Core, *, router: Router, shell: Shell, bundle: Bundle, modules: Mapping[str, str], base: str
    ) -> None:
        self._core = core
        self._modules = modules
        self._router = router
        self._shell = shell
        self._bundle = bundle
        self._base = base

    async def answer(self, request: Request, actor: Actor | None) -> Response:
        address = request.url.path.removeprefix(self._base) or "/"
        if request.url.query:
            address = f"{address}?{request.url.query}"
        found = self._router.route(address, actor)
        if isinstance(found, Redirect):
            return RedirectResponse(self._base + found.path, status_code=302, headers={"Cache-Control": "no-store"})
        set_language(language_of(actor, request))
        nonce = secrets.token_urlsafe(16)
        html, status = await self._render(found, actor, address, nonce, request)
        content = html.encode()
        headers = page_headers(nonce, self._core.settings.public_url) | {"Vary": "Accept-Encoding, Cookie"}
        if "gzip" in request.headers.get("accept-encoding", ""):
            # The tree stands in a page twice, as HTML and for hydration: this more than halves it in about a millisecond.
            content = gzip.compress(content, compresslevel=4, mtime=0)
            headers["Content-Encoding"] = "gzip"
        return HTMLResponse(content, status_code=status, headers=headers)

    async def _render(self, found: Found, actor: Actor | None, address: str, nonce: str, request: Request) -> tuple[str, int]:
        connection = Connection(
            self._core,
            actor,
            location=found.location,
            language=current_language(),
            base=self._base,
            address=request.client.host if request.client else "",
            user_agent=request.headers.get("user-agent", ""),
        )
        async with View(connection, found, self._shell) as view:
            await view.settle(_FIRST_PAINT_TIMEOUT_S)
            tree, title = view.tree, view.title
            page = {
                "tree": tree,
                "hash": view.hash(),
                "title": title,
                "path": address,
                "base": self._base,
                "nonce": nonce,
                "language": connection.language,
                "strings": translations(self._bundle.strings),
                "modules": self._modules,
                "account": str(actor.id) if actor else None,
            }
        status = 404 if connection.is_missing else found.screen.status
        return self._document(page, title=title, body=to_html(tree), nonce=nonce), status

    def _document(self, page: dict[str, Any], *, title: str, body: str, nonce: str) -> str:
        head = self._bundle.head(_ENTRY, nonce=nonce, has_inline_styles=True)
        return (
            f'<!doctype html><html lang="{page["language"]}" dir="ltr"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{escape(title)}</title>"
            f'<script nonce="{nonce}">{self._bundle.boot}</script>{head}</head>'
            f'<body><div id="root">{body}</div>'
            f'<script type="application/json" id="page">{embedded_json(page)}</script></body></html>'
        )


def page_headers(nonce: str, public_url: str | None) -> dict[str, str]:
    """Headers that keep a page to itself. Style attributes and inline scripts without the nonce do nothing."""
    policy = (
        "default-src 'self'; "
        f"script-src 'self' 'nonce-{nonce}'; style-src 'self' 'nonce-{nonce}'; "
        "img-src 'self' data:; font-src 'self'; connect-src 'self'; object-src 'none'; base-uri 'none'; "
        "form-action 'self'; frame-ancestors 'none'"
    )
    headers = {
        "Content-Security-Policy": policy,
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
    }
    if public_url and public_url.startswith("https:"):
        headers["Strict-Transport-Security"] = "max-age=31536000"
    return headers


def language_of(actor: Actor | None, request: HTTPConnection) -> str:
    """The language chosen for the account, else on this browser, else the first accepted one that we speak."""
    if actor is not None and actor.language is not None:
        return actor.language
    cookie = request.cookies.get(_LANGUAGE_COOKIE)
    if cookie is not None and cookie in LANGUAGES:
        return cookie
    for part in request.headers.get("accept-language", "").split(","):
        code = part.split(";")[0].strip().split("-")[0].lower()
        if code in LANGUAGES:
            return code
    return "en"
