"""Finds out what the headings of people's own words are about, by their meaning and the first lines below them.

“THINGS WE DO EVERY DAY” above a list of services is more similar to examples of capabilities than to those of any other section. Which sections
there can be depends on the kind of the document: a proposal has aims, and a text about an organization has none. The sections of a document are
assigned together, because two are seldom about the same topic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import linear_sum_assignment

from fundwright.language.protocols import Embedder, Vectors
from fundwright.reading.kinds import DocumentKind
from fundwright.reading.topics import NOT_DRAFTED, Topic, topics_of

if TYPE_CHECKING:
    from fundwright.generation.extractive.statements import Statement

Headings = Mapping[tuple[str, str], Topic]
"""The topic of a heading, by the title of its document and the heading."""

_MAX_HEADINGS, _CHARACTERS_BELOW = 80, 300
_WORDS_WEIGHT, _CLEAR = 0.1, 0.9
"""What the words of a heading add to its similarity, and the weight of words that are clear without it."""
_AGAIN = 0.06
"""How much more similar a second section of a document about the same topic has to be."""
_TITLE_WEIGHT = 0.1
"""The first heading of a document is often its title, and the organization introduces itself below it."""
_LEAST = 0.15
"""The least cosine with the most similar example."""
_EXAMPLES: Mapping[Topic, tuple[str, ...]] = {
    Topic.CAPABILITIES: (
        "What we do: we design, build, install, maintain, and repair",
        "Services: consulting, training, support, and inspection for customers",
        "What we offer: roof repair, gutter replacement, window glazing",
        "Our work: bookkeeping for small towns; audits; payroll; grant accounting",
        "What people hire us for: translation of court documents, interpreting at hearings, subtitling",
        "Products: pumps, valves, and control panels made to order",
        "Things we can help you with: network design, help desk, cloud migration, penetration testing",
        "Research areas: protein crystallography, cell imaging, gene sequencing",
        "What leaves our shop: welded frames, machined housings, and painted enclosures",
        "Programs: after-school tutoring, summer meals, adult literacy classes",
        "What we make: garden tools, ladders, and folding carts",
        "What we test: drinking water, paint, and air in schools",
        "What comes off the line: crates, pallets, and cable reels",
    ),
    Topic.DIFFERENTIATORS: (
        "Why choose us over our competitors",
        "What sets us apart: never late, award-winning, the only one, certified quality",
        "Why customers come back: no accidents, on-time delivery of 99 percent, low turnover",
        "How we are different: every part is measured twice, and no order has been returned since 2015",
        "Our edge: we answer the phone within one minute, day or night",
        "What makes ours better: 98.5 percent first-pass yield, tested to failure",
        "The difference: we are the only clinic in the county with a pharmacist on staff",
        "Proof: mean response time was 4 minutes and 97 percent of tickets were closed the same day",
        "Reasons to hire us: nobody else inspects every weld by x-ray",
    ),
    Topic.FACILITIES: (
        "Our building, shop floor, laboratory, and equipment",
        "Machines, vehicles, and tools we own, with square feet of space",
        "Where we work: a 12,000-square-foot warehouse with two loading docks and a crane",
        "Under our roof: six lathes, two milling machines, and a paint booth",
        "Lab space: a 2,400 sq ft wet laboratory, two fume hoods, a freezer room",
        "Fleet: four dump trucks, two excavators, and a water truck",
        "What we have to work with: a server room, three classrooms, and a van",
        "Our place: offices on Main Street and a yard of three acres",
    ),
    Topic.PEOPLE: (
        "Our team and key staff: president, manager, engineer",
        "The people who will do the work, with years of experience",
        "Who does it: Ada Example directs the project and Ben Sample runs the field crew",
        "Who's who: the project manager, the quality manager, and the superintendent",
        "Investigators and their roles: PI, co-investigator, statistician",
        "The crew: nine carpenters and two apprentices, led by Cora Specimen",
    ),
    Topic.COMPANY_DATA: (
        "UEI, CAGE code, NAICS codes, business size, and certifications",
        "Registration numbers and codes for forms",
        "Paperwork: our UEI is, our EIN is, our SAM registration is active until",
        "Numbers for your forms: NAICS 541330, small business, woman-owned",
        "The fine print: legal name, DUNS, PSC codes, GSA schedule, bonding capacity",
        "Certifications and licenses: ISO 9001, state contractor license, 8(a)",
    ),
    Topic.CONTACT: (
        "Contact us: name, telephone number, email, and address",
        "How to reach us; call or write",
        "Talk to our sales manager, 555-0123, sales@company.example",
    ),
    Topic.PAST_PERFORMANCE: (
        "Projects we have completed, with customer, contract value, and dates",
        "Past contracts and clients",
        "Recent jobs we finished for agencies",
        "Who has hired us: the Army, the county, and two school districts",
        "Grants we have managed: funder, amount, period, results",
    ),
    Topic.PROFILE: (
        "Who we are: a small business founded in 1998, with 40 employees, in Ohio",
        "Our history and mission",
        "About the company: a family-owned firm started by two brothers",
        "Our story: we began in 1985 in a church basement and became a nonprofit in 1990",
        "Introduction: the institute is an independent research organization in Kansas",
    ),
    Topic.NEED: (
        "The problem: how many people lack, suffer, or cannot get",
        "Why this project is needed in the community",
        "What is wrong today: 3,200 households have no clean water, and the nearest clinic is 60 miles away",
        "Background: each year 12,000 patients die because the disease is found too late",
        "Why it matters: existing methods are slow, and nobody measures the loss",
        "The situation: the bridge is failing and blocks the only road to the school",
    ),
    Topic.AIMS: (
        "Goals and objectives of the project",
        "What we want to achieve; specific aims",
        "What we want to do: plant 5,000 trees, train 40 farmers, and open two nurseries by 2028",
        "Aim 1: determine whether the drug lowers pressure. Aim 2: test the dose",
        "We hypothesize that early treatment prevents scarring",
        "Goal: every child reads by third grade. Objective 1: tutor 200 children",
    ),
    Topic.APPROACH: (
        "Methods, work plan, and timeline",
        "How we will carry out the project step by step",
        "How we'll do it: first we survey the site, then we drill, and last we restore the ground",
        "Study design: a randomized trial with two arms; participants will be followed for 12 months",
        "How the work goes: crews start at dawn, each unit is tested, and the results are logged",
        "Schedule: month 1 to 3 recruitment, month 4 to 12 data collection, month 13 analysis",
    ),
    Topic.OUTCOMES: (
        "Expected results and how we will measure success",
        "Evaluation: targets and indicators",
        "How we'll know it worked: fewer accidents, measured every six months by an outside evaluator",
        "What will change: 30 percent fewer falls within a year, counted by the clinic",
        "We expect that 80 percent of students will pass, and the university will assess it",
    ),
    Topic.OFFER: (
        "Deliverables and delivery dates",
        "What you get: a report within 30 days, a database, and a training session",
        "We propose to deliver 200 units in three lots, the first within 60 days after award",
        "What we will send you and when: monthly reports, the final design in May",
    ),
}
_TOPICS = [topic for topic, examples in _EXAMPLES.items() for _ in examples]
_OF_PROPOSALS = frozenset((Topic.NEED, Topic.AIMS, Topic.APPROACH, Topic.OUTCOMES, Topic.OFFER, Topic.PEOPLE, Topic.FACILITIES))
_TOPICS_OF: Mapping[DocumentKind, frozenset[Topic]] = {
    DocumentKind.ABOUT_US: frozenset(_EXAMPLES) - _OF_PROPOSALS | {Topic.PEOPLE, Topic.FACILITIES},
    DocumentKind.PREVIOUS_PROPOSAL: _OF_PROPOSALS,
}


@dataclass(frozen=True)
class _Section:
    """`words` are the topics that the words of the heading name."""

    kind: DocumentKind
    document: str
    heading: str
    text: str
    words: Mapping[Topic, float] = field(hash=False)
    is_clear: bool
    is_first: bool


class HeadingClassifier:
    """Compares headings with examples, whose vectors are computed once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._examples: tuple[Vectors, Vectors] | None = None
        """Of their headings, and as a whole."""

    async def find(self, statements: Sequence[Statement]) -> Headings:
        """Return the topics of headings whose words are not clear. Headings that resemble no example are left out."""
        sections = _sections(statements)
        unclear = [section for section in sections if not section.is_clear][:_MAX_HEADINGS]
        if not unclear:
            return {}
        if self._examples is None:
            examples = [text for texts in _EXAMPLES.values() for text in texts]
            self._examples = await self._embed([text.partition(":")[0] for text in examples], examples)
        headings, sections_as_whole = await self._embed(
            [each.heading for each in unclear], [f"{each.heading}: {each.text}" for each in unclear]
        )
        similarity = (headings @ self._examples[0].T + 2 * sections_as_whole @ self._examples[1].T) / 3
        similar = dict(zip(unclear, similarity, strict=True))
        found: dict[tuple[str, str], Topic] = {}
        for _, own in groupby(sections, key=lambda section: section.document):
            found |= _assigned([*own], similar)
        return found

    async def _embed(self, headings: Sequence[str], whole: Sequence[str]) -> tuple[Vectors, Vectors]:
        first, second = np.split(await self._embedder.embed([*headings, *whole]), 2)
        return first, second


def _assigned(sections: Sequence[_Section], similar: Mapping[_Section, Vectors]) -> Mapping[tuple[str, str], Topic]:
    """Give each section of a document the topic that fits best, preferring different ones: a second section about the same topic is less likely."""
    unclear = [section for section in sections if section in similar]
    if not unclear:
        return {}
    topics = sorted(_TOPICS_OF[unclear[0].kind])
    taken = Counter(topic for section in sections if section.is_clear for topic in section.words)
    fits = np.array([[_fit(section, topic, similar[section]) for topic in topics] for section in unclear])
    again = np.arange(len(unclear)) * _AGAIN
    costs = [fits[:, [place]] - again - _AGAIN * min(1, taken[topic]) for place, topic in enumerate(topics)]
    rows, columns = linear_sum_assignment(np.hstack(costs), maximize=True)
    chosen = {unclear[row]: column // len(unclear) for row, column in zip(rows, columns, strict=True)}
    return {
        (section.document, section.heading): topics[place]
        for row, (section, place) in enumerate(chosen.items())
        if fits[row, place] >= _LEAST
    }


def _fit(section: _Section, topic: Topic, similar: Vectors) -> float:
    nearest = max(similar[place] for place, other in enumerate(_TOPICS) if other is topic)
    is_title = section.is_first and topic is Topic.PROFILE
    return float(nearest) + _WORDS_WEIGHT * section.words.get(topic, 0.0) + (_TITLE_WEIGHT if is_title else 0.0)


def _sections(statements: Sequence[Statement]) -> list[_Section]:
    """The sections of documents, in order."""
    below: dict[tuple[DocumentKind, str, str], str] = {}
    for statement in statements:
        if statement.path and statement.kind in _TOPICS_OF:
            key = (statement.kind, statement.document, statement.path[-1])
            below[key] = f"{below.get(key, '')} {statement.text}".strip()[:_CHARACTERS_BELOW]
    documents = list[str]()
    found = list[_Section]()
    for (kind, document, heading), text in below.items():
        words = topics_of(heading)
        is_clear = max(words.values(), default=0.0) >= _CLEAR or bool(NOT_DRAFTED & words.keys())
        found.append(_Section(kind, document, heading, text, words, is_clear=is_clear, is_first=document not in documents))
        documents.append(document)
    return sorted(found, key=lambda section: documents.index(section.document))
