"""What the address of the list of opportunities says: the kind, the words, the filters, and the order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from pydantic import ValidationError

from fundwright.opportunities.schemas import Kind, OpportunityQuery, OpportunityRow

PATHS: Mapping[Kind, str] = {"contract": "/dashboard/sam", "grant": "/dashboard/nih"}

SEPARATOR = "|"
SEVERAL = ("agency", "type", "set_aside", "activity_code", "source")
SINGLE = ("number", "naics", "due_from", "due_to", "posted_from", "posted_to", "category")
SHARED = ("q", "verbatim", "availability", "due_from", "due_to", "posted_from", "posted_to", "category", "sort", "page_size")
"""What both kinds have: the tabs keep it."""
VERBATIM = "yes"
ANY = "any"
OPEN, CLOSED = "open", "closed"
AWARD = "award"
"""Only contracts have notices of awards."""


def query_of(kind: Kind, params: Mapping[str, str]) -> OpportunityQuery:
    """What the address asks for; what cannot be understood in it is left out."""
    given: dict[str, Any] = {name: params[name] for name in SINGLE if params.get(name)}
    given |= {name: tuple(filter(None, params[name].split(SEPARATOR))) for name in SEVERAL if params.get(name)}
    given |= {name: params[name] for name in ("page", "page_size", "sort") if params.get(name)}
    given["text"] = params.get("q", "").strip()[:500]
    given["verbatim"] = params.get("verbatim") == VERBATIM
    wanted = params.get("availability") or OPEN
    given |= {"availability": wanted} if wanted != ANY else {}
    try:
        return OpportunityQuery.model_validate({"kind": kind, **given})
    except ValidationError as refused:
        bad = {str(error["loc"][0]) for error in refused.errors()}
        return OpportunityQuery.model_validate({"kind": kind, **{k: v for k, v in given.items() if k not in bad}})


def notices_path(item: OpportunityRow) -> str:
    """All notices of its solicitation."""
    return f"{PATHS[item.kind]}?{urlencode({'number': item.number, 'availability': ANY})}"
