"""Types of asking."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from fundwright.reading.facts import FactStatus
from fundwright.reading.lines import Aside
from fundwright.training.schemas import Passage


class ClosePassage(Passage):
    """A passage that is close to a question. `heading` and `page` are those of its beginning."""

    page_label: str = ""
    """What the document calls the page, if that is not its number."""


class Answer(ClosePassage):
    """A passage that answers a question. `score` in 0..1 is the relevance of the sentence from `answer_start` to `answer_end`,
    which count characters of `text`. `heading` and `page` are those of the sentence."""

    answer_start: int
    answer_end: int
    is_checked: bool | None = None
    """Whether the statement is the label of a box that is checked. None if it is no box."""
    is_disputed: bool = False
    """Whether documents answer with different values of the same thing. The answers from the newest of these documents come first."""
    status: FactStatus = FactStatus.CURRENT
    """Of a row or a labeled value that answers yes or no: whether it says that something has ended, is planned, or is not held."""
    answer: str = ""
    """The statement in words, in the reader's language: “Not checked: HUBZone small business”, “Ended: 8(a): graduated 2017”. Cells of a row follow
    the names of their columns. A disputed one ends with the date of its document: “31 employees (2025)”."""

    @property
    def status_label(self) -> str:
        """In the reader's language, "" if it is current."""
        return "" if self.status is FactStatus.CURRENT else self.status.label

    @property
    def is_for_speaker(self) -> bool:
        """Whether it is in the notes of a slide."""
        return self.aside is Aside.SPEAKER_NOTES

    @property
    def is_quoted(self) -> bool:
        """Whether an email quotes it of another message."""
        return self.aside is Aside.QUOTE


class Answers(BaseModel):
    """The passages that answer a question, best first. If none does, `closest` has those that are closest to it."""

    model_config = ConfigDict(frozen=True)

    answers: tuple[Answer, ...]
    closest: tuple[ClosePassage, ...]
