"""A new version of a document replaces the earlier one once a person says so."""

from __future__ import annotations

import asyncio
from uuid import UUID

import pytest
from sqlalchemy import text

from fundwright.accounts.schemas import Actor
from fundwright.asking import service as asking
from fundwright.core import jobs
from fundwright.core.assembly import Core
from fundwright.core.errors import Invalid, NotFound
from fundwright.core.paging import PageRequest
from fundwright.core.sizes import file_size
from fundwright.language import service as language
from fundwright.reading.kinds import DocumentKind
from fundwright.training import removing, runs, searching, service, sketches, versions
from fundwright.training.schemas import DocumentRead, FindFacts
from fundwright.trash import service as trash
from fundwright_ui.screens.training.train import train_screen
from fundwright_ui.testing import mounted
from tests.reading.pictures import page_of, saved
from tests.training.conftest import AddFile

RATES = """# Rate card of the Harbor Group

The Harbor Group charges these hourly rates for all task orders under the schedule, effective from the first day of the month.

A senior hydrologist costs {senior} an hour at the site of the customer and includes travel within the county.
A field technician costs {junior} an hour at the site of the customer and includes all gauges and tools.
Rates are fixed for the base year and rise by three percent in each option year after that.
"""
BREAD = "# Bread\n\nA sourdough loaf rises overnight in a cool kitchen and is baked in a very hot oven until its crust is dark."


def rates(senior: int, junior: int = 88) -> str:
    return RATES.format(senior=f"${senior}", junior=f"${junior}")


@pytest.fixture
async def cards(committed: Core, owner: Actor, add_file: AddFile) -> tuple[DocumentRead, DocumentRead]:
    """Two versions of a rate card under different names, and a document about something else between them; all are trained."""
    found = [await _added(committed, owner, add_file, rates(158), "rates of May.md")]
    await _added(committed, owner, add_file, BREAD, "bread.md")
    found.append(await _added(committed, owner, add_file, rates(163), "card 2026.md"))
    return found[0], found[1]


async def _added(core: Core, owner: Actor, add_file: AddFile, content: str, filename: str) -> DocumentRead:
    async with core.database.transaction() as session:
        document = await add_file(session, owner, core, content, filename)
    await runs.run_inline(core, owner, [document.id])
    async with core.database.transaction() as session:
        return await service.get_document(session, owner, document.id)


async def _answers(core: Core, owner: Actor) -> list[tuple[str, bool]]:
    """The rates in answers, each with whether the answer has the date of its document."""
    embedder = await language.get_embedder(core)
    found = (
        await asking.find_answers(core, owner, "What does a senior hydrologist cost an hour?", embedder=embedder, limit=5)
    ).answers
    return [(rate, each.document_date is not None) for each in found for rate in ("$158", "$163", "$171") if rate in each.text]


async def _replace(core: Core, owner: Actor, earlier: UUID, newer: UUID) -> None:
    async with core.database.transaction() as session:
        await versions.replace(session, owner, core, earlier, newer)


async def test_a_document_with_mostly_the_same_text_is_offered_as_a_new_version(
    committed: Core, owner: Actor, cards: tuple[DocumentRead, DocumentRead]
) -> None:
    earlier, newer = cards
    async with committed.database.transaction() as session:
        (offer,) = (await versions.list_offers(session, owner, PageRequest())).items
    assert (offer.newer.id, offer.earlier.id) == (newer.id, earlier.id)
    async with mounted(committed, owner, train_screen, path="/dashboard/train") as screen:
        await screen.expect("looks like a new version of")
        for each in (newer, earlier):
            assert screen.find("link", each.title).props["href"] == f"/dashboard/train/{each.id}"
            assert f" · {file_size(each.size_bytes)} · {each.filename}" in screen.text
        assert "is a scan" not in screen.text


async def test_a_scan_is_offered_as_a_scan(committed: Core, owner: Actor, add_file: AddFile) -> None:
    lines = [
        "Rate card of the Harbor Group",
        "",
        "A senior hydrologist costs $158 an hour at the site.",
        "A technician costs $88.",
    ]
    await _added(committed, owner, add_file, "\n".join(lines), "rates.txt")
    async with committed.database.transaction() as session:
        scan = await add_file(session, owner, committed, saved(page_of(*lines)), "rates.png")
    await runs.run_inline(committed, owner, [scan.id])
    async with mounted(committed, owner, train_screen, path="/dashboard/train") as screen:
        await screen.expect("is a scan. Its text was recognized and may have errors")


@pytest.mark.parametrize("filename", ["Bread.MD", "other.md"])
async def test_a_document_with_the_same_filename_is_offered_whatever_it_says(
    committed: Core, owner: Actor, add_file: AddFile, filename: str
) -> None:
    await _added(committed, owner, add_file, BREAD, "bread.md")
    newer = await _added(committed, owner, add_file, "# Loaves\n\nRye is ground slowly between two heavy stones.", filename)
    assert (newer.resembles is not None) == (filename == "Bread.MD")


async def test_answers_come_from_the_newest_version_with_its_date(
    committed: Core, owner: Actor, add_file: AddFile, cards: tuple[DocumentRead, DocumentRead]
) -> None:
    earlier, newer = cards
    assert sorted(await _answers(committed, owner)) == [("$158", False), ("$163", False)]
    await _replace(committed, owner, earlier.id, newer.id)
    assert await _answers(committed, owner) == [("$163", True)]
    newest = await _added(committed, owner, add_file, rates(171), "card 2027.md")
    assert newest.resembles == newer.id
    await _replace(committed, owner, newer.id, newest.id)
    async with committed.database.transaction() as session:
        assert (await versions.list_offers(session, owner, PageRequest())).total == 0
    assert await _answers(committed, owner) == [("$171", True)]
    async with committed.database.transaction() as session:
        notes = await versions.notes_of(session, owner, [earlier.id, newest.id])
        assert notes[earlier.id].replaced_at == newer.created_at
        assert notes[newest.id].added == newest.created_at
        await removing.remove_document(session, owner, newest.id)
    assert await _answers(committed, owner) == [("$163", True)]


async def test_an_offer_is_passed_on_to_the_newest_version(
    committed: Core, owner: Actor, add_file: AddFile, cards: tuple[DocumentRead, DocumentRead]
) -> None:
    earlier, newer = cards
    newest = await _added(committed, owner, add_file, rates(171), "card 2027.md")
    await _replace(committed, owner, newer.id, newest.id)
    async with committed.database.transaction() as session:
        (offer,) = (await versions.list_offers(session, owner, PageRequest())).items
    assert (offer.newer.id, offer.earlier.id) == (newest.id, earlier.id)


async def test_no_document_is_offered_as_a_version_of_itself(
    committed: Core, owner: Actor, cards: tuple[DocumentRead, DocumentRead]
) -> None:
    earlier, newer = cards
    await _replace(committed, owner, newer.id, earlier.id)
    async with committed.database.transaction() as session:
        assert (await service.get_document(session, owner, earlier.id)).resembles is None
        assert (await service.get_document(session, owner, newer.id)).resembles is None


async def test_what_is_asked_of_a_replaced_document_is_answered_from_its_newest_version(
    committed: Core, owner: Actor, cards: tuple[DocumentRead, DocumentRead]
) -> None:
    earlier, newer = cards
    await _replace(committed, owner, earlier.id, newer.id)
    embedder = await language.get_embedder(committed)
    found = await searching.find_passages(committed, owner, "hydrologist", embedder=embedder, document_ids=[earlier.id])
    assert {each.document_id for each in found} == {newer.id}


async def test_a_replaced_document_is_searched_again_once_its_newest_version_is_in_the_trash_or_it_is_brought_back(
    committed: Core, owner: Actor, cards: tuple[DocumentRead, DocumentRead]
) -> None:
    earlier, newer = cards
    await _replace(committed, owner, earlier.id, newer.id)
    async with committed.database.transaction() as session:
        await removing.remove_document(session, owner, newer.id)
    assert await _answers(committed, owner) == [("$158", False)]
    async with committed.database.transaction() as session:
        assert (await service.get_document(session, owner, earlier.id)).replaced_by is None
        await trash.restore(session, owner, committed, newer.id)
        assert (await service.get_document(session, owner, earlier.id)).replaced_by == newer.id
        assert (await versions.bring_back(session, owner, earlier.id)).replaced_by is None


async def test_both_can_be_kept(committed: Core, owner: Actor, cards: tuple[DocumentRead, DocumentRead]) -> None:
    async with committed.database.transaction() as session:
        await versions.keep_both(session, owner, cards[1].id)
        assert (await versions.list_offers(session, owner, PageRequest())).total == 0
    await runs.run_inline(committed, owner, [cards[1].id])
    async with committed.database.transaction() as session:
        assert (await versions.list_offers(session, owner, PageRequest())).total == 0


async def test_only_members_who_may_change_both_can_replace_one(
    committed: Core, owner: Actor, stranger: Actor, cards: tuple[DocumentRead, DocumentRead]
) -> None:
    earlier, newer = cards
    for actor, pair, error in (
        (stranger, (earlier.id, newer.id), NotFound),
        (owner, (earlier.id, earlier.id), Invalid),
        (owner, (earlier.id, UUID(int=0)), NotFound),
    ):
        with pytest.raises(error):
            await _replace(committed, actor, *pair)
    await _replace(committed, owner, earlier.id, newer.id)
    with pytest.raises(Invalid, match="newest version"):
        await _replace(committed, owner, newer.id, earlier.id)


class TestSketch:
    def shared(self, one: str, other: str) -> float:
        pairs = zip(sketches.sketch_of(one), sketches.sketch_of(other), strict=True)
        return sum(first == second for first, second in pairs) / sketches.SIZE

    def test_is_the_share_of_what_both_say(self) -> None:
        assert self.shared(rates(158, 88), rates(163, 91)) == 1
        assert self.shared(rates(158), rates(158)[: len(RATES) // 2]) == pytest.approx(0.5, abs=0.15)
        assert self.shared(rates(158), BREAD) == 0

    def test_of_a_text_without_words_is_empty(self) -> None:
        assert sketches.sketch_of("— two words") == []


async def test_a_second_click_does_not_hit_the_next_offer(
    committed: Core, owner: Actor, add_file: AddFile, cards: tuple[DocumentRead, DocumentRead], monkeypatch: pytest.MonkeyPatch
) -> None:
    is_over = asyncio.Event()
    monkeypatch.setattr("fundwright_ui.screens.training.train._pause", is_over.wait, raising=False)
    await _added(committed, owner, add_file, BREAD.replace("dark", "brown"), "bread of May.md")
    async with mounted(committed, owner, train_screen, path="/dashboard/train") as shown:
        for first, decided in (("bread of May", "Both versions are kept."), ("Card 2026", "The earlier version was replaced.")):
            await shown.expect(f"“{first}” looks like a new version of")
            is_over.clear()
            clicking = asyncio.ensure_future(shown.click("button", "Keep both" if first == "bread of May" else "Replace"))
            await shown.expect(decided)
            assert f"“{first}” looks like a new version of" in shown.text
            assert not shown.has("button", "Replace") and not shown.has("button", "Keep both")
            is_over.set()
            await clicking
        assert "looks like a new version" not in shown.text


async def test_a_newer_version_that_takes_over_another_kind_has_the_facts_of_that_kind(
    committed: Core, owner: Actor, cards: tuple[DocumentRead, DocumentRead]
) -> None:
    earlier, newer = cards
    async with committed.database.transaction() as session:
        await service.choose_kind(session, owner, committed, earlier.id, DocumentKind.NOTICE)
    await _replace(committed, owner, earlier.id, newer.id)
    async with committed.database.transaction() as session:
        payload = FindFacts(document_id=newer.id)
        assert await jobs.find_waiting(session, owner.workspace_id, kind=payload.job_kind, payload=payload)


async def test_replacing_twice_is_recorded_once(committed: Core, owner: Actor, cards: tuple[DocumentRead, DocumentRead]) -> None:
    earlier, newer = cards
    for _ in range(2):  # a double click
        async with committed.database.transaction() as session:
            assert (await versions.replace(session, owner, committed, earlier.id, newer.id)).replaced_by == newer.id
    async with committed.database.transaction() as session:
        recorded = await session.scalar(text("SELECT sum(times) FROM activity WHERE kind = 'document.replaced'"))
    assert recorded == 1
