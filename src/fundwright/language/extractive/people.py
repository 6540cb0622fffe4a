"""Extracts the team from résumés and lists of people."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from fundwright.language.extractive.claims import Others
from fundwright.language.extractive.facts import Fact, is_about, without_capitals
from fundwright.language.protocols import NumberedPassage
from fundwright.language.schemas import DocumentKind, nearest_heading
from fundwright.language.sentences import sentences_of
from fundwright.language.structure import Block, BlockKind, read
from fundwright.language.topics import Topic, topics_of
from fundwright.language.value_patterns import organizations

_CREDENTIALS = (
    r"(?:,? (?:Ph\.?D\.?|Dr\.?P\.?H\.?|M\.?D\.?|P\.?E\.?|PMP|CISSP|MPH|MBA|M\.?S\.?c?|B\.?S\.?c?|M\.?A\.?|J\.?D\.?|R\.?N\.?|CPA|LEED AP|P\.?G\.?|CIH|CSP|Sc\.?D\.?|Ed\.?D\.?|AIA|RA|CISM|[A-Z]\.[A-Z]\.(?:[A-Z]\.)?"
    r"|[A-Z]{2,6}(?:-[A-Z][A-Za-z]{0,9})?))"
)
_WORD = r"[A-ZÄÖÜÉÀÁÍÓÚŁŠŽ][^\W\d_]{0,24}(?:['’-][^\W\d_]{1,24})?\.?"
_PERSON = re.compile(
    rf"((?:(?:Dr|Prof|Mr|Mrs|Ms|Dipl)\.?[ -](?:Ing\.? )?)?{_WORD}(?: (?:{_WORD}|[\"“(]{_WORD}[\"”)]|de|da|dos|van|von|der|la|del|bin|al)){{1,4}}|{_WORD}, [A-Z][a-zäöüéèáíóúłš]{{1,20}}(?: {_WORD}\.?)?)"
    rf"({_CREDENTIALS}{{0,5}})\s{{0,3}}(?:(?:[–—|,:]|-(?=\s))\s{{0,3}}(\S.{{1,90}}))?"
)
_NOT_A_NAME = re.compile(
    r".*\b(?:curriculum|vitae|r[eé]sum[eé]|biograph\w+|sketch|profile|summary|manager|director|officer|engineer|lebenslauf|personnel|department|university|company|inc|llc|institute"
    r"|laborator\w+|services|projects?|experience|education|work|history|page|street|road|avenue|contractors?|statement|support|capabilit\w+|certifications?|training|skills"
    r"|professional|employment|synergistic|activities|certification|identifying|positions?|honors|publications|team|staff|management|technology|references?|contact|license\w*|college|school|role|contract|committee|council|commission|board"
    r"|architect|analyst|administrator|coordinator|specialist|supervisor|superintendent|consultant|technician|developer|expert|associate|certified|certificate|licensed|registered|solutions?|systems?|software|cloud|database|networking|cybersecurity|sigma|belt"
    r"|aws|azure|microsoft|cisco|comptia|oracle|google|vmware|salesforce|linux|itil|nicet|osha|hazwoper|cissp|cism|pmp)\b.*",
    re.IGNORECASE,
)
"""Words of headings, roles, certificates, and products."""
_ROLE_LABEL = re.compile(
    r"(?:proposed |current |project |job |position |present )?(?:role|position|title|job title|position title|proposed as|funktion|rolle|poste|fonction)(?: on (?:the )?project| title)?",
    re.IGNORECASE,
)
_NAME_LABEL = re.compile(r"(?:full |employee )?name|nom", re.IGNORECASE)
_QUALIFICATION = re.compile(
    r".*\b(?:education|school|quals?|degrees?|cert(?:ifi\w+|s)?|tickets?|licen[cs]\w*|registration|credentials|qualifications?|preparation|training|clearance|experience|y(?:ea)?rs\b.*|ausbildung|abschl\w+|zertifikat\w*|berufserfahrung"
    r"|formation|diplômes?|expérience)\b.*",
    re.IGNORECASE,
)
_QUALIFYING_HEADING = re.compile(
    r".*\b(?:education|degrees?|cert(?:ifi\w+|s)|licen[cs]\w*|registrations?|credentials|qualifications?|preparation|training|ausbildung|abschl\w+|zertifikat\w*|formation|diplômes?)\b.*",
    re.IGNORECASE,
)
_YEARS = re.compile(
    r"\b(?:\d{1,2}|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty)(?:\+| plus)? (?:years|jahren?|ans)\b",
    re.IGNORECASE,
)
_HOLDS_DEGREE = re.compile(
    r"\b(?:holds?|earned|received|graduate|certified|licensed|registered) .{0,60}\b(?:Ph\.?D|degrees?|master|bachelor|doctorate|certif\w+|licen\w+|in|engineer|M\.?S|B\.?S)\b",
    re.IGNORECASE,
)
_CERTIFICATE = re.compile(
    r"\b(?:certified|certificat\w+|licensed|licen[cs]e|registered|accredited|professional (?:land )?(?:surveyor|engineer|geologist)|journeym[ae]n|master (?:plumber|electrician)|trainer|LEED|PMP|CISSP|CISM|ITIL|CompTIA|OSHA|HAZWOPER|P\.E|P\.G"
    r"|CPA|zertifiziert\w*|certifiée?)\b",
    re.IGNORECASE,
)
_VERB = re.compile(r"\b(?:is|are|was|were|has|have|had|led|leads|manages?d?|will|ist|hat|est|a)\b")
_DAY = r"(?:\w{3,9}\.? )?(?:\d{1,2}/)?(?:19|20)\d\d"
_DATES = rf"\s?\(?(?:since |seit |depuis )?{_DAY}(?:\s?(?:[-–—]|to|until|bis|à)\s?(?:{_DAY}|present|now|current|today|heute|aujourd'hui|(?=\))))?\)?"
_DATES_BEFORE = re.compile(rf"{_DATES}[\s,;|:–—-]*+", re.IGNORECASE)
_DATES_AFTER = re.compile(rf"{_DATES}\Z", re.IGNORECASE)
"""When the person held a position, with surrounding brackets."""
_SEPARATORS = " \t\r\n,;|:–—-"
_CURRENT = re.compile(
    r"\b(?:present|now|current|today|since (?:19|20)\d\d|heute|seit (?:19|20)\d\d|depuis (?:19|20)\d\d)\b", re.IGNORECASE
)
_POSITIONS_HEADING = re.compile(
    r".*\b(?:experience|employment|appointments?|positions?|work history|career|berufserfahrung|werdegang|expérience|parcours)\b.*",
    re.IGNORECASE,
)
_CLEARANCE = re.compile(
    r"(?:(?:active|current|interim|final|DoD|top|secret|TS|SCI|DOE|[QL]|public trust)[ /]{1,2}){1,5}clearance\.?", re.IGNORECASE
)
"""“Active Top Secret clearance.”"""
_LABELED_LINE = re.compile(r"(?:Certs?|Certifi\w+|Licen[cs]es?|Degrees?|Education)\b")
_NEAR_NAME = 5
_MIN_SHORT_NAME = 3
"""The least number of letters of a short form of a name, such as Dan."""
_MIN_BIOGRAPHIES = 2
_BLANK_LINES = re.compile(r"\n[ \t\r]*(?:\n[ \t\r]*)+")
_CONTACT_DETAILS = re.compile(r",? ?(?:\S+@|\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4})")
_SHORT_ROLE = 8
_FRAGMENT_WORDS = 20
_PRONOUN = re.compile(r"(?:he|she|they|his|her|their|er|sie|il|elle)\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"\bI\b|\bmy\b")
_PLACE = re.compile(r"[A-Z][\w. ]{2,20}, (?:[A-Z]{2}|[A-Z][a-z]{3,}(?: [A-Z][a-z]+)?)")
"""“Bend, Oregon”, a place of residence."""
_TOWN = re.compile(r"[A-Z][a-z]{2,20},? [A-Z]{2}")
"""“Bend OR”: a person has two names."""
_MIN_PROSE_SHARE = 0.6
_ROLE_NOUN = (
    r"(?:President|CEO|CFO|COO|Director|Manager|Engineer|Officer|Professor|Scientist|Owner|Founder|Partner|Principal|Lead|Leader|Chief|Coordinator|Supervisor|Superintendent|Analyst"
    r"|Specialist|Architect|Investigator|Nurse|Interpreter|Administrator|Executive|Chair|Dean|Foreman|Inspector|Consultant|Researcher|Technician|Planner|Estimator|Developer|Geologist|Chemist|Biologist)"
)
_ROLE = re.compile(rf"\b{_ROLE_NOUN}\b")
_ROLE_BEFORE_NAME = re.compile(rf"(?:[\w&-]{{2,20}} ){{0,3}}{_ROLE_NOUN}", re.IGNORECASE)
_OCCUPATION = re.compile(
    rf"\b(?:{_ROLE_NOUN}|[a-zA-Z]{{3,20}}(?:er|or|ist|ian|ect)|nurse|lead|head|chief|president|assistant|technician|fellow)\b",
    re.IGNORECASE,
)
"""An occupation, in capitals or not: “paper conservator.”"""
_OPEN_PERIOD = re.compile(
    r"\b(?:19|20)\d\d ?(?:[-–—→] ?(?:present|now|current|today)?$|(?:[-–—→]|to) ?(?:present|now|current|today))", re.IGNORECASE
)
_CAPITALS = re.compile(r"[^\W\d_]{2,}")
_NARRATIVE = re.compile(
    rf"(?:Our \w+, |Meet |Dr\. |Mr\. |Ms\. )?({_WORD}(?: (?:{_WORD}|[\"“(]{_WORD}[\"”)])){{1,4}}{_CREDENTIALS}{{0,4}})(?:,| (?:is|was|has|had|grew|founded|leads|led|joined|came|earned|holds|serves|began|brings|directs|started|runs|manages|works|spent|oversees|heads)\b)"
)
_ROLE_IN_PROSE = re.compile(
    rf"\b(?:is|as|been|became|becoming|(?:made|named|appointed)(?: (?:her|him|them))?)(?: (?:the|our|its|their|a|an|now))? ((?:(?:[A-Z][\w'’-]+|of|and|for|&),? ){{0,5}}{_ROLE_NOUN}(?:(?: (?:of|for|and|&))(?: (?:[A-Z][\w'’-]+|and|&|owner|founder|the))+)?)"
)
_NOT_FIRST_PERSON = r"(?!(?:I|me|my|we|us|our)\b)[\w/&'’-]"
_QUALIFICATIONS_IN_PROSE = (
    re.compile(
        r"\b(?:\d{1,2}|[Tt]en|[Tt]welve|[Ff]ifteen|[Tt]wenty)(?:\+| plus| more)? years (?:of|in|as|with|at)(?: (?!and\b)[\w/&'’-]+){1,8}(?=[,.;]| and\b|$)"
    ),
    # “(I have) worked for 14 years on food access”, including the verb, so that it can stand alone.
    re.compile(
        r"(?:(?:(?<=\bhas )|(?<=\bhave ))(?!(?:been|not|never|an?|the|no)\b)|(?<=\bhas been )|(?<=\bhave been )"
        r"|(?:(?<=\bI )|(?<=\b[Hh]e )|(?<=\b[Ss]he ))(?=(?:\w+ed|led|ran)\b))"
        rf"{_NOT_FIRST_PERSON}+,?(?: {_NOT_FIRST_PERSON}+,?){{0,10}}? for \d{{1,2}} years(?: (?!(?:and|he|she)\b){_NOT_FIRST_PERSON}+){{0,8}}(?=[,.;]| and\b|$)"
    ),
    re.compile(
        r"\b(?:Ph\.?D\.?|Ed\.?D\.?|Dr\.?P\.?H\.?|J\.?D\.?|M\.?D\.|M\.?B\.?A\.?|M\.?P\.?H\.?|M\.?S\.?W?\.?|M\.?A\.?|B\.?S\.?N?\.?|B\.?A\.?|A\.?A?\.?S\.?|[Mm]aster['’]s(?: degree)?|[Bb]achelor['’]s(?: degree)?|doctorate)"
        r"(?: degree)?(?: (?:in|of)(?: [A-Z&][\w&'’-]*,?| and| of){1,6})?,? (?:from|at)(?: the)?(?: [A-Z][\w&'’.–-]*| of| and| at){1,8}"
    ),
    re.compile(
        r"\b(?:(?:federally|board|state|nationally|ATA|ISSA)[- ])?(?:[Cc]ertified|[Ll]icensed|[Rr]egistered)(?: (?!(?:and|has|have|who|with|she|he|since|by)\b)[\w/&'’-]+){1,8}(?: \([^()]{1,60}\))?|\b(?:PMP|CISSP|LEED AP|OSHA \d+|CDL|P\.E\.)\b"
    ),
)
_ROLE_COLUMN = re.compile(r".*\b(?:role|position|title|function|funktion)\b.*", re.IGNORECASE)
_EMPTY_CELL = re.compile(r"\W*|none|n/?a|tbd|not applicable|keine?|aucune?", re.IGNORECASE)
_BARE_CELL = re.compile(r"\d{1,2}\+?|yes|[A-Z][a-z]+|Top Secret|Public Trust")
"""A cell that means little without the header of its column: “Clearance: Secret,” “Years: 12.”"""
DEGREE = re.compile(
    r"\b(?:Ph\.?D|Dr\.?P\.?H|M\.?D\.?|M\.?S\.?c?|B\.?S\.?c?|M\.?P\.?H|MBA|B\.?A|M\.?A|A\.A\.S|B\.Tech|M\.Eng|B\.Eng|PHD|MSc|Diplom\w*|Bachelor|Master)\b"
)


@dataclass
class Person:
    name: Fact
    role: Fact | None = None
    qualifications: list[Fact] = field(default_factory=list[Fact])
    first: Fact | None = None
    """The first sentence about the person."""
    position: Fact | None = None
    """The current position, according to the work history."""

    @property
    def key(self) -> frozenset[str]:
        words = re.findall(r"\w+", re.sub(r"^(?:Dr|Prof|Mr|Mrs|Ms)\.? ", "", self.name.text).casefold())
        return frozenset(word for word in words[:4] if len(word) > 2)


def people(passages: Sequence[NumberedPassage], others: Others) -> list[Person]:
    """The team with roles and qualifications, starting with those who have a résumé. Documents about us tell roles and the order,
    and résumés tell qualifications; what they say about a person is combined."""
    described: list[Person] = []
    team: list[Person] = []
    documents = [list(group) for _, group in groupby(passages, key=lambda passage: passage.document)]
    for own in sorted(documents, key=lambda own: own[0].kind != DocumentKind.RESUME):
        is_resume, is_about_us = (own[0].kind == kind for kind in (DocumentKind.RESUME, DocumentKind.ABOUT_US))
        if is_resume:
            candidates = (person for part in _split_biographies(own) for person in _people_of_resume(part))
        else:
            candidates = _people_of_team([passage for passage in own if is_about(passage, Topic.PEOPLE)], others)
        for person in candidates:
            role = person.role or person.position
            person.role = Fact(without_capitals(role.text), role.number, role.label) if role else None
            if (person.role is None and not person.qualifications) or others.is_our_name(person.name.text):
                continue
            known = next((known for known in (*described, *team) if _is_same(person, known)), None)
            if known is None:
                (described if is_resume else team).append(person)
            elif not is_resume:
                _complete(known, person, is_role_preferred=is_about_us)
                team += [] if known in team else [known]
    places = {id(person): place for place, person in enumerate(team)}
    described.sort(key=lambda person: places.get(id(person), len(team)))
    return [*described, *(person for person in team if person not in described)]


def _is_same(one: Person, other: Person) -> bool:
    """Whether one name contains the other, of which one word may be shortened: “Dan Ferro” and “Daniel J. Ferro.”"""
    fewer, more = sorted((one.key, other.key), key=len)
    different = fewer - more
    return not different or (
        len(different) == 1
        and bool(fewer & more)
        and any(_is_short_for(each, whole) or _is_short_for(whole, each) for each in different for whole in more - fewer)
    )


def _is_short_for(name: str, whole: str) -> bool:
    return len(name) >= _MIN_SHORT_NAME and whole.startswith(name)


def _complete(person: Person, listed: Person, *, is_role_preferred: bool) -> None:
    """Add what a list of the team says about a person: the role, and qualifications that the résumé lacks."""
    if listed.role and (is_role_preferred or not person.role):
        person.role = listed.role
    known = " ".join(fact.text for fact in (person.name, *person.qualifications)).casefold()
    person.qualifications += [fact for fact in listed.qualifications if not _tells(known, fact.text)]


def _tells(known: str, text: str) -> bool:
    """Whether a text in lower case already has all words and numbers of another one."""
    return set(re.findall(r"[\w.]+\b", text.casefold())) <= set(re.findall(r"[\w.]+\b", known))


def as_person(text: str, number: int) -> Person | None:
    line = " ".join(text.split()).strip(" *_#|:")
    line = line[:-1] if line.endswith(".") and not re.search(r"\b(?:[A-Z]|\w*\.\w{1,2}|Jr|Sr)\.$", line) else line
    match = _PERSON.fullmatch(line) if len(line) <= 160 else None
    if match is None or _NOT_A_NAME.fullmatch(match[1]) or _TOWN.fullmatch(line):
        return None
    name = match[1].rstrip(",")
    credentials, role = match[2].strip(" ,"), match[3]
    if "," in name:
        last, _, first = name.partition(", ")
        if len(last) < 2 or (role and not _ROLE.search(role)):
            return None  # “Python, Docker, Jenkins and GitLab”
        name = f"{first} {last}"
    if name.isupper():
        name = _CAPITALS.sub(lambda word: word[0].capitalize(), name)
    return Person(
        name=Fact(f"{name}, {credentials}" if credentials else name, number),
        role=Fact(role.strip(" *_"), number) if role and not re.search(r"@|\d{3}", role) else None,
    )


def named_person(block: Block, following: Sequence[Block]) -> frozenset[str]:
    """Return the words of a person's name above these blocks, recognized by what follows: a role, a degree, or years of experience.
    Otherwise, returns ''."""
    is_alone = block.kind in (BlockKind.HEADING, BlockKind.LINE) or (
        block.kind == BlockKind.SENTENCE and len(block.text.split()) < 8
    )
    is_described = any(
        pattern.search(f"{other.label} {other.text}") for pattern in (_ROLE, DEGREE, _YEARS) for other in following
    )
    return person_named(block.text) if is_alone and is_described else frozenset()


def person_named(text: str) -> frozenset[str]:
    """Return the words of a person's name, or '' for roles and organizations, which look the same."""
    named = as_person(text, 0)
    is_other = re.search(r"\d", text) or _ROLE.search(text) or next(organizations(text), None)
    return frozenset() if named is None or is_other else named.key


def _split_biographies(passages: Sequence[NumberedPassage]) -> Iterator[list[NumberedPassage]]:
    """Split a page of biographies, each of which begins with a person's name. Other pages are not split."""
    begins = [
        (place, block.start)
        for place, passage in enumerate(passages)
        for blocks in [read(passage.text)]
        for index, block in enumerate(blocks)
        if _begins_person(block, blocks[index + 1 : index + 4])
    ]
    if len(begins) < _MIN_BIOGRAPHIES:
        yield list(passages)
        return
    ends = [*begins[1:], (len(passages) - 1, len(passages[-1].text))]
    for (first, start), (last, end) in zip(begins, ends, strict=True):
        part: list[NumberedPassage] = []
        for place in range(first, last + 1):
            text = passages[place].text
            cut = text[start if place == first else 0 : end if place == last else len(text)].strip()
            if cut:
                part.append(passages[place].model_copy(update={"text": cut, "heading": ()}))
        yield part


def _begins_person(block: Block, following: Sequence[Block]) -> bool:
    named = as_person(block.text, 0) if block.kind in (BlockKind.HEADING, BlockKind.LINE) else None
    narrative = next((other for other in following if other.kind == BlockKind.SENTENCE), None)
    if named is None or narrative is None:
        return False
    names = set(re.findall(r"\w{2,}", named.name.text.casefold()))
    return bool(names & set(re.findall(r"\w{2,}", " ".join(narrative.text.split()[:8]).casefold())))


def _people_of_resume(passages: Sequence[NumberedPassage]) -> Iterator[Person]:
    if entries := _people_of_entries(passages):
        yield from entries
        return
    person = _person_in_prose(passages)
    if person is not None:
        yield person
        return
    heading = ""
    since_name = 0
    is_headed = False
    for passage in passages:
        blocks = read(passage.text)
        above = nearest_heading(passage.heading)
        if above and not (blocks and above.casefold() in blocks[0].text.casefold()):
            blocks = [Block(BlockKind.HEADING, above, 0, 0), *blocks]
        for block in blocks:
            since_name += 1
            if (
                block.label
                and block.kind in (BlockKind.SENTENCE, BlockKind.PAIR)
                and (named := as_person(block.label, passage.number))
                and person is None
            ):
                person, heading, since_name = named, "", 0
                if block.kind == BlockKind.PAIR:
                    continue
            is_alone = block.kind == BlockKind.ROW and sum(map(bool, block.cells)) == 1
            if (
                is_alone
                or block.kind in (BlockKind.HEADING, BlockKind.LINE, BlockKind.SENTENCE)
                or _NAME_LABEL.fullmatch(block.label)
            ):
                is_named = bool(_NAME_LABEL.fullmatch(block.label))
                named = as_person(block.text, passage.number)
                if (
                    named is not None
                    and person is not None
                    and not is_named
                    and named.role is None
                    and block.kind != BlockKind.HEADING
                ):
                    named = None
                if named is not None and _QUALIFYING_HEADING.fullmatch(heading) and not is_named:
                    # “NICET Level IV, Fire Alarm Systems” below “Certifications”
                    named = named if block.kind == BlockKind.HEADING and person_named(block.text) else None
                if named is not None and person is not None and person.role is None and since_name <= 1 and not is_named:
                    named = None  # the line below a name is a role, whatever its form
                if is_headed and block.kind == BlockKind.SENTENCE:
                    named = None  # text below a heading with a name is about that person
                if named is not None and (person is None or named.key != person.key):
                    if person is not None:
                        yield person
                    person, heading, since_name = named, "", 0
                    is_headed = block.kind == BlockKind.HEADING
                    continue
            if person is None:
                continue
            heading = _add_to_person(person, block, passage.number, heading, since_name)
    if person is not None:
        yield person


def _people_of_entries(passages: Sequence[NumberedPassage]) -> list[Person]:
    """Read several people in a paragraph each: “Ada Example, P.E. — Project Engineer. 15 years. B.S., Botany, UC Davis.”"""
    listed, others = list[Person](), 0
    for passage in passages:
        for paragraph in _BLANK_LINES.split(passage.text):
            if person := _person_of_paragraph(paragraph, passage.number):
                listed.append(person)
            else:
                others += paragraph.strip().endswith(".") or "\n" in paragraph.strip()
    is_complete = not others or all(person.qualifications or person.first for person in listed)
    if len(listed) >= _MIN_BIOGRAPHIES and len(listed) > others and is_complete:
        return listed
    found: list[Person] = []
    for passage in passages:
        for block in read(passage.text):
            if named := _begun_by(block, passage.number):
                found.append(named)
            elif found and block.kind == BlockKind.SENTENCE and _is_qualification(block.text):
                found[-1].qualifications.append(Fact(block.text.removesuffix("."), passage.number))
    return found if len(found) >= _MIN_BIOGRAPHIES else []


def _person_of_paragraph(paragraph: str, number: int) -> Person | None:
    """Return the person whose name and occupation begin a paragraph, in a sentence or in two lines: “Ada Example, archivist. Certified
    in 2017.” Only a line ends a statement without a period."""
    lines = list(filter(None, (line.replace("**", "").strip(" *_#-•") for line in paragraph.splitlines())))
    if not lines:
        return None
    first, *told = sentences_of(lines[0])
    named = as_person(_without_dates(_CONTACT_DETAILS.split(first)[0].removesuffix(".")), number)
    if named is None:
        return None
    rest = [text for line in lines[1:] for text in sentences_of(line)]
    if named.role is None and not told and rest:
        role, rest = rest[0], rest[1:]
    else:
        role = named.role.text if named.role else ""
    role, *after = [_without_dates(part) for part in re.split(r",(?= (?:\S+ )?\d)", role.removesuffix("."))]
    if not _OCCUPATION.search(role) or _VERB.search(role) or re.search(r"\d", role) or len(role.split()) > _SHORT_ROLE:
        return None
    named.role = Fact(role, number)
    qualifying = [text.strip().removesuffix(".") for text in (*after, *told, *rest) if not re.search(r"@|\d{3}[ .-]\d{4}", text)]
    named.qualifications = [
        Fact(text, number)
        for text in qualifying
        if _is_qualification(text) or any(sign.search(text) for sign in (_YEARS, DEGREE, _CERTIFICATE))
    ]
    if told and not named.qualifications:
        named.first = Fact(told[0], number)
    return named


def _begun_by(block: Block, number: int) -> Person | None:
    """Return the person whose name and role begin a paragraph."""
    named = as_person(block.text, number) if block.kind == BlockKind.SENTENCE else None
    return named if named and named.role and _ROLE.search(named.role.text) and not _VERB.search(named.role.text) else None


def _is_qualification(text: str) -> bool:
    """Whether it is a qualification: “B.S., Botany, UC Davis (2009).” has no verb, unlike a description of work."""
    return len(text.split()) <= _FRAGMENT_WORDS and not _VERB.search(text) and not _PRONOUN.match(text)


def _person_in_prose(passages: Sequence[NumberedPassage]) -> Person | None:
    """The name, role, and qualifications from a biography in prose, as in “Wilson Tsosie, P.E., is Senior Engineer at …”."""
    narrative = [
        (block.text, passage.number) for passage in passages for block in read(passage.text) if block.kind == BlockKind.SENTENCE
    ]
    lines = sum(len(read(passage.text)) for passage in passages)
    first = _NARRATIVE.match(narrative[0][0]) if narrative and len(narrative) >= lines * _MIN_PROSE_SHARE else None
    named = as_person(first[1], narrative[0][1]) if first else None
    if narrative and len(narrative) >= lines * _MIN_PROSE_SHARE:
        above = next((block.text for block in read(passages[0].text) if block.kind != BlockKind.SENTENCE), "")
        named = as_person(above, passages[0].number) or named
    if named is None:
        return None
    for text, number in narrative:
        if named.role is None and (role := _ROLE_IN_PROSE.search(text)):
            named.role = Fact(role[1].strip(" ,"), number)
        named.qualifications += [Fact(found, number) for found in _qualifications_in(text)]
    return named


def _qualifications_in(text: str) -> list[str]:
    """Return the qualifications that a sentence tells: “11 years of experience in surveying” of “Ada has 11 years of …”"""
    return [found for pattern in _QUALIFICATIONS_IN_PROSE for found in _phrases(pattern, text)]


def _phrases(pattern: re.Pattern[str], text: str) -> list[str]:
    return [found.group().strip(" ,").removesuffix(" and").removesuffix(" at") for found in pattern.finditer(text)]


def _add_to_person(person: Person, block: Block, number: int, heading: str, since_name: int) -> str:
    """Add the block's information to the person. Returns the heading above the block."""
    is_qualified = bool(_QUALIFYING_HEADING.fullmatch(heading))
    if (
        block.kind == BlockKind.HEADING
        and is_qualified
        and _CERTIFICATE.search(block.text)
        and not (topics_of(block.text) or block.text.isupper())
    ):
        person.qualifications.append(Fact(block.text, number))  # an item of a list without markers
        return heading
    if block.kind == BlockKind.HEADING or (block.kind == BlockKind.LINE and since_name <= 2 and person.role is None):
        is_role = (
            person.role is None
            and since_name <= 2
            and not heading
            and not DEGREE.search(block.text)
            and not _QUALIFICATION.fullmatch(block.text)
            and not topics_of(block.text)
        )
        role = _without_dates(block.text.split(" · ")[0])
        role = "" if _PLACE.fullmatch(role) and not _ROLE.search(role) else role
        if is_role and role and not re.search(r"\d|@", role) and len(role.split()) <= 10 and role.casefold() not in _SECTIONS:
            person.role = Fact(role, number)
            return heading
        if block.kind == BlockKind.HEADING:
            return block.text
    if person.position is None and _POSITIONS_HEADING.fullmatch(heading) and _CURRENT.search(block.text):
        position = _without_dates(", ".join(cell for cell in block.cells if cell) or block.text)
        if position and len(position.split()) <= 12 and not re.search(r"\d|@", position):
            person.position = Fact(position, number)
    if block.kind == BlockKind.PAIR:
        if _ROLE_LABEL.fullmatch(block.label):
            if person.role is None or not person.role.label:
                person.role = Fact(_without_dates(block.text), number, label=block.label)
        elif person.position is None and _CURRENT.search(block.text) and (held := _without_dates(block.label)):
            person.position = Fact(held, number)  # “Operations Manager    2014 - present”
        elif (
            person.role is None
            and since_name <= 1
            and not _QUALIFICATION.fullmatch(block.label)
            and not re.search(r"[\d@]", block.label + block.text)
            and len(block.label.split()) > 1
            and not re.search(r", [A-Z]{2}$", block.label)
        ):
            person.role = Fact(block.label, number)  # “Lead Cloud Architect | Northgate”
        elif _QUALIFICATION.fullmatch(block.label) and len(block.text.split()) <= 30:
            is_bare = re.fullmatch(r"\d{1,2}\+?", block.text)
            person.qualifications.append(
                Fact(f"{block.label}: {block.text}" if is_bare else block.text, number, label=block.label)
            )
        elif is_qualified or _CERTIFICATE.search(block.label):
            person.qualifications.append(Fact(f"{block.label}: {block.text}", number))
        elif _YEARS.search(block.text):
            person.qualifications.append(Fact(block.text, number))
    elif block.kind == BlockKind.ROW:
        if person.position is None and any(_OPEN_PERIOD.search(cell) for cell in block.cells):
            held = next((cell for cell in block.cells if _ROLE.search(cell)), "")
            person.position = Fact(held, number) if held else None
        if is_qualified:
            person.qualifications.append(Fact(", ".join(cell for cell in block.cells if cell), number))
    elif (
        is_qualified
        or (since_name <= _NEAR_NAME and (_HOLDS_DEGREE.search(block.text) or _is_list_of_certificates(block.text)))
        or _YEARS.search(block.text)
        or (block.kind == BlockKind.SENTENCE and (_QUALIFICATION.fullmatch(block.label) or _is_degree(block.text)))
        or _CLEARANCE.fullmatch(block.text)
        or (block.kind == BlockKind.LINE and _LABELED_LINE.match(block.text))
        or (block.kind != BlockKind.SENTENCE and DEGREE.search(block.text) and since_name < 12 and not heading)
    ):
        is_told = (
            block.kind == BlockKind.SENTENCE and not is_qualified and bool(_VERB.search(block.text) or _PRONOUN.match(block.text))
        )
        phrases = _qualifications_in(block.text) if is_told or _FIRST_PERSON.search(block.text) else []
        if phrases or _FIRST_PERSON.search(block.text):
            person.qualifications += [Fact(text, number) for text in phrases]
        elif not re.search(r"@|\(?\d{3}\)?[ .-]\d{3}", block.text):
            person.qualifications.append(Fact(block.text, number))
    elif block.kind == BlockKind.SENTENCE and person.first is None and block.text.endswith("."):
        person.first = Fact(block.text, number)
    return heading


def _without_dates(text: str) -> str:
    """Strip the dates from “Executive Director, Riverbend (2011 - present)”."""
    text = text.strip()
    before = _DATES_BEFORE.match(text)
    text = text[before.end() :] if before else text
    after = _DATES_AFTER.search(text)
    return text[: after.start()].rstrip(_SEPARATORS) if after else text


def _is_degree(text: str) -> bool:
    """“B.S. Computer Science, Lawrence University, 2009.”"""
    return _is_qualification(text) and DEGREE.match(text) is not None


def _is_list_of_certificates(text: str) -> bool:
    """“LEED AP BD+C; Colorado Master Plumber; OSHA 500 trainer.”"""
    return len(text.split()) <= 30 and not _VERB.search(text) and bool(_CERTIFICATE.search(text))


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


def _person_in_role(block: Block, number: int) -> Person | None:
    """Return the person of “Program director: Samuel Osei, PhD (public health), 9 years in prevention”."""
    if block.kind != BlockKind.PAIR or not _ROLE_BEFORE_NAME.fullmatch(block.label):
        return None
    name, bracket, remaining = block.text.partition(" (")
    person = as_person(name, number)
    if person is not None:
        person.qualifications = [person.role] if person.role else []
        if bracket:
            person.qualifications.append(Fact(remaining.removesuffix(")"), number))
        person.role = Fact(block.label, number)
    return person


def _people_of_team(passages: Sequence[NumberedPassage], others: Others) -> Iterator[Person]:
    for passage in passages:
        person: Person | None = None
        for block in read(passage.text):
            if block.kind == BlockKind.ROW and block.columns:
                named = as_person(block.cells[0], passage.number)
                if named:
                    for column, cell in list(zip(block.columns, block.cells, strict=True))[1:]:
                        if named.role is None and _ROLE_COLUMN.fullmatch(column):
                            named.role = Fact(cell, passage.number)
                        elif not (_EMPTY_CELL.fullmatch(cell) or _CONTACT_DETAILS.search(cell)):
                            text = f"{column}: {cell}" if _BARE_CELL.fullmatch(cell) else cell
                            named.qualifications.append(Fact(text, passage.number))
                    yield named
                continue
            text = f"{block.label} – {block.text}" if block.kind == BlockKind.PAIR else block.text
            named = _person_in_role(block, passage.number) or (
                as_person(text, passage.number) if block.kind != BlockKind.SENTENCE else _begun_by(block, passage.number)
            )
            if named:
                if person is not None:
                    yield person
                person = named
            elif person is not None and (_YEARS.search(block.text) or DEGREE.search(block.text)) and others.may_claim(block.text):
                person.qualifications.append(Fact(block.text, passage.number))
            elif block.kind == BlockKind.HEADING and topics_of(block.text):
                if person is not None:
                    yield person
                person = None
        if person is not None:
            yield person
