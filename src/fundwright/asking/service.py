"""Answers questions from the documents of a workspace."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from functools import partial
from typing import NamedTuple
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import Actor, Permission
from fundwright.asking import answering
from fundwright.asking.abbreviations import abbreviations_in, initials_pattern
from fundwright.asking.boxes import asks_for_boxes
from fundwright.asking.questions import SYNONYMS, Question, parse
from fundwright.asking.schemas import Answer, Answers, ClosePassage
from fundwright.core.assembly import Core
from fundwright.core.messages import t
from fundwright.core.spreadsheets import csv_lines
from fundwright.language.protocols import Embedder
from fundwright.language.schemas import heading_text
from fundwright.reading import units
from fundwright.reading.kinds import KINDS_THAT_ANSWER_US
from fundwright.training import collecting, searching
from fundwright.training import service as training
from fundwright.training.schemas import Passage, label_of

_MAX_CHARACTERS = 4_000
_READ_PASSAGES = 16
_CLOSEST = 3
"""The number of passages that are shown if none answers."""


@needs(Permission.READ)
async def find_answers(
    core: Core, actor: Actor, query: str, *, embedder: Embedder, limit: int = 8, collection_id: UUID | None = None
) -> Answers:
    """Return the passages that answer `query`, best first, each with the statement that does, or else the closest ones. If a collection is given,
    only its documents are searched. A question about us is answered only from our own documents. Opens its own transactions.

    Raises NotFound for the collection, or Conflict if all documents were trained with an embedding model other than the one in use.
    """
    question = parse(units.spell_out_question(query.strip()[:_MAX_CHARACTERS]))
    if not question.text or not actor.is_confirmed:  # an unconfirmed account has no documents, so no model need be called
        return Answers(answers=(), closest=())
    document_ids: list[UUID] | None = None
    if collection_id is not None:
        async with core.database.transaction() as session:
            document_ids = await collecting.list_documents_in(session, actor, collection_id)
    searched = await _search(core, actor, question, embedder, document_ids=document_ids)
    found = await _answers(core, question, searched, embedder)
    closest = [] if found else [each for each in searched.passages if each.aside is None][:_CLOSEST]
    async with core.database.transaction() as session:
        labels = await training.page_labels_of(session, actor, {each.document_id for each in (*found, *closest)})
    return Answers(
        answers=tuple(
            each.model_copy(
                update={"page_label": label_of(labels.get(each.document_id, ()), each.page), "answer": answering.in_words(each)}
            )
            for each in found[:limit]
        ),
        closest=tuple(
            ClosePassage(**each.model_dump(), page_label=label_of(labels.get(each.document_id, ()), each.page))
            for each in closest
        ),
    )


class _Searched(NamedTuple):
    """The question with what its abbreviations stand for, which are `phrases`, and the passages that it finds."""

    expanded: str
    phrases: dict[str, str]
    passages: list[Passage]


async def _search(
    core: Core, actor: Actor, question: Question, embedder: Embedder, *, document_ids: Collection[UUID] | None
) -> _Searched:
    """Opens its own transactions."""
    abbreviations = abbreviations_in(question.text)
    phrases: dict[str, str] = {}
    if abbreviations:
        async with core.database.transaction() as session:
            phrases = await _phrases_of(session, actor, abbreviations)
    meant = [*phrases.values(), *(", ".join(sorted(SYNONYMS[word])) for word in question.content if word in SYNONYMS)]
    expanded = f"{question.text} ({'; '.join(meant)})" if meant else question.text
    (vector,) = await embedder.embed([expanded])
    async with core.database.transaction() as session:
        passages = await searching.search_passages(
            session,
            actor,
            " ".join((expanded, *units.abbreviations_of(question.text))),
            vector,
            embedder=embedder,
            limit=_READ_PASSAGES,
            document_ids=document_ids,
            kinds=KINDS_THAT_ANSWER_US if question.is_about_us else None,
            named=[*(spelling for each in question.identifiers for spelling in each.spellings), *question.names],
            with_asides=True,
            with_boxes=asks_for_boxes(question.text),
        )
    return _Searched(expanded, phrases, passages)


async def _phrases_of(session: AsyncSession, actor: Actor, abbreviations: Collection[str]) -> dict[str, str]:
    found = {each: await searching.find_phrase(session, actor, initials_pattern(each)) for each in abbreviations}
    return {each.casefold(): phrase for each, phrase in found.items() if phrase}


async def _answers(core: Core, question: Question, searched: _Searched, embedder: Embedder) -> list[Answer]:
    passages = searched.passages
    candidates = await core.computing.run(partial(answering.candidates_of, question, passages)) if passages else []
    if not candidates:
        return []
    vectors = await embedder.embed([searched.expanded, *map(answering.text_of, candidates)])
    similarities = vectors[1:] @ vectors[0]
    words, others = await core.computing.run(partial(answering.words_to_compare, question, candidates, similarities))
    vectors = await embedder.embed([*words, *others])
    near = answering.near(words, others, vectors[: len(words)] @ vectors[len(words) :].T)
    return await core.computing.run(
        partial(answering.answers, question, passages, candidates, similarities, near, searched.phrases)
    )


def answers_as_csv(found: Sequence[Answer]) -> AsyncIterator[str]:
    """Yield the passages that answer as lines of CSV."""
    return csv_lines(
        [
            (t("Document"), lambda passage: passage.document_title),
            (t("Heading"), lambda passage: heading_text(passage.heading)),
            (t("Page"), lambda passage: passage.page_label or passage.page),
            (t("Relevance"), lambda passage: passage.score),
            (t("Answer"), lambda passage: passage.answer),
            (t("Text"), lambda passage: passage.text),
        ],
        found,
    )
