"""`/dashboard/analyze`: page views, people, and usage by day, for administrators."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from urllib.parse import urlencode

from pydantic import ValidationError
from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import roles_with
from fundwright.accounts.schemas import Permission
from fundwright.core.messages import current_language, number, t
from fundwright.core.paging import Page
from fundwright.insights import service as insights
from fundwright.insights.schemas import PagesQuery, PageVisits, UsageQuery, UsageRead
from fundwright_ui.extension import Screen
from fundwright_ui.hooks import query_in_address, use_query, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.listing import export_button, page_table
from fundwright_ui.ui import (
    Fields,
    Tab,
    alert,
    button,
    card,
    empty,
    form,
    link_button,
    loading,
    page,
    problem,
    section,
    tabs,
    text_field,
)
from fundwright_ui.ui.forms import field_errors
from fundwright_ui.widgets import Column, Row, Series, chart, data_table

_SPANS = ("7", "30", "90")

Read = tuple[UsageRead, Page[PageVisits]]


@screen("/dashboard/analyze", "Analyze", roles=roles_with(Permission.ADMINISTER), help="/help/insights")
def analyze_screen() -> VdomDict:
    actor, url = use_actor(), use_url_state()
    query = query_in_address(PagesQuery, url)

    async def read(session: AsyncSession) -> Read:
        return await insights.get_usage(session, actor, query), await insights.list_pages(session, actor, query)

    found = use_query(read, key=[actor.id, query])

    title = t("Analyze")
    if found.error:
        return page(title, problem(found.error, on_retry=found.reload))
    if found.value is None:
        return page(title, loading(t("Loading usage")))
    usage, pages = found.value
    return page(
        title,
        _span(query, key="span"),
        *(
            [_totals(usage), _charts(usage, key="charts"), _visited(query, pages, is_loading=found.is_slow, key="visited")]
            if usage.views or usage.drafts or usage.imports or usage.trainings
            else [empty(t("No activity in this period."), icon_name="analyze")]
        ),
        subtitle=t("Visitors and activity (UTC)"),
    )


@component
def _span(query: UsageQuery) -> VdomDict:
    """The period: the last 7, 30, or 90 days, or the dates of the form."""
    connection, url = use_connection(), use_url_state()
    refusal, set_refusal = use_state("")

    def apply(fields: Fields) -> None:
        given = {name: str(fields.get(name) or "") for name in ("day_from", "day_to")}
        try:
            UsageQuery.model_validate({name: day for name, day in given.items() if day})
        except ValidationError as refused:
            set_refusal(next(iter(field_errors(refused).values())))
            return
        set_refusal("")
        url.go(days=None, page=None, **given)

    is_own = query.day_from is not None or query.day_to is not None
    return html.div(
        {"className": "fw-stack"},
        tabs(
            [Tab(days, t("{n} days", n=days), connection.href(f"/dashboard/analyze?days={days}")) for days in _SPANS],
            "" if is_own else query.days,
            label=t("Days"),
        ),
        form(
            html.div(
                {"className": "fw-filters"},
                text_field("day_from", t("Start date"), type="date", default=str(query.first), key=f"from:{query.first}"),
                text_field("day_to", t("End date"), type="date", default=str(query.last), key=f"to:{query.last}"),
                button(t("Show period"), type="submit"),
            ),
            alert(refusal) if refusal else None,
            on_submit=apply,
            label=t("Days"),
        ),
    )


def _totals(usage: UsageRead) -> VdomDict:
    totals = (
        (usage.views, t("Page views")),
        (usage.people, t("People")),
        (usage.drafts, t("Drafts")),
        (usage.imports, t("Imports")),
        (usage.trainings, t("Training runs")),
    )
    return html.ul(
        {"className": "fw-figures", "aria-label": t("Totals")},
        *(
            html.li(
                {"className": "fw-card fw-figure", "key": label},
                html.span({"className": "fw-figure-count"}, number(count)),
                html.span({"className": "fw-muted"}, label),
            )
            for count, label in totals
        ),
    )


@component
def _charts(usage: UsageRead) -> VdomDict:
    connection = use_connection()
    language = current_language()
    visits = [
        Series(label=t("Page views"), values=tuple(day.views for day in usage.days)),
        Series(label=t("People"), values=tuple(day.people for day in usage.days)),
    ]
    work = [
        Series(label=t("Drafts"), values=tuple(day.drafts for day in usage.days)),
        Series(label=t("Imports"), values=tuple(day.imports for day in usage.days)),
        Series(label=t("Training runs"), values=tuple(day.trainings for day in usage.days)),
    ]
    days = [day.day for day in usage.days]
    span = {"day_from": days[0].isoformat(), "day_to": days[-1].isoformat()}
    return section(
        t("By day"),
        html.div(
            {"className": "fw-columns"},
            card(chart(label=t("Visits by day"), days=days, series=visits, kind="lines", language=language), title=t("Visits")),
            card(chart(label=t("Activity by day"), days=days, series=work, kind="bars", language=language), title=t("Activity")),
        ),
        html.details(
            {"className": "fw-card"},
            html.summary({"className": "fw-strong"}, t("Show as table")),
            html.div(_table(days, [*visits, *work])),
        ),
        actions=[
            link_button(
                t("Export as CSV"),
                connection.href(f"/api/insights/usage/export.csv?{urlencode(span)}"),
                size="small",
                icon_name="download",
                download=True,
            )
        ],
    )


def _table(days: Sequence[date], series: Sequence[Series]) -> VdomDict:
    """Newest day first."""
    rows = [
        Row(id=str(day), cells={"day": day, **{each.label: each.values[place] for each in series}})
        for place, day in enumerate(days)
    ]
    columns = [
        Column(field="day", label=t("Day"), kind="date"),
        *(Column(field=each.label, label=each.label, kind="number") for each in series),
    ]
    return data_table(label=t("Usage by day"), columns=columns, rows=rows[::-1])


@component
def _visited(query: PagesQuery, pages: Page[PageVisits], *, is_loading: bool) -> VdomDict:
    connection, url = use_connection(), use_url_state()
    screens: list[Screen] = connection.core.plugins.collect("screens")
    titles = {each.path: t(each.title) for each in screens}
    return section(
        t("Most visited pages"),
        page_table(
            url,
            query,
            pages,
            label=t("Most visited pages"),
            columns=[
                Column(field="title", label=t("Page"), flex=2),
                Column(field="path", label=t("Path"), is_sortable=True, flex=2),
                Column(field="views", label=t("Page views"), kind="number", is_sortable=True),
                Column(field="people", label=t("People"), kind="number", is_sortable=True),
            ],
            rows=[
                Row(id=each.path, cells={**each.model_dump(), "title": titles.get(each.path, each.path)}) for each in pages.items
            ],
            is_loading=is_loading,
            empty_text=t("No page views in this period."),
        ),
        actions=[export_button(connection, "/api/insights/pages/export.csv", pages.total, query)],
    )
