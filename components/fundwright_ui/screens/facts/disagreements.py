"""Facts about the same thing that disagree, each with a click to choose it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from typing import NamedTuple

from reactpy import component, html
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Permission
from fundwright.core.messages import t
from fundwright.facts.schemas import FactField, FactRead, FactState
from fundwright_ui.hooks import Row, Rows, use_action
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.screens.facts.deciding import Decided, decide, undo_of
from fundwright_ui.screens.facts.entry import source_link, source_text, status_chip
from fundwright_ui.ui import button, chip, list_row, row_actions, section

_NAMING = (FactField.LABEL, FactField.NAME, FactField.TITLE)
_BUTTON_CHARACTERS = 40

_Result = tuple[str, list[Decided]]
"""What the row says after a decision, and what can be taken back."""


class Disagreement(NamedTuple):
    """Facts with the same kind and key, and what each says that the others do not."""

    id: str
    title: str
    facts: tuple[FactRead, ...]
    answers: tuple[str, ...]

    def rejected_by(self, fact: FactRead) -> list[FactRead]:
        """The facts that are rejected if this one is chosen."""
        others = [each for each in self.facts if each.id != fact.id]
        return others if fact.state is FactState.ACCEPTED else [each for each in others if each.state is FactState.ACCEPTED]

    def can_choose(self, fact: FactRead) -> bool:
        """Whether the reader may change what this one, if chosen, changes."""
        accepted = [] if fact.state is FactState.ACCEPTED else [fact]
        return not any(each.is_view_only for each in (*accepted, *self.rejected_by(fact)))

    @property
    def can_accept_all(self) -> bool:
        return not any(each.is_view_only and each.state is not FactState.ACCEPTED for each in self.facts)


def disagreements_among(found: Sequence[FactRead]) -> list[Disagreement]:
    """Group disputed facts, which come in the order of kind and key."""
    groups = [tuple(group) for _, group in groupby(found, key=lambda fact: (fact.kind, fact.key))]
    return [
        Disagreement(f"{group[0].kind} {group[0].key}", group[0].title, group, tuple(_answer(each, group) for each in group))
        for group in groups
        if len(group) > 1
    ]


def _answer(fact: FactRead, group: Sequence[FactRead]) -> str:
    """The values that are not the same in all of the group, or else all but the name."""
    differing = [
        value
        for field, value in fact.values.items()
        if any(other.values.get(field, value).casefold() != value.casefold() for other in group)
    ]
    others = [value for field, value in fact.values.items() if field not in _NAMING]
    return "; ".join(differing or others or fact.values.values())


@component
def disagreements(rows: Rows[Disagreement]) -> VdomDict:
    return section(
        t("Your documents disagree"),
        html.p({"className": "fw-muted"}, t("Choose what is right. Drafts then use only this.")),
        html.ul(
            {"className": "fw-list", "aria-label": t("Your documents disagree")},
            *(_disagreement(each, rows, key=each.id) for each in rows.shown),
        ),
    )


@component
def _disagreement(shown: Row[Disagreement], rows: Rows[Disagreement]) -> VdomDict:
    actor, connection = use_actor(), use_connection()
    item = shown.item

    async def accept_all(session: AsyncSession) -> _Result:
        decided = await decide(session, actor, item.facts, FactState.ACCEPTED)
        return t("All accepted"), list(decided.values())

    def settle(result: _Result) -> None:
        outcome, decided = result
        rows.settle(item, outcome, undo=undo_of(connection, decided))

    accepting_all = use_action(accept_all, then=settle)
    undoing = use_action(partial(rows.undo, id=shown.id), then=lambda: rows.reopen(shown.id))
    return list_row(
        html.div(
            {"className": "fw-grow", "key": "content"},
            html.p({"className": "fw-strong", "dir": "auto"}, item.title),
            html.ul(
                {"className": "fw-fact-answers"},
                *(
                    html.li(
                        {"key": str(fact.id)},
                        html.span({"dir": "auto"}, answer),
                        status_chip(fact.status),
                        chip(t("Accepted"), color="success") if fact.state is FactState.ACCEPTED else None,
                        html.span({"className": "fw-muted fw-small"}, source_link(fact)),
                    )
                    for fact, answer in zip(item.facts, item.answers, strict=True)
                ),
            ),
        ),
        row_actions(
            *(_choice(item, place, settle, key=str(fact.id)) for place, fact in enumerate(item.facts) if item.can_choose(fact)),
            button(
                t("All are right"),
                size="small",
                variant="text",
                name="all",
                aria_label=t("All are right: {title}", title=item.title),
                on_click=accepting_all,
            )
            if item.can_accept_all
            else None,
            outcome=shown.outcome,
            on_undo=undoing if shown.can_undo else None,
        )
        if actor.may(Permission.WORK)
        else None,
    )


@component
def _choice(item: Disagreement, place: int, settle: Callable[[_Result], None]) -> VdomDict:
    """A button that accepts one of the facts. The others stay proposals, which no list shows, unless one of them was accepted before. Those that
    were proposed since this one was accepted are rejected."""
    actor = use_actor()
    fact, answer = item.facts[place], item.answers[place]

    async def choose(session: AsyncSession) -> _Result:
        rejected = item.rejected_by(fact)
        decided = await decide(session, actor, rejected, FactState.REJECTED) if rejected else {}
        if fact.state is not FactState.ACCEPTED:
            decided |= await decide(session, actor, [fact], FactState.ACCEPTED)
        return answer, list(decided.values())

    return button(
        answer if len(answer) <= _BUTTON_CHARACTERS else f"{answer[:_BUTTON_CHARACTERS].rstrip()}…",
        size="small",
        variant="soft",
        icon_name="check",
        name=f"choose-{place}",
        aria_label=t("{title}: choose {answer}, {source}", title=item.title, answer=answer, source=source_text(fact)),
        on_click=use_action(choose, then=settle),
    )
