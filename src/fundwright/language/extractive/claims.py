"""Distinguishes sentences about us from those about customers or obligations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from fundwright.language.value_patterns import organizations

_US = re.compile(r"\b(?:we|our|us|ours|I|my|me|wir|unser\w*|uns|ich|mein\w*|nous|notre|nos|je|mon|mes)\b", re.IGNORECASE)
_OTHERS = (
    r"agency|agencies|customers?|clients?|county|city|town|village|district|department|survey|nation|tribe|foundation|bureau|division|directorate|army|navy|air force|marine corps"
    r"|government|state|ministry|owner|board|commission|authority(?! to (?:operate|proceed|use|test)\b)|utility|sponsor|funder|grantor|vendor|incumbent|competitors?|contracting officer|command|base|installation|fort|plant|corps|library|museum|airport"
    r"|administration|association|council|program office|school|hospital|court|panel|kunde|auftraggeber|stadt|behörde|landkreis|ministerium|client|ville|ministère|commune"
)
_WE = re.compile(r"\b(?:we|our|us|ours|my|wir|unser\w*|nous|notre|nos)\b", re.IGNORECASE)
_FORM = re.compile(r",? (?:Inc|LLC|L\.L\.C|Corp|Corporation|Co|Company|Ltd|LLP|GmbH|AG)\b\.?")
_SUBJECT_IS_OTHER = re.compile(
    rf"(?:the|a|an|each|this|that|these|those|its|their|der|die|das|le|la|les|l['’])\s?(?:[\w'’&-]+\s){{0,3}}?(?:{_OTHERS})\b(?:\s[\w'’&-]+){{0,6}}",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"(?:is|are|was|were|has|have|had|runs?|uses?|used|operates?|operated|serves?|treats?|manages?|managed|oversees?|enrolls?|lacked|lacks|needs?|needed|reports?|reported|supports?|supported"
    r"|rated|said|says|wanted|required|requires|employs?|ships?|maintains?|kept|relies|relied|faced|struggled|asked|adopted|saved|will|can|could|did|does|covers|owns|houses|closed|decided"
    r"|ist|sind|hat|hatte|betreibt|nutzt|est|a|exploite|utilise)",
    re.IGNORECASE,
)
_FOLLOWS_SUBJECT = re.compile(
    r"(?:\w{3,}ed|(?!of|in)\w{3,}[^s\W]s)(?=\s(?:about|some|over|nearly|more|roughly|almost|a|an|the|its|\d))"
)
"""A verb, as in “hears about 300,000 cases”."""
_SIZE_OF_OTHERS = re.compile(
    r"the\s(?!(?:company|firm|lab|laboratory|team|crew|staff|clinic|center|program|project|practice|organization|institute)\b)"
    r"(?:[\w'’-]+\s){1,3}?(?:has|have|had|serves?|operates?|employs?|enrolls?|houses?|hears?|receives?|treats?|sees?|covers?)\s"
    r"(?:(?:about|some|over|nearly|more than|roughly|almost)\s)?\d[\d,.]*\s(?:[\w-]+\s){0,2}?"
    r"(?:beds|students|pupils|patients|residents|employees|members|inhabitants|people|households|customers|riders|cases|courts|schools|veterans|visitors|passengers|inmates|tenants|miles|acres)\b",
    re.IGNORECASE,
)
"""As in “The system has 2,900 beds.”"""
_FAILURE = re.compile(
    r"\b(?:was|were|had been|has been|have been)\s(?:(?:[\w-]+\s){1,2}(?:hours?|days?|weeks?|months?|years?)\s)?(?:missed|late|delayed|terminated|lost|rejected|overrun|behind schedule|over budget)\b|\bhad to be (?:redone|repeated|rebuilt|reworked|replaced|recalled)\b"
    r"|\blater than (?:(?:we|had|was|were|been|originally|first) ){0,4}(?:planned|scheduled|expected|agreed|promised|hoped|required|due)\b|\b(?:behind|after|past|beyond) (?:the |its |our |their )?(?:agreed |original |contract |due |planned )?(?:schedule|deadline|due date|completion date)\b"
    r"|\bdelayed (?:us |it |them |the \w+ |our \w+ )?(?:by|for|until)\b|\b(?:days?|weeks?|months?|a year|years) (?:late|overdue)\b|\bmissed (?:the|its|our|their|a|one|two|three) (?:\w+ )?(?:deadlines?|dates?|milestones?)\b"
    r"|\b(?:marginal|unsatisfactory)\b.{0,30}\bratings?\b|\b(?:rated|ratings? (?:was|of|as)) (?:\w+ ){0,2}(?:marginal|unsatisfactory)\b"
    r"|\bspäter als (?:geplant|vereinbart|vorgesehen)\b|\bverspätet\b|\bplus tard que prévu\b|\ben retard\b",
    re.IGNORECASE,
)
"""What was late, lost, or had to be repeated."""
_NEGATION = re.compile(r"\b(?:no|not|none|never|without|zero|neither|nobody|nothing)\b", re.IGNORECASE)
_QUOTATION = re.compile(
    r"\s*[\"“„«].{10,}|.*[\"”“»],? (?:said|says|wrote|reports?|according to|sagt\w*|a déclaré)\b.*", re.IGNORECASE
)
_REPORTS = re.compile(
    r"\b(?:contractors?|offerors?|vendors?|applicants?|applications?|proposals?|reviewers?|recipients?|awardees?|grantees?|bidders?|quoters?)\b.{0,60}"
    r"\b(?:shall|must|will|should|may|are required)\b|^(?:see|refer to|note|include|describe|evaluate|assess|provide|for example|please|complete this)\b(?=.{0,200}[.:]$)",
    re.IGNORECASE,
)
_IMAGINED = re.compile(
    r"\bif (?:we|I|our \w{1,20}) (?:had|held|were|owned|won|could|did)\b.{0,200}\b(?:would|could|might)\b|\b(?:would|could|might)\b.{0,200}\bif (?:we|I|our \w{1,20}) (?:had|held|were|owned|won|could|did)\b",
    re.IGNORECASE,
)
"""“If we had a dredge, we could …”"""
_OBLIGATION = re.compile(r"\b(?:shall|must|should)\b", re.IGNORECASE)
BOILERPLATE = re.compile(
    r"all rights reserved|copyright|(?-i:\([cC]\) (?:[A-Z]|(?:19|20)\d\d))|©|confidential|proprietary|table of contents|page \d+ of \d+|click here|\.{4,}|this is a sample|subject to change|do not distribute"
    r"|\bnot (?:yet )?(?:settled|decided|final|known) yet\b|\bnot yet (?:settled|decided|known)\b|\bTBD\b|to be (?:determined|written)"
    r"|see (?:separate|below|attached)|references? .{0,40}available (?:up)?on request"
    r"|\A\W*(?:last |this \w+ (?:was|is) )?(?:revised|updated|reviewed|printed|stand|mis à jour)(?: (?:last|this|in|on|every|each|le|en) .{1,20}| \w{3,9}\.?,? (?:\d{1,2}, )?\d{4}| [\d./-]{4,10})?\W*\Z|\A\W*last (?:revised|updated|reviewed)\b"
    r"|\b(?:follow|like|find|join) us on\b|\bdonate (?:at|now|today|online|here)\b|\bvisit (?:us (?:at|on|online)|our (?:web ?site|web ?page))\b|\b(?:subscribe to|sign up for) our\b|\bscan (?:the|this) (?:QR )?code\b",
    re.IGNORECASE,
)
"""Text about the document, or that asks the reader to do something: “Revised this year,” “Follow us on …”"""


_NAME_WORD = r"[A-ZÄÖÜÉÀ][\w&'’.-]{1,30}"
_VERB_AFTER_NAME = (
    r"(?:has |have |had |will |also |recently |now ){0,2}(?:is|are|was|were|has|have|had|will|won|sold|built|made|bought|took|ran|led|met|kept|began|grew|cut|put|said|says|(?:[\w-]{2,}ed|[\w-]{2,}[^s\W]s)(?= (?:a|an|the|its|their|his|her|about|some|over|more"
    r"|nearly|almost|in|at|on|for|to|by|up|out|us|our|with|from)\b| \$?\d))\b"
)
_NAMED = re.compile(
    rf"(?:[-–—] )?(?:[Tt]he )?(?P<name>{_NAME_WORD}(?: (?:(?:of|the|and|for) )?(?:{_NAME_WORD}|&)){{0,6}})(?:,? (?:Inc|LLC|Corp|Co|Ltd)\b\.?,?)? {_VERB_AFTER_NAME}"
)
"""A sentence that begins with a name and a verb."""
_ACTIVE_VERB = re.compile(_VERB_AFTER_NAME)
_LONG_NAME = re.compile(rf"(?P<first>{_NAME_WORD})(?: (?:{_NAME_WORD}|&)){{1,6}}")
_MIN_OTHERS_SHARE = 0.3
_MIN_NAME_WORDS = 2
_MIN_INITIALS = 3
_QUOTED = re.compile(r"[“\"][^”\"]{0,600}[”\"]")


@dataclass(frozen=True)
class Others:
    """Distinguishes us from others. `customers` are names as they appear in the documents."""

    company: str = ""
    customers: tuple[str, ...] = ()
    _names: frozenset[str] = field(init=False)
    _acronyms: frozenset[str] = field(init=False)
    """The initials of customers and their prefixes, such as “WFL” for “Western Federal Lands Highway Division.”"""
    _initials: str = field(init=False)
    _nouns: frozenset[str] = field(init=False)
    """The last words of customers' names: “National Interagency Support Cache” is also called “the cache”."""

    def __post_init__(self) -> None:
        names = {name.casefold() for customer in self.customers for name in _short_names(customer)}
        object.__setattr__(self, "_names", frozenset(names - {word.casefold() for word in self.company.split()}))
        parts = (part.split() for customer in self.customers for part in customer.split(","))
        nouns = {words[-1].casefold() for words in parts if len(words) > 1 and words[-1].isalpha()}
        object.__setattr__(self, "_nouns", frozenset(nouns) - _words(self.company))
        initials = _initials_of(_FORM.sub("", self.company))
        object.__setattr__(self, "_initials", initials if len(initials) >= _MIN_INITIALS else "")
        all_letters = (_initials_of(customer) for customer in self.customers)
        acronyms = {letters[:end] for letters in all_letters for end in range(_MIN_INITIALS, len(letters) + 1)}
        object.__setattr__(self, "_acronyms", frozenset(acronyms - {self._initials}))

    def is_us(self, text: str) -> bool:
        """Whether a name is ours."""
        own, words = _words(self.company), _words(text)
        return bool(own) and (
            len(own & words) >= max(1, len(own) * 0.6) or (bool(words) and words <= own) or text == self._initials
        )

    def is_our_name(self, text: str) -> bool:
        """Whether the text contains every word of our name, unlike the name of a person."""
        own = _words(self.company)
        return len(own) > _MIN_NAME_WORDS and own <= _words(text)

    def is_named_in(self, text: str) -> bool:
        """Whether the text mentions us by name, as others do."""
        first = re.match(r"[A-Z][\w-]{4,}", self.company)
        own = [re.escape(name) for name in (self._initials, first[0] if first else self.company.split(",")[0]) if name]
        return bool(own) and re.search(rf"\b(?:{'|'.join(own)})\b", text) is not None

    def is_about_others(self, sentences: Sequence[str]) -> bool:
        """Whether a whole text, such as a newspaper article, is about others: its subjects are others and never us."""
        text = _QUOTED.sub(" ", "\n".join(sentences))
        if not sentences or not self.company or _WE.search(text) or any(self.has_us_as_subject(each) for each in sentences):
            return False
        known = {found["first"] for found in _LONG_NAME.finditer(text)}
        acting = [
            found["name"]
            for sentence in sentences
            if (found := _NAMED.match(sentence)) and (" " in found["name"] or found["name"] in known)
        ]
        return len(acting) >= max(1, len(sentences) * _MIN_OTHERS_SHARE)

    def has_us_as_subject(self, text: str) -> bool:
        """Whether our name is the subject of the sentence."""
        return self._starts_with_our_name(text.split())

    def mentions_us(self, text: str) -> bool:
        """Whether the text mentions us by a pronoun or by name."""
        first = self.company.split()[0].casefold() if self.company else ""
        return bool(_US.search(text)) or (len(first) > 2 and first in text.casefold())

    def may_claim(self, text: str) -> bool:
        """Whether a draft may claim this about us."""
        if _IMAGINED.search(text) or BOILERPLATE.search(text) or _QUOTATION.fullmatch(text) or _REPORTS.search(text):
            return False
        if _OBLIGATION.search(text) and not _US.search(text):
            return False
        failure = _FAILURE.search(text)
        if failure and not _NEGATION.search(text[: failure.start()]):
            return False
        return not self.is_of_others(text)

    def is_of_others(self, text: str) -> bool:
        """Whether the subject is a customer or an authority, as in “The district enrolls 15,000 students.”"""
        words = text.split()
        if not words or _US.search(" ".join(words[:3])) or self._starts_with_our_name(words):
            return False
        if self._names and self._begins_with_customer(words):
            return True
        if _SIZE_OF_OTHERS.match(text):
            return True
        if _SUBJECT_IS_OTHER.match(" ".join(words[:12])) is None:
            return False
        if len(words) > 2 and re.fullmatch(_OTHERS, words[1], re.IGNORECASE) and _FOLLOWS_SUBJECT.match(" ".join(words[2:5])):
            return True
        # The first verb marks the end of the subject: in “The network of the district …”, the subject is not the district.
        before: list[str] = []
        for word in words[:12]:
            if _VERB.fullmatch(word.strip(",")) or (before and re.fullmatch(r"\w{3,}ed", word)):
                break
            before.append(word)
        return bool(re.search(rf"\b(?:{_OTHERS})(?:['’]s\b.*)?$", " ".join(before[:5]), re.IGNORECASE)) or len(before) <= 2

    def is_of_organization(self, text: str) -> bool:
        """Whether the subject is a named organization other than us, as in “Gopher Print & Mail printed 412,000 ballots.”"""
        first = next(organizations(text), None)
        if first is None or self.is_us(first[0]) or self.has_us_as_subject(text):
            return False
        name, end = first
        is_first = end - len(name) <= len("The ")
        return is_first and not text[end:].lstrip().startswith((",", "(", ";", ":", "–", "—", "-", ".")) and len(text) > end + 2

    def _starts_with_our_name(self, words: list[str]) -> bool:
        own = _words(self.company)
        start = words[1:3] if words and words[0].casefold() in ("the", "die", "das", "der", "le", "la") else words[:2]
        return bool(own & _words(" ".join(start))) or (bool(self._initials) and self._initials in start)

    def _begins_with_customer(self, words: list[str]) -> bool:
        start = [word.strip(",.'’").removesuffix("'s").removesuffix("’s").casefold() for word in words[:8]]
        named = " ".join(start[1:] if start[0] in ("the", "der", "die", "das", "le", "la", "les") else start) + " "
        if start[0] == "the" and len(words) > 2 and start[1] in self._nouns and words[1].islower():
            return not words[2].endswith(",") and bool(_ACTIVE_VERB.match(" ".join(words[2:5])))
        is_acronym = words[start[0] == "the" and len(words) > 1].strip(",.") in self._acronyms
        return is_acronym or any(named.startswith(f"{name} ") for name in self._names)


def _initials_of(name: str) -> str:
    return "".join(word[0] for word in re.findall(r"\b[A-Z]\w+", name))


def _words(text: str) -> set[str]:
    return {
        word
        for word in re.findall(r"\w{3,}", text.casefold())
        if word not in ("inc", "llc", "corp", "the", "and", "for", "gmbh", "ltd")
    }


def _short_names(customer: str) -> Iterable[str]:
    """“Defense Logistics Agency (DLA) Distribution” is also called “Defense Logistics Agency”, “DLA”, and its initials."""
    bare = re.sub(r"\s?\([^)]{0,40}\)", "", customer).split(",")[0].split(" - ")[0].strip()
    yield bare
    yield from re.findall(r"\(([A-Z][A-Za-z&]{1,9})\)", customer)
    yield from re.findall(r"\b[A-Z]{2,6}\b", customer)
    letters = "".join(word[0] for word in re.findall(r"\b(?:U\.S\.|[A-Z]\w+)", bare))
    if len(letters) > 2:
        yield letters
    if is_firm := re.fullmatch(r"([A-Z][a-z]{3,20}) .{0,60}(?:Inc|Co|Corp|LLC|Ltd|Company)\.?", bare):
        yield is_firm[1]  # “Hollis Cement Co.”
    if bare.startswith("U.S. "):
        yield "US" + "".join(word[0] for word in re.findall(r"\b[A-Z]\w+", bare[5:]))


def named_customers(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if 2 < len(name) < 120))
