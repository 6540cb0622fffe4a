"""Every function that `core.computing` calls has a worst input here, and all of them at once delay nobody else."""

from __future__ import annotations

import ast
import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from functools import cache, partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import pytest

from fundwright.asking import answering, questions
from fundwright.asking import service as asking
from fundwright.asking.candidates import Candidate
from fundwright.categories import service as categories
from fundwright.categories.classifier import Description, Subject
from fundwright.categories.service import Lesson
from fundwright.categories.terms import terms_of
from fundwright.core.computing import Computing
from fundwright.core.errors import FundwrightError
from fundwright.core.json_bodies import parse
from fundwright.core.sandbox import Sandbox
from fundwright.core.scopes import Scope, acting_in
from fundwright.generation import choosing, collecting, drafting, extractive
from fundwright.generation.claims import Source, check_claims
from fundwright.generation.collecting import Material
from fundwright.generation.comparing import compare
from fundwright.generation.exporting import export, markdown
from fundwright.generation.schemas import ExportFormat
from fundwright.generation.warnings import warnings_of
from fundwright.language.protocols import CitedFact, NumberedPassage, SectionRequest
from fundwright.opportunities import categorizing
from fundwright.reading import stored
from fundwright.reading.company import infer_company
from fundwright.reading.document import Document, Paragraph, plain
from fundwright.reading.facts import FactField, FactKind
from fundwright.reading.kinds import DocumentKind, propose
from fundwright.reading.pdf_pages import PageWords, Word
from fundwright.templates import files
from fundwright.templates.schemas import TemplateQuestion, TemplateSection
from fundwright.training import blocks, extraction, page_marks, portions
from fundwright.training.chunking import ChunkedDocument, ChunkSpan, ids_of
from fundwright.training.highlighting import CitedWords
from fundwright.training.repository import searching
from fundwright.training.schemas import BlockQuery, DocumentText, Passage, PassagePlace, PastedText, ViewQuery
from fundwright_ui.screens.sharing import content
from tests.architecture.tree import nodes, python
from tests.availability import worst
from tests.core import computed
from tests.generation.drafts import draft, part

pytestmark = pytest.mark.security(53)

_WIDE = f"| {' | '.join(f'v{number} {number * 7}' for number in range(30))} |\n"
_READ = "".join(f"# {worst.PATTERNS['brackets']}\n\n{worst.ANSWERS}\n\n" for _ in range(240))
"""A million characters, which is what a draft reads of documents."""
_CHANCE = np.random.default_rng(53)


def _document() -> DocumentText:
    places = tuple(
        PassagePlace(id=uuid4(), heading=("A",), page=1, start=start, end=start + 4_000) for start in range(0, len(_READ), 2_000)
    )
    return DocumentText(id=uuid4(), title="A", kind=DocumentKind.ABOUT_US, text=_READ, passages=places)


def _section() -> TemplateSection:
    questions = tuple(TemplateQuestion(ask="1,1.1 " * 80, missing="it") for _ in range(10))
    return TemplateSection(heading="About us", questions=questions, instructions="", words=2_000)


@cache
def _passages() -> list[Passage]:
    """As many as a question reads, each as long as a passage can be."""
    count = asking._READ_PASSAGES + searching._MAX_NAMED
    texts = (each * (4_000 // len(each)) for each in islice(cycle([*worst.PATTERNS.values(), worst.ANSWERS][-8:]), count))
    return [
        Passage(
            id=uuid4(), heading=(), page=1, start=0, end=4_000, document_id=uuid4(), document_title="A",
            document_kind=DocumentKind.ABOUT_US, text=text, score=1.0, similarity=1.0,
        )
        for text in texts
    ]  # fmt: skip


_QUESTION = "How many 1,234.5 mW are 12/1/2026? " * 50


@cache
def _asked() -> tuple[questions.Question, list[Passage], list[Candidate], Any]:
    question = questions.parse(_QUESTION)
    candidates = answering.candidates_of(question, _passages())
    return question, _passages(), candidates, _CHANCE.random(len(candidates), dtype=np.float32)


def _answers() -> partial[Any]:
    question, passages, candidates, similarities = _asked()
    near = dict.fromkeys(question.content, frozenset(("near",)))
    return partial(answering.answers, question, passages, candidates, similarities, near, {})


def _words() -> partial[Any]:
    question, _, candidates, similarities = _asked()
    return partial(answering.words_to_compare, question, candidates, similarities)


def _request() -> SectionRequest:
    passages = tuple(
        NumberedPassage(number=number, text=_READ[number * 4_000 : (number + 1) * 4_000], document=str(number // 4))
        for number in range(240)
    )
    return SectionRequest(
        heading="About us", questions=("1,1.1 " * 80,) * 10, instructions="", opportunity="", passages=passages, language="en",
        company="Roofs", written=worst.ANSWERS * 20,
    )  # fmt: skip


def _material() -> Material:
    """As many passages and facts as there are at most, all with brackets."""
    document = _document()
    parts = [
        collecting._part(document, start, start + 4_000).model_copy(update={"heading": ("[1] " * 30,)})
        for start in range(0, 960_000, 4_000)
    ]
    values = {FactField.NAME: "[1](a) " * 40, FactField.QUALIFICATIONS: "[" * 2_000}
    facts = tuple(CitedFact(kind=FactKind.PERSON, values=values, number=place % 240) for place in range(4_000))
    return Material(parts, facts, (), "Roofs", frozenset())


_LONG_TEXT = "The crew repairs 1,234 roofs in 12 days. \n\n" * 460_000


def _spans() -> list[ChunkSpan]:
    return [ChunkSpan(start, start + 200, ("A",) * 9, 1) for start in range(0, len(_LONG_TEXT) - 200, 200)]


@cache
def _stored_document() -> bytes:
    return stored.pack(Document(tuple(Paragraph(plain(text)) for text in _LONG_TEXT.split("\n\n"))))


def _page() -> PageWords:
    return PageWords(1, 1.0, tuple(Word(text, 0.1, 0.1, 0.2, 0.2) for text in ("a", "b") * 2_500), 600)


def _page_of_cells() -> bytes:
    """Equal blocks at one place of a page."""
    return stored.pack(Document(tuple(Paragraph(plain("a b c"), 1, (50, 50, 130, 130)) for _ in range(1_500)), pages=1))


def _subjects(count: int) -> list[Subject]:
    words = (" ".join(f"w{word}" for word in _CHANCE.integers(0, 10**6, 400)) for _ in range(200))
    terms = [terms_of("A", text) for text in words]
    return [Subject(terms[place % 200], _CHANCE.random(384, dtype=np.float32)) for place in range(count)]


@cache
def _lesson() -> tuple[Lesson, dict[UUID, Subject], list[Subject]]:
    """Fifty categories, with decisions that no two of them share."""
    ids, decided = [uuid4() for _ in range(50)], [uuid4() for _ in range(2_000)]
    descriptions = [Description(f"Category {each}", "1,1.1; " * 300, _CHANCE.random((40, 384), dtype=np.float32)) for each in ids]
    states = {
        notice: {ids[place % 50]: "accepted", ids[(place * 7 + 1) % 50]: "rejected"} for place, notice in enumerate(decided)
    }
    lesson = Lesson("model", {id: str(id) for id in ids}, descriptions, states)
    return lesson, dict(zip(decided, _subjects(2_000), strict=True)), _subjects(3_000)


def _stored() -> list[tuple[UUID, bytes, bytes]]:
    return [(uuid4(), subject.terms.tobytes(), bytes(4) + subject.vector.astype(">f2").tobytes()) for subject in _subjects(500)]


WORST: Mapping[str, Callable[[], partial[Any]]] = {
    "web.parse": lambda: partial(parse, PastedText, b'{"title": "A", "text": "' + b"\\u00e4" * 2_000_000 + b'"}'),
    "files.read": lambda: partial(files.read, worst.nested_json()),
    "claims.check_claims": lambda: partial(
        check_claims,
        ("We have v3, 7 and 14 million roofs for “Wide Tables” " * 15 + "[1][2][3][4][5][6].\n\n") * 100,
        tuple((number, Source((_WIDE * 40)[:4_000] + str(number), "roof")) for number in range(1, 7)),
        "",
        seconds=1.0,
    ),
    "comparing.compare": lambda: partial(compare, "1234567890 " * 18_000, "1234567809 " * 18_000),
    "exporting.export": lambda: partial(
        export,
        draft(sections=tuple(part(place, "A", worst.PATTERNS["tables"] * 3_000) for place in range(20))),
        ExportFormat.DOCX,
    ),
    "exporting.markdown": lambda: partial(
        markdown, draft(sections=tuple(part(place, "A", worst.PATTERNS["closed brackets"] * 30_000) for place in range(5)))
    ),
    "warnings.warnings_of": lambda: partial(
        warnings_of, draft(sections=tuple(part(place, "A", worst.PATTERNS["brackets"] * 20_000) for place in range(5)))
    ),
    "service.infer_company": lambda: partial(infer_company, [(DocumentKind.ABOUT_US, worst.ANSWERS * 200)] * 20),
    "kinds.propose": lambda: partial(propose, title="A", filename="a.txt", text="1,1.1 " * 60_000),
    "content.drawn_page": lambda: partial(
        content.drawn_page, partial(content._section, draft(), part(0, "A", worst.PATTERNS["tables"] * 16_000), set[int]())
    ),
    "collecting._choose_from": lambda: partial(
        collecting._choose_from, _section(), [_document()], [], [{}] * 10, (), company="", is_generative=False
    ),
    "service.reasons_to_leave_out": lambda: partial(
        choosing.reasons_to_leave_out,
        [_document().model_copy(update={"id": uuid4(), "dated": date(2000 + 3 * place, 1, 1)}) for place in range(3)],
    ),
    "answering.candidates_of": lambda: partial(answering.candidates_of, questions.parse(_QUESTION), _passages()),
    "answering.words_to_compare": _words,
    "answering.answers": _answers,
    "drafting._cleaned": lambda: partial(drafting._cleaned, _material()),
    "__init__._statements": lambda: partial(extractive._statements, _request()),
    "blocks.block_page": lambda: partial(blocks.block_page, _stored_document(), BlockQuery(page=400, page_size=1_000)),
    "extraction._checked": lambda: partial(extraction._checked, [_stored_document()]),
    "extraction._divided": lambda: partial(extraction._divided, _stored_document(), "a.txt", "A"),
    "viewing.portion": lambda: partial(
        portions.portion, _stored_document(), ViewQuery(find="roofs"), CitedWords("crew roofs " * 300)
    ),
    "viewing.recognized_words": lambda: partial(portions.recognized_words, _stored_document(), 1),
    "viewing.shown_page": lambda: partial(
        page_marks.shown_page,
        1,
        _page(),
        labels=(),
        find="a a a",
        current=0,
        cited=CitedWords("a b c " * 300),
        structure=_page_of_cells(),
    ),
    "jobs.ids_of": lambda: partial(
        ids_of, uuid4(), ChunkedDocument(_LONG_TEXT, _spans()), [(uuid4(), "0" * 64) for _ in _spans()]
    ),
    "categorizing._read": lambda: partial(
        categorizing._read, [(uuid4(), "1,1.1 " * 300, "1,234.5 mW " * 9_000, "A") for _ in range(256)]
    ),
    "categories.learn": lambda: partial(categories.learn, *_lesson()),
    "categorizing._probabilities": lambda: partial(categorizing._probabilities, categories.learn(*_lesson()), _stored()),
}
"""The worst that a person can have computed, by the function as its call names it, with the name of its module."""


def computed_functions() -> Iterator[str]:
    """The functions that are passed to `computing.run`, or to what passes them on, as the code names them."""
    for path, tree in python("src/fundwright", "components/fundwright_ui"):
        assigned = {ast.unparse(node.targets[0]): _partial(node.value) for node in nodes(tree) if isinstance(node, ast.Assign)}
        for node in nodes(tree):
            if isinstance(node, ast.Call) and node.args and ast.unparse(node.func).endswith(_CALLS):
                given = _partial(node.args[0]) or assigned.get(ast.unparse(node.args[0]))
                if given:
                    name = assigned.get(given) or given
                    yield name if "." in name else f"{path.stem}.{name}"


_CALLS = ("computing.run", "._compute", "_computed")


def _partial(node: ast.expr) -> str | None:
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "partial":
        return ast.unparse(node.args[0])
    return None


def test_each_has_a_worst_input() -> None:
    assert set(computed_functions()) == WORST.keys()


@pytest.mark.slow
async def test_all_of_them_at_once_do_not_delay_another_account(tmp_path: Path) -> None:
    sandbox = Sandbox(tmp_path)
    computing = Computing(sandbox, private=tmp_path, processes=4)

    inputs = {name: make() for name, make in WORST.items()}

    async def attack(account: UUID, name: str) -> str:
        start = time.monotonic()
        with acting_in(Scope(account_id=account)):
            try:
                await computing.run(inputs[name], deadline_s=5)
            except FundwrightError as error:
                return f"{name}: {type(error).__name__} after {time.monotonic() - start:.2f} s"
        return f"{name}: {time.monotonic() - start:.2f} s"

    async def clicks() -> list[float]:
        """How long an account waits for the loop and for what it has computed, 20 times."""
        taken: list[float] = []
        with acting_in(Scope(account_id=uuid4())):
            for _ in range(20):
                await asyncio.sleep(0.05)
                start = time.monotonic()
                await computing.run(partial(computed.process), deadline_s=30)
                taken.append(time.monotonic() - start)
        return sorted(taken)

    # The first use of a module takes seconds, once for all processes.
    for name in WORST:
        print(await attack(uuid4(), name))
    alone = await clicks()
    hostile = [asyncio.create_task(attack(account, name)) for account in (uuid4(), uuid4(), uuid4()) for name in WORST]
    await asyncio.sleep(0.5)  # until the processes are busy
    among = await clicks()
    outstanding = sum(not task.done() for task in hostile)
    for task in hostile:
        task.cancel()
    await asyncio.gather(*hostile, return_exceptions=True)
    computing.close()
    await sandbox.close()
    print(f"alone: median {alone[10]:.3f} s, p95 {alone[18]:.3f} s, longest {alone[-1]:.3f} s")
    print(
        f"among others: median {among[10]:.3f} s, p95 {among[18]:.3f} s, longest {among[-1]:.3f} s, with {outstanding} calls outstanding"
    )
    assert outstanding
    assert among[18] < alone[18] + 0.1
