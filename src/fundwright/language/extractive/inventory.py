"""Reads lists of equipment: what a row names, and which rows, lines, and sections name nothing that we have."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fundwright.language.structure import Block, BlockKind

_NAMED = re.compile(
    r"(?:items?|units?|descriptions?|equipment|assets?|vessels?|vehicles?|machines?|instruments?|names?|types?|what|bezeichnung|gerät|désignation|matériel)",
    re.IGNORECASE,
)
"""The header of the column with the names."""
_REMARKS = re.compile(
    r"(?:notes?|remarks?|comments?|cond(?:ition|\.)?|state|status|qty\.?|quantity|location|where|(?:next|last) .*|insp.*|value|cost|price|(?:day |hourly )?rate"
    r"|bemerkungen|zustand|anzahl|remarques|état|quantité)",
    re.IGNORECASE,
)
_STATUS = re.compile(
    r"(?:good|fair|poor|excellent|new|ok|active|inactive|idle|ready|operational|operable|in (?:use|service|yard|shop)|available|overdue|expired|current|leased|rented|owned|spare"
    r"|laid up|needs?|due|awaiting|pending|(?:under|in|for|being) (?:repair|maintenance|overhaul|refit|inspection)|down|tbd|n/?a)(?:\b.*)?",
    re.IGNORECASE,
)
"""A cell that says how something is: “NEEDS INSPECTION,” “Laid up for repair.”"""
_MIN_ITEM_WORDS = 2
_UNUSED = re.compile(r"\b(?:out of (?:service|svc|order)|not used|unused|retired|sold|scrapped)\b", re.IGNORECASE)
_OF_DOCUMENT = re.compile(
    r"\b(?:rev(?:ised|ision|\.)?\b|printed|updated|as of|internal|confidential|do not|for insurance|page \d)", re.IGNORECASE
)
"""A line about the list itself."""
_PRICES = re.compile(r"\b(?:prices?|pricing|rates?|rate sheet|fees?|charges|tariffs?|preis\w*|tarifs?|prix)\b", re.IGNORECASE)
_EQUIPMENT = re.compile(r"\b(?:equipment|register|inventory|fleet|plant|assets|machines|vehicles)\b", re.IGNORECASE)
_MONEY = re.compile(r"[$€£]\s?\d[\d.,]*(?:\s?(?:LS|ea|/\w+|per \w+))?|\d[\d.,]*\s?(?:EUR|USD|€)|\d[.,]\d{1,2}x", re.IGNORECASE)
_PRICED_UNIT = re.compile(
    r"(?:per )?(?:day|hour|hr|week|wk|month|mo|each|ea|ls|lump sum|job|trip|mile|cy|sf|lf|sy|ton|gal|tag|stunde|jour|heure)s?\.?",
    re.IGNORECASE,
)


def names_prices(heading: str) -> bool:
    """Whether it is the heading of a price list."""
    return bool(_PRICES.search(heading)) and not _EQUIPMENT.search(heading)


def item_of(row: Block) -> str:
    """The cell that names what a row lists, or "": that of the column for it, or else the one with the most letters that tells
    neither a state nor a price."""
    if sum(1 for cell in row.cells if cell) == 1 or sum(_is_header(cell) for cell in row.cells) > 1:
        return ""  # a heading within the table, or its header again
    if any(map(_MONEY.fullmatch, row.cells)) and any(map(_PRICED_UNIT.fullmatch, row.cells)):
        return ""
    columns: Sequence[str] = row.columns or [""] * len(row.cells)
    named = [cell for column, cell in zip(columns, row.cells, strict=True) if _NAMED.fullmatch(column) and _is_item(cell)]
    cells = [
        cell
        for column, cell in zip(columns, row.cells, strict=True)
        if not _REMARKS.fullmatch(column) and not _STATUS.fullmatch(cell)
    ]
    return max(named or cells, key=_count_letters, default="")


def is_no_item(block: Block) -> bool:
    """Whether a block of a list of equipment is about something that is no longer used, about the list, a state, or a price."""
    return bool(
        _UNUSED.search(block.text)
        or (block.kind == BlockKind.PAIR and (_MONEY.fullmatch(block.text) or _STATUS.fullmatch(block.text)))
        or (block.kind in (BlockKind.LINE, BlockKind.PAIR) and _OF_DOCUMENT.search(block.text))
        or (block.kind in (BlockKind.LINE, BlockKind.ITEM) and len(block.text.split()) <= 4 and _STATUS.fullmatch(block.text))
    )


def _is_header(cell: str) -> bool:
    return bool(_NAMED.fullmatch(cell) or _REMARKS.fullmatch(cell))


def _is_item(cell: str) -> bool:
    return len(cell.split()) >= _MIN_ITEM_WORDS and _count_letters(cell) > len(cell) / 3


def _count_letters(cell: str) -> int:
    return sum(character.isalpha() for character in cell)
