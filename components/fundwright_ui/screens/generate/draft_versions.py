"""The versions of a section: comparing them with the current text, and restoring them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Permission
from fundwright.core.messages import number, t
from fundwright.core.paging import PageRequest
from fundwright.generation import editing
from fundwright.generation.schemas import DiffPiece, DraftRead, DraftSectionRead, VersionRead
from fundwright_ui.hooks import use_action, use_query
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.ui import alert, button, card, chip, empty, loading, moment, pagination, problem, row, stack
from fundwright_ui.ui.elements import Child

_VERSIONS_PER_PAGE = 10


class Restored(NamedTuple):
    """A version that was restored here, and the version that it replaced."""

    number: int
    before: int


@component
def restored_notice(
    draft: DraftRead, part: DraftSectionRead, restored: Restored, set_restored: Callable[[Restored | None], None]
) -> VdomDict:
    actor, core = use_actor(), use_connection().core

    async def undo(session: AsyncSession) -> None:
        await editing.restore_version(session, actor, core, draft.id, part.id, restored.before)

    undoing = use_action(undo, then=lambda: set_restored(None))
    return alert(
        t("Version {number} was restored.", number=number(restored.number)),
        row(
            button(t("Undo"), size="small", on_click=undoing),
            button(t("Close"), size="small", variant="text", on_click=lambda: set_restored(None)),
        ),
        variant="success",
    )


@component
def section_versions(draft: DraftRead, part: DraftSectionRead, *, restored: Callable[[Restored | None], None]) -> VdomDict:
    actor, core = use_actor(), use_connection().core
    page, set_page = use_state(1)
    chosen, set_chosen = use_state(0)

    found = use_query(
        lambda session: editing.list_versions(
            session, actor, draft.id, part.id, PageRequest(page=page, page_size=_VERSIONS_PER_PAGE)
        ),
        key=[part.id, page, part.revision],
    )

    async def restore(session: AsyncSession, version: int) -> None:
        before = await editing.find_current_version(session, actor, draft.id, part.id)
        await editing.restore_version(session, actor, core, draft.id, part.id, version)
        restored(Restored(version, before or version))

    restoring = use_action(restore)

    def content() -> list[VdomDict | None]:
        if found.error:
            return [problem(found.error, on_retry=found.reload)]
        if found.value is None:
            return [loading(t("Loading the versions"))]
        if not found.value.items:
            return [
                empty(t("No versions yet. The first one is saved when the section is written or edited."), icon_name="history")
            ]
        pages = -(-found.value.total // _VERSIONS_PER_PAGE)
        return [
            html.ul(
                {"className": "fw-list", "aria-label": t("Versions of {heading}", heading=t(part.heading))},
                *(
                    _version(
                        version,
                        is_chosen=version.number == chosen,
                        choose=lambda version=version: set_chosen(0 if chosen == version.number else version.number),
                        restore=(lambda version=version: restoring.run(version.number)) if actor.may(Permission.WORK) else None,
                        changes=_changes(draft, part, version.number) if version.number == chosen else None,
                    )
                    for version in found.value.items
                ),
            ),
            pagination(page, pages, on_page=set_page),
        ]

    return card(*content(), title=t("Versions"), key="versions")


def _version(
    version: VersionRead,
    *,
    is_chosen: bool,
    choose: Callable[[], None],
    restore: Callable[[], object] | None,
    changes: Child,
) -> VdomDict:
    shown = number(version.number)
    return html.li(
        {"className": "fw-list-item", "key": str(version.number)},
        html.div(
            html.div({"className": "fw-strong"}, t("Version {number}", number=shown)),
            html.div(
                {"className": "fw-muted fw-small"},
                " · ".join(filter(None, (version.origin.label, version.author))),
                " · ",
                moment(version.changed_at),
            ),
        ),
        row(
            chip(t("Current"), color="success") if version.is_current else None,
            button(
                t("Hide changes") if is_chosen else t("Show changes"),
                size="small",
                aria_label=t("Hide changes since version {number}", number=shown)
                if is_chosen
                else t("Show changes since version {number}", number=shown),
                on_click=choose,
            )
            if not version.is_current
            else None,
            button(t("Restore"), size="small", aria_label=t("Restore version {number}", number=shown), on_click=restore)
            if restore is not None and not version.is_current
            else None,
        ),
        changes,
    )


@component
def _changes(draft: DraftRead, part: DraftSectionRead, version: int) -> VdomDict:
    """The differences from a version to the current text."""
    actor, core = use_actor(), use_connection().core
    found = use_query(
        lambda: editing.compare_version(core, actor, draft.id, part.id, version),
        key=[part.id, version, part.revision],
        with_session=False,
    )
    if found.error:
        return problem(found.error, on_retry=found.reload)
    if found.value is None:
        return loading(t("Comparing"))
    return stack(
        html.p(
            {"className": "fw-muted fw-small"},
            t(
                "From version {number} to the current text. Removed words are struck through, added words are underlined.",
                number=number(version),
            ),
        ),
        html.div(
            {"className": "fw-diff", "dir": "auto", "role": "group", "aria-label": t("Changes")}, *_pieces(found.value.pieces)
        ),
    )


def _pieces(pieces: Sequence[DiffPiece]) -> list[VdomDict | str]:
    elements = {"removed": html.del_, "added": html.ins}
    return [piece.text if piece.kind == "same" else elements[piece.kind](piece.text) for piece in pieces]
