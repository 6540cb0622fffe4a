"""What insights registers through the plug-in seam."""

from __future__ import annotations

from collections.abc import Iterable

from fundwright.core.plugins import hookimpl
from fundwright.insights import service
from fundwright.insights.schemas import FigureReader


@hookimpl
def dashboard_figures() -> Iterable[FigureReader]:
    return [service.read_figures]
