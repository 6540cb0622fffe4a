"""`/dashboard/sam`: contract opportunities."""

from __future__ import annotations

from reactpy.types import Component

from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.opportunities.opportunities_list import opportunities_list


@screen("/dashboard/sam", "Opportunities", help="/help/opportunities")
def sam_screen() -> Component:
    return opportunities_list("contract", key="contract")
