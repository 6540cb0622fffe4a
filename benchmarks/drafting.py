"""Whether the extractive writer tells questions that a document answers from those it does not: `python -m benchmarks.drafting`.

Each document is cut and embedded alone, and asked the questions of our templates and some of other kinds; what it answers was judged by
reading it. The threshold that does best on every other pair is compared with the one in use, which is judged on the rest.
The notices of real agencies are the hard part: they say at length what somebody else has to answer.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from fundwright import hooks
from fundwright.core.plugins import Plugins
from fundwright.generation.templates import TEMPLATES
from fundwright.language.extractive import LEAST_RELEVANCE, ExtractiveWriter
from fundwright.language.local import OnnxEmbedder
from fundwright.language.protocols import NumberedPassage, SectionRequest
from fundwright.training.chunking import ChunkedDocument, chunk
from fundwright.training.readers import Reader, choose_reader, read
from fundwright_ui import extension

_PROJECT = Path(__file__).parent.parent
_SAMPLE = _PROJECT / "src" / "fundwright" / "training" / "sample"
_REAL = _PROJECT.parent / "shared" / "data" / "documents"
_PASSAGES = 6
_LEAST_PRECISION, _LEAST_RECALL = 0.7, 0.6

# What each document answers of the templates' questions, and what can be argued about, which is left out.
(
    SERVICES,
    PROJECTS,
    APART,
    PEOPLE,
    PLACES,
    CODES,
    NEED,
    AIMS,
    METHODS,
    LEADERS,
    RESOURCES,
    RESULTS,
    PROFILE,
    FIT,
    OFFER,
    CONTACT,
) = range(16)
ORGANISATION: dict[str, tuple[set[int], set[int]]] = {
    "capability-profile.md": ({SERVICES, APART, CODES, PROFILE, FIT}, {METHODS, RESOURCES, PLACES}),
    "facilities-and-equipment.txt": ({PLACES, RESOURCES}, {FIT}),
    "key-personnel.html": ({PEOPLE, LEADERS, FIT}, {PROJECTS, APART}),
    "methods-and-quality.md": ({METHODS, RESULTS}, {APART, FIT, OFFER, RESOURCES}),
    "past-performance.md": ({PROJECTS, FIT}, {APART, RESULTS, NEED, METHODS, SERVICES}),
}
_RARE, _TRIAL, _HEALTH, _WORK = (
    "RFA-TR-25-002.md",
    "PAR-20-216.txt",
    "PA-18-794_AHRQ.txt",
    "RFI_14_0004_IMDS_CDB_Modernization_Assessement_PWS_27Nov13.pdf",
)
NOTICES: dict[str, tuple[set[int], set[int]]] = {
    _RARE: ({NEED}, {SERVICES, PROJECTS, PLACES, PROFILE, FIT}),
    _TRIAL: (set(), {SERVICES, PROJECTS, PLACES, PROFILE, FIT}),
    _HEALTH: (set(), {PROJECTS, PLACES, CODES, FIT}),
    _WORK: ({OFFER}, {PROJECTS, PROFILE, FIT}),
}
_CAPABILITIES, _FACILITIES, _PERSONNEL, _METHODS, _PAST = ORGANISATION
OTHER_QUESTIONS: Sequence[tuple[str, str, set[str], set[str]]] = (
    ("Training", "What training do we offer to the client's staff?", {_CAPABILITIES, _PAST}, {_FACILITIES}),
    ("Security", "How do we protect data, and which security standards do we meet?", {_FACILITIES}, {_PAST, _CAPABILITIES}),
    ("Safety", "What is our safety record?", {_PERSONNEL}, {_FACILITIES, _CAPABILITIES}),
    ("Transition", "How is the finished system handed over to the client?", {_METHODS, _CAPABILITIES}, {_FACILITIES}),
    ("Community", "How are local communities and volunteers involved?", {_METHODS, _PAST}, {_FACILITIES, _CAPABILITIES}),
    ("Finances", "What are our annual revenue and our insurance?", {_CAPABILITIES}, {_METHODS, _PERSONNEL}),
    (
        "Budget",
        "What does the project cost, and how is the budget divided?",
        set(),
        {_PERSONNEL, _FACILITIES, _METHODS, _CAPABILITIES},
    ),
    ("Human subjects", "How are human subjects protected?", {_TRIAL}, {_METHODS, _FACILITIES}),
    ("Animals", "How are laboratory animals cared for?", {_RARE}, {_METHODS, _PERSONNEL}),
    ("Sustainability", "How will the work be paid for after the grant ends?", set(), {_METHODS, _CAPABILITIES, _PAST}),
    ("Publications", "Which articles have we published?", {_PERSONNEL, _PAST}, {_FACILITIES, _METHODS}),
)


class Pair(NamedTuple):
    document: str
    heading: str
    question: str
    is_answered: bool


def pairs() -> Iterator[Pair]:
    asked = [(part.heading, question.ask) for each in TEMPLATES for part in each.sections for question in part.questions]
    asked = [(heading, ask.replace("{opportunity}", "environmental monitoring")) for heading, ask in asked]
    for document, (answered, unclear) in ORGANISATION.items():
        yield from (Pair(document, *asked[place], place in answered) for place in range(len(asked)) if place not in unclear)
    for document, (answered, absent) in NOTICES.items():
        yield from (Pair(document, *asked[place], place in answered) for place in sorted(answered | absent))
    for heading, question, answered, absent in OTHER_QUESTIONS:
        yield from (Pair(document, heading, question, document in answered) for document in sorted(answered | absent))


class Scored(NamedTuple):
    pair: Pair
    relevance: float


async def main(arguments: Sequence[str]) -> int:
    folders = {path.name: path for folder in (_REAL, _SAMPLE) if folder.exists() for path in folder.iterdir()}
    readers: list[Reader] = Plugins([hooks, extension]).collect("document_readers")
    embedder = OnnxEmbedder(_PROJECT / "var" / "models" / "all-MiniLM-L6-v2", id="minilm")
    scored: list[Scored] = []
    for document in dict.fromkeys(pair.document for pair in pairs()):
        if document in folders:
            blocks = read(choose_reader(readers, folders[document], document), folders[document], document)
            scored += await _ask(embedder, chunk(blocks), [pair for pair in pairs() if pair.document == document])
    if "--each" in arguments:
        for pair, relevance in sorted(scored, key=lambda each: -each.relevance):
            print(f"{relevance:6.3f} {'answered' if pair.is_answered else 'absent  '} {pair.document[:28]:28} {pair.question}")
    ordered = [each for is_answered in (True, False) for each in scored if each.pair.is_answered == is_answered]
    choosing, reporting = ordered[::2], ordered[1::2]
    best = max((each.relevance for each in choosing), key=lambda threshold: _f1(choosing, threshold))
    answered = sum(each.pair.is_answered for each in scored)
    print(f"{len(scored)} pairs of a document and a question, {answered} of them answered; half to choose, half to report")
    print(f"best threshold on the first half {best:.3f} (precision, recall {_both(choosing, best)}), in use {LEAST_RELEVANCE}")
    precision, recall = _precision_recall(reporting, LEAST_RELEVANCE)
    is_kept = precision >= _LEAST_PRECISION and recall >= _LEAST_RECALL
    print(f"“answered” on the second half: precision, recall {_both(reporting, LEAST_RELEVANCE)}{'' if is_kept else ' MISSED'}")
    return 0 if is_kept else 1


async def _ask(embedder: OnnxEmbedder, document: ChunkedDocument, asked: Sequence[Pair]) -> list[Scored]:
    writer = ExtractiveWriter(embedder)
    texts = [document.text[cut.start : cut.end] for cut in document.chunks]
    vectors = await embedder.embed([f"{cut.heading}\n{text}" for cut, text in zip(document.chunks, texts, strict=True)])
    scored: list[Scored] = []
    for pair in asked:
        nearest = np.argsort(-(vectors @ (await embedder.embed([pair.question]))[0]))[:_PASSAGES]
        request = SectionRequest(
            heading=pair.heading,
            questions=(pair.question,),
            instructions="",
            opportunity="",
            passages=tuple(
                NumberedPassage(number=number, text=texts[place], heading=document.chunks[place].heading)
                for number, place in enumerate(nearest, start=1)
            ),
            language="en",
        )
        scored.append(Scored(pair, (await writer.best_relevance(request))[0]))
    return scored


def _precision_recall(scored: Sequence[Scored], threshold: float) -> tuple[float, float]:
    said = [each.pair.is_answered for each in scored if each.relevance >= threshold]
    return sum(said) / max(len(said), 1), sum(said) / sum(each.pair.is_answered for each in scored)


def _f1(scored: Sequence[Scored], threshold: float) -> float:
    precision, recall = _precision_recall(scored, threshold)
    return 2 * precision * recall / max(precision + recall, 1e-9)


def _both(scored: Sequence[Scored], threshold: float) -> str:
    return "{:.2f}, {:.2f}".format(*_precision_recall(scored, threshold))


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))
