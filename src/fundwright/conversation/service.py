"""Comments: threads on what other slices own, mentions, and resolution.

The hook `comment_subjects` returns what can be commented on. A comment is visible to those who see its subject: not while that is in the
trash, and to no other workspace.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID, uuid4, uuid5

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import COMMAND_LINE, Actor, Client, Permission
from fundwright.activity import service as activity
from fundwright.activity.schemas import Subject
from fundwright.authentication import throttle
from fundwright.authentication.throttle import Budget
from fundwright.conversation import events, mentions, repository
from fundwright.conversation.models import Comment
from fundwright.conversation.repository import CommentAndFirst, ThreadRows
from fundwright.conversation.schemas import (
    CommentChange,
    Commented,
    CommentForm,
    CommentQuery,
    CommentRead,
    CommentState,
    Conversation,
    GuestForm,
    Mention,
    ReplyForm,
    Thread,
    ThreadQuery,
)
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import Conflict, NotAllowed, NotFound
from fundwright.core.live import publish
from fundwright.core.messages import number, t
from fundwright.core.paging import Page, PageRequest, iterate_all
from fundwright.core.scopes import Scope, across_workspaces, switched_to
from fundwright.core.spreadsheets import csv_lines
from fundwright.notifications import service as notifications
from fundwright.notifications.schemas import NotificationKind
from fundwright.workspaces import restrictions
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import Access, MemberQuery

_SHOWN_REPLIES = 5
"""Of a thread, unless all are requested."""
MOST_OF_GUESTS = 500
"""Comments of guests through one share link."""
WRITTEN_BY_ONE = (Budget(30, timedelta(minutes=1)), Budget(300, timedelta(hours=1)))
"""How many comments one account can write or change."""
_REPEATED = UUID("6f5c6a0e-53a5-4b7a-9d0c-0f8a3f6f2a51")
"""The namespace of ids of comments that may be sent repeatedly."""


@dataclass(frozen=True)
class CommentSubject:
    """A kind of objects that members of a workspace can comment on. `get(session, actor, id)` raises NotFound unless the actor may see
    the object, for example while it is in the trash."""

    kind: str
    get: Callable[[AsyncSession, Actor, UUID], Awaitable[Commented]]


class TooManyComments(Conflict):
    def __init__(self) -> None:
        super().__init__(
            t(
                "This link already has {most} comments. Ask the person who sent it to you for a new link.",
                most=number(MOST_OF_GUESTS),
            )
        )


def comments_topic(owner_id: UUID) -> str:
    """The live topic of the comments in a workspace. `subject` in its messages is the id of what is commented on."""
    return f"comments:{owner_id}"


@needs(Permission.READ)
async def get_subject(
    session: AsyncSession, actor: Actor, core: Core, subject_id: UUID, *, kind: str | None = None
) -> tuple[str, Commented]:
    """Return what has this id, and its kind. A given `kind` saves queries. Raises NotFound."""
    subjects: list[CommentSubject] = core.plugins.collect("comment_subjects")
    for subject in subjects:
        if kind in (None, subject.kind):
            with suppress(NotFound):
                return subject.kind, await subject.get(session, actor, subject_id)
    raise NotFound(t("The draft, opportunity, or document"))


@needs(Permission.READ)
async def list_comments(session: AsyncSession, actor: Actor, core: Core, query: CommentQuery) -> Page[CommentRead]:
    """Return comments on a subject. Raises NotFound."""
    await get_subject(session, actor, core, query.subject_id)
    rows, total = await repository.page(session, actor.workspace_id, query)
    items = await _read(session, actor, rows)
    return Page(items=items, total=total, page=query.page, page_size=query.page_size)


@needs(Permission.READ)
async def export_comments(session: AsyncSession, actor: Actor, core: Core, query: CommentQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    columns: list[tuple[str, Callable[[CommentRead], object]]] = [
        (t("Author"), lambda comment: comment.signature),
        (t("Comment"), lambda comment: comment.text),
        (t("Section"), lambda comment: comment.part),
        (t("Written"), lambda comment: comment.created_at),
        (t("Edited"), lambda comment: comment.edited_at),
        (t("Status"), lambda comment: comment.state.label),
        (t("Thread"), lambda comment: comment.thread_id),
    ]
    async for line in csv_lines(columns, iterate_all(lambda page: list_comments(session, actor, core, page), query)):
        yield line


@needs(Permission.READ)
async def read_conversation(
    session: AsyncSession,
    actor: Actor,
    core: Core,
    subject_id: UUID,
    query: ThreadQuery,
    *,
    kind: str | None = None,
    linked: UUID | None = None,
    whole: Collection[UUID] = (),
) -> Conversation:
    """Return threads on a subject, newest first, with their latest replies, or with all replies of those that are `whole`.

    With a comment that is `linked`, the page that contains its thread, with all replies; if the thread has another state, among all
    threads. Without it, the last page if there are fewer than asked for. Raises NotFound for an unknown subject.
    """
    _, subject = await get_subject(session, actor, core, subject_id, kind=kind)
    if linked is not None and (first := await repository.find_first(session, actor.workspace_id, subject_id, linked)) is not None:
        state = query.state if query.state is None or query.state is _state(first) else None
        newer = await repository.count_newer_threads(session, actor.workspace_id, first, state)
        query = query.model_copy(update={"state": state, "page": newer // query.page_size + 1})
        whole = {*whole, first.id}

    async def read(query: ThreadQuery) -> tuple[list[ThreadRows], int]:
        return await repository.page_of_threads(
            session, actor.workspace_id, subject_id, query, whole=whole, shown_replies=_SHOWN_REPLIES
        )

    threads, total = await read(query)
    if total and not threads:
        query = query.model_copy(update={"page": -(-total // query.page_size)})
        threads, total = await read(query)
    items = await _read_threads(session, actor, threads)
    page = Page(items=items, total=total, page=query.page, page_size=query.page_size)
    may_comment = actor.may(Permission.LABEL) and await restrictions.may(session, actor, subject_id, Access.COMMENT)
    return Conversation(subject=subject, state=query.state, threads=page, may_comment=may_comment)


@needs(Permission.WORK)
async def list_for_guests(
    session: AsyncSession, actor: Actor, share_id: UUID, subject_id: UUID, query: PageRequest
) -> Page[Thread]:
    """Return what guests with a share link of the actor read: the threads that were started through it on this subject, newest first, or
    the last page."""
    async with switched_to(session, Scope(share_id=share_id)):
        threads, total = await repository.page_of_share(session, share_id, subject_id, query)
        if total and not threads:
            query = query.model_copy(update={"page": -(-total // query.page_size)})
            threads, total = await repository.page_of_share(session, share_id, subject_id, query)
    items = await _read_threads(session, actor, threads)
    return Page(items=items, total=total, page=query.page, page_size=query.page_size)


@needs(Permission.WORK)
async def count_for_guests(session: AsyncSession, actor: Actor, share_id: UUID) -> Mapping[UUID, int]:
    """Return the number of comments that guests with a share link of the actor read, by subject: that of the newest comment is the first."""
    async with switched_to(session, Scope(share_id=share_id)):
        return await repository.count_by_subject(session, share_id)


async def _read_threads(session: AsyncSession, actor: Actor, threads: Sequence[ThreadRows]) -> list[Thread]:
    rows = [CommentAndFirst(each, thread.first) for thread in threads for each in (thread.first, *thread.replies)]
    names = await _names_in(session, actor, rows)
    read_rows = {row.comment.id: _comment(row, names) for row in rows}
    return [
        Thread(
            first=read_rows[first.id],
            replies=tuple(read_rows[reply.id] for reply in replies),
            reply_count=count,
            resolved_by=names.get(first.resolved_by, ""),
        )
        for first, replies, count in threads
    ]


@needs(Permission.READ)
async def count_open(session: AsyncSession, actor: Actor, subject_id: UUID) -> int:
    """Return the number of open threads on a subject."""
    return await repository.count_threads(session, actor.workspace_id, subject_id, CommentState.OPEN)


@needs(Permission.LABEL)
async def add_comment(session: AsyncSession, actor: Actor, core: Core, form: CommentForm) -> CommentRead:
    """Begin a thread. Raises NotFound, NotAllowed, or OverBudget."""
    kind, subject = await get_subject(session, actor, core, form.subject_id)
    await restrictions.require(session, actor, form.subject_id, Access.COMMENT)
    if form.part_id is not None and form.part_id not in subject.parts:
        raise NotFound(t("The section"))
    id = _id_of(form, actor.workspace_id, actor.id, form.subject_id, form.part_id)
    part = subject.parts[form.part_id] if form.part_id else ""
    await _add(session, actor, form, id, subject, subject_kind=kind, subject_id=form.subject_id, part_id=form.part_id, part=part)
    return await _one(session, actor, id)


@needs(Permission.LABEL)
async def reply(session: AsyncSession, actor: Actor, core: Core, comment_id: UUID, form: ReplyForm) -> CommentRead:
    """Reply in the thread of a comment, which opens it again. Raises NotFound, NotAllowed, or OverBudget."""
    first, subject = await _lock(session, actor, core, comment_id)
    id = _id_of(form, actor.workspace_id, actor.id, first.id)
    place = {
        "subject_kind": first.subject_kind,
        "subject_id": first.subject_id,
        "thread_id": first.id,
        "share_id": first.share_id,
    }
    if await _add(session, actor, form, id, subject, **place):
        first.resolved_at = first.resolved_by = None
        await session.flush()
    return await _one(session, actor, id)


@needs(Permission.WORK)
async def add_guest_comment(
    session: AsyncSession, actor: Actor, core: Core, share_id: UUID, subject_id: UUID, form: GuestForm
) -> tuple[UUID, bool]:
    """Add what a guest writes on this subject through a share link of the actor. Returns the comment's id, and whether it is new. The actor and
    the members who wrote in the thread are notified, and the thread is open again. Raises NotFound or TooManyComments."""
    kind, subject = await get_subject(session, actor, core, subject_id)
    first: Comment | None = None
    if form.thread_id is not None:
        first = await repository.lock_thread(session, actor.workspace_id, form.thread_id)
        if (first.share_id, first.subject_id) != (share_id, subject_id):
            raise NotFound(t("The comment"))
    part_id = form.part_id if first is None else None
    if part_id is not None and part_id not in subject.parts:
        raise NotFound(t("The section"))
    id = _id_of(form, share_id, subject_id, form.thread_id, part_id, form.name)
    async with switched_to(session, Scope(share_id=share_id)):
        is_new = await repository.add(
            session,
            {
                "id": id,
                "owner_id": actor.workspace_id,
                "subject_kind": kind,
                "subject_id": subject_id,
                "thread_id": form.thread_id,
                "part_id": part_id,
                "part": subject.parts[part_id] if part_id else "",
                "author": form.name,
                "share_id": share_id,
                "is_guest": True,
                "text": form.text,
                "mentions": {},
            },
        )
        if await repository.count_of_guests(session, share_id) > MOST_OF_GUESTS:
            raise TooManyComments
    if not is_new:
        return id, False
    if first is not None:
        first.resolved_at = first.resolved_by = None
        await session.flush()
    authors = await repository.list_authors(session, form.thread_id) if form.thread_id is not None else ()
    await notifications.notify(
        session,
        events.COMMENTED_BY_GUEST,
        await restrictions.may_be_told(session, actor, subject_id, {actor.id, *authors}),
        actor=None,
        workspace_id=actor.workspace_id,
        subject=subject.title,
        path=subject.path_of(id),
        event=_event_of(id),
    )
    await activity.record(session, actor, events.GUEST_COMMENTED, _subject_of(kind, subject_id, subject), guest=form.name)
    await _announce(session, actor, subject_id)
    return id, True


@needs(Permission.READ)
async def get_comment(session: AsyncSession, actor: Actor, core: Core, comment_id: UUID) -> CommentRead:
    """Raises NotFound."""
    comment, _ = await repository.get(session, actor.workspace_id, comment_id)
    await get_subject(session, actor, core, comment.subject_id, kind=comment.subject_kind)
    return await _one(session, actor, comment_id)


@needs(Permission.LABEL)
async def change_comment(session: AsyncSession, actor: Actor, core: Core, comment_id: UUID, change: CommentChange) -> CommentRead:
    """Change the text of one's own comment. Raises NotFound, NotAllowed, or OverBudget."""
    comment, subject = await _own(session, actor, core, comment_id)
    if comment.text != change.text:
        await _spend(session, actor)
        before = comment.mentions
        comment.mentions = await _mentions(session, actor, change.text, before=before)
        comment.text, comment.edited_at = change.text, now()
        await session.flush()
        await _tell(
            session, actor, events.MENTIONED, comment.mentions.keys() - before.keys(), comment.subject_id, comment.id, subject
        )
        await _announce(session, actor, comment.subject_id)
    return await _one(session, actor, comment_id)


@needs(Permission.LABEL)
async def delete_comment(
    session: AsyncSession, actor: Actor, core: Core, comment_id: UUID, *, client: Client = COMMAND_LINE
) -> None:
    """Delete one's own comment, or that of a guest. A first comment with replies leaves an empty one. Raises NotFound or NotAllowed."""
    comment, _ = await _own(session, actor, core, comment_id, for_deletion=True)
    if comment.thread_id is None and await repository.count_replies(session, comment.id):
        comment.text, comment.mentions, comment.deleted_at = "", {}, now()
        await session.flush()
    else:
        await repository.remove(session, comment.id)
        first = await repository.lock_thread(session, actor.workspace_id, comment.thread_id) if comment.thread_id else None
        if first is not None and first.deleted_at is not None and not await repository.count_replies(session, first.id):
            await repository.remove(session, first.id)
    await notifications.forget_event(session, _event_of(comment.id))
    about = str(comment.subject_id)
    await audit.record(session, "comment.deleted", actor=actor, subject=about, client=client, comment=str(comment.id))
    await _announce(session, actor, comment.subject_id)


@needs(Permission.LABEL)
async def resolve(session: AsyncSession, actor: Actor, core: Core, comment_id: UUID, *, is_resolved: bool) -> None:
    """Resolve the thread of a comment, or open it again. Raises NotFound or NotAllowed."""
    first, subject = await _lock(session, actor, core, comment_id)
    if (first.resolved_at is not None) is not is_resolved:
        first.resolved_at, first.resolved_by = (now(), actor.id) if is_resolved else (None, None)
        await session.flush()
        if is_resolved:
            await activity.record(session, actor, events.RESOLVED, _subject_of(first.subject_kind, first.subject_id, subject))
        await _announce(session, actor, first.subject_id)


@needs(Permission.READ)
async def keep_name(session: AsyncSession, actor: Actor, core: Core) -> None:
    """Keep the actor's name on comments before the account is deleted."""
    await repository.keep_name(session, actor.id, actor.name)


async def forget_subjects(session: AsyncSession, subject_ids: Collection[UUID]) -> None:
    """Delete the comments of all workspaces on what is being deleted forever."""
    async with across_workspaces(session, "comments on what is deleted"):
        await repository.forget_subjects(session, subject_ids)


async def _lock(session: AsyncSession, actor: Actor, core: Core, comment_id: UUID) -> tuple[Comment, Commented]:
    """Return the first comment of the thread, locked, and what it is about, on which the actor may comment."""
    _, first = await repository.get(session, actor.workspace_id, comment_id)
    _, subject = await get_subject(session, actor, core, first.subject_id, kind=first.subject_kind)
    await restrictions.require(session, actor, first.subject_id, Access.COMMENT)
    return await repository.lock_thread(session, actor.workspace_id, first.id), subject


async def _own(
    session: AsyncSession, actor: Actor, core: Core, comment_id: UUID, *, for_deletion: bool = False
) -> tuple[Comment, Commented]:
    """Return a comment of the actor, whose thread is locked, and what it is about. Whoever may share drafts can delete comments of guests."""
    _, subject = await _lock(session, actor, core, comment_id)
    comment, _ = await repository.get(session, actor.workspace_id, comment_id)
    if comment.deleted_at is not None:
        raise NotFound(t("The comment"))
    may_delete = for_deletion and comment.is_guest and actor.may(Permission.WORK)
    if comment.author_id != actor.id and not may_delete:
        raise NotAllowed(t("Only its author can change or delete a comment."))
    return comment, subject


def _id_of(form: ReplyForm, *about: UUID | str | None) -> UUID:
    """A repeated request gets the same id. `about` says who writes, and where."""
    sent = " ".join(map(str, (*about, form.key, form.text)))
    return uuid5(_REPEATED, sent) if form.key else uuid4()


async def _add(
    session: AsyncSession,
    actor: Actor,
    form: ReplyForm,
    id: UUID,
    subject: Commented,
    *,
    subject_kind: str,
    subject_id: UUID,
    thread_id: UUID | None = None,
    share_id: UUID | None = None,
    part_id: UUID | None = None,
    part: str = "",
) -> bool:
    """Return whether the comment is new."""
    mentioned = await _mentions(session, actor, form.text)
    is_new = await repository.add(
        session,
        {
            "id": id,
            "owner_id": actor.workspace_id,
            "subject_kind": subject_kind,
            "subject_id": subject_id,
            "thread_id": thread_id,
            "share_id": share_id,
            "part_id": part_id,
            "part": part,
            "author_id": actor.id,
            "text": form.text,
            "mentions": mentioned,
        },
    )
    if is_new:
        await _spend(session, actor)
        await _tell(session, actor, events.MENTIONED, mentioned, subject_id, id, subject)
        if thread_id is not None:
            authors = {str(author) for author in await repository.list_authors(session, thread_id)}
            await _tell(session, actor, events.REPLIED, authors - mentioned.keys(), subject_id, id, subject)
        await activity.record(session, actor, events.COMMENTED, _subject_of(subject_kind, subject_id, subject))
        await _announce(session, actor, subject_id)
    return is_new


async def _spend(session: AsyncSession, actor: Actor) -> None:
    await throttle.spend(session, "comments", actor.id, WRITTEN_BY_ONE, refusal=_too_many_written)


def _too_many_written(wait: str) -> str:
    return t("You have written too many comments in a short time, so this one was not saved. Try again in {wait}.", wait=wait)


async def _tell(
    session: AsyncSession,
    actor: Actor,
    kind: NotificationKind,
    account_ids: Iterable[str],
    subject_id: UUID,
    comment_id: UUID,
    subject: Commented,
) -> None:
    """Notify accounts of a comment, if they are members who see its subject."""
    await notifications.notify(
        session,
        kind,
        await restrictions.may_be_told(session, actor, subject_id, [UUID(each) for each in account_ids]),
        actor=actor,
        workspace_id=actor.workspace_id,
        subject=subject.title,
        path=subject.path_of(comment_id),
        event=_event_of(comment_id),
    )


def _event_of(comment_id: UUID) -> str:
    """The event of which accounts are told once."""
    return f"comment:{comment_id}"


def _subject_of(kind: str, id: UUID, subject: Commented) -> Subject:
    """What the activity is about."""
    return Subject(kind, id, subject.title, subject.path)


async def _mentions(session: AsyncSession, actor: Actor, text: str, *, before: Mapping[str, str] | None = None) -> dict[str, str]:
    if "@" not in text or not actor.is_in_shared_workspace:
        return {}
    members = [each async for each in iterate_all(lambda page: workspaces.list_members(session, actor, page), MemberQuery())]
    return mentions.find(text, members, before=before)


async def _announce(session: AsyncSession, actor: Actor, subject_id: UUID) -> None:
    await publish(session, comments_topic(actor.workspace_id), {"subject": str(subject_id)})


async def _one(session: AsyncSession, actor: Actor, comment_id: UUID) -> CommentRead:
    return (await _read(session, actor, [await repository.get(session, actor.workspace_id, comment_id)]))[0]


async def _read(session: AsyncSession, actor: Actor, rows: Sequence[CommentAndFirst]) -> list[CommentRead]:
    names = await _names_in(session, actor, rows)
    return [_comment(row, names) for row in rows]


async def _names_in(session: AsyncSession, actor: Actor, rows: Sequence[CommentAndFirst]) -> Mapping[UUID | None, str]:
    """Return the names of authors, of mentioned members, and of those who resolved the threads."""
    accounts = {each for comment, first in rows for each in (comment.author_id, first.resolved_by, *map(UUID, comment.mentions))}
    return await workspaces.names_of(session, actor, accounts)


def _comment(row: CommentAndFirst, names: Mapping[UUID | None, str]) -> CommentRead:
    comment, first = row
    return CommentRead(
        id=comment.id,
        thread_id=first.id,
        part_id=first.part_id,
        part=first.part,
        author_id=comment.author_id,
        author=names.get(comment.author_id, comment.author),
        is_guest=comment.is_guest,
        share_id=comment.share_id,
        text=comment.text,
        mentions=tuple(
            Mention(account_id=UUID(id), label=label, name=names.get(UUID(id), label)) for id, label in comment.mentions.items()
        ),
        created_at=comment.created_at,
        edited_at=comment.edited_at,
        is_deleted=comment.deleted_at is not None,
        state=_state(first),
    )


def _state(first: Comment) -> CommentState:
    return CommentState.OPEN if first.resolved_at is None else CommentState.RESOLVED
