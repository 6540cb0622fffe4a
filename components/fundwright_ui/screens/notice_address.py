"""The query of the opportunities list in the address: kind, words, filters, and order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from fundwright.opportunities.schemas import SEPARATOR, Kind, OpportunityQuery, OpportunityRow
from fundwright_ui.hooks import UrlState

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


_NAMES = {name: name for name in (*SINGLE, *SEVERAL, "availability", "page", "page_size", "sort", "verbatim")} | {"q": "text"}
"""The parameters of the address, each with the name of its field."""


def query_of(kind: Kind, url: UrlState) -> OpportunityQuery:
    """Parse the query of the address. The screen says what is not valid."""
    params = url.params
    given: dict[str, Any] = {name: params[name] for name in SINGLE if params.get(name)}
    given |= {name: tuple(filter(None, params[name].split(SEPARATOR))) for name in SEVERAL if params.get(name)}
    given |= {name: params[name] for name in ("page", "page_size", "sort") if params.get(name)}
    given["text"] = params.get("q", "").strip()[:500]
    given["verbatim"] = params.get("verbatim") == VERBATIM
    wanted = params.get("availability") or OPEN
    given |= {"availability": wanted} if wanted != ANY else {}
    return url.parse(OpportunityQuery, {"kind": kind, **given}, _NAMES)


def notices_path(item: OpportunityRow) -> str:
    """All notices of the solicitation."""
    return f"{PATHS[item.kind]}?{urlencode({'number': item.number, 'availability': ANY})}"
