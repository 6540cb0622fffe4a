"""The data of content in a copy of an account's data."""

from __future__ import annotations

from collections.abc import AsyncIterator

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import needs
from fundwright.accounts.personal_data import DataFile, as_csv
from fundwright.accounts.schemas import Actor, Permission
from fundwright.content import repository
from fundwright.core.assembly import Core

_FEEDBACK = ("created_at", "kind", "text", "page", "state")
_POST = ("slug", "title", "summary", "text", "published_at", "created_at", "changed_at")


@needs(Permission.READ)
async def own_files(session: AsyncSession, actor: Actor, core: Core) -> AsyncIterator[DataFile]:
    """The feedback that the actor has sent, and the actor's blog posts."""
    yield as_csv("content/feedback.csv", _FEEDBACK, await repository.feedback_of(session, actor.id))
    yield as_csv("content/posts.csv", _POST, await repository.posts_of(session, actor.id))
