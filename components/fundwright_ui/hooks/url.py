"""State in the address: page, filters, and order. It survives a reload, the Back button, and sharing the link."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar
from urllib.parse import urlencode

from pydantic import BaseModel, Field, ValidationError

from fundwright_ui.runtime.connection import Connection, use_connection

Q = TypeVar("Q", bound=BaseModel)


class _Paged(BaseModel):
    page: int = Field(default=1, ge=1, le=100_000)


class UrlState:
    """The query of the address. `params` holds its parameters as text."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._path = connection.location.path
        self.params: dict[str, str] = dict(connection.location.query)

    def get(self, name: str, default: str = "") -> str:
        return self.params.get(name, default)

    @property
    def page(self) -> int:
        """The page number of a list; 1 if the address has no valid one."""
        return query_in_address(_Paged, {"page": self.get("page")}).page

    def set(self, **changes: object) -> None:
        """Change parameters of what is open or being edited; None or "" removes one. The screen renders again immediately, without a
        new history entry. Does nothing after the page has moved to another path."""
        self._change(changes, replace=True)

    def go(self, **changes: object) -> None:
        """Like `set`, but for what a list shows (its words, filters, order, and page): a new history entry is added, and the
        browser's Back button restores the earlier parameters."""
        self._change(changes, replace=False)

    def _change(self, changes: Mapping[str, object], *, replace: bool) -> None:
        location = self._connection.location
        if location.path != self._path:
            return
        query = {**location.query, **{name: "" if value is None else str(value) for name, value in changes.items()}}
        self._connection.navigate(_address(location.path, query), replace=replace)

    def href(self, **changes: object) -> str:
        """Return the address of this screen with these changes, for `link_button` and pagination."""
        location = self._connection.location
        query = {**location.query, **{name: "" if value is None else str(value) for name, value in changes.items()}}
        return self._connection.href(_address(location.path, query))


def use_url_state() -> UrlState:
    """Return the parameters of the address and a way to change them."""
    return UrlState(use_connection())


def query_in_address(model: type[Q], params: Mapping[str, str], *, prefix: str = "") -> Q:
    """Parse the query of the address as the API's own `model`, ignoring invalid parameters. A screen with several lists gives
    each a `prefix` for its parameters."""
    given = {name: params[prefix + name] for name in model.model_fields if params.get(prefix + name)}
    try:
        return model.model_validate(given)
    except ValidationError as refused:
        bad = {str(error["loc"][0]) for error in refused.errors() if error["loc"]} or set(given)
        return query_in_address(model, {name: value for name, value in given.items() if name not in bad})


def _address(path: str, query: Mapping[str, str]) -> str:
    kept = {name: value for name, value in query.items() if value}
    return f"{path}?{urlencode(kept)}" if kept else path
