"""State that belongs in the address: page, filters, sorting. Reload, back and a shared link bring it back."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode
from uuid import UUID

from fundwright.core.errors import NotFound
from fundwright_ui.runtime.connection import Connection, use_connection


class UrlState:
    """The query of the address. `params` holds what is set, all of it text."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.params: dict[str, str] = dict(connection.location.query)

    def get(self, name: str, default: str = "") -> str:
        return self.params.get(name, default)

    def set(self, **changes: object) -> None:
        """Change parameters; None or "" removes one. The screen renders again at once, with no new step in the history."""
        location = self._connection.location
        query = {**location.query, **{name: "" if value is None else str(value) for name, value in changes.items()}}
        self._connection.move_in_place(_address(location.path, query))

    def href(self, **changes: object) -> str:
        """The link to this screen with these changes, for `link_button` and pagination."""
        location = self._connection.location
        query = {**location.query, **{name: "" if value is None else str(value) for name, value in changes.items()}}
        return self._connection.href(_address(location.path, query))


def use_url_state() -> UrlState:
    """Parameters of the address and how to change them."""
    return UrlState(use_connection())


def id_in_address(text: str, what: str) -> UUID:
    """The id that `text`, a part of the address, stands for. Raises NotFound, naming `what`, for anything else."""
    try:
        return UUID(text)
    except ValueError:
        raise NotFound(what) from None


def _address(path: str, query: Mapping[str, str]) -> str:
    kept = {name: value for name, value in query.items() if value}
    return f"{path}?{urlencode(kept)}" if kept else path
