"""Changing the documents of a draft."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.messages import t
from fundwright.generation import editing
from fundwright.generation.schemas import DraftRead, DraftSources
from fundwright.reading.kinds import DocumentKind
from fundwright.training import searching
from fundwright_ui.hooks import use_action
from fundwright_ui.product import use_actor
from fundwright_ui.screens.generate.sources import GroupChoice, Sources, source_choice, use_searched
from fundwright_ui.ui import button, card, row


@dataclass(frozen=True)
class _Chosen:
    """A choice that takes effect when it is confirmed."""

    value: Sources
    change: Callable[[Sources], object]

    async def set(self, value: Sources) -> None:
        self.change(value)


@component
def draft_sources(draft: DraftRead, *, close: Callable[[], None]) -> VdomDict:
    """The documents for sections written from now on; existing text stays."""
    actor, searched = use_actor(), use_searched()
    text, set_text = use_state("")
    chosen, set_chosen = use_state(lambda: _sources_of(draft))

    async def choose(session: AsyncSession) -> None:
        wanted = DraftSources(document_ids=chosen.document_ids(await searching.list_searched(session, actor)))
        await editing.choose_sources(session, actor, draft.id, wanted)

    choosing = use_action(choose, success=t("The sources were changed. Regenerate a section to use them."), then=close)
    return card(
        html.p(t("Sections written from now on use these documents. Existing text does not change.")),
        source_choice(searched, _Chosen(chosen, set_chosen), text, set_text),
        row(
            button(t("Use these sources"), variant="contained", on_click=choosing),
            button(t("Cancel"), on_click=close),
        ),
        title=t("Choose sources"),
        key="sources-choice",
    )


def _sources_of(draft: DraftRead) -> Sources:
    """A draft without selected documents uses all of them."""
    if not draft.document_ids:
        return Sources()
    only = GroupChoice(is_chosen=False, but=frozenset(draft.document_ids))
    return Sources(groups=dict.fromkeys(DocumentKind, only))
