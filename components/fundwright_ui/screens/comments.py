"""Comments beside what they are about. The address says that they are open, which are shown, and which one is being written."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar
from uuid import UUID, uuid4

from pydantic import BaseModel
from reactpy import component, html, use_state
from reactpy.types import Component, VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor, Permission
from fundwright.conversation import mentions
from fundwright.conversation import service as conversation
from fundwright.conversation.schemas import (
    CommentChange,
    Commented,
    CommentForm,
    CommentRead,
    CommentState,
    ReplyForm,
    Thread,
    ThreadQuery,
)
from fundwright.core.messages import nt, number, t
from fundwright_ui.hooks import Action, Query, UrlState, query_in_address, use_action, use_live, use_query, use_url_state
from fundwright_ui.product import id_in, use_actor, use_connection
from fundwright_ui.ui import (
    button,
    chip,
    empty,
    form,
    loading,
    menu,
    moment,
    pagination,
    problem,
    row,
    select_field,
    sending_field,
    side_panel,
    text_area,
)
from fundwright_ui.ui.avatars import avatar
from fundwright_ui.ui.elements import Child
from fundwright_ui.widgets import Mentions, copy_button, delete_dialog

T = TypeVar("T")

_OPEN = "open"
_ALL = "all"
_PREFIX = "comments_"
"""Of the parameters of the list in the address."""
_SHOWN_CHARACTERS, _SHOWN_LINES = 600, 12
"""Of a long text, until all of it is requested."""
CLOSED = {"comments": None, "comment": None, "comments_state": None, "comments_page": None, "writing": None, "about": None}
"""Changes of the address that close the comments."""
COMMENTS = {
    "comments": (_OPEN,),
    "comment": ("{id}",),
    "comments_state": (CommentState.OPEN, CommentState.RESOLVED, _ALL),
    "comments_page": ("{n}",),
    "writing": ("reply:{id}", "edit:{id}"),
    "about": ("{id}",),
}
"""The parameters of a screen with comments, see `UrlState.open`."""


def are_comments_open(url: UrlState) -> bool:
    """Also after a link to one of them."""
    return bool(url.get("comments") or url.get("comment"))


def _use_comments(read: Callable[[AsyncSession], Awaitable[T]], subject_id: UUID, *key: object) -> Query[T]:
    """Load what depends on the comments on a subject, and again when they change."""
    actor = use_actor()
    found = use_query(read, key=[actor.workspace_id, subject_id, *key])

    def changed(message: dict[str, str]) -> None:
        if message.get("subject", str(subject_id)) == str(subject_id):
            found.on_message(message)

    use_live(conversation.comments_topic(actor.workspace_id), changed)
    return found


@component
def comments_button(subject_id: UUID, *, small: bool = False, closes: tuple[str, ...] = ()) -> VdomDict:
    """Opens and closes the comments on a subject, and says how many threads are open. It `closes` what has these parameters in the
    address."""
    actor, url = use_actor(), use_url_state()
    found = _use_comments(lambda session: conversation.count_open(session, actor, subject_id), subject_id)
    is_open, count = are_comments_open(url), found.value or 0

    def toggle() -> None:
        url.set(**(CLOSED if is_open else {"comments": _OPEN, **dict.fromkeys(closes)}))

    return button(
        t("Comments ({n})", n=number(count)) if count else t("Comments"),
        icon_name="feedback",
        size="small" if small else "medium",
        on_click=toggle,
    )


@component
def comments_panel(kind: str, subject_id: UUID, *, is_titled: bool = False) -> VdomDict:
    """The comments on a subject, and fields to write some. With `is_titled`, it says what the subject is."""
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    whole, set_whole = use_state(frozenset[UUID]())
    linked = id_in(url.get("comment"))
    asked = query_in_address(ThreadQuery, url, prefix=_PREFIX)
    if url.get("comments_state") == _ALL:
        asked = asked.model_copy(update={"state": None})

    found = _use_comments(
        lambda session: conversation.read_conversation(
            session, actor, connection.core, subject_id, asked, kind=kind, linked=linked, whole=whole
        ),
        subject_id,
        linked,
        asked,
        whole,
    )

    def panel(*children: Child, subtitle: str | None = None) -> VdomDict:
        def close() -> None:
            url.set(**CLOSED)

        return side_panel(
            t("Comments"), *children, subtitle=subtitle, close=t("Close comments"), on_close=close, key=f"comments-{subject_id}"
        )

    if found.error:
        return panel(problem(found.error, on_retry=found.reload))
    if found.value is None:
        return panel(loading(t("Loading comments")))
    subject, shown, threads = found.value.subject, found.value.state, found.value.threads

    def choose(state: str) -> None:
        url.set(comments=_OPEN, comments_state=None if state == CommentState.OPEN else state, comments_page=None, comment=None)

    def turn(page: int) -> None:
        url.set(comments=_OPEN, comments_page=page if page > 1 else None, comment=None)

    def show_whole(thread: Thread) -> Callable[[], None]:
        return lambda: set_whole(lambda before: before | {thread.first.id})

    may_comment = found.value.may_comment
    return panel(
        _new_comment(subject_id, subject, key="new") if may_comment else None,
        html.div(
            {"className": "fw-thread-filter", "key": "filter"},
            select_field(
                "comments_state",
                t("Show"),
                [*((state, state.label) for state in CommentState), (_ALL, t("All"))],
                value=shown or _ALL,
                on_change=choose,
                small=True,
                id="comments-state",
            ),
        ),
        html.ul(
            {"className": "fw-threads", "aria-label": t("Comments")},
            *(
                _thread(
                    thread,
                    connection.href(_address(subject, thread, actor)),
                    parts=subject.parts,
                    linked=linked,
                    may_comment=may_comment,
                    show_whole=show_whole(thread),
                    key=str(thread.first.id),
                )
                for thread in threads.items
            ),
        )
        if threads.items
        else empty(_nothing(shown, is_shared=actor.is_in_shared_workspace), icon_name="feedback"),
        pagination(threads.page, -(-threads.total // threads.page_size), on_page=turn),
        subtitle=subject.title if is_titled else None,
    )


def _nothing(state: CommentState | None, *, is_shared: bool) -> str:
    if state is CommentState.RESOLVED:
        return t("No resolved comments.")
    if state is CommentState.OPEN:
        return t("No open comments.") if is_shared else t("No open comments. Only you can see what you write here.")
    return t("No comments yet.")


def _address(subject: Commented, thread: Thread, actor: Actor) -> str:
    """The address of a thread, which opens its workspace."""
    there = f"&w={actor.workspace_id}" if actor.is_in_shared_workspace else ""
    return f"{subject.path_of(thread.first.id)}{there}"


def _comment_form(
    name: str,
    label: str,
    on_submit: Action,
    *children: Child,
    model: type[BaseModel],
    submit: str,
    default: str | None = None,
    sending: str = "",
    takes_focus: bool = False,
    actions: tuple[Child, ...] = (),
) -> Component:
    """A form for a comment, which `sending` identifies if it is a new one."""
    return form(
        *children,
        sending_field(sending) if sending else None,
        text_area("text", label, default=default, rows=3, help=_help(), id=name),
        Mentions(path="/api/workspace/members", takes_focus=takes_focus, key="mentions"),
        on_submit=on_submit,
        model=model,
        submit=submit,
        label=label,
        name=name,
        actions=actions,
        is_secondary=True,
        reset_on_success=True,
        key=name,
    )


def _help() -> str | None:
    return t("@ mentions a member.") if use_actor().is_in_shared_workspace else None


@component
def _new_comment(subject_id: UUID, subject: Commented) -> Component:
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    sending, set_sending = use_state(lambda: uuid4().hex)
    part_id = id_in(url.get("about"))
    part = subject.parts.get(part_id) if part_id else None

    async def add(session: AsyncSession, typed: ReplyForm) -> None:
        form = CommentForm(**typed.model_dump(), subject_id=subject_id, part_id=part_id if part else None)
        await conversation.add_comment(session, actor, connection.core, form)

    def added() -> None:
        set_sending(uuid4().hex)
        url.set(comments=_OPEN, about=None, comment=None, comments_page=None, comments_state=None)

    return _comment_form(
        f"comment-{subject_id}",
        t("New comment"),
        use_action(add, then=added),
        row(
            chip(t("About “{section}”", section=part)),
            button(t("About everything"), size="small", variant="text", on_click=lambda: url.set(about=None)),
            key="about",
        )
        if part
        else None,
        model=ReplyForm,
        submit=t("Add comment"),
        sending=sending,
    )


@component
def _thread(
    thread: Thread,
    address: str,
    *,
    parts: Mapping[UUID, str],
    linked: UUID | None,
    may_comment: bool,
    show_whole: Callable[[], None],
) -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    first, hidden = thread.first, thread.reply_count - len(thread.replies)
    is_resolved = first.state is CommentState.RESOLVED
    is_replying = url.get("writing") == f"reply:{first.id}"

    async def resolve(session: AsyncSession) -> None:
        await conversation.resolve(session, actor, connection.core, first.id, is_resolved=not is_resolved)

    resolving = use_action(resolve, success=t("The thread was opened again.") if is_resolved else t("The thread was resolved."))
    return html.li(
        {"className": "fw-thread"},
        html.p(
            {"className": "fw-muted fw-small", "key": "about"},
            *filter(
                None,
                (
                    _about(first, parts),
                    " · " if first.part and is_resolved else None,
                    _resolution(thread) if is_resolved else None,
                ),
            ),
        )
        if first.part or is_resolved
        else None,
        html.p(
            {"className": "fw-muted fw-small", "key": "guests"},
            t("Guests can read this thread as long as their link works."),
        )
        if first.share_id
        else None,
        _comment(first, address, is_linked=linked == first.id, may_comment=may_comment, key=str(first.id)),
        button(
            nt("Show {n} earlier reply", "Show {n} earlier replies", hidden),
            size="small",
            variant="text",
            on_click=show_whole,
            key="earlier",
        )
        if hidden
        else None,
        html.ul(
            {"className": "fw-replies", "aria-label": t("Replies"), "key": "replies"},
            *(
                html.li(
                    {"key": str(reply.id)},
                    _comment(
                        reply,
                        address.replace(str(first.id), str(reply.id)),
                        is_linked=linked == reply.id,
                        may_comment=may_comment,
                        key=str(reply.id),
                    ),
                )
                for reply in thread.replies
            ),
        )
        if thread.replies
        else None,
        _reply(first, key="reply") if is_replying and may_comment else None,
        row(
            button(t("Reply"), size="small", variant="text", on_click=lambda: url.set(writing=f"reply:{first.id}"), key="reply")
            if not is_replying
            else None,
            button(
                t("Open again") if is_resolved else t("Resolve"),
                size="small",
                variant="text",
                icon_name=None if is_resolved else "check",
                on_click=resolving,
                key="resolve",
            ),
            key="actions",
        )
        if may_comment
        else None,
    )


def _about(first: CommentRead, parts: Mapping[UUID, str]) -> Child:
    """What the thread is about, with a link to it if it is still there."""
    if not first.part:
        return None
    text = t("About “{section}”", section=first.part)
    return html.a({"href": f"#{first.part_id}"}, text) if first.part_id in parts else text


def _resolution(thread: Thread) -> str:
    return t("Resolved by {name}", name=thread.resolved_by) if thread.resolved_by else t("Resolved")


@component
def _reply(first: CommentRead) -> Component:
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    sending, _ = use_state(lambda: uuid4().hex)

    async def reply(session: AsyncSession, typed: ReplyForm) -> None:
        await conversation.reply(session, actor, connection.core, first.id, typed)

    def close() -> None:
        url.set(writing=None)

    return _comment_form(
        f"reply-{first.id}",
        t("Your reply"),
        use_action(reply, then=close),
        model=ReplyForm,
        submit=t("Reply"),
        sending=sending,
        takes_focus=True,
        actions=(button(t("Cancel"), on_click=close),),
    )


@component
def _comment(comment: CommentRead, address: str, *, is_linked: bool, may_comment: bool) -> VdomDict | Component:
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    is_asking, set_asking = use_state(False)
    is_whole, set_whole = use_state(False)
    is_own = comment.author_id == actor.id and may_comment
    may_delete = is_own or (comment.is_guest and may_comment and actor.may(Permission.WORK))

    async def delete(session: AsyncSession) -> None:
        await conversation.delete_comment(session, actor, connection.core, comment.id, client=connection.client)

    def stop_asking() -> None:
        set_asking(False)

    deleting = use_action(delete, then=stop_asking)
    menu_id = f"comment-{comment.id}-actions"
    if comment.is_deleted:
        return html.p({"className": "fw-muted fw-comment"}, t("This comment was deleted."))
    if is_own and url.get("writing") == f"edit:{comment.id}":
        return _edit(comment, key="edit")
    text, is_cut = (comment.text, False) if is_whole else _beginning(comment.text)
    return html.article(
        {
            "className": "fw-comment",
            "aria-label": t("Comment by {name}", name=comment.signature),
            "aria-current": "true" if is_linked else None,
            "data-linked": True if is_linked else None,
        },
        html.div(
            {"className": "fw-comment-header"},
            avatar(comment.author, None),
            html.div(
                html.strong({"dir": "auto"}, comment.signature),
                html.p(
                    {"className": "fw-muted fw-small"},
                    moment(comment.created_at),
                    *((" · ", t("edited")) if comment.edited_at else ()),
                ),
            ),
            menu(
                t("More actions for the comment by {name}", name=comment.signature),
                button(
                    t("Edit"),
                    variant="text",
                    on_click=lambda: url.set(writing=f"edit:{comment.id}"),
                    closes=menu_id,
                )
                if is_own
                else None,
                copy_button(address, t("Copy link"), is_small=True, is_path=True, key="link"),
                button(t("Delete"), variant="text", danger=True, on_click=lambda: set_asking(True), closes=menu_id)
                if may_delete
                else None,
                id=menu_id,
                name="more",
            ),
        ),
        html.div({"className": "fw-comment-text", "dir": "auto"}, *_with_mentions(comment, text)),
        button(t("Show all"), size="small", variant="text", on_click=lambda: set_whole(True)) if is_cut else None,
        delete_dialog(
            t("Delete this comment?"),
            t("This cannot be undone. Replies to it stay."),
            on_confirm=deleting,
            error=deleting.error,
            on_cancel=stop_asking,
        )
        if is_asking
        else None,
    )


@component
def _edit(comment: CommentRead) -> Component:
    actor, connection, url = use_actor(), use_connection(), use_url_state()

    async def change(session: AsyncSession, typed: CommentChange) -> None:
        await conversation.change_comment(session, actor, connection.core, comment.id, typed)

    def close() -> None:
        url.set(writing=None)

    return _comment_form(
        f"edit-{comment.id}",
        t("Your comment"),
        use_action(change, then=close),
        model=CommentChange,
        submit=t("Save"),
        default=comment.text,
        takes_focus=True,
        actions=(button(t("Cancel"), on_click=close),),
    )


def _beginning(text: str) -> tuple[str, bool]:
    """The beginning of a long text, and whether it is one."""
    lines = text.split("\n")
    beginning = "\n".join(lines[:_SHOWN_LINES])
    if len(beginning) > _SHOWN_CHARACTERS:
        beginning = beginning[:_SHOWN_CHARACTERS].rsplit(" ", 1)[0]
    is_cut = len(text) - len(beginning) > _SHOWN_CHARACTERS // 10
    return (f"{beginning} …", True) if is_cut else (text, False)


def _with_mentions(comment: CommentRead, text: str) -> list[Child]:
    names = {each.label: each.name for each in comment.mentions}
    return [
        html.span({"className": "fw-mention", "key": str(place)}, f"@{names[part]}") if is_mention else part
        for place, (part, is_mention) in enumerate(mentions.split(text, names))
    ]
