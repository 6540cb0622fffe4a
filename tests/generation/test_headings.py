"""What the headings of documents are about."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest

from fundwright.core.settings import Settings
from fundwright.generation.extractive import headings
from fundwright.generation.extractive.headings import WEIGHTS, Example, HeadingClassifier, examples, fit, stored_weights
from fundwright.generation.extractive.statements import Statement
from fundwright.language.local import OnnxEmbedder
from fundwright.language.protocols import Vectors
from fundwright.reading.kinds import DocumentKind
from fundwright.reading.topics import Topic

ABOUT_US, PROPOSAL = DocumentKind.ABOUT_US, DocumentKind.PREVIOUS_PROPOSAL


def statement(heading: str, text: str, kind: DocumentKind, document: str = "page") -> Statement:
    return Statement(text, 1, 1, (heading,), kind, document, is_listed=False)


@pytest.fixture(scope="module")
def minilm() -> HeadingClassifier:
    return HeadingClassifier(OnnxEmbedder(Settings(_env_file=None).models / "all-MiniLM-L6-v2", id="minilm-l6-v2-int8"))


@pytest.fixture
def of_words() -> HeadingClassifier:
    return HeadingClassifier(OfWords())


class OfWords:
    """A model that knows which of a few words a text has."""

    id = "of-words"
    words = ("problem", "team", "deliver", "measure", "building", "offer", "founded", "contract", "call")
    dimension = len(words)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        return np.array([[word in text.casefold() for word in self.words] for text in texts], dtype=np.float32)


@pytest.mark.parametrize(
    ("heading", "text", "kind", "topic"),
    [
        (
            "Behind the blue door",
            "Two extraction hoods, a freezer at -80, and 900 square feet of bench.",
            ABOUT_US,
            Topic.FACILITIES,
        ),
        ("Ask for Ada", "Telephone 555-0123, or ada@company.example.", ABOUT_US, Topic.CONTACT),
        ("The long road", "Ada founded us in 1998 in a garage; today we are 31 employees in Ohio.", ABOUT_US, Topic.PROFILE),
        (
            "Why anyone should look",
            "Each year 3,200 families drink water with lead, and no office tests it.",
            PROPOSAL,
            Topic.NEED,
        ),
        ("In your hands at the end", "A final report, a database, and as-built drawings.", PROPOSAL, Topic.OFFER),
        ("How we would go about it", "We test baskets in batches of 25, each at nine spots.", PROPOSAL, Topic.APPROACH),
        ("With thanks", "The bakery gave bread, and Mrs. Ito gave the quilt for the raffle.", ABOUT_US, None),
    ],
)
async def test_headings_of_peoples_own_words_are_understood(
    minilm: HeadingClassifier, heading: str, text: str, kind: DocumentKind, topic: Topic | None
) -> None:
    assert (await minilm.find([statement(heading, text, kind)])).get((kind, "page", heading)) is topic


def test_two_sections_of_a_document_are_rather_about_different_topics(monkeypatch: pytest.MonkeyPatch) -> None:
    fits = np.array([[0.5, 0.48, 0.0], [0.6, 0.3, 0.0], [0.1, 0.0, 0.7], [0.1, 0.0, 0.7]])
    assert headings._assigned(fits) == [1, 0, 2, 2]  # the last topic, of what no draft asks for, as often as it fits
    monkeypatch.setattr(headings, "_AGAIN", 0.0)
    assert headings._assigned(fits) == [0, 0, 2, 2]


async def test_the_weights_of_another_model_are_fitted_once(of_words: HeadingClassifier, monkeypatch: pytest.MonkeyPatch) -> None:
    fitted: list[str] = []

    async def counted(embedder: OfWords, found: Sequence[Example]) -> headings.Weights:
        fitted.append(embedder.id)
        return await fit(embedder, found)

    monkeypatch.setattr(headings, "fit", counted)
    told = [statement("The problem", "The problem is old.", PROPOSAL), statement("What we deliver", "We deliver it.", PROPOSAL)]
    for _ in range(2):
        found = await of_words.find(told)
    assert found == {(PROPOSAL, "page", "The problem"): Topic.NEED, (PROPOSAL, "page", "What we deliver"): Topic.OFFER}
    assert fitted == ["of-words"]


def test_the_stored_weights_are_those_of_the_examples() -> None:
    with np.load(WEIGHTS) as stored:
        assert stored["digest"] == headings.digest(), "Run `python -m scripts.headings`."


@pytest.mark.parametrize(
    ("model", "dimension", "is_for"),
    [("minilm-l6-v2-int8", 384, True), ("minilm-l6-v2-int8", 768, False), ("another", 384, False)],
)
def test_stored_weights_are_for_one_model_only(model: str, dimension: int, *, is_for: bool) -> None:
    assert (stored_weights(model, dimension) is not None) is is_for


@pytest.mark.parametrize(
    ("heading", "kind"), [("Past Performance", PROPOSAL), ("Our Approach", ABOUT_US), ("What we do not do", ABOUT_US)]
)
async def test_a_heading_that_clearly_names_another_topic_keeps_it(
    minilm: HeadingClassifier, heading: str, kind: DocumentKind
) -> None:
    told = statement(heading, "We completed a $3 million contract for the Army in 2022, on time.", kind)
    assert await minilm.find([told]) == {}


async def test_what_is_known_is_embedded_once(of_words: HeadingClassifier, monkeypatch: pytest.MonkeyPatch) -> None:
    told = [statement("The problem", "The problem is old.", PROPOSAL)]
    await asyncio.gather(*(of_words.find(told) for _ in range(3)))
    embedded: list[str] = []

    async def refuse(texts: Sequence[str]) -> Vectors:
        embedded.extend(texts)
        return np.zeros((len(texts), OfWords.dimension), dtype=np.float32)

    monkeypatch.setattr(of_words._embedder, "embed", refuse)
    assert await of_words.find(told) == {(PROPOSAL, "page", "The problem"): Topic.NEED}
    assert not embedded


def test_each_topic_has_examples() -> None:
    known = {(each.section.kind, each.topic) for each in examples()}
    assert known == {(kind, topic) for kind, topics in headings._TOPICS.items() for topic in topics}
