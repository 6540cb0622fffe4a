"""What people ask of documents like the sample, and what comes of it."""

from __future__ import annotations

import pytest

from fundwright.core.assembly import Core
from fundwright.identity.schemas import Actor
from fundwright.language import service as language
from fundwright.training import service

ANSWERED = (
    ("Who leads field operations?", "Jo Redfern"),
    ("What went wrong in past projects?", "what did not work"),
    ("How many people work here?", "24 people"),
    ("Where is the company located?", ""),
    ("What is our annual revenue?", "3.8 million dollars"),
    ("Which certifications do we hold?", ""),
    ("How do you make sure the data is good?", ""),
    ("How long do stations run without sun?", "21 days"),
    ("Who is the principal investigator?", "Marit Solberg"),
    ("What equipment do we own?", "equipment"),
    ("How do you hand a system over to the client?", "hand over"),
    ("Have we worked with schools?", "public schools"),
    ("How many measurements did we migrate?", "118 million"),
    ("What is your experience with PostgreSQL?", "PostgreSQL"),
    ("How are risks managed?", "register"),
    ("Which languages is training material available in?", "Ojibwe"),
    ("What was the value of the water quality network contract?", "Northern Lakes Water Quality Network"),
    ("How is computer access secured?", "two factors"),
    ("How accurate is the bloom forecast?", "81"),
    ("Who are the founders?", "limnologists"),
    ("insurance coverage", "liability"),
    ("NAICS codes", "541715"),
    ("Are we a small business?", "small business"),
    ("How fast are failed sensors replaced?", "two working days"),
)
"""Questions, and what the first sentence shown says; '' where several answer as well."""

NOT_ANSWERED = (
    "What is our policy on animal testing?",
    "Which drugs did we test in clinical trials?",
    "How do we manufacture tank engines?",
    "asdf qwer zxcv",
    "What is the capital of France?",
    "banana bread recipe with walnuts",
    "How many patents do we own?",
    "Do we have a facility clearance?",
    "What is our DUNS number?",
    "How does the company recruit veterans?",
    "Tell me about the football world cup",
    "purple elephants dance on Tuesdays",
    "What are the interest rates for mortgages?",
    "lorem ipsum dolor sit amet",
    "How do we treat cancer patients?",
    "Which submarines have we repaired?",
    "quasar spectroscopy",
    "What is the meaning of life?",
    "xkcd 123 !!",
    "Who won the 2020 election?",
    "janitorial services and snow removal",
    "What vaccines does the clinic stock?",
    "How do I reset my password?",
    "kubernetes cluster autoscaling",
)


@pytest.fixture
async def taught(committed: Core, owner: Actor) -> Actor:
    """Somebody with the trained sample documents."""
    async with committed.database.transaction() as session:
        await service.add_sample(committed, session, owner)
        run = (await service.list_runs(session, owner)).items[0]
    await committed.jobs._run(run.job_id, reraise=True)
    return owner


async def test_questions_are_answered_by_the_sentence_that_does(committed: Core, taught: Actor) -> None:
    embedder = await language.get_embedder(committed)
    silent, wrong = [], []
    for question, expected in ANSWERED:
        found = await service.find_answers(committed, taught, question, embedder=embedder)
        if not found:
            silent.append(question)
            continue
        assert [answer.score for answer in found] == sorted((answer.score for answer in found), reverse=True)
        first = found[0]
        if expected not in " ".join(first.text[first.answer_start : first.answer_end].split()):
            wrong.append(question)
    assert len(silent) <= 2, silent
    assert len(wrong) <= 1, wrong


async def test_nonsense_and_what_the_documents_do_not_say_get_no_answer(committed: Core, taught: Actor) -> None:
    embedder = await language.get_embedder(committed)
    answered = [q for q in NOT_ANSWERED if await service.find_answers(committed, taught, q, embedder=embedder)]
    assert len(answered) <= 1, answered
