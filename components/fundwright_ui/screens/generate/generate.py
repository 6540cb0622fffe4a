"""`/generate/index`: choose an opportunity and a template, start a draft, and find earlier drafts."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from textwrap import shorten
from uuid import UUID

from babel.dates import format_date
from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Permission
from fundwright.core import jobs
from fundwright.core.errors import FundwrightError, Invalid, NotFound
from fundwright.core.messages import nt, t
from fundwright.core.paging import Page
from fundwright.generation import service as generation
from fundwright.generation.schemas import (
    MAX_COMPANY_CHARACTERS,
    DraftQuery,
    DraftRow,
    DraftState,
    SuggestedCompany,
)
from fundwright.language import service as language
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.display_names import agency_name, display_title
from fundwright.opportunities.schemas import OpportunityQuery, OpportunityRead, OpportunityRow
from fundwright.opportunities.washington import day_in_washington
from fundwright.templates import service as templates
from fundwright.templates.schemas import TemplateRow
from fundwright.training import searching
from fundwright.workspaces import restrictions
from fundwright_ui.hooks import Query, Row, Rows, UrlState, query_in_address, use_action, use_query, use_url_state
from fundwright_ui.product import parse_id, use_actor, use_connection
from fundwright_ui.runtime.events import Payload, handler
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.generate.left_texts import left_texts
from fundwright_ui.screens.generate.sources import Choice, Searched, Sources, source_choice, use_searched, use_sources
from fundwright_ui.screens.listing import existing_page, export_button, list_bar, narrow, no_match, pages, use_listing
from fundwright_ui.screens.notice_address import IMPORT
from fundwright_ui.screens.restoring import moved_message, trash_link, undo_of
from fundwright_ui.screens.templates.templates_list import PATH as TEMPLATES
from fundwright_ui.screens.view_only import view_only_notice
from fundwright_ui.screens.workspaces.restricting import restricted_mark, restriction_filter
from fundwright_ui.ui import (
    Color,
    Option,
    alert,
    button,
    card,
    chip,
    empty,
    facts,
    grid,
    icon_button,
    link_button,
    list_row,
    loading,
    moment,
    page,
    problem,
    row,
    row_actions,
    section,
    select_field,
    text_field,
    text_link,
)

_PAGE_SIZE = 10
_FOUND_AT_ONCE = 8
_OWN_AT_ONCE = 9
"""Own templates that are offered; the list has them all."""

_STATE_COLORS: dict[DraftState, Color] = {
    DraftState.QUEUED: "secondary",
    DraftState.WRITING: "info",
    DraftState.FINISHED: "success",
    DraftState.CANCELED: "warning",
    DraftState.FAILED: "error",
}


def state_chip(state: DraftState) -> VdomDict:
    """The progress of a draft."""
    return chip(state.label, color=_STATE_COLORS[state])


@screen("/generate/index", "Generate", area="generate", help="/help/drafting")
def generate_screen() -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    core = connection.core
    listed = use_query(
        lambda session: templates.list_all(session, actor, core),
        key=[actor.workspace_id],
        topics=[templates.templates_topic(actor.workspace_id)],
    )
    url.open(opportunity=("{id}",), company=("{text}",), template=[item.name for item in listed.value or ()])
    template = next((item for item in listed.value or () if item.name == url.get("template")), None)
    opportunity_id = url.get("opportunity")

    async def read_chosen(session: AsyncSession) -> OpportunityRead | None:
        with suppress(NotFound):
            return await opportunities.get_opportunity(session, actor, parse_id(opportunity_id, t("The opportunity")))
        return None

    chosen = use_query(read_chosen, key=[opportunity_id])
    opportunity = chosen.value if opportunity_id and chosen.is_current else None

    sources, searched = use_sources(), use_searched()
    wanted, set_wanted = use_state("")
    read_company = use_query(lambda: generation.suggest_company(connection.core, actor), key=[actor.id], with_session=False)
    suggested = read_company.value or SuggestedCompany()
    typed, set_typed = use_state(url.get("company") or None)
    company = suggested.name if typed is None else typed

    def name_company(value: str) -> None:
        set_typed(value)
        url.set(company=value)

    async def start(session: AsyncSession) -> str:
        if opportunity is None or template is None:
            raise Invalid(t("Choose an opportunity and a template first."))
        draft = await generation.start_draft(
            session,
            actor,
            core,
            opportunity_id=opportunity.id,
            template=template.name,
            document_ids=sources.value.document_ids(await searching.list_searched(session, actor)),
            company=company[:MAX_COMPANY_CHARACTERS],
        )
        return draft.slug

    starting = use_action(start, then=lambda slug: connection.navigate(f"/generate/slug/{slug}"))

    missing = ""
    if opportunity is None or template is None:
        missing = (
            t("Choose a template first.")
            if opportunity
            else t("Choose an opportunity first.")
            if template
            else t("Choose an opportunity and a template first.")
        )
    if not actor.may(Permission.WORK):
        notice = view_only_notice()
        return page(t("Generate"), left_texts(key="left"), notice, _drafts(key="drafts"))
    return page(
        t("Generate"),
        left_texts(key="left"),
        _writer_in_use(key="writer"),
        section(
            t("1. Opportunity"),
            problem(chosen.failure, on_retry=chosen.reload)
            if chosen.failure and opportunity is None
            else _chosen_opportunity(url, opportunity)
            if opportunity
            else _opportunity_search(opportunity_id != "" and not chosen.is_loading, key="search"),
        ),
        section(t("2. Template"), _template_choice(url, listed, template), actions=_template_actions(template)),
        section(
            t("3. Sources"),
            text_field(
                "company",
                t("Company or organization name"),
                value=company,
                on_change=name_company,
                maxlength=MAX_COMPANY_CHARACTERS,
                help=t("The draft is written on its behalf."),
                id="draft-company",
            ),
            source_choice(searched, sources, wanted, set_wanted),
            _kept_choice(suggested if typed is None else SuggestedCompany(), searched.value or [], sources, name_company),
        )
        if opportunity and template
        else None,
        row(
            button(
                t("Generate"),
                variant="contained",
                icon_name="generate",
                on_click=starting,
                is_busy=starting.is_running,
                disabled=bool(missing),
            ),
            html.p({"className": "fw-muted", "role": "status"}, missing) if missing else None,
        ),
        _drafts(key="drafts"),
        subtitle=t("Drafts are written from your own documents and cite them."),
    )


def _kept_choice(
    suggested: SuggestedCompany, searched: Searched, sources: Choice, name_company: Callable[[str], None]
) -> VdomDict | None:
    """What the draft would take over from the last one, or from an earlier visit, with a button that resets it. A company that was
    typed here is never reset."""
    chosen, total = sources.value.count(searched)
    is_partial = 0 < chosen < total
    if not is_partial and not suggested.is_doubtful:
        return None

    async def reset() -> None:
        if suggested.is_doubtful:
            name_company(suggested.of_documents)
        await sources.set(Sources())

    sentences = [
        t("Company from your last draft: {company}.", company=suggested.of_last_draft) if suggested.is_doubtful else "",
        t("Chosen documents: {chosen} of {total}.", chosen=chosen, total=total) if is_partial else "",
    ]
    if not suggested.is_doubtful:
        label = t("Choose all documents")
    elif is_partial:
        label = t("Use {company} and all documents", company=suggested.of_documents)
    else:
        label = t("Use {company}", company=suggested.of_documents)
    return alert(" ".join(filter(None, sentences)), button(label, size="small", on_click=reset), variant="info")


@component
def _writer_in_use() -> VdomDict:
    connection = use_connection()
    try:
        models = language.describe(connection.core)
    except FundwrightError as error:
        return alert(error.sentence)
    return row(
        html.span({"className": "fw-muted"}, t("Writer: {writer}", writer=models.writer_label)),
        text_link(
            t("Connect another language model") if models.is_generative else t("Connect a language model"),
            connection.href("/help/language-model"),
        ),
    )


def _chosen_opportunity(url: UrlState, opportunity: OpportunityRead) -> VdomDict:
    return card(
        html.p({"className": "fw-clamp"}, shorten(opportunity.description, 400, placeholder="…"))
        if opportunity.description
        else None,
        title=display_title(opportunity.title),
        subtitle=_opportunity_details(opportunity),
        actions=[button(t("Choose another"), size="small", on_click=lambda: url.set(opportunity=None))],
    )


@component
def _opportunity_search(is_gone: bool) -> VdomDict:
    connection, actor, url = use_connection(), use_actor(), use_url_state()
    text, set_text = use_state("")

    async def search() -> list[OpportunityRow]:
        query = OpportunityQuery(text=text[:500], page_size=_FOUND_AT_ONCE, verbatim=True)
        if not text.strip():
            async with connection.reading() as session:
                next_due = await opportunities.next_deadlines(session, actor, limit=_FOUND_AT_ONCE)
            if next_due.items:
                return next_due.items
            query = query.model_copy(update={"availability": "open"})
        return (await opportunities.search(connection.core, actor, query)).items

    found = use_query(search, key=[text], with_session=False)

    return html.div(
        {"className": "fw-stack"},
        alert(t("The opportunity in this link no longer exists. Choose another one."), variant="warning") if is_gone else None,
        text_field(
            "search",
            t("Search opportunities"),
            type="search",
            value=text,
            on_change=set_text,
            placeholder=t("Title, number, or keywords"),
            id="opportunity-search",
        ),
        _found_opportunities(url, found.value, found.error, has_text=bool(text.strip())),
    )


def _found_opportunities(url: UrlState, found: list[OpportunityRow] | None, error: str | None, *, has_text: bool) -> VdomDict:
    if error:
        return problem(error)
    if found is None:
        return loading(t("Searching"))
    if not found:
        if has_text:
            return empty(t("No results. Try other words."), icon_name="search")
        return empty(
            t("There are no open opportunities. Search to find closed ones, or import a file on the Opportunities page."),
            link_button(t("Import opportunities"), use_connection().href(IMPORT), size="small"),
            icon_name="opportunities",
        )
    return html.ul(
        {"className": "fw-list", "aria-label": t("Opportunities found")},
        *(
            html.li(
                {"className": "fw-list-item", "key": str(opportunity.id)},
                html.div(
                    {"className": "fw-grow"},
                    html.span({"className": "fw-strong"}, display_title(opportunity.title)),
                    html.p({"className": "fw-muted fw-small"}, _opportunity_details(opportunity)),
                ),
                button(
                    t("Choose"),
                    size="small",
                    variant="soft",
                    aria_label=t("Choose {title}", title=display_title(opportunity.title)),
                    on_click=_choose(url, opportunity.id),
                ),
            )
            for opportunity in found
        ),
    )


def _choose(url: UrlState, opportunity_id: UUID) -> Callable[[], None]:
    return lambda: url.set(opportunity=opportunity_id)


def _opportunity_details(opportunity: OpportunityRow) -> str:
    due = (
        t("due {date}", date=format_date(day_in_washington(opportunity.due_at), locale=use_connection().language))
        if opportunity.due_at
        else ""
    )
    closed = "" if opportunity.is_open else t("Closed")
    return " · ".join(filter(None, (opportunity.number, agency_name(opportunity.agency), due, closed)))


def _template_actions(template: TemplateRow | None) -> list[VdomDict | None]:
    connection = use_connection()

    def link(label: str, path: str, icon_name: str | None = None) -> VdomDict:
        return link_button(label, connection.href(path), variant="text", size="small", icon_name=icon_name)

    return [
        link(t("Edit template"), templates.path_of(template), "edit") if template and template.is_own else None,
        link(t("New template"), f"{TEMPLATES}?open=new", "add"),
        link(t("All templates"), TEMPLATES),
    ]


def _template_choice(url: UrlState, listed: Query[list[TemplateRow]], chosen: TemplateRow | None) -> VdomDict:
    if listed.error:
        return problem(listed.error, on_retry=listed.reload)
    if listed.value is None:
        return loading(t("Loading templates"))
    own = [each for each in listed.value if each.is_own]
    left_out = {each.name for each in own[_OWN_AT_ONCE:]} - {chosen.name if chosen else ""}
    shown = [each for each in listed.value if each.name not in left_out]

    def choose(payload: Payload) -> None:
        url.set(template=payload.get("value"))

    return html.fieldset(
        html.legend({"className": "fw-visually-hidden"}, t("Template")),
        grid(
            *(
                html.label(
                    {"className": "fw-card fw-card-choice", "key": template.name},
                    row(
                        html.input(
                            {
                                "type": "radio",
                                "name": "template",
                                "value": template.name,
                                "checked": template is chosen,
                                "onChange": handler(choose),
                            }
                        ),
                        html.span({"className": "fw-card-title"}, template.shown_title),
                    ),
                    html.span({"className": "fw-muted"}, template.shown_description) if template.description else None,
                    html.span(
                        {"className": "fw-small fw-muted"},
                        " · ".join(template.shown_headings),
                    ),
                )
                for template in shown
            )
        ),
    )


@component
def _drafts() -> VdomDict:
    actor, url = use_actor(), use_url_state()
    asked = query_in_address(DraftQuery, url)
    restricted = asked.is_restricted if actor.is_in_shared_workspace else None
    query = asked.model_copy(update={"page_size": _PAGE_SIZE, "sort": asked.sort or "-created_at", "is_restricted": restricted})

    async def read(session: AsyncSession) -> tuple[Page[DraftRow], frozenset[str]]:
        hidden = frozenset(map(str, await restrictions.hidden_ids(session, actor)))
        return await existing_page(partial(generation.list_drafts, session, actor), query), hidden

    topics = [generation.drafts_topic(actor.workspace_id), jobs.jobs_topic(actor.workspace_id)]
    listing = use_listing(read, query, lambda answer: answer[0], id=lambda draft: draft.id, topics=topics)
    answer, rows = listing.answer, listing.rows

    if answer is None:
        return section(t("Drafts"), listing.pending(t("Loading drafts")))
    drafts, hidden = answer
    rows.omit(hidden)
    if not drafts.total and not rows.shown and query.state is None and restricted is None:
        return section(
            t("Drafts"),
            empty(t("No drafts yet. Choose an opportunity and a template above to generate one."), icon_name="generate"),
            actions=[trash_link(generation.DRAFT)],
        )
    return section(
        t("Drafts"),
        list_bar(
            html.div(
                {"className": "fw-filters"},
                select_field(
                    "state",
                    t("Status"),
                    [
                        Option("", t("All")),
                        *(
                            Option(state, state.label)
                            for state in (DraftState.FINISHED, DraftState.WRITING, DraftState.CANCELED, DraftState.FAILED)
                        ),
                    ],
                    value=query.state or "",
                    on_change=narrow(url, "state"),
                    id="drafts-state",
                ),
                restriction_filter(id="drafts-restricted") if actor.is_in_shared_workspace else None,
                select_field(
                    "sort",
                    t("Order"),
                    [
                        Option("-created_at", t("Newest first")),
                        Option("created_at", t("Oldest first")),
                        Option("title", t("Title")),
                    ],
                    value=query.sort,
                    on_change=narrow(url, "sort"),
                    id="drafts-sort",
                ),
            ),
            listing.counted(nt("{n} draft", "{n} drafts", drafts.total)),
            export_button(use_connection(), "/api/drafts/export.csv", len(rows.shown), query),
        ),
        html.ul(
            {"className": "fw-list", "aria-label": t("Drafts")},
            *(_draft_item(each, rows, key=each.id) for each in rows.shown),
        )
        if rows.shown
        else no_match(
            url,
            query,
            t("No drafts match. Change the filters.") if restricted is not None else t("No drafts with this status."),
        ),
        listing.more(),
        pages(url, drafts),
        actions=[trash_link(generation.DRAFT)],
    )


@component
def _draft_item(shown: Row[DraftRow], rows: Rows[DraftRow]) -> VdomDict:
    draft = shown.item
    actor, connection = use_actor(), use_connection()

    async def remove(session: AsyncSession) -> None:
        await generation.delete_draft(session, actor, draft.id, client=connection.client)

    def settle() -> None:
        rows.settle(draft, t("Moved to trash"))

    def reopen() -> None:
        rows.reopen(str(draft.id))

    removing = use_action(
        remove, success=moved_message(draft.listed_title), undo=undo_of(connection, draft.id, reopen), then=settle
    )
    return list_row(
        html.div(
            {"className": "fw-grow"},
            html.a({"className": "fw-title-link", "href": connection.href(f"/generate/slug/{draft.slug}")}, draft.listed_title),
            facts(
                t(draft.template_title),
                moment(draft.created_at),
                draft.created_by if actor.is_in_shared_workspace else None,
                t(draft.writer_label) if draft.writer_label else None,
            ),
        ),
        row(
            restricted_mark() if draft.access else None,
            state_chip(draft.state),
            row_actions(
                icon_button(
                    t("Move {name} to trash", name=draft.listed_title), "delete", small=True, name="delete", on_click=removing
                ),
                outcome=shown.outcome,
            )
            if actor.may(Permission.WORK) and draft.is_changeable
            else None,
        ),
    )
