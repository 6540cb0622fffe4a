"""`/dashboard/nih`: funding opportunities of NIH and Grants.gov."""

from __future__ import annotations

from reactpy.types import Component

from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.opportunities.opportunities_list import opportunities_list


@screen("/dashboard/nih", "Opportunities", help="/help/opportunities")
def nih_screen() -> Component:
    return opportunities_list("grant", key="grant")
