"""`/dashboard/nih`: funding opportunities of NIH and Grants.gov."""

from __future__ import annotations

from reactpy import component
from reactpy.types import Component

from fundwright_ui.screens.opportunities_list import opportunities_list


@component
def nih_screen() -> Component:
    return opportunities_list("grant", key="grant")
