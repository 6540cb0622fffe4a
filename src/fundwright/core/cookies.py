"""Cookies. Over https, they are bound to the host."""

from __future__ import annotations

import secrets

from fastapi import Response
from fastapi.requests import HTTPConnection

from fundwright.core.settings import Settings

LANGUAGE_COOKIE = "language"
_LANGUAGE_KEPT_S = 365 * 24 * 60 * 60
_VISITOR_BYTES = 16
_VISITOR_CHARACTERS = 22


def cookie_name(settings: Settings) -> str:
    """Name of the session cookie. Over https, it is bound to the host."""
    return "__Host-session" if is_https(settings) else "session"


def device_cookie_name(settings: Settings) -> str:
    """Name of the cookie that identifies the browsers in which accounts have signed in."""
    return "__Host-device" if is_https(settings) else "device"


def visitor_of(connection: HTTPConnection) -> str:
    """Distinguishes signed-out visitors at one network address. Anyone can make up this cookie, so it grants nothing."""
    visitor = connection.cookies.get(_visitor_cookie_name(connection.app.state.core.settings), "")
    return visitor if len(visitor) == _VISITOR_CHARACTERS else ""


def set_visitor_cookie(response: Response, settings: Settings) -> None:
    """Distinguish this visitor from others at the same address until the browser is closed."""
    set_cookie(response, settings, _visitor_cookie_name(settings), secrets.token_urlsafe(_VISITOR_BYTES))


def _visitor_cookie_name(settings: Settings) -> str:
    return "__Host-visitor" if is_https(settings) else "visitor"


def share_cookie_name(settings: Settings) -> str:
    """Name of the cookie with which a browser proves to the page of a share link that its password was entered there. Each page has its
    own, because it is limited to the path of the page."""
    return "__Secure-share" if is_https(settings) else "share"


def set_cookie(
    response: Response, settings: Settings, name: str, value: str, *, max_age_s: int | None = None, path: str = "/"
) -> None:
    """Without `max_age_s`, the cookie lives until the browser is closed."""
    response.set_cookie(name, value, max_age=max_age_s, path=path, secure=is_https(settings), httponly=True, samesite="lax")


def keep_language(response: Response, settings: Settings, code: str, *, path: str = "/") -> None:
    """Keep the language that was chosen in this browser. Its pages also set this cookie, so it is not hidden from them."""
    response.set_cookie(
        LANGUAGE_COOKIE, code, max_age=_LANGUAGE_KEPT_S, path=path, secure=is_https(settings), httponly=False, samesite="lax"
    )


def is_https(settings: Settings) -> bool:
    return settings.public_url is not None and settings.public_url.startswith("https://")
