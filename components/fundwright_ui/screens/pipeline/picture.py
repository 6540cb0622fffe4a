"""A picture of the pipeline: how much is in each open stage."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from reactpy import html
from reactpy.types import VdomDict

from fundwright.core.messages import nt, t
from fundwright.pipeline.schemas import StageTotal
from fundwright_ui.hooks import UrlState
from fundwright_ui.screens.pipeline.amounts import short_dollars

_WIDTH, _HEIGHT = 200, 96
"""Of a stage, in the units of the drawing."""
_LEAST = 2


def picture(totals: Sequence[StageTotal], url: UrlState) -> VdomDict:
    """A stream through the open stages, as thick as their values, with the weighted values in it. Without any value, as thick as their
    numbers of pursuits."""
    opened = [total for total in totals if total.stage.is_open]
    value, weighted = sum(total.value for total in opened), sum(total.weighted_value for total in opened)
    outer = [total.value or 0 for total in opened] if value else [total.count for total in opened]
    most = max(outer) or 1
    return html.section(
        {"className": "fw-stream", "aria-label": t("Open pursuits by stage")},
        html.p(
            {"className": "fw-stream-sum"},
            html.strong(nt("{n} open pursuit", "{n} open pursuits", sum(total.count for total in opened))),
            html.span({"className": "fw-stream-value"}, t("Value {amount}", amount=short_dollars(value))) if value else None,
            html.span({"className": "fw-stream-weighted"}, t("Weighted value {amount}", amount=short_dollars(weighted)))
            if value
            else None,
        ),
        html.svg(
            {
                "className": "fw-stream-picture",
                "viewBox": f"0 0 {_WIDTH * len(opened)} {_HEIGHT}",
                "preserveAspectRatio": "none",
                "aria-hidden": "true",
            },
            html.path({"className": "fw-stream-outer", "d": stream([each / most for each in outer])}),
            html.path({"className": "fw-stream-inner", "d": stream([total.weighted_value / most for total in opened])})
            if value
            else None,
        ),
        html.ul(
            {"className": "fw-stream-stages"},
            *(
                html.li(
                    {"key": total.stage.value},
                    html.a(
                        {"href": url.href(view="table", stage=total.stage.value, open=None, page=None)},
                        html.span({"className": "fw-stream-count"}, str(total.count)),
                        html.span({"className": "fw-stream-stage"}, str(total.stage.label)),
                    ),
                    html.span({"className": "fw-muted fw-small"}, short_dollars(total.value)) if total.value else None,
                )
                for total in opened
            ),
        ),
    )


def stream(shares: Sequence[float]) -> str:
    """The outline of a stream whose thickness at the middle of each stage is its share of the height."""
    middle = _HEIGHT / 2
    halves = [max(_LEAST, share * _HEIGHT) / 2 for share in shares]
    points = [(0.0, halves[0]), *((_WIDTH * (place + 0.5), half) for place, half in enumerate(halves))]
    points.append((float(_WIDTH * len(halves)), halves[-1]))

    def curve(line: Sequence[tuple[float, float]]) -> str:
        parts: list[str] = []
        for (x, y), (next_x, next_y) in pairwise(line):
            between = (x + next_x) / 2
            parts.append(f"C{between:g} {y:.1f} {between:g} {next_y:.1f} {next_x:g} {next_y:.1f}")
        return " ".join(parts)

    upper = [(x, middle - half) for x, half in points]
    lower = [(x, middle + half) for x, half in reversed(points)]
    return f"M{upper[0][0]:g} {upper[0][1]:.1f} {curve(upper)} L{lower[0][0]:g} {lower[0][1]:.1f} {curve(lower)} Z"
