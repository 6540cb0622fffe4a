"""Addresses of screens, outside of pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from fundwright_ui.hooks import UrlState
from fundwright_ui.runtime.connection import Connection
from fundwright_ui.runtime.router import Location


def address_with(query: Mapping[str, str]) -> UrlState:
    """The state of an address with this query."""
    return UrlState(Connection(cast(Any, None), None, client=cast(Any, None), location=Location("/", query=query)))
