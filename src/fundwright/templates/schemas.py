"""Draft templates: those that come with Fundwright and its plug-ins, and those that a workspace makes."""

from __future__ import annotations

import re
from datetime import datetime
from string import Formatter
from typing import Annotated, ClassVar, Self
from uuid import UUID

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from fundwright.core.messages import number, t
from fundwright.core.paging import PageRequest
from fundwright.core.visible import fit_text, visible_line
from fundwright.reading.topics import Topic, topic_of

MOST_IN_TITLE = 100
MOST_IN_HEADING = 300
MOST_IN_TEXT = 2_000
"""Characters of instructions, of an opening, and of a description."""
MOST_IN_QUESTION = 500
MOST_SECTIONS, MOST_QUESTIONS = 40, 10
"""Sections of a template, and questions of a section."""
MOST_CHARACTERS = 100_000
FEWEST_WORDS, MOST_WORDS = 10, 2_000
PLACEHOLDERS = ("date", "recipient", "addressee", "purpose", "company", "applicant", "opportunity", "number")
"""What an opening may contain in braces."""


def _visible(title: str) -> str:
    if not (line := visible_line(title, most=MOST_IN_TITLE)):
        raise ValueError(t("The title has no visible characters. Enter another title."))
    return line


def _fillable(text: str) -> str:
    """Fields with attributes or formats are refused: openings of a workspace's templates are not trusted."""
    try:
        fields = [(name, form, conversion) for _, name, form, conversion in Formatter().parse(text) if name is not None]
    except ValueError:
        fields = [("", "", "")]
    if any(name not in PLACEHOLDERS or form or conversion for name, form, conversion in fields):
        known = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
        raise ValueError(t("Braces are only for placeholders: {placeholders}.", placeholders=known))
    return text


Text = Annotated[str, Field(max_length=MOST_IN_TEXT), BeforeValidator(fit_text)]
Opening = Annotated[Text, AfterValidator(_fillable)]
Words = Annotated[int, Field(ge=FEWEST_WORDS, le=MOST_WORDS)]
Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MOST_IN_TITLE), AfterValidator(_visible)]
Heading = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MOST_IN_HEADING)]
Question = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MOST_IN_QUESTION)]
Missing = Annotated[str, Field(max_length=MOST_IN_QUESTION), BeforeValidator(fit_text)]


class TemplateQuestion(BaseModel):
    """A question that a section answers. `ask` finds passages; `missing` says what to add if there are none, by default derived from
    `ask`; `topic` names the headings and facts that answer it, by default what the heading of the section or the question names.
    If the text of the section contains one of the phrases `answered`, which answer a part of the question, `remaining` says what to add
    instead of `missing`.

    `{opportunity}` in `ask` is replaced with the title of the opportunity.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    ask: Question
    missing: Missing = ""
    topic: Topic | None = None
    answered: tuple[Question, ...] = Field(default=(), max_length=50)
    remaining: Missing = ""

    def missing_from(self, text: str) -> str:
        """What to add to a section with this text if its writer finds no answer."""
        phrases = "|".join(map(re.escape, self.answered))
        if self.remaining and phrases and re.search(rf"\b(?:{phrases})\b", text, re.IGNORECASE):
            return self.remaining
        return self.missing or missing_answer(self.ask)


_ASKED = re.compile(
    r"(?:what|which|who) (?:is|are|were|was) (?:our|the|your) (?P<owned>[^,?;]{1,100})|(?:what|which) (?P<had>[^,?;]{1,100}?) (?:do|can) we (?:have|offer|provide)",
    re.IGNORECASE,
)


def missing_answer(ask: str) -> str:
    """What to add if nothing answers a question; it completes “Add …”. “What is our safety record?” becomes “your safety record”."""
    named = _ASKED.fullmatch(ask.strip().rstrip("?. "))
    thing = named and (named["owned"] or named["had"])
    return f"your {thing.strip()}" if thing else t("a document that answers “{question}”", question=ask)


class TemplateSection(BaseModel):
    """A heading, the questions that its text answers, its style, and its approximate length. Without questions, its heading is the
    question.

    `opening` is the beginning of its text, whichever writer is used, and `otherwise` is its text if nothing is found. `{date}`,
    `{recipient}`, `{addressee}`, `{purpose}`, `{company}`, `{applicant}`, `{opportunity}`, and `{number}` are replaced with what is
    known about the notice and the applicant.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    heading: Heading
    questions: tuple[TemplateQuestion, ...] = Field(default=(), max_length=MOST_QUESTIONS)
    instructions: Text = "Plain sentences."
    words: Words = 150
    opening: Opening = ""
    otherwise: Opening = ""

    @property
    def planned(self) -> TemplateSection:
        """The section with the topics of its questions, as a draft keeps it. The heading says what the first question is about."""
        questions = tuple(
            question.model_copy(
                update={"topic": question.topic or (None if place else topic_of(self.heading)) or topic_of(question.ask)}
            )
            for place, question in enumerate(self.questions)
        )
        return self.model_copy(update={"questions": questions})

    @property
    def asked(self) -> tuple[TemplateQuestion, ...]:
        missing = t("a document about “{heading}”", heading=self.heading)
        return self.questions or (TemplateQuestion(ask=self.heading, missing=missing),)


def _shown(section: TemplateSection) -> TemplateSection:
    """The section with a heading and questions of one line each. Raises ValueError if one of them cannot be seen."""
    heading = visible_line(section.heading, most=MOST_IN_HEADING)
    asked = [visible_line(question.ask, most=MOST_IN_QUESTION) for question in section.questions]
    if not (heading and all(asked)):
        raise ValueError(t("A heading or a question has no visible characters. Enter another one."))
    questions = tuple(each.model_copy(update={"ask": ask}) for each, ask in zip(section.questions, asked, strict=True))
    return section.model_copy(update={"heading": heading, "questions": questions})


class TemplateContent(BaseModel):
    """What a template says. A letter has no title and no section headings."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: Title
    description: Text = ""
    sections: tuple[Annotated[TemplateSection, AfterValidator(_shown)], ...] = Field(min_length=1, max_length=MOST_SECTIONS)
    is_letter: bool = False

    @model_validator(mode="after")
    def _short_enough(self) -> Self:
        length = sum(len(section.model_dump_json(exclude_defaults=True)) for section in self.sections)
        if length > MOST_CHARACTERS:
            raise ValueError(
                t(
                    "A template can have at most {most} characters, and this one has {n}. Shorten it, or make two templates.",
                    most=number(MOST_CHARACTERS),
                    n=number(length),
                )
            )
        return self


class DraftTemplate(TemplateContent):
    """A kind of document that can be drafted. Plug-ins register more; `name` is the name on the command line. The name of a template that
    a workspace has made is its id."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")


class NewTemplate(TemplateContent):
    """A template to make. A repeated request with the same `key` and content makes no second template."""

    key: str = Field(default="", max_length=64)


class TemplateSave(TemplateContent):
    """The whole new content of a template. `based_on` is the `changed_at` of the template that was edited."""

    based_on: AwareDatetime


class NewCopy(BaseModel):
    """The title of a copy; by default that of the template with a number. A repeated request with the same `key` makes no second copy."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: Title | None = None
    key: str = Field(default="", max_length=64)


class TemplateRow(BaseModel):
    """A template in a list, with the headings of its sections.

    `is_own` templates are made by the workspace; the others are installed: they have no people and times. `created_by` and
    `changed_by` are "" once the account is deleted.
    """

    model_config = ConfigDict(frozen=True)

    name: str
    title: str
    description: str
    is_letter: bool
    headings: tuple[str, ...]
    is_own: bool
    created_by: str = ""
    changed_by: str = ""
    created_at: datetime | None = None
    changed_at: datetime | None = None

    @property
    def shown_title(self) -> str:
        """In the reader's language. A workspace's own titles are shown as they are."""
        return self.title if self.is_own else t(self.title)

    @property
    def shown_description(self) -> str:
        return self.description if self.is_own else t(self.description)

    @property
    def shown_headings(self) -> tuple[str, ...]:
        return self.headings if self.is_own else tuple(map(t, self.headings))


class TemplateRead(TemplateRow):
    """A template with its sections."""

    sections: tuple[TemplateSection, ...]

    @property
    def id(self) -> UUID:
        """Of an own template."""
        return UUID(self.name)

    @property
    def content(self) -> TemplateContent:
        """What a copy has in common with it."""
        return TemplateContent.model_validate(self.model_dump(include=set(TemplateContent.model_fields)))


class TemplateQuery(PageRequest):
    """Which templates to list: by default the workspace's own first, each by title, unless `sort` is title, sections, created_at, or
    changed_at. `text` is part of a title, description, or heading."""

    sorts: ClassVar[tuple[str, ...]] = ("title", "sections", "created_at", "changed_at")

    text: str = Field(default="", max_length=200)
    is_own: bool | None = None
