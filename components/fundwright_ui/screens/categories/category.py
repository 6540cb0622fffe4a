"""`/dashboard/category`: the account's categories, their examples, and the classifier's suggestions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from reactpy import component, html, use_state
from reactpy.types import Component, VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Permission
from fundwright.categories import service as categories
from fundwright.categories.schemas import CategoryChange, CategoryColor, CategoryCreate, CategoryRead, CountedCategory
from fundwright.core.jobs import JobRead, JobState, jobs_topic, result_of
from fundwright.core.messages import nt, percent, t
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.schemas import Kind, SortingResult
from fundwright_ui.hooks import Row, Rows, use_action, use_query, use_rows, use_url_state
from fundwright_ui.product import actor_of, use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.categories.examples import category_examples
from fundwright_ui.screens.categories.review import review_queue
from fundwright_ui.screens.listing import export_button
from fundwright_ui.screens.notice_address import ANY, PATHS
from fundwright_ui.screens.restoring import moved_message, trash_link, undo_of
from fundwright_ui.screens.samples import sample_notice
from fundwright_ui.screens.view_only import view_only_notice
from fundwright_ui.ui import (
    Option,
    alert,
    button,
    card,
    category_chip,
    empty,
    facts,
    form,
    link_button,
    loading,
    menu,
    more_rows,
    page,
    problem,
    progress,
    row,
    row_actions,
    section,
    select_field,
    side_panel,
    stack,
    text_area,
    text_field,
    text_link,
)
from fundwright_ui.ui.buttons import ButtonVariant
from fundwright_ui.ui.elements import OnEvent

_NEW_COLORS = (
    CategoryColor.BLUE,
    CategoryColor.GREEN,
    CategoryColor.ORANGE,
    CategoryColor.PURPLE,
    CategoryColor.RED,
    CategoryColor.GRAY,
)
"""The colors that are offered for new categories, in this order."""

_QUEUE = "queue"
"""The id of the queue of suggestions."""


@screen("/dashboard/category", "Category", help="/help/categories")
def category_screen() -> VdomDict:
    actor, connection, url = (
        use_actor(),
        use_connection(),
        use_url_state(
            open=("new", "edit:{id}", "examples:{id}"),
            of=("{id}",),
            unsure=("1",),
            all=("1",),
            page=("{n}",),
            sort=("confidence", "-confidence"),
        ),
    )
    found = use_query(
        lambda session: categories.list_counted(session, actor, connection.core),
        key=[actor.id],
        topics=[categories.categories_topic(actor.workspace_id)],
    )
    rows = use_rows(found, lambda listed: listed, key=[actor.id], id=lambda category: category.id)
    is_adding = url.get("open") == "new"  # what is open is in the address, so that a page that lost its connection restores it

    def close() -> None:
        url.set(open=None)

    async def create(session: AsyncSession, category: CategoryCreate) -> None:
        await categories.create(session, actor, category, core=connection.core)

    def load() -> None:
        found.reload()
        rows.load()

    def show_created() -> None:
        close()
        load()

    creating = use_action(create, success=t("The category was created."), then=show_created)

    if found.error:
        return page(t("Category"), problem(found.error, on_retry=found.reload))
    if found.value is None:
        return page(t("Category"), loading(t("Loading categories")))
    is_first = not found.value and not rows.shown
    cards = html.div(
        {"className": "fw-categories", "key": "categories"},
        html.div({"className": "fw-category-list"}, *(_category_card(each, rows, key=each.id) for each in rows.shown)),
        more_rows(rows.more, on_load=load, outcome=rows.last_outcome),
    )
    if not actor.may(Permission.LABEL):
        return page(
            t("Category"),
            view_only_notice(),
            empty(t("No categories yet."), icon_name="category") if is_first else cards,
        )
    new_category = form(
        text_field("name", t("Name"), required=True, maxlength=80, id="new-name"),
        text_area(
            "description",
            t("Description"),
            rows=3,
            maxlength=2_000,
            help=t("List what belongs here, separated by commas. The classifier uses this description."),
            id="new-description",
        ),
        _color_field(_unused_color(found.value), id="new-color"),
        on_submit=creating,
        model=CategoryCreate,
        submit=t("Create category"),
        label=t("New category"),
        actions=[] if is_first else [button(t("Cancel"), on_click=close)],
    )
    has_form = is_adding or url.get("open").startswith("edit:")
    export = export_button(connection, "/api/categories/export.csv", len(rows.shown), variant="text")
    return page(
        t("Category"),
        _sample_notice(load, key="sample") if any(category.is_sample for category in found.value) else None,
        section(t("New category"), new_category, key="new") if is_first else None,
        empty(t("No categories yet. Create one above, then categorize your opportunities."), icon_name="category")
        if is_first
        else html.div(
            {"className": "fw-review", "key": "review"},
            cards,
            html.div({"key": "queue", "id": _QUEUE}, review_queue(found.value, key="review")),
        ),
        side_panel(t("New category"), new_category, close=t("Close"), on_close=close, key="new")
        if is_adding and not is_first
        else _opened_category(url.get("open"), [each.item for each in rows.shown if not each.outcome], close),
        subtitle=t("The classifier learns from what you accept and correct."),
        actions=[
            None if is_first else _categorize_button(variant="outlined" if has_form else "contained", key="categorize"),
            None
            if is_first
            else button(t("New category"), icon_name="add", on_click=lambda: url.set(open="new"), disabled=is_adding),
            menu(t("More actions"), export, trash_link(categories.CATEGORY, variant="text"), id="category-actions"),
        ],
    )


def _sample_notice(load: Callable[[], None], *, key: str) -> Component:
    actor, connection = use_actor(), use_connection()
    return sample_notice(
        t("Some of these categories are samples."),
        of="categories",
        question=t("Remove the sample categories?"),
        consequence=t("Your decisions about them will be removed, too. Your own categories will be kept."),
        removed=t("The sample categories were removed."),
        remove=lambda session: categories.remove_sample(session, actor, client=connection.client),
        restore=lambda session: categories.restore_sample(
            session, actor_of(connection), connection.core, client=connection.client
        ),
        then=load,
        key=key,
    )


def _unused_color(existing: Sequence[CategoryRead]) -> CategoryColor:
    """The first color that no category has, or the one that the fewest have."""
    used = Counter(category.color for category in existing)
    return min(_NEW_COLORS, key=lambda color: used[color])


def _color_field(color: CategoryColor, *, id: str) -> VdomDict:
    names = {
        CategoryColor.GRAY: t("Gray"),
        CategoryColor.BLUE: t("Blue"),
        CategoryColor.GREEN: t("Green"),
        CategoryColor.ORANGE: t("Orange"),
        CategoryColor.RED: t("Red"),
        CategoryColor.PURPLE: t("Theme color"),
    }
    return select_field("color", t("Color"), [Option(value, label) for value, label in names.items()], default=color, id=id)


@component
def _categorize_button(variant: ButtonVariant) -> VdomDict:
    actor, connection = use_actor(), use_connection()
    recent = use_query(
        lambda session: opportunities.find_categorizing(session, actor), key=[actor.id], topics=[jobs_topic(actor.workspace_id)]
    )
    job = recent.value
    is_underway = job is not None and not job.state.is_over

    async def categorize(session: AsyncSession) -> None:
        await opportunities.start_categorizing(session, actor, connection.core)

    async def cancel(session: AsyncSession) -> None:
        if job is not None:
            await opportunities.cancel_categorizing(session, actor, job.id)

    starting = use_action(categorize, then=recent.reload)
    canceling = use_action(cancel)

    return stack(
        row(
            button(
                t("Categorize"),
                variant=variant,
                icon_name="category",
                on_click=starting,
                is_busy=starting.is_running,
                disabled=is_underway,
            ),
            button(t("Cancel"), icon_name="stop", on_click=canceling, is_busy=canceling.is_running) if is_underway else None,
        ),
        _job_line(job),
        tight=True,
    )


def _job_line(job: JobRead | None) -> VdomDict | None:
    if job is None:
        return None
    if not job.state.is_over:
        return progress(
            job.done,
            job.total,
            label=t("Categorizing"),
            message=t("{percent} done", percent=percent(job.done / job.total)) if job.total else t("Waiting to start"),
        )
    if job.state == JobState.FAILED:
        return alert(job.error or t("Categorization failed."))
    if job.state == JobState.CANCELED:
        return html.p({"className": "fw-muted fw-small", "role": "status"}, t("Canceled. Results so far were kept."))
    result = result_of(job, SortingResult)
    parts = [
        t(
            "Last run: {labeled} newly categorized, {abstained} in no category (all notices)",
            labeled=result["labeled"],
            abstained=result["abstained"],
        ),
        t("{n} not indexed yet", n=result["waiting"]) if result["waiting"] else "",
    ]
    return html.p({"className": "fw-muted fw-small", "role": "status"}, ", ".join(filter(None, parts)))


def _opened_category(opened: str, shown: Sequence[CategoryRead], close: Callable[[], None]) -> VdomDict | None:
    """The form or the examples of the category that is open, beside the lists."""
    part, _, id = opened.partition(":")
    category = next((each for each in shown if str(each.id) == id), None)
    if category is None or part not in ("edit", "examples"):
        return None
    if part == "edit":
        title, content = t("Edit {name}", name=category.name), _edit_form(category, close, key="edit")
    else:
        title, content = t("Examples of {name}", name=category.name), category_examples(category, key="examples")
    return side_panel(title, content, close=t("Close"), on_close=close, key=opened)


@component
def _category_card(shown: Row[CountedCategory], rows: Rows[CountedCategory]) -> VdomDict:
    category = shown.item
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    part, _, id = url.get("open").partition(":")
    opened = part if actor.may(Permission.LABEL) and id == str(category.id) else ""

    def toggle(part: str) -> None:
        url.set(open=None if opened == part else f"{part}:{category.id}")

    async def remove(session: AsyncSession) -> None:
        await categories.delete(session, actor, category.id, client=connection.client)

    def settle() -> None:
        if opened:
            url.set(open=None)
        rows.settle(category, t("Moved to trash"))

    def reopen() -> None:
        rows.reopen(str(category.id))

    removing = use_action(
        remove, success=moved_message(category.name), undo=undo_of(connection, category.id, reopen), then=settle
    )

    entries = f"category-{category.id}"
    may_label = actor.may(Permission.LABEL)

    def action(label: str, name: str, description: str, on_click: OnEvent) -> VdomDict | None:
        if not may_label:
            return None
        return button(label, variant="text", aria_label=description, closes=entries, on_click=on_click, key=name)

    def listed(label: str, kind: Kind) -> VdomDict:
        return link_button(label, connection.href(f"{PATHS[kind]}?category={category.id}&availability={ANY}"), variant="text")

    suggested = nt("{n} suggested", "{n} suggested", category.suggested)
    queue = f"{url.href(of=category.id, all=None, unsure=None, page=None)}#{_QUEUE}"

    return card(
        html.div(
            {"className": "fw-category-name"},
            category_chip(category.name, category.color),
            row_actions(
                menu(
                    t("Actions for {name}", name=category.name),
                    action(t("Examples"), "examples", t("Examples of {name}", name=category.name), lambda: toggle("examples")),
                    listed(t("Contracts"), "contract"),
                    listed(t("Grants"), "grant"),
                    action(t("Edit"), "edit", t("Edit {name}", name=category.name), lambda: toggle("edit")),
                    action(t("Move to trash"), "delete", t("Move {name} to trash", name=category.name), removing),
                    id=entries,
                    name="actions",
                ),
                outcome=shown.outcome,
            ),
        ),
        html.p({"className": "fw-clamp", "title": category.description}, category.description) if category.description else None,
        facts(
            t("Sample") if category.is_sample else None,
            nt("{n} accepted", "{n} accepted", category.accepted),
            text_link(suggested, queue) if may_label and category.suggested else suggested,
        ),
        label=category.name,
        is_row=True,
    )


@component
def _edit_form(category: CategoryRead, close: Callable[[], None]) -> Component:
    actor, connection = use_actor(), use_connection()
    based_on, _ = use_state(category.changed_at)

    async def change(session: AsyncSession, changed: CategoryChange) -> None:
        await categories.change(session, actor, category.id, changed, core=connection.core)

    changing = use_action(change, success=t("The category was changed."), then=close)
    return form(
        text_field("name", t("Name"), default=category.name, required=True, maxlength=80, id=f"name-{category.id}"),
        text_area(
            "description",
            t("Description"),
            default=category.description,
            maxlength=2_000,
            id=f"description-{category.id}",
        ),
        _color_field(category.color, id=f"color-{category.id}"),
        on_submit=changing,
        model=CategoryChange,
        submit=t("Save"),
        label=t("Edit {name}", name=category.name),
        based_on=based_on,
        actions=[button(t("Cancel"), on_click=close)],
    )
