"""Dates and times at the limits of the calendar, where calculations could overflow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fundwright.accounts.schemas import Role
from fundwright.core.assembly import Core
from fundwright_ui.app import build_app
from tests.access.test_roles import Asker, People, description, opened

ENDS = {"date": ("0001-01-01", "9999-12-31"), "date-time": ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59.999999-14:00")}


def formats(schema: Mapping[str, Any], known: Mapping[str, Any]) -> Iterator[str]:
    if "$ref" in schema:
        schema = known[schema["$ref"].rpartition("/")[2]]
    yield schema.get("format", "")
    for each in schema.get("anyOf", ()):
        yield from formats(each, known)


def places(app: Any) -> Iterator[tuple[str, tuple[str, str], str]]:
    """The parameters and fields of each route that take dates or times, with their format."""
    schema = description(app)
    known = schema["components"]["schemas"]
    for path, methods in schema["paths"].items():
        for method, described in methods.items():
            fields = [((each["in"], each["name"]), each["schema"]) for each in described.get("parameters", ())]
            for each in described.get("requestBody", {}).get("content", {}).values():
                body = known.get(each["schema"].get("$ref", "").rpartition("/")[2], {})
                fields += [(("body", name), field) for name, field in body.get("properties", {}).items()]
            for place, field in fields:
                yield from ((f"{method.upper()} {path}", place, format) for format in formats(field, known) if format in ENDS)


async def test_the_ends_of_the_calendar_are_refused_or_answered(committed: Core) -> None:
    app, wrong, tried = build_app(committed), list[str](), set[str]()
    token = await People(committed).token(Role.ADMIN)
    async with opened(app) as client:
        asker = Asker(app, client)
        for route, place, format in places(app):
            for value in ENDS[format]:
                answer = await asker.ask(route, token, values={place: value})
                tried.add(route)
                if answer.status_code >= 500:
                    wrong.append(f"{route} {place} {value}: {answer.status_code} {answer.text}")
    assert not wrong, "\n".join(wrong)
    assert len(tried) > 10
