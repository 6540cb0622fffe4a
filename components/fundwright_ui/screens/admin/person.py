"""`/dashboard/users/{id}`: one account, with the actions of an administrator."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from uuid import UUID

from pydantic import BaseModel, ConfigDict
from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.access import administration
from fundwright.accounts import people
from fundwright.accounts.permissions import roles_with
from fundwright.accounts.schemas import AccountRead, Permission, Role
from fundwright.authentication.schemas import SessionQuery, SessionRead
from fundwright.core.messages import t
from fundwright.core.paging import Page
from fundwright_ui.hooks import UrlState, query_in_address, use_action, use_query, use_url_state
from fundwright_ui.product import parse_id, use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.account.devices import session_row
from fundwright_ui.screens.admin.outbox import undelivered
from fundwright_ui.screens.admin.people import PATH, role_options
from fundwright_ui.screens.listing import existing_page, export_button, pages
from fundwright_ui.ui import (
    alert,
    button,
    card,
    definition_list,
    empty,
    form,
    link_button,
    loading,
    moment,
    page,
    problem,
    row,
    section,
    select_field,
)
from fundwright_ui.widgets import danger_dialog

Found = tuple[AccountRead, Page[SessionRead], bool]


class RoleChosen(BaseModel):
    model_config = ConfigDict(frozen=True)

    role: Role


@screen(f"{PATH}/{{id}}", "People", roles=roles_with(Permission.ADMINISTER), help="/help/people")
def person_screen() -> VdomDict:
    actor, connection = use_actor(), use_connection()
    address = connection.location.params["id"]
    url = use_url_state()
    request = query_in_address(SessionQuery, url)

    async def read(session: AsyncSession) -> Found:
        account_id = parse_id(address, t("The account"))
        person = await people.get_person(session, actor, account_id)
        listed = partial(administration.list_sessions, session, actor, account_id)
        return person, await existing_page(listed, request), await administration.has_second_factor(session, actor, account_id)

    found = use_query(read, key=[address, request])
    back = link_button(t("All people"), connection.href_back(PATH), icon_name="arrow_back")
    if found.error:
        return page(t("People"), problem(found.error, on_retry=found.reload), actions=[back])
    if found.value is None:
        return page(t("People"), loading(t("Loading account")), actions=[back])
    person, sessions, has_second_factor = found.value
    return page(
        person.email,
        card(
            definition_list(
                {
                    t("Name"): person.name,
                    t("Role"): person.role.label,
                    t("Status"): person.state.label,
                    t("Second factor"): t("Yes") if has_second_factor else t("None"),
                    t("Created"): moment(person.created_at, shown="date"),
                    t("Last signed in"): moment(person.last_signed_in_at) if person.last_signed_in_at else t("Never"),
                }
            ),
            label=t("Account"),
        ),
        _change(person, found.reload, key=f"change {person.role} {person.state}"),
        _second_factor(person.id, found.reload, key="second factor") if has_second_factor else None,
        _sessions(person.id, sessions, found.reload, url, key="sessions"),
        actions=[back],
    )


@component
def _change(person: AccountRead, reload: Callable[[], None]) -> VdomDict:
    actor, connection = use_actor(), use_connection()
    client = connection.client

    async def change_role(session: AsyncSession, chosen: RoleChosen) -> None:
        await administration.change_role(session, actor, connection.core, person.id, chosen.role, client=client)

    async def close_or_open(session: AsyncSession) -> None:
        change: Callable[..., Awaitable[AccountRead]] = administration.enable if person.disabled_at else administration.disable
        await change(session, actor, connection.core, person.id, client=client)

    async def start_reset(session: AsyncSession) -> None:
        await administration.start_reset(session, actor, connection.core, person.id, client=client)

    changing = use_action(change_role, success=t("The role was changed, and the account's sessions were ended."), then=reload)
    closing = use_action(
        close_or_open,
        success=t("The account was enabled.")
        if person.disabled_at
        else t("The account was disabled, and its sessions were ended."),
        then=reload,
    )
    started = (
        t("We sent the owner a link to choose a new password.")
        if connection.core.settings.sends_mail
        else t("The password reset link is ready. Run `fundwright mail` on the server to get it.")
    )
    resetting = use_action(start_reset, success=started)
    return section(
        t("Manage account"),
        undelivered(connection),
        alert(closing.error) if closing.error else None,
        form(
            select_field("role", t("Role"), role_options(), default=person.role),
            on_submit=changing,
            model=RoleChosen,
            submit=t("Change role"),
            label=t("Change role"),
        ),
        row(
            button(
                t("Enable account") if person.disabled_at else t("Disable account"),
                on_click=closing,
                is_busy=closing.is_running,
            ),
            button(t("Reset password"), on_click=resetting, is_busy=resetting.is_running),
        ),
    )


@component
def _second_factor(account_id: UUID, reload: Callable[[], None]) -> VdomDict:
    actor, connection = use_actor(), use_connection()
    is_asking, set_asking = use_state(False)

    async def remove(session: AsyncSession) -> None:
        await administration.remove_second_factor(session, actor, connection.core, account_id, client=connection.client)

    def removed() -> None:
        set_asking(False)
        reload()

    success = (
        t("The second factor was removed. We sent the owner an email.")
        if connection.core.settings.sends_mail
        else t("The second factor was removed. This server does not send email, so let the owner know.")
    )
    removing = use_action(remove, success=success, then=removed)
    return section(
        t("Second factor"),
        html.p(t("For a person who lost their phone or device. The password alone will be enough to sign in.")),
        row(button(t("Remove second factor"), on_click=lambda: set_asking(True), is_busy=removing.is_running)),
        danger_dialog(
            t("Remove the second factor?"),
            t(
                "The authenticator app, recovery codes, and passkeys will stop working. Make sure that the request comes from the owner."
            ),
            confirm_label=t("Remove"),
            error=removing.error,
            on_confirm=removing,
            on_cancel=lambda: set_asking(False),
        )
        if is_asking
        else None,
    )


@component
def _sessions(account_id: UUID, sessions: Page[SessionRead], reload: Callable[[], None], url: UrlState) -> VdomDict:
    actor, connection = use_actor(), use_connection()

    async def end(session: AsyncSession) -> None:
        await administration.end_sessions(session, actor, account_id, client=connection.client)

    ending = use_action(end, success=t("The account was signed out everywhere."), then=reload)
    if not sessions.items:
        return section(t("Sessions"), empty(t("No active sessions."), icon_name="history"))
    return section(
        t("Sessions"),
        html.ul(
            {"className": "fw-list", "aria-label": t("Sessions")},
            *(session_row(each, key=str(each.id)) for each in sessions.items),
        ),
        pages(url, sessions),
        actions=[
            button(t("Sign out all sessions"), size="small", on_click=ending, is_busy=ending.is_running),
            export_button(connection, f"/api/people/{account_id}/sessions/export.csv", sessions.total),
        ],
    )
