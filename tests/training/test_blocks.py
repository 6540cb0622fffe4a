"""The blocks of a document for programs, and who sees them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from uuid import uuid4

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import text

from fundwright.accounts.schemas import Actor
from fundwright.core.assembly import Core
from fundwright.core.errors import Invalid
from fundwright.reading import stored
from fundwright.reading.document import (
    Attachment,
    Block,
    Cell,
    Document,
    Field,
    Figure,
    Heading,
    Item,
    Margin,
    Mark,
    Note,
    Paragraph,
    Run,
    SheetPlace,
    Table,
    plain,
)
from fundwright.training import api, blocks, restricting
from fundwright.training.schemas import BlockPage, BlockQuery
from fundwright.workspaces.schemas import RestrictionForm
from tests.support.pdf_files import written_pdf
from tests.support.programs import api_of, program
from tests.support.snapshots import Snapshots
from tests.support.teams import team_of
from tests.training.test_viewing import trained

BOATS = b"# Boats\n\nWe hold ~~77~~ 12 patents.\n\n- [x] Certified\n\n| Role | Rate | Days |\n|---|---|---|\n| Lead | $90 | 5 |\n"


def page_of(*content: Block, labels: tuple[str, ...] = (), **query: int) -> BlockPage:
    return blocks.block_page(stored.pack(Document(content, page_labels=labels)), BlockQuery.model_validate(query))


def shown(page: BlockPage) -> list[dict[str, object]]:
    return [item.model_dump(exclude_defaults=True, exclude={"number"}) for item in page.items]


def texts(word: str) -> tuple[dict[str, str], ...]:
    return ({"text": word},)


class TestBlocks:
    def test_of_spreadsheets_have_their_sheet_and_cells(self) -> None:
        table = Table((((0, Cell(())),),), place=SheetPlace("Rates", "C5:F7"))
        assert shown(page_of(Paragraph(plain("As of May"), place=SheetPlace("Rates", "C3")), table))[:2] == [
            {"type": "paragraph", "text": texts("As of May"), "sheet": "Rates", "cells": "C3"},
            {"type": "table", "head_rows": 0, "sheet": "Rates", "cells": "C5:F7"},
        ]

    def test_each_type_has_its_fields(self) -> None:
        marked = (Run("12 "), Run("13", Mark.DELETED), Run("14", Mark.STRUCK), Run("15", Mark.HIDDEN))
        assert shown(
            page_of(
                Heading(plain("Boats"), 2),
                Paragraph(marked, is_preformatted=True, confidence=0.5),
                Item(plain("Certified"), marker="2.1", is_checked=False),
                Field("Name", "Ada"),
                Figure(()),
            )
        ) == [
            {"type": "heading", "text": texts("Boats"), "level": 2},
            {
                "type": "paragraph",
                "text": (
                    {"text": "12 "},
                    {"text": "13", "mark": "deleted"},
                    {"text": "14", "mark": "struck"},
                    {"text": "15", "mark": "hidden"},
                ),
                "is_preformatted": True,
                "confidence": 0.5,
            },
            {"type": "item", "text": texts("Certified"), "marker": "2.1", "is_checked": False},
            {"type": "field", "label": "Name", "value": "Ada"},
            {"type": "figure"},
        ]

    def test_cells_have_places_and_spans(self) -> None:
        head = (0, Cell((Paragraph(plain("Rates")),), columns=2))
        lead = (1, Cell((Paragraph(plain("$90")), Paragraph(plain("$95"))), rows=2))
        found = page_of(Table(((head,), (lead,)), head=1, caption=plain("Team"), page=3), Paragraph(plain("End")))
        assert shown(found) == [
            {"type": "table", "page": 3, "text": texts("Team"), "head_rows": 1},
            {"type": "cell", "parent": 1, "page": 3, "row": 1, "column": 1, "column_span": 2},
            {"type": "paragraph", "parent": 2, "page": 3, "text": texts("Rates")},
            {"type": "cell", "parent": 1, "page": 3, "row": 2, "column": 2, "row_span": 2},
            {"type": "paragraph", "parent": 4, "page": 3, "text": texts("$90")},
            {"type": "paragraph", "parent": 4, "page": 3, "text": texts("$95")},
            {"type": "paragraph", "text": texts("End")},
        ]

    def test_what_is_inside_others_names_them(self) -> None:
        inner = Attachment("plan.md", blocks=(Note((Paragraph(plain("See below.")),)),))
        found = page_of(Margin((Paragraph(plain("Draft"), page=2),), page=2), inner, labels=("i", "ii"))
        assert shown(found) == [
            {"type": "margin", "page": 2, "page_label": "ii"},
            {"type": "paragraph", "parent": 1, "page": 2, "page_label": "ii", "text": texts("Draft")},
            {"type": "attachment", "filename": "plan.md"},
            {"type": "note", "parent": 3},
            {"type": "paragraph", "parent": 4, "text": texts("See below.")},
        ]

    def test_what_is_attached_is_on_the_page_of_its_attachment(self) -> None:
        found = page_of(Attachment("plan.pdf", blocks=(Paragraph(plain("Draft"), page=2),), page=1), labels=("i", "ii"))
        assert [(item.page, item.page_label) for item in found.items] == [(1, "i"), (1, "i")]

    def test_blocks_have_boxes_and_a_cell_that_of_what_is_in_it(self) -> None:
        cell = Cell((Paragraph(plain("$90"), 1, (60, 80, 90, 90)), Paragraph(plain("an hour"), 1, (60, 92, 99, 103))))
        table = Table((((0, cell), (1, Cell(()))),), page=1, box=(50, 70, 300, 200))
        attached = Attachment("plan.pdf", blocks=(Paragraph(plain("Draft"), 2, (1, 2, 3, 4)),), page=1)
        found = page_of(table, attached)
        boxes = [(50, 70, 300, 200), (60, 80, 99, 103), (60, 80, 90, 90), (60, 92, 99, 103), None, None, None]
        assert [item.box for item in found.items] == boxes

    def test_pages_of_the_list_follow_each_other(self) -> None:
        content = [Paragraph(plain(str(number))) for number in range(1, 6)]
        pages = [page_of(*content, page=number, page_size=2) for number in (1, 2, 3, 4)]
        assert [[item.number for item in page.items] for page in pages] == [[1, 2], [3, 4], [5], []]
        assert {page.total for page in pages} == {5}

    def test_what_no_json_can_hold_is_replaced(self) -> None:
        assert shown(page_of(Field("a\ud83d\x00", "b"))) == [{"type": "field", "label": "a?", "value": "b"}]

    def test_very_long_blocks_are_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(blocks, "_MOST_CHARACTERS", 10)
        content = [Paragraph(plain("harbor")), Field("", "harbor")]
        assert page_of(*content, page_size=1, page=2).items
        with pytest.raises(Invalid, match="more than 10 characters"):
            page_of(*content)


@pytest.fixture
def app(committed: Core) -> FastAPI:
    return api_of(committed, api.router)


@pytest.fixture
async def ada(app: FastAPI, owner: Actor) -> AsyncIterator[httpx.AsyncClient]:
    async with program(app, owner) as client:
        yield client


class TestRoute:
    async def test_text_of_a_pdf_has_its_box(self, committed: Core, owner: Actor, ada: httpx.AsyncClient) -> None:
        document = await trained(committed, owner, written_pdf([b"(We build boats for every harbor.)"]), "boats.pdf")
        (block,) = (await ada.get(f"/api/training/documents/{document.id}/blocks")).json()["items"]
        left, top, right, bottom = block["box"]
        assert (block["page"], left) == (1, 60) and top < 792 - 700 < bottom < top + 20 and 200 < right < 250

    async def test_a_document_is_returned_as_it_was_read(self, committed: Core, owner: Actor, ada: httpx.AsyncClient) -> None:
        document = await trained(committed, owner, BOATS, "boats.md")
        answer = await ada.get(f"/api/training/documents/{document.id}/blocks", params={"page_size": 4})
        assert answer.status_code == 200, answer.text
        assert answer.json() == {
            "version": 1,
            "total": 16,
            "page": 1,
            "page_size": 4,
            "items": [
                {"type": "heading", "number": 1, "text": [{"text": "Boats"}], "level": 1},
                {
                    "type": "paragraph",
                    "number": 2,
                    "text": [{"text": "We hold "}, {"text": "77", "mark": "struck"}, {"text": " 12 patents."}],
                },
                {"type": "item", "number": 3, "text": [{"text": "Certified"}], "is_checked": True},
                {"type": "table", "number": 4, "head_rows": 1},
            ],
        }

    @pytest.mark.parametrize("query", ["page_size=0", "page_size=1001", "page=0", "sort=number"])
    async def test_no_other_numbers(self, owner: Actor, ada: httpx.AsyncClient, query: str) -> None:
        assert (await ada.get(f"/api/training/documents/{uuid4()}/blocks?{query}")).status_code == 422

    async def test_without_blocks_it_says_what_to_do(self, committed: Core, owner: Actor, ada: httpx.AsyncClient) -> None:
        document = await trained(committed, owner, BOATS, "boats.md")
        path = f"/api/training/documents/{document.id}/blocks"
        for state, sentence in (("trained", "An earlier release read this"), ("waiting", "not trained yet")):
            async with committed.database.transaction() as session:
                await session.execute(text(f"UPDATE document SET structure_key = NULL, state = '{state}'"))
            answer = await ada.get(path)
            assert (answer.status_code, sentence in answer.text) == (409, True)

    @pytest.mark.security(51)
    async def test_only_who_sees_a_document_sees_its_blocks(self, committed: Core, snapshots: Snapshots) -> None:
        team = await team_of(committed, snapshots)
        document = await trained(committed, team.ada, BOATS, "boats.md")
        app = api_of(committed, api.router)

        async def status(actor: Actor) -> int:
            async with program(app, actor) as client:
                return (await client.get(f"/api/training/documents/{document.id}/blocks")).status_code

        assert (await status(team.ada), await status(team.vic)) == (200, 200)
        await team.do(
            team.ada, lambda session: restricting.restrict_document(session, team.ada, committed, document.id, RestrictionForm())
        )
        assert [await status(actor) for actor in (team.ada, team.vic, team.eve)] == [200, 404, 404]
