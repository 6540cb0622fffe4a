"""Adding a task in one line: Enter adds it, and the next one can be typed at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from uuid import UUID, uuid4

from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.messages import t
from fundwright.tasks import service as tasks
from fundwright.tasks.schemas import MOST_CHARACTERS, TaskForm
from fundwright.workspaces.schemas import MemberRead
from fundwright_ui.hooks import use_action
from fundwright_ui.product import use_actor
from fundwright_ui.ui import Option, form, select_field, sending_field, text_field


@component
def add_task(
    members: Sequence[MemberRead],
    on_added: Callable[[], None],
    *,
    opportunity_id: UUID | None = None,
    draft_id: UUID | None = None,
) -> VdomDict:
    """A form for a new task, which belongs to an opportunity, a draft, or neither. It is assigned to the person unless another member is
    chosen. `on_added` is called after each."""
    actor = use_actor()
    sending, set_sending = use_state(lambda: uuid4().hex)
    is_next, set_next = use_state(False)

    async def add(session: AsyncSession, typed: TaskForm) -> None:
        given = typed.model_copy(update={"opportunity_id": opportunity_id, "draft_id": draft_id})
        await tasks.add_task(session, actor, given)

    def added() -> None:
        set_sending(uuid4().hex)
        set_next(True)
        on_added()

    adding = form(
        sending_field(sending),
        text_field("title", t("New task"), maxlength=MOST_CHARACTERS, small=True, autofocus=is_next, id="new-task"),
        text_field("due_on", t("Due"), type="date", small=True, id="new-task-due"),
        select_field("assignee_id", t("Assigned to"), assignees(members), value=None, small=True, id="new-task-assignee")
        if actor.is_in_shared_workspace
        else None,
        on_submit=use_action(add, then=added),
        model=TaskForm,
        submit=t("Add task"),
        label=t("New task"),
        is_secondary=True,
        reset_on_success=True,
        key="form",
    )
    return html.div({"className": "fw-add-task"}, adding)


def assignees(members: Sequence[MemberRead]) -> list[Option]:
    """The members as options, the person first, and nobody."""
    own = use_actor().id
    ordered = sorted(members, key=lambda each: (each.id != own, each.name.casefold()))
    return [
        *(Option(str(each.id), t("{name} (you)", name=each.name) if each.id == own else each.name) for each in ordered),
        Option("", t("Nobody")),
    ]
