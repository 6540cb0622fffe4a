"""Finds the statement of a passage that answers a question, and decides whether any does.

A passage of 180 words that answers in one sentence is hardly more similar to the question than one that does not answer it; the
sentence is. A heading is similar to any question about its subject but answers little, so it counts for the text below it and is no
answer itself. `make eval ONLY=asking` measures this with questions about the sample and about the invented firms of tests/firms.
With MiniLM, the weights below, chosen on these questions, put the expected statement first for 57 of 64 questions (sentences and
headings alone: 47). Of 42 questions that the documents do not answer, 3 get an answer (7 before an answer had to name the quantity
or abbreviation in the question).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from fundwright.core.messages import t
from fundwright.language.extractive.claims import Others
from fundwright.language.extractive.people import DEGREE
from fundwright.language.protocols import Vectors
from fundwright.language.schemas import DocumentKind, heading_text, nearest_heading
from fundwright.language.structure import MAX_CHARACTERS, Block, BlockKind, read
from fundwright.language.topics import Topic, topics_of
from fundwright.language.units import spell_out_label, spell_out_units
from fundwright.reading.lines import Aside
from fundwright.reading.symbols import CHECKED, UNCHECKED
from fundwright.training import naming
from fundwright.training.identifiers import Identifier, identifiers_in
from fundwright.training.listings import RequestedList, requested_list
from fundwright.training.schemas import Answer, Passage

MIN_RELEVANCE = 0.335
_LEAST_OF_BEST = 0.65
"""The least relevance of an answer as a share of the best one's. Next to a clear answer, passages that only mention its subject are
left out."""
_ENDS = (".", "!", "?", "…", ".”", '."')
_SENTENCE_MEANING, _FRAGMENT_MEANING = 0.8, 0.5
"""The weight of meaning; the rest is the weight of words."""
_HEADING_WEIGHT = 0.15
_ANSWERS_HEADING = 0.9
"""The text below a heading that is a question has at least this share of the relevance of the heading."""
_NAMED = 0.2
"""Added if a heading or label names what the question asks for."""
_LISTED = 0.4
"""Added if a heading or label names the list that the question asks for."""
_OF_OTHERS = 0.15
"""Subtracted from a notice, a policy, or a sentence about a customer if the question is about us."""
_NO_QUANTITY = 0.07
"""Subtracted from a statement without a number, amount, or date if the question asks for one."""
_NO_TIME = 0.15
"""Subtracted from a statement without a date, a time, or a speed if the question asks when, how long, or how fast: “24/7 service
desk for 4,800 users.”"""
_NO_QUANTITY_SHOWN = 0.3
"""Subtracted in addition when compared with other statements of the passage: “Client: Oneida Nation” leads to the row with the
amount."""
_FAILURE_WEIGHT = 0.2
"""Added to a statement that reports a failure if the question asks what went wrong."""
_REASON_WEIGHT = 0.1
"""Added to a statement with a reason if the question asks why."""
_US = re.compile(r"\b(?:we|our|us|I|my|wir|uns\w*|ich|mein\w*|nous|notre|nos|je|mon|mes)\b", re.IGNORECASE)
_COMPANY_DATA = re.compile(
    r"^(?!.*\b(?:what|who) (?:is|are) an?\b).*\b(?:UEI|unique entity id\w*|CAGE|DUNS|EIN|legal (?:business )?name)\b",
    re.IGNORECASE,
)
"""What is registered about an organization. “What is a UEI?” does not ask for ours."""
_ASKS_FAILURE = re.compile(
    r"\b(?:w[eo]nt wrong|go(?:es)? wrong|late|later|delay(?:s|ed)?|behind schedule|overdue|verspätet|verzögert|en retard|problems?|difficult\w+|challenges?|lessons?|learn(?:ed|t)?|mistakes?|fail\w*|obstacles?|setbacks?|trouble"
    r"|schief\w*|probleme?|schwierig\w+|herausforderung\w*|fehler|gelernt|problèmes?|difficultés?|défis?|erreurs?|leçons?|appris)\b",
    re.IGNORECASE,
)
"""Questions about challenges seldom use the words of headings."""
_FAILURE_WORDS = "problems, failures, damage, delays, warranty, retrained, lessons learned"
_FAILED = re.compile(
    r"\b(?:failed|failures?|missed|late|later than|delay\w*|retrain\w*|under warranty|lessons?|learned|had to be|damaged?|outages?|defect\w*|rework\w*|broke|broken|errors?|mistakes?"
    r"|problems?|challenges?|difficult\w*|setbacks?|overran|stolen|vandal\w*|versagt\w*|ausgefallen|verspätet|beschädigt\w*|mangel\w*|gelernt|probleme?"
    r"|échoué\w*|retards?|endommagé\w*|défaut\w*|problèmes?|leçons?)\b",
    re.IGNORECASE,
)
_ASKS_REASON = re.compile(r"\b(?:why|how come|warum|weshalb|wieso|pourquoi)\b", re.IGNORECASE)
_REASON = re.compile(
    r"\b(?:because|due to|owing to|as a result of|weil|wegen|aufgrund|parce qu\w*|en raison|à cause)\b", re.IGNORECASE
)
_COMPLETED = re.compile(
    r"\b(?:completed?|finished|previous|prior|earlier|past|abgeschlossen\w*|frühere\w*|achevé\w*|terminé\w*|antérieur\w*)\b",
    re.IGNORECASE,
)
_PROJECTS = re.compile(
    r"\b(?:grants?|projects?|contracts?|awards?|studies|support|projekte?|aufträge?|projets?|contrats?|subventions?)\b",
    re.IGNORECASE,
)
_OBLIGED = re.compile(
    r"\b(?:must|have to|required?|requirements?|due|deadlines?|submit\w*|eligib\w*|limits?|apply|muss|müssen|fristen|frist|einreich\w*|devons|délais?)\b",
    re.IGNORECASE,
)
"""Questions about our obligations, which are in notices."""
_ASKS_AMOUNT = re.compile(
    r"\b(?:how much (?:was|is|were|did|does|do|money|funding)|worth|costs?|value|price|revenue|budget|wie teuer|kosten|wert|umsatz|combien coûte|prix|valeur)\b",
    re.IGNORECASE,
)
_ASKS_NUMBER = re.compile(
    r"\b(?:how (?:many|much|long|fast|big|large|old|far|often|high|quickly|soon)|what (?:share|percentage|percent|rate)|wie ?viele?|wie (?:lange|schnell|groß|oft|hoch)"
    r"|combien|quelle part)\b",
    re.IGNORECASE,
)
_ASKS_DATE = re.compile(r"\b(?:when|(?:what|which) (?:year|month|date)|wann|quand|en quelle année)\b", re.IGNORECASE)
_AMOUNT = re.compile(r"[$€£]\s?\d|\d\s?(?:%|percent|prozent)|\b(?:USD|EUR|dollars?)\b")
_ASKS_DURATION = re.compile(
    r"\bhow (?:long|fast|quickly|soon|far ahead)\b|\bwie (?:lange|schnell|bald)\b|\ben combien de temps\b", re.IGNORECASE
)
_DURATION = re.compile(
    r"\b(?:\d[\d,.]{0,15}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|deux|trois|quatre|cinq|sept|huit|neuf|dix)"
    r"[\s-](?:\w{1,30}[\s-])?(?:s|sec|seconds?|min|minutes?|h|hours?|days?|weeks?|months?|years?|sekunden?|minuten?|stunden?|tagen?|wochen?|monaten?|jahren?"
    r"|secondes?|heures?|jours?|semaines?|mois|ans|années?|knots?|mph|km/h|m/s|[kmg]bps|knoten|nœuds?)\b|\d\d/\d{4}\s*[-–]",
    re.IGNORECASE,
)
_DATE = re.compile(
    rf"\b(?:1[89]|20)\d\d\b|\b\d{{1,2}}[./]\d{{1,2}}\b|\b(?:jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|o[ck]t|nov|de[cz]|janv|févr|avr|juin|juil|août|déc)[a-zé]{{0,7}}\b|{_DURATION.pattern}",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|half|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|deux|trois|quatre|cinq|six|sept|huit|neuf|dix)\b",
    re.IGNORECASE,
)
_QUANTITIES = tuple(
    (re.compile(asks, re.IGNORECASE), re.compile(named, re.IGNORECASE))
    for asks, named in (
        (
            r"\b(?:revenue|turnover|sales|umsatz|chiffre d.affaires)\b",
            r"\b(?:revenues?|turnover|sales|receipts|umsatz|chiffre d.affaires)\b",
        ),
        (
            r"\b(?:(?:hourly|labor|billing|indirect|overhead|interest)\W+(?:\w+\W+)?rates?|stundensatz|taux horaire)\b",
            r"\b(?:rates?|hour|hourly|percent|per|stundensatz|satz|taux|tarif)\b|%",
        ),
        (r"\b(?:salary|salaries|wages?|gehalt|salaire)\b", r"\b(?:salary|salaries|wages?|gehalt|salaire)\b"),
        (r"\b(?:profit|margin|gewinn|bénéfice)\b", r"\b(?:profit|margin|gewinn|bénéfice)\b"),
    )
)
"""Quantities, and the words for them in an answer: the amount of a contract is not revenue."""
_NOT_NAMED = 0.2
"""Subtracted from a statement that does not name the quantity, abbreviation, or role in the question."""
_ASKS_COUNT = re.compile(r"\b(?:how many|how much|wie ?viele?|combien)\b", re.IGNORECASE)
_ASKED_ROLE = re.compile(
    r"\bwho(?:['’]s| is| are) (?:our|the|your) ([^?,.]{3,60}?)(?=[?,.]|$| (?:at|in|from|on|under|within)\b)", re.IGNORECASE
)
_COUNT = re.compile(r"(?:[^\W\d]{1,30} ){0,2}\d[\d,.]{0,15}(?: [^\W\d]{1,30}){0,2}")
_COUNTED = 0.05
"""Added if a number is next to the noun that is counted, as in “groups of 12.”"""
_STEM = 5
_ASKS_WHICH = re.compile(
    r"\W{0,20}(?:what|which|how|who|whom|whose|when|where|why|list|welche\w*|was (?:ist|sind|war|wird|kann|können|hat|haben|macht|bedeutet)|wie\w*|wer|wem|wann|wo|warum|weshalb|quel\w*|comment|combien|qui|quand|où|pourquoi)\b",
    re.IGNORECASE,
)
"""Questions that a box cannot answer."""
_OF_BOX = 0.3
"""Added to a box that the question names."""
_SAYS_LITTLE = re.compile(
    r"an?|and|or|of|the|is|are|was|were|has|have|had|does?|did|can|if|that|this|in|for|with|to|on|by|as|at|any|it|its|we|our|us|you|your|check|here|box"
    r"|firms?|compan(?:y|ies)|organizations?|contractor|offeror|applicant"
    r"|und|oder|de[rsmn]|die|das|ein\w*|ist|sind|war|haben?|hat|wir|uns\w*|sie|ihr\w*|von|für|mit|firma|unternehmen\w*"
    r"|et|ou|les?|la|une?|du|des|est|sont|avons|avez|nous|notre|nos|vous|votre|entreprise|société"
)
"""Words that do not tell what a box is about."""
_OF_ANY_BOX = frozenset(("certi", "zerti", "regis", "statu"))
"""The beginnings of words that a question may add to the label of a box."""
_ABBREVIATION = re.compile(r"\b[A-Z]{3,8}\b")
_MAX_ABBREVIATIONS = 5
_SYLLABLE = 3
"""The least number of letters with which an abbreviation such as NAVSUP begins each of its words."""
_NAME = re.compile(r"(?<=\s)[A-ZÄÖÜ][\w'’-]{1,30}(?:\s[A-ZÄÖÜ][\w'’.-]{0,30}){1,4}")
"""The name of a person or project in a question."""
_MAX_NAMES = 5
_ASKS_CONTACT = re.compile(
    r"\b(?:contacts?|poc|reach|call|phone|telephone|number|e-?mail|mail|write|address|kontakt\w*|erreich\w*|telefon\w*|adresse|joindre|téléphone|courriel)\b",
    re.IGNORECASE,
)
_ASKS_PERSON = re.compile(
    r"\b(?:point of contact|contact person|poc|who\b.{1,30}\bcontact|ansprechpartner\w*|kontaktperson|interlocut\w*)\b",
    re.IGNORECASE,
)
_CONTACT_DETAIL = re.compile(r"\S@\S{2,60}\.\w{2}|\d{3}\)?[ .-]\d{3}[ .-]\d{4}")
_OF_CONTACT = 0.3
"""Subtracted from the line with a person's phone number or email address if the question about the person asks for something else.
"""
_ASKS_DEGREE = re.compile(
    r"\b(?:degrees?|stud(?:y|ied)|educat\w+|graduat\w+|diplomas?|abschl[uü]ss\w*|studier\w*|diplômes?|étudié)\b", re.IGNORECASE
)
_EXCEPTS = re.compile(
    r"(?:but|except|however|instead|otherwise|unless|aber|außer|jedoch|sonst|cependant|excepté|mais|sauf|sinon|toutefois)\b",
    re.IGNORECASE,
)
"""Begins a sentence that is compared together with the one before it, which says what it is an exception to."""
_BETWEEN = r"[\s-]+(?:(?:of|and|the|for|to|in|per|&)[\s-]+)?"
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n")
_ALONE = (BlockKind.HEADING, BlockKind.ROW, BlockKind.ITEM)
"""Kinds of blocks that are records of their own."""
_OF_NAMED, _NOT_OF_NAMED = 0.2, 0.5
"""Added to a statement about the names in the question, and subtracted from others; only half of it is subtracted if the document
mentions the names."""
_IDENTIFIED = 1.0
"""Added to a statement that an identifier in the question names, and subtracted from one that another of the same form names."""
_OF_RECORD = 0.9
"""The share of a record's rating that its other statements get."""
_BEGINNING = 300
"""The number of first characters of a document that show what it is about."""
_PART = re.compile(
    r"[,;]?(?<!\s)\s+(?:and|und|et)\s+(?=(?:what|how|when|who|where|which|why|for how|at what|was|wie|wann|wer|wo|welche\w*|combien|quand|qui|où|quel\w*)\b)|[?;.]\s+",
    re.IGNORECASE,
)
_MAX_PARTS, _PART_WORDS = 3, 3
_MOST_SHOWN = 600
"""The maximum number of characters from the answer to one part of a question to the answer to another."""


_NO_OTHERS = Others()


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence, an item, a row, a labeled value, or a whole list of a passage, with its position there and the heading above it."""

    passage: int
    start: int
    end: int
    text: str
    heading: str
    label: str
    record: int
    """The index, within the passage, of the row, item, paragraph, or group of labeled values that contains it."""
    is_sentence: bool
    identified: tuple[float, ...] = ()
    """The rating for each identifier in the question."""
    is_requested_list: bool = False
    """Whether it is the list that the question asks for."""
    is_checked: bool | None = None
    """Whether it is the label of a box that is checked. None if it is no box."""
    box: str = ""
    """The label of a box, or of a row that is answered with no."""
    names_box: bool = False
    """Whether the question names it."""


def statements_in(passages: Sequence[Passage], question: str, *, most: int) -> list[Statement]:
    """Return every statement that may answer the question, from at most this many passages: those that have the identifiers in the
    question, and then the first."""
    found: list[Statement] = []
    question_words, wanted, identifiers = _words(question), requested_list(question), identifiers_in(question)
    for index, passage in enumerate(passages):
        if passage.aside is Aside.BOX:
            found += _boxes_of(passage, index, identifiers)
            continue
        statements = _statements_of(passage, index, question_words, identifiers)
        found += statements
        if wanted and passage.document_kind.is_ours and passage.document_kind != DocumentKind.RESUME:
            found += _requested_lists(statements, wanted)
    found = [each for each in _named_boxes(question, found) if each.names_box or passages[each.passage].aside is not Aside.BOX]
    ratings: dict[int, float] = {}
    for each in found:
        ratings[each.passage] = max(sum(each.identified), ratings.get(each.passage, 0.0))
    best = sorted(ratings, key=lambda passage: -ratings[passage])[:most]
    return [each for each in found if each.passage in best]


def _statements_of(
    passage: Passage, index: int, question_words: frozenset[str], identifiers: Sequence[Identifier]
) -> list[Statement]:
    found: list[Statement] = []
    heading, heading_line = nearest_heading(passage.heading), ""
    above: Block | None = None
    for record, block in _in_records(passage.text):
        begin = max(passage.text.rfind("\n", 0, block.start) + 1, above.end if above else 0)
        line, headings = passage.text[begin : block.end], passage.place_at(block.start)[0]
        text = f"{block.label}: {block.text}" if block.label else block.text
        if block.kind == BlockKind.HEADING or text in headings or text.endswith("?"):
            if found and above and _is_title_of(passage.text, above, block):
                found = [replace(each, heading=text) if each.record == found[-1].record else each for each in found]
            heading, heading_line = block.text, line
        elif (is_checked := passage.text[: block.start].endswith(f"{CHECKED} ")) or not _repeats(text, question_words):
            is_sentence = block.kind == BlockKind.ITEM or (block.kind == BlockKind.SENTENCE and text.endswith(_ENDS))
            text, start = _in_words(block), block.start
            box = text if is_checked else ""
            if above and found and found[-1].end == above.end and found[-1].is_sentence and _EXCEPTS.match(text):
                text, start = f"{found[-1].text} {text}", found[-1].start
            ratings = tuple(each.rating(block, line, (*headings, heading_line)) for each in identifiers)
            found.append(
                Statement(
                    index,
                    start,
                    block.end,
                    text,
                    heading,
                    block.label,
                    record,
                    is_sentence,
                    ratings,
                    is_checked=is_checked or None,
                    box=box,
                )
            )
        above = block
    return found


def _boxes_of(passage: Passage, index: int, identifiers: Sequence[Identifier]) -> Iterator[Statement]:
    """The boxes of a passage that are not checked, and its rows that are answered with no: each is a line."""
    for record, line in enumerate(re.finditer(r"\S[^\n]*", passage.text)):
        is_box = line[0].startswith(UNCHECKED)
        text = line[0].removeprefix(UNCHECKED).strip()
        start, end, headings = line.end() - len(text), line.end(), passage.place_at(line.start())[0]
        block = Block(BlockKind.ITEM, text, start, end)
        yield Statement(
            index,
            start,
            end,
            text,
            nearest_heading(headings),
            label="",
            record=record,
            is_sentence=False,
            identified=tuple(each.rating(block, line[0], headings) for each in identifiers),
            is_checked=False if is_box else None,
            box=text if is_box else text.rpartition(":")[0],
        )


def _named_boxes(question: str, statements: Sequence[Statement]) -> list[Statement]:
    """The statements. The boxes that the question names are marked: it has all words of the label, or a word that no other label has and most
    of the label's words or no others."""
    if _ASKS_WHICH.match(question):
        return list(statements)
    labels = [_subject(each.box) for each in statements]
    counts = Counter(word for label in set(labels) for word in label)
    asked = _subject(question)

    def names(label: frozenset[str]) -> bool:
        shared = label & asked
        is_only_one = any(counts[word] == 1 for word in shared - _OF_ANY_BOX)
        return bool(label) and (
            label <= asked or (is_only_one and (2 * len(shared) > len(label) or asked - _OF_ANY_BOX <= label))
        )

    return [replace(each, names_box=names(label)) for each, label in zip(statements, labels, strict=True)]


def _subject(text: str) -> frozenset[str]:
    """The beginnings of the words that tell what a question or the label of a box is about."""
    return frozenset(word[:_STEM] for word in _words(text) if not _SAYS_LITTLE.fullmatch(word))


def _is_title_of(text: str, record: Block, heading: Block) -> bool:
    """Whether an apparent heading is the last line of a record of labeled values, which it names."""
    is_beside = record.kind == BlockKind.PAIR and not _BLANK_LINE.search(text, record.end, heading.start)
    return is_beside and _BLANK_LINE.match(text, heading.end) is not None and not topics_of(heading.text)


def _in_records(text: str) -> Iterator[tuple[int, Block]]:
    """Yield the blocks of a text, each with the number of its record. A repeated label begins the next record."""
    record, end, labels = 0, 0, set[str]()
    kind = BlockKind.HEADING
    for block in read(text):
        is_pair = block.kind == kind == BlockKind.PAIR
        is_apart = block.kind in _ALONE or kind in _ALONE or (not is_pair and _BLANK_LINE.search(text, end, block.start))
        if is_apart or block.label in labels:
            record, labels = record + 1, set()
        kind, end, labels = block.kind, block.end, labels | ({block.label} if block.kind == BlockKind.PAIR else set())
        yield record, block


def _in_words(block: Block) -> str:
    """Return the text of a block, with units spelled out and with the column headers of its cells."""
    if block.columns:
        cells = zip(block.columns, block.cells, strict=True)
        return "; ".join(f"{spell_out_label(column)}: {spell_out_units(cell)}" for column, cell in cells if cell)
    return f"{spell_out_label(block.label)}: {spell_out_units(block.text)}" if block.label else spell_out_units(block.text)


def _requested_lists(statements: Sequence[Statement], wanted: RequestedList) -> Iterator[Statement]:
    """Return the lists that answer the question: consecutive statements under a label or heading that names what the question asks
    for."""
    for named in (attrgetter("label"), attrgetter("heading")):
        for name, group in groupby(statements, key=named):
            listed = list(group)
            text = "; ".join(each.text for each in listed)
            if name and len(text) <= MAX_CHARACTERS and wanted.is_named_by(name, text):
                first, last = listed[0], listed[-1]
                yield replace(first, end=last.end, text=f"{first.heading}: {text}", is_sentence=True, is_requested_list=True)


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.casefold()))


def _repeats(text: str, question_words: frozenset[str]) -> bool:
    """Whether a text only repeats words of the question, ignoring initials: “JANE E. MARLOW, P.E.”"""
    return {word for word in _words(text) if len(word) > 1 or word.isdigit()} <= question_words


def abbreviations_in(question: str) -> list[str]:
    """Return the first few abbreviations. Only a few, because each is searched in all of the account's documents."""
    return list(dict.fromkeys(_ABBREVIATION.findall(question)))[:_MAX_ABBREVIATIONS]


def initials_pattern(abbreviation: str) -> str:
    """Return a pattern, for PostgreSQL and Python, of words with these initials, such as “information system security officer” for
    ISSO, or of words that begin with these parts, such as “naval supply” for NAVSUP."""
    initials = _BETWEEN.join(f"{letter}[a-z]{{2,40}}" for letter in abbreviation)
    syllables = (_BETWEEN.join(f"{part}[a-z]{{0,40}}" for part in parts) for parts in _splits(abbreviation) if len(parts) > 1)
    return r"\y(?:" + "|".join((initials, *syllables)) + r")\y"


def _splits(word: str) -> Iterator[tuple[str, ...]]:
    """Yield every division of a word into parts of `_SYLLABLE` letters or more."""
    yield (word,)
    for end in range(_SYLLABLE, len(word) - _SYLLABLE + 1):
        for rest in _splits(word[end:]):
            yield word[:end], *rest


def expand(question: str, phrases: Sequence[str]) -> str:
    """Return the question with other phrases for what it asks, for searching and comparing."""
    added = [*phrases, *([_FAILURE_WORDS] if _ASKS_FAILURE.search(question) else [])]
    return f"{question} ({'; '.join(added)})" if added else question


def headings_of(statements: Sequence[Statement]) -> list[str]:
    """Return the headings of statements, without duplicates."""
    return list(dict.fromkeys(statement.heading for statement in statements if statement.heading))


def parts_of(question: str) -> list[str]:
    """Split a question such as “How many did we sell, and what did they cost?” into its questions. Returns nothing if there is only
    one."""
    parts = [part for part in _PART.split(question) if len(part.split()) >= _PART_WORDS]
    return parts[:_MAX_PARTS] if len(parts) > 1 else []


def answers(
    question: str,
    parts: Sequence[str],
    passages: Sequence[Passage],
    statements: Sequence[Statement],
    similarities: Vectors,
    shares: Sequence[Sequence[float]],
) -> list[Answer]:
    """Return the passages that answer, best first, each with its best statement, or with the record that answers the parts of the
    question. CPU-bound: call it in a thread.

    `similarities` has a row for the question and one for each of its parts: the cosines, first with the statements and then with
    their headings. `shares` contains, for each of these, the fraction of the words it contains (0..1).
    """
    count = len(statements)
    meaning = np.array([_SENTENCE_MEANING if statement.is_sentence else _FRAGMENT_MEANING for statement in statements])
    words = np.asarray(shares)
    scores = meaning * similarities[:, :count] + (1 - meaning) * words[:, :count]
    of_headings = _SENTENCE_MEANING * similarities[0, count:] + (1 - _SENTENCE_MEANING) * words[0, count:]
    by_heading = dict(zip(headings_of(statements), of_headings, strict=True))
    below = np.array([by_heading.get(each.heading, 0.0) if each.heading.endswith("?") else 0.0 for each in statements])
    scores[0] = np.maximum(scores[0], _ANSWERS_HEADING * below)
    names, words_of = _names_in(question), [_words(passage.text) for passage in passages]
    of_person = {index for index, passage in enumerate(passages) if _is_of_person(passage, words_of[index], names)}
    about_named = np.array(_name_scores(question, passages, words_of, statements, of_person))
    relevances = scores[0] + [
        _evidence(
            question,
            passages[each.passage],
            each,
            by_heading.get(each.heading, 0.0),
            names=names,
            is_of_person=each.passage in of_person,
        )
        for each in statements
    ]
    concerns_us = is_about_us(question)
    questions = parts or [question]
    lacks = np.array([[_lacks_quantity(part, each.text) for each in statements] for part in questions])
    counts = np.array([[_counts_asked(part, each.text) for each in statements] for part in questions])
    lacking = lacks.all(axis=0)
    asks_time = _ASKS_DURATION.search(question) or _ASKS_DATE.search(question)
    relevances -= (_NO_TIME if asks_time else _NO_QUANTITY) * lacking
    relevances -= _NOT_NAMED * np.array([_lacks_name(question, each, passages[each.passage]) for each in statements])
    relevances += _COUNTED * counts.any(axis=0)
    relevances += _OF_BOX * np.array([each.names_box for each in statements])
    relevances += about_named + _IDENTIFIED * _identified(statements)
    shown = relevances - _NO_QUANTITY_SHOWN * lacking
    of_parts = scores[1:] + _COUNTED * counts[: len(parts)] - _NO_QUANTITY_SHOWN * lacks[: len(parts)] + about_named
    best: dict[int, Answer] = {}
    least = max(MIN_RELEVANCE, _LEAST_OF_BEST * min(float(relevances.max()), 1.0))
    for place in np.argsort(-relevances, kind="stable"):
        if relevances[place] < least:
            break
        index = statements[place].passage
        if index not in best:
            beside = [other for other, each in enumerate(statements) if each.passage == index]
            first = max(beside, key=lambda other: shown[other])
            start, end = _span(statements, beside, first, of_parts, lacks)
            passage = passages[index]
            heading, page = passage.place_at(start)
            found = passage.model_dump() | {
                "heading": heading,
                "page": page,
                "score": round(min(float(relevances[place]), 1.0), 4),
            }
            is_checked = statements[first].is_checked
            best[index] = Answer(**found, answer_start=start, answer_end=end, is_checked=is_checked)
    return sorted(best.values(), key=lambda answer: concerns_us and not answer.document_kind.is_ours)


def in_words(answer: Answer) -> str:
    """Return the text of an answer in the reader's language: each cell of a row follows the name of its column, and a box says whether it is checked."""
    if answer.is_checked is not None:
        label = " ".join(answer.text[answer.answer_start : answer.answer_end].split())
        return t("Checked: {label}", label=label) if answer.is_checked else t("Not checked: {label}", label=label)
    parts, place = list[str](), answer.answer_start
    for block in read(answer.text):
        if block.kind == BlockKind.ROW and answer.answer_start <= block.start and block.end <= answer.answer_end:
            between = answer.text[place : block.start] if place <= block.start else "\n"
            parts += [between, _row_in_words(block)]
            place = block.end
    return "".join([*parts, answer.text[place : answer.answer_end]])


def _row_in_words(block: Block) -> str:
    cells = zip(block.columns or [""] * len(block.cells), block.cells, strict=True)
    return "; ".join(f"{column}: {cell}" if column else cell for column, cell in cells if cell)


def _span(
    statements: Sequence[Statement], beside: Sequence[int], first: int, of_parts: NDArray[np.floating], lacks: NDArray[np.bool_]
) -> tuple[int, int]:
    """Return the range from the first to the last character of the answer `first` and of the nearby answers to parts of the
    question."""
    start, end = statements[first].start, statements[first].end
    if statements[first].box:
        return start, end
    for part, relevance in enumerate(of_parts):
        answering = max(beside, key=lambda other: relevance[other] + _COUNTED * (other == first))
        other = statements[answering]
        if lacks[part, answering] or other.heading != statements[first].heading:
            continue
        both = min(start, other.start), max(end, other.end)
        if both[1] - both[0] <= _MOST_SHOWN:
            start, end = both
    return start, end


def _name_scores(
    question: str,
    passages: Sequence[Passage],
    words_of: Sequence[frozenset[str]],
    statements: Sequence[Statement],
    of_person: Collection[int],
) -> list[float]:
    """Return what each statement gains or loses because its record or the headings above contain the names in the question, or do
    not. A document that begins with a name is about it."""
    found = naming.names_in(question, [passage.text for passage in passages])
    names = naming.weighed(found, words_of)
    if not found:
        return [0.0] * len(statements)
    of_documents: dict[UUID, float] = {}
    for passage, words in zip(passages, words_of, strict=True):
        is_about = not passage.start and names.share(naming.words_of(passage.text[:_BEGINNING])) == 1
        share = 1.0 if is_about else names.share(words) / 2
        of_documents[passage.document_id] = max(share, of_documents.get(passage.document_id, 0.0))
    passage_shares = [1.0 if index in of_person else of_documents[passage.document_id] for index, passage in enumerate(passages)]
    titles = [_words(passage.document_title) for passage in passages]
    records: dict[tuple[int, int], frozenset[str]] = {}
    for each in statements:
        key = each.passage, each.record
        headings = heading_text(passages[each.passage].place_at(each.start)[0])
        records[key] = records.get(key, titles[each.passage]) | _words(f"{headings} {each.heading} {each.text}")
    shares = [max(names.share(records[each.passage, each.record]), passage_shares[each.passage]) for each in statements]
    return [_OF_NAMED * (share == 1) - _NOT_OF_NAMED * (1 - share) for share in shares]


def _identified(statements: Sequence[Statement]) -> NDArray[np.floating]:
    """Return the mean rating of each statement for the identifiers that any of them has or another of the same form. A statement
    shares what identifies its record, and of several identifiers, it need have only one."""
    records: dict[tuple[int, int], NDArray[np.floating]] = {}
    ratings = np.array([each.identified for each in statements])
    for rating, each in zip(ratings, statements, strict=True):
        key = each.passage, each.record
        records[key] = np.maximum(rating, records.get(key, rating))
    of_records = _OF_RECORD * np.array([records[each.passage, each.record] for each in statements])
    ratings = np.where(of_records > 0, np.maximum(ratings, of_records), ratings)
    ratings = np.where((ratings > 0).any(axis=1, keepdims=True), np.maximum(ratings, 0), ratings)
    return ratings[:, ratings.any(axis=0)].mean(axis=1) if ratings.any() else np.zeros(len(statements))


def _lacks_quantity(question: str, text: str) -> bool:
    """Whether the question asks for an amount, a date, or a number, and the text has none."""
    quantity = (
        _AMOUNT
        if _ASKS_AMOUNT.search(question)
        else _DURATION
        if _ASKS_DURATION.search(question)
        else _DATE
        if _ASKS_DATE.search(question)
        else _NUMBER
        if _ASKS_NUMBER.search(question)
        else None
    )
    return quantity is not None and not quantity.search(text)


def _lacks_name(question: str, statement: Statement, passage: Passage) -> bool:
    """Whether the quantity in the question is missing from the statement and its heading, or its abbreviation from the passage."""
    around = f"{passage.document_title} {heading_text(passage.heading)} {passage.text}"
    named = f"{statement.heading} {statement.text}"
    is_other_quantity = any(asks.search(question) and not names.search(named) for asks, names in _QUANTITIES)
    return (
        is_other_quantity
        or any(not _abbreviated(each).search(around) for each in abbreviations_in(question))
        or _lacks_role(question, f"{passage.document_title} {heading_text(passage.heading)} {named}")
    )


def _lacks_role(question: str, text: str) -> bool:
    """Whether a question asks who has a role, other than that of a contact, and the text has no word of it."""
    asked = None if _ASKS_CONTACT.search(question) else _ASKED_ROLE.search(question)
    words = re.findall(r"[^\W\d_]{4,}", asked[1]) if asked else []
    role = {word.casefold()[:_STEM] for word in words if not word.isupper()}
    return bool(role) and not role & {word[:_STEM] for word in re.findall(r"[^\W\d_]+", text.casefold())}


@lru_cache(maxsize=100)
def _abbreviated(abbreviation: str) -> re.Pattern[str]:
    return re.compile(rf"\b{abbreviation}|(?i:{initials_pattern(abbreviation)})".replace(r"\y", r"\b"))


def _counts_asked(question: str, text: str) -> bool:
    """Whether a number is next to a word of a question that asks how many."""
    if not _ASKS_COUNT.search(question):
        return False
    question_stems = {word[:_STEM] for word in re.findall(r"[^\W\d]{4,}", question.casefold())}
    return any(word[:_STEM] in question_stems for found in _COUNT.findall(text) for word in found.casefold().split())


def is_about_us(question: str) -> bool:
    """Whether a question asks about us, and not about what others demand of us: “What is our UEI?”, “CAGE code?”"""
    return bool(_US.search(question) or _COMPANY_DATA.search(question)) and not _OBLIGED.search(question)


def _names_in(question: str) -> list[str]:
    """Return the first few names in lower case. Only a few, because each is searched in every passage."""
    return list(dict.fromkeys(name.rstrip("?.").casefold() for name in _NAME.findall(question)))[:_MAX_NAMES]


def _is_of_person(passage: Passage, words: frozenset[str], names: Sequence[str]) -> bool:
    """Whether the passage is part of the résumé of someone named."""
    return passage.document_kind == DocumentKind.RESUME and any(_words(name) <= words for name in names)


def _evidence(
    question: str, passage: Passage, statement: Statement, heading: float, *, names: Sequence[str], is_of_person: bool
) -> float:
    named = topics_of(statement.heading) | topics_of(statement.label)
    asks_failure = bool(_ASKS_FAILURE.search(question))
    asks_past = bool(_COMPLETED.search(question) and _PROJECTS.search(question)) and not asks_failure
    is_named = (Topic.CHALLENGES in named and asks_failure) or (Topic.PAST_PERFORMANCE in named and asks_past)
    is_of_others = is_about_us(question) and (not passage.document_kind.is_ours or _NO_OTHERS.is_of_others(statement.text))
    gives_reason = bool(_ASKS_REASON.search(question) and _REASON.search(statement.text))
    reports_failure = asks_failure and passage.document_kind.is_ours and bool(_FAILED.search(statement.text))
    titles = [each.casefold() for each in (passage.document_title, *passage.place_at(statement.start)[0], statement.heading)]
    is_named |= is_of_person or any(name in title for name in names for title in titles)
    is_named |= any(len(title.split()) > 1 and title in question.casefold() for title in titles)
    has_degree = is_of_person and bool(_ASKS_DEGREE.search(question) and DEGREE.search(statement.text))
    has_contact = bool(_CONTACT_DETAIL.search(statement.text))
    is_contact = bool(names) and not statement.is_sentence and has_contact
    listed = _LISTED * statement.is_requested_list
    return (
        _HEADING_WEIGHT * max(heading, 0.0)
        + _NAMED * is_named
        + listed
        + _FAILURE_WEIGHT * reports_failure
        + _REASON_WEIGHT * gives_reason
        + _NAMED * has_degree
        + _NAMED * (has_contact and bool(_ASKS_PERSON.search(question)))
        - _OF_CONTACT * (is_contact and not _ASKS_CONTACT.search(question))
        - _OF_OTHERS * is_of_others
    )
