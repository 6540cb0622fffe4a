"""Sessions and the names of their devices."""

from __future__ import annotations

from reactpy import html
from reactpy.types import VdomDict

from fundwright.authentication.schemas import SessionRead
from fundwright.authentication.user_agents import device_of
from fundwright.core.messages import t
from fundwright_ui.ui import chip, facts, list_row, moment, row
from fundwright_ui.ui.elements import Child


def device_name(user_agent: str) -> str:
    """Name the browser and the operating system."""
    browser, system = device_of(user_agent)
    if browser and system:
        return t("{browser} on {system}", browser=browser, system=system)
    return browser or system or t("Unknown device")


def session_row(session: SessionRead, actions: Child = None, *, is_this: bool = False, key: str | None = None) -> VdomDict:
    """A session in a list. `is_this` marks the one of the page."""
    return list_row(
        html.div(
            {"className": "fw-grow fw-stack fw-stack-tight"},
            row(
                html.span({"className": "fw-strong"}, device_name(session.user_agent)),
                chip(t("This session"), color="success") if is_this else None,
            ),
            facts(
                session.address,
                (t("Signed in"), moment(session.created_at)),
                (t("Last used"), moment(session.last_used_at)),
            ),
        ),
        actions,
        key=key,
    )
