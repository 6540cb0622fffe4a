"""The examples of a category: notices that a person has put in it, and a search for more."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.categories import service as categories
from fundwright.categories.schemas import CategoryRead
from fundwright.core.messages import t
from fundwright.core.paging import PageRequest
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.display_names import display_title
from fundwright.opportunities.schemas import OpportunityQuery, OpportunityRow
from fundwright_ui.hooks import Row, Rows, use_action, use_query, use_rows
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.screens.categories.undo import Decided, labels_of, undo_of
from fundwright_ui.screens.listing import export_button
from fundwright_ui.ui import alert, icon_button, list_row, more_rows, problem, row, row_actions, stack, text_field

_FOUND_AT_ONCE = 6


_EXAMPLES_SHOWN = 50


@component
def category_examples(category: CategoryRead) -> VdomDict:
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

    examples = use_query(read_examples, key=[category.id], topics=[categories.categories_topic(actor.workspace_id)])
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
            *(_example(category, each, given, key=each.id) for each in given.shown),
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
    actor, connection, opportunity = use_actor(), use_connection(), shown.item

    async def add(session: AsyncSession) -> Decided:
        before = await labels_of(session, actor, opportunity.id)
        return Decided(before, (await categories.accept(session, actor, connection.core, opportunity.id, category.id)).decided_at)

    def settle(decided: Decided) -> None:
        rows.settle(opportunity, t("Added"), undo=undo_of(connection, opportunity.id, decided))
        load_given()

    def reopen() -> None:
        rows.reopen(shown.id)
        load_given()

    adding = use_action(add, then=settle)
    undoing = use_action(partial(rows.undo, id=shown.id), then=reopen)
    return list_row(
        html.span({"className": "fw-grow"}, display_title(opportunity.title)),
        row_actions(
            icon_button(
                t("Add {title} as an example", title=display_title(opportunity.title)),
                "add",
                small=True,
                name="add",
                on_click=adding,
            ),
            outcome=shown.outcome,
            on_undo=undoing if shown.can_undo else None,
        ),
    )


@component
def _example(category: CategoryRead, shown: Row[OpportunityRow], rows: Rows[OpportunityRow]) -> VdomDict:
    actor, connection, opportunity = use_actor(), use_connection(), shown.item

    async def remove(session: AsyncSession) -> Decided:
        before = await labels_of(session, actor, opportunity.id)
        await categories.remove_example(session, actor, connection.core, opportunity.id, category.id)
        return Decided([label for label in before if label.category_id == category.id], None)

    def settle(decided: Decided) -> None:
        rows.settle(opportunity, t("Removed"), undo=undo_of(connection, opportunity.id, decided))

    removing = use_action(remove, then=settle)
    undoing = use_action(partial(rows.undo, id=shown.id), then=lambda: rows.reopen(shown.id))
    return list_row(
        html.span({"className": "fw-grow"}, display_title(opportunity.title)),
        row_actions(
            icon_button(
                t("Remove {title} from the examples", title=display_title(opportunity.title)),
                "close",
                small=True,
                name="remove",
                on_click=removing,
            ),
            outcome=shown.outcome,
            on_undo=undoing if shown.can_undo else None,
        ),
    )
