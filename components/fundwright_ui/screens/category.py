"""`/dashboard/category`: the account's categories, what they learn from, and what the classifier suggests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import NamedTuple
from uuid import UUID

from reactpy import component, html, use_state
from reactpy.types import Component, VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.categories import service as categories
from fundwright.categories.classifier import Band
from fundwright.categories.schemas import (
    CategoryChange,
    CategoryCreate,
    CategoryRead,
    Colour,
    LabelRead,
    LabelSource,
    LabelState,
    SuggestionQuery,
)
from fundwright.core.assembly import Core
from fundwright.core.jobs import JobRead, JobState, jobs_topic
from fundwright.core.messages import nt, percent, t
from fundwright.core.paging import Page, PageRequest
from fundwright.identity.schemas import Actor, Permission
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.schemas import OpportunityQuery, OpportunityRow
from fundwright_ui.hooks import (
    Action,
    Row,
    Rows,
    UrlState,
    parse_id,
    use_action,
    use_actor,
    use_connection,
    use_query,
    use_rows,
    use_url_state,
)
from fundwright_ui.hooks.rows import Undo
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.listing import existing_page, export_button, narrow, pages
from fundwright_ui.screens.opportunities_list import PATHS
from fundwright_ui.ui import (
    Option,
    alert,
    button,
    card,
    category_chip,
    chip,
    confidence_chip,
    empty,
    form,
    grid,
    icon_button,
    list_row,
    loading,
    more_rows,
    only_reads,
    page,
    problem,
    progress,
    row,
    row_actions,
    section,
    select_field,
    stack,
    text_area,
    text_field,
    text_link,
)
from fundwright_ui.widgets import delete_dialog

_PAGE_SIZE = 10
_FOUND_AT_ONCE = 6
_EXAMPLES_SHOWN = 50


class Suggested(NamedTuple):
    """A suggestion as it is shown, with others for the same opportunity."""

    label: LabelRead
    others: tuple[LabelRead, ...]
    opportunity: OpportunityRow


class Decided(NamedTuple):
    """The labels of an opportunity before somebody decided about it, and when that was; None: a label was removed."""

    before: list[LabelRead]
    decided_at: datetime | None


@screen("/dashboard/category", "Category")
def category_screen() -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    found = use_query(
        lambda session: categories.list_categories(session, actor),
        key=[actor.id],
        topics=[categories.categories_topic(actor.id)],
    )
    rows = use_rows(found, lambda listed: listed, key=[actor.id], id=lambda category: category.id)
    is_adding = url.get("open") == "new"  # what is open stands in the address, so that a lost page comes back with it

    async def create(session: AsyncSession, category: CategoryCreate) -> None:
        await categories.create(session, actor, category, core=connection.core)

    async def remove_sample(session: AsyncSession) -> None:
        await categories.remove_sample(session, actor, client=connection.client)

    def load() -> None:
        found.reload()
        rows.load()

    def show_created() -> None:
        url.set(open=None)
        load()

    creating = use_action(create, success=t("The category was created."), then=show_created)
    removing = use_action(remove_sample, success=t("The sample categories were removed."), then=load)

    if found.error:
        return page(t("Category"), problem(found.error, on_retry=found.reload))
    if found.value is None:
        return page(t("Category"), loading(t("Loading categories")))
    is_first = not found.value and not rows.shown
    cards = (
        grid(*(_category_card(each, rows, key=each.id) for each in rows.shown)),
        more_rows(rows.more, on_load=load, outcome=rows.last_outcome),
    )
    if not actor.may(Permission.LABEL):
        return page(t("Category"), only_reads(), *((empty(t("No categories yet.")),) if is_first else cards))
    return page(
        t("Category"),
        _sample_banner(found.value, removing),
        section(
            t("New category"),
            form(
                text_field("name", t("Name"), required=True, maxlength=80, id="new-name"),
                text_area(
                    "description",
                    t("Description"),
                    rows=3,
                    maxlength=2_000,
                    help=t("What belongs here, as phrases separated by commas. The classifier uses this description."),
                    id="new-description",
                ),
                _colour_field(Colour.BLUE, id="new-colour"),
                on_submit=creating,
                model=CategoryCreate,
                submit=t("Create category"),
                label=t("New category"),
                actions=[] if is_first else [button(t("Cancel"), on_click=lambda: url.set(open=None))],
            ),
            key="new",
        )
        if is_adding or is_first
        else None,
        *((empty(t("No categories yet. Create one above, then categorize your opportunities.")),) if is_first else cards),
        None if is_first else _review(found.value, key="review"),
        subtitle=t("Opportunities are sorted into your categories. The classifier learns from what you accept and correct."),
        actions=[
            button(t("New category"), icon_name="add", look="soft", on_click=lambda: url.set(open="new"), disabled=is_adding),
            None if is_first else _categorise_button(key="categorise"),
            export_button(connection, "/api/categories/export.csv", len(rows.shown)),
        ],
    )


def _sample_banner(found: list[CategoryRead], removing: Action) -> VdomDict | None:
    if not any(category.is_sample for category in found):
        return None
    return alert(
        t("Some of these categories are samples."),
        button(t("Remove samples"), size="small", on_click=removing, is_busy=removing.is_running),
        variant="info",
    )


def _colour_field(colour: Colour, *, id: str) -> VdomDict:
    names = {
        Colour.GREY: t("Gray"),
        Colour.BLUE: t("Blue"),
        Colour.GREEN: t("Green"),
        Colour.ORANGE: t("Orange"),
        Colour.RED: t("Red"),
        Colour.PURPLE: t("Theme color"),
    }
    return select_field("colour", t("Color"), [Option(value, label) for value, label in names.items()], default=colour, id=id)


@component
def _categorise_button() -> VdomDict:
    actor, connection = use_actor(), use_connection()
    recent = use_query(
        lambda session: opportunities.find_categorising(session, actor), key=[actor.id], topics=[jobs_topic(actor.id)]
    )
    job = recent.value
    is_underway = job is not None and not job.state.is_over

    async def categorise(session: AsyncSession) -> None:
        await opportunities.start_categorising(session, actor, connection.core)

    async def stop(session: AsyncSession) -> None:
        if job is not None:
            await opportunities.cancel_categorising(session, actor, job.id)

    starting = use_action(categorise, then=recent.reload)
    stopping = use_action(stop)

    return stack(
        row(
            button(
                t("Categorize"),
                look="contained",
                icon_name="refresh",
                on_click=starting,
                is_busy=starting.is_running,
                disabled=is_underway,
            ),
            button(t("Stop"), icon_name="stop", on_click=stopping, is_busy=stopping.is_running) if is_underway else None,
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
        return alert(job.error or t("Categorizing failed."))
    if job.state == JobState.CANCELLED:
        return html.p({"className": "fw-muted fw-small", "role": "status"}, t("Stopped. Results so far were kept."))
    result = job.result or {}
    return html.p(
        {"className": "fw-muted fw-small", "role": "status"},
        t(
            "Last run: {labelled} newly categorized, {unchanged} unchanged, {abstained} in no category.",
            labelled=result.get("labelled", 0),
            unchanged=result.get("unchanged", 0),
            abstained=result.get("abstained", 0),
        ),
    )


@component
def _category_card(shown: Row[CategoryRead], rows: Rows[CategoryRead]) -> VdomDict:
    category = shown.item
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    part, _, id = url.get("open").partition(":")
    opened = part if actor.may(Permission.LABEL) and id == str(category.id) else ""

    def close() -> None:
        url.set(open=None)

    def toggle(part: str) -> None:
        url.set(open=None if opened == part else f"{part}:{category.id}")

    async def delete(session: AsyncSession) -> None:
        await categories.delete(session, actor, category.id, client=connection.client)

    def settle() -> None:
        close()
        rows.settle(category, t("Deleted"))

    deleting = use_action(delete, success=t("The category was deleted."), then=settle)

    if opened == "edit":
        return card(_edit_form(category, close, key="edit"), label=category.name)
    return card(
        row(
            category_chip(category.name, category.colour),
            chip(t("Sample")) if category.is_sample else None,
        ),
        html.p({"className": "fw-clamp"}, category.description) if category.description else None,
        html.p(
            {"className": "fw-muted fw-small"},
            t("{accepted} accepted, {suggested} suggested", accepted=category.accepted, suggested=category.suggested),
        ),
        row(
            text_link(t("Contracts"), connection.href(f"/dashboard/sam?category={category.id}&availability=any")),
            text_link(t("Grants"), connection.href(f"/dashboard/nih?category={category.id}&availability=any")),
        ),
        _examples(category, key="examples") if opened == "examples" else None,
        delete_dialog(
            t("Delete “{name}”?", name=category.name),
            t("Its examples and suggestions will be deleted. The opportunities will be kept."),
            on_confirm=deleting,
            error=deleting.error,
            on_cancel=close,
        )
        if opened == "delete"
        else None,
        label=category.name,
        is_row=True,
        actions=[
            row_actions(
                button(
                    t("Examples"),
                    size="small",
                    look="soft",
                    name="examples",
                    aria_label=t("Examples of {name}", name=category.name),
                    on_click=lambda: toggle("examples"),
                ),
                icon_button(
                    t("Edit {name}", name=category.name), "edit", small=True, name="edit", on_click=lambda: toggle("edit")
                ),
                icon_button(
                    t("Delete {name}", name=category.name), "delete", small=True, name="delete", on_click=lambda: toggle("delete")
                ),
                outcome=shown.outcome,
            )
        ]
        if actor.may(Permission.LABEL)
        else [],
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
        _colour_field(category.colour, id=f"colour-{category.id}"),
        on_submit=changing,
        model=CategoryChange,
        submit=t("Save"),
        label=t("Edit {name}", name=category.name),
        based_on=based_on,
        actions=[button(t("Cancel"), on_click=close)],
    )


@component
def _examples(category: CategoryRead) -> VdomDict:
    actor, connection = use_actor(), use_connection()
    text, set_text = use_state("")

    async def read_examples(session: AsyncSession) -> list[OpportunityRow]:
        newest = await categories.list_examples(session, actor, category.id, PageRequest(page_size=_EXAMPLES_SHOWN))
        return await opportunities.rows_of(session, actor, [label.subject_id for label in newest.items])

    async def search() -> list[OpportunityRow]:
        if len(text.strip()) < 2:
            return []
        query = OpportunityQuery(text=text[:500], page_size=_FOUND_AT_ONCE, verbatim=True)
        return (await opportunities.search(connection.core, actor, query)).items

    examples = use_query(read_examples, key=[category.id], topics=[categories.categories_topic(actor.id)])
    given = use_rows(examples, lambda listed: listed, key=[category.id], id=lambda opportunity: opportunity.id)
    found = use_query(search, key=[text], with_session=False)
    given_ids = {example.id for example in examples.value or ()}
    offered = use_rows(
        found,
        lambda listed: [opportunity for opportunity in listed if opportunity.id not in given_ids],
        key=[text],
        id=lambda opportunity: opportunity.id,
    )

    def load_given() -> None:
        examples.reload()
        given.load()

    export = export_button(connection, f"/api/categories/{category.id}/examples/export.csv", len(given.shown))
    return stack(
        text_field(
            "search",
            t("Find a notice to add as an example"),
            type="search",
            value=text,
            on_change=set_text,
            small=True,
            id=f"search-{category.id}",
        ),
        alert(found.error) if found.error else None,
        html.p({"className": "fw-muted fw-small", "role": "status"}, t("No results. Try other words."))
        if text and not found.is_loading and not offered.shown
        else None,
        html.ul(
            {"className": "fw-list", "aria-label": t("Notices found")},
            *(_offered_example(category, each, offered, load_given, key=each.id) for each in offered.shown),
        )
        if offered.shown
        else None,
        problem(examples.error, on_retry=examples.reload) if examples.error else None,
        html.ul(
            {"className": "fw-list", "aria-label": t("Examples of {name}", name=category.name)},
            *(_given_example(category, each, given, key=each.id) for each in given.shown),
        )
        if given.shown
        else html.p({"className": "fw-muted fw-small"}, t("No examples yet. Even two or three help.")),
        more_rows(given.more, on_load=load_given, outcome=given.last_outcome or offered.last_outcome),
        row(export) if export else None,
    )


@component
def _offered_example(
    category: CategoryRead, shown: Row[OpportunityRow], rows: Rows[OpportunityRow], load_given: Callable[[], None]
) -> VdomDict:
    actor, core, opportunity = use_actor(), use_connection().core, shown.item

    async def add(session: AsyncSession) -> Decided:
        before = await _labels_of(session, actor, opportunity.id)
        return Decided(before, (await categories.accept(core, session, actor, opportunity.id, category.id)).decided_at)

    def settle(decided: Decided) -> None:
        rows.settle(opportunity, t("Added"), undo=_undo(core, actor, opportunity.id, decided))
        load_given()

    def reopen() -> None:
        rows.reopen(shown.id)
        load_given()

    adding = use_action(add, then=settle)
    undoing = use_action(partial(rows.undo, id=shown.id), then=reopen)
    return list_row(
        html.span({"className": "fw-grow"}, opportunity.title),
        row_actions(
            icon_button(t("Add {title} as an example", title=opportunity.title), "add", small=True, name="add", on_click=adding),
            outcome=shown.outcome,
            on_undo=undoing if shown.can_undo else None,
        ),
    )


@component
def _given_example(category: CategoryRead, shown: Row[OpportunityRow], rows: Rows[OpportunityRow]) -> VdomDict:
    actor, core, opportunity = use_actor(), use_connection().core, shown.item

    async def remove(session: AsyncSession) -> Decided:
        before = await _labels_of(session, actor, opportunity.id)
        await categories.remove_example(core, session, actor, opportunity.id, category.id)
        return Decided([label for label in before if label.category_id == category.id], None)

    def settle(decided: Decided) -> None:
        rows.settle(opportunity, t("Removed"), undo=_undo(core, actor, opportunity.id, decided))

    removing = use_action(remove, then=settle)
    undoing = use_action(partial(rows.undo, id=shown.id), then=lambda: rows.reopen(shown.id))
    return list_row(
        html.span({"className": "fw-grow"}, opportunity.title),
        row_actions(
            icon_button(
                t("Remove {title} from the examples", title=opportunity.title),
                "close",
                small=True,
                name="remove",
                on_click=removing,
            ),
            outcome=shown.outcome,
            on_undo=undoing if shown.can_undo else None,
        ),
    )


async def _labels_of(session: AsyncSession, actor: Actor, subject_id: UUID) -> list[LabelRead]:
    return (await categories.labels_of(session, actor, [subject_id])).get(subject_id, [])


def _undo(core: Core, actor: Actor, subject_id: UUID, decided: Decided) -> Undo:
    async def undo(session: AsyncSession) -> None:
        await categories.restore(core, session, actor, subject_id, decided_at=decided.decided_at, before=decided.before)

    return undo


@component
def _review(found: list[CategoryRead]) -> VdomDict:
    connection, actor, url = use_connection(), use_actor(), use_url_state()
    query = _review_query(url, found)

    async def read(session: AsyncSession) -> tuple[Page[Suggested], int]:
        suggestions = await existing_page(partial(categories.list_suggestions, connection.core, session, actor), query)
        unsure = query.model_copy(update={"is_unsure_shown": True, "page": 1, "page_size": 1})
        more = (await categories.list_suggestions(connection.core, session, actor, unsure)).total - suggestions.total
        ids = [label.subject_id for label in suggestions.items]
        by_id = {opportunity.id: opportunity for opportunity in await opportunities.rows_of(session, actor, ids)}
        labels = await categories.labels_of(session, actor, ids)
        listed = [
            Suggested(label, _besides(label, labels), by_id[label.subject_id])
            for label in suggestions.items
            if label.subject_id in by_id
        ]
        return Page(items=listed, total=suggestions.total, page=suggestions.page, page_size=suggestions.page_size), more

    queue = use_query(read, key=[query], topics=[categories.categories_topic(actor.id)])
    rows = use_rows(queue, lambda read: read[0], key=[query], id=lambda suggested: suggested.label.subject_id)

    def load() -> None:
        queue.reload()
        rows.load()

    if queue.error:
        return section(t("To review"), problem(queue.error, on_retry=queue.reload))
    if queue.value is None:
        return section(t("To review"), loading(t("Loading suggestions")))
    suggestions, unsure = queue.value
    return section(
        t("To review"),
        html.p(
            {"className": "fw-muted", "role": "status"},
            nt("{n} suggestion", "{n} suggestions", suggestions.total),
        ),
        html.div(
            {"className": "fw-filters"},
            select_field(
                "of",
                t("Category"),
                [Option("", t("All categories")), *(Option(str(category.id), category.name) for category in found)],
                value=str(query.category_id or ""),
                on_change=narrow(url, "of"),
                small=True,
                id="review-category",
            ),
            select_field(
                "sort",
                t("Order"),
                [Option("", t("Most confident first")), Option("confidence", t("Least confident first"))],
                value=query.sort,
                on_change=narrow(url, "sort"),
                small=True,
                id="review-sort",
            ),
            select_field(
                "all",
                t("Notices"),
                [Option("", t("Open")), Option("1", t("All, including closed and award notices"))],
                value="1" if query.is_all else "",
                on_change=narrow(url, "all"),
                small=True,
                id="review-all",
            ),
        ),
        html.p({"className": "fw-muted fw-small"}, _key_hint()) if rows.shown else None,
        html.ul(
            {"className": "fw-list", "aria-label": t("Suggestions"), "data-row-keys": True},
            *(_suggestion(each, rows, found, key=each.id) for each in rows.shown),
        )
        if rows.shown
        else empty(_nothing_to_review(unsure, is_all=query.is_all)),
        more_rows(rows.more, on_load=load, outcome=rows.last_outcome),
        pages(url, suggestions),
        _unsure(url, unsure, query),
        actions=[export_button(connection, "/api/categories/suggestions/export.csv", len(rows.shown), query)],
    )


def _besides(label: LabelRead, labels: Mapping[UUID, list[LabelRead]]) -> tuple[LabelRead, ...]:
    """What else the opportunity may belong to, or belongs to already."""
    return tuple(
        other
        for other in labels.get(label.subject_id, ())
        if other.category_id != label.category_id and other.state != LabelState.REJECTED and other.band != Band.UNSURE
    )


def _key_hint() -> VdomDict:
    return html.span(
        *(
            html.span({"key": keys, "className": "fw-key-hint"}, html.kbd({"className": "fw-key"}, keys), f" {action} ")
            for keys, action in (
                ("J", t("next")),
                ("K", t("previous")),
                ("A", t("accept")),
                ("N", t("none of these")),
                ("1–9", t("choose the category with this number")),
                ("U", t("undo")),
            )
        )
    )


def _nothing_to_review(unsure: int, *, is_all: bool) -> str:
    if unsure:
        return t("No likely suggestions.")
    if is_all:
        return t("Nothing to review. Choose “Categorize” to get suggestions.")
    return t("No open notices to review. Choose “Categorize” to get suggestions.")


def _unsure(url: UrlState, number: int, query: SuggestionQuery) -> VdomDict | None:
    """The way to suggestions below the band "low", and back."""
    if query.is_unsure_shown:
        return row(text_link(t("Hide unlikely suggestions"), url.href(unsure=None, page=None)))
    if not number:
        return None
    label = nt("Show {n} unlikely suggestion", "Show {n} unlikely suggestions", number)
    return row(text_link(label, url.href(unsure="1", page=None)))


def _review_query(url: UrlState, found: list[CategoryRead]) -> SuggestionQuery:
    """What the address asks for; what it does not understand it leaves out."""
    return SuggestionQuery(
        page=url.page,
        page_size=_PAGE_SIZE,
        sort="confidence" if url.get("sort") == "confidence" else "",
        category_id=next((category.id for category in found if str(category.id) == url.get("of")), None),
        is_unsure_shown=url.get("unsure") == "1",
        is_all=url.get("all") == "1",
    )


@component
def _suggestion(shown: Row[Suggested], rows: Rows[Suggested], found: list[CategoryRead]) -> VdomDict:
    actor, connection = use_actor(), use_connection()
    core = connection.core
    label, others, opportunity = shown.item

    async def accept(session: AsyncSession) -> tuple[str, Decided]:
        # What the person saw, even if the classifier has suggested another category meanwhile.
        before = await _labels_of(session, actor, label.subject_id)
        accepted = await categories.accept(core, session, actor, label.subject_id, label.category_id)
        return t("Accepted"), Decided(before, accepted.decided_at)

    async def decide(session: AsyncSession, category_id: UUID | None) -> tuple[str, Decided]:
        before = await _labels_of(session, actor, label.subject_id)
        after = await categories.correct(core, session, actor, label.subject_id, category_id)
        decided_at = max((each.decided_at for each in after if each.source == LabelSource.PERSON), default=None)
        if category_id is None:
            return t("None of these"), Decided(before, decided_at)
        name = next(each.category_name for each in after if each.category_id == category_id)
        return t("Changed to {category}", category=name), Decided(before, decided_at)

    async def reject(session: AsyncSession) -> tuple[str, Decided]:
        return await decide(session, None)

    async def choose(session: AsyncSession, chosen: str) -> tuple[str, Decided] | None:
        if not chosen:
            return None
        category_id = parse_id(chosen, t("The category"))
        return await (accept(session) if category_id == label.category_id else decide(session, category_id))

    def settle(settled: tuple[str, Decided] | None) -> None:
        if settled is not None:
            outcome, decided = settled
            rows.settle(shown.item, outcome, undo=_undo(core, actor, label.subject_id, decided))

    accepting, rejecting = use_action(accept, then=settle), use_action(reject, then=settle)
    choosing = use_action(choose, then=settle)
    undoing = use_action(partial(rows.undo, id=shown.id), then=lambda: rows.reopen(shown.id))
    is_busy = accepting.is_running or rejecting.is_running or choosing.is_running

    return list_row(
        html.div(
            {"className": "fw-grow"},
            text_link(
                opportunity.title,
                connection.href(f"{PATHS[opportunity.kind]}/{opportunity.id}"),
            ),
            html.p({"className": "fw-muted fw-small"}, " · ".join(filter(None, (opportunity.agency, opportunity.number)))),
            row(
                category_chip(label.category_name, label.colour),
                confidence_chip(label.band, label.confidence),
                *(
                    category_chip(t("also {category}", category=other.category_name), other.colour, key=str(other.category_id))
                    for other in others
                ),
            ),
        ),
        row_actions(
            button(
                t("Accept"),
                size="small",
                look="soft",
                icon_name="check",
                name="accept",
                shortcut="a",
                aria_label=t("Accept {category} for {title}", category=label.category_name, title=opportunity.title),
                on_click=accepting,
                is_busy=is_busy,
            ),
            button(
                t("None of these"),
                size="small",
                look="text",
                name="none",
                shortcut="n",
                aria_label=t("None of these for {title}", title=opportunity.title),
                on_click=rejecting,
                is_busy=is_busy,
            ),
            select_field(
                "correct",
                t("Change category"),
                [
                    Option("", t("Choose another")),
                    *(Option(str(category.id), f"{place}. {category.name}") for place, category in enumerate(found, 1)),
                ],
                value="",
                on_change=choosing,
                disabled=choosing.is_running,
                small=True,
                id=f"correct-{label.subject_id}",
            ),
            outcome=shown.outcome,
            on_undo=undoing if shown.can_undo else None,
        ),
    )
