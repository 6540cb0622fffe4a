"""Reads what documents state in a fixed form: projects, people, and the data of the company, each value with its passage."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby

from fundwright.language.extractive.claims import Others
from fundwright.language.protocols import NumberedPassage
from fundwright.language.schemas import DocumentKind
from fundwright.language.structure import Block, BlockKind, read
from fundwright.language.topics import Topic, topics_of


@dataclass(frozen=True, slots=True)
class Fact:
    """Words of the passage with this number."""

    text: str
    number: int
    label: str = ""


class ProjectField(StrEnum):
    TITLE = "title"
    CUSTOMER = "customer"
    CONTRACT = "contract"
    TYPE = "type"
    VALUE = "value"
    PERIOD = "period"
    BEGIN = "begin"
    END = "end"
    ROLE = "role"
    WORK = "work"
    REFERENCE = "reference"


# The first that matches a label wins.
_PROJECT_LABELS: tuple[tuple[ProjectField, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        (
            ProjectField.REFERENCE,
            r".*\b(?:poc|point of contact|contact|cor|co|reference|phone|email|telephone|officer|representative|ansprechpartner)\b.*",
        ),
        (ProjectField.TYPE, r"(?:contract|award|grant)? ?type|vertragsart|type de .*"),
        (ProjectField.ROLE, r"(?:our |contractor )?role|prime.*|rolle|rôle"),
        (
            ProjectField.VALUE,
            r"(?:.*\b)?(?:value|amount|price|costs?|budget|funding|ceiling)|award|award(?:ed)? amount|auftrags(?:wert|summe|volumen)|volumen|montant.*|valeur",
        ),
        (
            ProjectField.PERIOD,
            r"(?:period|pop|dates?|term|duration|years?)(?: of performance| of award)?|.*\bperiod(?: of performance)?|completed|zeitraum|laufzeit|période|durée",
        ),
        (ProjectField.BEGIN, r"(?:award|start|begin(?:ning)?|effective) date|start|beginn"),
        (ProjectField.END, r"(?:completion|end|finish) date|end|completion|ende"),
        (
            ProjectField.CONTRACT,
            r"(?:contract|grant|award|agreement|task order|order|purchase order|po|cooperative agreement)s?(?: ?/.*)? ?(?:no|nos|number|num|#|id)?"
            r"(?: ?/.*)?|project (?:no|number|id)|piid|fain|(?:vertrags|auftrags)(?:nummer|nr)|n° .*|numéro.*",
        ),
        (
            ProjectField.CUSTOMER,
            r"(?:customer|client|agency|owner|funder|grantor|sponsor|buyer|end user|awarding agency|funding (?:agency|source)|issuing agency|for|auftraggeber|kunde"
            r"|bailleur|maître d'ouvrage)(?: name| agency)?(?: ?/.*)?",
        ),
        (
            ProjectField.TITLE,
            r"(?:project|contract|program|grant|award)? ?(?:title|name)|project|program|projekt(?:titel)?|titre|projet|contract reference.*",
        ),
        (
            ProjectField.WORK,
            r"(?:brief )?(?:description|scope|services|work|summary|activities|tasks)(?: of (?:the )?(?:work|services|project|effort))?(?: performed| provided)?"
            r"|what (?:we|was) (?:did|done|delivered)|project description|accomplishments?|results?|outcomes?|achievements?|leistung\w*|beschreibung|description.*|ergebnis\w*"
            r"|résultats?|prestations",
        ),
    )
)
_SHORT_FIELDS = frozenset(
    (ProjectField.WORK, ProjectField.CUSTOMER, ProjectField.PERIOD, ProjectField.VALUE, ProjectField.CONTRACT)
)
"""What may stand as a heading above its value."""
_NOT_THE_WORK = re.compile(
    r".*\b(?:challenge|problem|background|relevance|lessons?|comments?|references?|ratings?|cpars|customer need|contact|contractor information|team"
    r"|herausforderung|ausgangslage|défi|contexte)\b.*",
    re.IGNORECASE,
)
_FORM_NAMES = re.compile(
    r"(?:past|relevant|project|contract|grant|performance|corporate|completed|prior|previous|research|recent|experience)?[ ]?"
    r"(?:past )?(?:performance|experience|profile|project|reference|contract|closeout|support|information|questionnaire|summary|sheet|citation|example|case study|matrix|projects"
    r"|description|award)(?:[ ](?:information|reference|sheet|summary|questionnaire|profile|citation|example|matrix|form|\#?\d{1,2})){0,3}",
    re.IGNORECASE,
)
_FORM_PREFIX = re.compile(
    r"\s*(?:past performance|relevant experience|project|contract reference|reference|case study|example)\s?(?:no\.?|\#)?\s?\d{0,2}\s?[:–—-]\s?",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    r"(?:it|its|they|their|this|these|he|she|his|her|er|sie|es|ihre?|il|elle|ils|leurs?|son|sa|ses)\b", re.IGNORECASE
)
_MONEY = re.compile(r"[$€£]|\d")
_DOLLARS = re.compile(
    r"[$€£]\s?\d[\d.,]{0,15}(?: ?(?:K|M|B|k|m|thousand|million|billion|Mio\.?)\b)?|\b\d[\d.,]{2,15} (?:EUR|USD|Euro|dollars)\b"
)
_YEAR_SPAN = re.compile(
    r"\b(?:\d{1,2}/)?(?:19|20)\d\d(?:\s?(?:[-–—]|to|through)\s?(?:(?:\d{1,2}/)?(?:19|20)?\d\d|present|ongoing))?\b"
)
_HEADLINE_WORDS = 28


@dataclass
class Project:
    document: str
    fields: dict[ProjectField, Fact] = field(default_factory=dict[ProjectField, Fact])
    work: list[Fact] = field(default_factory=list[Fact])
    """What was done, sentence by sentence."""

    @property
    def name(self) -> Fact | None:
        return self.fields.get(ProjectField.TITLE) or self.fields.get(ProjectField.CUSTOMER)

    @property
    def contract_key(self) -> str:
        contract = self.fields.get(ProjectField.CONTRACT)
        return re.sub(r"\W", "", contract.text).casefold() if contract else ""

    @property
    def is_known(self) -> bool:
        """Whether it says enough to be shown."""
        return self.name is not None and (len(self.fields) > 1 or bool(self.work))


def projects(passages: Sequence[NumberedPassage], others: Others) -> list[Project]:
    """Past and present projects, in the order of the documents; what two documents say of one contract is put together."""
    found: list[Project] = []
    for document, group in groupby(passages, key=lambda passage: passage.document):
        own = [
            passage
            for passage in group
            if passage.kind == DocumentKind.PAST_PERFORMANCE or _is_about(passage, Topic.PAST_PERFORMANCE)
        ]
        for project in _projects_of(document, own, others):
            same = next((each for each in found if _is_same(each, project)), None)
            if same is None:
                found.append(project)
            else:
                same.fields = {**project.fields, **same.fields}
                same.work += [fact for fact in project.work if fact.text not in {known.text for known in same.work}]
                title = project.fields.get(ProjectField.TITLE)
                if title and same.fields[ProjectField.TITLE].text == same.fields.get(ProjectField.CUSTOMER, title).text:
                    same.fields[ProjectField.TITLE] = title
    return [project for project in found if project.is_known]


def _is_same(one: Project, other: Project) -> bool:
    if one.contract_key and other.contract_key:
        return one.contract_key == other.contract_key
    names = [project.name.text.casefold() for project in (one, other) if project.name]
    return len(names) == 2 and names[0] == names[1]


def _is_about(passage: NumberedPassage, topic: Topic) -> bool:
    return any(topic in topics_of(part) for part in passage.heading.split(" › "))


def _projects_of(document: str, passages: Sequence[NumberedPassage], others: Others) -> Iterator[Project]:
    project = Project(document)
    title: Fact | None = None
    is_work, is_told = True, True
    for passage in passages:
        blocks = read(passage.text)
        above = passage.heading.rpartition(" › ")[2]
        if above and not (blocks and blocks[0].text.casefold() == above.casefold()):
            blocks = [Block(BlockKind.HEADING, above, 0, 0), *blocks]
        for place, block in enumerate(blocks):
            if block.kind == BlockKind.ROW and block.columns:
                row = _row_project(document, block, passage.number)
                if row.is_known:
                    yield row
                continue
            is_title = block.kind == BlockKind.HEADING or (
                block.kind == BlockKind.LINE and not project.fields and not project.work
            )
            if is_title and not _DOLLARS.search(block.text):
                label = _project_field(block.text)
                if _NOT_THE_WORK.fullmatch(block.text) and not _FORM_NAMES.fullmatch(block.text):
                    is_work = False
                elif label in _SHORT_FIELDS and label is not None and len(block.text.split()) <= 5:
                    is_work = label == ProjectField.WORK
                    # “Client:” with its value in the next line.
                    if not is_work and place + 1 < len(blocks) and label not in project.fields:
                        follows = blocks[place + 1]
                        if (
                            follows.kind in (BlockKind.LINE, BlockKind.HEADING, BlockKind.SENTENCE)
                            and len(follows.text.split()) <= 12
                        ):
                            project.fields[label] = Fact(follows.text, passage.number)
                elif block.text not in {fact.text for fact in project.fields.values()}:
                    is_work = True
                    name = _FORM_PREFIX.sub("", block.text, count=1).strip(" :–—-")
                    if name and not _FORM_NAMES.fullmatch(name) and not topics_of(name) and not others.is_us(name):
                        if project.is_known and (project.work or len(project.fields) > 2):
                            yield project
                            project = Project(document)
                        title = Fact(name, passage.number)
                        project.fields[ProjectField.TITLE] = title
                continue
            if block.kind == BlockKind.PAIR:
                label = _project_field(block.label)
                if label is None:
                    continue
                if label in (ProjectField.TITLE, ProjectField.CUSTOMER, ProjectField.CONTRACT) and label in project.fields:
                    is_new = (
                        project.fields[label] is not title
                        and project.fields[label].text != block.text
                        and len(project.fields) > 2
                    )
                    if is_new:
                        yield project
                        project, is_work = Project(document), True
                _set(project, label, Fact(block.text, passage.number, label=block.label))
                continue
            headline = _headline(document, block, passage.number) if block.kind != BlockKind.ROW else None
            if headline:
                if project.is_known:
                    yield project
                project, is_work = headline, True
                continue
            if block.label and _NOT_THE_WORK.fullmatch(block.label):
                is_work = False
            elif block.label and _project_field(block.label) == ProjectField.WORK:
                is_work = True
            if is_work and block.kind in (BlockKind.SENTENCE, BlockKind.ITEM):
                # “Its applications ran on old hardware” says nothing without the sentence before.
                is_cut_off = bool(_POINTS_BACK.match(block.text)) and not is_told
                is_told = others.may_claim(block.text) and not is_cut_off
                if is_told:
                    project.work.append(Fact(block.text, passage.number))
    yield project


def _headline(document: str, block: Block, number: int) -> Project | None:
    """“City of Savannah – Living Shoreline, $890,000, 2021-2023”, in one line."""
    money, years = _DOLLARS.search(block.text), _YEAR_SPAN.search(block.text)
    if not money or len(block.text.split()) > _HEADLINE_WORDS:
        return None
    head = block.text[: min(match.start() for match in (money, years) if match)].strip(" ,;:(–—-|")
    words = [word for word in head.split() if len(word) > 3]
    if not 2 <= len(head.split()) <= 18 or sum(word[0].isupper() for word in words) < len(words) * 0.6:
        return None
    customer, _, title = (part.strip() for part in re.sub(r"\s[–—-]\s|: ", "\0", head, count=1).partition("\0"))
    project = Project(document)
    if title:
        project.fields[ProjectField.CUSTOMER] = Fact(customer, number)
    project.fields[ProjectField.TITLE] = Fact(title or customer, number)
    project.fields[ProjectField.VALUE] = Fact(money.group().strip(" ,."), number)
    if years:
        project.fields[ProjectField.PERIOD] = Fact(years.group(), number)
    return project


def _row_project(document: str, block: Block, number: int) -> Project:
    project = Project(document)
    for column, cell in zip(block.columns, block.cells, strict=True):
        label = _project_field(column)
        if label and cell:
            _set(project, label, Fact(cell, number))
    return project


def _project_field(label: str) -> ProjectField | None:
    text = " ".join(label.replace(".", " ").replace("#", " number").split()).strip(" :()")
    return next((name for name, pattern in _PROJECT_LABELS if pattern.fullmatch(text[:60])), None)


def _set(project: Project, label: ProjectField, fact: Fact) -> None:
    if label == ProjectField.WORK:
        project.work.append(fact)
        return
    if label == ProjectField.VALUE and not _MONEY.search(fact.text):
        return
    known = project.fields.get(label)
    # A contract ends at another price than it began with.
    is_better = label == ProjectField.VALUE and re.search(r"final|total", fact.label, re.IGNORECASE)
    if known is None or is_better or (label == ProjectField.TITLE and not known.label):
        project.fields[label] = fact


def period(project: Project) -> Fact | None:
    known = project.fields.get(ProjectField.PERIOD)
    begin, end = project.fields.get(ProjectField.BEGIN), project.fields.get(ProjectField.END)
    if known is None and begin and end:
        return Fact(f"{begin.text} – {end.text}", begin.number)
    return known or end or begin


# --- people -----------------------------------------------------------------------------------------------------------------

_CREDENTIALS = (
    r"(?:,? (?:Ph\.?D\.?|Dr\.?P\.?H\.?|M\.?D\.?|P\.?E\.?|PMP|CISSP|MPH|MBA|M\.?S\.?c?|B\.?S\.?c?|M\.?A\.?|J\.?D\.?|R\.?N\.?|CPA|LEED AP|P\.?G\.?|CIH|CSP|Sc\.?D\.?|Ed\.?D\.?|AIA|RA|CISM"
    r"|[A-Z]{2,6}))"
)
_WORD = r"[A-ZÄÖÜÉÀÁÍÓÚŁŠŽ][^\W\d_]{0,24}(?:['’-][^\W\d_]{1,24})?\.?"
_PERSON = re.compile(
    rf"((?:(?:Dr|Prof|Mr|Mrs|Ms|Dipl)\.?[ -](?:Ing\.? )?)?{_WORD}(?: (?:{_WORD}|de|da|dos|van|von|der|la|del|bin|al)){{1,4}}|{_WORD}, [A-Z][a-zäöüéèáíóúłš]{{1,20}}(?: {_WORD}\.?)?)"
    rf"({_CREDENTIALS}{{0,5}})\s{{0,3}}(?:(?:[–—|,:]|-(?=\s))\s{{0,3}}(\S.{{1,90}}))?"
)
_NO_PERSON = re.compile(
    r".*\b(?:curriculum|vitae|r[eé]sum[eé]|biograph\w+|sketch|profile|summary|manager|director|officer|engineer|lebenslauf|personnel|department|university|company|inc|llc|institute"
    r"|laborator\w+|services|projects?|experience|education|work|history|page|street|road|avenue|contractors?|statement|support|capabilit\w+|certifications?|training|skills"
    r"|professional|employment|positions?|honors|publications|team|staff|management|technology|references?|contact|license\w*)\b.*",
    re.IGNORECASE,
)
_ROLE_LABEL = re.compile(
    r"(?:proposed |current |project |job |position )?(?:role|position|title|job title|position title|funktion|rolle|poste|fonction)(?: on (?:the )?project| title)?",
    re.IGNORECASE,
)
_NAME_LABEL = re.compile(r"(?:full |employee )?name|nom", re.IGNORECASE)
_QUALIFICATION = re.compile(
    r".*\b(?:education|degrees?|certifi\w+|licen[cs]\w*|registration|credentials|qualifications?|training|clearance|experience|years\b.*|ausbildung|abschl\w+|zertifikat\w*|berufserfahrung"
    r"|formation|diplômes?|expérience)\b.*",
    re.IGNORECASE,
)
_QUALIFYING_HEADING = re.compile(
    r".*\b(?:education|degrees?|certifi\w+|licen[cs]\w*|registrations?|credentials|qualifications?|training|ausbildung|abschl\w+|zertifikat\w*|formation|diplômes?)\b.*",
    re.IGNORECASE,
)
_YEARS = re.compile(
    r"\b(?:\d{1,2}|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty)(?:\+| plus)? (?:years|jahren?|ans)\b",
    re.IGNORECASE,
)
_HOLDS = re.compile(
    r"\b(?:holds?|earned|received|graduate|certified|licensed|registered) .{0,60}\b(?:Ph\.?D|degrees?|master|bachelor|doctorate|certif\w+|licen\w+|in|engineer|M\.?S|B\.?S)\b",
    re.IGNORECASE,
)
_NEAR_NAME = 5
_ROLE_COLUMN = re.compile(r".*\b(?:role|position|title|function|funktion)\b.*", re.IGNORECASE)
_DEGREE = re.compile(
    r"\b(?:Ph\.?D|Dr\.?P\.?H|M\.?D\.?|M\.?S\.?c?|B\.?S\.?c?|M\.?P\.?H|MBA|B\.?A|M\.?A|A\.A\.S|B\.Tech|M\.Eng|B\.Eng|PHD|MSc|Diplom\w*|Bachelor|Master)\b"
)


@dataclass
class Person:
    name: Fact
    role: Fact | None = None
    qualifications: list[Fact] = field(default_factory=list[Fact])
    first: Fact | None = None
    """The first sentence about them."""

    @property
    def key(self) -> frozenset[str]:
        words = re.findall(r"\w+", re.sub(r"^(?:Dr|Prof|Mr|Mrs|Ms)\.? ", "", self.name.text).casefold())
        return frozenset(word for word in words[:4] if len(word) > 2)


def people(passages: Sequence[NumberedPassage], others: Others) -> list[Person]:
    """Who is on the team, with role and qualifications, from résumés first."""
    found: list[Person] = []
    for _, group in groupby(passages, key=lambda passage: passage.document):
        own = list(group)
        if own[0].kind == DocumentKind.RESUME:
            candidates = _people_of_resume(own)
        else:
            candidates = _people_of_team([passage for passage in own if _is_about(passage, Topic.PEOPLE)], others)
        for person in candidates:
            if person.role is None and not person.qualifications:
                continue
            if not any(person.key & known.key == min(person.key, known.key, key=len) for known in found):
                found.append(person)
    return found


def _as_person(text: str, number: int) -> Person | None:
    line = " ".join(text.split()).strip(" *_#|:")
    line = line[:-1] if line.endswith(".") and not re.search(r"\b(?:[A-Z]|\w*\.\w{1,2}|Jr|Sr)\.$", line) else line
    match = _PERSON.fullmatch(line) if len(line) <= 160 else None
    if match is None or _NO_PERSON.fullmatch(match[1]):
        return None
    name = match[1].rstrip(",")
    if "," in name:
        last, _, first = name.partition(", ")
        name = f"{first} {last}"
    if name.isupper():
        name = " ".join(word if len(word.strip(".")) < 2 else word.capitalize() for word in name.split())
    credentials = match[2].strip(" ,")
    role = match[3]
    return Person(
        name=Fact(f"{name}, {credentials}" if credentials else name, number),
        role=Fact(role.strip(" *_"), number) if role and not re.search(r"@|\d{3}", role) else None,
    )


def _people_of_resume(passages: Sequence[NumberedPassage]) -> Iterator[Person]:
    person: Person | None = None
    heading = ""
    since_name = 0
    for passage in passages:
        blocks = read(passage.text)
        above = passage.heading.rpartition(" › ")[2]
        if above and not (blocks and above.casefold() in blocks[0].text.casefold()):
            blocks = [Block(BlockKind.HEADING, above, 0, 0), *blocks]
        for block in blocks:
            since_name += 1
            if (
                block.label
                and block.kind == BlockKind.SENTENCE
                and (named := _as_person(block.label, passage.number))
                and person is None
            ):
                person, heading, since_name = named, "", 0
            if block.kind in (BlockKind.HEADING, BlockKind.LINE, BlockKind.SENTENCE) or _NAME_LABEL.fullmatch(block.label):
                is_named = bool(_NAME_LABEL.fullmatch(block.label))
                named = _as_person(block.text, passage.number)
                if (
                    named is not None
                    and person is not None
                    and not is_named
                    and named.role is None
                    and block.kind != BlockKind.HEADING
                ):
                    named = None
                if named is not None and person is not None and person.role is None and since_name <= 1 and not is_named:
                    named = None  # the line below a name is a role, whatever it looks like
                if named is not None and (person is None or named.key != person.key):
                    if person is not None:
                        yield person
                    person, heading, since_name = named, "", 0
                    continue
            if person is None:
                continue
            heading = _add_to_person(person, block, passage.number, heading, since_name)
    if person is not None:
        yield person


def _add_to_person(person: Person, block: Block, number: int, heading: str, since_name: int) -> str:
    """Take what the block says of the person. Returns the heading it stands under."""
    if block.kind == BlockKind.HEADING or (block.kind == BlockKind.LINE and since_name <= 2 and person.role is None):
        is_role = (
            person.role is None and since_name <= 2 and not _QUALIFICATION.fullmatch(block.text) and not topics_of(block.text)
        )
        if (
            is_role
            and not re.search(r"\d|@", block.text)
            and len(block.text.split()) <= 10
            and block.text.casefold() not in _SECTIONS
        ):
            person.role = Fact(block.text, number)
            return heading
        if block.kind == BlockKind.HEADING:
            return block.text
    is_qualified = bool(_QUALIFYING_HEADING.fullmatch(heading))
    if block.kind == BlockKind.PAIR:
        if _ROLE_LABEL.fullmatch(block.label):
            person.role = Fact(block.text, number)
        elif (
            person.role is None
            and since_name <= 1
            and not _QUALIFICATION.fullmatch(block.label)
            and not re.search(r"\d", block.label + block.text)
        ):
            person.role = Fact(block.label, number)  # “Lead Cloud Architect | Northgate”
        elif _QUALIFICATION.fullmatch(block.label) and len(block.text.split()) <= 30:
            is_bare = re.fullmatch(r"\d{1,2}\+?", block.text)
            person.qualifications.append(
                Fact(f"{block.label}: {block.text}" if is_bare else block.text, number, label=block.label)
            )
        elif is_qualified:
            person.qualifications.append(Fact(f"{block.label}: {block.text}", number))
        elif _YEARS.search(block.text):
            person.qualifications.append(Fact(block.text, number))
    elif block.kind == BlockKind.ROW:
        if is_qualified:
            person.qualifications.append(Fact(", ".join(cell for cell in block.cells if cell), number))
    elif (
        is_qualified
        or (since_name <= _NEAR_NAME and _HOLDS.search(block.text))
        or _YEARS.search(block.text)
        or (block.kind != BlockKind.SENTENCE and _DEGREE.search(block.text) and since_name < 12 and not heading)
    ):
        if not re.search(r"@|\(?\d{3}\)?[ .-]\d{3}", block.text):
            person.qualifications.append(Fact(block.text, number))
    elif block.kind == BlockKind.SENTENCE and person.first is None and block.text.endswith("."):
        person.first = Fact(block.text, number)
    return heading


_SECTIONS = frozenset(
    (
        "summary",
        "profile",
        "experience",
        "professional summary",
        "work history",
        "objective",
        "employment",
        "career summary",
        "overview",
    )
)


def _people_of_team(passages: Sequence[NumberedPassage], others: Others) -> Iterator[Person]:
    for passage in passages:
        person: Person | None = None
        for block in read(passage.text):
            if block.kind == BlockKind.ROW and block.columns:
                named = _as_person(block.cells[0], passage.number)
                if named:
                    for column, cell in list(zip(block.columns, block.cells, strict=True))[1:]:
                        if named.role is None and _ROLE_COLUMN.fullmatch(column):
                            named.role = Fact(cell, passage.number)
                        elif cell:
                            named.qualifications.append(Fact(cell, passage.number))
                    yield named
                continue
            text = f"{block.label} – {block.text}" if block.kind == BlockKind.PAIR else block.text
            named = _as_person(text, passage.number) if block.kind != BlockKind.SENTENCE else None
            if named:
                if person is not None:
                    yield person
                person = named
            elif (
                person is not None and (_YEARS.search(block.text) or _DEGREE.search(block.text)) and others.may_claim(block.text)
            ):
                person.qualifications.append(Fact(block.text, passage.number))
            elif block.kind == BlockKind.HEADING and topics_of(block.text):
                if person is not None:
                    yield person
                person = None
        if person is not None:
            yield person


# --- the company ------------------------------------------------------------------------------------------------------------

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
_CODES = (
    ("UEI", re.compile(r"\b(?:UEI|Unique Entity I[Dd](?:entifier)?)\b[^\w\n]{0,6}((?=[A-Z0-9]{0,11}\d)[A-Z0-9]{12})\b")),
    ("CAGE code", re.compile(r"\bCAGE(?: [Cc]ode)?\b[^\w\n]{0,6}((?=[A-Z0-9]{0,4}\d)[A-Z0-9]{5})\b")),
    ("EIN", re.compile(r"\bEIN\b[^\w\n]{0,6}(\d{2}-\d{7})\b")),
    ("NAICS", re.compile(r"\bNAICS(?: [Cc]odes?)?\b[^\w\n]{0,6}(\d{6}(?:(?:,? and |, ?|; ?)\d{6}){0,12})\b")),
)


def company_data(passages: Iterable[NumberedPassage]) -> list[Fact]:
    """Identifiers, codes, size, and certifications, each with its label."""
    found: dict[str, Fact] = {}
    for passage in passages:
        if passage.kind not in (DocumentKind.ABOUT_US, DocumentKind.PREVIOUS_PROPOSAL, DocumentKind.DATA):
            continue
        is_data = _is_about(passage, Topic.COMPANY_DATA)
        for block in read(passage.text):
            if block.kind == BlockKind.HEADING:
                is_data = Topic.COMPANY_DATA in topics_of(block.text) or (is_data and not topics_of(block.text))
            elif block.kind == BlockKind.PAIR and not _CONTACT_LABEL.fullmatch(block.label[:60]):
                is_header = block.text.casefold() in ("detail", "details", "value", "wert", "valeur")
                if not is_header and (is_data or (_DATA_LABEL.fullmatch(block.label[:60]) and passage.kind != DocumentKind.DATA)):
                    _keep(found, Fact(block.text, passage.number, label=block.label))
            elif passage.kind != DocumentKind.DATA and block.kind != BlockKind.PAIR:
                codes = [
                    Fact(match[1], passage.number, label=label)
                    for label, pattern in _CODES
                    if (match := pattern.search(block.text))
                ]
                for fact in codes:
                    _keep(found, fact)
                if is_data and block.kind != BlockKind.ROW and (block.text not in {fact.text for fact in codes}):
                    _keep(found, Fact(block.text, passage.number, label=""))
                elif not codes and block.kind == BlockKind.ROW and not block.columns and _DATA_LABEL.fullmatch(block.text[:200]):
                    _keep(found, Fact(", ".join(cell for cell in block.cells if cell), passage.number, label="Status"))
    return list(found.values())


def _keep(found: dict[str, Fact], fact: Fact) -> None:
    codes = re.findall(r"\b[A-Z0-9]{5,12}\b", fact.text)
    label = fact.label.casefold().replace("code", "").replace("codes", "").strip(" :s") or fact.text.casefold()
    is_said = any(
        label[:4] == key[:4] and set(codes) <= set(re.findall(r"\b[A-Z0-9]{5,12}\b", known.text)) and codes
        for key, known in found.items()
    )
    if label not in found and not is_said:
        found[label] = fact


def contact(passages: Iterable[NumberedPassage]) -> list[Fact]:
    """Whom to write to: the lines under a heading “Contact”, or else labeled values, from what is about us."""
    under, labeled = list[Fact](), list[Fact]()
    for passage in passages:
        if passage.kind != DocumentKind.ABOUT_US:
            continue
        is_contact = _is_about(passage, Topic.CONTACT)
        for block in read(passage.text):
            named = topics_of(block.text) if block.kind == BlockKind.HEADING else frozenset[Topic]()
            if named:
                is_contact = Topic.CONTACT in named
            elif block.kind == BlockKind.PAIR and _CONTACT_LABEL.fullmatch(block.label[:60]):
                (under if is_contact else labeled).append(Fact(block.text, passage.number, label=block.label))
            elif is_contact and block.kind == BlockKind.ROW:
                under += [Fact(cell, passage.number) for cell in block.cells if cell]
            elif is_contact and not (block.kind == BlockKind.PAIR and _DATA_LABEL.fullmatch(block.label[:60])):
                under.append(Fact(block.text, passage.number, label=block.label))
    reachable = [fact for fact in labeled if re.search(r"@|\d{3}", fact.text)]
    return (under or (labeled if reachable else []))[:8]
