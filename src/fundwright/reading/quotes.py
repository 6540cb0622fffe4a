"""Finds what an email quotes of other messages, in the forms that mail programs give it. What it forwards is a part of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from msgspec.structs import replace

from fundwright.core.sandbox_progress import report_progress
from fundwright.reading.document import (
    QUOTE,
    Block,
    Figure,
    Heading,
    Item,
    Paragraph,
    Quote,
    Run,
    Runs,
    Table,
    visible,
)
from fundwright.reading.paragraphs import paragraphs, words_of

_FORWARDS = re.compile(r"(?:\s{0,9}\[[^\[\]]{1,60}\]){0,5}\s{0,9}(?:fwd?|wg|tr|rv|enc)\s?:", re.IGNORECASE)
_FORWARDED = re.compile(
    r"(?:-{2,30}\s{0,3})?(?:(?:begin )?forwarded message|(?:anfang der )?weitergeleiteten? (?:nachricht|e-mail)|(?:début du )?message (?:transféré|réexpédié)"
    r"|mensaje reenviado|messaggio inoltrato|doorgestuurd bericht)\s?(?:-{2,30}|:)",
    re.IGNORECASE,
)
_ORIGINAL = re.compile(
    r"-{2,30}\s?(?:original(?: message|nachricht)|ursprüngliche nachricht|message d[’']origine|mensaje original|messaggio originale|oorspronkelijk bericht)\s?-{2,30}",
    re.IGNORECASE,
)
_NAMES = {
    "from": ("From", "Von", "De", "Da", "Van"),
    "date": ("Sent", "Date", "Gesendet", "Datum", "Envoyé", "Enviado", "Enviado el", "Fecha", "Inviato", "Data", "Verzonden"),
    "subject": ("Subject", "Betreff", "Objet", "Sujet", "Asunto", "Oggetto", "Onderwerp"),
    "to": ("To", "An", "À", "Pour", "Para", "A", "Aan"),
    "other": ("Cc", "CC", "Bcc", "Kopie", "Copie", "Reply-To", "Importance", "Wichtigkeit", "Attachments", "Anlagen", "Pièces jointes"),
}  # fmt: skip
_NAME_OF = {name: kind for kind, names in _NAMES.items() for name in names}
_HEADER = re.compile(r"\*?([A-ZÀ][\w-]{0,12}(?: [\w]{1,8})?)\s?:(?!//)")
_MOST_HEADERS, _FEWEST_HEADERS = 20, 3
_WROTE = re.compile(r"\b(?:wrote|schrieb|a écrit|ha scritto|escribió|escreveu|schreef|skrev)\b")
_BEGINS_DATE = re.compile(r"(?:On|Am|Le|Il|El|Em|Op|Den)\s[^\n]{0,200}\d")
_SENT = re.compile(r"\d{1,2}[:.h]\d\d|@")
"""The time or the address in a line that names the writer of what follows."""
_DATE = re.compile(r"\b(?:(?:19|20)\d\d|\d{1,2}([./])\d{1,2}\1\d\d)\b")
_LONGEST_ATTRIBUTION, _MOST_WRAPPED = 400, 3
_DEEPEST = 100
_DEPTH = re.compile(rf"(?:\s?[>{QUOTE}]){{1,{_DEEPEST}}}\s?")
_COMPARES = re.compile(r">\s?\d")
_BORDER, _NO_BORDER = re.compile(r"(?:^|;)\s*border(-left)?\s*:\s*([^;]*)"), re.compile(r"(?:none|0(?:\.0)?(?:[a-z]{2})?)\s*")
_QUOTED_CLASSES = frozenset(("yahoo_quoted", "protonmail_quote", "moz-cite-prefix"))
_BEGIN_QUOTES = frozenset(("appendonsend", "divRplyFwdMsg", "stopSpelling", "mail-editor-reference-message-container"))
"""The elements of Outlook after which everything is quoted."""


class _Line(NamedTuple):
    text: str
    depth: int
    """How many quotations it is in, as far as signs in the text or elements say so."""


class Envelope(NamedTuple):
    """A message as its headers describe it."""

    subject: str

    @property
    def is_forward(self) -> bool:
        return bool(_FORWARDS.match(self.subject))


def blocks_of_text(lines: Sequence[str], envelope: Envelope) -> Iterator[Block]:
    """The blocks of a message without markup."""
    words = words_of(lines)
    found = [_line(line) for line in lines]
    for number, line in enumerate(lines):
        if _COMPARES.match(line) and not any(each.startswith(">") for each in (*lines[max(number - 1, 0) : number], *lines[number + 1 : number + 2])):  # fmt: skip
            found[number] = _Line(line, 0)
    for is_quoted, same in groupby(zip(_quoted(found, is_forward=envelope.is_forward), found, strict=True), lambda each: each[0]):
        blocks = tuple(paragraphs([line.text for _, line in same], words))
        if is_quoted and blocks:
            yield Quote(blocks)
        else:
            yield from blocks


def mark_quotes(root: Any) -> None:
    """Put signs before each text of a page that its elements say is quoted, one for each quotation that it is in."""
    pending: list[tuple[Any, int]] = [(root, 0)]
    after = 0
    while pending:
        report_progress()
        element, depth = pending.pop()
        if isinstance(element, tuple):  # the text after an element
            (inner,) = element
            inner.tail = _signed(inner.tail, depth + after)
            continue
        if element.get("id", "").removeprefix("x_") in _BEGIN_QUOTES:
            after += 1
        inner_depth = depth + _quotes(element)
        if element.tag != "style":
            element.text = _signed(element.text, inner_depth + after)
        for child in reversed(element):
            pending += [((child,), inner_depth), (child, inner_depth)]


def with_quotes(blocks: Sequence[Block], envelope: Envelope) -> list[Block]:
    """Put what is quoted in blocks of its own. The texts may have the signs of `mark_quotes`."""
    lines = [_line(line) for leaf in _leaves(blocks) for line in visible(leaf.runs).split("\n")]
    flags = iter(_quoted(lines, is_forward=envelope.is_forward))
    return list(_grouped(_parts_of(blocks, flags), are_quoted=False))


def _line(text: str) -> _Line:
    signs = _DEPTH.match(text)
    depth = sum(character in (">", QUOTE) for character in signs[0]) if signs else 0
    return _Line(text[signs.end() if signs else 0 :].replace(QUOTE, ""), depth)


def _signed(text: str | None, depth: int) -> str | None:
    return QUOTE * min(depth, _DEEPEST) + text if depth and text and text.strip() else text


def _quotes(element: Any) -> bool:
    if not isinstance(element.tag, str):
        return False
    if element.tag == "blockquote":
        borders = dict(_BORDER.findall(element.get("style", "").casefold()))
        is_indented = bool(_NO_BORDER.fullmatch(borders.get("-left", borders.get("", "solid"))))
        return element.get("type") == "cite" or not is_indented
    names = (name.removeprefix("x_") for name in element.get("class", "").split())  # as Outlook on the web renames them
    return not _QUOTED_CLASSES.isdisjoint(names)


def _quoted(lines: Sequence[_Line], *, is_forward: bool) -> list[bool]:
    """Whether each line is quoted. `is_forward` says that the first message below the text is forwarded."""
    found, own, place, is_quoted = [False] * len(lines), 0, 0, False
    while place < len(lines):
        report_progress()
        text, depth = lines[place]
        if not text.strip():
            place += 1
            continue
        is_marker = bool(_FORWARDED.fullmatch(text.strip()))
        if depth > own and (is_quoted or not (is_marker or is_forward)):
            is_quoted = found[place] = True
            place += 1
            continue
        begins_message = depth > own or bool(_ORIGINAL.fullmatch(text.strip()))
        headers = _headers(lines, place, is_first=False)
        if is_marker or (is_forward and (begins_message or headers)):
            place = _next(lines, place) if is_marker or not headers else place
            own = max(own, depth, lines[place].depth if is_marker and place < len(lines) else 0)
            place, is_forward, is_quoted = place + _headers(lines, place, is_first=is_marker), False, False
            continue
        wrapped = _attribution(lines, place)
        if wrapped and (following := _next(lines, place + wrapped - 1)) < len(lines) and lines[following].depth > depth:
            found[place : place + wrapped] = [True] * wrapped
            is_quoted, place = True, place + wrapped
        elif begins_message or headers or (wrapped and _may_begin_message(lines, place, wrapped)):
            found[place:] = [True] * (len(lines) - place)
            break
        else:
            is_quoted, place = False, place + 1
    return _with_blanks(lines, found)


def _next(lines: Sequence[_Line], place: int) -> int:
    """The next line that is not blank."""
    return next((each for each in range(place + 1, len(lines)) if lines[each].text.strip()), len(lines))


def _with_blanks(lines: Sequence[_Line], found: list[bool]) -> list[bool]:
    """Blank lines between quoted ones are quoted."""
    start: int | None = None
    for place, (text, _) in enumerate(lines):
        if not text.strip():
            continue
        if found[place] and start is not None:
            found[start:place] = [True] * (place - start)
        start = place + 1 if found[place] else None
    return found


def _headers(lines: Sequence[_Line], place: int, *, is_first: bool) -> int:
    """How many lines from here on are the headers of a message. They have a subject or an address, and begin with its sender, unless they are the first after a sign of it."""
    kinds, last, count, is_mail = set[str](), "", 0, is_first
    for text, _ in lines[place : place + _MOST_HEADERS]:
        header = _HEADER.match(text.strip())
        kind = _NAME_OF.get(header[1].strip(), "") if header else ""
        is_continued = not kind and last in ("to", "other") and ("@" in text or ";" in text)
        if not (kind or is_continued) or (kind == "from" and "from" in kinds):
            break
        if not kinds and kind != "from" and not is_first:
            return 0
        last, count, is_mail = kind or last, count + 1, is_mail or kind == "subject" or "@" in text
        kinds.add(last)
    return count if is_mail and {"from", "date"} <= kinds and len(kinds) >= _FEWEST_HEADERS else 0


def _attribution(lines: Sequence[_Line], place: int) -> int:
    """How many lines from here on name the writer of what follows: “On Monday, Ann Lee <ann@x.example> wrote:”."""
    most = _MOST_WRAPPED if _BEGINS_DATE.match(lines[place].text.strip()) else 1
    for count in range(1, most + 1):
        joined = " ".join(line.text.strip() for line in lines[place : place + count])
        if joined.endswith(":") and len(joined) <= _LONGEST_ATTRIBUTION and _WROTE.search(joined) and _SENT.search(joined):
            return count
    return 0


def _may_begin_message(lines: Sequence[_Line], place: int, count: int) -> bool:
    """Whether an attribution may have a message below it that no signs show: mail programs write the date, and sentences rarely do."""
    has_date = any(_DATE.search(line.text) for line in lines[place : place + count])
    is_apart = place == 0 or not lines[place - 1].text.strip()
    return bool(_BEGINS_DATE.match(lines[place].text.strip())) or (is_apart and has_date)


_Leaf = Paragraph | Heading | Item


def _leaves(blocks: Iterable[Block]) -> Iterator[_Leaf]:
    for block in blocks:
        match block:
            case Paragraph() | Heading() | Item():
                yield block
            case Table():
                yield from (leaf for row in block.rows for _, cell in row for leaf in _leaves(cell.blocks))
            case Figure():
                yield from _leaves(block.blocks)
            case _:
                pass


def _parts(block: Block, flags: Iterator[bool]) -> list[tuple[bool, Block]]:
    """The parts of a block, and whether each is quoted."""
    match block:
        case Paragraph() | Heading() | Item():
            lines = [(next(flags), line) for line in _lines(block.runs)]
            groups = [(is_quoted, [line for _, line in same]) for is_quoted, same in groupby(lines, lambda each: each[0])]
            return [(is_quoted, replace(block, runs=_joined(same))) for is_quoted, same in groups]
        case Table():
            cells = [[(column, cell, _parts_of(cell.blocks, flags)) for column, cell in row] for row in block.rows]
            states = {is_quoted for row in cells for _, _, parts in row for is_quoted, _ in parts}
            rows = tuple(
                tuple((column, replace(cell, blocks=_grouped(parts, are_quoted=states == {True}))) for column, cell, parts in row)
                for row in cells
            )
            return [(states == {True}, replace(block, rows=rows, caption=_joined([block.caption])))]
        case Figure():
            parts = _parts_of(block.blocks, flags)
            are_quoted = bool(parts) and all(is_quoted for is_quoted, _ in parts)
            return [(are_quoted, replace(block, blocks=_grouped(parts, are_quoted=are_quoted)))]
        case _:
            return [(False, block)]


def _parts_of(blocks: Iterable[Block], flags: Iterator[bool]) -> list[tuple[bool, Block]]:
    return [part for block in blocks for part in _parts(block, flags)]


def _grouped(parts: Sequence[tuple[bool, Block]], *, are_quoted: bool) -> tuple[Block, ...]:
    """The blocks, those that are quoted in blocks of their own, unless all are."""
    if are_quoted:
        return tuple(block for _, block in parts)
    groups = ((is_quoted, tuple(block for _, block in same)) for is_quoted, same in groupby(parts, lambda each: each[0]))
    return tuple(block for is_quoted, found in groups for block in ((Quote(found),) if is_quoted else found))


def _lines(runs: Runs) -> list[Runs]:
    """Runs divided where a line of their visible text ends."""
    lines: list[list[Run]] = [[]]
    for run in runs:
        first, *others = [run.text] if run.mark else run.text.split("\n")
        lines[-1].append(Run(first, run.mark))
        lines += [[Run(each)] for each in others]
    return [tuple(line) for line in lines]


def _joined(lines: Sequence[Runs]) -> Runs:
    runs = [Run(f"\n{run.text}" if number and not place else run.text, run.mark) for number, line in enumerate(lines) for place, run in enumerate(line)]  # fmt: skip
    return tuple(Run(run.text.replace(QUOTE, ""), run.mark) for run in runs)
