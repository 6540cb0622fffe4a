"""Recognizes values by their form alone: money, a period, a contract number, an organization.

The form identifies a value that has no label or an unknown one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

MONEY = re.compile(
    r"[$€£]\s?\d[\d.,]{0,15}(?:\s?(?:K|M|B|k|m|thousand|million|billion|Mio\.?)\b)?|\b\d[\d.,]{2,15} (?:EUR|USD|Euro|dollars)\b"
)
_MONTH = (
    r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Mär|Mai|Okt|Dez|janv|févr|mars|avr|juin|juil|août|déc)[a-zé]{0,8}\.?"
)
_YEAR = r"(?:(?:19|20)\d\d|['’]\d\d)"
_DAY = (
    rf"(?:{_MONTH},? (?:\d{{1,2}},? )?{_YEAR}|\d{{1,2}}\.? {_MONTH} {_YEAR}|\d{{1,2}}[/.-](?:\d{{1,2}}[/.-])?(?:{_YEAR}|\d\d)\b"
    rf"|(?:19|20)\d\d-\d\d(?:-\d\d)?\b|(?:FY ?|Q[1-4] |spring |summer |fall |autumn |winter |early |late )?{_YEAR}|FY ?\d\d)"
)
_OPEN = r"(?:present|ongoing|now|current|today|date|heute|laufend|aujourd'hui)"
PERIOD = re.compile(
    rf"\b(?:{_DAY}|{_MONTH}(?: \d{{1,2}})?)\s?(?:[-–—/→]|to|through|thru|until|till|and|bis|à)\s?(?:{_DAY}|{_OPEN}\b|\d\d\b)",
    re.IGNORECASE,
)
"""From one day to another, as in “from May 2021 through April 2025”."""
FINISHED = re.compile(
    rf"\b(?:completed|finished|delivered|closed out|ended|commissioned)(?: (?:in|on|by))? (?P<day>{_DAY})", re.IGNORECASE
)
BEGUN = re.compile(rf"\b[Ii]n {_MONTH} {_YEAR}")
"""As in “In April 2022 the commissioners hired us.”"""
SINCE = re.compile(rf"\b(?:since|seit|depuis)\s{_DAY}", re.IGNORECASE)
_CODE = r"(?:[A-Z]{2,8}[ -])?(?=[\w./-]{0,24}\d)[A-Z0-9][\w/-]{0,24}(?:\.\w{1,6}){0,2}\w"
NUMBER = re.compile(
    rf"\b(?:(?:[Ss]ub)?[Cc]ontract|(?:sub)?award|grant|agreement|(?:task|purchase|delivery|work) order|PO|BPA|IDIQ|PIID|FAIN)"
    rf"(?:\s(?i:no|nr|num|number|ID)\b\.?|\s?#)?(?:\s(?:is|was)(?=\s\S{{0,24}}[A-Z-]))?[ :,]{{0,2}}\s?\(?(?P<code>{_CODE})",
)
"""The number of a contract after the word for it."""
PIID = re.compile(r"\b(?P<code>(?=[A-Z\d]{0,5}\d)[A-Z\d]{6}-?\d\d-?[A-Z]-?[A-Z\d]{4})\b")
"""The number of a federal contract by its form (FAR 4.1603): agency, year, kind, and serial number."""
_ORGANIZED = re.compile(
    r"Departments?|Dept|Agency|Administration|Bureau|Offices?|Services?|Institutes?|University|College|Schools?|Districts?|County|City|Town|Township|Village|Borough|Parish"
    r"|State|Commonwealth|Commission|Comm|Authority|Board|Foundation|Council|Corps|Army|Navy|Command|Center|Centers|Hospital|Hospitals|Clinic|Clinics|Nation|Tribe|Tribes|Band|Ministry|Association"
    r"|Company|Co|Inc|LLC|Corp|Corporation|Trust|Fund|Network|Coalition|Society|System|Systems|Library|Museum|Port|Airport|Laboratory|Laboratories|Base|Guard|Division|Directorate|Partnership"
    r"|Cooperative|Co-op|Alliance|Consortium|Utilities|Utility|Works|Courts?|Elections|Health|Survey|Reclamation|Courthouse|Academy|Builders|Contractors|Constructors|Construction|Engineers"
    r"|Ministerium|Amt|Stadt|Landkreis|Ville|Mairie|Ministère|Region|Wildlife|Forest|Park|Parks|NASA|NOAA|USDA|EPA|USGS|NIH|NSF|HRSA|CDC|FEMA|GSA|USACE|NAVFAC|DOE|DOT|HUD|DHS|VA|NPS|BLM|USAID"
)
_A_PERSON = re.compile(
    r"Engineer|Manager|Director|Officer|Chief|Inspector|Superintendent|Specialist|Coordinator|President|Engineers? Lead"
)
_WINDOW = 40
_OTHER_MONEY = re.compile(
    r"\b(?:match|sav\w+|fee(?!s(?: of)? \Z)|deposit|fine|revenue|budget of|statewide|invoiced so far|moved|penalt\w+|cut|reduc\w+|ceiling of|administered|worth of|less than|up to|pay|given|gave away|invest\w*|endow\w*|build|line)[^.;]{0,30}$",
    re.IGNORECASE,
)
_OTHER_MONEY_AFTER = re.compile(
    r"\s?(?:statewide|an hour|per hour|/h|an? \w+ (?:fine|penalty)|of (?:savings|damage)|(?:in|of) (?:savings|revenue|assets))",
    re.IGNORECASE,
)
_PER_YEAR = re.compile(r" (?:a|per) (?:year|month)|/yr\.?", re.IGNORECASE)
_FORM = re.compile(r"(?:Inc|LLC|Corp|Co|Ltd|LLP|L\.L\.C|GmbH)\.?")
_AROUND = 160
_IS_CUSTOMER = re.compile(
    r"[^.\n(]{0,60}\((?:the|our|end)? ?(?:customer|client|owner|sponsor|funder|agency)\)|['’]?s?,? (?:sponsored|funded|awarded|hired|gave us|bought|paid|engaged|contracted)\b",
    re.IGNORECASE,
)
_IS_BIDDER = re.compile(
    r"['’]?s?(?: price| bid| quote)? (?:also )?(?:bid|wanted|quoted|asked|offered|lost|came in|was (?:higher|lower))\b",
    re.IGNORECASE,
)
_PAYS_BEFORE = re.compile(
    r"\b(?:for|from|with|by|customer|client|sponsor|funder|owner|agency|grantor|paid|to)(?: the)?[\s:|,–-]{0,20}$", re.IGNORECASE
)
_JOINING = frozenset(("of", "and", "for", "the", "&", "on", "at", "de", "des", "du", "für", "der", "des"))
_NO_NAME = frozenset(
    [
        "the",
        "a",
        "an",
        "this",
        "that",
        "these",
        "those",
        "in",
        "on",
        "at",
        "by",
        "for",
        "from",
        "to",
        "of",
        "and",
        "our",
        "we",
        "its",
        "it",
        "he",
        "she",
        "they",
        "their",
        "between",
        "during",
        "after",
        "before",
        "since",
        "under",
        "with",
        "when",
        "where",
        "as",
        "while",
        "each",
    ]
)
_WORD = re.compile(r"[^\s,;:()\"“”|\[\]]+|[,;:()\"“”|\[\]]")


def organizations(text: str) -> Iterator[tuple[str, int]]:
    """Return the names of organizations, each with the position where it ends."""
    name: list[re.Match[str]] = []
    words = [*_WORD.finditer(text), None]
    for word, after in zip(words, [*words[1:], None], strict=True):
        if name and word is not None and word[0] == "," and after is not None and _FORM.fullmatch(after[0]):
            continue
        if word is not None and (_is_name(word[0]) or (name and word[0] in _JOINING)):
            name.append(word)
            if word[0].endswith(".") and not re.fullmatch(r"(?:[A-Z]|U\.S|Inc|Co|Corp|Dept|Comm|St|Ft|Mt|No)\.", word[0]):
                yield from _named(name)
                name = []
            continue
        yield from _named(name)
        name = []


def _is_name(word: str) -> bool:
    return word[0].isupper() and any(map(str.isalpha, word))


def _named(name: list[re.Match[str]]) -> Iterator[tuple[str, int]]:
    while name and (name[0][0].casefold() in _NO_NAME):
        name = name[1:]
    while name and name[-1][0] in _JOINING:
        name = name[:-1]
    words = [word[0].rstrip(".").removesuffix("'s").removesuffix("’s") for word in name]
    is_one = bool(words) and (len(words) > 1 or words[0].isupper()) and not _A_PERSON.fullmatch(words[-1])
    is_bare = all(_ORGANIZED.fullmatch(word) or word in _JOINING for word in words) and any(word in _JOINING for word in words)
    if is_one and not is_bare and any(_ORGANIZED.fullmatch(word) for word in words):
        start, end = name[0].start(), name[-1].end()
        text = name[0].string[start:end]
        yield text.removesuffix("'s").removesuffix("’s").rstrip("."), end


def price_of(text: str) -> str:
    """Return the amount paid for the work in a sentence, or '' if it mentions other money."""
    for found in MONEY.finditer(text):
        around = text[max(0, found.start() - _WINDOW) : found.start()], text[found.end() : found.end() + _WINDOW // 2]
        if not _OTHER_MONEY.search(around[0]) and not _OTHER_MONEY_AFTER.match(around[1]):
            per = _PER_YEAR.match(around[1])
            return found.group().rstrip(" ,.") + (per.group() if per else "")
    return ""


def customer_of(text: str, is_us: Callable[[str], bool] = lambda _: False) -> str:
    """Return the organization that most likely pays for the work in the text, or '' if none is named."""
    best, most = "", 0.0
    for place, (name, end) in enumerate(organizations(text)):
        if is_us(name) or _IS_BIDDER.match(text[end : end + _AROUND]):
            continue
        before, after = text[max(0, end - len(name) - _AROUND) : end - len(name)], text[end : end + _AROUND]
        sentence = before.rpartition(". ")[2] + " " + after.partition(". ")[0]
        points = (
            (2.0 if _IS_CUSTOMER.match(after) else 0.0)
            + (1.0 if _PAYS_BEFORE.search(before) else 0.0)
            + (1.0 if MONEY.search(sentence) or NUMBER.search(sentence) or PERIOD.search(sentence) else 0.0)
            + 0.5
            - 0.1 * min(place, 4)
        )
        if points > most:
            best, most = name, points
    return best
