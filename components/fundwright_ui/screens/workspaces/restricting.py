"""Who can see a document or a draft: the dialog, what stands for it in lists, and the list of restricted items for owners."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from uuid import UUID

from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.choices import unknown_values
from fundwright.core.messages import nt, t
from fundwright.core.paging import Page, iterate_all
from fundwright.workspaces import restrictions
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import (
    Access,
    ChosenMember,
    MemberQuery,
    MemberRead,
    RestrictedItemQuery,
    RestrictedItemRead,
    RestrictionForm,
    RestrictionRead,
)
from fundwright_ui.hooks import query_in_address, use_action, use_query, use_url_state
from fundwright_ui.product import parse_id, use_actor, use_connection
from fundwright_ui.runtime.events import Payload, handler
from fundwright_ui.screens.listing import Listing, existing_page, listed_table, narrow, open_beside, use_listing
from fundwright_ui.ui import (
    Fields,
    Option,
    button,
    definition_list,
    empty,
    icon,
    loading,
    moment,
    problem,
    row,
    select_field,
    side_panel,
    stack,
)
from fundwright_ui.widgets import Column, FormDialog, Row, danger_dialog, form_dialog

_EVERYONE, _CHOSEN = "everyone", "chosen"
_ACCESS = "access-"
"""What the names of the fields for members begin with."""


def restricted_mark() -> VdomDict:
    """A lock, for items in lists that only chosen members see."""
    return html.span(
        {"className": "fw-muted", "title": t("Restricted to chosen members")},
        icon("lock", small=True),
        html.span({"className": "fw-visually-hidden"}, t("Restricted")),
    )


def restriction_filter(*, id: str) -> VdomDict:
    """The filter `is_restricted` of a list."""
    url = use_url_state()
    return select_field(
        "is_restricted",
        t("Visible to"),
        [Option("", t("All")), Option("true", t("Restricted")), Option("false", t("Not restricted"))],
        value=url.get("is_restricted"),
        on_change=narrow(url, "is_restricted"),
        id=id,
    )


@component
def who_can_see(kind: str, subject_id: UUID, *, may_change: bool, is_open: bool, close: Callable[[], None]) -> VdomDict:
    """The dialog in which people see and choose who sees an item."""
    actor, connection = use_actor(), use_connection()
    chosen, set_chosen = use_state("")

    async def read(session: AsyncSession) -> tuple[RestrictionRead, list[MemberRead]] | None:
        if not is_open:
            return None
        found = await restrictions.get_restriction(session, actor, connection.core, kind, subject_id)
        members = iterate_all(partial(workspaces.list_members, session, actor), MemberQuery())
        return found, [member async for member in members]

    found = use_query(read, key=[subject_id, is_open])

    async def save(session: AsyncSession, fields: Fields) -> None:
        if fields.get("who") == _CHOSEN:
            form = RestrictionForm(members=_members(fields))
            await restrictions.restrict(session, actor, connection.core, kind, subject_id, form, client=connection.client)
        else:
            await restrictions.lift(session, actor, connection.core, kind, subject_id, client=connection.client)

    def finish() -> None:
        set_chosen("")
        close()

    saving = use_action(save, success=t("The visibility was changed."), then=finish)
    title = t("Who can see this")
    if found.value is None or not found.is_current or not is_open:
        waiting = problem(found.error, on_retry=found.reload) if found.error else loading(t("Loading members"))
        return FormDialog(is_open=is_open, title=title, children=[waiting] if is_open else (), on_close=finish)
    restriction, members = found.value
    if not may_change:
        return FormDialog(is_open=True, title=title, children=[_seen_by(restriction, finish)], on_close=finish)
    who = chosen or (_CHOSEN if restriction.is_restricted else _EVERYONE)
    access = {member.account_id: member.access for member in restriction.members}
    always = {actor.id, restriction.made_by}
    return form_dialog(
        title,
        html.fieldset(
            {"className": "fw-stack fw-stack-tight"},
            html.legend({"className": "fw-visually-hidden"}, title),
            *(
                _choice(value, label, help, is_chosen=value == who, choose=set_chosen)
                for value, label, help in (
                    (_EVERYONE, t("Everyone in the workspace"), t("What they can do depends on their role.")),
                    (
                        _CHOSEN,
                        t("Only chosen members"),
                        t(
                            "All others find it nowhere: not in lists, answers, or new drafts. You can always edit it, and so can the person who made it."
                        ),
                    ),
                )
            ),
        ),
        html.div(
            {"className": "fw-stack fw-stack-tight", "role": "group", "aria-label": t("Members")},
            *(_member(member, access) for member in members if member.id not in always),
        )
        if who == _CHOSEN and any(member.id not in always for member in members)
        else None,
        is_open=True,
        on_submit=saving,
        on_close=finish,
    )


def _choice(value: str, label: str, help: str, *, is_chosen: bool, choose: Callable[[str], object]) -> VdomDict:
    def chosen(payload: Payload) -> None:
        choose(str(payload.get("value")))

    return html.label(
        {"className": "fw-card fw-card-choice", "key": value},
        row(
            html.input(
                {
                    "type": "radio",
                    "name": "who",
                    "value": value,
                    "checked": is_chosen,
                    "autoFocus": True if is_chosen else None,
                    "onChange": handler(chosen),
                }
            ),
            html.span({"className": "fw-card-title"}, label),
        ),
        html.span({"className": "fw-muted fw-small"}, help),
    )


def _member(member: MemberRead, access: Mapping[UUID, Access]) -> VdomDict:
    return select_field(
        f"{_ACCESS}{member.id}",
        f"{member.name} ({member.email})",
        [Option("", t("Cannot see it")), *(Option(each, each.label) for each in Access)],
        default=access.get(member.id, ""),
        small=True,
        id=f"{_ACCESS}{member.id}",
        key=str(member.id),
    )


def _members(fields: Fields) -> tuple[ChosenMember, ...]:
    """Raises NotFound for an id that is none."""
    return tuple(
        ChosenMember(account_id=parse_id(name.removeprefix(_ACCESS), t("The member")), access=Access(value))
        for name, value in fields.items()
        if name.startswith(_ACCESS) and value in list(Access)
    )


def _seen_by(restriction: RestrictionRead, close: Callable[[], None]) -> VdomDict:
    """For those who may not change it."""
    return stack(
        definition_list({member.name: member.access.label for member in restriction.members})
        if restriction.is_restricted
        else html.p(t("Everyone in the workspace")),
        row(button(t("Close"), on_click=close)),
    )


@component
def restricted_tab() -> VdomDict:
    """The restricted items of the workspace, for its owners, who need not see them."""
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    url.open(open=("{id}",))
    query = query_in_address(RestrictedItemQuery, url)
    kinds = {kind.name: str(kind.label) for kind in restrictions.list_kinds(connection.core)}
    url.report(["kind"], unknown_values(query, kind=kinds))

    async def read(session: AsyncSession) -> Page[RestrictedItemRead]:
        return await existing_page(partial(restrictions.list_restricted, session, actor), query)

    listing = use_listing(
        read,
        query,
        lambda listed: listed,
        id=lambda item: item.subject_id,
        key=[actor.workspace_id],
        topics=[workspaces.workspace_topic(actor.workspace_id)],
    )
    listed = listing.answer
    if listed is None:
        return listing.pending(t("Loading restricted items"))
    if not listed.total and not listing.rows.shown and not query.kind:
        return empty(
            t("Nothing is restricted. Everyone in the workspace sees all documents, collections, drafts, and saved searches."),
            icon_name="lock",
        )
    opened = listing.opened(url)
    return html.fragment(
        *listed_table(
            listing,
            listed,
            label=t("Restricted"),
            count=nt("{n} restricted item", "{n} restricted items", listed.total),
            columns=[
                Column(field="kind", label=t("Kind"), is_sortable=True, min_width=110),
                Column(field="restricted_by", label=t("Restricted by"), flex=2, min_width=150),
                Column(field="restricted_at", label=t("Restricted on"), kind="date", is_sortable=True, min_width=130),
                Column(field="members", label=t("Members"), flex=3, min_width=180, is_compact=False),
            ],
            row_of=lambda each: Row(
                id=each.id,
                cells={
                    "kind": kinds.get(each.item.kind, each.item.kind),
                    "restricted_by": each.item.restricted_by or t("Deleted account"),
                    "restricted_at": each.item.restricted_at,
                    "members": each.outcome or _names(each.item),
                },
            ),
            export="/api/workspace/restrictions/export.csv",
            narrow=html.div(
                {"className": "fw-filters"},
                select_field(
                    "kind",
                    t("Kind"),
                    [Option("", t("All")), *(Option(name, label) for name, label in kinds.items())],
                    value=query.kind,
                    on_change=narrow(url, "kind"),
                    id="restricted-kind",
                ),
            ),
            nothing=t("Nothing of this kind is restricted."),
            on_open=open_beside(url),
        ),
        _item(opened, kinds, listing, key=f"restricted-{opened.subject_id}") if opened else None,
    )


def _names(item: RestrictedItemRead) -> str:
    return ", ".join(item.members) or t("Nobody: all chosen members have left")


@component
def _item(
    item: RestrictedItemRead, kinds: Mapping[str, str], listing: Listing[Page[RestrictedItemRead], RestrictedItemRead]
) -> VdomDict:
    """Details of the selected item, without its title."""
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    is_asking, set_asking = use_state(False)

    async def lift(session: AsyncSession) -> None:
        await restrictions.lift_as_owner(session, actor, connection.core, item.subject_id, client=connection.client)

    def close() -> None:
        url.set(open=None)

    def lifted() -> None:
        listing.rows.settle(item, t("Visible to everyone"))
        close()

    lifting = use_action(lift, success=t("Everyone in the workspace sees it now."), then=lifted)
    return side_panel(
        kinds.get(item.kind, item.kind),
        definition_list(
            {
                t("Restricted by"): item.restricted_by or t("Deleted account"),
                t("Restricted on"): moment(item.restricted_at),
                t("Members"): _names(item),
            }
        ),
        row(button(t("Make visible to everyone"), danger=True, on_click=lambda: set_asking(True))),
        danger_dialog(
            t("Make this visible to everyone?"),
            t(
                "All members of the workspace will see it, and the audit trail shows that you did this. Its chosen members can restrict it again."
            ),
            confirm_label=t("Make visible to everyone"),
            error=lifting.error,
            on_confirm=lifting,
            on_cancel=lambda: set_asking(False),
        )
        if is_asking
        else None,
        close=t("Close"),
        on_close=close,
        key=f"restricted-{item.subject_id}",
    )
