"""Names of people, by the form in which documents give them: “Dana Rivers, P.E.,” “LAW, Teresa,” “Dr. Ada N. Example.”"""

from __future__ import annotations

import re
from typing import NamedTuple

_TOKEN = r"(?:[^\W\d_a-zß-öø-ÿ]\.|[^\W\d_a-zß-öø-ÿ][^\W\d_'’-]*(?:['’-][^\W\d_]+)*)"
_NICKNAME = r"[\"“(][^\W\d_][\w'’-]*[\"”)]"
_NAME = re.compile(
    rf"(?:(?:Dr|Prof|Mr|Mrs|Ms)\.? )?{_TOKEN}(?: (?:{_TOKEN}|{_NICKNAME}|de|da|van|von|der|la)){{1,3}}(?! {_TOKEN})(?=$|[\s,;|:(–—-]|\.(?:\s|$))(?!, (?:Inc|LLC|Corp|Ltd|Co|LLP)\b)"
)
_BEFORE_ROLE = re.compile(rf"({_TOKEN} (?:[A-Z]\. )?{_TOKEN}(?:, [A-Z]\.[A-Z]\.)?) ((?:{_TOKEN} ){{0,4}}\w+(?: \w+){{0,5}})$")
_REVERSED = re.compile(rf"({_TOKEN}), ({_TOKEN}(?: {_TOKEN})?)(?=$|[\s;|(–—]| - )")
_CREDENTIAL = re.compile(r",? ?((?:[A-Z][A-Za-z]{0,2}\.?){1,4}(?:[-/][A-Za-z]{1,4}\.?)?)(?=$|[,;:|\s])")
_SEPARATOR = re.compile(r"\s*(?:[,;|:–—*•]|-(?=\s)|\s{2,}|\()\s*")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ROLES = _words(
    "president ceo cfo coo cto ciso vice vp svp evp director manager engineer officer professor scientist founder principal "
    "lead leader chief coordinator supervisor superintendent analyst specialist architect investigator nurse interpreter "
    "administrator executive chair chairman dean foreman inspector consultant researcher technician planner estimator "
    "developer geologist chemist biologist hydrologist ecologist therapist neonatologist physician surveyor trainer "
    "instructor teacher counselor advisor adviser assistant associate fellow head designer programmer carpenter electrician "
    "plumber welder machinist operator mechanic pilot captain secretary treasurer accountant attorney buyer editor writer "
    "epidemiologist statistician psychologist pediatrician surgeon pharmacist veterinarian curator librarian evaluator "
    "strategist tester leiter leiterin geschäftsführer directeur directrice"
)
ORGANIZATIONS = _words(
    "department university college school institute clinic lab laboratory laboratories center centre hospital county city "
    "state office services service solutions systems inc llc ltd corp corporation foundation association agency "
    "administration bureau authority district court council board cache"
)
_NO_NAMES = ORGANIZATIONS | _words(
    "the our your we who what where why how when and of for with in at by a an to all new key core past company corporate "
    "statement summary profile overview section part tab factor volume appendix project projects program programs contract "
    "contracts team staff people personnel experience education training skills certifications honors awards publications "
    "positions appointments contributions support personal selected references contact phone address date "
    "biographical sketch curriculum vitae identifying information professional "
    "preparation synergistic activities products research employment history background qualifications objective ongoing "
    "completed environmental contractors engineering sciences group partners neighbors friends "
    "street road avenue lane suite north south east west "
    "technical management quality safety approach schedule small business set aside total final original national federal "
    "american united u.s no title name omb call attn"
)


_PROPER_NAME = re.compile(r"(?:The )?((?:(?:[A-Z][\w.&'’-]*|of|for|and|the) ){1,10}?[A-Z][\w.&'’-]*)(?= (?:\(|[a-z])|,)")
_ABBREVIATION = re.compile(r"[A-Z]{2}|[A-Z]{4,}")
"""A state, or an organization: “St. Paul, MN,” “Larkspur Canyon RFPD.” A name may have a word in capitals of another length, or all in capitals."""
_VERBS = frozenset(("has", "have", "is", "was", "are", "were", "holds", "led", "joined"))
_SHORTEST = 8
"""Shorter texts in capitals are abbreviations."""


class Person(NamedTuple):
    name: str
    rest: str
    """What follows the name in its line, such as credentials and a role."""


def person_in(line: str) -> Person | None:
    """The person whose name begins a line, and what follows it. None if it begins with something else."""
    line = line.strip(" *_#•\t")
    for pattern in (_REVERSED, _NAME):
        found = pattern.match(line)
        if found and _is_name(found[0]):
            end = found.end()
            while (credential := _CREDENTIAL.match(line, end)) and not is_role(credential[1]):
                end = credential.end()
            separator = _SEPARATOR.match(line, end)
            return Person(line[:end].strip(" ,"), line[separator.end() if separator else end :].strip())
    found = _BEFORE_ROLE.match(line)  # “Agnes Mason Program manager”
    return Person(found[1], found[2]) if found and _is_name(found[1]) and is_role(found[2]) else None


def organization_in(text: str) -> str:
    """The name of an organization that begins a text: “Kanova University Hospital (a 610-bed teaching hospital).” Empty if it begins with something else."""
    found = _PROPER_NAME.match(text)
    return found[1] if found and any(word.casefold() in ORGANIZATIONS for word in found[1].split()) else ""


def is_role(text: str) -> bool:
    """Whether a short text says what someone does: “Quality Control Manager and Project Engineer.”"""
    words = [word.casefold() for word in re.findall(r"[^\W\d_]+", text)]
    return 0 < len(words) <= 14 and any(word in _ROLES for word in words) and not any(word in _VERBS for word in words)


def _is_name(text: str) -> bool:
    words = [word.casefold().strip(".,'’\"“”()").removesuffix("'s").removesuffix("’s") for word in text.split()]
    is_abbreviated = (
        any(_ABBREVIATION.fullmatch(word) for word in text.replace(",", "").split()) and not text.replace(",", "").isupper()
    )
    return not (
        any(word in _NO_NAMES and len(word) > 1 for word in words)
        or is_role(text)
        or is_abbreviated
        or (text.isupper() and len(text) < _SHORTEST)
        or text.endswith(" I")
    )
