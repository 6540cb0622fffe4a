"""Opportunities, which everyone shares."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from importlib import resources
from itertools import zip_longest
from typing import Any, cast, get_args
from urllib.parse import urlencode
from uuid import UUID

import numpy as np
import structlog
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, RowMapping, ScalarSelect, Select
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit, preferences
from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import COMMAND_LINE, Actor, Client, Permission
from fundwright.billing import service as billing
from fundwright.billing.schemas import Quota
from fundwright.categories import service as categories
from fundwright.categories.schemas import LabelRead
from fundwright.conversation.schemas import Commented
from fundwright.core import jobs
from fundwright.core.assembly import Core
from fundwright.core.choices import refuse_unknown_values, unknown_values
from fundwright.core.database import now
from fundwright.core.errors import Conflict, FundwrightError, Invalid, NotFound
from fundwright.core.files import file_name
from fundwright.core.jobs import Job, JobRead, JobState
from fundwright.core.json_values import JsonObject
from fundwright.core.live import publish
from fundwright.core.messages import Message, later, t
from fundwright.core.paging import Page, PageRequest, iterate_all
from fundwright.core.sizes import file_size
from fundwright.core.spreadsheets import csv_lines
from fundwright.insights.schemas import Figure
from fundwright.language import service as language
from fundwright.opportunities import embedding, importing
from fundwright.opportunities.display_names import NAICS_BEGINNINGS, SET_ASIDES, TYPES, display_title, naics_title, set_aside_name
from fundwright.opportunities.grants import GrantsGov
from fundwright.opportunities.incoming import batch_of
from fundwright.opportunities.models import ImportRun
from fundwright.opportunities.nih import NihJsonLines
from fundwright.opportunities.question import Meaning, parse
from fundwright.opportunities.repository import filters, indexing, listing, ranking, runs, scoring, spelling, watches, writing
from fundwright.opportunities.sam import SamCsv
from fundwright.opportunities.schemas import (
    SEPARATOR,
    Availability,
    CategorizeOpportunities,
    Deadlines,
    EmbedOpportunities,
    Facets,
    FacetValue,
    FieldChange,
    FoundPage,
    ImportOpportunities,
    ImportQuery,
    ImportReport,
    ImportResult,
    ImportRunRead,
    Kind,
    Match,
    OpportunityQuery,
    OpportunityRead,
    OpportunityRow,
    RejectionRead,
    Requirements,
    Similar,
    SourceRead,
    VersionRead,
    WeekOfDeadlines,
    in_words,
    kind_label,
    status_label,
)
from fundwright.opportunities.sources import ParsedNotice, RejectedRow, Source
from fundwright.opportunities.washington import day_in_washington
from fundwright.workspaces import service as workspaces

log = structlog.get_logger()

TOPIC = importing.TOPIC
"""The live topic of every change of the opportunities."""

OPPORTUNITY = "opportunity"
"""The kind of opportunities as what comments are about."""

CATEGORIZING_TITLE = later("Categorize opportunities")

_VISITED = "opportunities: visited"
_SETTLED_AFTER_S = 2
"""Decisions made within this time of each other are learned together."""

_EXPORTED = (
    "id", "source", "kind", "number", "title", "agency", "sub_agency", "office", "type", "status", "naics", "psc",
    "set_aside_code", "activity_codes", "assistance_listings", "posted_at", "due_at", "award_ceiling", "award_floor",
    "total_funding", "award_amount", "place", "url",
)  # fmt: skip
_LISTS: Mapping[Kind, str] = {"contract": "/dashboard/sam", "grant": "/dashboard/nih"}
_BODIES = frozenset({"Description", "abstract"})
_REPORTED_REJECTIONS = 20
_SHOWN_CHARACTERS = 100
_SHOWN_WEEKS = 8
_EXCERPT_CHARACTERS = 200
_NOTICES_PER_NUMBER = 3
"""How many notices are read for each suggestion, of which several may have the same number."""
_SAMPLES: tuple[tuple[Source, str], ...] = (
    (SamCsv(), "sam.csv"),
    (GrantsGov(), "grants.xml"),
    (NihJsonLines(), "nih.jsonl"),
)


class UnknownOpportunity(NotFound):
    """No opportunity has this id or number."""

    def __init__(self, reference: str) -> None:
        FundwrightError.__init__(
            self,
            t(
                "There is no opportunity “{reference}”. Use its id, its solicitation or funding opportunity number, or its id at the "
                "source. To add opportunities, use `fundwright import`.",
                reference=reference[:_SHOWN_CHARACTERS],
            ),
        )


def visits_topic(owner_id: UUID) -> str:
    """The live topic of the account's visits to the list."""
    return f"opportunities-visited:{owner_id}"


async def understand(core: Core, query: OpportunityQuery) -> tuple[OpportunityQuery, Meaning | None]:
    """Correct misspelled words of the query, unless it is verbatim, and embed its text for a search by meaning.

    The embedding is None if the text has no word with a meaning or there is no model. Opens its own session: call it before opening
    the session of the search.
    """
    if query.verbatim or not query.text.strip():
        return query, await _read_meaning(core, query.text)
    # Searches are rarely misspelled, so embed the typed text while the spelling is checked.
    corrected, meaning = await asyncio.gather(_correct(core, query.text), _read_meaning(core, query.text))
    if corrected != query.text:
        query, meaning = query.model_copy(update={"text": corrected}), await _read_meaning(core, corrected)
    return query, meaning


async def _correct(core: Core, text: str) -> str:
    async with core.database.reading() as session:
        return await spelling.correct(session, text)


async def _read_meaning(core: Core, text: str) -> Meaning | None:
    topic = parse(text).topic.strip()
    if not topic:
        return None
    try:
        embedder = await language.get_embedder(core)
        (vector,) = await embedder.embed([topic])
    except FundwrightError as error:
        log.warning("search.without_meaning", reason=error.sentence)
        return None
    return Meaning(embedder.id, vector)


@needs(Permission.READ)
async def search(core: Core, actor: Actor, query: OpportunityQuery) -> FoundPage:
    """Like `list_opportunities`, by words and meaning, with misspelled words corrected. Opens its own sessions."""
    understood, meaning = await understand(core, query)
    async with core.database.reading() as session:
        found = await list_opportunities(session, actor, understood, meaning=meaning)
    return found.model_copy(update={"corrected": understood.text if understood.text != query.text else ""})


@needs(Permission.READ)
async def found_among(core: Core, actor: Actor, query: OpportunityQuery, ids: Collection[UUID]) -> Collection[UUID]:
    """Return which of these opportunities `search` finds, on any page. Opens its own sessions."""
    if not ids:
        return ()
    understood, meaning = await understand(core, query)
    async with core.database.reading() as session:
        ranked = await _rank(session, actor, understood, meaning)
        return await listing.found_among(session, understood, _chosen(actor, understood), ids, ranked=ranked)


@needs(Permission.READ)
async def list_opportunities(
    session: AsyncSession, actor: Actor, query: OpportunityQuery, *, meaning: Meaning | None = None
) -> FoundPage:
    """Return a page of matching opportunities, and the total, including close matches. Without `meaning`, text is searched by words
    only."""
    ranked = await _rank(session, actor, query, meaning)
    rows, total = await listing.page(session, query, _chosen(actor, query), ranked=ranked)
    return _page(query, rows, total, ranked)


@needs(Permission.READ)
async def list_with_labels(
    session: AsyncSession,
    actor: Actor,
    query: OpportunityQuery,
    *,
    meaning: Meaning | None = None,
    extra: Callable[[ColumnElement[UUID]], ScalarSelect[Any]] = listing.nothing_more,
) -> tuple[FoundPage, dict[UUID, list[LabelRead]], dict[UUID, str], set[UUID]]:
    """Like `list_opportunities`, with the actor's categories of each opportunity, what the subquery that `extra` makes of an id
    selects for it, and the ids of those that the actor watches, read in the same statement. If the requested page no longer exists,
    returns the last one."""
    ranked = await _rank(session, actor, query, meaning)
    is_watched = watches.is_watched(actor.workspace_id, actor.id).label("is_watched")
    read = partial(
        listing.page,
        session,
        labeled=_chosen(actor, query),
        ranked=ranked,
        extra_columns=[_labels_in(actor), extra(filters.ID).label("extra"), is_watched],
    )
    rows, total = await read(query)
    if total and not rows:
        query = query.model_copy(update={"page": -(-total // query.page_size)})
        rows, total = await read(query)
    labels = {row["id"]: [LabelRead.model_validate(label) for label in row["labels"] or ()] for row in rows}
    extras = {row["id"]: row["extra"] for row in rows if row["extra"] is not None}
    return _page(query, rows, total, ranked), labels, extras, {row["id"] for row in rows if row["is_watched"]}


@needs(Permission.READ)
async def count_titled(session: AsyncSession, actor: Actor, query: OpportunityQuery) -> Mapping[Availability, int]:
    """Count the open, closed, and award notices that have all words of the query in their titles, regardless of its availability."""
    return await listing.count_titled(session, query, _chosen(actor, query))


async def _rank(session: AsyncSession, actor: Actor, query: OpportunityQuery, meaning: Meaning | None) -> ranking.Ranked | None:
    return await ranking.rank(session, query, _chosen(actor, query), meaning) if query.text.strip() else None


def _page(query: OpportunityQuery, rows: Sequence[RowMapping], total: int, ranked: ranking.Ranked | None) -> FoundPage:
    items = [OpportunityRow.model_validate(row) for row in rows]
    if ranked is not None:
        items = [
            item.model_copy(update={"match": _match(item.id, ranked, row.get("passage") or "")})
            for item, row in zip(items, rows, strict=True)
        ]
    has_uncounted = ranked is not None and ranked.has_uncounted
    return FoundPage(items=items, total=total, page=query.page, page_size=query.page_size, has_uncounted=has_uncounted)


def _match(opportunity_id: UUID, ranked: ranking.Ranked, marked_passage: str) -> Match:
    passage, marks = "", list[tuple[int, int]]()
    for part in marked_passage.split(ranking.MARK):
        marked, end, rest = part.partition(ranking.END_MARK)
        if end:
            marks.append((len(passage), len(passage) + len(marked)))
        passage += marked + rest
    return Match(
        reason=ranked.reasons.get(opportunity_id, "all_words"),
        is_close=ranked.is_close(opportunity_id),
        passage=passage,
        marks=marks,
    )


@needs(Permission.READ)
async def suggest(session: AsyncSession, actor: Actor, words: str, *, limit: int = 6) -> list[OpportunityRow]:
    """Suggest opportunities for text that is still being typed, newest first; without words, the newest of all. Only the newest of
    several notices with the same number and title is suggested."""
    newest: dict[tuple[str, str], OpportunityRow] = {}
    for row in await listing.suggest(session, words.strip(), limit=_NOTICES_PER_NUMBER * limit):
        newest.setdefault((row["number"], row["title"]), OpportunityRow.model_validate(row))
    return list(newest.values())[:limit]


@needs(Permission.READ)
async def note_visit(session: AsyncSession, actor: Actor) -> None:
    """Record a visit to the list. Its current notices are no longer new to the actor."""
    await preferences.save_state(session, actor, _VISITED, now().isoformat())
    await publish(session, visits_topic(actor.id))


@needs(Permission.READ)
async def is_visit_due(session: AsyncSession, actor: Actor) -> bool:
    """Whether recording a visit would change what is new to the actor: notices were imported since the last recorded one, or there is none."""
    visited = await preferences.saved_state(session, actor, _VISITED)
    return visited is None or await listing.has_seen_after(session, datetime.fromisoformat(visited))


@needs(Permission.READ)
async def count_new(session: AsyncSession, actor: Actor, *, limit: int = 100) -> int:
    """Count opportunities in the actor's categories that were imported since the last visit to the list, up to `limit`."""
    visited = await preferences.saved_state(session, actor, _VISITED)
    if visited is None:
        return 0
    labeled = categories.labeled_with(actor)
    return await listing.count_seen_after(session, datetime.fromisoformat(visited), labeled, limit=limit)


@needs(Permission.READ)
async def count_matching(
    session: AsyncSession, actor: Actor, query: OpportunityQuery, *, until: datetime | None = None, limit: int = 100
) -> int:
    """Count the results of a list that were first imported at `until` or before, up to `limit`. Close matches and samples are left out,
    and misspelled words corrected, unless the query is verbatim."""
    text = query.text if query.verbatim else await spelling.correct(session, query.text)
    real = query.model_copy(update={"text": text, "sample": False})
    return await listing.count_matching(session, real, _chosen(actor, query), until=until, limit=limit)


async def newest_arrival(session: AsyncSession) -> datetime | None:
    """Return when the newest notice was first imported; None if there are none but samples."""
    return await listing.newest_arrival(session)


async def settled_until(session: AsyncSession) -> datetime | None:
    """Return like `newest_arrival`, but None while notices are being imported or indexed."""
    if await jobs.owners_underway(session, ImportOpportunities.job_kind, EmbedOpportunities.job_kind):
        return None
    return await newest_arrival(session)


async def categorizing_workspaces(session: AsyncSession) -> Collection[UUID]:
    """Return the workspaces whose notices are being sorted into categories."""
    return [owner for owner in await jobs.owners_underway(session, CategorizeOpportunities.job_kind) if owner is not None]


def list_path(query: OpportunityQuery, **more: object) -> str:
    """Return the address of the list that shows the first page of what `query` finds, which must name a kind. `more` are parameters of
    the screen."""
    given = query.model_dump(mode="json", exclude_defaults=True, exclude={"kind", "text", "verbatim", "availability", "page"})
    params: dict[str, object] = {"q": query.text} if query.text else {}
    params |= {"verbatim": "yes"} if query.verbatim else {}
    params |= {"availability": query.availability or "any"} if query.availability != "open" else {}
    params |= {name: SEPARATOR.join(value) if isinstance(value, list) else value for name, value in given.items()}
    assert query.kind
    return f"{_LISTS[query.kind]}?{urlencode(params | more)}"


@needs(Permission.READ)
async def next_deadlines(session: AsyncSession, actor: Actor, *, limit: int = 8) -> Deadlines:
    """Return the open opportunities in the actor's categories with the nearest deadlines, or of all if there are none."""
    today = day_in_washington(now())
    query = OpportunityQuery(availability="open", due_from=today, sort="due", page_size=limit)
    labeled: Select[UUID] | None = categories.labeled_with(actor)
    rows, _ = await listing.page(session, query, labeled)
    is_of_categories = bool(rows)
    if not rows:
        labeled = None
        rows, _ = await listing.page(session, query, labeled)
    counts = await listing.count_due_by_week(session, today, labeled, weeks=_SHOWN_WEEKS) if rows else {}
    return Deadlines(
        items=[OpportunityRow.model_validate(row) for row in rows],
        weeks=[WeekOfDeadlines(first=today + timedelta(weeks=week), count=counts.get(week, 0)) for week in range(_SHOWN_WEEKS)],
        is_of_categories=is_of_categories,
    )


@needs(Permission.READ)
async def list_matches(session: AsyncSession, actor: Actor, *, limit: int = 6) -> list[OpportunityRow]:
    """Return the newest open opportunities in the actor's categories."""
    query = OpportunityQuery(availability="open", sort="-posted", page_size=limit)
    rows, _ = await listing.page(session, query, categories.labeled_with(actor))
    return [OpportunityRow.model_validate(row) for row in rows]


@needs(Permission.READ)
async def read_figures(session: AsyncSession, actor: Actor) -> list[Figure]:
    """Return the number of open opportunities, and of those posted in the last 7 days."""
    is_open = {"availability": "open"}
    is_new = {"posted_from": str(day_in_washington(now() - timedelta(days=7)))}

    async def figure(label: str, kind: Kind, filters: Mapping[str, str]) -> Figure:
        count = await listing.count(session, OpportunityQuery.model_validate({"kind": kind, **filters}))
        shown = urlencode({"availability": "any", **filters})
        return Figure(label=label, count=count, path=f"{_LISTS[kind]}?{shown}")

    return [
        await figure(t("Open grants"), "grant", is_open),
        await figure(t("Open contracts"), "contract", is_open),
        await figure(t("Grants posted in the last 7 days"), "grant", is_new),
        await figure(t("Contracts posted in the last 7 days"), "contract", is_new),
    ]


@needs(Permission.READ)
async def get_opportunity(session: AsyncSession, actor: Actor, opportunity_id: UUID) -> OpportunityRead:
    """Raises NotFound."""
    return OpportunityRead.model_validate(await listing.get(session, opportunity_id))


@needs(Permission.READ)
async def has_imported(session: AsyncSession, actor: Actor) -> bool:
    """Whether there is any opportunity that is not a sample."""
    return bool(await listing.list_own_kinds(session))


@needs(Permission.READ)
async def list_existing(session: AsyncSession, actor: Actor, opportunity_ids: Collection[UUID]) -> Collection[UUID]:
    """Return which of these opportunities exist. They cannot be removed until the transaction ends."""
    return await listing.lock_existing(session, opportunity_ids)


@needs(Permission.READ)
async def get_commented(session: AsyncSession, actor: Actor, opportunity_id: UUID) -> Commented:
    """Return an opportunity as what comments are about. Raises NotFound."""
    for row in await listing.rows_of(session, [opportunity_id]):
        opportunity = OpportunityRow.model_validate(row)
        return Commented(title=display_title(opportunity.title), path=path_of(opportunity))
    raise NotFound(t("The opportunity"))


def path_of(opportunity: OpportunityRow) -> str:
    """The address of its page."""
    return f"{_LISTS[opportunity.kind]}/{opportunity.id}"


@needs(Permission.READ)
async def requirements_of(session: AsyncSession, actor: Actor, ids: Collection[UUID]) -> dict[UUID, Requirements]:
    """Return what these opportunities ask of those who respond. Ids that do not exist are left out."""
    return {row["id"]: Requirements.model_validate(row) for row in await listing.requirements_of(session, ids)}


@needs(Permission.READ)
async def look_up(session: AsyncSession, actor: Actor, reference: str) -> OpportunityRead:
    """Return the opportunity with this id, number, or source id. If there are several, returns the newest.

    The source id is the NoticeId of SAM.gov, the OpportunityID of Grants.gov, or the opportunity_id of NIH. Raises
    UnknownOpportunity.
    """
    wanted = reference.replace("\x00", "").strip()
    found = await listing.find_id(session, wanted) if wanted else None
    if found is None:
        raise UnknownOpportunity(reference)
    return await get_opportunity(session, actor, found)


@needs(Permission.READ)
async def list_versions(session: AsyncSession, actor: Actor, opportunity_id: UUID, request: PageRequest) -> Page[VersionRead]:
    """Return the versions of a notice, newest first, with the fields that each one changed. Raises NotFound."""
    # Also read the version before the page, to compare it with the oldest one on the page.
    limit = request.page_size + 1
    found = await listing.versions(session, opportunity_id, offset=request.offset, limit=limit)
    total: int = found[0][-1] if found else (await listing.get(session, opportunity_id))["version"]
    items: list[VersionRead] = []
    for (number, seen_at, raw, description, _), before in zip_longest(found, found[1:]):
        changes = _changes(_fields(before[2], before[3]), _fields(raw, description)) if before else []
        items.append(VersionRead(number=number, seen_at=seen_at, changes=changes))
    return Page(items=items[: request.page_size], total=total, page=request.page, page_size=request.page_size)


@needs(Permission.READ)
async def export_versions(session: AsyncSession, actor: Actor, opportunity_id: UUID, request: PageRequest) -> AsyncIterator[str]:
    """Yield the changes of each version as lines of CSV, one per field, newest version first. Raises NotFound."""
    columns: list[tuple[str, Callable[[tuple[VersionRead, FieldChange | None]], object]]] = [
        (t("Version"), lambda line: line[0].number),
        (t("When"), lambda line: line[0].seen_at),
        (t("Field"), lambda line: line[1] and line[1].field),
        (t("Before"), lambda line: line[1] and line[1].before),
        (t("After"), lambda line: line[1] and line[1].after),
    ]
    versions = iterate_all(lambda page: list_versions(session, actor, opportunity_id, page), request)
    async for line in csv_lines(
        columns, ((version, change) async for version in versions for change in version.changes or [None])
    ):
        yield line


@needs(Permission.READ)
async def facets(session: AsyncSession, actor: Actor, *, kind: Kind | None = None) -> Facets:
    """Return the filter values of a list."""
    values: dict[str, list[FacetValue]] = {}
    for facet, value, label, number in await listing.facets(session, kind):
        values.setdefault(facet, []).append(FacetValue(value=value, label=label, count=number))
    samples = sum(value.count for value in values.get("sample", ()))
    totals = {value.value: value.count for value in values.get("kind", ())}
    return Facets(
        agencies=values.get("agency", []),
        types=values.get("type", []),
        set_asides=values.get("set_aside", []),
        activity_codes=values.get("activity_code", []),
        sources=values.get("source", []),
        total=samples + sum(value.count for value in values.get("own", ())),
        samples=samples,
        totals={name: totals.get(name, 0) for name in _LISTS},
    )


@needs(Permission.READ)
async def refuse_unknown_filters(session: AsyncSession, actor: Actor, core: Core, query: OpportunityQuery) -> None:
    """Raise Invalid, naming values that there are, if the query asks for what no notice can have."""
    for sentence in await list_unknown_values(session, actor, core, query):
        raise Invalid(sentence)


@needs(Permission.READ)
async def list_unknown_values(session: AsyncSession, actor: Actor, core: Core, query: OpportunityQuery) -> list[str]:
    """Return a sentence for each filter with a value that there is not, in notices or in the code lists that we know. Before the first
    notice of a kind, each agency and each activity code may be one."""
    known: dict[str, Collection[str] | Collection[UUID]] = {}
    if query.source or query.set_aside or query.type or query.agency or query.activity_code:
        published = await facets(session, actor, kind=query.kind)
        agencies = [each.value for each in published.agencies]
        if not set(query.agency) <= set(agencies):
            kinds = [query.kind] if query.kind else list(_LISTS)
            agencies += [each.value for kind in kinds for each in await list_sub_agencies(session, actor, kind)]
        known = {
            "source": _with([source.name for source in list_sources(core)], published.sources),
            "set_aside": _with(SET_ASIDES, published.set_asides),
            "type": _with(TYPES, published.types),
        }
        if published.total:
            known |= {"agency": agencies, "activity_code": [each.value for each in published.activity_codes]}
    if query.category:
        known["category"] = [category.id for category in await categories.list_categories(session, actor)]
    if not set(query.naics) <= set(NAICS_BEGINNINGS):
        published_codes = [each.value for each in await list_naics(session, actor)]
        beginnings = (code[:digits] for code in published_codes for digits in range(2, len(code) + 1))
        known["naics"] = dict.fromkeys((*NAICS_BEGINNINGS, *beginnings))
    return [*unknown_values(query, **known)]


def _with(known: Iterable[str], published: Iterable[FacetValue]) -> list[str]:
    return [*dict.fromkeys((*(each.value for each in published), *known))]


@needs(Permission.READ)
async def list_sub_agencies(session: AsyncSession, actor: Actor, kind: Kind) -> list[FacetValue]:
    """Return the sub-agencies of opportunities, most frequent first. The label is that of the agency to which most of them belong."""
    found: dict[str, FacetValue] = {}
    for name, agency, number in await listing.list_sub_agencies(session, kind):
        known = found.get(name)
        count = number + (known.count if known else 0)
        found[name] = FacetValue(value=name, label=known.label if known else agency, count=count)
    return list(found.values())


@needs(Permission.READ)
async def count_by_kind(session: AsyncSession, actor: Actor, availability: Availability) -> Mapping[Kind, int]:
    """Return the number of open, closed, or award notices of each kind."""
    counts = await listing.count_by_kind(session, availability)
    return {name: counts.get(name, 0) for name in _LISTS}


@needs(Permission.READ)
async def list_naics(session: AsyncSession, actor: Actor) -> list[FacetValue]:
    """Return the NAICS codes of opportunities with their titles, most frequent first."""
    return [FacetValue(value=code, label=naics_title(code), count=count) for code, count in await listing.list_naics(session)]


@needs(Permission.READ)
async def export(
    session: AsyncSession, actor: Actor, core: Core, query: OpportunityQuery, *, meaning: Meaning | None = None
) -> AsyncIterator[str]:
    """Yield the whole list as CSV in its order, including close matches, line by line. Cells that a spreadsheet would run as a
    formula begin with an apostrophe."""
    labels = _source_labels(core)
    columns: list[tuple[str, Callable[[Any], object]]] = [
        (t("ID"), lambda row: row.id),
        (t("Source"), lambda row: labels.get(row.source, row.source)),
        (t("Contract or grant"), lambda row: kind_label(row.kind)),
        (t("Number"), lambda row: row.number),
        (t("Title"), lambda row: row.title),
        (t("Agency"), lambda row: row.agency),
        (t("Sub-agency"), lambda row: row.sub_agency),
        (t("Office"), lambda row: row.office),
        (t("Type"), lambda row: row.type),
        (t("Status"), lambda row: status_label(row.status)),
        ("NAICS", lambda row: row.naics),
        (t("NAICS title"), lambda row: naics_title(row.naics)),
        ("PSC", lambda row: row.psc),
        (t("Set-aside"), lambda row: row.set_aside_code),
        (t("Set-aside in words"), lambda row: set_aside_name(row.set_aside_code)),
        (t("Activity codes"), lambda row: row.activity_codes),
        (t("Assistance listings"), lambda row: row.assistance_listings),
        (t("Posted"), lambda row: row.posted_at),
        (t("Due"), lambda row: row.due_at),
        (t("Award ceiling"), lambda row: row.award_ceiling),
        (t("Award floor"), lambda row: row.award_floor),
        (t("Total funding"), lambda row: row.total_funding),
        (t("Awarded"), lambda row: row.award_amount),
        (t("Location"), lambda row: row.place),
        (t("Link"), lambda row: row.url),
    ]
    ranked = await _rank(session, actor, query, meaning)
    if ranked is not None:
        columns.append((t("Match"), lambda row: t("Close match") if ranked.is_close(row.id) else t("Full match")))
    lines = csv_lines(columns, listing.stream(session, query, _chosen(actor, query), _EXPORTED, ranked=ranked))
    async for line in lines:
        yield line


def list_sources(core: Core) -> list[SourceRead]:
    """Return the formats that can be imported, including those of plug-ins."""
    sources: list[Source] = core.plugins.collect("opportunity_sources")
    return [SourceRead.model_validate(source).model_copy(update={"label": t(source.label)}) for source in sources]


def _source_labels(core: Core) -> dict[str, str]:
    """The labels of formats, in the reader's language, by name."""
    return {source.name: source.label for source in list_sources(core)}


def get_source(core: Core, name: str) -> Source:
    """Raises Invalid, listing the formats."""
    sources = cast(list[Source], core.plugins.collect("opportunity_sources"))
    for source in sources:
        if source.name == name:
            return source
    known = ", ".join(source.name for source in sources)
    raise Invalid(t("There is no source named “{name}”. Choose one of {known}.", name=name, known=known))


@needs(Permission.WORK)
async def start_import(
    session: AsyncSession, actor: Actor, core: Core, *, source: str, filename: str, upload: str
) -> ImportRunRead:
    """Import a spooled file as a job, which starts once the caller commits and removes the file at its end.

    Raises NotAllowed, Invalid, or QuotaSpent.
    """
    chosen = get_source(core, source)
    try:
        await _check_waiting(session, actor, core, upload)
        run = await prepare_import(session, actor, core, source=source, filename=filename)
    except billing.QuotaSpent:
        core.files.remove(upload)
        raise
    payload = ImportOpportunities(run_id=run.id, source=source, upload=upload)
    title = later("{source}: {file}", source=Message(chosen.label), file=run.filename)
    job = await core.jobs.enqueue(session, payload, title=title, owner_id=actor.id)
    await runs.set_job(session, run.id, job.id)
    return run.model_copy(update={"job_id": job.id, "state": job.state})


async def _check_waiting(session: AsyncSession, actor: Actor, core: Core, upload: str) -> None:
    """Raise QuotaSpent if the actor's waiting imports and this file together exceed the limit."""
    await _require_room(session, actor, core, await asyncio.to_thread(core.files.size_of, [upload]))


@needs(Permission.WORK)
async def require_room(core: Core, actor: Actor, size_bytes: int, arriving_bytes: int) -> None:
    """Raise QuotaSpent if a file of this size, others that are arriving, and the actor's waiting imports together exceed the limit now."""
    async with core.database.reading() as session:
        await _require_room(session, actor, core, size_bytes, arriving_bytes)


async def _require_room(session: AsyncSession, actor: Actor, core: Core, size_bytes: int, arriving_bytes: int = 0) -> None:
    if actor.may(Permission.ADMINISTER):
        return
    waiting = await runs.list_waiting_uploads(session, actor.id)
    used_bytes = arriving_bytes + await asyncio.to_thread(core.files.size_of, waiting)
    if (waiting or arriving_bytes) and used_bytes + size_bytes > core.settings.account_bytes:
        raise billing.QuotaSpent(
            t(
                "Your unfinished imports use {used} of your limit of {limit}, and this file is {size}. Wait until one of them has finished, "
                "or ask an administrator to raise FUNDWRIGHT_ACCOUNT_BYTES.",
                used=file_size(used_bytes),
                limit=file_size(core.settings.account_bytes),
                size=file_size(size_bytes),
            )
        )


@needs(Permission.WORK)
async def prepare_import(session: AsyncSession, actor: Actor, core: Core, *, source: str, filename: str) -> ImportRunRead:
    """Record an import whose job the caller runs itself. Raises NotAllowed, Invalid, or QuotaSpent."""
    chosen = get_source(core, source)
    await billing.check_quota(session, actor, Quota.IMPORTS)
    run = await runs.add_run(session, owner_id=actor.id, source=chosen.name, filename=file_name(filename))
    return _read_run(run, None)


async def prepare_system_import(session: AsyncSession, core: Core, *, source: str, filename: str) -> ImportRunRead:
    """Record an import that the command line runs itself and that belongs to the installation, not to an account.

    Raises Invalid.
    """
    chosen = get_source(core, source)
    run = await runs.add_run(session, owner_id=None, source=chosen.name, filename=file_name(filename))
    await audit.record(session, "import.started", actor=None, subject=run.filename, client=COMMAND_LINE, source=chosen.name)
    return _read_run(run, None)


def refuse_unknown_sources(core: Core, query: ImportQuery) -> None:
    """Raise Invalid, naming the formats."""
    refuse_unknown_values(query, source=[source.name for source in list_sources(core)])


@needs(Permission.READ)
async def list_imports(session: AsyncSession, actor: Actor, query: ImportQuery) -> Page[ImportRunRead]:
    """Return the actor's imports, newest first; for administrators, everyone's."""
    found, total = await runs.page_of_runs(session, actor, sources=query.source, offset=query.offset, limit=query.page_size)
    return Page(items=[_read_run(run, job) for run, job in found], total=total, page=query.page, page_size=query.page_size)


@needs(Permission.READ)
async def export_imports(session: AsyncSession, actor: Actor, core: Core, query: ImportQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    labels = _source_labels(core)
    columns: list[tuple[str, Callable[[ImportRunRead], object]]] = [
        (t("Source"), lambda run: labels.get(run.source, run.source)),
        (t("File"), lambda run: run.filename),
        (t("Started"), lambda run: run.created_at),
        (t("Status"), lambda run: run.state),
        (t("New"), lambda run: run.new),
        (t("Changed"), lambda run: run.changed),
        (t("Unchanged"), lambda run: run.unchanged),
        (t("Rejected"), lambda run: run.rejected),
        (t("Warnings"), lambda run: " ".join(run.warnings.sentences())),
        (t("Error"), lambda run: run.error),
    ]
    async for line in csv_lines(columns, iterate_all(lambda page: list_imports(session, actor, page), query)):
        yield line


@needs(Permission.READ)
async def get_import(session: AsyncSession, actor: Actor, run_id: UUID) -> ImportRunRead:
    """Raises NotFound."""
    return _read_run(*await runs.get_run(session, actor, run_id))


@needs(Permission.WORK)
async def cancel_import(session: AsyncSession, actor: Actor, core: Core, run_id: UUID) -> ImportRunRead:
    """Cancel an import after its current batch. Opportunities imported so far are kept. Raises NotFound, NotAllowed, or Conflict if
    it has ended."""
    run, job = await runs.get_run(session, actor, run_id)
    if job is None:
        raise Conflict(t("The import has not started yet."))
    canceled = await jobs.cancel(session, job.id, owner_id=run.owner_id)
    upload = ImportOpportunities.model_validate(job.payload).upload
    if canceled.state.is_over and upload:
        # The job had not started, so it will not remove the file.
        core.files.remove_after_commit(session, upload)
    return await get_import(session, actor, run_id)


async def report_system_import(session: AsyncSession, run_id: UUID) -> ImportReport:
    """Return the counts and the first rejected rows of an import that `prepare_system_import` recorded. Raises NotFound."""
    run, job = await runs.get_system_run(session, run_id)
    first, _ = await runs.rejections(session, run.id, limit=_REPORTED_REJECTIONS)
    return ImportReport(
        source=run.source,
        filename=run.filename,
        run_id=run.id,
        new=run.new,
        changed=run.changed,
        unchanged=run.unchanged,
        rejected=run.rejected,
        samples_removed=_samples_removed(job),
        warnings=importing.warnings_of(job.checkpoint if job else {}),
        rejections=[RejectionRead.model_validate(rejection) for rejection in first],
    )


@needs(Permission.READ)
async def list_rejections(session: AsyncSession, actor: Actor, run_id: UUID, request: PageRequest) -> Page[RejectionRead]:
    """Return the rejected rows of an import, in file order. Raises NotFound."""
    await runs.get_run(session, actor, run_id)
    found, total = await runs.rejections(session, run_id, offset=request.offset, limit=request.page_size)
    items = [RejectionRead.model_validate(rejection) for rejection in found]
    return Page(items=items, total=total, page=request.page, page_size=request.page_size)


@needs(Permission.READ)
async def export_rejections(session: AsyncSession, actor: Actor, run_id: UUID) -> AsyncIterator[str]:
    """Return the rejected rows as CSV, with the name of the file. Raises NotFound."""
    run, _ = await runs.get_run(session, actor, run_id)
    columns: list[tuple[str, Callable[[tuple[int, str, str]], object]]] = [
        (t("File"), lambda _row: run.filename),
        (t("Line"), lambda row: row[0]),
        (t("Column"), lambda row: row[1]),
        (t("Reason"), lambda row: row[2]),
    ]
    async for line in csv_lines(columns, runs.stream_rejections(session, run_id)):
        yield line


@needs(Permission.LABEL)
async def start_categorizing(session: AsyncSession, actor: Actor, core: Core) -> JobRead:
    """Categorize all opportunities for the actor as a job, or return the job that is waiting. Raises NotAllowed."""
    waiting = await jobs.find_waiting(session, actor.workspace_id, kind=CategorizeOpportunities.job_kind)
    return waiting or await core.jobs.enqueue(
        session, CategorizeOpportunities(), title=CATEGORIZING_TITLE, owner_id=actor.workspace_id, account_id=actor.id
    )


@needs(Permission.LABEL)
async def categorize_soon(session: AsyncSession, actor: Actor, core: Core) -> None:
    """Categorize again once the actor has paused making decisions, unless a waiting job will."""
    await _categorize_soon(session, core, actor.workspace_id, actor.id)


async def categorize_again(session: AsyncSession, core: Core) -> None:
    """Categorize newly embedded notices for every workspace that has categorized before, as the member who did so last."""
    for workspace_id, account_id in await indexing.list_last_sorters(session, workspaces.memberships()):
        await _categorize_soon(session, core, workspace_id, account_id)


async def _categorize_soon(session: AsyncSession, core: Core, workspace_id: UUID, account_id: UUID) -> None:
    if not await jobs.find_waiting(session, workspace_id, kind=CategorizeOpportunities.job_kind):
        await core.jobs.enqueue(
            session,
            CategorizeOpportunities(),
            title=CATEGORIZING_TITLE,
            owner_id=workspace_id,
            account_id=account_id,
            delay_s=_SETTLED_AFTER_S,
        )


@needs(Permission.READ)
def open_ids(actor: Actor) -> Select[UUID]:
    """Ids of open opportunities, for use as a subquery. Award notices are not included."""
    return filters.open_ids()


@needs(Permission.READ)
async def get_categorizing(session: AsyncSession, actor: Actor, job_id: UUID) -> JobRead:
    """Return a job that sorts opportunities into the actor's categories. Raises NotFound."""
    return await jobs.get_own(session, job_id, actor.workspace_id, kind=CategorizeOpportunities.job_kind)


@needs(Permission.READ)
async def find_categorizing(session: AsyncSession, actor: Actor) -> JobRead | None:
    """Return the actor's latest categorizing job, in any state."""
    found = await jobs.list_recent(session, actor.workspace_id, kind=CategorizeOpportunities.job_kind, limit=1)
    return found[0] if found else None


@needs(Permission.LABEL)
async def cancel_categorizing(session: AsyncSession, actor: Actor, job_id: UUID) -> JobRead:
    """Cancel the job after its current step. Labels so far are kept. Raises NotFound, NotAllowed, or Conflict."""
    job = await get_categorizing(session, actor, job_id)
    return await jobs.cancel(session, job.id, owner_id=actor.workspace_id)


@needs(Permission.READ)
async def find_embedding(session: AsyncSession, actor: Actor) -> JobRead | None:
    """Return the installation's latest indexing job, in any state."""
    job = await indexing.find_embedding(session)
    return JobRead.model_validate(job) if job else None


@needs(Permission.ADMINISTER)
async def start_embedding(session: AsyncSession, actor: Actor, core: Core) -> JobRead | None:
    """Index notices that the current model has not indexed, and return the new job or the one already waiting or running. Raises
    NotAllowed."""
    await embedding.embed_later(session, core)
    return await find_embedding(session, actor)


@needs(Permission.ADMINISTER)
async def cancel_embedding(session: AsyncSession, actor: Actor) -> JobRead:
    """Cancel the job after its current step, until the next import or start. Notices indexed so far stay indexed. Raises
    NotAllowed, NotFound, or Conflict."""
    job = await indexing.find_embedding(session)
    if job is None:
        raise NotFound(t("The job"))
    return await jobs.cancel(session, job.id, owner_id=None)


@needs(Permission.READ)
async def similar(session: AsyncSession, actor: Actor, opportunity_id: UUID, *, model_id: str, limit: int = 5) -> list[Similar]:
    """Return the opportunities with the nearest embeddings, or none if the model has not embedded this one. Raises NotFound."""
    vector = await indexing.vector_of(session, model_id, opportunity_id)
    if vector is None:
        return []
    similarities = dict(await scoring.similar(session, model_id, vector, leave_out=opportunity_id, limit=limit))
    rows = await listing.rows_of(session, list(similarities))
    return [Similar(opportunity=OpportunityRow.model_validate(row), similarity=similarities[row["id"]]) for row in rows]


@needs(Permission.READ)
async def vectors_of(
    session: AsyncSession, actor: Actor, ids: Sequence[UUID], *, model_id: str
) -> dict[UUID, NDArray[np.float32]]:
    """Return the unit-length embeddings, by this model, of those opportunities that have one."""
    return await indexing.vectors_of(session, model_id, ids)


@needs(Permission.READ)
async def rows_of(session: AsyncSession, actor: Actor, ids: Sequence[UUID]) -> list[OpportunityRow]:
    """Return these opportunities in this order. Ids that no longer exist are skipped."""
    return [OpportunityRow.model_validate(row) for row in await listing.rows_of(session, ids)]


@needs(Permission.READ)
def facts(actor: Actor) -> Select[UUID, str, str, str, datetime | None]:
    """Select the id, title, number, agency, and due date of each opportunity, as a subquery."""
    return listing.facts()


@needs(Permission.READ)
async def excerpts_of(session: AsyncSession, actor: Actor, ids: Sequence[UUID]) -> dict[UUID, str]:
    """Return the beginnings of the descriptions of these opportunities, each in one line. Ids that no longer exist are skipped."""
    beginnings = await listing.beginnings_of(session, ids, characters=_EXCERPT_CHARACTERS)
    return {id: " ".join(text.split()) for id, text in beginnings.items()}


async def prepare(session: AsyncSession, core: Core) -> None:
    """At server startup, load the samples on the very first start, and embed notices that the current model has not embedded."""
    await load_sample_once(session)
    await embedding.embed_later(session, core)


async def load_sample_once(session: AsyncSession) -> None:
    """Load the samples on the very first start, so that every screen has content."""
    if await runs.was_ever_imported(session) or not await listing.is_empty(session):
        return
    await _load_sample(session)


async def _load_sample(session: AsyncSession) -> None:
    for source, name in _SAMPLES:
        run = await runs.add_run(session, owner_id=None, source=source.name, filename=name, is_sample=True)
        rows = await asyncio.to_thread(_read_sample, source, name)
        await writing.merge(session, batch_of(rows), source, run_id=run.id, uploader=None, is_sample=True)
    await importing.announce(session)


def _read_sample(source: Source, name: str) -> list[ParsedNotice | RejectedRow]:
    with (resources.files("fundwright.opportunities") / "sample" / name).open("rb") as file:
        return list(source.parse(cast(io.BufferedReader, file)))


@needs(Permission.ADMINISTER)
async def remove_sample(session: AsyncSession, actor: Actor, *, client: Client = COMMAND_LINE) -> int:
    """Remove the sample opportunities for everyone, and return their number. Raises NotAllowed."""
    await audit.record(session, "sample.deleted", actor=actor, subject="opportunities", client=client)
    return await importing.remove_sample(session, get_args(Kind))


@needs(Permission.ADMINISTER)
async def restore_sample(session: AsyncSession, actor: Actor, core: Core, *, client: Client = COMMAND_LINE) -> None:
    """Add the sample opportunities again for everyone, and index them, unless there are some. Raises NotAllowed."""
    if not await writing.has_sample(session):
        await _load_sample(session)
        await embedding.embed_later(session, core)
        await audit.record(session, "sample.restored", actor=actor, subject="opportunities", client=client)


def _chosen(actor: Actor, query: OpportunityQuery) -> Select[UUID] | None:
    """Select the ids of what is in the query's category and watched as it says; None if it says neither."""
    labeled = categories.labeled_with(actor, query.category) if query.category else None
    if query.watched is None:
        return labeled
    watched = watches.watched_ids(actor.workspace_id, actor.id if query.watched == "me" else None)
    (watched_id,) = watched.selected_columns
    return watched if labeled is None else watched.where(watched_id.in_(labeled))


def _labels_in(actor: Actor) -> ColumnElement[Any]:
    return categories.labels_in(actor, filters.ID).label("labels")


def _read_run(run: ImportRun, job: Job | None) -> ImportRunRead:
    return ImportRunRead(
        id=run.id,
        job_id=run.job_id,
        source=run.source,
        filename=run.filename,
        is_sample=run.is_sample,
        created_at=run.created_at,
        new=run.new,
        changed=run.changed,
        unchanged=run.unchanged,
        rejected=run.rejected,
        state=JobState(job.state) if job else None,
        error=job.error if job else None,
        done=job.done if job else 0,
        size_bytes=job.total if job else None,
        samples_removed=_samples_removed(job),
        warnings=importing.warnings_of(job.checkpoint if job else {}),
    )


def _samples_removed(job: Job | None) -> int:
    return jobs.result_of(job, ImportResult).get("samples_removed", 0) if job and job.result else 0


def _fields(raw: JsonObject, description: str) -> dict[str, str]:
    """Return a version's fields as text, with the body always under the same name."""
    fields = {name: in_words(value) for name, value in raw.items() if name not in _BODIES}
    return {**fields, "Description": description} if description else fields


def _changes(before: dict[str, str], after: dict[str, str]) -> list[FieldChange]:
    names = dict.fromkeys([*before, *after])
    return [
        FieldChange(field=name, before=before.get(name, ""), after=after.get(name, ""))
        for name in names
        if before.get(name, "") != after.get(name, "")
    ]
