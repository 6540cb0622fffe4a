"""Pages of documents as pictures with words, who sees them, and what is kept of them."""

from __future__ import annotations

import asyncio
import io
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from uuid import UUID, uuid4

import httpx
import pypdf
import pytest
from fastapi import FastAPI
from PIL import Image
from sqlalchemy import text

from fundwright.accounts.schemas import Actor
from fundwright.core import files, sandbox
from fundwright.core.assembly import Core
from fundwright.core.errors import FundwrightError, NotFound
from fundwright.core.scopes import Scope, acting_in
from fundwright.core.sweeping import remove_unused
from fundwright.reading.formats import Unreadable
from fundwright.training import adding, api, pictures, restricting, runs, searching, service, viewing
from fundwright.training.display import Highlight, PlacedText
from fundwright.training.schemas import DocumentRead, PictureWidth, ViewQuery
from fundwright.workspaces.schemas import RestrictionForm
from fundwright_ui.screens.training.document import document_screen, passage_screen
from fundwright_ui.screens.training.train import train_screen
from fundwright_ui.testing import mounted
from tests.core import sandboxed
from tests.reading.pictures import page_of, saved
from tests.support.pdf_files import painted_pdf, with_field, written_pdf
from tests.support.polling import eventually
from tests.support.programs import api_of, program
from tests.support.snapshots import Snapshots
from tests.support.teams import team_of
from tests.training.conftest import pieces

FERRY = "The harbor ferry carries forty passengers across the bay every hour of the day."
PDF = written_pdf([b"(We build boats for every harbor.)"], [f"({FERRY})".encode(), b"(Boats are repaired, too.)"])


async def trained(core: Core, owner: Actor, content: bytes, filename: str) -> DocumentRead:
    with acting_in(owner.scope):
        async with core.database.transaction() as session:
            received = await core.files.receive(pieces(content))
            added = await adding.add_document(session, owner, core, received, filename=filename, is_trained_later=False)
        await runs.run_inline(core, owner, [added.id])
        async with core.database.transaction() as session:
            return await service.get_document(session, owner, added.id)


async def passage_of(core: Core, document_id: UUID) -> UUID:
    async with core.database.transaction() as session:
        return (await session.scalars(text(f"SELECT id FROM chunk WHERE document_id = '{document_id}' ORDER BY ordinal"))).first()


async def view(core: Core, actor: Actor, document_id: UUID, **query: object) -> viewing.DocumentView:
    with acting_in(actor.scope):
        return await viewing.read_view(core, actor, document_id, ViewQuery.model_validate(query))


async def marks_of(core: Core, owner: Actor, document: DocumentRead, statement: str, which: int) -> Sequence[PlacedText]:
    """What is marked on the page of a document if this statement of its passage is cited: that with this number, from 0, of several equal ones."""
    passage = await passage_of(core, document.id)
    async with core.database.transaction() as session:
        passage_text = (await searching.get_passage(session, owner, passage)).text
    start, end = [found.span() for found in re.finditer(re.escape(statement), passage_text)][which]
    shown = await view(core, owner, document.id, passage=passage, quotes=f"[[{start}, {end}]]")
    assert shown.page is not None and shown.is_cited
    return shown.page.marks


def rates_pdf() -> bytes:
    """A table that is written column by column, with roles in two lines each."""
    roles = (
        ("Role",),
        ("Lead diver with a license", "for all of the harbor and the ferry"),
        ("Deck hand", "for nights"),
        ("Pilot", "for days"),
    )
    rates = ("Rate",), ("$90 an hour",), ("$90 an hour",), ("$70 an hour",)
    rules = [f"60 {y} m 400 {y} l S" for y in range(720, 720 - 28 * 5, -28)] + [f"{x} 720 m {x} 608 l S" for x in (60, 300, 400)]
    texts = [
        f"1 0 0 1 {left} {709 - 28 * row - 11 * place} Tm ({line}) Tj"
        for left, column in ((64, roles), (304, rates))
        for row, lines in enumerate(column)
        for place, line in enumerate(lines)
    ]
    return painted_pdf(f"0.5 w {' '.join(rules)} BT /F1 9 Tf {' '.join(texts)} ET".encode())


@pytest.fixture
def app(committed: Core) -> FastAPI:
    return api_of(committed, api.router)


@pytest.fixture
async def ada(app: FastAPI, owner: Actor) -> AsyncIterator[httpx.AsyncClient]:
    async with program(app, owner) as client:
        yield client


def derived_of(core: Core, document: DocumentRead) -> list[str]:
    folder = core.files.path(document.sha256).parent.parent / "derived" / document.sha256
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


class TestPictures:
    async def test_a_page_is_returned_and_not_sent_again(self, committed: Core, owner: Actor, ada: httpx.AsyncClient) -> None:
        document = await trained(committed, owner, PDF, "boats.pdf")
        path = f"/api/training/documents/{document.id}/pages/2"
        answer = await ada.get(path)
        assert (answer.status_code, answer.headers["content-type"]) == (200, "image/webp")
        assert answer.headers["cache-control"] == "private, no-cache"
        with Image.open(io.BytesIO(answer.content)) as picture:
            assert (picture.format, picture.width) == ("WEBP", 1200)
        again = await ada.get(path, headers={"If-None-Match": answer.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        large = await ada.get(path, params={"width": 2400}, headers={"If-None-Match": answer.headers["etag"]})
        with Image.open(io.BytesIO(large.content)) as picture:
            assert picture.width == 2400

    async def test_words_have_places(self, committed: Core, owner: Actor, ada: httpx.AsyncClient) -> None:
        document = await trained(committed, owner, PDF, "boats.pdf")
        page = (await ada.get(f"/api/training/documents/{document.id}/pages/1/words")).json()
        assert (page["pages"], round(page["height"], 3)) == (2, round(792 / 612, 3))
        assert [word["text"] for word in page["words"]] == ["We", "build", "boats", "for", "every", "harbor."]
        first = page["words"][0]
        assert first["left"] == pytest.approx(60 / 612, abs=0.01) and 0.08 < first["top"] < first["bottom"] < 0.13

    async def test_a_turned_page_is_shown_as_a_reader_shows_it(
        self, committed: Core, owner: Actor, ada: httpx.AsyncClient
    ) -> None:
        writer = pypdf.PdfWriter(clone_from=io.BytesIO(PDF))
        writer.pages[0].rotate(90)
        target = io.BytesIO()
        writer.write(target)
        document = await trained(committed, owner, target.getvalue(), "turned.pdf")
        page = (await ada.get(f"/api/training/documents/{document.id}/pages/1/words")).json()
        first = page["words"][0]
        assert page["height"] < 1 and first["left"] > 0.8 and first["bottom"] - first["top"] > first["right"] - first["left"]

    @pytest.mark.parametrize("number", [3, 2**31 - 1])
    async def test_beyond_the_end_there_is_none(self, committed: Core, owner: Actor, ada: httpx.AsyncClient, number: int) -> None:
        document = await trained(committed, owner, PDF, "boats.pdf")
        for path in (f"pages/{number}", f"pages/{number}/words"):
            assert (await ada.get(f"/api/training/documents/{document.id}/{path}")).status_code == 404
        assert derived_of(committed, document) == []

    @pytest.mark.parametrize("path", ["pages/0", "pages/x", "pages/1?width=1000000"])
    async def test_no_other_numbers_and_widths(self, committed: Core, owner: Actor, ada: httpx.AsyncClient, path: str) -> None:
        document = await trained(committed, owner, PDF, "boats.pdf")
        assert (await ada.get(f"/api/training/documents/{document.id}/{path}")).status_code == 422

    async def test_other_formats_have_none(self, committed: Core, owner: Actor, ada: httpx.AsyncClient) -> None:
        document = await trained(committed, owner, FERRY.encode(), "boats.md")
        answer = await ada.get(f"/api/training/documents/{document.id}/pages/1")
        assert (answer.status_code, "Only pages of PDF and image files" in answer.text) == (422, True)

    async def test_a_damaged_one_is_explained(self, committed: Core, owner: Actor, ada: httpx.AsyncClient) -> None:
        document = await trained(committed, owner, b"%PDF-1.7\nnot really", "broken.pdf")
        for path in ("pages/1", "pages/1/words"):
            answer = await ada.get(f"/api/training/documents/{document.id}/{path}")
            assert answer.status_code == 422 and "“broken.pdf”" in answer.json()["error"]["message"]

    async def test_a_page_as_large_as_a_house_is_small(self, committed: Core, owner: Actor, ada: httpx.AsyncClient) -> None:
        writer = pypdf.PdfWriter(clone_from=io.BytesIO(PDF))
        writer.pages[0].mediabox = pypdf.generic.RectangleObject((0, 0, 100, 14_400))
        target = io.BytesIO()
        writer.write(target)
        document = await trained(committed, owner, target.getvalue(), "high.pdf")
        answer = await ada.get(f"/api/training/documents/{document.id}/pages/1?width=2400")
        assert answer.status_code == 200, answer.text
        with Image.open(io.BytesIO(answer.content)) as picture:
            assert picture.width * picture.height <= 12_100_000

    @pytest.mark.parametrize("results", [[], [b"<html></html>"], [b"RIFF....WEBP", b"RIFF....WEBP"]])
    async def test_what_a_compromised_process_returns_is_not_passed_on(
        self, committed: Core, owner: Actor, monkeypatch: pytest.MonkeyPatch, results: list[bytes]
    ) -> None:
        document = await trained(committed, owner, PDF, "boats.pdf")

        done = list[object]()

        async def stream(work: object, **_: object) -> AsyncIterator[bytes]:
            done.append(work)
            for result in results:
                yield result

        monkeypatch.setattr(committed.sandbox, "stream", stream)
        monkeypatch.setattr(committed.sandbox, "_failures", {})
        monkeypatch.setattr(sandbox, "_COSTLY_S", 0.0)
        with acting_in(owner.scope):
            for _ in range(2):
                with pytest.raises(FundwrightError):
                    await viewing.get_page_picture(committed, owner, document.id, 1, PictureWidth.NORMAL)
                with pytest.raises(FundwrightError):
                    await viewing.get_page_words(committed, owner, document.id, 1)
        assert len(done) == (2 if results else 3)  # without a picture, there is no such page, which is no failure
        assert derived_of(committed, document) == []

    async def test_it_is_kept_until_the_file_is_removed(self, committed: Core, owner: Actor, ada: httpx.AsyncClient) -> None:
        document = await trained(committed, owner, PDF, "boats.pdf")
        await asyncio.gather(*(ada.get(f"/api/training/documents/{document.id}/pages/{number}") for number in (1, 2)))
        await ada.get(f"/api/training/documents/{document.id}/pages/1/words")
        assert len(derived_of(committed, document)) == 3
        async with committed.database.transaction() as session:
            await session.execute(text("DELETE FROM document"))
        async with committed.database.transaction() as session:
            assert await remove_unused(session, committed, document.sha256)
        await eventually(lambda: derived_of(committed, document) == [])

    async def test_nothing_is_kept_of_a_file_that_was_removed_meanwhile(self, committed: Core) -> None:
        for part in ("1.webp", "2.webp"):
            await committed.files.keep_derived("ab" * 32, part, b"RIFF")
            assert await committed.files.find_derived("ab" * 32, part) is None

    async def test_there_is_a_limit_for_all(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(files, "_MOST_DERIVED_BYTES", 1_000)
        store = files.FileStore(tmp_path, max_bytes=1_000)
        received = await store.receive(pieces(b"boats"))
        await store.keep(received)
        for number in range(20):
            await store.keep_derived(received.sha256, f"{number}.webp", b"x" * 100)
        kept = list((tmp_path / "derived" / received.sha256).iterdir())
        assert 4 <= len(kept) <= 10 and tmp_path / "derived" / received.sha256 / "19.webp" in kept

    async def test_small_files_are_rarely_listed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(files, "_MOST_DERIVED_BYTES", 1_000)
        lists = list[files.FileStore]()
        monkeypatch.setattr(files.FileStore, "prune_derived", lambda store: lists.append(store))
        store = files.FileStore(tmp_path, max_bytes=1_000)
        received = await store.receive(pieces(b"boats"))
        await store.keep(received)
        for number in range(204):
            await store.keep_derived(received.sha256, f"{number}.json", b"x")
        assert len(lists) == 4


@pytest.mark.security(53)
class TestSlowPages:
    async def test_accounts_that_render_slow_pages_keep_no_other_waiting(
        self, committed: Core, owner: Actor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        document = await trained(committed, owner, PDF, "boats.pdf")
        slow = partial(sandboxed.sleep)
        limits = replace(pictures.LIMITS, gives_way_after_s=0.1, silent_seconds=3_600, total_seconds=3_600)
        monkeypatch.setattr(pictures, "LIMITS", limits)

        async def render(account_id: UUID) -> None:
            with acting_in(Scope(account_id=account_id)), suppress(Unreadable):
                await committed.sandbox.run(slow, limits=limits, name="a slow page")

        tasks = [asyncio.create_task(render(uuid4())) for _ in range(limits.at_once)]
        async with asyncio.timeout(60):
            with acting_in(owner.scope):
                _, content = await viewing.get_page_picture(committed, owner, document.id, 1, PictureWidth.NORMAL)
        assert content is not None and sum(task.done() for task in tasks) == 1
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)

    async def test_a_costly_failure_is_remembered_by_content(
        self, committed: Core, owner: Actor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        document = await trained(committed, owner, PDF, "boats.pdf")
        monkeypatch.setattr(pictures, "LIMITS", replace(pictures.LIMITS, output_bytes=1))
        monkeypatch.setattr(committed.sandbox, "_failures", {})  # other tests have pages of the same content
        monkeypatch.setattr(sandbox, "_COSTLY_S", 0.0)
        done = list[object]()
        start = committed.sandbox.start

        async def counted(*given: Any, **options: Any) -> Any:
            done.append(given)
            return await start(*given, **options)

        monkeypatch.setattr(committed.sandbox, "start", counted)
        with acting_in(owner.scope):
            for sentence in ("produced more than", "failed just now", "failed just now"):
                with pytest.raises(Unreadable, match=sentence):
                    await viewing.get_page_picture(committed, owner, document.id, 1, PictureWidth.NORMAL)
            assert len(done) == 1
            monkeypatch.setattr(sandbox, "_MOST_FAILURES", 1)
            for number in (2, 2, 1):
                with pytest.raises(Unreadable):
                    await viewing.get_page_picture(committed, owner, document.id, number, PictureWidth.NORMAL)
            assert len(done) == 3
            monkeypatch.setattr(sandbox, "_COSTLY_S", 3_600.0)
            for _ in range(2):
                with pytest.raises(Unreadable, match="produced more than"):
                    await viewing.get_page_picture(committed, owner, document.id, 2, PictureWidth.NORMAL)
        assert len(done) == 5

    @pytest.mark.parametrize(
        ("own_s", "sentences"), [(0.2, ("other people are waiting",) * 2), (0.95, ("took too long", "failed just now"))]
    )
    async def test_a_page_that_others_slow_down_is_tried_again(
        self, committed: Core, monkeypatch: pytest.MonkeyPatch, own_s: float, sentences: tuple[str, ...]
    ) -> None:
        monkeypatch.setattr(committed.sandbox, "_failures", {})
        limits = replace(pictures.LIMITS, silent_seconds=1, total_seconds=1)
        for sentence in sentences:
            monkeypatch.setattr(sandbox, "_processor_s", partial(next, count(own_s, 0.001)))
            with pytest.raises(Unreadable, match=sentence):
                await committed.sandbox.run(partial(sandboxed.sleep), limits=limits, name="a page", content="its content")


class TestScans:
    """Pages that are pictures."""

    LINES = ("We build boats for every harbor of the coast.", FERRY)

    @pytest.mark.parametrize(
        ("form", "filename"), [("PDF", "scan.pdf"), pytest.param("TIFF", "scan.tif", marks=pytest.mark.slow)]
    )
    async def test_a_turned_page_is_upright_and_its_words_are_found(
        self, committed: Core, owner: Actor, ada: httpx.AsyncClient, form: str, filename: str
    ) -> None:
        turned = page_of(*self.LINES).transpose(Image.Transpose.ROTATE_90)
        document = await trained(committed, owner, saved(page_of("The first page."), turned, form=form), filename)
        shown = await view(committed, owner, document.id, find="forty passengers")
        assert shown.page is not None and (shown.page.position.page, shown.page.position.pages) == (2, 2)
        assert [(mark.text, mark.highlight) for mark in shown.page.marks] == [("forty passengers", Highlight.CURRENT)]
        assert [line.text for line in shown.page.lines] == list(self.LINES)
        answer = await ada.get(f"/api/training/documents/{document.id}/pages/2")
        with Image.open(io.BytesIO(answer.content)) as picture:
            assert picture.width == 1200 and picture.height == pytest.approx(1200 * shown.page.height, abs=2)
            (mark,) = shown.page.marks
            sides = (
                mark.left * picture.width,
                mark.top * picture.height,
                mark.right * picture.width,
                mark.bottom * picture.height,
            )
            assert (picture.convert("L").crop(sides).getextrema()) == (0, pytest.approx(255, abs=5))
        words = (await ada.get(f"/api/training/documents/{document.id}/pages/2/words")).json()
        assert " ".join(word["text"] for word in words["words"]) == " ".join(self.LINES)

    @pytest.mark.parametrize("form", ["PNG", pytest.param("JPEG", marks=pytest.mark.slow)])
    async def test_an_image_is_shown_with_its_words(
        self, committed: Core, owner: Actor, ada: httpx.AsyncClient, form: str
    ) -> None:
        document = await trained(committed, owner, saved(page_of(*self.LINES), form=form), f"scan.{form.lower()}")
        shown = await view(committed, owner, document.id, passage=await passage_of(committed, document.id))
        assert shown.page is not None and shown.has_pictures and shown.is_cited
        assert (shown.page.position.previous, shown.page.position.next) == (None, None)
        assert (await ada.get(f"/api/training/documents/{document.id}/pages/1")).status_code == 200
        assert (await ada.get(f"/api/training/documents/{document.id}/pages/2")).status_code == 404

    async def test_a_page_that_was_not_recognized_is_shown_without_words(
        self, committed: Core, owner: Actor, ada: httpx.AsyncClient
    ) -> None:
        document = await trained(committed, owner, saved(page_of(*self.LINES), page_of(), form="TIFF"), "scan.tif")
        shown = await view(committed, owner, document.id, page=2)
        assert shown.page is not None and (shown.page.lines, shown.page.position.pages) == ((), 2)
        assert shown.page.height == pytest.approx(1650 / 1275)
        assert (await ada.get(f"/api/training/documents/{document.id}/pages/2")).status_code == 200


class TestAccess:
    @pytest.mark.security(51)
    async def test_only_who_sees_a_document_sees_its_pages(self, committed: Core, snapshots: Snapshots) -> None:
        team = await team_of(committed, snapshots)
        document = await trained(committed, team.ada, PDF, "boats.pdf")
        passage = await passage_of(committed, document.id)
        app = api_of(committed, api.router)

        async def answers(actor: Actor) -> list[int]:
            async with program(app, actor) as client:
                paths = [f"documents/{document.id}/pages/1", f"documents/{document.id}/pages/1/words", f"passages/{passage}"]
                return [(await client.get(f"/api/training/{path}")).status_code for path in paths]

        async with program(app, team.ada) as client:
            tag = (await client.get(f"/api/training/documents/{document.id}/pages/1")).headers["etag"]
        assert (await view(committed, team.vic, document.id)).document.id == document.id
        await team.do(
            team.ada, lambda session: restricting.restrict_document(session, team.ada, committed, document.id, RestrictionForm())
        )
        for actor in (team.vic, team.eve):
            with acting_in(actor.scope):
                assert await answers(actor) == [404, 404, 404]
                async with program(app, actor) as client:
                    known = await client.get(f"/api/training/documents/{document.id}/pages/1", headers={"If-None-Match": tag})
                    assert known.status_code == 404
            with pytest.raises(NotFound):
                await view(committed, actor, document.id)
            with pytest.raises(NotFound):
                await team.do(actor, lambda session, actor=actor: viewing.find_document_of(session, actor, passage))
        assert (await view(committed, team.ada, document.id)).page is not None

    async def test_an_unknown_document_has_no_pages(self, committed: Core, owner: Actor, ada: httpx.AsyncClient) -> None:
        assert (await ada.get(f"/api/training/documents/{uuid4()}/pages/1")).status_code == 404
        with pytest.raises(NotFound):
            await view(committed, owner, uuid4())

    async def test_a_passage_of_another_document_is_not_shown(self, committed: Core, owner: Actor) -> None:
        document = await trained(committed, owner, PDF, "boats.pdf")
        other = await trained(committed, owner, b"# Plan\n\nA plan of the whole harbor.", "plan.md")
        shown = await view(committed, owner, document.id, passage=await passage_of(committed, other.id))
        assert shown.is_passage_missing and not shown.is_cited


class TestView:
    async def test_a_pdf_is_shown_at_its_passage(self, committed: Core, owner: Actor) -> None:
        document = await trained(committed, owner, PDF, "boats.pdf")
        shown = await view(committed, owner, document.id, passage=await passage_of(committed, document.id), page=2)
        assert shown.page is not None and shown.is_cited and shown.place is not None and shown.place.page == 2
        assert FERRY in " ".join(mark.text for mark in shown.page.marks)

    async def test_only_the_statement_is_highlighted_on_its_page(self, committed: Core, owner: Actor) -> None:
        document = await trained(committed, owner, PDF, "boats.pdf")
        passage = await passage_of(committed, document.id)
        async with committed.database.transaction() as session:
            start = (await searching.get_passage(session, owner, passage)).text.index(FERRY)
        query = dict(parse_qsl(urlsplit(service.path_of_passage(document.id, passage, ((start, start + len(FERRY)),))).query))
        shown = await view(committed, owner, document.id, **query)
        assert shown.page is not None and shown.page.position.page == 2
        assert " ".join(mark.text for mark in shown.page.marks) == FERRY

    @pytest.mark.parametrize("which", [0, 1])
    async def test_of_equal_values_the_one_in_the_cited_cell_is_marked(self, committed: Core, owner: Actor, which: int) -> None:
        document = await trained(committed, owner, rates_pdf(), "rates.pdf")
        marks = await marks_of(committed, owner, document, "$90 an hour", which)
        assert [mark.text for mark in marks] == ["$90 an hour"]
        baseline = 720 - 28 - 28 * which - 11
        assert marks[0].top * 792 < 792 - baseline < marks[0].bottom * 792

    async def test_the_value_of_a_field_is_marked_where_it_stands(self, committed: Core, owner: Actor) -> None:
        painted = b"BT /F1 11 Tf 60 700 Td (Name:) Tj 0 -40 Td (We build boats for every harbor.) Tj ET"
        document = await trained(committed, owner, painted_pdf(painted, changed=with_field), "form.pdf")
        (mark,) = await marks_of(committed, owner, document, "Harbor Works", 0)
        assert (mark.text, round(mark.left * 612), round(mark.right * 612)) == ("Harbor Works", 60, 300)
        assert mark.top * 792 < 88 < mark.bottom * 792 < 100

    async def test_the_hit_that_was_gone_to_is_marked_in_the_picture(self, committed: Core, owner: Actor) -> None:
        document = await trained(committed, owner, PDF, "boats.pdf")
        shown = await view(committed, owner, document.id, find="boats", hit=2)
        assert shown.page is not None and [(mark.text, mark.highlight) for mark in shown.page.marks] == [
            ("Boats", Highlight.CURRENT)
        ]

    async def test_without_a_picture_the_text_is_shown(
        self, committed: Core, owner: Actor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        document = await trained(committed, owner, PDF, "boats.pdf")
        path = committed.files.path(document.sha256)
        path.write_bytes(b"%PDF-1.7\nnot really")
        shown = await view(committed, owner, document.id)
        assert (shown.page, shown.has_pictures) == (None, False) and "“boats.pdf”" in shown.problem
        assert shown.portion is not None and shown.portion.blocks

    async def test_a_document_whose_content_has_changed_is_not_shown(self, committed: Core, owner: Actor) -> None:
        document = await trained(committed, owner, FERRY.encode(), "boats.md")
        async with committed.database.transaction() as session:
            await session.execute(text("UPDATE document SET structure_key = NULL"))
        assert (await view(committed, owner, document.id)).portion is None


class TestScreen:
    async def test_a_passage_is_shown_in_its_document(self, committed: Core, owner: Actor) -> None:
        document = await trained(committed, owner, f"# Boats\n\n{FERRY}\n\n- [x] Certified".encode(), "boats.md")
        passage = await passage_of(committed, document.id)
        for path, id, screen in (
            (f"/dashboard/train/{document.id}?passage={passage}", document.id, document_screen),
            (f"/dashboard/passage/{passage}", passage, passage_screen),
        ):
            async with mounted(committed, owner, screen, path=path, params={"id": str(id)}) as shown:
                marks = [each.text for each in shown.elements("mark")]
                assert FERRY in marks and shown.has("heading", "Boats")
                assert shown.has("img", "Checked")

    async def test_an_answer_leads_to_its_statement(self, committed: Core, owner: Actor) -> None:
        document = await trained(committed, owner, f"# Boats\n\nThe office is open all day. {FERRY}".encode(), "boats.md")
        path = "/dashboard/train?question=How+many+passengers+does+the+ferry+carry"
        async with mounted(committed, owner, train_screen, path=path) as asked:
            await asked.expect("Show in the document")
            href = asked.find("link", "Show in the document").props["href"]
        async with mounted(committed, owner, document_screen, path=href, params={"id": str(document.id)}) as shown:
            assert [each.text for each in shown.elements("mark")] == [FERRY]

    async def test_the_search_counts_hits_and_goes_to_the_next(self, committed: Core, owner: Actor) -> None:
        document = await trained(committed, owner, PDF, "boats.pdf")
        async with mounted(
            committed, owner, document_screen, path=f"/dashboard/train/{document.id}?page=2", params={"id": str(document.id)}
        ) as shown:
            await shown.type("Search in this document", "boats")
            await shown.submit("Search in this document")
            await shown.expect("Match 1 of 2")
            href = shown.find("link", "Next match").props["href"]
            await shown.go(href)
            await shown.expect("Match 2 of 2")
            assert re.search("Page 2 of 2", shown.text)

    async def test_a_page_is_gone_to_by_its_number(self, committed: Core, owner: Actor) -> None:
        document = await trained(committed, owner, PDF, "boats.pdf")
        async with mounted(
            committed, owner, document_screen, path=f"/dashboard/train/{document.id}?view=text", params={"id": str(document.id)}
        ) as shown:
            await shown.type("Page", "2")
            await shown.submit("Go to page")
            await shown.expect("Page 2 of 2")
            assert FERRY in shown.text
            for unknown in ("nowhere", "3", "0"):
                await shown.type("Page", unknown)
                await shown.submit("Go to page")
                sentence = f"There is no page “{unknown}”. Enter a number from 1 to 2."
                await shown.expect(sentence)
                assert shown.find("alert").text == sentence and "Page 2 of 2" in shown.text
            await shown.go(shown.find("link", "Previous page").props["href"])
            await shown.expect("Page 1 of 2")
            assert "There is no page" not in shown.text

    @pytest.mark.parametrize(
        ("filename", "query", "sentence"),
        [
            ("boats.pdf", "page=99", "There is no page 99. This document has 2 pages; the last one is shown."),
            ("boats.pdf", "page=99&view=text", "There is no page 99. This document has 2 pages; the last one is shown."),
            ("boats.md", "page=99", "This document has no pages. Showing its text."),
            ("boats.md", "part=2", "There is only 1 part here. Showing the last one."),
            ("boats.pdf", "page=2", ""),
            ("boats.md", "page=1&part=1", ""),
        ],
    )
    async def test_a_page_in_the_address_that_does_not_exist_is_said(
        self, committed: Core, owner: Actor, filename: str, query: str, sentence: str
    ) -> None:
        content = PDF if filename.endswith("pdf") else FERRY.encode()
        document = await trained(committed, owner, content, filename)
        path = f"/dashboard/train/{document.id}?{query}"
        async with mounted(committed, owner, document_screen, path=path, params={"id": str(document.id)}) as shown:
            assert (FERRY in shown.text, sentence in shown.text) == (True, True)

            def notices() -> list[str]:
                return [each.text for each in shown.elements("status") if each.text and not each.text.startswith("Page ")]

            assert notices() == ([sentence] if sentence else [])
            await shown.go(f"/dashboard/train/{document.id}")
            assert notices() == []

    async def test_hidden_text_is_switched_on(self, committed: Core, owner: Actor) -> None:
        document = await trained(committed, owner, b"We hold ~~77~~ 12 patents.", "patents.md")
        async with mounted(
            committed, owner, document_screen, path=f"/dashboard/train/{document.id}", params={"id": str(document.id)}
        ) as shown:
            assert "77" not in shown.text
            assert "Left out of answers and drafts: 1 struck-through word." in shown.text
            await shown.check("Show hidden text")
            await shown.expect("Struck through: 77")
            assert shown.address.endswith("?hidden=true")

    async def test_what_was_not_read_is_said(self, committed: Core, owner: Actor) -> None:
        document = await trained(committed, owner, b"%PDF-1.7\nnot really", "broken.pdf")
        async with mounted(
            committed, owner, document_screen, path=f"/dashboard/train/{document.id}", params={"id": str(document.id)}
        ) as shown:
            assert "is damaged" in shown.find("alert").text
            assert shown.has("link", "Download original")
