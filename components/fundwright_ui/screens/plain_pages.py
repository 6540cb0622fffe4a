"""Plain HTML pages for people who are not signed in. They carry no session and have no live connection, and run no script but two lines:
one follows the browser's color scheme, and one keeps what a guest types in the tab until it is sent, and the guest's name."""

from __future__ import annotations

import secrets
from base64 import b64encode
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from hashlib import sha256
from html import escape
from http import HTTPStatus
from urllib.parse import urlencode

from fastapi.requests import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from reactpy import html
from reactpy.types import VdomDict
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from fundwright.core.assembly import Core
from fundwright.core.cookies import keep_language
from fundwright.core.errors import FundwrightError, UnderMaintenance
from fundwright.core.messages import LANGUAGES, current_language, t, using_language
from fundwright.core.web import preferred_language
from fundwright_ui.runtime.bundle import Bundle
from fundwright_ui.runtime.faults import sentence_of
from fundwright_ui.runtime.html import to_html
from fundwright_ui.runtime.vdom import to_node
from fundwright_ui.sidebar.logo import logo_mark
from fundwright_ui.ui.elements import Child, classes

_ENTRY = "web/src/main.tsx"
_COLOR_SCHEME = "document.documentElement.dataset.mode=matchMedia('(prefers-color-scheme: dark)').matches?'dark':'light'"
_KEEP_TYPED = """\
for (const field of document.querySelectorAll("textarea, input[name=name]")) {
  const isText = field.name === "text", key = `${location.pathname} ${isText ? field.id : field.name}`;
  field.value ||= sessionStorage.getItem(key) ?? "";
  field.addEventListener("input", () => sessionStorage.setItem(key, field.value));
  if (isText) field.form.addEventListener("submit", () => sessionStorage.removeItem(key));
}"""
_SCRIPTS = " ".join(f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in (_COLOR_SCHEME, _KEEP_TYPED))
_WATERMARKS = 40
"""How often the watermark is repeated, which covers a large screen."""
_CHOSEN = "language"
"""The parameter of an address that chooses the language: the pages have no scripts that could."""
_offer: ContextVar[str] = ContextVar("offer", default="")
"""The line of the current request that offers a language."""


async def guarded(
    request: Request,
    respond: Callable[[], Awaitable[Response]],
    problem: Callable[[str, str], VdomDict],
    *,
    core: Core,
    bundle: Bundle,
    over: type[FundwrightError],
    while_doing: str,
) -> Response:
    """Respond, unless the site is closed. A page offers the language that the browser prefers. If it fails, the body of the page is a `problem` with this title and sentence; `over` is the
    error of a link that does not work."""
    try:
        if core.settings.is_closed:
            raise UnderMaintenance(core.settings.maintenance)
        if (chosen := request.query_params.get(_CHOSEN)) in LANGUAGES:
            return _in_language(request, core, bundle, chosen)
        _offer.set(_offer_in(request))
        response = await respond()
    except (HTTPException, ClientDisconnect):  # a form that no browser sends, or that was not sent completely
        raise
    except Exception as error:
        title = t("This link does not work") if isinstance(error, over) else t("This page can't be shown now")
        status = error.status if isinstance(error, FundwrightError) else HTTPStatus.INTERNAL_SERVER_ERROR
        retry_after_s = error.retry_after_s if isinstance(error, FundwrightError) else None
        body = drawn(problem(title, sentence_of(error, while_doing=while_doing)))
        response = plain_page(bundle, title, body, status=status, retry_after_s=retry_after_s)
    if _offer.get() and isinstance(response, HTMLResponse):
        keep_language(response, core.settings, "en", path=bundle.base or "/")
    return response


def _in_language(request: Request, core: Core, bundle: Bundle, code: str) -> Response:
    """Lead to the same page in this language, which the browser keeps, as on all other pages."""
    address = request.url.remove_query_params(_CHOSEN)
    place = f"{address.path}?{address.query}" if address.query else address.path
    response = RedirectResponse(place, status_code=HTTPStatus.SEE_OTHER, headers=plain_headers())
    keep_language(response, core.settings, code, path=bundle.base or "/")
    return response


def _offer_in(request: Request) -> str:
    """The line that offers the language that the browser prefers, once: the browser then keeps English unless the person accepts. Empty if it is that of the page."""
    code = preferred_language(request)
    if code is None or request.method != "GET":
        return ""
    with using_language(code):
        accept, dismiss = t("Show Fundwright in your language"), t("Keep English")
    given = [pair for pair in request.query_params.multi_items() if pair[0] != _CHOSEN]
    choose, keep = (escape(f"?{urlencode([*given, (_CHOSEN, each)])}") for each in (code, "en"))
    return (
        f'<aside class="fw-language-offer" lang="{code}" aria-label="{escape(accept)}"><a class="fw-link" href="{choose}">{escape(accept)}</a>'
        f'<a class="fw-language-dismiss" href="{keep}" aria-label="{escape(dismiss)}" title="{escape(dismiss)}">×</a></aside>'
    )


def drawn(body: VdomDict) -> str:
    """The HTML of a page's body. A long text takes a while: call this in `core.computing` for it."""
    return to_html(to_node(body))


def plain_page(
    bundle: Bundle, title: str, body: str, *, status: int = HTTPStatus.OK, retry_after_s: int | None = None
) -> Response:
    """The page with this body, which `drawn` returned."""
    nonce = secrets.token_urlsafe(16)
    offer = _offer.get()
    head = bundle.styled_head(_ENTRY, nonce=nonce, widgets=["LanguageOffer"] if offer else [])
    text = (
        f'<!doctype html><html lang="{current_language()}" dir="ltr"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex, nofollow">'
        f"<title>{escape(title)}</title><script>{_COLOR_SCHEME}</script>{head}</head>"
        f"<body>{body}{offer}<script>{_KEEP_TYPED}</script></body></html>"
    )
    retry = {"Retry-After": str(retry_after_s)} if retry_after_s else {}
    return HTMLResponse(text, status_code=status, headers=plain_headers(nonce) | retry)


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
        "Vary": "Cookie",
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
