"""Undo after something was moved to the trash."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.messages import t
from fundwright.trash import service as trash
from fundwright_ui.product import Connection, actor_of, use_connection
from fundwright_ui.runtime.connection import Undo
from fundwright_ui.ui import link_button
from fundwright_ui.ui.buttons import ButtonVariant


def moved_message(title: str) -> str:
    """The toast after `title` was moved to the trash."""
    return t("“{title}” was moved to the trash.", title=title)


def undo_of(connection: Connection, item_id: UUID, then: Callable[[], object] = lambda: None) -> Undo:
    """Restore an item from the trash, and then call `then`."""

    async def undo(session: AsyncSession) -> None:
        await trash.restore(session, actor_of(connection), connection.core, item_id, client=connection.client)
        then()

    return undo


def trash_link(kind: str, *, variant: ButtonVariant = "outlined") -> VdomDict:
    """A link to the items of one kind in the trash."""
    return link_button(
        t("Trash"), use_connection().href(f"/dashboard/trash?kind={kind}"), variant=variant, size="small", icon_name="delete"
    )
