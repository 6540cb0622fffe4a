"""`/generate/templates`: the templates of the workspace, and those that every workspace has."""

from __future__ import annotations

from functools import partial
from typing import cast
from uuid import uuid4

from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Permission
from fundwright.core.messages import nt, t
from fundwright.core.paging import Page
from fundwright.templates import service as templates
from fundwright.templates.schemas import (
    MOST_IN_TITLE,
    NewCopy,
    NewTemplate,
    TemplateQuery,
    TemplateRead,
    TemplateRow,
    TemplateSection,
)
from fundwright_ui.hooks import query_in_address, use_action, use_query, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.filters import choice_filter
from fundwright_ui.screens.listing import existing_page, listed_table, open_below, search_box, use_listing
from fundwright_ui.screens.restoring import trash_link
from fundwright_ui.screens.view_only import view_only_notice
from fundwright_ui.ui import Option, button, link_button, menu, page, section, select_field, sending_field, text_field
from fundwright_ui.widgets import Chip, Column, FileDrop, FileUploaded, LinkCell, Row, form_dialog

PATH = "/generate/templates"

_NEW, _UPLOAD = "new", "upload"


@screen(PATH, "Templates", area="generate", help="/help/templates")
def templates_screen() -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state(open=(_UPLOAD, _NEW))
    may_work = actor.may(Permission.WORK)
    return page(
        t("Templates"),
        None if may_work else view_only_notice(),
        _upload(key="upload") if may_work and url.get("open") == _UPLOAD else None,
        _templates(key="templates"),
        subtitle=t("The sections of a draft, with the questions that your documents answer."),
        actions=[
            link_button(t("Generate"), connection.href_back("/generate/index"), icon_name="arrow_back"),
            _new_template(key="new") if may_work else None,
            menu(
                t("More actions"),
                button(t("Upload a template"), variant="text", on_click=lambda: url.set(open=_UPLOAD), closes="templates-actions")
                if may_work
                else None,
                trash_link(templates.TEMPLATE, variant="text"),
                id="templates-actions",
            ),
        ],
    )


@component
def _templates() -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    query = query_in_address(TemplateQuery, url)

    async def read(session: AsyncSession) -> Page[TemplateRow]:
        return await existing_page(partial(templates.list_templates, session, actor, connection.core), query)

    listing = use_listing(
        read,
        query,
        lambda listed: listed,
        id=lambda row: row.name,
        key=[actor.workspace_id],
        topics=[templates.templates_topic(actor.workspace_id)],
    )
    listed = listing.answer
    if listed is None:
        return listing.pending(t("Loading templates"))
    has_own = any(each.item.is_own for each in listing.rows.shown)
    return html.fragment(
        *listed_table(
            listing,
            listed,
            label=t("Templates"),
            count=nt("{n} template", "{n} templates", listed.total),
            columns=[
                Column(field="title", label=t("Title"), kind="link", is_sortable=True, flex=3, min_width=180),
                Column(field="headings", label=t("Sections"), flex=4, min_width=200, is_compact=False),
                Column(field="origin", label=t("Origin"), kind="chips", min_width=140),
                Column(
                    field="changed_by",
                    label=t("Changed by"),
                    min_width=130,
                    is_compact=False,
                    is_shown=has_own and actor.is_in_shared_workspace,
                ),
                Column(field="changed_at", label=t("Changed"), kind="date", is_sortable=True, min_width=130, is_shown=has_own),
            ],
            row_of=lambda each: Row(
                id=each.id,
                cells={
                    "title": LinkCell(label=each.item.shown_title, href=connection.href(templates.path_of(each.item))),
                    "headings": " · ".join(each.item.shown_headings),
                    "origin": (
                        Chip(
                            label=each.outcome or templates.origin_label(each.item),
                            color="info" if each.item.is_own and not each.outcome else "secondary",
                        ),
                    ),
                    "changed_by": each.item.changed_by,
                    "changed_at": each.item.changed_at,
                },
            ),
            export="/api/templates/export.csv",
            narrow=search_box(
                url,
                query,
                t("Search templates"),
                html.div(
                    {"className": "fw-filters-line"},
                    choice_filter(url, query, "is_own", t("Origin"), {"true": t("This workspace"), "false": t("Included")}),
                ),
            ),
            nothing=t("No templates match. Change the filters."),
            on_open=open_below(connection, PATH),
        )
    )


class _NewTemplate(NewCopy):
    """`start` is the name of the template to copy, or "" for an empty one."""

    title: str
    start: str = ""


@component
def _new_template() -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    key, set_key = use_state(lambda: str(uuid4()))
    listed = use_query(lambda session: templates.list_all(session, actor, connection.core), key=[actor.workspace_id])

    async def create(session: AsyncSession, given: _NewTemplate) -> TemplateRead:
        if given.start:
            copied = NewCopy(title=given.title, key=given.key)
            return await templates.duplicate(session, actor, connection.core, given.start, copied)
        first = TemplateSection(heading=t("Introduction"))
        new = NewTemplate(title=given.title, sections=(first,), key=given.key)
        return await templates.create(session, actor, connection.core, new)

    def finish(made: TemplateRead) -> None:
        set_key(str(uuid4()))
        connection.navigate(templates.path_of(made))

    creating = use_action(create, then=finish)
    return html.div(
        button(t("New template"), variant="contained", icon_name="add", on_click=lambda: url.set(open=_NEW)),
        form_dialog(
            t("New template"),
            text_field("title", t("Title"), required=True, maxlength=MOST_IN_TITLE, id="new-template"),
            select_field(
                "start",
                t("Start with"),
                [
                    Option("", t("One empty section")),
                    *(Option(each.name, t("A copy of “{title}”", title=each.shown_title)) for each in listed.value or ()),
                ],
            ),
            sending_field(key),
            is_open=url.get("open") == _NEW,  # in the address, so that a page that lost its connection restores it
            on_submit=creating,
            on_close=lambda: url.set(open=None),
            model=_NewTemplate,
            submit=t("Create template"),
        ),
    )


@component
def _upload() -> VdomDict:
    connection, url = use_connection(), use_url_state()

    def finish(uploaded: FileUploaded) -> None:
        connection.navigate(f"{PATH}/{cast(dict[str, str], uploaded.answer)['name']}")

    return section(
        t("Upload a template"),
        FileDrop(
            label=t("Choose a file"),
            hint=t("A template that was downloaded from Fundwright, as JSON"),
            upload_url=connection.href("/api/templates/files"),
            accept=".json",
            max_bytes=templates.MOST_BYTES,
            on_uploaded=finish,
        ),
        actions=[button(t("Cancel"), size="small", on_click=lambda: url.set(open=None))],
    )
