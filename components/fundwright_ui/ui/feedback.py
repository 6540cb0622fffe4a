"""Alerts, empty states, problems, and loading states."""

from __future__ import annotations

from typing import Literal

from reactpy import html
from reactpy.types import VdomDict

from fundwright.core.messages import t
from fundwright_ui.runtime.events import handler
from fundwright_ui.runtime.faults import error_id_of
from fundwright_ui.ui.elements import Child, OnEvent
from fundwright_ui.ui.icons import icon

_SKELETON_LINES = 4


def alert(
    message: str, *children: Child, variant: Literal["error", "warning", "info", "success"] = "error", title: str | None = None
) -> VdomDict:
    """A persistent message. Screen readers announce errors and warnings immediately."""
    return html.div(
        {"className": f"fw-alert fw-alert-{variant}", "role": "alert" if variant in ("error", "warning") else "status"},
        html.div(
            {"className": "fw-alert-body"},
            html.p({"className": "fw-alert-title"}, title) if title else None,
            html.p(*with_code(message)),
            error_id(message),
            *children,
        ),
    )


def error_id(message: str) -> VdomDict | None:
    """What an administrator looks up in the log, if the message is about an unexpected error."""
    found = error_id_of(message)
    return html.p({"className": "fw-error-id"}, t("Error ID"), " ", html.code(found)) if found else None


def with_code(message: str) -> list[Child]:
    """The parts of a message. What is between backticks is a command."""
    return [html.code(part) if index % 2 else part for index, part in enumerate(message.split("`"))]


def empty(message: str, *actions: Child, icon_name: str) -> VdomDict:
    """An empty state: one line, and what to do about it. The icon shows what is missing."""
    return html.div(
        {"className": "fw-empty"},
        icon(icon_name),
        html.p({"className": "fw-empty-text"}, message),
        html.div({"className": "fw-actions"}, *actions) if actions else None,
    )


def problem(message: str, *, on_retry: OnEvent = None) -> VdomDict:
    """A failed load. `on_retry=query.reload` offers to try again."""
    return html.div(
        {"className": "fw-problem", "role": "alert"},
        html.p({"className": "fw-problem-title"}, message),
        error_id(message),
        html.button({"type": "button", "className": "fw-button fw-button-outlined", "onClick": handler(on_retry)}, t("Try again"))
        if on_retry is not None
        else None,
    )


def loading(label: str | None = None) -> VdomDict:
    """Placeholder lines for content that is loading, visible after a moment; while they are shown, the page is not ready.
    `label` describes it to assistive technology."""
    return html.div(
        {"className": "fw-loading", "role": "status", "aria-label": label or t("Loading"), "data-loading": ""},
        *(html.span({"className": "fw-skeleton"}) for _ in range(_SKELETON_LINES)),
    )
