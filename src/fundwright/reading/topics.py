"""What the headings of documents, and the questions of templates, are about: one table of stems with weights."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache

from fundwright.core.messages import t


class Topic(StrEnum):
    """The topic of a section of a proposal, or of a document."""

    CAPABILITIES = "capabilities"
    PAST_PERFORMANCE = "past_performance"
    DIFFERENTIATORS = "differentiators"
    PEOPLE = "people"
    FACILITIES = "facilities"
    COMPANY_DATA = "company_data"
    CONTACT = "contact"
    PROFILE = "profile"
    FIT = "fit"
    NEED = "need"
    AIMS = "aims"
    APPROACH = "approach"
    """The methods, or the programs that an organization runs."""
    OUTCOMES = "outcomes"
    OFFER = "offer"
    CHALLENGES = "challenges"
    PLAN = "plan"
    """The plan as a whole: need, aims, and methods."""
    REVIEW = "review"
    """Comments of reviewers and offices on a proposal or report."""
    NOT_OFFERED = "not_offered"
    """What the organization does not do."""

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {
            Topic.CAPABILITIES: t("Capabilities"),
            Topic.PAST_PERFORMANCE: t("Past performance"),
            Topic.DIFFERENTIATORS: t("Differentiators"),
            Topic.PEOPLE: t("People"),
            Topic.FACILITIES: t("Facilities and equipment"),
            Topic.COMPANY_DATA: t("Company data"),
            Topic.CONTACT: t("Contact"),
            Topic.PROFILE: t("About the organization"),
            Topic.FIT: t("Fit"),
            Topic.NEED: t("Need"),
            Topic.AIMS: t("Goals"),
            Topic.APPROACH: t("Approach"),
            Topic.OUTCOMES: t("Results"),
            Topic.OFFER: t("Deliverables"),
            Topic.CHALLENGES: t("Challenges"),
            Topic.PLAN: t("Plan"),
            Topic.REVIEW: t("Review"),
            Topic.NOT_OFFERED: t("Exclusions"),
        }[self]


_STEMS: Mapping[Topic, str] = {
    Topic.CAPABILITIES: "capabil competenc service offer do=.6 skill expertise box=.5 product program=.6 solution leistung kompetenz compétence prestation",
    Topic.PAST_PERFORMANCE: "past=.7 performance=.6 project=.7 contract=.7 client customer=.7 reference experience=.6 history=.6 record=.6 job portfolio award=.6 support=.4 done=.6"
    " completed=.8 proud=.4 referenz projekt référence réalisation",
    Topic.DIFFERENTIATORS: "differentiat discriminat apart why=.7 us=.3 different unique choose strength advantage proof edge owner=.3 call=.3 back=.3 better quality=.6 safety=.6 stärke atout",
    Topic.PEOPLE: "people personnel team staff who=.5 behind=.3 bio biograph leadership management=.5 key=.4 investigator officer=.5 crew expert lead=.4 personal équipe mitarbeit",
    Topic.FACILITIES: "facilit equipment yard shop fleet iron=.8 tool lab laborator space plant machine building brick where=.6 work=.3 inventory resource=.7 capacity instrument infrastructure"
    " workshop warehouse truck vehicle environment=.5 gear ausstattung équipement",
    Topic.COMPANY_DATA: "data=.6 code uei cage naics registration certification=.7 identifier paper=.7 print=.6 fine=.4 small=.3 corporate=.5 company=.5 organization=.3 number=.6 legal=.6 status=.6"
    " glance=.5 vitals detail=.5 firmendaten",
    Topic.CONTACT: "contact reach call=.8 write=.8 talk=.8 touch=.8 poc point=.4 phone kontakt ansprechpartner coordonnées",
    Topic.PROFILE: "about who=.6 we=.3 are=.3 profile overview mission story history=.5 introduc background=.5 company=.4 glance=.5 über profil propos",
    Topic.NEED: "need problem significance background=.6 rationale burden why=.4 matter=.5 extent=.5 gap bedarf besoin problématique",
    Topic.AIMS: "aim goal objective hypothes purpose ziel objectif",
    Topic.APPROACH: "approach method design=.7 plan=.6 soundness procedure how=.6 strateg schedule=.6 timeline milestone=.6 activit task=.6 work=.3 implement build=.4 vorgehen démarche",
    Topic.OUTCOMES: "outcome result evaluat impact measure success judged=.7 expect=.6 metric worked=.7 know=.7 benefit ergebnis résultat",
    Topic.OFFER: "deliver milestone=.7 get=.5 offer=.7 propos=.5 solution=.6 schedule=.4 liefer livrable",
    Topic.PLAN: "next=.6 step=.4 future outlook ausblick prochain",
    Topic.CHALLENGES: "challenge problems difficult obstacle setback lesson pitfall learned=.6 wrong risk=.5 herausforderung schwierigkeit défi difficulté leçon",
    Topic.REVIEW: "reviewer panel debrief critique comments=.6 internal=.4 pipeline=.4 burn=.4 salar price=.8 rate=.8 pricing bid=.7 idea=.6 delete cite confidential",
    Topic.NOT_OFFERED: "not exclusion don't cannot won't lapsed declined unfunded lost sold nicht",
}
NOT_DRAFTED = frozenset((Topic.CHALLENGES, Topic.REVIEW, Topic.NOT_OFFERED))
"""What stands under headings about these is not said in a draft."""
_WORD = re.compile(r"[^\W\d_]+(?:'t)?")
_LEAST, _ALIKE, _LONGEST = 0.6, 0.1, 120
_SHORT = 3
"""A shorter stem is a whole word."""


def _table() -> dict[str, list[tuple[Topic, float]]]:
    table: dict[str, list[tuple[Topic, float]]] = {}
    for topic, stems in _STEMS.items():
        for entry in stems.split():
            stem, _, weight = entry.partition("=")
            table.setdefault(stem, []).append((topic, float(weight or 1)))
    return table


_TABLE = _table()


@lru_cache(maxsize=8_192)
def topics_of(heading: str) -> Mapping[Topic, float]:
    """The topics that a heading names most clearly, each with a weight up to 1. Most headings name none or one."""
    found: dict[Topic, float] = {}
    for word in _WORD.findall(heading[:_LONGEST].casefold().replace("’", "'")):
        for length in range(1, len(word) + 1):
            if length > _SHORT or word[length:] in ("", "s"):
                for topic, weight in _TABLE.get(word[:length], ()):
                    found[topic] = min(1.0, found.get(topic, 0.0) + weight)
    least = max(_LEAST, max(found.values(), default=0.0) - _ALIKE)
    return {topic: weight for topic, weight in found.items() if weight >= least}


def topic_of(text: str) -> Topic | None:
    """The topic that a heading or a question names above all. None if it names several alike."""
    found = sorted(topics_of(text).items(), key=lambda item: -item[1])
    return found[0][0] if len(found) == 1 or (found and found[0][1] > found[1][1]) else None
