"""The worst that a client may send, derived from the descriptions of routes and of events."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, cast
from uuid import uuid4

from PIL import Image
from pydantic import BaseModel
from pydantic.alias_generators import to_camel

from fundwright_ui.widgets import ALL as WIDGETS
from tests.access.test_ids import id_fields, kind_of
from tests.access.test_roles import fill

Ids = Mapping[str, str]
"""What a person has, by the kinds of `tests.access.table.WORLD`."""

_UNBOUNDED = 1_000
"""Characters of a text without a limit of its own, and items of such a list."""
_MOST_CHARACTERS = 300_000
_MOST_BODY_BYTES = 990_000
"""Almost the size that the server accepts."""
_QUERY_CHARACTERS = 8_000
_TERMS = 200
_MAX_CITED = 6

PATTERNS: Mapping[str, str] = {
    "digits": "1234567890",
    "one digit": "7",
    "amounts": "$1,234,567.89 ",
    "commas": "1,1,1,1,",
    "dots": "1.1.1.1.",
    "brackets": "[(1)]{[(",
    "closed brackets": "([1])",
    "quotes": "\"'“‘",
    "addresses": "a.a@a.a-",
    "dates": "1/1/2026 12/",
    "units": "20 mW 5 µm 3% ",
    "stars": "*_**`~~",
    "tables": "|1|2|\n|-|-|\n",
    "lists": "- 1. > # ",
    "links": "[a](http://a/",
    "spaces": " \t ",
    "accents": "e\u0301\u0327",
    "dashes": "1-2–3—",
}
"""What an expression with a repetition inside of a repetition, or a parser that looks ahead, may take long for."""


def text(characters: int, chance: random.Random) -> str:
    """A text of one of the patterns, or of different words."""
    if chance.random() < 0.2:
        return " ".join(f"w{chance.randrange(10**6)}" for _ in range(min(_TERMS, characters // 8)))[:characters]
    pattern = chance.choice(list(PATTERNS.values()))
    return (pattern * (characters // len(pattern) + 1))[:characters]


_DIGITS = "1234567890" * 35
ANSWERS = "\n\n".join(
    f"# {heading}\n\n{text} {_DIGITS}."
    for heading, text in {
        "About us": "We are Roofs, a company that repairs roofs; our number is",
        "Core competencies": "Our core competencies are roofs, gutters, and shingles, such as",
        "Past performance": "For the City of Salem we repaired the roof of a school for",
        "Differentiators": "Unlike others, we differ by our crew of",
        "Company data": "Our UEI and CAGE code are",
        "Contact": "Write to us at",
    }.items()
)
"""A document that drafts cite, with passages of digits."""


def claims(count: int, sources: Sequence[int]) -> str:
    """Sentences of digits, each of which cites as many passages as a claim is compared with."""
    cited = "".join(f"[{number}]" for number in sources[:_MAX_CITED])
    return "\n\n".join(f"{_DIGITS} {number} {cited}." for number in range(count))


def documents() -> Iterator[tuple[str, bytes]]:
    """Small files of one pattern each, and large ones."""
    for name, pattern in PATTERNS.items():
        yield f"{name}-{uuid4().hex[:6]}.txt", (f"{uuid4().hex}\n" + pattern * (60_000 // len(pattern))).encode()
    yield (
        f"large-{uuid4().hex[:6]}.txt",
        (f"{uuid4().hex}\n" + "The crew repairs 1,234 roofs in 12 days. \n\n" * 480_000).encode()[:20_000_000],
    )
    yield f"deep-{uuid4().hex[:6]}.md", (f"{uuid4().hex}\n" + "> " * 30_000 + "[" * 30_000).encode()
    yield f"nested-{uuid4().hex[:6]}.html", (f"<p>{uuid4().hex}" + "<div><b>" * 50_000).encode()
    yield f"wide-{uuid4().hex[:6]}.csv", (f"{uuid4().hex}," + "1," * 200_000).encode()


@cache
def photo() -> bytes:
    file = io.BytesIO()
    Image.effect_noise((3_000, 3_000), 80).convert("RGB").save(file, "JPEG", quality=60)
    return file.getvalue()


def template_file() -> bytes:
    """A template in Markdown with as many sections and questions as fit."""
    section = "## {0}\n\n" + "".join(f"- {'*_`[' * 60}{number}?\n" for number in range(10)) + "\n"
    return ("# Worst\n\n" + "".join(section.format(number) for number in range(40))).encode()


def notices_file(count: int = 20_000) -> bytes:
    rows = "".join(f'{uuid4().hex},"{"1,234.5 " * 30}",SOL{number},2026-01-01,{"x" * 200}\n' for number in range(count))
    return b"NoticeId,Title,Sol#,PostedDate,Description\n" + rows.encode()


def nested_json(size: int = _MOST_BODY_BYTES) -> bytes:
    return b'{"name":' + b"[" * (size // 2 - 10) + b"]" * (size // 2 - 10) + b"}"


def wide_json(size: int = _MOST_BODY_BYTES) -> bytes:
    return b"{" + b",".join(b'"%06x":0' % number for number in range(size // 11)) + b"}"


def value(schema: Mapping[str, Any], known: Mapping[str, Any], chance: random.Random) -> Any:
    """The largest value that the description allows, with all that is optional."""
    if "$ref" in schema:
        return value(known[schema["$ref"].rpartition("/")[2]], known, chance)
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            return value(next(each for each in schema[choice] if each.get("type") != "null"), known, chance)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return chance.choice(schema["enum"])
    match schema.get("type"):
        case "object":
            named = schema.get("propertyNames", {})
            keys = known[named["$ref"].rpartition("/")[2]]["enum"] if "$ref" in named else ()
            return {name: value(each, known, chance) for name, each in schema.get("properties", {}).items()} | {
                key: value(schema["additionalProperties"], known, chance) for key in keys
            }
        case "array":
            return [value(schema["items"], known, chance) for _ in range(min(schema.get("maxItems", _UNBOUNDED), _UNBOUNDED))]
        case "integer" | "number":
            return int(schema.get("maximum", schema.get("minimum", 1)))
        case "boolean":
            return chance.random() < 0.5
        case _:
            formats = {"uuid": str(uuid4()), "date": "2026-01-31", "date-time": "2026-01-31T12:00:00Z"}
            return formats.get(schema.get("format", "")) or text(
                min(schema.get("maxLength", _UNBOUNDED), _MOST_CHARACTERS), chance
            )


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    params: Mapping[str, Any] = field(default_factory=dict[str, Any])
    body: bytes | None = None
    file: tuple[str, bytes] | None = None


class NoWorstUse(Exception):
    """The description of a route does not say what may be sent to it."""


FILES: Mapping[str, Callable[[], tuple[str, bytes]]] = {
    "POST /api/account/photo": lambda: ("photo.jpg", photo()),
    "POST /api/opportunities/imports/{source}": lambda: ("notices.csv", notices_file(2_000)),
    "POST /api/templates/files": lambda: ("template.md", template_file()),
    "POST /api/training/documents": lambda: next(documents()),
}
"""The files of the routes that take one."""

_WORDS = {"{source}": "sam", "{code}": "pro", "{kind}": "mention", "{number}": "1", "{slug}": "none"}
"""Parts of addresses that are not ids."""


def request(route: str, described: Mapping[str, Any], known: Mapping[str, Any], ids: Ids, chance: random.Random) -> Request:
    """The worst allowed use of a route, about what the person has. Raises NoWorstUse."""
    method, path = route.split(" ")
    params = dict[str, Any]()
    for each in described.get("parameters", ()):
        name = each["name"]
        if each["in"] == "path":
            path = path.replace(f"{{{name}}}", ids.get(kind_of(route, name) or "") or _WORDS.get(f"{{{name}}}") or str(uuid4()))
        elif each["required"] or chance.random() < 0.5:
            params[name] = _of_query(route, name, each["schema"], known, ids, chance)
    if "{" in path:
        raise NoWorstUse(route)
    content = described.get("requestBody", {}).get("content", {})
    if not content:
        return Request(method, path, _bounded(params))
    if "application/json" in content:
        schema = content["application/json"]["schema"]
        body = value(schema, known, chance)
        for name in dict.fromkeys(id_fields(schema, known)):
            if (kind := kind_of(route, name)) in ids and not name.startswith("query.") and "before" not in name:
                fill(body, name, ids[cast(str, kind)])
        return Request(method, path, params, body=_within(body).encode())
    if "multipart/form-data" in content and route in FILES:
        return Request(method, path, params, file=FILES[route]())
    raise NoWorstUse(route)


def _of_query(route: str, name: str, schema: Mapping[str, Any], known: Mapping[str, Any], ids: Ids, chance: random.Random) -> Any:
    if (kind := kind_of(route, name)) in ids and "uuid" in json.dumps(schema):
        return ids[cast(str, kind)]
    if name == "sort":
        return ""
    if name == "page":
        return chance.choice([1, 1, 1, 2, 50, 100_000])
    found = value(schema, known, chance)
    return found[:20] if isinstance(found, list) else found


def _bounded(params: dict[str, Any]) -> dict[str, Any]:
    """What fits in an address."""
    while len(json.dumps(params)) > _QUERY_CHARACTERS:
        longest = max(params, key=lambda name: len(json.dumps(params[name])))
        params[longest] = params[longest][: len(params[longest]) // 2]
    return params


def _within(body: Any) -> str:
    """As JSON within the limit of a body: the longest lists get shorter."""
    while len(made := json.dumps(body, ensure_ascii=False).encode()) > _MOST_BODY_BYTES:
        _halve(body, len(made) // 3)
    return made.decode()


def _halve(value: Any, more_than: int) -> None:
    for key, each in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        if isinstance(each, list | str) and len(json.dumps(each)) > more_than:
            value[key] = each[: len(each) // 2]
        _halve(value[key], more_than)


@cache
def widget_events() -> Mapping[tuple[str, str], type[BaseModel]]:
    """What each event of each widget sends, by the names of the widget and of the event."""
    return {(widget.__name__, to_camel(name)): model for widget in WIDGETS for name, model in widget.events.items()}


ELEMENT_EVENTS = {
    "onBlur", "onChange", "onClick", "onFocus", "onInput", "onKeyDown", "onSubmit", "onToggle",
}  # fmt: skip
"""The events of elements; what they send is described in docs/runtime-protocol.md."""


def payload(node: Mapping[str, Any], event: str, ids: Ids, chance: random.Random) -> dict[str, Any]:
    """The worst data that an event of this node may send."""
    if (key := (node.get("w", ""), event)) in widget_events():
        schema = widget_events()[key].model_json_schema(by_alias=True)
        data = value(schema, schema.get("$defs", {}), chance)
        return {name: _own(name, each, ids, chance) for name, each in data.items()}
    long = text(chance.choice([200, 2_000, 20_000]), chance)
    options = [each["a"].get("value", "") for each in _walk(node) if each.get("t") == "option"]
    fields = {
        each["a"]["name"]: each["a"].get("value") or each["a"].get("defaultValue") or long[:1_000]
        for each in _walk(node)
        if each.get("a", {}).get("name")
    }
    return {
        "value": chance.choice(options) if options else long,
        "checked": chance.random() < 0.5,
        "fields": fields,
        "submitter": None,
        "key": "Enter",
        "name": "x",
        "open": True,
    }


def _own(name: str, value: Any, ids: Ids, chance: random.Random) -> Any:
    if name == "id":
        return chance.choice(list(ids.values()))
    return 1 if name in ("page", "number") else value


def _walk(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        yield cast(dict[str, Any], node)
        for child in cast(dict[str, Any], node).get("c", ()):
            yield from _walk(child)
