"""Infers the name of the company, lab, or agency that documents are about."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable

from fundwright.reading.kinds import DocumentKind

_LABEL = re.compile(
    r"(?:legal (?:business )?name|(?:company|firm|organi[sz]ation|business|vendor|offeror|applicant)(?: name)?|name of (?:firm|organi[sz]ation)"
    r"|firma|unternehmen|raison sociale|société|entreprise)\s{0,20}[:.]{1,40}\s{0,20}(\S.{1,100})",
    re.IGNORECASE,
)
_NAME = r"(?:[A-ZÄÖÜÉÈ0-9][\w&'’.-]{0,30}|&|of|for|and|the|de|du|des|la|und|für)"
_FORM = r"(?:Inc|LLC|L\.L\.C|Corp|Corporation|Co|Company|Ltd|LLP|LP|P\.?C|PLLC|GmbH|AG|KG|gGmbH|e\.V|SARL|S\.A|SAS|S\.A\.S)"
_WITH_FORM = re.compile(rf"(?<![\w&])((?:{_NAME}[ ]){{1,7}}?{_FORM}\b\.?|(?:{_NAME}[ ]){{0,6}}{_NAME},[ ]{_FORM}\b\.?)")
_SUBJECT = re.compile(
    rf"(?:^|(?<=[.!?]\s)|(?<=\n))((?:The )?(?:{_NAME}[ ]){{0,6}}?[A-ZÄÖÜÉÈ][\w&'’-]{{1,30}})(?:, (?:Inc|LLC|Corp)\.?,?)?"
    rf"(?:[ ]at(?:[ ]{_NAME}){{1,7}})?[ ]"
    r"(?:is (?:a|an|the)|was (?:founded|established)|designs|builds|provides|offers|delivers|manufactures|develops|studies|serves|specializes|has been"
    r"|ist (?:ein|eine)|entwickelt|bietet|est (?:un|une)|conçoit|propose|fournit)\b",
    re.MULTILINE,
)
_ABOUT = re.compile(r"^\W{0,5}(?:about|über)[ ](?:the[ ])?(\S.{1,80})$", re.IGNORECASE | re.MULTILINE)
_TITLE = re.compile(
    r"\W*\b(?:capabilit(?:y|ies)|statement|profile|overview|past performance|(?:\(|\[)?sample(?:\)|\])?|company|corporate|firm|snapshot|at a glance|fact sheet|facts|data|information|matrix|brochure)\b\W*",
    re.IGNORECASE,
)
_PART = re.compile(
    r"and|of|for|other|data|management|sharing|plan|policy|facilities|equipment|resources|research|environment|biographical|sketch|biosketch"
    r"|budget|justification|specific|aims|protection|security|references|cited|letters|support",
    re.IGNORECASE,
)
"""Words that name a part of an application if a title contains no others, as in “Facilities and Other Resources”."""
_ORGANIZATION = re.compile(
    r"\b(?:company|firm|corporation|business|nonprofit|non-profit|501\(c\)|charity|organization|foundation|association|manufacturer"
    r"|consultancy|contractor|laboratory|institute|university|college|school district|cooperative|start-?up)\b",
    re.IGNORECASE,
)
"""What a sentence calls an organization that presents itself."""
_NO_NAMES = frozenset(
    [
        "we",
        "our",
        "us",
        "the",
        "it",
        "this",
        "that",
        "he",
        "she",
        "they",
        "i",
        "a",
        "an",
        "in",
        "at",
        "since",
        "as",
        "project",
        "contract",
        "team",
        "company",
        "firm",
        "about",
        "lab",
        "laboratory",
        "agency",
        "customer",
        "client",
        "today",
        "now",
        "currently",
        "wir",
        "die",
        "der",
        "das",
        "nous",
        "la",
        "le",
        "il",
    ]
)
_OF_CONTRACTOR = re.compile(
    rf"\W*(?:(?:past|relevant|corporate|prior|recent) (?:performance|experience|projects?|contracts?)|projects?|contracts?|references?|referenzen|références) (?:of|by|von|de) "
    rf"((?-i:(?:{_NAME}[ ]){{1,7}}?{_FORM}\b\.?))\W*|(?:contractor|offeror|vendor|bidder|legal (?:business )?name|name of (?:firm|offeror|contractor))(?: name)?\s?:\s?(\S.{{1,80}})",
    re.IGNORECASE,
)
"""The title of a sheet, or a label in it, that says whose projects it is about: “Past performance of Tidewater Systems LLC.”"""
_MAX_CHARACTERS, _LINE_CHARACTERS = 20_000, 400
_MIN_VOTES = 2.0


def infer_company(documents: Iterable[tuple[DocumentKind, str]]) -> str:
    """Return the name that most of our documents, given as (kind, text), use, or '' if none stands out."""
    votes: Counter[str] = Counter()
    spelled: dict[str, Counter[str]] = {}
    for kind, text in documents:
        if not kind.is_ours:
            continue
        weight = 3.0 if kind == DocumentKind.ABOUT_US else 1.0
        of_document: Counter[str] = Counter()
        for name, value in _names(text[:_MAX_CHARACTERS], is_about_us=kind == DocumentKind.ABOUT_US):
            key = _key(name)
            if key:
                of_document[key] = max(of_document[key], value)  # type: ignore[assignment]
                spelled.setdefault(key, Counter())[name] += 1
        for key, value in of_document.items():
            votes[key] += value * weight  # type: ignore[assignment]
    if not votes:
        return ""
    best, count = max(votes.items(), key=lambda item: (item[1], len(item[0])))
    if count < _MIN_VOTES:
        return ""
    # The fullest spelling: “Iron Peak Mechanical Contractors Inc.” rather than the same name without its legal form.
    return max(spelled[best], key=lambda name: (bool(re.search(rf"{_FORM}\b", name)), not name.isupper(), spelled[best][name]))


def is_of_another(text: str, company: str) -> bool:
    """Whether the text, which never names `company`, says that its projects are those of another contractor."""
    if is_named_in(text, company):
        return False
    lines = (line.strip(" *_#|") for line in text[:_MAX_CHARACTERS].splitlines())
    found = (_OF_CONTRACTOR.fullmatch(line) for line in lines if len(line) <= _LINE_CHARACTERS)
    return any(each is not None and _key(_cleaned(each[1] or each[2])) for each in found)


def is_named_in(text: str, company: str) -> bool:
    """Whether the text contains the first word of the name, or its initials. True if no company is given."""
    own = _key(company).split()
    known = set(re.findall(r"[\w&]+", text[:_MAX_CHARACTERS].casefold()))
    return not own or bool(known.intersection((own[0], "".join(word[0] for word in own))))


def _names(text: str, *, is_about_us: bool) -> Iterable[tuple[str, float]]:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if is_about_us and lines:
        title = _TITLE.sub(" ", lines[0][:_LINE_CHARACTERS]).strip(" *#_:–—-|\t")
        title = re.sub(r"\s+(?:and|of|for|the|&|und|für|et|de)$", "", title)
        is_part = all(map(_PART.fullmatch, title.split()))
        if 1 <= len(title.split()) <= 8 and not title.split()[0].islower() and not is_part:
            yield _cleaned(title), 1.5
    for line in (line for line in lines if len(line) <= _LINE_CHARACTERS):
        label = _LABEL.fullmatch(line)
        if label:
            yield _cleaned(label[1]), 3.0
        for found in _WITH_FORM.finditer(line):
            yield _cleaned(found[1]), 1.0
        if is_about_us:
            yield from ((_cleaned(found[1]), 2.0) for found in _SUBJECT.finditer(line))
            yield from ((_cleaned(found[1]), 1.0) for found in _ABOUT.finditer(line))


def _cleaned(name: str) -> str:
    name = " ".join(name.split()).strip(" *_#|:;,–—")
    # “Past performance of Brightwater Instruments, Inc.”
    name = re.sub(r"^(?:(?:about|of|for|and|&|de|du|des|für|und) )?(?:the )?", "", name, flags=re.IGNORECASE)
    return _small(name) if name.isupper() else name


def _small(name: str) -> str:
    """“BRIGHTWATER INSTRUMENTS, INC.” in normal case."""
    forms = {"LLC", "LP", "LLP", "AG", "KG", "SAS"}
    return " ".join(word if word.strip(",.") in forms or len(word) < 3 else string.capwords(word, "-") for word in name.split())


def _key(name: str) -> str:
    """A key that is the same for all spellings of a name; empty for text that is not a name."""
    words: list[str] = re.findall(r"[\w&]+", re.sub(rf",? {_FORM}\b\.?$", "", name).casefold())
    if not words or len(words) > 8 or all(word in _NO_NAMES for word in words) or words[0] in _NO_NAMES - {"the"}:
        return ""
    return " ".join(words)
