"""Extracts the organization's data and contact."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from fundwright.language.extractive.claims import BOILERPLATE
from fundwright.language.extractive.facts import EMAIL, PHONE, Fact, is_about
from fundwright.language.extractive.people import as_person
from fundwright.language.protocols import NumberedPassage
from fundwright.language.schemas import DocumentKind
from fundwright.language.structure import BlockKind, read
from fundwright.language.topics import Topic, topics_of

_CONTACT_DETAIL = re.compile(r"@|\d{3}")
"""Part of an address, a phone number, or an email address."""
_DATA_LABEL = re.compile(
    r".*\b(?:uei|unique entity (?:id|identifier)|cage|duns|naics|psc|ein|tin|tax id|sic|8\(a\)|hubzone|bonding|indirect(?: cost)? rate|contract vehicles?|gsa (?:schedule|mas)|certifi\w+"
    r"|business (?:size|type)|size|socio-?\s?economic.*|set-?asides?|small business|state licen[cs]e|licen[cs]es?|purchase cards?|facility clearance|clearance|insurance|legal name|year founded"
    r"|founded|established|incorporated|employees|headquarters|ust-?id\w*|handelsregister|siret|siren|sam(?:\.gov)? .*|registered.*)\b.*",
    re.IGNORECASE,
)
_CONTACT_LABEL = re.compile(
    r".*\b(?:poc|point of contact|contact|phone|tel|telephone|telefon|mobile|fax|e-?mail|web(?:site)?|address|executive director|president|ceo|anschrift|ansprechpartner|adresse|courriel|téléphone)\b.*",
    re.IGNORECASE,
)
_STATUS = re.compile(r"\b(?:WOSB|EDWOSB|SDVOSB|VOSB|HUBZone)\b|\b8\(a\)|\bISO(?:/IEC)? \d{4,5}|\bGSA (?:MAS|Schedule)\b")
_CONTACT_SIGNS = (
    PHONE,
    EMAIL,
    re.compile(
        r"\b[A-Z]{2} \d{5}\b|\bP\.?O\.? Box\b|^\d{1,5} (?:[NSEW]\. )?[A-Z][\w.]{1,20} (?:[A-Z]\w{1,20} )?(?:St|Street|Ave|Avenue|Road|Rd|Blvd|Drive|Dr|Lane|Way|Hwy|Highway|Court|Parkway)\b"
    ),
)
"""Signs of a phone number, an email address, or a postal address."""
_WEB = re.compile(r"https?://|\bwww\.", re.IGNORECASE)
_MIN_SIGNS, _ADDRESS_WORDS = 1, 14
_OTHER_CONTACT = re.compile(r"\bnot for\b|\bdispatch\b|\bemergenc\w+|\bcomplaints?\b", re.IGNORECASE)
_STATUS_IN_PROSE = re.compile(
    r"\b501\(c\)\(\d{1,2}\)(?: (?:nonprofit|non-profit|public charity|organization))*|\b(?:service[- ]disabled,? |economically disadvantaged,? )?(?:wom[ae]n|veteran|minority|native|employee|family)[- ]owned(?: small)?(?: business(?: \([A-Z]{4,6}\))?)?",
    re.IGNORECASE,
)
_EMPTY = frozenset(("a", "and", "are", "code", "codes", "for", "in", "is", "no", "number", "of", "our", "the", "to", "we"))
"""Words that add nothing to a fact."""
_PRIMARY = "Primary NAICS"
_AND = r"(?:,? and |, ?|; ?)"
_NAICS = rf"\d{{6}}(?:{_AND}\d{{6}}){{0,12}}"
_PSC = r"(?:[A-Z]\w\d\d|\d{4})"
_OTHER_NAICS = re.compile(rf"(?:[Aa]lso|[Oo]ther|[Ss]econdary|[Aa]dditional)(?: NAICS)?(?: [Cc]odes?)?:? ({_NAICS})\.?")
"""“Also 541511 and 541519,” after the primary code."""
_CODES = (
    ("UEI", re.compile(r"\b(?:UEI|Unique Entity I[Dd](?:entifier)?)\b[^\w\n]{0,6}((?=[A-Z0-9]{0,11}\d)[A-Z0-9]{12})\b")),
    ("CAGE code", re.compile(r"\bCAGE(?: [Cc]ode)?\b[^\w\n]{0,6}((?=[A-Z0-9]{0,4}\d)[A-Z0-9]{5})\b")),
    ("EIN", re.compile(r"\bEIN\b[^\w\n]{0,6}(\d{2}-\d{7})\b")),
    (_PRIMARY, re.compile(rf"\b[Pp]rimary NAICS(?: [Cc]ode)?\b[^\w\n]{{0,6}}({_NAICS})\b")),
    ("NAICS", re.compile(rf"(?<!rimary )\bNAICS(?: [Cc]odes?)?\b[^\w\n]{{0,6}}({_NAICS})\b")),
    ("PSC", re.compile(rf"\bPSC(?: [Cc]odes?)?\b[^\w\n]{{0,6}}({_PSC}(?:{_AND}{_PSC}){{0,12}})\b")),
)


def company_data(passages: Iterable[NumberedPassage]) -> list[Fact]:
    """Identifiers, codes, size, and certifications, each with its label."""
    found: dict[str, Fact] = {}
    for passage in passages:
        if passage.kind not in (DocumentKind.ABOUT_US, DocumentKind.PREVIOUS_PROPOSAL, DocumentKind.DATA):
            continue
        is_data = is_about(passage, Topic.COMPANY_DATA)
        for block in read(passage.text):
            if block.kind == BlockKind.HEADING:
                is_data = Topic.COMPANY_DATA in topics_of(block.text) or (is_data and not topics_of(block.text))
            elif block.kind == BlockKind.PAIR and not _CONTACT_LABEL.fullmatch(block.label[:60]):
                is_header = block.text.casefold() in ("detail", "details", "value", "wert", "valeur")
                if not is_header and (is_data or (_DATA_LABEL.fullmatch(block.label[:60]) and passage.kind != DocumentKind.DATA)):
                    _add_new(found, Fact(block.text, passage.number, label=block.label))
            elif passage.kind != DocumentKind.DATA and block.kind != BlockKind.PAIR:
                codes = [
                    Fact(match[1], passage.number, label=label)
                    for label, pattern in _CODES
                    if (match := pattern.search(block.text))
                ]
                is_after_primary = any(fact.label == _PRIMARY for fact in found.values())
                other = _OTHER_NAICS.fullmatch(block.text) if is_after_primary else None
                if other:
                    codes.append(Fact(other[1], passage.number, label="Additional NAICS"))
                for fact in codes:
                    _add_new(found, fact)
                if (
                    block.kind == BlockKind.SENTENCE
                    and passage.kind == DocumentKind.ABOUT_US
                    and (status := _STATUS_IN_PROSE.search(block.text))
                ):
                    _add_new(found, Fact(status.group(), passage.number, label="Status"))
                is_code = bool(other) or block.text in {fact.text for fact in codes}
                if is_data and block.kind != BlockKind.ROW and not is_code and not _is_no_data(block.text):
                    _add_new(found, Fact(block.text, passage.number, label=""))
                elif not codes and block.kind == BlockKind.LINE and _STATUS.search(block.text):
                    _add_new(found, Fact(block.text, passage.number))
                elif not codes and block.kind == BlockKind.ROW and not block.columns and _DATA_LABEL.fullmatch(block.text[:200]):
                    _add_new(found, Fact(", ".join(cell for cell in block.cells if cell), passage.number, label="Status"))
    return list(_without_repeated(list(found.values())))


def _is_no_data(text: str) -> bool:
    """Whether a line among the data of the organization is part of its contact, or about the document."""
    return _is_contact_line(text) or any(sign.search(text) for sign in (PHONE, EMAIL, _WEB, BOILERPLATE))


def _without_repeated(facts: Sequence[Fact]) -> Iterator[Fact]:
    """The facts, apart from those that repeat what labeled ones say: “CAGE code 4W9D8” below a table with it, or a second bonding with the
    same amounts."""
    labeled = [fact for fact in facts if fact.label]
    stated = frozenset[str]().union(*(_content(f"{fact.label} {fact.text}") for fact in labeled))
    for place, fact in enumerate(facts):
        is_repeated = (
            any(_is_same(fact, other) for other in facts[:place] if other.label)
            if fact.label
            else _content(fact.text) <= stated and any(_content(fact.text) & _content(other.text) for other in labeled)
        )
        if not is_repeated:
            yield fact


def _is_same(one: Fact, other: Fact) -> bool:
    """Whether two labeled facts have the same value and a word of their labels in common."""
    return bool(_content(one.label) & _content(other.label)) and _content(one.text) == _content(other.text)


def _content(text: str) -> frozenset[str]:
    words = re.findall(r"[^\W_]+", text.casefold())
    return frozenset(word.removesuffix("s") for word in words if word not in _EMPTY)


def _add_new(found: dict[str, Fact], fact: Fact) -> None:
    codes = re.findall(r"\b[A-Z0-9]{5,12}\b", fact.text)
    label = fact.label.casefold().replace("code", "").replace("codes", "").strip(" :s") or fact.text.casefold()
    is_known = any(
        label[:4] == key[:4] and set(codes) <= set(re.findall(r"\b[A-Z0-9]{5,12}\b", known.text)) and codes
        for key, known in found.items()
    )
    if label not in found and not is_known:
        found[label] = fact


def contact(passages: Sequence[NumberedPassage]) -> list[Fact]:
    """The contact: the lines under a heading “Contact”, or else labeled values, from documents about us."""
    under, labeled = list[Fact](), list[Fact]()
    for passage in passages:
        if passage.kind != DocumentKind.ABOUT_US:
            continue
        is_contact = is_about(passage, Topic.CONTACT)
        for block in read(passage.text):
            named = topics_of(block.text) if block.kind == BlockKind.HEADING else frozenset[Topic]()
            if named:
                is_contact = Topic.CONTACT in named
            elif is_contact and block.kind == BlockKind.HEADING and any(_CONTACT_DETAIL.search(fact.text) for fact in under):
                is_contact = False  # what follows the address is a different section
            elif block.kind == BlockKind.PAIR and (_CONTACT_LABEL.fullmatch(block.label[:60]) or "@" in block.text):
                (under if is_contact else labeled).append(Fact(block.text, passage.number, label=block.label))
            elif is_contact and block.kind == BlockKind.ROW:
                under += [Fact(cell, passage.number) for cell in block.cells if cell]
            elif is_contact and not (block.kind == BlockKind.PAIR and _DATA_LABEL.fullmatch(block.label[:60])):
                under.append(Fact(block.text, passage.number, label=block.label))
    reachable = [fact for fact in labeled if _CONTACT_DETAIL.search(fact.text)]
    return (under or _address_block(passages) or (labeled if reachable else []))[:8]


def _address_block(passages: Iterable[NumberedPassage]) -> list[Fact]:
    """Consecutive unlabeled lines that form a contact: a name, a phone number, an email address, a place."""
    best: list[Fact] = []
    most = _MIN_SIGNS
    for passage in passages:
        if passage.kind != DocumentKind.ABOUT_US:
            continue
        lines: list[Fact] = []
        for block in [*read(passage.text), None]:
            cells = () if block is None or block.kind in (BlockKind.HEADING, BlockKind.ITEM) else block.cells or (block.text,)
            if block is not None and block.kind == BlockKind.PAIR and as_person(block.label, 0):
                cells = (block.label, block.text)  # “Ada Example, president      603-555-0142”
            parts = [cell for cell in cells if cell and _is_contact_line(cell)]
            if parts:
                lines += [Fact(part, passage.number) for part in parts]
                continue
            signs = sum(any(sign.search(fact.text) for fact in lines) for sign in _CONTACT_SIGNS) + any(
                as_person(fact.text, 0) is not None for fact in lines
            )
            best, most = (lines, signs) if signs > most else (best, most)
            lines = []
            if block is not None and block.kind == BlockKind.SENTENCE and not best:
                # “Questions go to Ada Example, Grants Officer, 541-555-0133 or ada@example.org.”
                matches = sum(bool(sign.search(block.text)) for sign in _CONTACT_SIGNS)
                best, most = ([Fact(block.text, passage.number)], matches) if matches > most else (best, most)
    return best


def _is_contact_line(text: str) -> bool:
    is_short = len(text.split()) <= _ADDRESS_WORDS and "?" not in text and not _OTHER_CONTACT.search(text)
    return is_short and (any(sign.search(text) for sign in _CONTACT_SIGNS) or as_person(text, 0) is not None)
