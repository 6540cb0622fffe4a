"""Keeps painted pages of signed-in people for a moment, so that the sockets of these pages continue them instead of rendering them again."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from uuid import UUID

from fundwright_ui.runtime.host import Actor
from fundwright_ui.runtime.router import Found
from fundwright_ui.runtime.view import View

_KEPT_S = 10.0
"""How long a browser may take from the response to the socket."""
_MAX_PAGES_PER_ACCOUNT = 4
_MAX_PAGES = 100
_MAX_CHARACTERS = 1_000_000


class _Painted:
    """A page that was sent to `actor`, with the hash of its tree."""

    __slots__ = ("actor", "expiry", "hash", "view")

    def __init__(self, view: View, actor: Actor, hash: str, expiry: asyncio.TimerHandle) -> None:
        self.view = view
        self.actor = actor
        self.hash = hash
        self.expiry = expiry


class PaintedPages:
    """Each page is continued once, by the person and the sign-in session that it was painted for. Beyond the limits, and after ten seconds,
    the oldest are closed; their sockets render them again."""

    def __init__(self) -> None:
        self._pages: list[_Painted] = []
        self._closing = set[asyncio.Task[None]]()

    def keep(self, view: View, actor: Actor, hash: str, *, characters: int) -> bool:
        """Keep an open view whose tree has this hash and was sent in a document of `characters`. Returns False if the document is too long; the
        caller then closes the view."""
        if characters > _MAX_CHARACTERS:
            return False
        own = list(self._of_account(actor.id))
        if len(own) >= _MAX_PAGES_PER_ACCOUNT:
            self._close(own[0])
        elif len(self._pages) >= _MAX_PAGES:
            self._close(self._pages[0])
        page = _Painted(view, actor, hash, asyncio.get_running_loop().call_later(_KEPT_S, lambda: self._close(page)))
        self._pages.append(page)
        return True

    def has(self, hash: str | None) -> bool:
        """Whether a page with this hash is kept, whosesoever."""
        return any(page.hash == hash for page in self._pages)

    def take(self, hash: str | None, found: Found, actor: Actor | None, language: str) -> View | None:
        """The view of a page with this hash that was painted for exactly this actor, address, and language. Ends its keeping."""
        for page in self._pages:
            view = page.view
            if page.hash == hash and page.actor == actor and (view.found, view.connection.language) == (found, language):
                self._remove(page)
                if view.can_open:
                    return view
                self._end(view)
                return None
        return None

    def _of_account(self, id: UUID) -> Iterator[_Painted]:
        return (page for page in self._pages if page.actor.id == id)

    def _close(self, page: _Painted) -> None:
        self._remove(page)
        self._end(page.view)

    def _remove(self, page: _Painted) -> None:
        page.expiry.cancel()
        self._pages.remove(page)

    def _end(self, view: View) -> None:
        closing = asyncio.create_task(view.close())
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)
