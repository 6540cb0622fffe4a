"""All queries of comments, limited to the workspace that owns them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, delete, func, or_, select, tuple_, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from fundwright.conversation.models import Comment
from fundwright.conversation.schemas import CommentQuery, CommentState, ThreadQuery
from fundwright.core.errors import NotFound
from fundwright.core.lists import contains, count_all, ordered_by
from fundwright.core.messages import t
from fundwright.core.paging import PageRequest

_First = aliased(Comment)


class CommentAndFirst(NamedTuple):
    """A comment and the first one of its thread, which may be itself."""

    comment: Comment
    first: Comment


class ThreadRows(NamedTuple):
    first: Comment
    replies: Sequence[Comment]
    reply_count: int


def _comments(owner_id: UUID) -> Select[Comment, Comment]:
    return (
        select(Comment, _First)
        .join(_First, _First.id == func.coalesce(Comment.thread_id, Comment.id))
        .where(Comment.owner_id == owner_id)
        .execution_options(populate_existing=True)
    )


def _is_in(state: CommentState, first: type[Comment]) -> ColumnElement[bool]:
    return first.resolved_at.is_(None) if state is CommentState.OPEN else first.resolved_at.is_not(None)


async def page(session: AsyncSession, owner_id: UUID, query: CommentQuery) -> tuple[list[CommentAndFirst], int]:
    found = _comments(owner_id).where(Comment.subject_id == query.subject_id)
    if query.thread_id is not None:
        found = found.where(_First.id == query.thread_id)
    if query.state is not None:
        found = found.where(_is_in(query.state, _First))
    if query.text.strip():
        found = found.where(contains(query.text.strip(), Comment.text))
    total = await count_all(session, found.with_only_columns(Comment.id))
    columns = {"created_at": Comment.created_at, "edited_at": Comment.edited_at}
    order = ordered_by(query, columns, default=Comment.created_at)
    rows = await session.execute(found.order_by(order, Comment.id).offset(query.offset).limit(query.page_size))
    return [CommentAndFirst(*row) for row in rows], total


async def get(session: AsyncSession, owner_id: UUID, comment_id: UUID) -> CommentAndFirst:
    """Raises NotFound, also for another workspace's comment."""
    row = (await session.execute(_comments(owner_id).where(Comment.id == comment_id))).one_or_none()
    if row is None:
        raise NotFound(t("The comment"))
    return CommentAndFirst(*row)


async def find_first(session: AsyncSession, owner_id: UUID, subject_id: UUID, comment_id: UUID) -> Comment | None:
    """Return the first comment of the thread of a comment on this subject."""
    found = _comments(owner_id).where(Comment.subject_id == subject_id, Comment.id == comment_id).with_only_columns(_First)
    return await session.scalar(found)


async def lock_thread(session: AsyncSession, owner_id: UUID, thread_id: UUID) -> Comment:
    """Until the transaction ends, no other request can reply in the thread, or change or delete its first comment. Raises NotFound."""
    wanted = select(Comment).where(Comment.owner_id == owner_id, Comment.id == thread_id, Comment.thread_id.is_(None))
    first = await session.scalar(wanted.with_for_update().execution_options(populate_existing=True))
    if first is None:
        raise NotFound(t("The comment"))
    return first


async def add(session: AsyncSession, comment: dict[str, object]) -> bool:
    """Return whether there was no comment with its id yet."""
    added = insert(Comment).values(comment).on_conflict_do_nothing(index_elements=[Comment.id]).returning(Comment.id)
    return await session.scalar(added) is not None


async def count_replies(session: AsyncSession, thread_id: UUID) -> int:
    return await session.scalar(select(func.count()).where(Comment.thread_id == thread_id)) or 0


async def list_authors(session: AsyncSession, thread_id: UUID) -> Sequence[UUID]:
    """Return the accounts that wrote in a thread."""
    of_thread = or_(Comment.id == thread_id, Comment.thread_id == thread_id)
    authors = select(Comment.author_id).where(of_thread, Comment.author_id.is_not(None)).distinct()
    return [author for author in await session.scalars(authors) if author is not None]


async def page_of_share(
    session: AsyncSession, share_id: UUID, subject_id: UUID, query: PageRequest
) -> tuple[list[ThreadRows], int]:
    """Return threads that guests started on a subject through a link, newest first, with all replies."""
    of_link = Comment.share_id == share_id, Comment.subject_id == subject_id
    found = select(Comment).where(*of_link).execution_options(populate_existing=True)
    firsts = found.where(Comment.thread_id.is_(None))
    total = await count_all(session, firsts)
    newest_first = firsts.order_by(Comment.created_at.desc(), Comment.id).offset(query.offset).limit(query.page_size)
    shown = (await session.scalars(newest_first)).all()
    replies = found.where(Comment.thread_id.in_([first.id for first in shown])).order_by(Comment.created_at, Comment.id)
    of_thread: dict[UUID | None, list[Comment]] = {}
    for reply in await session.scalars(replies):
        of_thread.setdefault(reply.thread_id, []).append(reply)
    return [ThreadRows(first, of_thread.get(first.id, ()), len(of_thread.get(first.id, ()))) for first in shown], total


async def count_of_guests(session: AsyncSession, share_id: UUID) -> int:
    """Return how many comments guests have written through a link."""
    return await count_all(session, select(Comment.id).where(Comment.share_id == share_id, Comment.is_guest))


async def count_by_subject(session: AsyncSession, share_id: UUID) -> dict[UUID, int]:
    """Return how many comments each subject has in the threads of a link; that of the newest comment is the first."""
    counts = select(Comment.subject_id, func.count().filter(Comment.deleted_at.is_(None))).where(Comment.share_id == share_id)
    newest_first = counts.group_by(Comment.subject_id).order_by(func.max(Comment.created_at).desc(), Comment.subject_id)
    return dict((await session.execute(newest_first)).all())


async def remove(session: AsyncSession, comment_id: UUID) -> None:
    """With its replies, if it is the first one."""
    await session.execute(delete(Comment).where(Comment.id == comment_id))


async def count_threads(session: AsyncSession, owner_id: UUID, subject_id: UUID, state: CommentState) -> int:
    threads = _threads(owner_id, subject_id, state)
    return await session.scalar(select(func.count()).select_from(threads.subquery())) or 0


async def page_of_threads(
    session: AsyncSession, owner_id: UUID, subject_id: UUID, query: ThreadQuery, *, whole: Collection[UUID], shown_replies: int
) -> tuple[list[ThreadRows], int]:
    """Return threads, each with its last replies: `shown_replies`, or up to a thousand of those that are `whole`."""
    found = _threads(owner_id, subject_id, query.state)
    newest_first = found.order_by(Comment.created_at.desc(), Comment.id)
    firsts = (await session.scalars(newest_first.offset(query.offset).limit(query.page_size))).all()
    is_whole = query.page == 1 and len(firsts) < query.page_size
    total = len(firsts) if is_whole else await count_all(session, found)
    if not firsts:
        return [], total
    from_last = func.row_number().over(partition_by=Comment.thread_id, order_by=tuple_(Comment.created_at, Comment.id).desc())
    numbered = (
        select(Comment.id, from_last.label("place"), func.count().over(partition_by=Comment.thread_id).label("total"))
        .where(Comment.thread_id.in_([first.id for first in firsts]))
        .subquery()
    )
    is_shown = or_(numbered.c.place <= shown_replies, and_(Comment.thread_id.in_(whole), numbered.c.place <= 1_000))
    replies = await session.execute(
        select(Comment, numbered.c.total)
        .join(numbered, numbered.c.id == Comment.id)
        .where(is_shown)
        .order_by(Comment.created_at, Comment.id)
        .execution_options(populate_existing=True)
    )
    of_thread: dict[UUID | None, list[Comment]] = {}
    totals: dict[UUID | None, int] = {}
    for reply, count in replies:
        of_thread.setdefault(reply.thread_id, []).append(reply)
        totals[reply.thread_id] = count
    return [ThreadRows(first, of_thread.get(first.id, ()), totals.get(first.id, 0)) for first in firsts], total


async def count_newer_threads(session: AsyncSession, owner_id: UUID, first: Comment, state: CommentState | None) -> int:
    """Return the number of threads that `page_of_threads` lists before this one."""
    newer = or_(Comment.created_at > first.created_at, and_(Comment.created_at == first.created_at, Comment.id < first.id))
    return await count_all(session, _threads(owner_id, first.subject_id, state).where(newer))


def _threads(owner_id: UUID, subject_id: UUID, state: CommentState | None) -> Select[Comment]:
    found = select(Comment).where(Comment.owner_id == owner_id, Comment.subject_id == subject_id, Comment.thread_id.is_(None))
    found = found.execution_options(populate_existing=True)
    return found if state is None else found.where(_is_in(state, Comment))


async def list_written_by(session: AsyncSession, author_id: UUID) -> Sequence[Comment]:
    """Return the comments of an account in all workspaces, oldest first."""
    written = select(Comment).where(Comment.author_id == author_id)
    return (await session.scalars(written.order_by(Comment.created_at, Comment.id))).all()


async def keep_name(session: AsyncSession, author_id: UUID, name: str) -> None:
    """Keep the name of an author whose account is about to be deleted."""
    await session.execute(update(Comment).where(Comment.author_id == author_id).values(author=name))


async def forget_subjects(session: AsyncSession, subject_ids: Collection[UUID]) -> None:
    await session.execute(delete(Comment).where(Comment.subject_id.in_(subject_ids)))
