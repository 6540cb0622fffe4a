"""Who else has something open now."""

from __future__ import annotations

from reactpy import component, html
from reactpy.types import VdomDict

from fundwright.core.messages import nt, t
from fundwright.core.presence import Visit
from fundwright_ui.product import use_others
from fundwright_ui.ui.avatars import avatar

_MOST_NAMES = 4


@component
def people_here(visit: Visit) -> VdomDict:
    """The names of the others. Screen readers announce changes politely."""
    names = list({each.id: each.name for each in use_others(visit)}.values())
    if not names:
        return html.div({"role": "status", "className": "fw-visually-hidden"})
    more = len(names) - _MOST_NAMES
    return html.div(
        {"role": "status", "className": "fw-people"},
        html.span({"className": "fw-muted fw-small"}, t("Also here:")),
        *(
            html.span({"className": "fw-person", "key": f"{place}"}, avatar(name, None, size="small"), " ", name)
            for place, name in enumerate(names[:_MOST_NAMES])
        ),
        html.span({"className": "fw-muted fw-small", "key": "more"}, nt("and {n} more", "and {n} more", more))
        if more > 0
        else None,
    )


@component
def editors_here(visit: Visit, place: str) -> VdomDict:
    """The names of the others who edit a part, or nothing visible."""
    names = [each.name for each in use_others(visit) if each.place == place]
    if not names:
        return html.div({"role": "status", "className": "fw-visually-hidden"})
    return html.p(
        {"role": "status", "className": "fw-people fw-small"},
        *(html.span({"key": f"{number}"}, avatar(name, None, size="small")) for number, name in enumerate(names[:_MOST_NAMES])),
        html.span(
            {"key": "text"},
            t("{name} is editing this section", name=names[0])
            if len(names) == 1
            else t("{names} are editing this section", names=", ".join(names)),
        ),
    )
