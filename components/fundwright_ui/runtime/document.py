"""First paint: the routed screen as a complete HTML page, readable before any script runs."""

from __future__ import annotations

import gzip
import secrets
from collections.abc import Callable
from contextlib import AsyncExitStack
from functools import partial
from html import escape
from http import HTTPStatus

import brotli
from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from fundwright_ui.runtime.bundle import Bundle
from fundwright_ui.runtime.connection import Connection
from fundwright_ui.runtime.diff import Node
from fundwright_ui.runtime.encoding import replace_surrogates
from fundwright_ui.runtime.faults import error_id_of, sentence_of
from fundwright_ui.runtime.host import Actor, Host, Refusal, current_language, set_language, t, translations
from fundwright_ui.runtime.html import embedded_json, painted_widgets, to_html
from fundwright_ui.runtime.modules import Modules
from fundwright_ui.runtime.painted import PaintedPages
from fundwright_ui.runtime.render_slots import Owner, RenderSlots, owner_of
from fundwright_ui.runtime.router import Found, Redirect, Router
from fundwright_ui.runtime.view import Shell, View

_FIRST_PAINT_TIMEOUT_S = 1.5
_RETRY_AFTER_S = 300
"""The value of the header `Retry-After` for a page that is not available."""
_ENTRY = "web/src/main.tsx"

# A page contains the tree twice, as HTML and for hydration. Each encoding reduces it to a quarter in one or two milliseconds.
_COMPRESSED: tuple[tuple[str, Callable[[bytes], bytes]], ...] = (
    ("br", partial(brotli.compress, quality=5)),
    ("gzip", partial(gzip.compress, compresslevel=6, mtime=0)),
)


class Documents:
    """Responds to `GET` of any page."""

    def __init__(
        self,
        host: Host,
        *,
        router: Router,
        shell: Shell,
        bundle: Bundle,
        modules: Modules,
        base: str,
        render_slots: RenderSlots,
        painted: PaintedPages,
    ) -> None:
        self._host = host
        self._render_slots = render_slots
        self._painted = painted
        self._modules = modules
        self._router = router
        self._shell = shell
        self._bundle = bundle
        self._base = base

    async def respond(self, request: Request, actor: Actor | None) -> Response:
        address = _address_of(request, self._base)
        found, notice = self._router.route(address, actor), None
        set_language(self._host.language_of(actor, request))
        if actor is not None:
            actor, notice = await self._host.arrive(actor, None if isinstance(found, Redirect) else found, request)
        if isinstance(found, Redirect):
            return RedirectResponse(self._base + found.path, status_code=302, headers={"Cache-Control": "no-store"})
        self._host.act_for(actor)
        nonce = secrets.token_urlsafe(16)
        owner = owner_of(self._host, actor, request)
        slot = await self._render_slots.acquire(owner)
        try:
            html, status = await self._render(found, actor, owner, address, nonce, request, notice)
        finally:
            slot.release()
        if request.method == "GET":
            self._host.on_view(found.screen.path, actor, current_language())
        page = self._page(html, request, status=status, nonce=nonce)
        if actor is None and not self._host.visitor_of(request):
            self._host.mark_visitor(page)
        return page

    def error_page(self, request: Request, error: Exception) -> Response:
        """A page with the error message and a link that tries the same address again, or leads home from what was not found."""
        set_language(self._host.language_of(None, request))
        nonce = secrets.token_urlsafe(16)
        status = error.status if isinstance(error, Refusal) else 500
        is_missing = status == HTTPStatus.NOT_FOUND
        title = t("Sorry, page not found!") if is_missing else t("Something went wrong")
        href, onward = (f"{self._base}/", t("Go to home")) if is_missing else ("", t("Try again"))
        button = "fw-button fw-button-contained"
        sentence = sentence_of(error, while_doing="first paint")
        error_id = error_id_of(sentence)
        body: list[Node] = [
            {"t": "p", "a": {"className": "fw-message-code", "aria-hidden": "true"}, "c": [str(status)]},
            {"t": "h1", "c": [title]},
            {"t": "p", "c": [t("Your saved work is safe. Go back and try again.") if error_id else sentence]},
            *(
                [{"t": "p", "a": {"className": "fw-error-id"}, "c": [t("Error ID"), " ", {"t": "code", "c": [error_id]}]}]
                if error_id
                else []
            ),
            {"t": "a", "a": {"className": button, "href": href}, "c": [onward]},
        ]
        main: Node = {"t": "main", "a": {"className": "fw-message", "id": "main"}, "c": body}
        # Without the client, which would open a socket to the server that has just failed.
        head = self._bundle.unscripted_head(_ENTRY, nonce=nonce)
        html = self._document(head, title=title, body=to_html(main), language=current_language(), nonce=nonce)
        return self._page(html, request, status=status, nonce=nonce)

    def _page(self, html: str, request: Request, *, status: int, nonce: str) -> Response:
        content = html.encode()
        headers = page_headers(nonce) | {"Vary": "Accept-Encoding, Cookie"}
        if status == HTTPStatus.SERVICE_UNAVAILABLE:
            headers["Retry-After"] = str(_RETRY_AFTER_S)
        accepted = request.headers.get("accept-encoding", "")
        for encoding, compress in _COMPRESSED:
            if encoding in accepted:
                content = compress(content)
                headers["Content-Encoding"] = encoding
                break
        return HTMLResponse(content, status_code=status, headers=headers)

    async def _render(
        self,
        found: Found,
        actor: Actor | None,
        owner: Owner,
        address: str,
        nonce: str,
        request: Request,
        notice: str | None,
    ) -> tuple[str, int]:
        # Visitors could otherwise fill the memory with pages that no socket continues.
        may_open = request.method == "GET" and actor is not None and actor.session_id is not None
        connection = Connection(
            self._host.core,
            actor,
            location=found.location,
            language=current_language(),
            base=self._base,
            may_open=may_open,
            client=self._host.client_of(request),
            act_for=self._host.act_for,
        )
        async with AsyncExitStack() as stack:
            view = await stack.enter_async_context(View(connection, found, self._shell))
            await view.settle(_FIRST_PAINT_TIMEOUT_S)
            tree, title, hash = view.tree, replace_surrogates(view.title), view.hash()
            page = {
                "tree": tree,
                "hash": hash,
                "build": self._bundle.id,
                "complete": view.is_settled and not connection.failing,
                "title": title,
                "path": address,
                "base": self._base,
                "nonce": nonce,
                "language": connection.language,
                "strings": translations((*self._bundle.strings, *self._modules.strings)),
                "modules": self._modules.addresses,
                "account": self._host.identity_of(actor),
                "timeZone": actor.time_zone if actor else None,
                "notice": notice,
            }
            status = 404 if connection.is_missing else found.screen.status
            head = self._bundle.painted_head(_ENTRY, nonce=nonce, widgets=set(painted_widgets(tree))) + self._feed_link(
                found.screen.feed
            )
            script = f'<script type="application/json" id="page">{embedded_json(page)}</script>'
            language = connection.language
            body = to_html(tree)
            html = self._document(
                head, title=title, body=body, language=language, nonce=nonce, script=script, is_visitor=actor is None
            )
            if may_open and actor is not None and status == HTTPStatus.OK and not connection.failing:
                view.mark_shown()
                if self._painted.keep(view, actor, hash, characters=len(html)):
                    stack.pop_all()
        return html, status

    def _feed_link(self, path: str | None) -> str:
        return f'<link rel="alternate" type="application/rss+xml" href="{escape(self._base + path)}">' if path else ""

    def _document(
        self, head: str, *, title: str, body: str, language: str, nonce: str, script: str = "", is_visitor: bool = False
    ) -> str:
        visitor = " data-visitor" if is_visitor else ""
        return (
            f'<!doctype html><html lang="{language}" dir="ltr"{visitor}><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{escape(title)}</title>"
            f"{head}</head>"
            f'<body><div id="root">{body}</div>{script}</body></html>'
        )


def _address_of(request: Request, base: str) -> str:
    """Path and query as the browser sent them, with `%` escapes: the router decodes them, as it does for the socket."""
    path = request.scope["raw_path"].decode("ascii", "replace").removeprefix(base) or "/"
    return f"{path}?{request.url.query}" if request.url.query else path


def page_headers(nonce: str) -> dict[str, str]:
    """Security headers of a page. They block style attributes, and inline scripts without the nonce."""
    policy = (
        "default-src 'self'; "
        f"script-src 'self' 'nonce-{nonce}'; style-src 'self' 'nonce-{nonce}'; "
        "img-src 'self' data:; font-src 'self'; connect-src 'self'; object-src 'none'; base-uri 'none'; "
        "form-action 'self'; frame-ancestors 'none'"
    )
    return {
        "Content-Security-Policy": policy,
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
    }
