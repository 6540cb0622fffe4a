"""Figures, usage by day, visited pages, and the history of jobs for administrators; recording of page views."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from datetime import timedelta
from typing import get_args

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import people as accounts_people
from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import Actor, Permission
from fundwright.core.assembly import Core
from fundwright.core.choices import refuse_unknown_values
from fundwright.core.database import now
from fundwright.core.jobs import JobState
from fundwright.core.messages import t
from fundwright.core.paging import Page
from fundwright.core.spreadsheets import csv_lines
from fundwright.insights import repository
from fundwright.insights.schemas import (
    KEPT_DAYS,
    DayUsage,
    Figure,
    FigureReader,
    HistoryChoices,
    HistoryQuery,
    HistoryRow,
    PagesQuery,
    PageVisits,
    PersonRead,
    UsageField,
    UsageQuery,
    UsageRead,
    Viewed,
    kinds_counted_as,
)
from fundwright.workspaces import service as workspaces


async def keep_views(session: AsyncSession, views: Sequence[Viewed]) -> None:
    """Save page views, and delete those that are too old."""
    await repository.add_views(session, views)
    await repository.forget_views(session, before=now() - timedelta(days=KEPT_DAYS))


@needs(Permission.ADMINISTER)
async def list_figures(session: AsyncSession, actor: Actor, core: Core) -> list[Figure]:
    """The figures of every slice and package, in order of registration."""
    readers: list[FigureReader] = core.plugins.collect("dashboard_figures")
    return [figure for read in readers for figure in await read(session, actor)]


@needs(Permission.ADMINISTER)
async def read_figures(session: AsyncSession, actor: Actor) -> list[Figure]:
    """The figures of insights itself."""
    people = await repository.count_people(session, UsageQuery(days="7"))
    underway = await list_history(session, actor, HistoryQuery(state="underway", page_size=1))
    return [
        Figure(label=t("People active in the last 7 days"), count=people, path="/dashboard/analyze?days=7"),
        Figure(label=t("Jobs in progress"), count=underway.total, path="/dashboard/history?state=underway"),
    ]


@needs(Permission.ADMINISTER)
async def get_usage(session: AsyncSession, actor: Actor, query: UsageQuery) -> UsageRead:
    """Each day of the span, including those without activity."""
    views = await repository.views_by_day(session, query)
    jobs = await repository.jobs_by_day(session, query)
    kinds = {field: kinds_counted_as(field) for field in get_args(UsageField)}
    days = [query.first + timedelta(days=number) for number in range((query.last - query.first).days + 1)]
    return UsageRead(
        days=[
            DayUsage(
                day=day,
                views=views.get(day, (0, 0))[0],
                people=views.get(day, (0, 0))[1],
                **{field: sum(jobs.get((day, kind), 0) for kind in kinds[field]) for field in kinds},
            )
            for day in days
        ],
        people=await repository.count_people(session, query),
    )


@needs(Permission.ADMINISTER)
async def export_usage(session: AsyncSession, actor: Actor, query: UsageQuery) -> AsyncIterator[str]:
    """The days of the span as CSV, line by line."""
    columns: list[tuple[str, Callable[[DayUsage], object]]] = [
        (t("Day"), lambda day: day.day),
        (t("Page views"), lambda day: day.views),
        (t("People"), lambda day: day.people),
        (t("Drafts"), lambda day: day.drafts),
        (t("Imports"), lambda day: day.imports),
        (t("Training runs"), lambda day: day.trainings),
    ]
    async for line in csv_lines(columns, (await get_usage(session, actor, query)).days):
        yield line


@needs(Permission.ADMINISTER)
async def list_pages(session: AsyncSession, actor: Actor, query: PagesQuery) -> Page[PageVisits]:
    """The visited pages of the span, most viewed first unless `sort` says otherwise."""
    rows, total = await repository.page_of_pages(session, query)
    items = [PageVisits(path=path, views=views, people=people) for path, views, people in rows]
    return Page(items=items, total=total, page=query.page, page_size=query.page_size)


@needs(Permission.ADMINISTER)
async def export_pages(session: AsyncSession, actor: Actor, query: PagesQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    columns: list[tuple[str, Callable[[repository.VisitsRow], object]]] = [
        (t("Page"), lambda row: row[0]),
        (t("Views"), lambda row: row[1]),
        (t("People"), lambda row: row[2]),
    ]
    async for line in csv_lines(columns, await repository.list_pages(session, query)):
        yield line


@needs(Permission.ADMINISTER)
async def list_history(session: AsyncSession, actor: Actor, query: HistoryQuery) -> Page[HistoryRow]:
    """Everyone's jobs, newest first unless `sort` says otherwise, without their content: also without titles of workspaces that the
    actor may not see."""
    people, opened = accounts_people.directory(actor), workspaces.opened_by(actor)
    rows, total = await repository.page_of_history(session, actor, people, opened, query)
    items = [HistoryRow.model_validate(dict(row)) for row in rows]
    return Page(items=items, total=total, page=query.page, page_size=query.page_size)


@needs(Permission.ADMINISTER)
async def refuse_unknown_history_values(session: AsyncSession, actor: Actor, query: HistoryQuery) -> None:
    """Raise Invalid, naming the kinds in the history, if it has none of that kind."""
    if query.kind:
        refuse_unknown_values(query, kind=await repository.list_kinds(session))


@needs(Permission.ADMINISTER)
async def list_history_choices(session: AsyncSession, actor: Actor) -> HistoryChoices:
    """The kinds and people in the history."""
    people = await repository.list_people(session, accounts_people.directory(actor))
    return HistoryChoices(
        kinds=await repository.list_kinds(session), people=[PersonRead.model_validate(dict(person)) for person in people]
    )


@needs(Permission.ADMINISTER)
def export_history(session: AsyncSession, actor: Actor, core: Core, query: HistoryQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    return csv_lines(
        [
            (t("Kind"), lambda job: core.jobs.label_of(job["kind"])),
            (t("Title"), lambda job: job["title"]),
            (t("Who"), lambda job: job["person"]),
            (t("Status"), lambda job: JobState(job["state"])),
            (t("Created"), lambda job: job["created_at"]),
            (t("Started"), lambda job: job["started_at"]),
            (t("Ended"), lambda job: job["ended_at"]),
            (t("Seconds"), lambda job: job["duration_s"]),
        ],
        repository.stream_history(session, accounts_people.directory(actor), workspaces.opened_by(actor), query),
    )
