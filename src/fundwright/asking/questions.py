"""Reads a question once: what kind of value it wants, what it names, what it asks of that, and whether it is about us."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

import snowballstemmer

from fundwright.asking.identifiers import Identifier, identifiers_in
from fundwright.reading.patterns import MONEY

_WORD = re.compile(r"\d\(\w\)|\d{3,9}(?=[A-Z]\b)|[^\W_]+")
_STOP_WORDS = frozenset(
    """
    a about after all am an and any are as at be been before being by can could did do does doing done for from get gets give given gave go goes going
    got had has have having he her hers him his how i if in into is it its long many may me might more most much must my no not now of off often on
    one only or our ours out over really s she should since so some still such take than that the their them then there these they this those to too under until up us use
    used very was we well were what when where which while who whom whose why will with within would you your yours please tell show list name actually
    big fast far soon quickly high old large here today ever else back everyone past project projects hold holds come came make makes made take took happen happened need needed went sure company firm organization anyone kind sort type exactly current currently right last latest

    aber als am an auf aus bei bis das dass dem den der des die ein eine einem einen einer es für hat haben im in ist mit nach oder sie sind sich um und uns unser unsere unseren
    unter viele viel von vor wann war waren warum was welche welchen welcher welches wer wem wen wie wir wird wo zu zum zur
    à au aux avec avons ce ces cette combien comment dans de des du elle en est et eux il ils je la le les leur lui ma mais me mes mon nos notre nous
    ont ou où par pas pour pourquoi quand que quel quelle quels quelles qui sa sans ses son sont sur un une vos votre vous
    """.split()  # noqa: SIM905
)
_US = re.compile(
    r"\b(?:we|our|ours|us|I|my|wir|uns\w*|ich|mein\w*|nous|notre|nos|je|mon|mes)\b|\bthe (?:company|firm|organization)\b",
    re.IGNORECASE,
)
_OUR_DATA = re.compile(r"\b(?:UEI|CAGE|DUNS|EIN)\b(?! (?:is|are|stand)\b)")
"""What is registered about an organization: “CAGE code?” asks for ours."""
_DEFINITION = re.compile(r"\b(?:what|who) (?:is|are) an? ", re.IGNORECASE)
_OBLIGED = re.compile(
    r"\b(?:must|have to|need to|required?|due|deadlines?|submit|eligible|allowed|late|latest|apply|müssen|frist\w*|devons|délais?)\b",
    re.IGNORECASE,
)
"""Questions about what others demand of us, which notices answer."""
_NAME = r"[A-ZÄÖÜÉ](?=[\w’'-]*[a-zäöüßé])[\w’'-]{2,30}"
_NAMED = re.compile(rf"(?<=[\w,] ){_NAME}(?![\w’'-]| \S*\d)")
"""A capitalized word within a sentence, other than an abbreviation or the beginning of an identifier, such as “Gauge 061.”"""
_CODE = re.compile(r"(?<![\w$€£.,-])(?!(?:19|20)\d\d\b)\d{3,9}(?![\w.,-])|(?<!\w)\d\(\w\)")
"""A number in place of a name, as in “our 27001”, or 8(a)."""
_ABBREVIATION = re.compile(r"\b[A-Z]{2,8}\b")
_TYPED = re.compile(r"(?<!\S)[^\W\d_][\w’'-]*")
_LETTERS = 3
_CAPITALIZES_NOUNS = re.compile(r"\b(?:wie|wer|wann|welche\w*|haben|ist|sind|wir|unser\w*|das|für)\b", re.IGNORECASE)
"""Words of a German question, in which every noun is capitalized."""
_MAX_NAMES, _MAX_WORDS = 10, 40
_PART = re.compile(
    r"[,;]?(?<!\s)\s+(?:and|und|et)\s+(?=(?:what|how|when|who|where|which|why|for how|at what|was|wie|wann|wer|wo|welche\w*|combien|quand|qui|où|quel\w*)\b)|[?;.]\s+",
    re.IGNORECASE,
)
_MAX_PARTS, _PART_WORDS = 3, 3
_COUNTED = re.compile(
    r"\b(?:how many|wie ?viele|combien de)\s((?:[\w’'-]+ ){0,3}?[\w’'-]+)(?= (?:do|does|did|are|is|was|were|will|would|have|has|had|can|could|in|at|for|on|haben|sind|we)\b|[?]|$)",
    re.IGNORECASE,
)
"""What is counted: “licensed welders” in “How many licensed welders do we employ?”"""
_ATTRIBUTE = re.compile(
    r"\W{0,4}(?:what|which) ([\w’'-]+) (?:do|does|did|is|are|was|were|has|have|had|can|will)\b", re.IGNORECASE
)
_OF_US = re.compile(r"\bhow many of us\b", re.IGNORECASE)


class Kind(StrEnum):
    """What kind of value a question wants."""

    COUNT = "count"
    AMOUNT = "amount"
    QUANTITY = "quantity"
    DURATION = "duration"
    DATE = "date"
    DEGREE = "degree"
    CONTACT = "contact"
    PERSON = "person"
    PLACE = "place"
    YES_NO = "yes_no"
    ANY = "any"


_ASKS: tuple[tuple[Kind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(expression, re.IGNORECASE))
    for kind, expression in (
        (Kind.COUNT, r"\b(?:how many|wie ?viele|combien de)\b"),
        (
            Kind.DEGREE,
            r"\b(?:where|what|which|wo|was|où)\b.{1,60}\b(?:stud(?:y|ied)|degrees?|doctorate|college|graduated?|phd|studiert|étudié)\b",
        ),
        (
            Kind.DATE,
            r"(?:^\W*|,\s?|\b(?:and|since|until|by) )(?:when|wann|quand)\b|\b(?:(?:what|which|what['’]s the) (?:last |latest )?(?:year|month|date|day)|how long\b.{1,60}\b(?:still|valid))\b",
        ),
        (Kind.DURATION, r"\bhow (?:long|fast|quickly|soon)\b|\bwie (?:lange|schnell)\b|\ben combien de temps\b"),
        (
            Kind.AMOUNT,
            r"\b(?:costs?(?=[?.]|$| (?:of|to|for|per|us|me|an?|the|in)\b)|worth|prices?|paid|pay|charged?|sell for|come to|came to|awarded at|value of|how much (?:money|funding)"
            r"|revenue|salary|fees?|wie teuer|kosten|wert|prix|coûte)\b",
        ),
        (
            Kind.QUANTITY,
            r"\b(?:how (?:much|big|large|old|far|often|high|accurate)|what (?:(?:is|was|are|were|did) )?(?:(?:our|the|we) )?(?:[\w’'-]+ ){0,3}(?:share|percentage|percent|rate|size|score|capacity)|wie (?:groß|oft|hoch)|combien)\b",
        ),
        (
            Kind.CONTACT,
            r"\b(?:reach|phone|telephone|e-?mail|contacts?|contact person|poc|kontakt\w*|erreich\w*|ansprechpartner\w*|joindre|téléphone|courriel)\b",
        ),
        (Kind.PERSON, r"^\W*(?:who|whom|whose|wer|wem|qui)\b"),
        (Kind.PLACE, r"^\W*(?:where|wo|où)\b"),
        (
            Kind.YES_NO,
            r"^\W*(?:am|is|are|was|were|do|does|did|have|has|had|can|could|may|will|would|sind|ist|haben|hat|können|avons|est|sommes)\b",
        ),
    )
)
_PEOPLE = frozenset("employees staff people personnel crew workers headcount".split())  # noqa: SIM905
SYNONYMS = {
    **dict.fromkeys((*_PEOPLE, "folks"), _PEOPLE),
    "deadline": frozenset(("due",)),
    "wrong": frozenset(
        [
            "challenges",
            "delayed",
            "delays",
            "failed",
            "failure",
            "late",
            "lessons",
            "problem",
            "problems",
            "retrained",
            "trouble",
            "warranty",
        ]
    ),
}
"""Of idioms, whose words mean something else, such as “what went wrong,” and of common words whose embeddings are too far apart."""
_CUES = frozenset(
    "amount awarded call contact phone reach telephone email came charge charged college come cost costs date day degree degrees doctorate graduate graduated kosten month phd price prices share size studied study value worth year".split()  # noqa: SIM905
)
"""Words that ask for a kind of value, which an answer need not repeat."""
_MONTHS = r"jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez|janv|févr|avr|juin|juil|août|déc"
NUMERALS = r"twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|deux|trois|quatre|cinq|sept|huit|neuf|dix"
_WEEKDAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche"
_NUMBER = re.compile(rf"\d|\b(?:{NUMERALS}|dozen|half)\b", re.IGNORECASE)
_MEASURED = re.compile(
    rf"\d\s?(?:%|[-–]?[a-zäöüéèà]{{2}})|\b(?:{NUMERALS}|half) (?:in|out of|of) |\b(?:{NUMERALS}) [a-z]{{3}}|\d\.\d", re.IGNORECASE
)
_TIMES = r"seconds?|secs?|minutes?|mins?|hours?|days?|weeks?|months?|years?|yrs?|sekunden?|minuten?|stunden?|tagen?|wochen?|monaten?|jahren?|secondes?|heures?|jours?|semaines?|mois|ans|années?|knots?|mph"
_TIME = re.compile(rf"(?:\d|\b(?:{NUMERALS}))[\s-](?:\w{{1,20}}[\s-])?(?:{_TIMES})\b", re.IGNORECASE)
_DATE = re.compile(
    rf"\b(?:{_WEEKDAYS}|(?:1[89]|20)\d\d|\d{{1,2}}[./]\d{{1,4}}|(?:{_MONTHS})[a-zé]{{0,7}}\.? \d{{1,4}}|\d{{1,2}}[ -](?:{_MONTHS})[a-zé]{{0,7}})\b",
    re.IGNORECASE,
)
_CAPITALIZED = r"[A-ZÄÖÜÉ][\w’'-]{1,30}"
_PERSON = re.compile(rf"\b{_CAPITALIZED},? (?:[A-Z]\.? ){{0,2}}{_CAPITALIZED}")
_DEGREE = re.compile(
    r"\b(?:Ph\.?D|[BM]\.? ?(?:S|A|Tech|Eng|Sc|BA|FA|PH|SW)\b|A\.A|Ed\.D|[JM]\.?D\b)|\b(?:bachelor|master|doctor(?:ate)?|diploma|university|college|institute of|abschluss|universität|université|diplôme)\b",
    re.IGNORECASE,
)
_VALUES: dict[Kind, tuple[re.Pattern[str], ...]] = {
    Kind.COUNT: (_NUMBER,),
    Kind.AMOUNT: (MONEY, re.compile(r"\d\s?(?:%|percent\b)|\d\.\d\d\b")),
    Kind.QUANTITY: (MONEY, _MEASURED),
    Kind.DURATION: (_TIME, re.compile(r"\d{4}\s?[-–]\s?\d")),
    Kind.DATE: (_DATE,),
    Kind.DEGREE: (_DEGREE,),
    Kind.CONTACT: (re.compile(r"\S@\S{2,60}\.\w{2}|\d{3}\)?[ .-]\d{3}[ .-]\d{4}"),),
    Kind.PERSON: (_PERSON,),
    Kind.PLACE: (re.compile(rf"(?<=[\w,:|] ){_CAPITALIZED}|^{_CAPITALIZED}"),),
}

_TELLING = frozenset((Kind.AMOUNT, Kind.CONTACT, Kind.DATE, Kind.DEGREE, Kind.DURATION))


@dataclass(frozen=True)
class Question:
    """What a question asks."""

    text: str
    kind: Kind
    names: tuple[str, ...]
    """Words of names, and abbreviations, in lower case."""
    identifiers: tuple[Identifier, ...]
    content: tuple[str, ...]
    """The other words that say what it is about, in lower case, without those that ask for a kind of value."""
    counted: tuple[str, ...]
    """The words for what is counted."""
    attribute: str
    """What is asked of what is named: “rank” in “What rank did Ada hold?” Empty unless the question begins with it."""
    is_about_us: bool
    is_about_requirement: bool
    """Whether it asks what others demand of us, which notices and policies answer first."""
    parts: tuple[Question, ...] = ()
    """The questions of which it consists: “How many did we sell, and what did they cost?”"""

    @property
    def is_specific(self) -> bool:
        """Whether it names something and wants a value whose form alone tells what it is, so that an answer need not have the question's words: in a
        record of Dana's, a degree is Dana's degree."""
        return bool(self.names or self.identifiers) and self.kind in _TELLING

    def has_value(self, text: str) -> bool:
        """Whether a text has a value of the kind that the question wants, or one of its parts."""
        if self.parts:
            return any(each.has_value(text) for each in self.parts)
        return self.kind not in _VALUES or any(each.search(text) for each in _VALUES[self.kind])


def parse(question: str) -> Question:
    parts = [part for part in _PART.split(question) if len(part.split()) >= _PART_WORDS][:_MAX_PARTS]
    parsed = [_parse(each) for each in (question, *(parts if len(parts) > 1 else ()))]
    return replace(parsed[0], parts=tuple(parsed[1:]))


def _parse(question: str) -> Question:
    kind = next((kind for kind, asks in _ASKS if asks.search(question)), Kind.ANY)
    identifiers = tuple(each for each in identifiers_in(question) if each.word.casefold() not in _STOP_WORDS)
    names = [each for each in names_in(question) if each not in {known.code.casefold() for known in identifiers}]
    counted = _COUNTED.search(_OF_US.sub("how many people", question))
    is_about_requirement = bool(_OBLIGED.search(question))
    is_about_us = bool(_US.search(question) or (_OUR_DATA.search(question) and not _DEFINITION.search(question)))
    return Question(
        text=question,
        kind=kind,
        names=tuple(names),
        identifiers=identifiers,
        content=tuple(
            sorted(word for word in words_of(question) - set(names) - (_CUES if kind in _VALUES else set()) if stems_of(word))
        )[:_MAX_WORDS],
        counted=tuple(words_of(counted[1]) - _STOP_WORDS) if counted else (),
        attribute=_attribute_of(question) if kind is Kind.ANY else "",
        is_about_us=is_about_us and not is_about_requirement,
        is_about_requirement=is_about_requirement,
    )


def _attribute_of(question: str) -> str:
    asked = _ATTRIBUTE.match(question)
    word = asked[1].casefold() if asked else ""
    return word if stems_of(word) and not word.isdigit() else ""


def names_in(question: str) -> list[str]:
    """Return the first few words of names, and abbreviations, in lower case."""
    abbreviations = [each.casefold() for each in (*_ABBREVIATION.findall(question), *_CODE.findall(question))]
    long = [word for word in _TYPED.findall(question) if len(word) >= _LETTERS]
    if _CAPITALIZES_NOUNS.search(question) or all(word[0].isupper() for word in long):
        return abbreviations if not question.isupper() else []
    return list(dict.fromkeys([*(re.sub(r"['’]s?$", "", word).casefold() for word in _NAMED.findall(question)), *abbreviations]))[
        :_MAX_NAMES
    ]


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text in lower case."""
    return frozenset(word.casefold() for word in _WORD.findall(text))


def stems_of(text: str) -> frozenset[str]:
    """Return the stems of the words of a text that say what it is about."""
    return frozenset(_stem(word) for word in words_of(text) if word not in _STOP_WORDS and len(word) > 1)


_stemmer = snowballstemmer.stemmer("english")


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    return _stemmer.stemWord(word)
