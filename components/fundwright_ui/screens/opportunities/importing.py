"""Importing a file of opportunities, and the results of earlier imports."""

from __future__ import annotations

from collections.abc import Iterable

from babel.lists import format_list
from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.jobs import JobState, jobs_topic
from fundwright.core.messages import current_language, nt, number, t
from fundwright.core.paging import Page, PageRequest
from fundwright.opportunities import service
from fundwright.opportunities.schemas import ImportQuery, ImportRunRead, Kind, RejectionRead, SourceRead
from fundwright_ui.hooks import use_action, use_query
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.screens.listing import export_button
from fundwright_ui.screens.notice_address import PATHS
from fundwright_ui.screens.opportunities.jobs import share_text
from fundwright_ui.screens.opportunities.toolbar import kind_labels
from fundwright_ui.ui import (
    Option,
    alert,
    button,
    card,
    link_button,
    loading,
    pagination,
    problem,
    progress,
    row,
    section,
    select_field,
    stack,
)
from fundwright_ui.ui.elements import Child
from fundwright_ui.widgets import FileDrop

_SHOWN_IMPORTS = 3
_SHOWN_REJECTIONS = 10


@component
def import_panel(kind: Kind) -> VdomDict:
    """Accept files of every format, first those of this kind, and show the latest imports of the chosen format's kind while they run
    and afterward."""
    connection = use_connection()
    actor = use_actor()
    page_number, set_page_number = use_state(1)
    sources = {
        source.name: source for source in sorted(service.list_sources(connection.core), key=lambda each: each.kind != kind)
    }
    chosen, set_chosen = use_state(next(iter(sources), ""))
    source = sources.get(chosen)
    alike = tuple(sorted(name for name, each in sources.items() if source and each.kind == source.kind))
    shown = ImportQuery(source=alike, page=page_number, page_size=_SHOWN_IMPORTS)
    recent = use_query(
        lambda session: service.list_imports(session, actor, shown),
        key=[shown],
        topics=[jobs_topic(actor.id)],
    )
    runs: list[Child] = []
    if recent.error:
        runs.append(problem(recent.error, on_retry=recent.reload))
    elif recent.value is not None:
        elsewhere = source.kind if source and source.kind != kind else None
        labels = {name: each.label for name, each in sources.items()}
        runs.extend(
            import_card(run, labels.get(run.source, run.source), elsewhere, key=str(run.id)) for run in recent.value.items
        )
        runs.append(pagination(page_number, -(-recent.value.total // _SHOWN_IMPORTS), on_page=set_page_number))
        label = t("Export imports as CSV")
        export = export_button(connection, "/api/opportunities/imports/export.csv", recent.value.total, shown, label=label)
        runs.append(row(export) if export else None)
    return section(
        t("Import file"),
        select_field(
            "source",
            t("Format"),
            [Option(name, source.label) for name, source in sources.items()],
            value=chosen,
            on_change=set_chosen,
        )
        if len(sources) > 1
        else None,
        where_published(chosen),
        FileDrop(
            label=t("Choose file"),
            hint=t(
                "{label}: {suffixes}, also as .gz or .zip. Importing a file again changes nothing.",
                label=source.label,
                suffixes=", ".join(source.file_suffixes),
            ),
            upload_url=connection.href(f"/api/opportunities/imports/{chosen}"),
            accept=",".join((*source.file_suffixes, ".gz", ".zip")),
            refusals=_formats_of_others(source, sources.values()),
            max_bytes=connection.core.settings.max_upload_bytes,
            on_uploaded=recent.reload,
            key=f"drop:{chosen}",
        )
        if source
        else None,
        *runs,
    )


def _formats_of_others(source: SourceRead, sources: Iterable[SourceRead]) -> dict[str, str]:
    """Which format to choose for a file that `source` does not read, by file name extension."""
    readers: dict[str, list[str]] = {}
    for other in sources:
        for suffix in other.file_suffixes:
            if suffix not in source.file_suffixes:
                readers.setdefault(suffix, []).append(other.label)
    language = current_language()
    return {
        suffix: t(
            "{suffix} files need another format. Choose {formats} above.",
            suffix=suffix,
            formats=format_list([t("“{name}”", name=label) for label in labels], style="or", locale=language),
        )
        for suffix, labels in readers.items()
    }


def where_published(source: str) -> VdomDict | None:
    """Where the files of this format are published; None for formats of packages."""
    if source == "sam":
        text = t("SAM.gov publishes all contract opportunities as a CSV file. Download it and choose it below.")
        link = link_button(
            t("SAM.gov files"), "https://sam.gov/data-services/Contract%20Opportunities", size="small", new_tab=True
        )
    elif source == "grants":
        text = t(
            "Grants.gov publishes all grants, including NIH grants, as a ZIP file. Download it and choose it below without unzipping it."
        )
        link = link_button(t("Grants.gov files"), "https://www.grants.gov/xml-extract", size="small", new_tab=True)
    elif source == "nih":
        return html.p(
            t("The Grants.gov file includes NIH grants. This format is for NIH opportunities that you have saved as JSON lines.")
        )
    else:
        return None
    return row(html.p(text), link)


@component
def import_card(run: ImportRunRead, source: str, elsewhere: Kind | None) -> VdomDict:
    """One import: its progress or its result, with a link if its opportunities are listed `elsewhere`."""
    connection = use_connection()
    actor = use_actor()
    canceling = use_action(lambda session: service.cancel_import(session, actor, connection.core, run.id))
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
                     message=share_text(run.done, run.size_bytes, counts)),
            button(t("Cancel"), size="small", icon_name="stop", on_click=canceling, is_busy=canceling.is_running),
        )  # fmt: skip
    elif run.state == JobState.FAILED:
        state = alert(run.error or t("The import failed."), html.p(counts) if is_anything_read else None, variant="error")
    elif run.state == JobState.CANCELED:
        state = alert(t("Canceled. Opportunities imported so far were kept."), html.p(counts), variant="warning")
    else:
        state = html.div({"role": "status"}, html.p(counts), html.p(_samples_removed(run)) if run.samples_removed else None)
    return card(
        state,
        *(html.p({"key": sentence}, sentence) for sentence in run.warnings.sentences()),
        link_button(kind_labels()[elsewhere], connection.href(PATHS[elsewhere]), size="small")
        if elsewhere and is_anything_read
        else None,
        rejected_rows(run, key="rejected") if run.rejected else None,
        title=run.filename,
        subtitle=source,
    )


def _samples_removed(run: ImportRunRead) -> str:
    return nt(
        "{n} sample opportunity was removed because real opportunities were imported.",
        "{n} sample opportunities were removed because real opportunities were imported.",
        run.samples_removed,
    )


@component
def rejected_rows(run: ImportRunRead) -> VdomDict:
    """The rejected rows of an import, one page at a time, on request."""
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
        t("Export all as CSV"),
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
