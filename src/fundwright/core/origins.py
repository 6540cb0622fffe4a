"""Refusal of requests from pages of other sites (CSRF)."""

from __future__ import annotations

from urllib.parse import urlsplit

from fastapi import Request
from fastapi.requests import HTTPConnection

from fundwright.core.errors import FundwrightError
from fundwright.core.messages import t
from fundwright.core.settings import Settings


class ForeignOrigin(FundwrightError):
    status = 403

    def __init__(self) -> None:
        super().__init__(
            t(
                "The request came from another site. Send it from this site, with a bearer token, or with the header "
                "X-Requested-With."
            )
        )


def require_same_origin(request: Request) -> None:
    """Raise ForeignOrigin unless the browser says that one of our pages sent the request, or a script sets X-Requested-With."""
    if not (_is_ours(request) or (is_silent(request) and "x-requested-with" in request.headers)):
        raise ForeignOrigin


def refuse_foreign_page(request: Request) -> None:
    """For requests that set the cookie: another site's page must not sign its visitor in to someone else's account."""
    if not (_is_ours(request) or is_silent(request)):
        raise ForeignOrigin


def refuse_other_site(request: Request) -> None:
    """Like `refuse_foreign_page`, for forms on pages that send no referrer: browsers send `null` as their origin."""
    is_unknown = "sec-fetch-site" not in request.headers and request.headers.get("origin") == "null"
    if not is_unknown:
        refuse_foreign_page(request)


def is_silent(request: HTTPConnection) -> bool:
    """The request has neither of the headers that browsers send with requests of pages: it comes from a program, or a very old
    browser."""
    return "sec-fetch-site" not in request.headers and "origin" not in request.headers


def _is_ours(request: Request) -> bool:
    if (site := request.headers.get("sec-fetch-site")) is not None:
        return site == "same-origin"
    origin = request.headers.get("origin")
    if origin is None:
        return False
    settings: Settings = request.app.state.core.settings
    if settings.public_url:
        public = urlsplit(settings.public_url)
        return origin in (f"{public.scheme}://{public.netloc}", *settings.allowed_origins)
    # A page cannot choose the Host header of its requests, so it shows which host the browser uses.
    return origin in (f"{request.url.scheme}://{request.headers.get('host')}", *settings.allowed_origins)
