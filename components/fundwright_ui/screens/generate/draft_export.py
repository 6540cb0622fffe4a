"""Exporting a draft: the formats, and what to check first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final
from uuid import UUID

from reactpy import component, html, use_state
from reactpy.types import VdomDict

from fundwright.core.messages import nt, t
from fundwright.generation import service as generation
from fundwright.generation.schemas import DraftRead, ExportWarning, ExportWarningKind
from fundwright_ui.hooks import Query, use_query
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.ui import button, chip, link_button, loading, menu, pagination, problem, row, side_panel, stack
from fundwright_ui.ui.buttons import ButtonVariant
from fundwright_ui.ui.elements import Child

EXPORT: Final = "export"
"""Value of `open` in the address, with the number of a format after a colon, while the panel is open."""
_MENU = "draft-export"
_WARNINGS_PER_PAGE = 50
_QUERIES = ("docx", "docx&citations=none", "md", "md&citations=none")


@component
def export_menu(draft: DraftRead, open_panel: Callable[[str], None], copy: Child, *, variant: ButtonVariant) -> VdomDict:
    """All formats, with footnotes and without, and the clipboard. If there is something to check, a format opens the panel."""
    warnings = _use_warnings(draft).value
    labels = (t("Word"), t("Word without citations"), t("Markdown"), t("Markdown without citations"))

    def entry(place: int) -> VdomDict:
        if warnings == []:
            address = _address_of(draft, place)
            return link_button(labels[place], address, variant="text", icon_name="download", download=True, key=f"link-{place}")
        return button(
            labels[place],
            variant="text",
            icon_name="download",
            closes=_MENU,
            on_click=lambda: open_panel(f"{EXPORT}:{place}"),
            key=f"button-{place}",
        )

    return menu(t("Export"), *map(entry, range(len(_QUERIES))), copy, id=_MENU, variant=variant)


@component
def export_panel(draft: DraftRead, opened: str, edit: Callable[[UUID], None] | None, close: Callable[[], None]) -> VdomDict:
    """What to check before the draft is submitted, and the link that exports it anyway. `opened` is as in the address."""
    page, set_page = use_state(1)
    found = _use_warnings(draft)
    place = opened.rpartition(":")[2]
    address = _address_of(draft, int(place) if place.isdecimal() and int(place) < len(_QUERIES) else 0)
    warnings = found.value or []
    pages = max(1, -(-len(warnings) // _WARNINGS_PER_PAGE))
    page = min(page, pages)  # some have been corrected meanwhile
    shown = warnings[(page - 1) * _WARNINGS_PER_PAGE : page * _WARNINGS_PER_PAGE]
    content: tuple[Child, ...]
    if found.error:
        content = (problem(found.error, on_retry=found.reload),)
    elif found.value is None:
        content = (loading(t("Loading warnings")),)
    else:
        content = (
            html.p(
                nt(
                    "Check {n} item before you submit this draft.",
                    "Check {n} items before you submit this draft.",
                    len(warnings),
                )
                if warnings
                else t("There is nothing left to check.")
            ),
            row(
                link_button(
                    t("Export anyway") if warnings else t("Export"),
                    address,
                    variant="contained",
                    icon_name="download",
                    download=True,
                )
            ),
            html.ul(
                {"className": "fw-list", "aria-label": t("Before you export")},
                *(_warning(each, edit, key=f"{each.kind}-{each.section_id}-{each.start}") for each in shown),
            )
            if shown
            else None,
            pagination(page, pages, on_page=set_page),
        )
    return side_panel(t("Before you export"), *content, close=t("Close export"), on_close=close, key="export-panel")


def _use_warnings(draft: DraftRead) -> Query[list[ExportWarning]]:
    actor, core = use_actor(), use_connection().core
    sections = [(section.revision, section.state, section.checking) for section in draft.sections]
    return use_query(
        lambda: generation.list_export_warnings(core, actor, draft), key=[draft.id, draft.state, *sections], with_session=False
    )


def _address_of(draft: DraftRead, place: int) -> str:
    return use_connection().href(f"/api/drafts/{draft.id}/export?form={_QUERIES[place]}")


def _warning(warning: ExportWarning, edit: Callable[[UUID], None] | None, *, key: str) -> VdomDict:
    heading = t(warning.heading)
    return html.li(
        {"className": "fw-list-item", "key": key},
        stack(
            row(chip(warning.kind.label, color="warning"), html.a({"href": f"#{warning.section_id}"}, heading)),
            html.p({"dir": "auto"}, warning.text) if warning.text else None,
            html.p({"className": "fw-muted fw-small"}, _reason(warning)),
            tight=True,
        ),
        button(
            t("Edit"), size="small", aria_label=t("Edit {heading}", heading=heading), on_click=lambda: edit(warning.section_id)
        )
        if edit
        else None,
    )


def _reason(warning: ExportWarning) -> str:
    details = ", ".join(f"“{each}”" for each in warning.details)
    match warning.kind:
        case ExportWarningKind.UNSUPPORTED:
            return t("Not found together in the cited passages: {words}", words=details)
        case ExportWarningKind.PLACEHOLDER:
            return t("Replace {words}.", words=details)
        case ExportWarningKind.UNSIGNED:
            return t("The letter ends without a name. Add the name of the person who signs it.")
        case ExportWarningKind.EMPTY:
            return t("This section has no text, so the file leaves it out. Add text, or delete the section.")
        case ExportWarningKind.INTERNAL:
            return t(
                "This looks like an internal note, or cites a document of the kind Internal or About others. Remove it unless readers "
                "may see it."
            )
