"""State in the address: page, filters, and order. It survives a reload, the Back button, and sharing the link."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar
from urllib.parse import urlencode

from pydantic import BaseModel, Field, ValidationError

from fundwright_ui.runtime.connection import Connection, not_a_value, use_connection

Q = TypeVar("Q", bound=BaseModel)


class _Paged(BaseModel):
    page: int = Field(default=1, ge=1, le=100_000)


class UrlState:
    """The query of the address. `params` holds its parameters as text."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._path = connection.location.path
        self.params: dict[str, str] = dict(connection.location.query)

    def open(self, **forms: Iterable[str]) -> None:
        """Name the parameters that say what of the screen is open or being edited, each with the forms of its values: `tab=("a", "b")`,
        `open=("new", "edit:{id}")`. `{id}` is an id, `{n}` a number, and `{text}` anything. The screen says which others it does not know."""
        self._connection.parameters.open(forms)

    def get(self, name: str, default: str = "") -> str:
        self._connection.parameters.read(name)
        return self.params.get(name, default)

    @property
    def page(self) -> int:
        """The page number of a list; 1 if the address has no valid one."""
        return query_in_address(_Paged, self).page

    def parse(self, model: type[Q], given: Mapping[str, Any], names: Mapping[str, str]) -> Q:
        """Parse what the address gives for a list as the API's own `model`, and leave out what is not valid, which the screen then says.
        `names` are the parameters of the address, each with the name of its field."""
        fields = {field: name for name, field in names.items()}
        problems: dict[str, str] = {}
        while True:
            try:
                query = model.model_validate(given)
                break
            except ValidationError as refused:
                for error in refused.errors():
                    field = str(error["loc"][0]) if error["loc"] else ""
                    problems[field] = _problem(fields.get(field, field), self.params.get(fields.get(field, field), ""), error)
                kept = {field: value for field, value in given.items() if field not in problems and "" not in problems}
                if len(kept) == len(given):
                    raise
                given = kept
        self.report(names, problems.values())
        return query

    def report(self, names: Iterable[str], problems: Iterable[str]) -> None:
        """Let the screen say what is wrong with these parameters of a list."""
        self._connection.parameters.narrow(names, tuple(problems))

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


def use_url_state(**opened: Iterable[str]) -> UrlState:
    """Return the parameters of the address and a way to change them. A screen names those that say what is `opened`, see `UrlState.open`."""
    url = UrlState(use_connection())
    url.open(**opened)
    return url


def query_in_address(model: type[Q], url: UrlState, *, prefix: str = "") -> Q:
    """Parse the query of the address as the API's own `model`. The screen says what is not valid, and which parameters it does not know.
    A screen with several lists gives each a `prefix` for its parameters."""
    names = {prefix + name: name for name in model.model_fields}
    given = {field: url.params[name] for name, field in names.items() if url.params.get(name)}
    return url.parse(model, given, names)


def is_valid(model: type[BaseModel], given: Mapping[str, Any]) -> bool:
    """Whether a list can have this query."""
    try:
        model.model_validate(given)
    except ValidationError:
        return False
    return True


def _problem(name: str, value: str, error: Any) -> str:
    if error["type"] == "value_error":  # one of our own sentences
        return str(error["ctx"]["error"])
    allowed: Iterable[str] = re.findall(r"'([^']*)'", str(error.get("ctx", {}).get("expected", "")))
    return not_a_value(value, name, ("true", "false") if error["type"] == "bool_parsing" else allowed)


def _address(path: str, query: Mapping[str, str]) -> str:
    kept = {name: value for name, value in query.items() if value}
    return f"{path}?{urlencode(kept)}" if kept else path
