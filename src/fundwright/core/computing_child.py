"""What a process of `core.computing` does: it calls one function after the other and sends back what they return or raise."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

from fundwright.core.messages import use_catalogs, using_language
from fundwright.core.sandbox_forks import receive


@dataclass(frozen=True)
class Question:
    """A function to call, and the language of its messages."""

    function: partial[Any]
    language: str


@dataclass(frozen=True)
class Answer:
    """What the function returned, or what it raised."""

    value: Any = None
    error: Exception | None = None


def serve(catalogs: Sequence[Path]) -> Iterator[bytes]:
    """Answer the questions of the server, in order, until it closes the channel."""
    use_catalogs(catalogs)
    while True:
        question = cast(Question, pickle.loads(receive()))  # noqa: S301 (from the server)
        with using_language(question.language):
            answer = _answer(question.function)
        yield answer


def _answer(function: partial[Any]) -> bytes:
    try:
        return pickle.dumps(Answer(value=function()))
    except MemoryError:
        raise
    except Exception as error:
        return _refusal(error)


def _refusal(error: Exception) -> bytes:
    """An error that has no values that a process can send is replaced by its text."""
    error.add_note("".join(traceback.format_exception(error)))
    error.__cause__ = error.__context__ = None
    try:
        content = pickle.dumps(Answer(error=error))
        pickle.loads(content)  # noqa: S301 (our own)
    except Exception:
        return pickle.dumps(Answer(error=RuntimeError("".join(traceback.format_exception(error)))))
    return content
