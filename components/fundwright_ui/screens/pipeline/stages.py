"""The colors of stages."""

from __future__ import annotations

from collections.abc import Mapping

from fundwright.pipeline.schemas import Stage
from fundwright_ui.ui.display import Color

_COLORS: Mapping[Stage, Color] = {
    Stage.SUBMITTED: "purple",
    Stage.WON: "success",
    Stage.LOST: "error",
    Stage.NO_GO: "secondary",
}


def stage_color(stage: Stage) -> Color:
    """The color of its chip."""
    return _COLORS.get(stage, "info")
