"""The query of the opportunities list in the address: kind, words, filters, and order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from pydantic import ValidationError

from fundwright.opportunities.schemas import SEPARATOR, Kind, OpportunityQuery, OpportunityRow

PATHS: Mapping[Kind, str] = {"contract": "/dashboard/sam", "grant": "/dashboard/nih"}
IMPORT = f"{PATHS['contract']}?import=open"
"""The form that imports files. It begins with the format of contracts, which most accounts import first, and offers all formats."""

SEVERAL = ("agency", "type", "naics", "set_aside", "activity_code", "source")
SINGLE = ("number", "due_from", "due_to", "posted_from", "posted_to", "added_after", "category", "watched")
SHARED = (
    "q",
    "verbatim",
    "availability",
    "due_from",
    "due_to",
    "posted_from",
    "posted_to",
    "category",
    "watched",
    "sort",
    "page_size",
)
"""Parameters that both kinds share: the tabs keep them."""
VERBATIM = "yes"
ANY = "any"
OPEN, CLOSED = "open", "closed"
AWARD = "award"
"""Only contracts have award notices."""


def query_of(kind: Kind, params: Mapping[str, str]) -> OpportunityQuery:
    """Parse the query of the address; invalid parameters are ignored."""
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
    """All notices of the solicitation."""
    return f"{PATHS[item.kind]}?{urlencode({'number': item.number, 'availability': ANY})}"
