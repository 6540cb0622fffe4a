"""Visits of pages to what several people may have open."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from fundwright.accounts.schemas import Actor
from fundwright.core.presence import Present, Visit
from fundwright_ui.product.connection import Connection, use_actor, use_connection
from fundwright_ui.runtime.layout import at_unmount, rerenderer, use_kept


class _Visiting:
    """The visit of a component: it begins with the first subject, and ends when the component is unmounted or the page is closed."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._subject = ""
        self._is_begun = False
        self.visit: Visit | None = None

    def follow(self, subject: str, actor: Actor, place: str) -> None:
        if not self._connection.is_live:
            return
        if subject != self._subject:
            self._end()
            self._subject = subject
            if subject:
                self._begin(subject, actor, place)
        elif self.visit is not None:
            self.visit.update(Present(actor.name, actor.id, place))

    def _begin(self, subject: str, actor: Actor, place: str) -> None:
        if not self._is_begun:
            self._is_begun = True
            self._connection.on_close(self._end)
            at_unmount(lambda: self._connection.close_now(self._end))
        self.visit = self._connection.core.presence.visit(subject, Present(actor.name, actor.id, place))
        self._connection.on_reachable.add(self.visit.set_reachable)

    def _end(self) -> None:
        if self.visit is not None:
            self._connection.on_reachable.discard(self.visit.set_reachable)
            self.visit.leave()
            self.visit = None


def use_visit(kind: str, id: UUID | None, place: str = "") -> Visit | None:
    """Show the other members of the workspace that the person has something open, and edits `place`, until the component is unmounted.

    None in a personal workspace, which nobody else can open, and during first paint. Pass an id only once the person may see it.
    """
    actor, connection = use_actor(), use_connection()
    visiting = use_kept(lambda: _Visiting(connection))
    visiting.follow(f"{actor.workspace_id}:{kind}:{id}" if id and actor.is_in_shared_workspace else "", actor, place)
    return visiting.visit


def use_others(visit: Visit) -> tuple[Present, ...]:
    """The other people of a visit. The component is rendered again when they change."""
    watching = use_kept(lambda: _Watching(rerenderer()))
    return watching.follow(visit)


class _Watching:
    def __init__(self, rerender: Callable[[], None]) -> None:
        self._rerender = rerender
        self._visit: Visit | None = None
        self._end: Callable[[], object] = lambda: None
        at_unmount(lambda: self._end())

    def follow(self, visit: Visit) -> tuple[Present, ...]:
        if visit is not self._visit:
            self._end()
            self._visit, self._end = visit, visit.watch(self._rerender)
        return visit.others
