"""The built-in writer: it quotes your documents word for word and cites each quotation, so it cannot invent anything.

It uses the topic of a section (`SectionRequest.topics`). Projects, people, and the organization's data are extracted as facts and
shown in tables; everything else is answered with sentences and lists, see `prose`.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np

from fundwright.core.assembly import Core
from fundwright.core.messages import later, t
from fundwright.language import field_labels
from fundwright.language.extractive import organization, people, projects, prose
from fundwright.language.extractive.claims import Others, named_customers
from fundwright.language.extractive.facts import Fact
from fundwright.language.extractive.headings import HeadingClassifier, Headings
from fundwright.language.extractive.people import Person
from fundwright.language.extractive.projects import Project, ProjectField, period_of
from fundwright.language.extractive.prose import Candidate, Choice, Comparison
from fundwright.language.protocols import Embedder, NumberedPassage, PossibleMatch, SectionRequest, Unanswered, Vectors
from fundwright.language.schemas import DocumentKind, heading_text
from fundwright.language.sentences import spans_of
from fundwright.language.structure import BlockKind, read
from fundwright.language.topics import Topic
from fundwright.language.value_patterns import organizations

LABEL = "Built-in (quotes your documents word for word)"

_GENERIC_QUESTION = "What does the organization do?"
_GENERIC_WEIGHT = 0.5
_REQUESTED_WORDS = re.compile(r"[Aa]bout (\d{1,5}) words")
_DEFAULT_WORDS = 160
_DEADLINE_S = 120.0
_MAX_CANDIDATES = 400
_MAX_PROJECTS, _MAX_PEOPLE = 6, 8
_MIN_PROJECT_WORDS = 45
_REPEATED_WORDS = 8
_CELL_CHARACTERS = 320
_MAX_QUALIFICATIONS, _SHORT_WORDS = 6, 12
_YEARS = re.compile(r"\byears?\b|\bjahre?n?\b|\bans\b", re.IGNORECASE)
_OWN_KINDS = frozenset((DocumentKind.RESUME, DocumentKind.PREVIOUS_PROPOSAL))
"""Kinds of documents that are our own even if they name only people."""
_INTRODUCTIONS = {
    Topic.FIT: later("Our capabilities and experience include:"),
    Topic.OFFER: later("Our goals and deliverables are:"),
}
"""Sentences that introduce the lists in a letter."""
_CONTACT_DETAIL = re.compile(r"@|\d{3}\)?[ .-]\d{3,4}")
_INVITATION = re.compile(
    r"\A(?:please )?(?:call|contact|talk to|write to|ask for|(?:all )?questions (?:go )?to)[ :]{1,3}(?=(?-i:[A-Z]))",
    re.IGNORECASE,
)
"""The “Call” of “Call Ada Example, Grants Officer.”"""
_COLUMNS = (
    (later("Project"), ProjectField.TITLE),
    (later("Customer"), ProjectField.CUSTOMER),
    (later("Contract"), ProjectField.CONTRACT),
    (later("Value"), ProjectField.VALUE),
    (later("Period"), ProjectField.PERIOD),
    (later("Rating"), ProjectField.RATING),
)

_LOW_RATING = re.compile(
    r"\b(?:marginal|(?:un|not )satisfactory|poor|below average|needs? improvement|fail\w*|unacceptable|mangelhaft|ungenügend|insuffisant\w*)\b",
    re.IGNORECASE,
)
"""Ratings that nobody cites in a proposal."""

_Cell = str | Fact | Sequence[Fact] | None
"""What a cell of a table shows: fixed text, or facts, which are cited."""


@dataclass(frozen=True)
class _Extracted:
    """The facts and candidates extracted from the passages."""

    others: Others
    projects: list[Project]
    people: list[Person]
    data: list[Fact]
    contact: list[Fact]
    candidates: list[Candidate]


Compute = Callable[[partial[Any]], Awaitable[Any]]
"""Calls a function that takes long in another process."""


class ExtractiveWriter:
    """Writes a section by quoting, question by question."""

    id = "extractive"
    label = LABEL
    is_generative = False

    def __init__(self, embedder: Embedder, compute: Compute) -> None:
        self._compute = compute
        self._embedder = embedder
        self._headings = HeadingClassifier(embedder)

    async def write(self, request: SectionRequest) -> AsyncIterator[str | Unanswered | PossibleMatch]:
        headings = await self._headings.find(request.passages)
        known: _Extracted = await self._compute(partial(_read, request, headings))
        fits = await self._rate_projects(request, known.projects)
        requested = _REQUESTED_WORDS.search(request.instructions)
        words = (int(requested.group(1)) if requested else _DEFAULT_WORDS) // len(request.questions)
        facts = [_fact_pieces(topic, known, fits, words) for topic in request.all_topics]
        chosen = await self._choose(
            request, known, {place: topic for place, topic in enumerate(request.all_topics) if not facts[place]}, words
        )
        is_first = True
        for place, topic in enumerate(request.all_topics):
            pieces = facts[place]
            if place in chosen:
                answer = prose.in_order(known.candidates, chosen[place].answer, is_by_fit=topic == Topic.FIT)
                introduction = _INTRODUCTIONS.get(topic) if topic else None
                pieces = list(_with_introduction(answer, str(introduction)) if introduction else _quote(answer))
                for match in _possible(known.candidates, chosen[place], place):
                    yield match
            if not pieces:
                yield Unanswered(place)
                continue
            for index, piece in enumerate(pieces):
                yield piece if index or is_first else f"\n\n{piece}"
            is_first = False

    async def _choose(
        self, request: SectionRequest, known: _Extracted, topics: Mapping[int, Topic | None], words: int
    ) -> Mapping[int, Choice]:
        """The answer to each of these questions in the candidates; none if there are no candidates."""
        if not topics or not known.candidates:
            return {}
        compared = await self._compare(request, known.candidates)
        answers: Mapping[int, Choice] = await self._compute(partial(_answers, known, compared, topics, words))
        return answers

    async def _compare(self, request: SectionRequest, candidates: Sequence[Candidate]) -> Comparison:
        """Questions and sentences are embedded both alone and with their heading, with equal weight, because many mean little
        without it."""
        question_count, count = len(request.questions), len(candidates)
        requirements = [request.opportunity, *request.requirements]
        embedded = await self._embedder.embed(
            [
                *request.questions,
                *(f"{request.heading}. {question}" for question in request.questions),
                *(item.quoted for item in candidates),
                *(f"{heading_text(item.heading)}\n{item.quoted}" for item in candidates),
                _GENERIC_QUESTION,
                *requirements,
            ]
        )
        alone, headed, sentences, under_heading, (generic, *required) = np.split(
            embedded, np.cumsum([question_count, question_count, count, count])
        )
        questions, vectors = _normalize(alone + headed), _normalize(sentences + under_heading)
        relevance = questions @ vectors.T - _GENERIC_WEIGHT * (vectors @ generic)
        return Comparison(relevance, vectors @ _normalize(np.mean(required, axis=0, keepdims=True))[0], vectors)

    async def _rate_projects(self, request: SectionRequest, projects: Sequence[Project]) -> list[float]:
        """The similarity of each project to the opportunity; computed only if there are more projects than can be shown."""
        if Topic.PAST_PERFORMANCE not in request.all_topics or len(projects) <= _MAX_PROJECTS:
            return [0.0] * len(projects)
        texts = [" ".join(fact.text for fact in (*project.fields.values(), *project.work[:3])) for project in projects]
        embedded = await self._embedder.embed([request.opportunity, *texts])
        return [float(value) for value in embedded[1:] @ embedded[0]]


def create(core: Core, embedder: Embedder) -> ExtractiveWriter:
    return ExtractiveWriter(embedder, partial(core.computing.run, deadline_s=_DEADLINE_S, is_background=True))


def _normalize(vectors: Vectors) -> Vectors:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


def _read(request: SectionRequest, headings: Headings) -> _Extracted:
    us = Others(request.company)
    passages = _without_others([passage for passage in request.passages if passage.kind.is_ours], us)
    first = projects.projects(passages, us)
    customers = [project.fields[ProjectField.CUSTOMER].text for project in first if ProjectField.CUSTOMER in project.fields]
    facts = [fact.text for project in first for fact in project.facts]
    customers += [name for text in facts for name, _ in organizations(text) if not us.is_us(name)]
    others = Others(request.company, named_customers(customers))
    found = projects.projects(passages, others)
    work: dict[str, set[str]] = {}
    for project in found:
        work.setdefault(project.document, set()).update(fact.text for fact in project.work)
    return _Extracted(
        others=others,
        projects=found,
        people=people.people(passages, others),
        data=organization.company_data(passages),
        contact=organization.contact(passages),
        candidates=prose.candidates(passages, others, written=request.written, work=work, headings=headings)[:_MAX_CANDIDATES],
    )


def _answers(known: _Extracted, compared: Comparison, topics: Mapping[int, Topic | None], words: int) -> Mapping[int, Choice]:
    """Answer question by question, so that no candidate answers two."""
    chosen: dict[int, Choice] = {}
    for place, topic in topics.items():
        taken = frozenset(index for choice in chosen.values() for index in choice.answer)
        chosen[place] = prose.choose(known.candidates, compared, place, topic, words=words, taken=taken, others=known.others)
    return chosen


def _without_others(passages: Sequence[NumberedPassage], us: Others) -> list[NumberedPassage]:
    """Exclude documents about others, such as a newspaper article about a competitor."""
    kept: list[NumberedPassage] = []
    for _, group in groupby(passages, key=lambda passage: passage.document):
        own = list(group)
        blocks = [block for passage in own for block in read(passage.text)]
        is_sheet = sum(field_labels.is_known(block.label) for block in blocks) > 1
        sentences = [block.text for block in blocks if block.kind == BlockKind.SENTENCE]
        if is_sheet or own[0].kind in _OWN_KINDS or not us.is_about_others(sentences):
            kept += own
    return kept


def _fact_pieces(topic: Topic | None, known: _Extracted, fits: Sequence[float], words: int) -> list[str]:
    match topic:
        case Topic.PAST_PERFORMANCE:
            best = sorted(sorted(range(len(known.projects)), key=lambda index: -fits[index])[:_MAX_PROJECTS])
            return list(_past_performance([known.projects[index] for index in best], words))
        case Topic.PEOPLE:
            return list(_people(known.people[:_MAX_PEOPLE]))
        case Topic.COMPANY_DATA:
            table = list(_table((t("Item"), t("Detail")), [[fact.label, fact] for fact in known.data if fact.label]))
            listed = [f"- {fact.text} [{fact.number}]" for fact in known.data if not fact.label]
            return [*table, ("\n\n" if table else "") + "\n".join(listed)] if listed else table
        case Topic.CONTACT:
            return [_contact(known.contact)] if known.contact else []
        case _:
            return []


def _table(columns: Sequence[str], rows: Sequence[Sequence[_Cell]]) -> Iterator[str]:
    """A table with the citations of all its cells at the end of each row."""
    if not rows:
        return
    yield f"| {' | '.join(columns)} |\n|{' --- |' * len(columns)}"
    for row in rows:
        facts = [fact for cell in row for fact in _facts_of(cell)]
        cited = "".join(f"[{number}]" for number in dict.fromkeys(fact.number for fact in facts))
        cells = [_cell(cell if isinstance(cell, str) else "; ".join(fact.text for fact in _facts_of(cell))) for cell in row]
        last = max(place for place, cell in enumerate(cells) if cell)
        cells[last] = f"{cells[last]} {cited}"
        yield f"\n| {' | '.join(cells)} |"


def _facts_of(cell: _Cell) -> Sequence[Fact]:
    return () if cell is None or isinstance(cell, str) else (cell,) if isinstance(cell, Fact) else cell


def _cell(text: str) -> str:
    text = " ".join(text.replace("|", "/").split())
    return text if len(text) <= _CELL_CHARACTERS else f"{text[:_CELL_CHARACTERS].rsplit(' ', 1)[0]} …"


def _past_performance(projects: Sequence[Project], words: int) -> Iterator[str]:
    rows: list[list[_Cell]] = []
    for project in projects:
        fields = {**project.fields, ProjectField.PERIOD: period_of(project)}
        if (rating := fields.get(ProjectField.RATING)) and _LOW_RATING.search(rating.text):
            del fields[ProjectField.RATING]
        if sum(
            1
            for name in (ProjectField.CUSTOMER, ProjectField.CONTRACT, ProjectField.VALUE, ProjectField.PERIOD)
            if fields.get(name)
        ):
            rows.append([fields.get(name) for _, name in _COLUMNS])
    used = [place for place in range(len(_COLUMNS)) if any(row[place] for row in rows)]
    table = list(_table([str(_COLUMNS[place][0]) for place in used], [[row[place] for place in used] for row in rows]))
    yield from table
    share = max(_MIN_PROJECT_WORDS, words // max(1, len(projects)))
    facts = [(project, _work(project, share)) for project in projects]
    for place, (project, work) in enumerate((project, work) for project, work in facts if work and project.name):
        between = "" if not place and not table else "\n\n" if not place else "\n"
        name = project.name
        sentences = " ".join(f"{_with_period(fact.text)} [{fact.number}]" for fact in work)
        yield f"{between}- **{name.text if name else ''}**: {sentences}"


def _with_period(text: str) -> str:
    return text if text.endswith((".", "!", "?", "”", '"')) else f"{text}."


def _work(project: Project, words: int) -> list[Fact]:
    """The first sentence about the work, then those with figures that are in no field, in order."""
    given = [project.fields[name].text for name in (ProjectField.VALUE, ProjectField.CONTRACT) if name in project.fields]
    period = project.fields.get(ProjectField.PERIOD)
    shown = [*given, period.text] if period else given
    # “Contract was TC-23-008.” repeats the table.
    repeated = [
        fact for fact in project.work if len(fact.text.split()) <= _REPEATED_WORDS and any(text in fact.text for text in shown)
    ]
    facts = [fact for fact in project.work if fact not in repeated] or project.work

    def rank(place: int) -> tuple[bool, bool, int]:
        text = facts[place].text
        return place > 0, not re.search(r"\d", text) or any(each in text for each in given), place

    order = sorted(range(len(facts)), key=rank)
    kept: list[int] = []
    spent = 0
    for place in order:
        count = len(facts[place].text.split())
        if not kept or spent + count <= words:
            kept.append(place)
            spent += count
    return [facts[place] for place in sorted(kept)]


def _people(people: Sequence[Person]) -> Iterator[str]:
    rows: list[list[_Cell]] = []
    for person in people:
        facts = person.qualifications or ([person.first] if person.first else [])
        told: dict[str, Fact] = {}
        for fact in facts:
            told.setdefault(text := fact.text.rstrip("."), replace(fact, text=text))
        rows.append([person.name, person.role, list(_best_qualifications(list(told.values())))])
    used = [0, *(place for place in (1, 2) if any(row[place] for row in rows))]
    yield from _table(
        [(t("Name"), t("Role"), t("Qualifications"))[place] for place in used], [[row[place] for place in used] for row in rows]
    )


def _best_qualifications(facts: Sequence[Fact]) -> Iterator[Fact]:
    """Return years of experience, then short qualifications such as degrees, up to the length of a cell."""
    ordered = sorted(facts, key=lambda fact: (not _YEARS.search(fact.text), len(fact.text.split()) > _SHORT_WORDS))
    remaining = _CELL_CHARACTERS
    for fact in ordered[:_MAX_QUALIFICATIONS]:
        if len(fact.text) + 2 <= remaining or fact is ordered[0]:
            remaining -= len(fact.text) + 2
            yield fact


def _contact(found: Sequence[Fact]) -> str:
    """Lines as in a letterhead."""
    lines = [line for fact in found for line in _contact_lines(fact)]
    cited = "".join(f"[{number}]" for number in dict.fromkeys(fact.number for fact in found))
    return "  \n".join(lines) + f" {cited}"


def _contact_lines(fact: Fact) -> Iterator[str]:
    is_plain = not fact.label or re.fullmatch(
        r".*\b(?:contact|poc|name|address|anschrift|adresse)\b.*", fact.label, re.IGNORECASE
    )
    text = _INVITATION.sub("", fact.text) if is_plain else f"{fact.label}: {fact.text}"
    for line in (text[first:last].removesuffix(".") for first, last in spans_of(text)):
        # “Ingrid Hallberg, Ph.D., Principal Investigator, ihallberg@westmoor.example, 555-0170-22”
        lines = [""]
        for piece in line.split(", "):
            if _CONTACT_DETAIL.search(piece) or _CONTACT_DETAIL.search(lines[-1]):
                lines.append(piece)
            else:
                lines[-1] = ", ".join(filter(None, (lines[-1], piece)))
        yield from filter(None, lines)


def _with_introduction(candidates: Sequence[Candidate], introduction: str) -> Iterator[str]:
    """A paragraph of full sentences, as in a letter; the rest follows as a list after an introductory line."""
    sentences = [each for each in candidates if not (each.is_listed or each.label) and prose.is_full_sentence(each.text)]
    items = [replace(each, is_listed=True) for each in candidates if each not in sentences]
    if len(items) == 1 and len(sentences) > 1 and not items[0].label:
        items = []  # a single item is not worth a list
    yield from _quote(sentences, is_one_paragraph=True)
    if items:
        yield ("\n\n" if sentences else "") + introduction + "\n\n"
        yield from _quote(items)


def _quote(candidates: Sequence[Candidate], *, is_one_paragraph: bool = False) -> Iterator[str]:
    before: Candidate | None = None
    for candidate in candidates:
        yield f"{_separator(before, candidate, is_one_paragraph=is_one_paragraph)}{candidate.quoted} [{candidate.number}]"
        before = candidate


def _separator(before: Candidate | None, after: Candidate, *, is_one_paragraph: bool) -> str:
    """The whitespace that Markdown needs between the two: sentences form a paragraph, items a list."""
    mark = "- " if after.is_listed else ""
    if before is None:
        return mark
    if before.is_listed or after.is_listed:
        return f"\n{mark}" if before.is_listed and after.is_listed else f"\n\n{mark}"
    is_apart = bool(after.label) or before.heading != after.heading  # “Aim 2: …”
    return "\n\n" if is_apart and not is_one_paragraph else " "


def _possible(candidates: Sequence[Candidate], chosen: Choice, question: int) -> Iterator[PossibleMatch]:
    for place in chosen.possible:
        yield PossibleMatch(question=question, text=candidates[place].quoted, number=candidates[place].number)
