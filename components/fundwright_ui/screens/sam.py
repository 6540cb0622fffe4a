"""`/dashboard/sam`: contract opportunities."""

from __future__ import annotations

from reactpy import component
from reactpy.types import Component

from fundwright_ui.screens.opportunities_list import opportunities_list


@component
def sam_screen() -> Component:
    return opportunities_list("contract", key="contract")
