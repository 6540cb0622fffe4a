"""What labels and names of columns mean, by their words, in English, German, and French."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal

from fundwright.reading.facts import FactField

_WORD = re.compile(r"[^\W\d_]+|#|\$")
_MOST_WORDS = 5

STATE: Final = "state"
"""The meaning of labels such as “Status” and “Remarks.”"""
Meaning = FactField | Literal["state"]
Meanings = Sequence[tuple[Meaning | None, frozenset[str]]]
"""What a label with any of these words means; the first entry that fits decides. None means nothing that is a fact."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STATUS = (
    STATE,
    _words("status state stage remark remarks note notes condition comment comments disposition bemerkung remarques"),
)
_DETAILS = _words("tel telephone phone cell mobile fax email mail telefon téléphone courriel web website url")
_REFERENCES = _words("contact poc rep representative reference references cor officer evaluator ansprechpartner ref")
_VALUE = _words(
    "value worth much amount price cost costs funding budget total fee fees sum $ dollars awarded obligated ceiling wert summe volumen auftragswert montant valeur"
)
_PERIOD = _words(
    "period pop date dates term duration start begin end completed completion year years from when runs zeitraum laufzeit période durée"
)
ENDS = (_words("start begin from started"), _words("end completion ended until"))
"""Words of the labels of the first and the last day of a period."""
_CUSTOMER = _words(
    "customer client owner agency paid payer whom buying procuring issuing awarding funder sponsor grantor buyer auftraggeber kunde bailleur donneur"
)
_NUMBER = _words("no nos nr num number # id piid fain po numéro nummer")
_ROLE = _words("role position function job rolle funktion fonction")

PROJECT: Meanings = (
    _STATUS,
    (None, _DETAILS | _REFERENCES | _words("type complexity subcontracted signature prime contractor offeror bidder vendor")),
    (FactField.RATING, _words("rating ratings cpars cpar bewertung")),
    (FactField.CONTRACT, _NUMBER),
    (FactField.VALUE, _VALUE),
    (FactField.PERIOD, _PERIOD),
    (None, _ROLE),
    (FactField.CUSTOMER, _CUSTOMER),
    (
        FactField.WORK,
        _words(
            "scope description work services service result results outcome outcomes what did done came found tasks summary leistung ergebnis"
        ),
    ),
    (FactField.TITLE, _words("title project program study item name task titel projekt intitulé projet")),
    (FactField.CONTRACT, _words("contract grant agreement order vertrag marché")),
    (FactField.VALUE, _words("award")),
)
PERSON: Meanings = (
    _STATUS,
    (None, _DETAILS | _words("lapsed user customer value contract reference references languages consulting")),
    (FactField.ROLE, _ROLE | _words("title appointment does seat")),
    (
        FactField.QUALIFICATIONS,
        _words(
            "education school tickets papers background degree degrees license licenses licensure registration registrations certification certifications certs cert certificates training exp"
            " experience years yrs clearance board credentials qualifications ausbildung abschluss diplôme formation"
        ),
    ),
    (FactField.NAME, _words("name employee who person staff nom")),
)
OTHERS = _words("agency client contact customer funder letter partner reference references school signed")
"""Words of labels of what is about other organizations and their people."""
DETAIL = _words(
    "uei cage ncage naics psc sic ein tin duns size gsa license licenses employees staff founded established incorporated headquarters office address commons"
    " sbc sam entity legal applicant vehicle vehicles bonding certification certifications certified socioeconomic setaside clearance"
    " iso status registration registrations unternehmensform mitarbeitende gegründet siret siren effectif"
)
"""Words of labels of data about an organization."""
REGISTRATION = _words("uei unique cage ncage naics ein tin duns siret")
"""Those of numbers under which an organization is registered."""
CERTIFICATIONS = _words(
    "8(a) hubzone wosb edwosb sdvosb vosb sdb dbe mbe wbe women-owned woman-owned veteran-owned minority-owned as9100 as9120"
    " nadcap cmmi cmmc itar fedramp aaalac clia aashto"
)
"""Words of certifications and accreditations of organizations."""
EXPIRES = _words("expires expiration expiry expiring exp valid through thru until gültig ablauf validité échéance")
"""Words of labels of the date until which something is held."""
CERTIFICATION = _words(
    "certification certifications certificate credential designation license registration zertifizierung certificat"
)
_FILLERS = _words(
    "of the and or our final original total code codes unique entity id business company point performance primary current proposed"
    " yrs rate type class tax prime sub program work phone s"
)
_KNOWN: frozenset[str] = frozenset().union(DETAIL, _FILLERS, *(words for _, words in (*PROJECT, *PERSON)))


def is_number(label: str) -> bool:
    return bool({*words_of(label)} & _NUMBER)


_CEILING = _words("ceiling maximum max potential")


def is_ceiling(label: str) -> bool:
    """Whether an amount with this label is the most that there can be, and not what there was."""
    return not _CEILING.isdisjoint(words_of(label))


def words_of(label: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(label)]


@lru_cache(maxsize=8_192)
def meaning_of(label: str, *, is_person: bool = False) -> Meaning | None:
    """What the value of a label of a project, or of a person, is. None if the label is not known, or its value is no fact."""
    words = {*words_of(label)}
    if words == {"for"}:
        return FactField.CUSTOMER
    return next((field for field, named in (PERSON if is_person else PROJECT) if words & named), None)


def is_known(label: str, *, is_person: bool = False) -> bool:
    """Whether `meaning_of` knows a label, also one whose value is no fact."""
    words = {*words_of(label)}
    return any(words & named for _, named in (PERSON if is_person else PROJECT))


@lru_cache(maxsize=8_192)
def is_label(text: str) -> bool:
    """Whether a short text consists of words of labels, so that what follows it is its value."""
    words = words_of(text)
    is_short = 0 < len(words) <= _MOST_WORDS and any(map(str.isalpha, words))
    return is_short and all(word in _KNOWN for word in words) and not {*words} <= _FILLERS
