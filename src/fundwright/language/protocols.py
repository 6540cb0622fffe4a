"""The protocols of language models. Adapters and plug-ins implement these."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from fundwright.core.assembly import Core
from fundwright.language.schemas import DocumentKind, HeadingPath
from fundwright.language.topics import Topic

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into vectors. `id` is stored with every vector; vectors of different ids are never compared."""

    @property
    def id(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimension), each row of unit length. Raises FundwrightError if the model does not respond."""
        ...


class NumberedPassage(BaseModel):
    """A passage as the writer cites it: [number]. `heading` is the path of headings above it, `document` and `kind` are title and kind
    of its document."""

    model_config = ConfigDict(frozen=True)

    number: int
    text: str
    heading: HeadingPath = ()
    kind: DocumentKind = DocumentKind.ABOUT_US
    document: str = ""


class SectionRequest(BaseModel):
    """A section to write. `opportunity` is a short summary of what is applied for, `requirements` is what its notice asks for,
    `written` the previous sections, and `company` the name of the applicant. `topics` has the topic of each question, if
    known."""

    model_config = ConfigDict(frozen=True)

    heading: str
    questions: tuple[str, ...]
    instructions: str
    opportunity: str
    passages: tuple[NumberedPassage, ...]
    language: str
    written: str = ""
    company: str = ""
    requirements: tuple[str, ...] = ()
    topics: tuple[Topic | None, ...] = ()

    @property
    def all_topics(self) -> tuple[Topic | None, ...]:
        """As many as there are questions."""
        return (*self.topics, *(None,) * len(self.questions))[: len(self.questions)]


@dataclass(frozen=True)
class Unanswered:
    """A writer's statement that the passages do not answer a question: `question` is its index in the request."""

    question: int


@dataclass(frozen=True)
class PossibleMatch:
    """A quotation of passage `number` that may answer a question, but not so surely that it belongs in the text."""

    question: int
    text: str
    number: int


class Writer(Protocol):
    """Writes a section from passages. `is_generative` says whether it makes up its own sentences."""

    @property
    def id(self) -> str: ...

    @property
    def label(self) -> str: ...

    @property
    def is_generative(self) -> bool: ...

    def write(self, request: SectionRequest) -> AsyncIterator[str | Unanswered | PossibleMatch]:
        """Yield pieces of text with citations [n] of passage numbers; nothing if the passages answer none of the questions.

        A writer that can tell yields `Unanswered` for single questions in between, and `PossibleMatch` for possible answers.

        Raises FundwrightError if the model does not respond.
        """
        ...


@dataclass(frozen=True)
class EmbedderFactory:
    """How FUNDWRIGHT_EMBEDDER=`name` is created. `create` may block for seconds: it runs in a thread, once per process."""

    name: str
    label: str
    create: Callable[[Core], Embedder]


@dataclass(frozen=True)
class WriterFactory:
    """How FUNDWRIGHT_WRITER=`name` is created, once per process, in a thread. The built-in one gets the embedder."""

    name: str
    label: str
    create: Callable[[Core, Embedder], Writer]
