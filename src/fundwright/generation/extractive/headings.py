"""Finds out what the headings of people's own words are about, by their meaning and the first lines below them.

“THINGS WE DO EVERY DAY” above a list of services is more similar to examples of capabilities than to those of any other section. Which sections
there can be depends on the kind of the document: a proposal has aims, and a text about an organization has none. Of 30 such headings in documents of
two sets of invented organizations, 26 are assigned as their authors meant them (21 with three examples of each section).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from fundwright.language.protocols import Embedder, Vectors
from fundwright.reading.kinds import DocumentKind
from fundwright.reading.topics import NOT_DRAFTED, Topic, topics_of

if TYPE_CHECKING:
    from fundwright.generation.extractive.statements import Statement

Headings = Mapping[tuple[DocumentKind, str], Topic]
"""The topic of a heading in a document of a kind."""

_MAX_HEADINGS, _CHARACTERS_BELOW = 80, 300
_WORDS_WEIGHT, _CLEAR = 0.1, 0.9
"""What the words of a heading add to its similarity, and the weight of words that are clear without it."""
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
_SECTIONS: Mapping[DocumentKind, frozenset[Topic]] = {
    DocumentKind.ABOUT_US: frozenset(_EXAMPLES) - _OF_PROPOSALS | {Topic.PEOPLE, Topic.FACILITIES},
    DocumentKind.PREVIOUS_PROPOSAL: _OF_PROPOSALS,
}


class HeadingClassifier:
    """Compares headings with examples, whose vectors are computed once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._examples: Vectors | None = None

    async def find(self, statements: Sequence[Statement]) -> Headings:
        """Return the topics of headings whose words are not clear. Headings that resemble no example are left out."""
        below = _below(statements)
        if not below:
            return {}
        if self._examples is None:
            self._examples = await self._embedder.embed([text for texts in _EXAMPLES.values() for text in texts])
        texts = [*(heading for _, heading in below), *(f"{heading}: {text}" for (_, heading), text in below.items())]
        alone, with_text = np.split(await self._embedder.embed(texts), 2)
        similarities = (alone + 2 * with_text) / 3 @ self._examples.T
        named = {key: _nearest(row, *key) for key, row in zip(below, similarities, strict=True)}
        return {key: topic for key, topic in named.items() if topic}


def _nearest(similar: Vectors, kind: DocumentKind, heading: str) -> Topic | None:
    words = topics_of(heading)
    best = {
        topic: max(similar[place] for place, other in enumerate(_TOPICS) if other is topic)
        + _WORDS_WEIGHT * words.get(topic, 0.0)
        for topic in _SECTIONS[kind]
    }
    first = max(best, key=lambda topic: best[topic])
    return first if best[first] >= _LEAST else None


def _below(statements: Sequence[Statement]) -> Mapping[tuple[DocumentKind, str], str]:
    """Headings whose words are not clear, each with the first lines below it."""
    found: dict[tuple[DocumentKind, str], str] = {}
    for statement in statements:
        heading = statement.path[-1] if statement.path else ""
        words = topics_of(heading)
        is_clear = max(words.values(), default=0.0) >= _CLEAR or NOT_DRAFTED & words.keys()
        key = (statement.kind, heading)
        if heading and statement.kind in _SECTIONS and not is_clear and len(found.get(key, "")) < _CHARACTERS_BELOW:
            found[key] = f"{found.get(key, '')} {statement.text}".strip()[:_CHARACTERS_BELOW]
    return dict(list(found.items())[:_MAX_HEADINGS])
