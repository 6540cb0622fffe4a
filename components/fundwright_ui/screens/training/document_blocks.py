"""The blocks of a document as a clean page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from reactpy import html
from reactpy.types import VdomDict

from fundwright.core.messages import t
from fundwright.training.display import Highlight, Mark, Piece, Pieces, ShownBlock, ShownCell
from fundwright_ui.ui.elements import Child, attributes, classes

_DEEPEST_HEADING = 6


def shown_blocks(blocks: Sequence[ShownBlock], *, name: str) -> VdomDict:
    """`name` tells parts of the document and states of the search apart: what is linked is scrolled into view if it changes."""
    return html.div(
        {"className": "fw-document", "dir": "auto", "data-pages": name, "key": name}, *_Page(_linked_in(blocks)).children(blocks)
    )


def _linked_in(blocks: Sequence[ShownBlock]) -> Piece | None:
    """The piece to scroll to: the hit that was gone to, or else the first cited words, or else the first hit."""
    pieces = list(_pieces_in(blocks))
    found = (
        next((piece for piece in pieces if piece.highlight is wanted), None)
        for wanted in (Highlight.CURRENT, Highlight.CITED, Highlight.HIT)
    )
    return next(filter(None, found), None)


def _pieces_in(blocks: Sequence[ShownBlock]) -> Iterator[Piece]:
    for block in blocks:
        yield from (*block.label, *block.pieces)
        # A label that spans rows may begin far above the row that is cited with it.
        cells = sorted((cell for row in block.rows for cell in row), key=lambda cell: cell.rows > 1)
        yield from _pieces_in([*(inner for cell in cells for inner in cell.blocks), *block.blocks])


class _Page:
    def __init__(self, linked: Piece | None) -> None:
        self._linked = linked
        self._level = 1

    def children(self, blocks: Sequence[ShownBlock]) -> list[Child]:
        found: list[Child] = []
        for kind, group in groupby(blocks, lambda block: block.kind):
            same = list(group)
            if kind == "item":
                found.append(
                    html.ul(
                        {"className": "fw-document-items", "key": f"{len(found)}"},
                        *(self._item(item, key=f"{place}") for place, item in enumerate(same)),
                    )
                )
            elif kind == "field":
                found.append(self._fields(same, key=f"{len(found)}"))
            else:
                found += [self._block(block, key=f"{len(found)}:{place}") for place, block in enumerate(same)]
        return found

    def _block(self, block: ShownBlock, *, key: str) -> VdomDict:
        match block.kind:
            case "heading":
                # Assistive technology expects no level to be left out.
                self._level = min(block.level + 1, self._level + 1, _DEEPEST_HEADING)
                return getattr(html, f"h{self._level}")({"key": key}, *self._texts(block.pieces))
            case "preformatted":
                return html.pre({"key": key, "tabIndex": 0}, *self._texts(block.pieces))
            case "table":
                return self._table(block, key=key)
            case "note":
                return html.div({"className": "fw-document-note", "role": "note", "key": key}, *self.children(block.blocks))
            case "speaker_notes":
                label = html.p({"className": "fw-muted fw-small"}, t("Speaker notes"))
                return html.div(
                    {"className": "fw-document-note", "role": "note", "key": key}, label, *self.children(block.blocks)
                )
            case "quote":
                label = html.p({"className": "fw-muted fw-small"}, t("Quoted message"))
                return html.blockquote({"className": "fw-document-quote", "key": key}, label, *self.children(block.blocks))
            case "margin":
                hidden = html.span({"className": "fw-visually-hidden"}, t("Header or footer:"))
                return html.div({"className": "fw-document-margin", "key": key}, hidden, *self.children(block.blocks))
            case "figure":
                caption = html.p({"className": "fw-muted fw-small"}, t("Picture"))
                return html.div(
                    {"className": "fw-document-figure", "role": "group", "aria-label": t("Picture"), "key": key},
                    caption,
                    *self.children(block.blocks),
                )
            case "attachment":
                name = html.p(html.strong(t("Attached file:"), " ", *self._texts(block.pieces)))
                return html.div({"className": "fw-document-attachment", "key": key}, name, *self.children(block.blocks))
            case _:
                return html.p({"className": "fw-prewrap", "key": key}, *self._texts(block.pieces))

    def _item(self, block: ShownBlock, *, key: str) -> VdomDict:
        return html.li(
            {"key": key},
            html.span(
                {"className": "fw-document-marker"},
                _box(block.is_checked) if block.is_checked is not None else "".join(piece.text for piece in block.label) or "•",
            ),
            html.span({"className": "fw-prewrap"}, *self._texts(block.pieces)),
        )

    def _fields(self, blocks: Sequence[ShownBlock], *, key: str) -> VdomDict:
        parts: list[VdomDict] = []
        for block in blocks:
            parts += [
                html.dt(*(self._texts(block.label) or [t("Field")])),
                html.dd({"className": "fw-prewrap"}, *(self._texts(block.pieces) or ["–"])),
            ]
        return html.dl({"className": "fw-definitions", "key": key}, *parts)

    def _table(self, block: ShownBlock, *, key: str) -> VdomDict:
        head, body = block.rows[: block.head], block.rows[block.head :]
        return html.div(
            {"className": "fw-table-scroll", "role": "group", "aria-label": t("Scrollable table"), "tabIndex": 0, "key": key},
            html.table(
                {"className": "fw-table"},
                html.caption(*self._texts(block.pieces)) if block.pieces else None,
                html.thead(*(self._row(row, is_head=True, key=str(place)) for place, row in enumerate(head))) if head else None,
                html.tbody(*(self._row(row, is_head=False, key=str(place)) for place, row in enumerate(body))),
            ),
        )

    def _row(self, cells: Sequence[ShownCell], *, is_head: bool, key: str) -> VdomDict:
        shown = (self._cell(cell, is_head=is_head, key=str(place)) for place, cell in enumerate(cells))
        return html.tr({"key": key}, *shown)

    def _cell(self, cell: ShownCell, *, is_head: bool, key: str) -> VdomDict:
        rows, columns = (span if span > 1 else None for span in (cell.rows, cell.columns))
        is_text = len(cell.blocks) == 1 and cell.blocks[0].kind == "paragraph"
        children = self._texts(cell.blocks[0].pieces) if is_text else self.children(cell.blocks)
        # An empty cell is no header, which would name its column.
        if is_head and children:
            return html.th(attributes(scope="col", rowSpan=rows, colSpan=columns, key=key), *children)
        return html.td(attributes(rowSpan=rows, colSpan=columns, key=key), *children)

    def _texts(self, pieces: Pieces) -> list[Child]:
        return [self._text(piece) for piece in pieces]

    def _text(self, piece: Piece) -> Child:
        if piece.hidden_by is not None:
            names = {Mark.STRUCK: t("Struck through:"), Mark.DELETED: t("Deleted:"), Mark.HIDDEN: t("Hidden:")}
            shown = html.span({"className": "fw-visually-hidden"}, names[piece.hidden_by], " "), piece.text
            name = classes("fw-unseen", None if piece.hidden_by is Mark.HIDDEN else "fw-unseen-struck")
            return html.span({"className": name, "title": names[piece.hidden_by].rstrip(":\u00a0\u202f ")}, *shown)
        if piece.highlight is None:
            return piece.text
        is_linked = piece is self._linked
        return html.mark(
            attributes(
                className="fw-hit"
                if piece.highlight is Highlight.HIT
                else "fw-hit-current"
                if piece.highlight is Highlight.CURRENT
                else None,
                aria_current="true" if piece.highlight is Highlight.CURRENT else None,
                data_linked=True if is_linked else None,
            ),
            piece.text,
        )


def _box(is_checked: bool) -> VdomDict:
    return html.span({"role": "img", "aria-label": t("Checked") if is_checked else t("Not checked")}, "☑" if is_checked else "☐")
