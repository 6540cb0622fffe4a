from __future__ import annotations

import os
import pickle
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial
from pathlib import Path
from uuid import UUID

import numpy as np
import pytest
from pydantic import BaseModel

from fundwright.categories.classifier import Classifier
from fundwright.core.computing_child import Answer
from fundwright.core.errors import NotFound
from fundwright.core.unpickling import UnexpectedValue, unpickled


class Color(StrEnum):
    RED = "red"


class Roof(BaseModel):
    color: Color = Color.RED


@dataclass(frozen=True)
class House:
    roof: Roof
    area: float


class Calls:
    """A value that calls a function when it is read."""

    def __init__(self, function: object, *arguments: object) -> None:
        self._reduced = function, arguments

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return self._reduced


@pytest.mark.parametrize(
    "value",
    [
        {"text": "x", "numbers": [1, 2.5, None], "set": {1}, "pair": (b"y", frozenset("z"))},
        House(roof=Roof(), area=12.5),
        datetime(2026, 11, 28, tzinfo=UTC),
        UUID(int=7),
        Color.RED,
    ],
)
def test_values_arrive(value: object) -> None:
    assert unpickled(pickle.dumps(Answer(value=value))) == Answer(value=value)


def test_numbers_of_numpy_and_errors_arrive() -> None:
    assert unpickled(pickle.dumps(np.arange(3.0))).tolist() == [0, 1, 2]
    assert unpickled(pickle.dumps(np.float64(2.5))) == 2.5
    assert unpickled(pickle.dumps(NotFound("The roof"))).args == NotFound("The roof").args
    assert unpickled(pickle.dumps(Classifier.__new__(Classifier))).__class__ is Classifier


@pytest.mark.security(42)
@pytest.mark.parametrize(
    "value",
    [
        Calls(os.system, "true"),
        Calls(eval, "1"),
        Calls(getattr, "x", "upper"),
        Calls(partial, print, "x"),
        partial(print, "x"),
        Path("x"),
        open,
    ],
    ids=["system", "eval", "getattr", "a call of a function", "a function", "a path", "open"],
)
def test_what_could_call_something_is_refused(value: object) -> None:
    with pytest.raises(UnexpectedValue, match="which is no value"):
        unpickled(pickle.dumps(Answer(value=value)))


def test_no_module_is_imported() -> None:
    with pytest.raises(UnexpectedValue, match="this.s"):
        unpickled(b"cthis\ns\n.")
