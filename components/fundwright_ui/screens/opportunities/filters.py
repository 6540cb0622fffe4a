"""The filters of the opportunities list. Each is a chip whose popover sets it, and applies as soon as something is chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from functools import partial

from reactpy import component, html, use_ref, use_state
from reactpy.types import Component, VdomDict
from reactpy.utils import Ref

from fundwright.categories.schemas import CategoryRead
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.messages import t
from fundwright.core.paging import PageRequest
from fundwright.opportunities import service
from fundwright.opportunities.display_names import (
    agency_abbreviations,
    agency_name,
    naics_in_words,
    naics_title,
    set_aside_name,
    short_agency_name,
    short_set_aside,
    type_name,
)
from fundwright.opportunities.schemas import (
    AWARD_NOTICE,
    NEVER_OPEN,
    SEPARATOR,
    Availability,
    Facets,
    FacetValue,
    Kind,
    OpportunityQuery,
)
from fundwright.opportunities.washington import day_in_washington
from fundwright_ui.hooks import UrlState, use_query, use_url_state
from fundwright_ui.product import Connection, use_actor, use_connection
from fundwright_ui.screens.filters import Filter, clear_filter, count_of_filter, days_filter, due_days, filter_links
from fundwright_ui.screens.notice_address import ANY, AWARD, CLOSED, OPEN, SEVERAL, SINGLE
from fundwright_ui.ui import (
    checkbox,
    filter_chip,
    fixed_filter,
    form,
    loading,
    problem,
    text_field,
    text_link,
)
from fundwright_ui.ui.elements import Child

_MOST_SHOWN = 50
"""Options that are shown at once. Typing finds the others."""


def filter_chips(
    kind: Kind, url: UrlState, query: OpportunityQuery, facets: Facets, own_categories: Sequence[CategoryRead]
) -> VdomDict:
    """The most frequent filters, one popover with all others, and those of the others that are set. The content of a popover is sent
    when it opens. Which one is open is in the address, so that a page that lost its connection keeps it."""
    connection, opened = use_connection(), use_ref("")
    is_shared = use_actor().is_in_shared_workspace
    frequent, others = _filters(kind, url, query, facets, own_categories, connection.core, is_shared=is_shared)
    count = sum(bool(each.value) for each in (*frequent, *others)) + bool(query.number)

    def chip(filter: Filter) -> VdomDict:
        on_clear = partial(clear_filter, url, filter.parameters)
        return _popover(connection, opened, url, filter.name, filter.label, filter.content, value=filter.value, on_clear=on_clear)

    def all_others() -> Child:
        return html.fragment(
            *(
                html.fieldset({"className": "fw-filter-part", "key": each.name}, html.legend(each.label), each.content())
                for each in others
            )
        )

    return html.div(
        {"className": "fw-filters-line", "role": "group", "aria-label": t("Filters")},
        _availability(kind, url, query),
        *map(chip, frequent),
        _popover(connection, opened, url, "more", t("More filters"), all_others),
        *map(chip, (each for each in others if each.value)),
        fixed_filter("number", t("Number {value}", value=query.number), on_clear=partial(clear_filter, url, ("number",)))
        if query.number
        else None,
        text_link(t("Clear filters"), url.href(**dict.fromkeys((*SEVERAL, *SINGLE, "page"))), key="clear") if count > 1 else None,
    )


def _popover(
    connection: Connection,
    opened: Ref[str],
    url: UrlState,
    name: str,
    label: str,
    content: Callable[[], Child],
    *,
    value: str = "",
    on_clear: Callable[[], None] | None = None,
) -> VdomDict:
    def toggle(is_open: bool) -> None:
        if is_open:
            opened.current = name
            url.set(filters=name)
        elif name in (opened.current, connection.location.query.get("filters")):  # and no other one was opened instead
            opened.current = ""
            url.set(filters=None)

    return filter_chip(
        name,
        label,
        html.div({"className": "fw-filter-content", "key": "content"}, content()) if url.get("filters") == name else None,
        value=value,
        on_toggle=toggle,
        on_clear=on_clear,
    )


def _availability(kind: Kind, url: UrlState, query: OpportunityQuery) -> VdomDict:
    """Links that select the notices."""
    shown = {
        OPEN: t("Open"),
        CLOSED: t("Closed"),
        **({AWARD: t("Award notices")} if kind == "contract" else {}),
        ANY: t("All"),
    }
    current = query.availability or ANY
    entries = [(label, {"availability": name}, None) for name, label in shown.items()]
    return filter_chip(
        "availability",
        t("Show"),
        filter_links(url, entries, shown.get(current, "")),
        value=shown.get(current, ""),
        is_value_only=True,
    )


def _filters(
    kind: Kind,
    url: UrlState,
    query: OpportunityQuery,
    facets: Facets,
    own_categories: Sequence[CategoryRead],
    core: Core,
    *,
    is_shared: bool,
) -> tuple[list[Filter], list[Filter]]:
    """The frequent filters, and the others. `is_shared` says whether others may belong to the workspace."""
    # The numbers include open, closed, and award notices, whatever the other filters are.
    are_counted = not query.model_dump(exclude_defaults=True, exclude={"kind", *PageRequest.model_fields})

    def several(
        name: str,
        label: str,
        values: Iterable[FacetValue],
        text: Callable[[str], str] = str,
        *,
        words: Callable[[str], str] | None = None,
        search: str = "",
    ) -> Filter:
        chosen: tuple[str, ...] = getattr(query, name)

        def content() -> Child:
            counts = {value.value: value.count for value in values}
            offered = [*counts, *(each for each in chosen if each not in counts)]
            choices = [FacetValue(value=each, label=(words or text)(each), count=counts.get(each, 0)) for each in offered]

            def find(typed: str) -> list[FacetValue]:
                return [each for each in choices if _has_words(f"{each.label} {each.value}", typed)]

            return _options(name, find, chosen, search=search, are_counted=are_counted, key=name)

        return Filter(name, label, _first_of([text(each) for each in chosen]), (name,), content)

    def with_code(code: str) -> str:
        name = set_aside_name(code)
        return name if name.casefold() == code.casefold() else f"{name} · {code}"

    agency = Filter(
        "agency",
        t("Agency"),
        _first_of([short_agency_name(each) for each in query.agency]),
        ("agency",),
        lambda: _agencies(kind, facets.agencies, query.agency, are_counted=are_counted, key="agency"),
    )
    code = (
        several("set_aside", t("Set-aside"), facets.set_asides, short_set_aside, words=with_code)
        if kind == "contract"
        else several(
            "activity_code",
            t("Activity code"),
            sorted(facets.activity_codes, key=lambda value: value.value),
            search=t("Search activity codes"),
        )
    )
    naics = Filter(
        "naics",
        "NAICS",
        _first_of(query.naics),
        ("naics",),
        lambda: _naics(query.naics, are_counted=are_counted, key="naics"),
    )
    due = due_days(url, query)
    today = day_in_washington(now())
    posted = days_filter(
        url, query, "posted", t("Posted"), t("Posted on or after"), t("Posted on or before"),
        {t("Last {n} days", n=days): (today - timedelta(days=days), None) for days in (7, 30)},
    )  # fmt: skip
    types = several("type", t("Type"), _types_of(facets.types, query.availability), type_name)
    labels = {each.name: each.label for each in service.list_sources(core)}
    sources = several("source", t("Source"), facets.sources, lambda name: labels.get(name, name))
    category = _category(url, query, own_categories)
    frequent = [agency, code, *([naics] if kind == "contract" else []), due]
    return frequent, [
        _watched(url, query, is_shared=is_shared),
        types,
        posted,
        *([category] if own_categories or query.category else []),
        *([sources] if len(facets.sources) > 1 or query.source else []),
    ]


def _first_of(chosen: Sequence[str]) -> str:
    """The value of a filter in its chip: “541512 +2”."""
    return chosen[0] + (f" +{len(chosen) - 1}" if len(chosen) > 1 else "") if chosen else ""


def _category(url: UrlState, query: OpportunityQuery, own_categories: Sequence[CategoryRead]) -> Filter:
    names = {str(category.id): category.name for category in own_categories}
    current = names.get(str(query.category), "…") if query.category else ""
    entries = [(name, {"category": id}, None) for id, name in names.items()]
    return Filter("category", t("Category"), current, ("category",), lambda: filter_links(url, entries, current))


def _watched(url: UrlState, query: OpportunityQuery, *, is_shared: bool) -> Filter:
    names = {"me": t("By me"), **({"anyone": t("By anyone in the workspace")} if is_shared or query.watched == "anyone" else {})}
    current = names.get(query.watched or "", "")
    entries = [(label, {"watched": name}, None) for name, label in names.items()]
    return Filter("watched", t("Watched"), current, ("watched",), lambda: filter_links(url, entries, current))


def _types_of(types: Iterable[FacetValue], availability: Availability | None) -> list[FacetValue]:
    """Return the types that notices of this availability can have."""
    can_be: Mapping[Availability | None, Callable[[str], bool]] = {
        None: lambda _type: True,
        "open": lambda type_: type_ not in NEVER_OPEN,
        "closed": lambda type_: type_ != AWARD_NOTICE,
        "award": lambda type_: type_ == AWARD_NOTICE,
    }
    return [type_ for type_ in types if can_be[availability](type_.value)]


@component
def _options(
    name: str, find: Callable[[str], Sequence[FacetValue]], chosen: Sequence[str], *, search: str, are_counted: bool
) -> VdomDict:
    """Checkboxes for what `find` returns for the text in the field above them, which is shown if `search`, its label, is given. Those
    that were checked when the popover opened are first, so that none moves while it is open."""
    url = use_url_state()
    typed, set_typed = use_state("")
    first = use_ref(frozenset(chosen)).current
    found = sorted(find(typed), key=lambda each: each.value not in first)

    def check(value: str, is_checked: bool) -> None:
        others = [each for each in chosen if each != value]
        url.go(page=None, **{name: SEPARATOR.join([*others, value] if is_checked else others)})

    def check_first() -> None:
        if typed and found:
            check(found[0].value, found[0].value not in chosen)

    return html.fragment(
        _search_field(name, search, typed, set_typed, check_first) if search else None,
        html.div(
            {"className": "fw-filter-options"},
            *(
                html.div(
                    {"className": "fw-filter-option", "key": each.value},
                    checkbox(
                        f"{name}-{place}",
                        each.label,
                        checked=each.value in chosen,
                        on_change=partial(check, each.value),
                    ),
                    count_of_filter(each.count if are_counted else None),
                )
                for place, each in enumerate(found[:_MOST_SHOWN])
            ),
        ),
        _remark(len(found)),
    )


@component
def _agencies(kind: Kind, agencies: Sequence[FacetValue], chosen: Sequence[str], *, are_counted: bool) -> VdomDict | Component:
    """The agencies. A search also finds sub-agencies, and both by their abbreviations."""
    actor = use_actor()
    read = use_query(lambda session: service.list_sub_agencies(session, actor, kind), key=[kind], topics=[service.TOPIC])
    offered = {each.value: each.model_copy(update={"label": agency_name(each.value)}) for each in agencies}
    below = {
        each.value: each.model_copy(update={"label": f"{agency_name(each.value)} · {short_agency_name(each.label)}"})
        for each in read.value or ()
        if each.value not in offered
    }
    unknown = {each: FacetValue(value=each, label=agency_name(each), count=0) for each in chosen}

    def find(typed: str) -> list[FacetValue]:
        wanted = typed.strip().upper()
        if not wanted:
            return list((offered | {each: below.get(each, unknown[each]) for each in chosen if each not in offered}).values())
        choices = [*offered.values(), *below.values()]
        abbreviated = [each for each in choices if wanted in agency_abbreviations(each.value)]
        named = [each for each in choices if each not in abbreviated and _has_words(f"{each.label} {each.value}", typed)]
        return [*abbreviated, *named]

    return _options("agency", find, chosen, search=t("Search agencies"), are_counted=are_counted, key="options")


@component
def _naics(chosen: Sequence[str], *, are_counted: bool) -> VdomDict | Component:
    """The codes that occur, found by their beginning or by words of their title."""
    actor = use_actor()
    codes = use_query(lambda session: service.list_naics(session, actor), topics=[service.TOPIC])
    if codes.error:
        return problem(codes.error, on_retry=codes.reload)
    if codes.value is None:
        return loading(t("Loading NAICS codes"))
    known = codes.value

    def find(typed: str) -> list[FacetValue]:
        found = matching_codes(known, typed)
        offered = {each.value for each in found}
        left_out = [] if typed.strip() else [FacetValue(value=each, label="", count=0) for each in chosen if each not in offered]
        return [each.model_copy(update={"label": naics_in_words(each.value)}) for each in (*left_out, *found)]

    return _options("naics", find, chosen, search=t("Code or words of its title"), are_counted=are_counted, key="options")


def matching_codes(codes: Sequence[FacetValue], typed: str) -> list[FacetValue]:
    """Return the codes and beginnings of codes that begin with the typed digits, shortest first, or whose title has all of the typed
    words. Without anything typed, return only `codes`."""
    if not typed.strip():
        return list(codes)
    counts: dict[str, int] = {}
    for code in codes:
        for digits in range(2, len(code.value) + 1):
            counts[code.value[:digits]] = counts.get(code.value[:digits], 0) + code.count
    if typed.strip().isdigit():
        found = sorted(code for code in counts if code.startswith(typed.strip()))
        found.sort(key=len)
    else:
        found = sorted(
            (code for code in counts if _has_words(naics_title(code), typed)), key=lambda code: (-len(code), -counts[code])
        )
    return [FacetValue(value=code, label=naics_title(code), count=counts[code]) for code in found]


def _search_field(
    name: str, label: str, typed: str, set_typed: Callable[[str], object], on_submit: Callable[[], None]
) -> Component:
    """Enter chooses the first option."""

    def change(text: str) -> None:
        set_typed(text)

    return form(
        text_field(
            f"{name}-search", label, type="search", value=typed, placeholder=label, maxlength=100, small=True, on_change=change
        ),
        on_submit=on_submit,
        label=label,
        key="search",
    )


def _remark(found: int) -> VdomDict | None:
    """Says that nothing was found, or that more was found than is shown."""
    text = t("Nothing found.") if not found else t("Type to find more.") if found > _MOST_SHOWN else ""
    return html.p({"className": "fw-muted", "role": "status", "key": "remark"}, text) if text else None


def _has_words(text: str, typed: str) -> bool:
    return all(word in text.casefold() for word in typed.casefold().split())
