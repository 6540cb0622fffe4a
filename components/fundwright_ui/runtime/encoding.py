"""Encodes rendered trees and frames as JSON, in the same way for the first paint, the socket, and the hash of a tree.

`plain` converts values that JSON does not have; a rendered tree contains only plain values.
"""

from __future__ import annotations

import hashlib
import json
from math import isfinite
from typing import Any, cast

from pydantic_core import to_json, to_jsonable_python

_SCALARS = frozenset((bool, int, type(None)))


class Unserializable(TypeError):
    """A value that JSON cannot represent."""


def encode(value: object) -> str:
    """`value` as JSON. Raises Unserializable."""
    try:
        return to_json(value, inf_nan_mode="null").decode()  # takes a third of the time of json.dumps
    except ValueError:
        return to_json(plain(value)).decode()


def digest(tree: object) -> str:
    """The hash of a tree of plain values. Equal trees have equal hashes, regardless of the order of attributes."""
    canonical = json.dumps(tree, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]


def plain(value: object) -> Any:
    """Convert `value` for the browser: NaN and infinities become None, lone surrogates U+FFFD, tuples and sets lists; dates, ids,
    enumerations, and models are converted by pydantic. A value that is already plain is returned as it is.
    Raises Unserializable."""
    try:
        return value if _is_plain(value) else _plain(value)
    except RecursionError:
        raise Unserializable("A value contains itself, or is nested too deeply.") from None


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates in `text` with U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _is_plain(value: Any) -> bool:
    """Called for every rendered value, so the most frequent types are checked first and without further calls."""
    kind = type(value)
    if kind is str:
        return value.isascii() or replace_surrogates(value) is value
    if kind in _SCALARS:
        return True
    if kind is list:
        parts = value
    elif kind is dict:
        for name in value:
            if type(name) is not str or not (name.isascii() or _is_plain(name)):
                return False
        parts = value.values()
    else:
        return kind is float and isfinite(value)
    for part in parts:
        kind = type(part)
        if kind is str:
            if not (part.isascii() or _is_plain(part)):
                return False
        elif kind not in _SCALARS and not _is_plain(part):
            return False
    return True


def _plain(value: object) -> Any:
    if _is_plain(value):
        return value
    if type(value) is str:
        return replace_surrogates(value)
    if type(value) is float:
        return None
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in cast(list[object], value)]
    if isinstance(value, dict):
        return {_name(name): _plain(each) for name, each in cast(dict[object, object], value).items()}
    try:
        simpler = to_jsonable_python(value, inf_nan_mode="null")
    except ValueError as error:
        raise Unserializable(f"JSON cannot represent {type(value).__qualname__}.") from error
    if simpler is value:
        raise Unserializable(f"JSON cannot represent {type(value).__qualname__}.")
    return _plain(simpler)


def _name(name: object) -> str:
    return replace_surrogates(name if type(name) is str else str(_plain(name)))
