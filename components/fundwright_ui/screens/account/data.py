"""The tab My data of the account page: download a copy of all data, or delete the account."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field
from reactpy import component, html
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import personal_data
from fundwright.accounts.schemas import DataCopyRead
from fundwright.authentication import password_change
from fundwright.authentication import service as authentication
from fundwright.authentication.schemas import SignInRefused
from fundwright.core.jobs import JobState, jobs_topic
from fundwright.core.messages import t
from fundwright.core.sizes import file_size
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import WorkspaceRead
from fundwright_ui.hooks import use_action, use_query
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.screens.account.security import use_own_password
from fundwright_ui.ui import (
    alert,
    button,
    definition_list,
    form,
    link_button,
    loading,
    moment,
    problem,
    progress,
    row,
    section,
    stack,
    text_field,
)
from fundwright_ui.ui.elements import Child


class Deletion(BaseModel):
    """The confirmation that the person types."""

    model_config = ConfigDict(frozen=True)

    email: Annotated[str, Field(min_length=1, max_length=254)]
    password: Annotated[str, Field(min_length=1, max_length=10_000)]


@component
def data_tab() -> VdomDict:
    return stack(_copy(key="copy"), _deletion(key="deletion"))


@component
def _copy() -> VdomDict:
    actor, connection = use_actor(), use_connection()
    found = use_query(lambda session: personal_data.find_copy(session, actor), key=[actor.id], topics=[jobs_topic(actor.id)])

    async def start(session: AsyncSession) -> None:
        await personal_data.start_copy(session, actor, connection.core, client=connection.client)

    starting = use_action(start, then=found.reload)
    copy = found.value
    is_underway = copy is not None and not copy.job.state.is_over
    title = t("Download my data")
    if found.error:
        return section(title, problem(found.error, on_retry=found.reload))
    if copy is None and found.is_loading:
        return section(title, loading(t("Checking for a copy of your data")))
    return section(
        title,
        html.p(
            t(
                "Everything in your account in one ZIP file: profile, sessions, tokens, categories, saved searches, documents, collections, drafts, comments, history, feedback, payments, and your entries in the audit trail."
            )
        ),
        *(_state_of(copy, connection.href("/api/account/data/archive")) if copy else ()),
        row(
            button(
                t("Request a copy") if copy is None else t("Request a new copy"),
                icon_name="download",
                on_click=starting,
                is_busy=starting.is_running,
            )
        )
        if not is_underway
        else None,
    )


def _state_of(copy: DataCopyRead, href: str) -> tuple[Child, ...]:
    if not copy.job.state.is_over:
        return (progress(copy.job.done, copy.job.total, label=t("Preparing your copy"), message=t("Preparing your copy…")),)
    if copy.job.state is not JobState.SUCCEEDED:
        return (alert(copy.job.error or t("The copy was canceled. Request it again."), variant="warning"),)
    return (
        definition_list(
            {
                t("Prepared"): moment(copy.job.ended_at or copy.created_at),
                t("Available until"): moment(copy.expires_at, shown="date"),
            }
        ),
        row(
            link_button(
                t("Download ZIP file ({size})", size=file_size(copy.size_bytes or 0)),
                href,
                variant="contained",
                icon_name="download",
                download=True,
            )
        ),
    )


@component
def _deletion() -> VdomDict:
    actor, connection = use_actor(), use_connection()

    async def delete(session: AsyncSession, deletion: Deletion) -> SignInRefused | None:
        return await authentication.delete_account(
            session, actor, connection.core, email=deletion.email, password=deletion.password, client=connection.client
        )

    def finish(refused: SignInRefused | None) -> None:
        password_change.check_password_accepted(refused)
        connection.sign_out(next="/auth/login?notice=deleted", forget=True)

    async def read(session: AsyncSession) -> tuple[list[WorkspaceRead], Sequence[UUID]]:
        return await workspaces.list_workspaces(session, actor), await workspaces.list_last_owned(session, actor)

    deleting = use_action(delete, then=finish)
    found = use_query(read, key=[actor.id], topics=[workspaces.workspaces_topic(actor.id)])
    return section(
        t("Delete my account"),
        html.p(
            t(
                "Your account and your personal workspace are permanently deleted right away, with your categories, documents, drafts, tokens, and settings. Invoices and the audit trail are kept. Download your data first if you want to keep it."
            )
        ),
        *(_departures(*found.value) if found.value else ()),
        html.div(
            {"key": "form"},
            form(
                text_field(
                    "email",
                    t("Your email address"),
                    type="email",
                    required=True,
                    maxlength=254,
                    help=t("Type {email} to confirm.", email=actor.email),
                    id="deletion-email",
                ),
                use_own_password("deletion-password"),
                on_submit=deleting,
                model=Deletion,
                submit=t("Delete my account"),
                label=t("Delete my account"),
                danger=True,
            ),
        ),
    )


def _departures(listed: Sequence[WorkspaceRead], last_owned: Sequence[UUID]) -> Iterator[VdomDict]:
    """What happens to the shared workspaces."""
    for each in listed:
        if not each.name:
            continue
        if each.id in last_owned:
            sentence = t("You are the only owner of “{name}”. Make another member an owner first.", name=each.name)
            yield alert(sentence, variant="warning")
        elif each.members == 1:
            yield html.p(t("The workspace “{name}” will be deleted, too, because it has no other members.", name=each.name))
        else:
            yield html.p(t("You will leave the workspace “{name}”. What you created stays there.", name=each.name))
