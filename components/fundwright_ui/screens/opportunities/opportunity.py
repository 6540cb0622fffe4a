"""`/dashboard/sam/{id}` and `/dashboard/nih/{id}`: all data of one opportunity."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from functools import partial
from urllib.parse import quote
from uuid import UUID

from babel.dates import format_date, format_time
from babel.numbers import format_currency
from reactpy import component, html, use_state
from reactpy.types import Component, VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Permission
from fundwright.categories import service as categories
from fundwright.categories.schemas import Band, CategoryRead, LabelRead, LabelState
from fundwright.core.database import now
from fundwright.core.messages import percent, t
from fundwright.core.paging import PageRequest
from fundwright.language.service import get_embedder
from fundwright.opportunities import service
from fundwright.opportunities.display_names import agency_name, display_title, naics_in_words, type_name
from fundwright.opportunities.schemas import Contact, FieldChange, Kind, OpportunityRead, Similar, in_words
from fundwright.opportunities.washington import WASHINGTON, day_in_washington, is_whole_day
from fundwright_ui.hooks import use_action, use_query, use_url_state
from fundwright_ui.product import parse_id, use_actor, use_connection, use_visit
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.activity import activity_of
from fundwright_ui.screens.categories.undo import Decided, decision_time, labels_of, use_undo_toast
from fundwright_ui.screens.comments import COMMENTS, are_comments_open, comments_button, comments_panel
from fundwright_ui.screens.deadlines import due_chip
from fundwright_ui.screens.listing import export_button
from fundwright_ui.screens.notes.note import NEW, WRITING
from fundwright_ui.screens.notes.of_opportunity import notes_of
from fundwright_ui.screens.notice_address import PATHS
from fundwright_ui.screens.opportunities.fit import fit_of
from fundwright_ui.screens.opportunities.results import award_line, notices_link
from fundwright_ui.screens.opportunities.watching import watch_button, watchers_of
from fundwright_ui.screens.pipeline.opportunity import add_to_pipeline, pursuit_of
from fundwright_ui.screens.presence import people_here
from fundwright_ui.screens.tasks.of_subject import OPENED, tasks_of
from fundwright_ui.screens.tasks.panel import open_task
from fundwright_ui.ui import (
    Fields,
    Option,
    button,
    category_chip,
    chip,
    confidence_chip,
    definition_list,
    disclosure,
    empty,
    form,
    icon_button,
    link_button,
    list_row,
    loading,
    main_column,
    moment,
    page,
    pagination,
    problem,
    row,
    section,
    select_field,
    stack,
    text_link,
)
from fundwright_ui.ui.elements import Child

_SHOWN_CHARACTERS = 400
_SHOWN_BEFORE = 60
_SHOWN_VERSIONS = 10
_BETWEEN_ADDRESSES = re.compile(r"[\s,;<>()]")
_NOT_PHONE_NUMBER = re.compile(r"[^\d\s()+.-]")
_NOT_DIALED = re.compile(r"[^\d+]")


@screen("/dashboard/sam/{id}", "Opportunity", help="/help/opportunities")
def contract_screen() -> Component:
    return opportunity_detail("contract", key="contract")


@screen("/dashboard/nih/{id}", "Opportunity", help="/help/opportunities")
def grant_screen() -> Component:
    return opportunity_detail("grant", key="grant")


@component
def opportunity_detail(kind: Kind) -> VdomDict:
    connection = use_connection()
    actor = use_actor()
    url = use_url_state(scoring=("True",), **{OPENED: ("{id}",), WRITING: (NEW, "{id}")}, **COMMENTS)
    address_id = connection.location.params.get("id", "")

    found = use_query(
        lambda session: service.get_opportunity(session, actor, _id_in(address_id)), key=[address_id], topics=[service.TOPIC]
    )
    visit = use_visit("opportunity", found.value.id if found.value and found.is_current else None)
    back = link_button(t("All opportunities"), connection.href_back(PATHS[kind]), icon_name="arrow_back")
    if found.error:
        return page(t("Opportunity"), problem(found.error, on_retry=found.reload), actions=[back])
    opportunity = found.value
    # The parts with their own queries are on the page from the start, so that all queries run at the same time.
    parts = main_column(
        section(t("At a glance"), _facts(opportunity, connection.language)) if opportunity else None,
        stack(
            *(_texts(opportunity) if opportunity else ()),
            similar_to(address_id, key="similar"),
            versions_of(address_id, key="versions"),
            record_of(opportunity, key="record") if opportunity else None,
        ),
        stack(
            pursuit_of(address_id, opportunity, key="pipeline"),
            fit_of(address_id, key="fit"),
            category_of(address_id, key="category"),
            tasks_of(opportunity.id, key="tasks") if opportunity else None,
            notes_of(opportunity.id, key="notes") if opportunity else None,
            _contacts(opportunity.contacts) if opportunity else None,
            activity_of(opportunity.id, key="activity") if opportunity else None,
        ),
    )
    if opportunity is None:
        return page(
            t("Opportunity"),
            loading(t("Loading opportunity")),
            html.div({"key": "parts", "hidden": True}, parts),
            actions=[back],
        )
    connection.set_title(display_title(opportunity.title))
    draft = link_button(
        t("Draft a proposal"),
        connection.href(f"/generate/index?opportunity={opportunity.id}"),
        variant="contained" if opportunity.is_open else "outlined",
        icon_name="generate",
    )
    return page(
        display_title(opportunity.title),
        _marks(opportunity),
        people_here(visit, key="people") if visit else None,
        watchers_of(opportunity.id, key="watchers"),
        award_line(opportunity),
        notices_link(opportunity),
        html.div({"key": "parts"}, parts),
        comments_panel(service.OPPORTUNITY, opportunity.id, key="comments") if are_comments_open(url) else open_task(OPENED),
        subtitle=" · ".join(filter(None, (opportunity.number, agency_name(opportunity.agency)))),
        actions=[
            back,
            watch_button(opportunity.id, key="watch"),
            comments_button(opportunity.id, key="comments"),
            *((add_to_pipeline(opportunity.id, key="add-to-pipeline"), draft) if actor.may(Permission.WORK) else ()),
        ],
    )


def _id_in(address_id: str) -> UUID:
    return parse_id(address_id, t("The opportunity"))


def _texts(opportunity: OpportunityRead) -> list[VdomDict]:
    description = (
        html.div({"className": "fw-prose fw-prewrap", "dir": "auto"}, opportunity.description)
        if opportunity.description
        else empty(
            t("The imported file has no description for this notice. Open the source to read it."),
            link_button(t("Open the source"), opportunity.url, size="small", new_tab=True) if opportunity.url else None,
            icon_name="blog",
        )
    )
    texts = [section(t("Description"), description, key="description")]
    if opportunity.eligibility:
        eligibility = html.div({"className": "fw-prose fw-prewrap"}, opportunity.eligibility)
        texts.append(section(t("Eligibility"), eligibility, key="eligibility"))
    return texts


@component
def similar_to(address_id: str) -> VdomDict | None:
    """The most similar opportunities by meaning, of either kind; nothing until the notice has been indexed."""
    connection = use_connection()
    actor = use_actor()

    async def read() -> list[Similar]:
        embedder = await get_embedder(connection.core)
        async with connection.core.database.transaction() as session:
            return await service.similar(session, actor, _id_in(address_id), model_id=embedder.id)

    found = use_query(read, key=[address_id], topics=[service.TOPIC], with_session=False)

    title = t("Similar opportunities")
    if found.error:
        return section(title, problem(found.error, on_retry=found.reload))
    if found.value is None:
        return section(title, loading(t("Loading similar opportunities")))
    if not found.value:
        return None
    return section(
        title,
        html.ul(
            {"className": "fw-list", "aria-label": title},
            *(_similar(similar_one, key=str(similar_one.opportunity.id)) for similar_one in found.value),
        ),
    )


def _similar(similar_one: Similar, *, key: str) -> VdomDict:
    connection, opportunity = use_connection(), similar_one.opportunity
    due = (
        t("due {date}", date=format_date(day_in_washington(opportunity.due_at), locale=connection.language))
        if opportunity.due_at
        else ""
    )
    return html.li(
        {"className": "fw-list-item", "key": key},
        html.div(
            {"className": "fw-grow"},
            html.a(
                {"className": "fw-title-link", "href": connection.href(f"{PATHS[opportunity.kind]}/{opportunity.id}")},
                display_title(opportunity.title),
            ),
            html.p(
                {"className": "fw-muted fw-small"},
                " · ".join(filter(None, (agency_name(opportunity.agency), opportunity.number, due))),
            ),
        ),
        chip(t("Closed")) if not opportunity.is_open else None,
        html.span({"className": "fw-muted fw-number"}, t("{percent} similar", percent=percent(similar_one.similarity))),
    )


@component
def category_of(address_id: str) -> VdomDict:
    """The categories of the opportunity: accept or reject suggestions, or choose the right one."""
    actor, core = use_actor(), use_connection().core

    async def read(session: AsyncSession) -> tuple[list[LabelRead], list[CategoryRead]]:
        opportunity_id = _id_in(address_id)
        labels = await categories.labels_of(session, actor, [opportunity_id])
        return labels.get(opportunity_id, []), await categories.list_categories(session, actor)

    found = use_query(read, key=[address_id], topics=[categories.categories_topic(actor.workspace_id)])

    async def choose(session: AsyncSession, fields: Fields) -> Decided:
        chosen, opportunity_id = str(fields.get("category", "")), _id_in(address_id)
        before = await labels_of(session, actor, opportunity_id)
        if chosen:
            accepted = await categories.accept(session, actor, core, opportunity_id, parse_id(chosen, t("The category")))
            return Decided(before, accepted.decided_at)
        return Decided(before, decision_time(await categories.correct(session, actor, core, opportunity_id, None)))

    saved = t("The category was saved. The classifier will learn from it.")
    choosing = use_action(choose, then=use_undo_toast(saved, partial(_id_in, address_id)))

    if found.error:
        return section(t("Category"), problem(found.error, on_retry=found.reload))
    if found.value is None:
        return section(t("Category"), loading(t("Loading category")))
    labels, own_categories = found.value
    shown = [label for label in labels if label.state != LabelState.REJECTED and label.band != Band.UNSURE]
    explanation = html.p(
        {"className": "fw-muted"},
        t("You chose “None of these” for this notice.")
        if not shown and _is_rejected(labels)
        else t("Not in any of your categories."),
    )
    listed = html.ul(
        {"className": "fw-list", "aria-label": t("Categories")},
        *(_label(address_id, label, key=label.category_id) for label in shown),
    )
    if not actor.may(Permission.LABEL):
        return section(t("Category"), listed if shown else explanation)
    if not own_categories:
        create = link_button(t("New category"), use_connection().href("/dashboard/category"), size="small")
        return section(
            t("Category"), empty(t("You have no categories yet. Create one under Category."), create, icon_name="category")
        )
    return section(
        t("Category"),
        listed if shown else explanation,
        form(
            select_field(
                "category",
                t("Add a category"),
                [*(Option(str(category.id), category.name) for category in own_categories), Option("", t("None of these"))],
            ),
            row(button(t("Save category"), type="submit", is_busy=choosing.is_running)),
            on_submit=choosing,
            label=t("Change category"),
        ),
    )


def _is_rejected(labels: list[LabelRead]) -> bool:
    return {label.state for label in labels if label.band != Band.UNSURE} == {LabelState.REJECTED}


@component
def _label(address_id: str, label: LabelRead) -> VdomDict:
    actor, core = use_actor(), use_connection().core

    async def accept(session: AsyncSession) -> Decided:
        before = await labels_of(session, actor, _id_in(address_id))
        accepted = await categories.accept(session, actor, core, _id_in(address_id), label.category_id)
        return Decided(before, accepted.decided_at)

    async def reject(session: AsyncSession) -> Decided:
        before = await labels_of(session, actor, _id_in(address_id))
        rejected = await categories.reject(session, actor, core, _id_in(address_id), label.category_id)
        return Decided(before, rejected.decided_at)

    removed = t("The category was removed. The classifier will learn from it.")
    accepting = use_action(accept, then=use_undo_toast(t("The category was accepted."), partial(_id_in, address_id)))
    rejecting = use_action(reject, then=use_undo_toast(removed, partial(_id_in, address_id)))
    is_accepted = label.state == LabelState.ACCEPTED
    return list_row(
        row(
            category_chip(label.category_name, label.color),
            html.span(t("decided by you")) if is_accepted else confidence_chip(label.band, label.confidence),
        ),
        row(
            None
            if is_accepted
            else button(
                t("Accept"),
                size="small",
                variant="soft",
                icon_name="check",
                name="accept",
                aria_label=t("Accept {category}", category=label.category_name),
                on_click=accepting,
                is_busy=accepting.is_running,
            ),
            icon_button(
                t("Remove {category}", category=label.category_name), "close", small=True, name="reject", on_click=rejecting
            ),
        )
        if actor.may(Permission.LABEL)
        else None,
    )


def _marks(opportunity: OpportunityRead) -> VdomDict:
    return html.div(
        {"className": "fw-chips"},
        _state(opportunity),
        due_chip(day_in_washington(opportunity.due_at), day_in_washington(now()))
        if opportunity.is_open and opportunity.due_at
        else None,
        chip(type_name(opportunity.type)) if opportunity.type else None,
        chip(t("Sample")) if opportunity.is_sample else None,
        chip(f"PSC {opportunity.psc}") if opportunity.psc else None,
        *(chip(code, key=code) for code in opportunity.activity_codes),
    )


def _state(opportunity: OpportunityRead) -> VdomDict:
    if opportunity.is_open:
        return chip(t("Open"), color="success")
    return chip(t("Awarded"), color="info") if opportunity.is_award else chip(t("Closed"), color="warning")


def _facts(opportunity: OpportunityRead, language: str) -> VdomDict:
    due: Child = deadline(opportunity.due_at, language) if opportunity.due_at else None
    if opportunity.due_note:
        due = f"{due} ({opportunity.due_note})" if due else opportunity.due_note
    set_aside = " · ".join(filter(None, (opportunity.set_aside_code, opportunity.set_aside)))
    entries: list[tuple[str, Child]] = [
        (t("Due"), due),
        (t("Awarded"), _dollars(opportunity.award_amount, language)),
        (t("Award ceiling"), _dollars(opportunity.award_ceiling, language)),
        (t("Award floor"), _dollars(opportunity.award_floor, language)),
        (t("Total funding"), _dollars(opportunity.total_funding, language)),
        (t("Expected awards"), str(opportunity.expected_awards) if opportunity.expected_awards else None),
        (t("Set-aside"), set_aside),
        ("NAICS", naics_in_words(opportunity.naics)),
        (t("Place of performance"), opportunity.place),
        (t("Activity code"), ", ".join(opportunity.activity_codes)),
        (t("Assistance listing"), ", ".join(opportunity.assistance_listings)),
        (t("Posted"), format_date(day_in_washington(opportunity.posted_at), format="long", locale=language)),
        (t("Archive date"), deadline(opportunity.archive_at, language) if opportunity.archive_at else None),
        (t("Number"), opportunity.number),
        (t("Agency"), agency_name(opportunity.agency)),
        (
            t("Sub-agency") if opportunity.kind == "contract" else t("Institute or sub-agency"),
            agency_name(opportunity.sub_agency) if opportunity.sub_agency != opportunity.agency else "",
        ),
        (t("Office"), opportunity.office),
        (t("First imported"), moment(opportunity.first_seen_at, shown="date")),
        (t("Last imported"), moment(opportunity.last_seen_at, shown="date")),
        (t("Source"), text_link(opportunity.url, opportunity.url, new_tab=True) if opportunity.url else None),
    ]
    return definition_list(entries)


def _contacts(contacts: Sequence[Contact]) -> VdomDict | None:
    if not contacts:
        return None
    return section(
        t("Contacts"),
        html.ul(
            {"className": "fw-list"},
            *(
                html.li(
                    {"className": "fw-list-item", "key": str(index)},
                    stack(
                        html.span({"className": "fw-strong"}, contact.name or contact.email or contact.phone),
                        html.span({"className": "fw-muted"}, contact.title) if contact.title else None,
                        *(
                            text_link(address, f"mailto:{quote(address, safe='@+')}", key=address)
                            for address in dict.fromkeys(_BETWEEN_ADDRESSES.split(f"{contact.email} {contact.phone}"))
                            if "@" in address
                        ),
                        phone_link(contact.phone) if contact.phone and "@" not in contact.phone else None,
                        html.span(t("Fax {number}", number=contact.fax)) if contact.fax else None,
                        tight=True,
                    ),
                )
                for index, contact in enumerate(contacts)
            ),
        ),
    )


def phone_link(phone: str) -> VdomDict:
    """The phone number as a link, or what the source has in its place, such as "Email only"."""
    number, *_extension = _NOT_PHONE_NUMBER.split(phone)
    dialed = _NOT_DIALED.sub("", number)
    is_number = 7 <= len(dialed) <= 16 and dialed.strip("+0")
    return text_link(phone, f"tel:{dialed}") if is_number else html.span(phone)


@component
def versions_of(address_id: str) -> VdomDict | None:
    """The changes of each version, one page at a time; nothing if there is only one version."""
    actor = use_actor()
    number, set_number = use_state(1)
    request = PageRequest(page=number, page_size=_SHOWN_VERSIONS)
    found = use_query(
        lambda session: service.list_versions(session, actor, _id_in(address_id), request),
        key=[address_id, number],
        topics=[service.TOPIC],
    )
    if found.error:
        return section(t("Versions"), problem(found.error, on_retry=found.reload))
    if found.value is None:
        return section(t("Versions"), loading(t("Loading the versions")))
    versions = found.value.items
    if found.value.total == 1:
        return None
    return section(
        t("Versions"),
        *(
            html.details(
                {"className": "fw-card", "key": str(version.number), "open": True if version is versions[0] else None},
                html.summary(
                    {"className": "fw-strong"},
                    t("Version {number}", number=version.number),
                    " · ",
                    moment(version.seen_at, shown="date"),
                ),
                html.div(
                    {"className": "fw-table-scroll"},
                    html.table(
                        {"className": "fw-table", "aria-label": t("Changes in version {number}", number=version.number)},
                        html.thead(
                            html.tr(
                                *(html.th({"scope": "col", "key": name}, name) for name in (t("Field"), t("Before"), t("After")))
                            )
                        ),
                        html.tbody(
                            *(
                                html.tr(
                                    {"key": change.field},
                                    html.th({"scope": "row"}, change.field),
                                    *(html.td({"key": str(side)}, text) for side, text in enumerate(_where_it_differs(change))),
                                )
                                for change in version.changes
                            )
                        ),
                    ),
                )
                if version.changes
                else html.p({"className": "fw-muted"}, t("First version")),
            )
            for version in versions
        ),
        pagination(number, -(-found.value.total // _SHOWN_VERSIONS), on_page=set_number),
        actions=[export_button(use_connection(), f"/api/opportunities/{address_id}/versions/export.csv", found.value.total)],
    )


@component
def record_of(opportunity: OpportunityRead) -> VdomDict:
    """The source's own fields, for people who need one that is not shown above. Sent only when opened, because they are often
    larger than everything else."""
    is_open, set_open = use_state(False)

    def entry(name: str) -> tuple[str, VdomDict]:
        return name, html.div({"className": "fw-prewrap", "dir": "auto"}, in_words(opportunity.raw[name]))

    entries = [entry(name) for name in sorted(opportunity.raw)] if is_open else []
    return disclosure(
        t("All fields as published"), definition_list(entries), is_open=is_open, on_toggle=lambda: set_open(not is_open)
    )


def deadline(moment: datetime, language: str) -> str:
    """The date, with the time in Washington if the source gives one."""
    local = moment.astimezone(WASHINGTON)
    if is_whole_day(moment) or (local.hour, local.minute) == (0, 0):
        return format_date(local, format="long", locale=language)
    return f"{format_date(local, format='long', locale=language)}, {format_time(local, 'short', locale=language)} ET"


def _dollars(amount: Decimal | None, language: str) -> str | None:
    return format_currency(amount, "USD", locale=language) if amount else None


def _where_it_differs(change: FieldChange) -> tuple[str, str]:
    """Both texts, starting shortly before their first difference."""
    shortest, longest = sorted((len(change.before), len(change.after)))
    both = zip(change.before, change.after, strict=False)
    same = next((index for index, (one, other) in enumerate(both) if one != other), shortest)
    start = max(0, same - _SHOWN_BEFORE) if longest > _SHOWN_CHARACTERS else 0

    def cut(text: str) -> str:
        shown = text[start : start + _SHOWN_CHARACTERS]
        return f"{'…' if start else ''}{shown}{'…' if start + len(shown) < len(text) else ''}"

    return cut(change.before), cut(change.after)
