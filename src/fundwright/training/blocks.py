"""The blocks of a document for programs: what was read, as a flat list in reading order."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any
from uuid import UUID

from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import Actor, Permission
from fundwright.core.assembly import Core
from fundwright.core.errors import Conflict, Invalid
from fundwright.core.messages import number, t
from fundwright.reading import stored
from fundwright.reading.document import (
    Attachment,
    Block,
    Cell,
    Field,
    Figure,
    Heading,
    Item,
    Margin,
    Note,
    PageBox,
    Paragraph,
    Quote,
    Runs,
    SheetPlace,
    Table,
)
from fundwright.reading.lines import storable
from fundwright.reading.placed import around
from fundwright.training import service
from fundwright.training.repository import indexing
from fundwright.training.schemas import BlockPage, BlockQuery, BlockRead, DocumentState, TextRun

_MOST_CHARACTERS = 5_000_000
_Part = Block | tuple[int, int, Cell]
"""A block, or a cell with its row and column."""


@needs(Permission.READ)
async def list_blocks(core: Core, actor: Actor, document_id: UUID, query: BlockQuery) -> BlockPage:
    """Return blocks of a document. Opens its own transaction. Raises NotFound, Conflict if this release has not read the document, or Invalid if the
    blocks are very long."""
    async with core.database.reading() as session:
        document = await service.get_document(session, actor, document_id)
        structure = await indexing.find_structure(session, actor.workspace_id, document_id)
    if structure is None and document.state == DocumentState.TRAINED:
        raise Conflict(t("An earlier release read this document. Train it again to see its text."))
    if structure is None:
        raise Conflict(t("This document is not trained yet. Train it to see its text."))
    return await core.computing.run(partial(block_page, structure, query))


def block_page(structure: bytes, query: BlockQuery) -> BlockPage:
    """The blocks of a stored document that are asked for. Raises Invalid if they are very long."""
    document = stored.unpack(structure)
    labels = document.page_labels
    items, total, characters = list[BlockRead](), 0, 0
    for total, (entry, parent, page, box) in enumerate(_entries(document.blocks), 1):
        if query.offset < total <= query.offset + query.page_size:
            label = labels[page - 1] if page is not None and page <= len(labels) else None
            item = BlockRead(number=total, parent=parent, page=page, page_label=label, box=box, **_own(entry))
            characters += sum(len(run.text) for run in item.text) + len(item.label or "") + len(item.value or "")
            if characters > _MOST_CHARACTERS:
                raise Invalid(
                    t(
                        "These blocks have more than {n} characters. Request fewer with a smaller `page_size`, or download the original.",
                        n=number(_MOST_CHARACTERS),
                    )
                )
            items.append(item)
    return BlockPage(version=1, items=items, total=total, page=query.page, page_size=query.page_size)


def _entries(blocks: tuple[Block, ...]) -> Iterator[tuple[_Part, int | None, int | None, PageBox | None]]:
    """All blocks and cells in reading order, each with the number of the block around it, its page, and its box there."""
    pending: list[tuple[_Part, int | None, int | None, bool]] = [(block, None, None, False) for block in reversed(blocks)]
    count = 0
    while pending:
        entry, parent, page, is_attached = pending.pop()
        page = page if is_attached or isinstance(entry, tuple) else entry.page or page
        yield entry, parent, page, None if is_attached else _box(entry)
        count += 1
        is_attached = is_attached or isinstance(entry, Attachment)
        pending.extend((inner, count, page, is_attached) for inner in reversed(_inside(entry)))


def _box(entry: _Part) -> PageBox | None:
    match entry:
        case (_, _, cell):
            boxes = [box for block in cell.blocks if (box := _box(block)) is not None]
            return around(boxes) if boxes else None
        case _:
            return entry.box


def _inside(entry: _Part) -> list[_Part]:
    match entry:
        case Table():
            return [(row, column, cell) for row, cells in enumerate(entry.rows, 1) for column, cell in cells]
        case (_, _, cell):
            return list(cell.blocks)
        case Note() | Margin() | Figure() | Quote() | Attachment():
            return list(entry.blocks)
        case _:
            return []


def _own(entry: _Part) -> dict[str, Any]:
    match entry:
        case (row, column, cell):
            return {"type": "cell", "row": row, "column": column + 1, "row_span": cell.rows, "column_span": cell.columns}
        case Heading():
            own = {"text": _runs(entry.runs), "level": entry.level}
        case Paragraph():
            own = {
                "text": _runs(entry.runs),
                "is_preformatted": entry.is_preformatted,
                "confidence": entry.confidence,
                **_placed(entry.place),
            }
        case Item():
            own = {"text": _runs(entry.runs), "marker": storable(entry.marker) or None, "is_checked": entry.is_checked}
        case Table():
            own = {"text": _runs(entry.caption), "head_rows": entry.head, **_placed(entry.place)}
        case Field():
            own = {"label": storable(entry.label), "value": storable(entry.value)}
        case Note():
            own = {"is_for_speaker": entry.is_for_speaker}
        case Attachment():
            own = {"filename": storable(entry.filename)}
        case _:
            own = {}
    return {"type": entry.__struct_config__.tag, **own}


def _placed(place: SheetPlace | None) -> dict[str, Any]:
    return {"sheet": storable(place.sheet), "cells": storable(place.cells) or None} if place is not None else {}


def _runs(runs: Runs) -> tuple[TextRun, ...]:
    return tuple(TextRun(text=storable(run.text), mark=run.mark) for run in runs)
