"""Reads values that a process of `core.computing` sends. None of them can make the server do anything.

A pickle can name any function, which reading it calls. A process that computes sees texts of strangers, and a fault in one of its
libraries could give the process to them. So only classes that hold values are accepted, and nothing is imported.
"""

from __future__ import annotations

import pickle
import sys
from dataclasses import is_dataclass
from enum import Enum
from io import BytesIO
from typing import Any, TypeVar

from pydantic import BaseModel

from fundwright.core.errors import FundwrightError
from fundwright.core.messages import Translated

T = TypeVar("T")

_PARTS = {
    "builtins": {
        "bytearray",
        "complex",
        "frozenset",
        "set",
        "MemoryError",
        "RecursionError",
        "RuntimeError",
        "TypeError",
        "ValueError",
    },
    "collections": {"Counter", "OrderedDict", "defaultdict", "deque"},
    "datetime": {"date", "datetime", "time", "timedelta", "timezone"},
    "decimal": {"Decimal"},
    "fundwright.core.errors": {"_without_init"},
    "numpy": {"dtype", "ndarray"},
    "numpy._core.multiarray": {"_reconstruct", "scalar"},
    "uuid": {"UUID"},
}
"""What values of the standard library and of numpy are built from. None of them calls what it is given."""
_HELD = (BaseModel, Enum, FundwrightError, Translated)
_sent: set[type] = set()


class UnexpectedValue(pickle.UnpicklingError):
    """A process has sent something else than values: a programming error, or an attack."""


def sent(kind: type[T]) -> type[T]:
    """Declare that processes may send instances of a class that is no dataclass, model, enumeration, or error of ours."""
    _sent.add(kind)
    return kind


def unpickled(content: bytes) -> Any:
    """Return the value. Raises UnexpectedValue."""
    return _Values(BytesIO(content)).load()


class _Values(pickle.Unpickler):
    def find_class(self, module: str, name: str, /) -> Any:
        found: Any = sys.modules.get(module)
        for part in name.split("."):
            found = getattr(found, part, None)
        is_part = name in _PARTS.get(module, ())
        if is_part or (isinstance(found, type) and (is_dataclass(found) or issubclass(found, _HELD) or found in _sent)):
            return found
        raise UnexpectedValue(f"A process that computes sent {module}.{name}, which is no value. Declare its class with `sent`.")
