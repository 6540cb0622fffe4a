"""Writes facts as tables and lists: past performance, people, data of the organization, and the contact."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from fundwright.core.messages import t
from fundwright.language.protocols import CitedFact
from fundwright.reading.company import is_named_in
from fundwright.reading.facts import FactField, FactKind
from fundwright.reading.names import ORGANIZATIONS
from fundwright.reading.sentences import sentences_of
from fundwright.reading.topics import Topic

_MOST_PROJECTS, _MOST_PEOPLE = 6, 8
_INITIAL, _SHORT_NAME = 1, 2
_CELL_CHARACTERS = 320
_WORK_WORDS, _TOLD_WORDS = 45, 90
"""What is said about a project that is in the table, and about one that is only told."""
_WORD = re.compile(r"[^\W\d_]+")
_BAD_NEWS = re.compile(
    r"\b(?:fail\w*|late|delay\w*|slip\w*|missed|leak\w*|turnover|terminated|marginal|complain\w*|rework\w*|overran|originally|unsatisfactory|poor|weak\w*)\b",
    re.IGNORECASE,
)
"""Words of sentences about a project that nobody quotes in a proposal."""
_ITEM_AFTER = re.compile(r";\s(?=[A-Z])")
_SUBJECT = re.compile(r"((?:The|This) )?([^\W\d_]+)(?=( (?:has|had|is|was|[a-z]+(?:s(?! (?:was|were|are|have|had))|ed))\b)?)")
"""The word that begins a sentence, with an article or without, and the verb after it."""
_OURS = re.compile(r"\b(?:we|us|our)\b", re.IGNORECASE)
_JUDGES = re.compile(r"\b(?:rated|accepted|awarded|renewed|extended|praised|approved|chose|gave)\b", re.IGNORECASE)
_PROJECT_COLUMNS = (FactField.TITLE, FactField.CUSTOMER, FactField.CONTRACT, FactField.VALUE, FactField.PERIOD, FactField.RATING)
_FIRST = ("legal", "uei", "unique", "cage", "ncage", "naics", "psc", "size")
"""Words of the labels that come first."""


def written(topic: Topic | None, facts: Sequence[CitedFact], company: str) -> str:
    """The text about this topic in a draft of this company, or "" if no fact is about it."""
    facts = [fact for fact in facts if fact.values.keys() >= _NEEDED.get(fact.kind, frozenset())]
    of_kind = [fact for fact in facts if fact.kind is _KINDS.get(topic)] if topic else []
    match topic:
        case Topic.PAST_PERFORMANCE:
            return _projects(of_kind, company)
        case Topic.PEOPLE:
            return _people(_merged(of_kind, _key_of_person)[:_MOST_PEOPLE])
        case Topic.COMPANY_DATA:
            return _data(of_kind, [fact for fact in facts if fact.kind is FactKind.CERTIFICATION])
        case Topic.CONTACT:
            return _contact(of_kind, facts)
        case _:
            return ""


_KINDS = {
    Topic.PAST_PERFORMANCE: FactKind.PROJECT,
    Topic.PEOPLE: FactKind.PERSON,
    Topic.COMPANY_DATA: FactKind.DETAIL,
    Topic.CONTACT: FactKind.CONTACT,
}
_NEEDED = {
    FactKind.PERSON: {FactField.NAME},
    FactKind.DETAIL: {FactField.LABEL, FactField.VALUE},
    FactKind.CERTIFICATION: {FactField.NAME},
}
"""What a person can take away from a fact, and without which nothing can be written."""


def _projects(facts: Sequence[CitedFact], company: str) -> str:
    """A row for each project from the record with the most values, and what was done from the one that says most."""
    groups = [*_grouped(facts, _key_of_project).values()][:_MOST_PROJECTS]
    rows = [max(group, key=lambda fact: len(fact.values)) for group in groups]
    listed = [fact for fact in rows if _has_row(fact)]
    names = {
        FactField.TITLE: t("Project"),
        FactField.CUSTOMER: t("Customer"),
        FactField.CONTRACT: t("Contract"),
        FactField.VALUE: t("Value"),
        FactField.PERIOD: t("Period"),
        FactField.RATING: t("Rating"),
    }
    columns = [name for name in _PROJECT_COLUMNS if any(name in fact.values for fact in listed)]
    table = _table(
        [names[name] for name in columns], [([fact.values.get(name, "") for name in columns], fact) for fact in listed]
    )
    return "\n\n".join(filter(None, (table, "\n".join(_works(groups, company)))))


def _has_row(fact: CitedFact) -> bool:
    """Whether a project has what a row of its own needs: an amount alone says of nothing what it was for."""
    names = {FactField.CUSTOMER, FactField.CONTRACT, FactField.TITLE} & fact.values.keys()
    return bool(names - {FactField.TITLE}) or (bool(names) and FactField.VALUE in fact.values)


def works(facts: Sequence[CitedFact], company: str) -> Iterator[str]:
    """Yield an item for each project that says what was done."""
    return _works(_grouped([fact for fact in facts if fact.kind is FactKind.PROJECT], _key_of_project).values(), company)


def _works(groups: Iterable[Sequence[CitedFact]], company: str) -> Iterator[str]:
    told = (max(group, key=lambda fact: len(fact.values.get(FactField.WORK, ""))) for group in groups)
    return (item for fact in told if (item := _work(fact, company)))


def _work(fact: CitedFact, company: str) -> str:
    """An item that says what was done in a project, sentence by sentence."""
    name = fact.values.get(FactField.TITLE) or fact.values.get(FactField.CUSTOMER, "")
    most = _WORK_WORDS if fact.values.keys() & {FactField.CUSTOMER, FactField.VALUE} else _TOLD_WORDS
    kept, spent = list[str](), 0
    for sentence in (each for told in sentences_of(fact.values.get(FactField.WORK, "")) for each in _ITEM_AFTER.split(told)):
        count = len(sentence.split())
        if (
            _BAD_NEWS.search(sentence)
            or _is_about_customer(sentence, fact, company)
            or (kept and spent + count > most)
            or sentence == name
        ):
            continue
        kept.append(sentence if sentence.endswith((".", "!", "?", "”", '"')) else f"{sentence}.")
        spent += count
    begin = f"- **{name}**: " if name else "- "
    return begin + " ".join(f"{sentence}{_mark(fact)}" for sentence in kept) if kept else ""


def _is_about_customer(sentence: str, fact: CitedFact, company: str) -> bool:
    """Whether a sentence says something about the customer: “DLA buys food and clothing for $15 billion a year,” “The district enrolls 15,000 students.”"""
    if _JUDGES.search(sentence) or _OURS.search(sentence):
        return False
    customer = f"{fact.values.get(FactField.CUSTOMER, '')} {fact.values.get(FactField.TITLE, '')}".casefold()
    subject = _SUBJECT.match(sentence)
    if subject is None:
        return False
    name = subject[2].casefold()
    is_organization = name in ORGANIZATIONS if subject[1] else subject[2].isupper() and not is_named_in(name, company)
    return len(name) > _SHORT_NAME and (
        (subject[2][0].isupper() and name in _WORD.findall(customer)) or (is_organization and bool(subject[3]))
    )


def _people(facts: Sequence[CitedFact]) -> str:
    rows = [
        (
            [
                fact.values.get(FactField.NAME, ""),
                fact.values.get(FactField.ROLE, ""),
                fact.values.get(FactField.QUALIFICATIONS, ""),
            ],
            fact,
        )
        for fact in facts
    ]
    used = [place for place in range(3) if not place or any(cells[place] for cells, _ in rows)]
    names = (t("Name"), t("Role"), t("Qualifications"))
    return _table([names[place] for place in used], [([cells[place] for place in used], fact) for cells, fact in rows])


def _data(details: Sequence[CitedFact], certifications: Sequence[CitedFact]) -> str:
    kept: dict[str, CitedFact] = {}
    for fact in details:
        kept.setdefault(_key_of_label(fact.values[FactField.LABEL]), fact)
    ordered = sorted(kept.values(), key=lambda fact: _rank(fact.values[FactField.LABEL]))
    rows = [([fact.values[FactField.LABEL], fact.values[FactField.VALUE]], fact) for fact in ordered]
    items = [
        f"- {_certification(fact)}{_mark(fact)}"
        for fact in _merged(certifications, lambda fact: fact.values[FactField.NAME].casefold())
    ]
    return "\n\n".join(filter(None, (_table((t("Item"), t("Detail")), rows), "\n".join(items))))


def _certification(fact: CitedFact) -> str:
    name = ", ".join(filter(None, (fact.values[FactField.NAME], fact.values.get(FactField.VALUE))))
    expires = fact.values.get(FactField.EXPIRES)
    return t("{name} (expires {date})", name=name, date=expires) if expires else name


def _rank(label: str) -> int:
    words = [word.casefold() for word in _WORD.findall(label)]
    return next((place for place, word in enumerate(_FIRST) if word in words), len(_FIRST))


def _key_of_label(label: str) -> str:
    words = [word.casefold() for word in _WORD.findall(label)]
    code = next((word for word in words if word in ("uei", "cage", "naics", "psc", "duns", "ein")), None)
    return "uei" if "unique" in words else code or " ".join(words)


def _contact(contacts: Sequence[CitedFact], facts: Sequence[CitedFact]) -> str:
    """Lines as in a letterhead, of the contact about which most is known."""
    if not contacts:
        return ""
    best = max(contacts, key=lambda fact: (FactField.LABEL in fact.values, len(fact.values)))
    lines = [", ".join(filter(None, (best.values.get(FactField.NAME, ""), best.values.get(FactField.ROLE, ""))))]
    lines += [best.values.get(name, "") for name in (FactField.ADDRESS, FactField.PHONE, FactField.EMAIL)]
    cited = [best]
    if FactField.ADDRESS not in best.values and (office := _office(facts)):
        lines.insert(1, office.values[FactField.VALUE])
        cited.append(office)
    return "  \n".join(filter(None, lines)) + _marks(cited)


def _office(facts: Iterable[CitedFact]) -> CitedFact | None:
    details = (fact for fact in facts if fact.kind is FactKind.DETAIL)
    return next(
        (
            fact
            for fact in details
            if {"office", "address", "headquarters"} & {*_key_of_label(fact.values[FactField.LABEL]).split()}
        ),
        None,
    )


def _key_of_person(fact: CitedFact) -> str:
    """The same for “LAW, Teresa” and “Teresa M. Law, PhD.”"""
    first, *others = fact.values.get(FactField.NAME, "").split(",")
    name = first if len(first.split()) > 1 else " ".join([first, *others[:1]])
    return " ".join(sorted(word.casefold() for word in _WORD.findall(name) if len(word) > _INITIAL))


def _key_of_project(fact: CitedFact) -> str:
    named = (
        fact.values.get(FactField.CONTRACT) or f"{fact.values.get(FactField.TITLE, '')} {fact.values.get(FactField.CUSTOMER, '')}"
    )
    key = " ".join(_WORD.findall(named.casefold())) + "".join(character for character in named if character.isdigit())
    return key or fact.values.get(FactField.WORK, "")


def _merged(facts: Iterable[CitedFact], key_of: Callable[[CitedFact], str]) -> list[CitedFact]:
    """The facts, without those that say less about the same thing than another."""
    return [max(group, key=lambda fact: len(fact.values)) for group in _grouped(facts, key_of).values()]


def _grouped(facts: Iterable[CitedFact], key_of: Callable[[CitedFact], str]) -> dict[str, list[CitedFact]]:
    groups: dict[str, list[CitedFact]] = {}
    for fact in facts:
        groups.setdefault(key_of(fact), []).append(fact)
    return groups


def _table(columns: Sequence[str], rows: Sequence[tuple[Sequence[str], CitedFact]]) -> str:
    """A table with the citation of each row in its last cell."""
    if not rows:
        return ""
    return "\n".join((f"| {' | '.join(columns)} |", f"|{' --- |' * len(columns)}", *_rows(rows)))


def _rows(rows: Iterable[tuple[Sequence[str], CitedFact]]) -> Iterator[str]:
    for cells, fact in rows:
        shown = [_cell(cell) for cell in cells]
        last = max(place for place, cell in enumerate(shown) if cell)
        shown[last] = f"{shown[last]}{_mark(fact)}"
        yield f"| {' | '.join(shown)} |"


def _marks(facts: Iterable[CitedFact]) -> str:
    marks = dict.fromkeys(_mark(fact).strip() for fact in facts)
    return f" {''.join(marks)}".rstrip()


def _mark(fact: CitedFact) -> str:
    return f" [{fact.number}]" if fact.number is not None else ""


def _cell(text: str) -> str:
    text = " ".join(text.replace("|", "/").split())
    return text if len(text) <= _CELL_CHARACTERS else f"{text[:_CELL_CHARACTERS].rsplit(' ', 1)[0]} …"
