"""Extracts past and present projects from sheets, tables, headlines, and labeled values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import groupby, takewhile

from fundwright.language.extractive.claims import Others
from fundwright.language.extractive.facts import Fact, is_about, without_capitals
from fundwright.language.protocols import NumberedPassage
from fundwright.language.schemas import DocumentKind, nearest_heading
from fundwright.language.sentences import sentences_of
from fundwright.language.structure import RUN_IN_CHALLENGES, Block, BlockKind, read
from fundwright.language.topics import Topic, topics_of
from fundwright.language.value_patterns import FINISHED, MONEY, NUMBER, PERIOD, PIID, SINCE, customer_of, organizations, price_of


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
    RATING = "rating"
    REFERENCE = "reference"


# The first pattern that matches a label wins.
_PROJECT_LABELS: tuple[tuple[ProjectField, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        (
            ProjectField.REFERENCE,
            r".*\b(?:poc|point of contact|contact|cor|co|reference|phone|email|telephone|officer|representative|ansprechpartner)\b.*",
        ),
        (ProjectField.TYPE, r"(?:contract|award|grant)? ?type|vertragsart|type de .*"),
        (ProjectField.ROLE, r"(?:our |contractor )?role|prime|prime (?:or sub\w*|/ ?sub\w*|contractor)|we were|rolle|rôle"),
        (
            ProjectField.RATING,
            r"(?:(?:cpars?|overall|performance|customer|client|final) ){0,2}(?:ratings?|assessment)|cpars|bewertung|évaluation",
        ),
        (
            ProjectField.VALUE,
            r"how much|dollars?(?: .*)?|(?:.*\b)?(?:value|amount|price|costs?|budget|funding|ceiling|fee|sum|share)|(?:total |final )?award|award(?:ed)? amount(?: ?/.{1,20})?|auftrags(?:wert|summe|volumen)|volumen|montant.*|valeur",
        ),
        (
            ProjectField.PERIOD,
            r"from ?[-–—/] ?to|(?:period|pop|dates?|term|duration|years?|when|runs?|start ?/ ?end)(?: of performance| of award)?|.*\bperiod(?: of performance)?|.*\bstart and end dates?"
            r"|(?:performance|project|contract) dates|(?:year |date )?completed|zeitraum|laufzeit|période|durée",
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
            r"(?:(?:project |contract |building )?owner|customer|client|agency|funder|grantor|sponsor|buyer|end user|who paid|paid by|done for|who for|who (?:is|was) the customer|(?:buying|contracting|procuring|ordering|issuing) (?:office|activity|command|organization)|awarding (?:agency|organization|entity)|funding (?:agency|source)|issuing agency|source of (?:support|funding|funds)|for|auftraggeber|kunde"
            r"|bailleur|maître d'ouvrage)(?: name| agency)?(?: ?/.*)?",
        ),
        (
            ProjectField.TITLE,
            r"(?:project|contract|program|grant|award)? ?(?:title|name)(?: of (?:the )?(?:work|project|contract))?|project|program|projekt(?:titel)?|titre|projet|contract reference.*",
        ),
        (
            ProjectField.WORK,
            r"(?:brief )?(?:description|scope|services|work|summary|activities|tasks)(?: of (?:the )?(?:work|services|project|effort))?(?: performed| provided)?"
            r"|what (?:we|was) (?:did|done|delivered)|project description|describe the (?:work|services|project)|what(?: came of it| happened)?|accomplishments?|results?|outcomes?|achievements?|leistung\w*|beschreibung|description.*|ergebnis\w*"
            r"|résultats?|prestations",
        ),
    )
)
_SHORT_FIELDS = frozenset(
    (ProjectField.WORK, ProjectField.CUSTOMER, ProjectField.PERIOD, ProjectField.VALUE, ProjectField.CONTRACT)
)
"""Labels that can be a heading above their value."""
_NOT_THE_WORK = re.compile(
    r".*\b(?:challenges?|problems?|obstacles?|difficult\w+|setbacks?|issues?|delays?|corrective actions?|risks?|what went wrong|background|mission of the customer|was asked|bad news|follow-up|next time|do differently|(?<!and )relevance|(?:office|official|agency) use|lessons?|comments?|references?|ratings?|cpars|customer need|contact|contractor information|team"
    r"|herausforderung\w*|problem\w*|schwierigkeit\w*|ausgangslage|défis?|difficultés?|contexte)\b.*",
    re.IGNORECASE,
)
_FORM_NAMES = re.compile(
    r"(?:past|relevant|project|contract|grant|performance|corporate|completed|prior|previous|research|recent|experience)?[ ]?"
    r"(?:past )?(?:performance|experience|profile|project|reference|contract|closeout|support|information|questionnaire|summary|sheet|citation|example|case study|matrix|projects"
    r"|description|award)(?:[ ](?:information|reference|sheet|summary|questionnaire|profile|citation|example|matrix|form|\#?\d{1,2})){0,3}",
    re.IGNORECASE,
)
_NOT_A_TITLE = re.compile(
    r"\W*(?:disclaimer|(?:forwarded|original) message|continued|to whom .*|dear .*|subject|re|fw|talk to .*|name of (?:offeror|firm|contractor).*|prime|remarks?|comments?|(?:(?:final|interim|annual|narrative|performance|progress|technical) ){1,3}(?:report|narrative)|.{0,30}\bp(?:age|\.)? ?\d{1,3}(?: of \d{1,3})?)\W*",
    re.IGNORECASE,
)
"""Text in the margin of a page, a message, or a form."""
_IS_MESSAGE = re.compile(
    r"^\W*(?:from:|to whom it may concern|-{3,} ?forwarded message)|\bto be completed by the (?:client|customer|evaluator|reference)",
    re.IGNORECASE | re.MULTILINE,
)
_SALUTATION = re.compile(r"^\W*(?:dear\b|to whom it may concern|sehr geehrte|madame|monsieur)", re.IGNORECASE | re.MULTILINE)
_WRITER_WORDS = re.compile(
    r"\s*(?:I|we|our|my|us|dear|you|your)\b|.{0,40}\b(?:I|my)\b|.*\bto whom\b|.{0,40}\bfor your (?:files|records|information|reference)\b",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"^[>\s*]{0,10}(?:subject|betreff|objet)\*{0,2}:\s{0,5}(?:(?:re|fwd?|aw|wg|tr):\s{0,5}){0,9}(\S.{2,80}?)\s*$",
    re.IGNORECASE | re.MULTILINE,
)
_NO_SUBJECT = re.compile(
    r"\b(?:references?|info|information|questions?|letter|hello|hi|proposals?|requests?|quotes?|documents?|forms?|help|follow[- ]?up|meeting|call|your|our)\b",
    re.IGNORECASE,
)
_CHATTER = re.compile(
    r"\W*(?:(?:hi|hello|hey|hallo|bonjour)\b|(?:many |much )?thanks?\b|thank you\b|see attached|(?:please )?(?:find|see) (?:the )?(?:attached|enclosed)|(?:the )?(?:attached|enclosed)\b"
    r"|(?:please |just )?(?:let me know|give (?:me|us) a (?:call|ring|shout)|feel free|don['’]t hesitate|do not hesitate|reach out|call me)|(?:i )?hope (?:you|all|this|that|things|everything)\b"
    r"|(?:great|good|nice) to (?:hear|see|meet|talk)|talk soon|see you|take care|sorry (?:for|about|it)|(?:say hi|best to)\b|(?:best|kind|warm) (?:regards|wishes)|as (?:discussed|promised|requested)"
    r"|per (?:your|our) (?:call|email|request|note)|got your (?:message|note|email|voicemail)|happy to (?:help|talk|chat)|looking forward to|fyi\b|no worries|congrat\w+)"
    r"|.{0,40}\b(?:got your (?:message|note|email|voicemail)|sorry for the (?:slow|late|delayed) (?:reply|response))",
    re.IGNORECASE,
)
"""What people write in messages that is not about the work."""
_CERTIFIED = re.compile(
    r"\b(?:certifi(?:ed|cat\w+)|accredit\w+|zertifizier\w+|certifiée?s?|ISO(?:/IEC)? \d{4,5})\b", re.IGNORECASE
)
_SUBCONTRACTOR = re.compile(r"\bsub(?:contractor|recipient|awardee|consultant)?\b", re.IGNORECASE)
_CONTACT_DETAIL = re.compile(r"@|\bpoint of contact\b|\d{3}\)?[ .-]\d{3}[ .-]\d{4}", re.IGNORECASE)
_FORM_PREFIX = re.compile(
    r"\s*(?:past performance|relevant experience|project|contract reference|reference|case study|example)\s?(?:no\.?|\#)?\s?\d{0,2}\s?[:–—-]\s?",
    re.IGNORECASE,
)
_REFERS_BACK = re.compile(
    r"(?:it|its|they|their|this|these|he|she|his|her|er|sie|es|ihre?|il|elle|ils|leurs?|son|sa|ses)\b", re.IGNORECASE
)
_MONEY = re.compile(r"[$€£]|\d")
_YEAR_SPAN = re.compile(
    r"\b(?:\d{1,2}/)?(?:19|20)\d\d(?:\s?(?:[-–—]|to|through)\s?(?:(?:\d{1,2}/)?(?:19|20)?\d\d|present|ongoing))?\b"
)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_SCALED = re.compile(r"(\d{1,15}(?:\.\d{1,3})?)\s?(thousand|million|billion|[kKmMbB]\b)?")
_MIN_DIGITS = 2
"""The minimum number of equal digits of the same amount; with fewer, two amounts may differ."""
_MIN_CUSTOMER_WORDS = 2
_STEM = 4
_HEADLINE_WORDS = 28
_IN_PARENTHESES = re.compile(r"\s?\([^()]{0,40}\)$")
_CONTRACT_CODE = re.compile(r"(?=[A-Z-]{0,12}\d)(?=.{0,18}\d{3})[A-Z0-9][A-Z0-9-]{6,20}")
_SUBORDINATE = re.compile(r"(?:when|until|because|while|after|since|before)\b")
_APPROXIMATELY = re.compile(r",? (?:about|approximately|some|nearly|over)$", re.IGNORECASE)
_MAX_LABEL_WORDS = 6
_HEADLINE_KINDS = frozenset((BlockKind.HEADING, BlockKind.ITEM, BlockKind.SENTENCE, BlockKind.LINE))


@dataclass
class Project:
    document: str
    fields: dict[ProjectField, Fact] = field(default_factory=dict[ProjectField, Fact])
    work: list[Fact] = field(default_factory=list[Fact])
    """The work, sentence by sentence."""
    facts: list[Fact] = field(default_factory=list[Fact])
    """Other facts, without a known label."""
    is_of_customer: bool = False
    """Whether the customer describes the project."""
    is_of_list: bool = False
    """Whether it is one line of a list."""

    @property
    def name(self) -> Fact | None:
        return self.fields.get(ProjectField.TITLE) or self.fields.get(ProjectField.CUSTOMER)

    @property
    def contract_key(self) -> str:
        contract = self.fields.get(ProjectField.CONTRACT)
        return re.sub(r"\W", "", contract.text).casefold() if contract else ""

    @property
    def is_known(self) -> bool:
        """Whether there is enough data to show the project."""
        name = self.name
        customer = self.fields.get(ProjectField.CUSTOMER)
        # If the title contains the customer's name, as in a list of customers, the two count as one field.
        is_named_only = bool(name and customer and name is not customer and (customer.text in name.text or not customer.label))
        return name is not None and (len(self.fields) > 1 + is_named_only or bool(self.work))


def projects(passages: Sequence[NumberedPassage], others: Others) -> list[Project]:
    """Past and present projects, in the order of the documents. Data from several documents about the same contract is merged."""
    found: list[Project] = []
    for document, group in groupby(passages, key=lambda passage: passage.document):
        own = [
            passage
            for passage in group
            if passage.kind == DocumentKind.PAST_PERFORMANCE or is_about(passage, Topic.PAST_PERFORMANCE)
        ]
        for project in _projects_of(document, own, others):
            _complete(project, others)
            if project.name is None and project.is_of_customer and (subject := _subject_of(own)):
                project.fields[ProjectField.TITLE] = subject
            same = next((each for each in found if _is_same_project(each, project)), None)
            if same is None:
                found.append(project)
            else:
                # Labeled values are more reliable than values recognized by their form.
                labeled = {name: fact for name, fact in project.fields.items() if fact.label}
                unlabeled = {name: fact for name, fact in same.fields.items() if not fact.label}
                same.fields = {
                    **project.fields,
                    **same.fields,
                    **{name: labeled[name] for name in labeled.keys() & unlabeled.keys()},
                }
                same.work += [fact for fact in project.work if fact.text not in {known.text for known in same.work}]
                title = project.fields.get(ProjectField.TITLE)
                if title and same.fields[ProjectField.TITLE].text == same.fields.get(ProjectField.CUSTOMER, title).text:
                    same.fields[ProjectField.TITLE] = title
    return [project for project in found if project.is_known]


def _subject_of(passages: Sequence[NumberedPassage]) -> Fact | None:
    """The subject of a message, which names the project if nothing else does."""
    for passage in passages:
        if (found := _SUBJECT.search(passage.text)) and not _NO_SUBJECT.search(found[1]):
            return Fact(found[1].strip(), passage.number)
    return None


def _is_same_project(one: Project, other: Project) -> bool:
    if one.contract_key and other.contract_key:
        return one.contract_key == other.contract_key
    names = [project.name.text.casefold() for project in (one, other) if project.name]
    return (len(names) == 2 and names[0] == names[1]) or (one.document != other.document and _is_same_work(one, other))


def _is_same_work(one: Project, other: Project) -> bool:
    """Whether two documents describe the same work: the same customer with the same amount, or with the same years and a word of
    the title in common, and no conflicting amount or years."""
    customers = [_words(project.fields.get(ProjectField.CUSTOMER)) for project in (one, other)]
    if min(map(len, customers)) < _MIN_CUSTOMER_WORDS or not (customers[0] <= customers[1] or customers[1] <= customers[0]):
        return False
    amounts = [_amount(project.fields.get(ProjectField.VALUE)) for project in (one, other)]
    years = [frozenset(_YEAR.findall(period.text)) if (period := period_of(project)) else None for project in (one, other)]
    is_same_amount = _is_same_amount(*amounts) if all(amounts) else None
    is_same_time = years[0] == years[1] if all(years) else None
    if False in (is_same_amount, is_same_time):
        return False
    titles = [_words(project.fields.get(ProjectField.TITLE)) - customers[0] - customers[1] for project in (one, other)]
    return bool(is_same_amount or (is_same_time and any(len(word) > _STEM for word in titles[0] & titles[1])))


def _words(fact: Fact | None) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", fact.text.casefold())) if fact else frozenset()


def _amount(fact: Fact | None) -> str:
    """Return the digits of an amount of money, with zeros for “million.”"""
    found = _SCALED.search(fact.text.replace(",", "")) if fact else None
    if found is None:
        return ""
    whole, _, part = found[1].partition(".")
    zeros = {"k": 3, "t": 3, "m": 6, "b": 9}[found[2][0].casefold()] if found[2] else 0
    return (whole + (part.ljust(zeros, "0") if zeros else "")).lstrip("0")


def _is_same_amount(one: str, other: str) -> bool:
    """Whether the amount with fewer nonzero digits is the other one, rounded: $1.2M is $1,214,900."""
    rounded, exact = sorted((one, other), key=lambda digits: len(digits.rstrip("0")))
    unit = 10 ** (len(rounded) - max(len(rounded.rstrip("0")), _MIN_DIGITS))
    return len(one) == len(other) and abs(int(exact) - int(rounded)) * 2 <= unit


def _projects_of(document: str, passages: Sequence[NumberedPassage], others: Others) -> Iterator[Project]:
    title: Fact | None = None
    is_work, is_claimable = True, True
    # In a text by a customer, “we” is the customer.
    is_by_customer = any(_IS_MESSAGE.search(passage.text) for passage in passages)
    is_letter = is_by_customer or any(_SALUTATION.search(passage.text) for passage in passages)
    is_by_customer = is_by_customer or (is_letter and any(_names_us(passage, others) for passage in passages))
    project = Project(document, is_of_customer=is_by_customer)
    for passage in passages:
        blocks = read(passage.text)
        above = nearest_heading(passage.heading)
        if above and not (blocks and blocks[0].text.casefold() == above.casefold()):
            blocks = [Block(BlockKind.HEADING, above, 0, 0), *blocks]
        addressed = _addressee_lines(passage.text) if is_by_customer else range(0)
        for place, block in enumerate(blocks):
            if block.start in addressed and block.end:
                continue
            block = _as_pair(block)
            if block.kind == BlockKind.PAIR and project.is_of_list and _is_organization(block.label, others):
                block = replace(block, kind=BlockKind.LINE, text=f"{block.label}: {block.text}", label="")  # the next customer
            if block.kind == BlockKind.ROW and block.columns:
                row = _row_project(document, block, passage.number)
                if row.is_known:
                    yield row
                else:
                    project.facts.append(Fact(block.text, passage.number))
                continue
            headline = (
                _headline(document, block, passage.number, others, is_listed=project.is_of_list)
                if block.kind in _HEADLINE_KINDS and not is_letter
                else None
            )
            if headline:
                if project.is_known:
                    yield project
                project, is_work = headline, True
                continue
            if block.kind != BlockKind.PAIR:
                project.facts.append(Fact(without_capitals(block.text), passage.number))
            is_title = block.kind == BlockKind.HEADING or (
                block.kind == BlockKind.LINE and not project.fields and not project.work
            )
            if is_title and is_letter:
                continue
            if is_title and _NOT_A_TITLE.fullmatch(block.text):
                continue
            if is_title and not MONEY.search(block.text):
                label = project_field(block.text)
                if _NOT_THE_WORK.fullmatch(block.text) and not _FORM_NAMES.fullmatch(block.text):
                    is_work = False
                elif label in _SHORT_FIELDS and label is not None and len(block.text.split()) <= 5:
                    is_work = label == ProjectField.WORK
                    # “Client:” with its value on the next line.
                    if not is_work and place + 1 < len(blocks) and label not in project.fields:
                        follows = blocks[place + 1]
                        if (
                            follows.kind in (BlockKind.LINE, BlockKind.HEADING, BlockKind.SENTENCE)
                            and (label == ProjectField.CUSTOMER or re.search(r"\d", follows.text))
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
                        title = Fact(without_capitals(name, passage.text), passage.number)
                        project.fields[ProjectField.TITLE] = title
                continue
            if block.kind == BlockKind.PAIR:
                label = project_field(block.label)
                if label is None:
                    # “Pueblo School District 60: chiller plants” above everything else names the project.
                    if _FORM_NAMES.fullmatch(block.label) and not re.search(r"[^\W\d]{4}", block.text):
                        continue
                    if place and _CERTIFIED.search(block.text):
                        continue  # “Quality: ISO 9001 certified since 2019” is about the company
                    if not place and not project.fields and not project.work and not _NOT_THE_WORK.fullmatch(block.label):
                        name = _FORM_PREFIX.sub("", f"{block.label}: {block.text}", count=1)
                        title = project.fields[ProjectField.TITLE] = Fact(name, passage.number)
                    elif not _NOT_THE_WORK.fullmatch(block.label):
                        project.facts.append(Fact(f"{block.label}: {block.text}", passage.number))
                        if len(sentences := _before_challenges(block.text)) > 1:
                            claims, is_claimable = _claimable(sentences, others, is_claimable=True)
                            project.work += [Fact(text, passage.number) for text in claims]
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
                if label != ProjectField.REFERENCE:
                    project.facts.append(Fact(block.text, passage.number))
                if label == ProjectField.ROLE and _SUBCONTRACTOR.search(block.text):
                    project.work.insert(0, Fact(f"{block.label}: {block.text}", passage.number))
                if label == ProjectField.WORK:
                    claims, is_claimable = _claimable(_before_challenges(block.text), others, is_claimable=True)
                    project.work += [Fact(text, passage.number, label=block.label) for text in claims]
                else:
                    _set_field(project, label, Fact(block.text, passage.number, label=block.label))
                continue
            follows = blocks[place + 1] if place + 1 < len(blocks) else None
            if block.kind == BlockKind.ITEM and follows and follows.kind == BlockKind.PAIR and project_field(follows.label):
                # “(1) ‘Margins that feed bees’” above its values.
                if project.is_known and (project.work or len(project.fields) > 1):
                    yield project
                project, is_work = Project(document), True
                title = project.fields[ProjectField.TITLE] = Fact(block.text.strip("\"“”‘’'"), passage.number)
                continue
            if block.label and _NOT_THE_WORK.fullmatch(block.label):
                is_work = False
            elif block.label and block.kind == BlockKind.SENTENCE:
                is_work = True
            if is_work and block.kind in (BlockKind.SENTENCE, BlockKind.ITEM):
                is_of_message = is_letter and _CHATTER.match(block.text)
                if is_of_message or _CONTACT_DETAIL.search(block.text) or (is_by_customer and _WRITER_WORDS.match(block.text)):
                    continue
                if is_by_customer and others.is_named_in(block.text) and not others.has_us_as_subject(block.text):
                    project.work.append(Fact(block.text, passage.number))  # “The Guard bought 640 covers from Coldbrook.”
                    continue
                claims, is_claimable = _claimable([block.text], others, is_claimable=is_claimable or is_letter)
                project.work += [Fact(text, passage.number) for text in claims]
    yield project


def _as_pair(block: Block) -> Block:
    """Read an item such as “2. Customer: City of Dayton” of a form as a labeled value."""
    label, colon, value = block.text.partition(": ") if block.kind == BlockKind.ITEM else ("", "", "")
    is_pair = colon and len(label.split()) <= _MAX_LABEL_WORDS and project_field(label)
    return replace(block, kind=BlockKind.PAIR, label=label, text=value) if is_pair else block


def _before_challenges(text: str) -> list[str]:
    """Return the sentences of a labeled value before “Problems and what we did.”"""
    return list(takewhile(lambda sentence: not RUN_IN_CHALLENGES.fullmatch(sentence), sentences_of(text)))


def _claimable(sentences: Sequence[str], others: Others, *, is_claimable: bool) -> tuple[list[str], bool]:
    """Return the sentences that can be claimed, and whether the last one can. `is_claimable` says whether the sentence before them
    can."""
    claims: list[str] = []
    for sentence in sentences:
        # “Its applications ran on old hardware” means nothing without the previous sentence.
        is_cut_off = bool(_REFERS_BACK.match(sentence)) and not is_claimable
        is_of_others = others.is_of_organization(sentence) or _is_organization(sentence, others)
        is_claimable = others.may_claim(sentence) and not is_of_others and not is_cut_off
        if is_claimable and len(sentence.split()) >= _MIN_WORK_WORDS:
            claims.append(sentence)
    return claims, is_claimable


def _headline(document: str, block: Block, number: int, others: Others, *, is_listed: bool) -> Project | None:
    """Read a one-line project, such as “City of Savannah – Living Shoreline, $890,000, 2021-2023: 900 feet of reef”, also with the
    customer last. `is_listed` says whether the line above is such a project, too."""
    money, years = MONEY.search(block.text), _YEAR_SPAN.search(block.text)
    if not money or len(block.text.split()) > _HEADLINE_WORDS:
        return None
    found = [match for match in (money, years) if match]
    head = block.text[: min(match.start() for match in found)].strip(" ,;:(–—-|")
    words = [word for word in head.split() if len(word) > 3]
    first, *more = head.split(", ")
    customer, _, title = (part.strip() for part in re.sub(r"\s[–—-]\s|: ", "\0", head, count=1).partition("\0"))
    # A project may be named like an organization, such as a network or a school, before its customer.
    is_customer_first = (
        not title
        and bool(more)
        and _is_organization(_IN_PARENTHESES.sub("", first), others)
        and not any(_is_organization(part, others) for part in more)
    )
    is_titled = (
        (is_listed and title and years)
        or sum(word[0].isupper() for word in words) >= len(words) * 0.6
        or (title and _is_organization(customer, others))
        or is_customer_first
    )
    if not 2 <= len(head.split()) <= 18 or not is_titled:
        return None
    contract = next(filter(_CONTRACT_CODE.fullmatch, more), "") if is_customer_first else ""
    if is_customer_first:
        customer, title = first, _APPROXIMATELY.sub("", ", ".join(part for part in more if part != contract))
    elif not title:
        title, _, customer = (part.strip() for part in head.rpartition(", "))
    if _is_organization(title, others) and not _is_organization(customer, others):
        customer, title = title, customer
    project = Project(document, facts=[Fact(block.text, number)], is_of_list=True)
    if contract:
        project.fields[ProjectField.CONTRACT] = Fact(contract, number)
    if title and (is_customer_first or _is_organization(customer, others) or not head.endswith(f", {customer}")):
        project.fields[ProjectField.CUSTOMER] = Fact(customer, number)
        project.fields[ProjectField.TITLE] = Fact(title, number)
    else:
        project.fields[ProjectField.TITLE] = Fact(head, number)
    project.fields[ProjectField.VALUE] = Fact(money.group().strip(" ,."), number)
    if years:
        project.fields[ProjectField.PERIOD] = Fact(years.group(), number)
    rest = block.text[max(match.end() for match in found) :].strip(" ,;:()–—-|").removeprefix(". ")
    claims, _ = _claimable([rest], others, is_claimable=True)
    project.work = [Fact(text, number) for text in claims if not _SUBORDINATE.match(text)]
    return project


def _is_organization(name: str, others: Others) -> bool:
    return bool(name) and not others.is_us(name) and next(organizations(name), ("", 0))[1] == len(name)


def _names_us(passage: NumberedPassage, others: Others) -> bool:
    sentences = [block.text for block in read(passage.text) if block.kind == BlockKind.SENTENCE]
    return any(others.is_named_in(sentence) and not _WRITER_WORDS.match(sentence) for sentence in sentences)


def _addressee_lines(text: str) -> range:
    """The addressee of a letter, who is the customer: the lines directly above the salutation."""
    found = _SALUTATION.search(text)
    above = text[: found.start()].rstrip() if found else ""
    start = above.rfind("\n\n")
    return range(start, len(above)) if start > 0 else range(0)


def _row_project(document: str, block: Block, number: int) -> Project:
    project = Project(document)
    for column, cell in zip(block.columns, block.cells, strict=True):
        label = project_field(column)
        if label and cell:
            _set_field(project, label, Fact(cell, number, label=column))
    return project


def _complete(project: Project, others: Others) -> None:
    """Recognize unlabeled values by their form, anywhere in the text."""
    if len(project.facts) > _MAX_FACTS:
        return  # the description of more than one project
    claims = [
        fact
        for fact in project.facts
        if project.is_of_customer
        or not others.is_of_others(fact.text)
        or NUMBER.search(fact.text)
        or (others.mentions_us(fact.text) and MONEY.search(fact.text))
    ]
    for name, find in _FORMS.items():
        if name in project.fields or (
            name == ProjectField.PERIOD and (ProjectField.BEGIN in project.fields or ProjectField.END in project.fields)
        ):
            continue
        found = next((Fact(text, fact.number) for fact in claims if (text := find(fact.text))), None)
        if found:
            project.fields[name] = found
    named = project.fields.get(ProjectField.CUSTOMER)
    if named and (MONEY.search(named.text) or NUMBER.search(named.text)):
        # “Thistledown Foundation, grant 2023-118, $145,000”
        project.fields[ProjectField.CUSTOMER] = Fact(named.text.split(",")[0].strip(), named.number)
    if ProjectField.CUSTOMER not in project.fields:
        text = " ; ".join(fact.text for fact in claims)
        if name := customer_of(text, others.is_us):
            number = next((fact.number for fact in claims if name in fact.text), claims[0].number)
            project.fields[ProjectField.CUSTOMER] = Fact(name, number)


def _period_in(text: str) -> str:
    since = SINCE.search(text)
    if since and _OF_FIRM.search(text[: since.start()]):
        since = None
    found = PERIOD.search(text) or FINISHED.search(text) or since
    return found["day"] if found and "day" in found.re.groupindex else found.group() if found else ""


def _contract_in(text: str) -> str:
    found = NUMBER.search(text) or PIID.search(text)
    return found["code"] if found else ""


_OF_FIRM = re.compile(
    r"\b(?:certified|accredited|registered|licensed|in business|established|incorporated)\W{0,3}(?:\w+\W){0,2}$", re.IGNORECASE
)
"""Words before a date that say what a company has been since then."""
_FORMS = {ProjectField.VALUE: price_of, ProjectField.PERIOD: _period_in, ProjectField.CONTRACT: _contract_in}
_MAX_FACTS = 60
_MIN_WORK_WORDS = 3


_FORM_NUMBER = re.compile(r"\A\(?(?:\d{1,2}|[a-z])[.)]\s{1,5}")
"""The number of a field of a form, as in “2. Customer.”"""


def project_field(label: str) -> ProjectField | None:
    """Return the field for a label. “Quality / Results” is for the work, because one of its parts is."""
    parts = re.split(r" ?/ ?| & | and ", label)
    return _field_of(label) or (ProjectField.WORK if any(_field_of(part) == ProjectField.WORK for part in parts) else None)


def _field_of(label: str) -> ProjectField | None:
    label = _FORM_NUMBER.sub("", label, count=1)
    text = " ".join(label.replace(".", " ").replace("#", " number").split()).strip(" :()")
    return next((name for name, pattern in _PROJECT_LABELS if pattern.fullmatch(text[:60])), None)


def _set_field(project: Project, label: ProjectField, fact: Fact) -> None:
    if label == ProjectField.WORK:
        project.work.append(fact)
        return
    if label == ProjectField.VALUE and not _MONEY.search(fact.text):
        return
    known = project.fields.get(label)
    # The final price of a contract differs from the initial one.
    is_better = label == ProjectField.VALUE and re.search(r"final|total", fact.label, re.IGNORECASE)
    if known is None or is_better or (label == ProjectField.TITLE and not known.label):
        project.fields[label] = fact


def period_of(project: Project) -> Fact | None:
    known = project.fields.get(ProjectField.PERIOD)
    begin, end = project.fields.get(ProjectField.BEGIN), project.fields.get(ProjectField.END)
    if known is None and begin and end:
        # Keep the labels: an award date is not the first day of the work.
        return Fact("; ".join(f"{fact.label} {fact.text}".strip() for fact in (begin, end)), begin.number)
    return known or end or begin
