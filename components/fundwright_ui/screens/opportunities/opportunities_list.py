"""The list of opportunities, which `/dashboard/sam` shows for contracts and `/dashboard/nih` for grants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode
from uuid import UUID

from babel.dates import format_date
from pydantic import ValidationError
from reactpy import component, html, use_ref, use_state
from reactpy.types import Component, VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.categories import service as categories
from fundwright.categories.schemas import CategoryRead, LabelRead, LabelState
from fundwright.core.jobs import JobRead, JobState, jobs_topic
from fundwright.core.messages import nt, number, percent, t
from fundwright.core.paging import Page, PageRequest
from fundwright.identity.schemas import Permission
from fundwright.opportunities import service
from fundwright.opportunities.reading import day_in_washington
from fundwright.opportunities.schemas import (
    Availability,
    Facets,
    ImportQuery,
    ImportRunRead,
    Match,
    OpportunityQuery,
    OpportunityRow,
    RejectionRead,
)
from fundwright.opportunities.sources import Kind
from fundwright_ui.hooks import UrlState, use_action, use_actor, use_connection, use_query, use_url_state
from fundwright_ui.screens.listing import export_button, open_below, page_table, pages
from fundwright_ui.ui import (
    Option,
    Tab,
    alert,
    band_name,
    button,
    card,
    category_color,
    chip,
    disclosure,
    empty,
    form,
    link_button,
    loading,
    page,
    pagination,
    problem,
    progress,
    row,
    section,
    select_field,
    stack,
    tabs,
    text_field,
    text_link,
)
from fundwright_ui.ui.elements import Child, attributes, classes
from fundwright_ui.widgets import Chip, Column, FileDrop, LinkCell, Row, danger_dialog

PATHS: Mapping[Kind, str] = {"contract": "/dashboard/sam", "grant": "/dashboard/nih"}

_SEPARATOR = "|"
_SEVERAL = ("agency", "type", "set_aside", "activity_code", "source")
_SINGLE = ("number", "naics", "due_from", "due_to", "posted_from", "posted_to", "category")
_SHARED = ("q", "verbatim", "availability", "due_from", "due_to", "posted_from", "posted_to", "category", "sort", "page_size")
"""What both kinds have: the tabs keep it."""
_VERBATIM = "yes"
_ANY = "any"
_OPEN, _CLOSED = "open", "closed"
_AWARD = "award"
"""Only contracts have notices of awards."""
_SHOWN_IMPORTS = 3
_SHOWN_REJECTIONS = 10


class _Found(NamedTuple):
    """`searched` is the text with misspelled words corrected, `elsewhere` how many notices are about it when no open one is."""

    listed: Page[OpportunityRow]
    labels: dict[UUID, list[LabelRead]]
    searched: str
    elsewhere: Mapping[Availability, int]


@component
def opportunities_list(kind: Kind) -> VdomDict:
    connection = use_connection()
    actor = use_actor()
    url = use_url_state()
    query = query_of(kind, url.params)
    began_empty = use_ref(False)

    async def search() -> _Found:
        understood, meaning = await service.understand(connection.core, query)
        async with connection.core.database.transaction() as session:
            listed, labels = await service.list_with_labels(session, actor, understood, meaning=meaning)
            elsewhere: Mapping[Availability, int] = {}
            if query.availability == _OPEN and listed.page == 1 and not any(_is_match(item) for item in listed.items):
                elsewhere = await service.count_titled(session, actor, understood)
        return _Found(listed, labels, understood.text, elsewhere)

    async def read(session: AsyncSession) -> _Found:
        return _Found(*await service.list_with_labels(session, actor, query), query.text, {})

    found = use_query(
        search if query.text else read,
        key=[query],
        topics=[service.TOPIC, categories.categories_topic(actor.id)],
        with_session=not query.text,
    )
    facets = use_query(lambda session: service.facets(session, actor, kind=kind), key=[kind], topics=[service.TOPIC])
    own_categories = use_query(
        lambda session: categories.list_categories(session, actor), topics=[categories.categories_topic(actor.id)]
    )
    if facets.value is not None and not facets.value.total:
        began_empty.current = True
    # Who began with nothing keeps the panel after the first import: what came of it stands there.
    is_importing = actor.may(Permission.WORK) and url.get("import", _OPEN if began_empty.current else _CLOSED) == _OPEN
    toggle = button(
        t("Hide import") if is_importing else t("Import"),
        icon_name="upload",
        on_click=lambda: url.set(**{"import": _CLOSED if is_importing else _OPEN}),
    )

    def shown(*children: Child) -> VdomDict:
        return page(
            t("Opportunities"),
            _kinds(kind, url),
            *children,
            actions=[
                *([toggle] if actor.may(Permission.WORK) else []),
                *([categorise_button()] if actor.may(Permission.LABEL) else []),
            ],
        )

    if found.error or facets.error:
        return shown(problem(found.error or facets.error or "", on_retry=found.reload))
    if found.value is None or facets.value is None:
        return shown(loading(t("Loading opportunities")))
    offered = facets.value
    panel = import_panel(kind, key=f"import:{kind}") if is_importing else None
    if not offered.total:
        return shown(_nothing_yet(kind, key="nothing"), panel)
    listed, labels, searched, elsewhere = found.value
    return shown(
        panel,
        sample_banner(offered.samples, key="sample") if offered.samples else None,
        embedding_progress(key="embedding"),
        _search(url),
        _shown(kind, url, query),
        _filters(kind, query, offered, own_categories.value or [], key="filters"),
        _active(url, query, offered, own_categories.value or []),
        _corrected(url, query.text, searched) if searched != query.text else None,
        html.div(
            {"className": "fw-row fw-row-between"},
            html.p(
                {"role": "status", "className": "fw-muted"},
                _count(listed),
            ),
            export_button(connection, "/api/opportunities/export.csv", listed.total, query),
        ),
        *(
            _results(kind, url, query, listed, labels, elsewhere, is_loading=found.is_slow)
            if listed.items
            else [_elsewhere(url, elsewhere), _nothing_found(kind, url, query)]
        ),
    )


def _is_match(item: OpportunityRow) -> bool:
    return item.match is None or not item.match.is_close


def _is_any(elsewhere: Mapping[Availability, int]) -> bool:
    return bool(elsewhere.get("closed") or elsewhere.get("award"))


def _elsewhere(url: UrlState, elsewhere: Mapping[Availability, int]) -> VdomDict | None:
    """Leads to closed and award notices with all the words in their titles."""
    if not _is_any(elsewhere):
        return None
    closed, awards = elsewhere.get("closed", 0), elsewhere.get("award", 0)
    return row(
        html.span({"role": "status"}, t("No open notice has all of these words in its title.")),
        text_link(nt("Show {n} closed notice", "Show {n} closed notices", closed), url.href(availability=_CLOSED, page=None))
        if closed
        else None,
        text_link(nt("Show {n} award notice", "Show {n} award notices", awards), url.href(availability=_AWARD, page=None))
        if awards
        else None,
        key="elsewhere",
    )


def _count(listed: Page[OpportunityRow]) -> str:
    if not all(_is_match(item) for item in listed.items):
        return nt("{n} opportunity, including close matches", "{n} opportunities, including close matches", listed.total)
    return nt("{n} opportunity", "{n} opportunities", listed.total)


def _results(
    kind: Kind,
    url: UrlState,
    query: OpportunityQuery,
    listed: Page[OpportunityRow],
    labels: dict[UUID, list[LabelRead]],
    elsewhere: Mapping[Availability, int],
    *,
    is_loading: bool,
) -> list[VdomDict | None]:
    """A table, or what matches as a table and close matches below it, each with its reason."""
    close = [item for item in listed.items if not _is_match(item)]
    if not close:
        return [_table(kind, url, query, listed, labels, is_loading=is_loading)]
    matching = [item for item in listed.items if item not in close]
    whole = Page(items=matching, total=len(matching), page=1, page_size=listed.page_size)
    none = (_elsewhere(url, elsewhere) or html.p(t("No notice fully matches your search."))) if listed.page == 1 else None
    return [
        _table(kind, url, query, whole, labels, is_loading=is_loading) if matching else none,
        _hidden(url) if query.availability == _OPEN and not _is_any(elsewhere) else None,
        section(
            t("Close matches"),
            html.ul(
                {"className": "fw-list", "aria-label": t("Close matches")},
                *(_close_match(kind, item, item.match, key=str(item.id)) for item in close if item.match),
            ),
            key="close",
        ),
        pages(url, listed),
    ]


def _corrected(url: UrlState, typed: str, searched: str) -> VdomDict:
    return row(
        html.span({"role": "status"}, t("Showing results for {words}.", words=searched)),
        text_link(t("Search instead for {words}", words=typed), url.href(verbatim=_VERBATIM, page=None)),
        key="corrected",
    )


def _hidden(url: UrlState) -> VdomDict:
    return row(
        html.span({"className": "fw-muted"}, t("Closed and award notices are hidden.")),
        text_link(t("Include closed and award notices"), url.href(availability=_ANY, page=None)),
        key="hidden",
    )


def notices_path(item: OpportunityRow) -> str:
    """All notices of its solicitation."""
    return f"{PATHS[item.kind]}?{urlencode({'number': item.number, 'availability': _ANY})}"


def notices_link(item: OpportunityRow) -> VdomDict | None:
    """Leads to the other notices of its solicitation, if there are any."""
    connection = use_connection()
    if item.notices == 1:
        return None
    label = (
        nt("{n} notice of this solicitation", "{n} notices of this solicitation", item.notices)
        if item.kind == "contract"
        else nt("{n} notice of this opportunity", "{n} notices of this opportunity", item.notices)
    )
    return text_link(label, connection.href(notices_path(item)))


def _close_match(kind: Kind, item: OpportunityRow, match: Match, *, key: str) -> VdomDict:
    connection = use_connection()
    reason = {
        "number": t("Number"),
        "all_words": t("All words"),
        "words": t("Some of the words"),
        "meaning": t("Similar meaning"),
    }[match.reason]
    due = t("due {date}", date=format_date(day_in_washington(item.due_at), locale=connection.language)) if item.due_at else ""
    facts = " · ".join(filter(None, (item.number, item.agency, item.type, due)))
    parts: list[Child] = []
    end = 0
    for start, stop in match.marks:
        parts += [match.passage[end:start], html.mark(match.passage[start:stop])]
        end = stop
    parts.append(match.passage[end:])
    return html.li(
        {"key": key},
        html.div(
            {"className": "fw-stack fw-stack-tight"},
            row(
                text_link(item.title, connection.href(f"{PATHS[kind]}/{item.id}")),
                chip(reason, color="info"),
                None if item.is_open else chip(t("Closed"), color="warning"),
                chip(t("Sample")) if item.is_sample else None,
            ),
            html.span({"className": "fw-muted"}, facts),
            notices_link(item),
            html.p({"dir": "auto"}, *parts) if match.passage else None,
        ),
    )


def _nothing_found(kind: Kind, url: UrlState, query: OpportunityQuery) -> VdomDict:
    """Says what hides notices: closed ones and awards are left out at first."""
    connection = use_connection()
    links = [link_button(t("Clear search and filters"), connection.href(PATHS[kind]))]
    if query.availability is None:
        return empty(t("No opportunity matches. Remove a filter or search for other words."), *links)
    links.insert(0, link_button(t("Include closed and award notices"), url.href(availability=_ANY, page=None), look="contained"))
    text = {
        "open": t("No open opportunity matches. Closed and award notices are hidden."),
        "closed": t("No closed opportunity matches. Open and award notices are hidden."),
        "award": t("No award notice matches. Open and closed ones are hidden."),
    }[query.availability]
    return empty(text, *links)


@component
def _nothing_yet(kind: Kind) -> VdomDict:
    """Says where opportunities of this kind are published, and how many there are of the other kind."""
    connection, actor = use_connection(), use_actor()
    other: Kind = "contract" if kind == "grant" else "grant"
    facets = use_query(lambda session: service.facets(session, actor, kind=other), key=[other], topics=[service.TOPIC])
    others = facets.value.total if facets.value else 0
    title = t("There are no opportunities here yet")
    if kind == "grant":
        text = t(
            "Grants.gov publishes all grants, including those of NIH, as a ZIP file. Download it and choose it below without unpacking it."
        )
        source = link_button(t("Grants.gov files"), "https://www.grants.gov/xml-extract", new_tab=True)
        elsewhere = nt("Show {n} contract", "Show {n} contracts", others)
    else:
        text = t("SAM.gov publishes all contract opportunities as a CSV file. Download it and choose it below.")
        source = link_button(t("SAM.gov files"), "https://sam.gov/data-services/Contract%20Opportunities", new_tab=True)
        elsewhere = nt("Show {n} grant", "Show {n} grants", others)
    links = [link_button(elsewhere, connection.href(PATHS[other]))] if others else []
    if not actor.may(Permission.WORK):
        return empty(t("None have been imported yet."), *links, title=title)
    return empty(text, source, *links, title=title)


def query_of(kind: Kind, params: Mapping[str, str]) -> OpportunityQuery:
    """What the address asks for; what cannot be understood in it is left out."""
    given: dict[str, Any] = {name: params[name] for name in _SINGLE if params.get(name)}
    given |= {name: tuple(filter(None, params[name].split(_SEPARATOR))) for name in _SEVERAL if params.get(name)}
    given |= {name: params[name] for name in ("page", "page_size", "sort") if params.get(name)}
    given["text"] = params.get("q", "").strip()[:500]
    given["verbatim"] = params.get("verbatim") == _VERBATIM
    wanted = params.get("availability") or _OPEN
    given |= {"availability": wanted} if wanted != _ANY else {}
    try:
        return OpportunityQuery.model_validate({"kind": kind, **given})
    except ValidationError as refused:
        bad = {str(error["loc"][0]) for error in refused.errors()}
        return OpportunityQuery.model_validate({"kind": kind, **{k: v for k, v in given.items() if k not in bad}})


def _kinds(kind: Kind, url: UrlState) -> VdomDict:
    connection = use_connection()
    kept = {name: value for name in _SHARED if (value := url.get(name))}
    kept_of_grants = {name: value for name, value in kept.items() if (name, value) != ("availability", _AWARD)}

    def address(of: Kind, params: Mapping[str, str]) -> str:
        return connection.href(PATHS[of] + (f"?{urlencode(params)}" if params else ""))

    return tabs(
        [
            Tab("grant", t("Grants and NIH"), address("grant", kept_of_grants)),
            Tab("contract", t("Contracts (SAM.gov)"), address("contract", kept)),
        ],
        kind,
        label=t("Kind of opportunity"),
    )


def _search(url: UrlState) -> VdomDict:
    words = url.get("q")

    def search(fields: dict[str, Any]) -> None:
        url.set(q=str(fields.get("q", "")).strip(), verbatim=None, page=None, sort=None)

    return html.div(
        {"role": "search"},
        form(
            html.div(
                {"className": "fw-filters"},
                text_field(
                    "q",
                    t("Search"),
                    type="search",
                    value=words,
                    placeholder=t('Words or a sentence, "a phrase", -exclude, this or that'),
                    maxlength=500,
                ),
                button(t("Search"), type="submit", look="contained", icon_name="search"),
            ),
            on_submit=search,
            label=t("Search opportunities"),
        ),
    )


def _shown(kind: Kind, url: UrlState, query: OpportunityQuery) -> VdomDict:
    """Which notices are shown, and in which order."""
    shown = [
        (_OPEN, t("Open")),
        (_CLOSED, t("Closed")),
        *([(_AWARD, t("Award notices"))] if kind == "contract" else []),
        (_ANY, t("All")),
    ]
    orders = [
        *([("", t("Relevance"))] if query.text else []),
        ("due", t("Due date")),
        ("-posted" if query.text else "", t("Posted date")),
    ]
    availability = query.availability or _ANY
    return html.div(
        {"className": "fw-row fw-row-between"},
        _choices(t("Show"), [(label, url.href(availability=name, page=None), name == availability) for name, label in shown]),
        _choices(t("Sort by"), [(label, url.href(sort=name, page=None), name == query.sort) for name, label in orders]),
    )


def _choices(label: str, entries: list[tuple[str, str, bool]]) -> VdomDict:
    """Links of which one is current."""
    return html.div(
        {"className": "fw-row", "role": "group", "aria-label": label},
        html.span({"className": "fw-muted", "aria-hidden": "true"}, label),
        *(
            html.a(
                attributes(
                    className=classes("fw-chip", "fw-chip-filled" if is_current else None),
                    href=href,
                    aria_current="true" if is_current else None,
                    key=name,
                ),
                name,
            )
            for name, href, is_current in entries
        ),
    )


@component
def _filters(kind: Kind, query: OpportunityQuery, facets: Facets, mine: list[CategoryRead]) -> VdomDict:
    """Most people look at the list without them, and what they offer is more than a page of it: it is sent when it is asked for."""
    url = use_url_state()
    is_open = url.get("filters") == "open"  # in the address, so that a lost page comes back with them
    fields = _filter_form(kind, url, query, facets, mine) if is_open else None
    return disclosure(t("Filters"), fields, is_open=is_open, on_toggle=lambda: url.set(filters=None if is_open else "open"))


def _filter_form(kind: Kind, url: UrlState, query: OpportunityQuery, facets: Facets, mine: list[CategoryRead]) -> Component:
    any_ = Option("", t("Any"))

    def apply(fields: dict[str, Any]) -> None:
        changes: dict[str, object] = {name: str(fields.get(name, "")).strip() for name in _SINGLE if name in fields}
        for name in _SEVERAL:
            chosen = str(fields.get(name, ""))
            if chosen:
                changes[name] = _SEPARATOR.join(dict.fromkeys((*getattr(query, name), chosen)))
        url.set(page=None, **changes)

    code = (
        select_field(
            "set_aside",
            t("Set-aside"),
            [
                any_,
                *(Option(v.value, f"{v.label} ({number(v.count)})") for v in facets.set_asides if v.value not in query.set_aside),
            ],
        )
        if kind == "contract"
        else select_field(
            "activity_code",
            t("Activity code"),
            [
                any_,
                *(
                    Option(v.value, f"{v.value} ({number(v.count)})")
                    for v in sorted(facets.activity_codes, key=lambda v: v.value)
                    if v.value not in query.activity_code
                ),
            ],
        )
    )
    return form(
        html.div(
            {"className": "fw-filters"},
            select_field(
                "agency",
                t("Agency"),
                [
                    any_,
                    *(Option(v.value, f"{v.label} ({number(v.count)})") for v in facets.agencies if v.value not in query.agency),
                ],
            ),
            select_field(
                "type",
                t("Type"),
                [any_, *(Option(v.value, f"{v.label} ({number(v.count)})") for v in facets.types if v.value not in query.type)],
            ),
            code,
            text_field("naics", t("NAICS begins with"), value=query.naics, maxlength=6) if kind == "contract" else None,
            text_field("due_from", t("Due on or after"), type="date", value=str(query.due_from or "")),
            text_field("due_to", t("Due on or before"), type="date", value=str(query.due_to or "")),
            text_field(
                "posted_from",
                t("Posted on or after"),
                type="date",
                value=str(query.posted_from or ""),
            ),
            text_field(
                "posted_to",
                t("Posted on or before"),
                type="date",
                value=str(query.posted_to or ""),
            ),
            select_field(
                "category",
                t("Category"),
                [any_, *(Option(str(category.id), category.name) for category in mine)],
                value=str(query.category or ""),
            ),
        ),
        on_submit=apply,
        submit=t("Apply filters"),
        label=t("Filters"),
    )


def _active(url: UrlState, query: OpportunityQuery, facets: Facets, mine: list[CategoryRead]) -> VdomDict | None:
    """The filters in force, each with a link that takes it away."""
    names = {str(category.id): category.name for category in mine}
    set_asides = {value.value: value.label for value in facets.set_asides}
    entries: list[tuple[str, str]] = []
    if query.text:
        entries.append((t("Search: {words}", words=query.text), url.href(q=None, page=None)))
    for name in _SEVERAL:
        values: tuple[str, ...] = getattr(query, name)
        for value in values:
            rest = _SEPARATOR.join(other for other in values if other != value)
            entries.append((set_asides.get(value, value), url.href(**{name: rest, "page": None})))
    labels = {
        "number": t("Number {value}", value=query.number),
        "naics": t("NAICS {value}…", value=query.naics),
        "due_from": t("Due on or after {value}", value=query.due_from),
        "due_to": t("Due on or before {value}", value=query.due_to),
        "posted_from": t("Posted on or after {value}", value=query.posted_from),
        "posted_to": t("Posted on or before {value}", value=query.posted_to),
        "category": t("Category: {name}", name=names.get(str(query.category), "…")),
    }
    entries += [(label, url.href(**{name: None, "page": None})) for name, label in labels.items() if getattr(query, name)]
    if not entries:
        return None
    return html.ul(
        {"className": "fw-chips", "aria-label": t("Active filters")},
        *(
            html.li(
                {"key": f"{label}:{index}"},
                html.a(
                    {"className": "fw-chip", "href": href, "aria-label": t("Remove filter {label}", label=label)}, f"{label} ×"
                ),
            )
            for index, (label, href) in enumerate(entries)
        ),
    )


def _table(
    kind: Kind,
    url: UrlState,
    query: OpportunityQuery,
    listed: Page[OpportunityRow],
    labels: dict[UUID, list[LabelRead]],
    *,
    is_loading: bool,
) -> VdomDict:
    connection = use_connection()
    columns = [
        Column(
            field="title",
            label=t("Title"),
            kind="link",
            is_sortable=True,
            flex=3,
            min_width=215,
            href_base=connection.href(f"{PATHS[kind]}/"),
        ),
        Column(field="agency", label=t("Agency"), is_sortable=True, flex=1.5, min_width=155),
        Column(field="type", label=t("Type"), is_compact=False, flex=1.1, min_width=130),
        Column(field="due", label=t("Due"), kind="date", is_sortable=True, min_width=108),
        Column(field="posted", label=t("Posted"), kind="date", is_sortable=True, is_compact=False, min_width=108),
        Column(field="code", label=t("Set-aside") if kind == "contract" else t("Activity code"), is_compact=False, min_width=92),
        Column(field="marks", label=t("Category"), kind="chips", flex=1.5, min_width=142),
    ]
    is_repeated = bool(query.text) and any(item.notices > 1 for item in listed.items)
    if is_repeated:
        columns.insert(1, Column(field="notices", label=t("Notices"), kind="link", is_compact=False, min_width=92))

    def cells(item: OpportunityRow) -> Row:
        marks: list[Chip] = []
        for label in labels.get(item.id, ()):
            sure = "" if label.state == LabelState.ACCEPTED else f" · {band_name(label.band)}"
            marks.append(Chip(label=label.category_name + sure, color=category_color(label.colour)))
        if not item.is_open:
            marks.append(Chip(label=t("Closed"), color="warning"))
        if item.is_sample:
            marks.append(Chip(label=t("Sample"), color="secondary"))
        texts = {
            "title": item.title,
            "agency": item.agency if kind == "contract" or not item.sub_agency else f"{item.agency} ({item.sub_agency})",
            "type": item.type,
            "due": day_in_washington(item.due_at) if item.due_at else None,
            "posted": day_in_washington(item.posted_at),
            "code": item.set_aside_code if kind == "contract" else ", ".join(item.activity_codes),
            "marks": tuple(marks),
            "notices": LinkCell(label=nt("{n} notice", "{n} notices", item.notices), href=connection.href(notices_path(item)))
            if is_repeated and item.notices > 1
            else None,
        }
        return Row(id=str(item.id), cells={field: cell for field, cell in texts.items() if cell})

    return page_table(
        url,
        query,
        listed,
        label=t("Opportunities"),
        columns=columns,
        rows=[cells(item) for item in listed.items],
        is_loading=is_loading,
        on_open=open_below(connection, PATHS[kind]),
    )


@component
def sample_banner(samples: int) -> VdomDict:
    actor, connection = use_actor(), use_connection()
    is_asking, set_asking = use_state(False)
    removing = use_action(
        lambda session: service.remove_sample(session, actor, client=connection.client),
        success=t("The sample opportunities were removed."),
        then=lambda: set_asking(False),
    )
    return html.div(
        alert(
            nt(
                "{n} of these opportunities is a sample that comes with Fundwright; it is not real.",
                "{n} of these opportunities are samples that come with Fundwright; they are not real.",
                samples,
            ),
            button(t("Remove samples"), size="small", on_click=lambda: set_asking(True), is_busy=removing.is_running)
            if actor.may(Permission.ADMINISTER)
            else None,
            variant="info",
        ),
        danger_dialog(
            t("Remove the sample opportunities?"),
            t("They will be removed for everyone. Imported opportunities will be kept. This cannot be undone."),
            is_open=is_asking,
            confirm_label=t("Remove"),
            cancel_label=t("Keep"),
            error=removing.error,
            on_confirm=removing,
            on_cancel=lambda: set_asking(False),
        ),
    )


@component
def embedding_progress() -> VdomDict | None:
    """How many notices searches by meaning cover, while not all are read."""
    connection, actor = use_connection(), use_actor()
    latest = use_query(lambda session: service.find_embedding(session, actor), topics=[jobs_topic(None)])
    starting = use_action(lambda session: service.start_embedding(session, actor, connection.core), then=latest.reload)
    stopping = use_action(lambda session: service.cancel_embedding(session, actor), then=latest.reload)
    job = latest.value
    may_change = actor.may(Permission.ADMINISTER)
    if job is None or job.state == JobState.SUCCEEDED:
        return None
    if job.state.is_over:
        resume = button(t("Resume indexing"), size="small", on_click=starting, is_busy=starting.is_running)
        return alert(
            job.error or t("Indexing was stopped. Search by meaning covers only the notices indexed so far."),
            resume if may_change else None,
            variant="warning",
        )
    if not job.total:
        return None
    counts = t(
        "Indexing notices: {done} of {total}. Search by meaning covers the notices indexed so far.",
        done=job.done,
        total=job.total,
    )
    stop = button(t("Stop indexing"), size="small", icon_name="stop", on_click=stopping, is_busy=stopping.is_running)
    return row(progress(job.done, job.total, label=t("Indexing notices"), message=counts), stop if may_change else None)


@component
def categorise_button() -> VdomDict:
    """Starts categorising and shows how far it is."""
    connection = use_connection()
    actor = use_actor()
    latest = use_query(lambda session: service.find_categorising(session, actor), topics=[jobs_topic(actor.id)])
    starting = use_action(lambda session: service.start_categorising(session, actor, connection.core), then=latest.reload)

    async def stop(session: AsyncSession) -> None:
        if job is not None:
            await service.cancel_categorising(session, actor, job.id)

    stopping = use_action(stop)
    job: JobRead | None = latest.value
    if job is None or job.state.is_over:
        last = None
        if job is not None and job.state == JobState.FAILED:
            last = html.p({"className": "fw-field-error", "role": "alert"}, job.error or "")
        elif job is not None and job.state == JobState.SUCCEEDED and job.result:
            counts: dict[str, Any] = job.result
            last = html.p(
                {"className": "fw-hint", "role": "status"},
                t(
                    "Last run: {labelled} newly categorized, {kept} decided by you.",
                    labelled=counts["labelled"],
                    kept=counts["kept"],
                ),
            )
        return html.div(
            {"className": "fw-stack fw-stack-tight"},
            button(t("Categorize"), icon_name="category", look="contained", on_click=starting, is_busy=starting.is_running),
            last,
        )
    return html.div(
        {"className": "fw-stack fw-stack-tight"},
        progress(job.done, job.total, label=t("Categorizing"), message=_share(job.done, job.total, t("Categorizing"))),
        button(t("Stop"), size="small", icon_name="stop", on_click=stopping, is_busy=stopping.is_running),
    )


@component
def import_panel(kind: Kind) -> VdomDict:
    """Takes files and shows the last imports while they run and afterwards."""
    connection = use_connection()
    actor = use_actor()
    page_number, set_page_number = use_state(1)
    sources = [source for source in service.list_sources(connection.core) if source.kind == kind]
    chosen, set_chosen = use_state(sources[0].name if sources else "")
    shown = ImportQuery(source=tuple(source.name for source in sources), page=page_number, page_size=_SHOWN_IMPORTS)
    recent = use_query(
        lambda session: service.list_imports(session, actor, shown),
        key=[shown],
        topics=[jobs_topic(actor.id)],
    )
    labels = {source.name: source.label for source in service.list_sources(connection.core)}
    source = next((source for source in sources if source.name == chosen), None)
    runs: list[Child] = []
    if recent.error:
        runs.append(problem(recent.error, on_retry=recent.reload))
    elif recent.value is not None:
        runs.extend(import_card(run, labels.get(run.source, run.source), key=str(run.id)) for run in recent.value.items)
        runs.append(pagination(page_number, -(-recent.value.total // _SHOWN_IMPORTS), on_page=set_page_number))
        label = t("Export the list of imports as CSV")
        export = export_button(connection, "/api/opportunities/imports/export.csv", recent.value.total, shown, label)
        runs.append(row(export) if export else None)
    return section(
        t("Import a file"),
        select_field(
            "source",
            t("Format"),
            [Option(source.name, source.label) for source in sources],
            value=chosen,
            on_change=set_chosen,
        )
        if len(sources) > 1
        else None,
        FileDrop(
            label=t("Choose a file"),
            hint=t(
                "{label}: {suffixes}, also as .gz or .zip. Importing a file again changes nothing.",
                label=source.label,
                suffixes=", ".join(source.file_suffixes),
            ),
            upload_url=connection.href(f"/api/opportunities/imports/{chosen}"),
            accept=",".join((*source.file_suffixes, ".gz", ".zip")),
            max_bytes=connection.core.settings.max_upload_bytes,
            on_uploaded=recent.reload,
            key=f"drop:{chosen}",
        )
        if source
        else None,
        *runs,
    )


@component
def import_card(run: ImportRunRead, source: str) -> VdomDict:
    """One import: how far it is, or what came of it."""
    connection = use_connection()
    actor = use_actor()
    stopping = use_action(lambda session: service.stop_import(session, actor, connection.core, run.id))
    counts = t(
        "{new} new, {changed} changed, {unchanged} unchanged, {rejected} rejected",
        new=run.new,
        changed=run.changed,
        unchanged=run.unchanged,
        rejected=run.rejected,
    )
    is_anything_read = run.new + run.changed + run.unchanged + run.rejected > 0
    state: Child
    if run.state in (JobState.QUEUED, JobState.RUNNING):
        state = row(
            progress(run.done, run.size_bytes, label=t("Importing {name}", name=run.filename),
                     message=_share(run.done, run.size_bytes, counts)),
            button(t("Stop"), size="small", icon_name="stop", on_click=stopping, is_busy=stopping.is_running),
        )  # fmt: skip
    elif run.state == JobState.FAILED:
        state = alert(run.error or t("The import failed."), html.p(counts) if is_anything_read else None, variant="error")
    elif run.state == JobState.CANCELLED:
        state = alert(t("Stopped. Opportunities imported so far were kept."), html.p(counts), variant="warning")
    else:
        state = html.div({"role": "status"}, html.p(counts), html.p(_samples_removed(run)) if run.samples_removed else None)
    return card(state, rejected_rows(run, key="rejected") if run.rejected else None, title=run.filename, subtitle=source)


def _samples_removed(run: ImportRunRead) -> str:
    return nt(
        "{n} sample opportunity was removed because real opportunities were imported.",
        "{n} sample opportunities were removed because real opportunities were imported.",
        run.samples_removed,
    )


@component
def rejected_rows(run: ImportRunRead) -> VdomDict:
    """The rows of an import that were left out, a page at a time once somebody asks for them."""
    connection = use_connection()
    actor = use_actor()
    is_open, set_open = use_state(False)
    page_number, set_page_number = use_state(1)

    async def read(session: AsyncSession) -> Page[RejectionRead] | None:
        request = PageRequest(page=page_number, page_size=_SHOWN_REJECTIONS)
        return await service.list_rejections(session, actor, run.id, request) if is_open else None

    found = use_query(read, key=[is_open, page_number, run.rejected])
    toggle = button(
        t("Hide rejected rows") if is_open else nt("Show {n} rejected row", "Show {n} rejected rows", run.rejected),
        size="small",
        on_click=lambda: set_open(not is_open),
    )
    if not is_open:
        return toggle
    if found.error:
        return stack(row(toggle), problem(found.error, on_retry=found.reload))
    if found.value is None:
        return stack(row(toggle), loading(t("Loading rejected rows")))
    download = link_button(
        t("All as CSV"),
        connection.href(f"/api/opportunities/imports/{run.id}/rejections/export.csv"),
        size="small",
        icon_name="download",
        download=True,
    )
    return stack(
        row(toggle, download),
        html.div(
            {"className": "fw-table-scroll"},
            html.table(
                {"className": "fw-table", "aria-label": t("Rejected rows of {name}", name=run.filename)},
                html.thead(
                    html.tr(*(html.th({"scope": "col", "key": name}, name) for name in (t("Line"), t("Column"), t("Reason"))))
                ),
                html.tbody(
                    *(
                        html.tr(
                            {"key": str(index)},
                            html.td(number(rejection.line)),
                            html.td(rejection.column),
                            html.td(rejection.reason),
                        )
                        for index, rejection in enumerate(found.value.items)
                    )
                ),
            ),
        ),
        pagination(page_number, -(-found.value.total // _SHOWN_REJECTIONS), on_page=set_page_number),
    )


def _share(done: int, total: int | None, words: str) -> str:
    return f"{words} · {percent(done / total)}" if total else words
