"""The protocols that models implement, both ours and those of plug-ins."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from fundwright.core.assembly import Core
from fundwright.language.schemas import HeadingPath
from fundwright.reading.facts import FactField, FactKind
from fundwright.reading.kinds import DocumentKind
from fundwright.reading.topics import Topic

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Converts texts to vectors. `id` is stored with every vector; vectors with different ids are never compared."""

    @property
    def id(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimension), each row of unit length. Raises FundwrightError if the model does not respond."""
        ...


class NumberedPassage(BaseModel):
    """A passage that the writer cites as [number]. `heading` is the path of headings above it, and `head` has the names of the columns if it begins
    with a row; `document` and `kind` are the title and kind of its document. A record is what a fact cites, and no statement."""

    model_config = ConfigDict(frozen=True)

    number: int
    text: str
    heading: HeadingPath = ()
    head: str = ""
    kind: DocumentKind = DocumentKind.ABOUT_US
    document: str = ""
    is_record: bool = False


class CitedFact(BaseModel):
    """A fact of the organization. It cites the passage with this number, or none if a person added it."""

    model_config = ConfigDict(frozen=True)

    kind: FactKind
    values: dict[FactField, str]
    number: int | None


class SectionRequest(BaseModel):
    """A section to write. `opportunity` is a short summary of the opportunity, `requirements` is what its notice asks for,
    `written` contains the previous sections, and `company` is the name of the applicant. `topics` has the topic of each question,
    if known. `facts` are the current facts of the organization, those that a person has accepted first."""

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
    facts: tuple[CitedFact, ...] = ()

    @property
    def all_topics(self) -> tuple[Topic | None, ...]:
        """Return one topic for each question."""
        return (*self.topics, *(None,) * len(self.questions))[: len(self.questions)]


@dataclass(frozen=True)
class Unanswered:
    """Says that the passages do not answer a question: `question` is its index in the request."""

    question: int


@dataclass(frozen=True)
class PossibleMatch:
    """A quotation from passage `number` that may answer a question but is not certain enough for the text."""

    question: int
    text: str
    number: int


class Writer(Protocol):
    """Writes a section from passages. `is_generative` says whether it writes its own sentences."""

    @property
    def id(self) -> str: ...

    @property
    def label(self) -> str: ...

    @property
    def is_generative(self) -> bool: ...

    def write(self, request: SectionRequest) -> AsyncIterator[str | Unanswered | PossibleMatch]:
        """Yield pieces of text with citations [n] of passage numbers, or nothing if the passages answer none of the questions.

        If the writer can tell, it also yields `Unanswered` for single questions, and `PossibleMatch` for possible answers.

        Raises FundwrightError if the model does not respond.
        """
        ...


@dataclass(frozen=True)
class EmbedderFactory:
    """Creates the model for FUNDWRIGHT_EMBEDDER=`name`. `create` can block for seconds: it is called in a thread, once per process."""

    name: str
    label: str
    create: Callable[[Core], Embedder]


@dataclass(frozen=True)
class WriterFactory:
    """Creates the writer for FUNDWRIGHT_WRITER=`name`, in a thread, once per process. The built-in writer gets the embedder."""

    name: str
    label: str
    create: Callable[[Core, Embedder], Writer]
