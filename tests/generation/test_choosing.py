"""Which documents drafts leave out."""

from __future__ import annotations

from datetime import date
from uuid import UUID

import pytest
from sqlalchemy import update

from fundwright.generation import service
from fundwright.generation.choosing import LeftOut, reasons_to_leave_out, used_by_drafts
from fundwright.reading.kinds import OUR_KINDS, DocumentKind
from fundwright.training import adding, runs, searching
from fundwright.training.models import Document
from fundwright.training.schemas import DocumentText, PastedText
from tests.generation.conftest import Desk

TODAY = date(2026, 12, 1)
NEWER, OLDER = UUID(int=1), UUID(int=2)
NOW = "Iron Peak Inc. is a small business with 31 employees. Phone: (208) 555-0162"
BEFORE = "Iron Peak Inc. is a small business with 12 employees. Phone: (208) 555-0119"


def document(
    id: UUID,
    text: str,
    dated: date | None,
    *,
    kind: DocumentKind = DocumentKind.ABOUT_US,
    is_always_used: bool = False,
) -> DocumentText:
    return DocumentText(
        id=id,
        title="",
        kind=kind,
        dated=dated,
        is_always_used=is_always_used,
        text=f"Iron Peak Inc.\n\n{text}\n",
        passages=(),
    )


@pytest.mark.parametrize(
    ("dated", "is_left_out"),
    [(date(2013, 2, 11), True), (date(2024, 11, 29), True), (date(2024, 12, 3), False), (None, False)],
)
def test_a_document_about_us_of_more_than_two_years_is_outdated(dated: date | None, *, is_left_out: bool) -> None:
    found = reasons_to_leave_out([document(NEWER, NOW, None), document(OLDER, BEFORE, dated)], "Iron Peak Inc.", today=TODAY)
    assert found == ({OLDER: LeftOut.OUTDATED} if is_left_out else {})


def test_the_newest_document_about_us_is_used_however_old() -> None:
    documents = [document(NEWER, NOW, date(2021, 1, 1)), document(OLDER, BEFORE, date(2019, 1, 1))]
    assert reasons_to_leave_out(documents, "Iron Peak Inc.", today=TODAY) == {OLDER: LeftOut.OUTDATED}
    assert reasons_to_leave_out(documents[:1], "Iron Peak Inc.", today=TODAY) == {}


@pytest.mark.parametrize("kind", DocumentKind)
def test_only_documents_about_us_and_proposals_are_outdated(kind: DocumentKind) -> None:
    documents = [document(OLDER, BEFORE, date(2013, 2, 11), kind=kind), document(NEWER, NOW, None, kind=kind)]
    is_outdated = kind in (DocumentKind.ABOUT_US, DocumentKind.PREVIOUS_PROPOSAL)
    assert set(reasons_to_leave_out(documents, "Iron Peak Inc.", today=TODAY)) == ({OLDER} if is_outdated else set())


def test_the_only_proposal_is_outdated_beside_a_newer_document_about_us() -> None:
    documents = [
        document(OLDER, BEFORE, date(2023, 5, 5), kind=DocumentKind.PREVIOUS_PROPOSAL),
        document(NEWER, NOW, date(2026, 8, 1)),
    ]
    assert reasons_to_leave_out(documents, "Iron Peak Inc.", today=TODAY) == {OLDER: LeftOut.OUTDATED}
    assert reasons_to_leave_out(documents[:1], "Iron Peak Inc.", today=TODAY) == {}


@pytest.mark.parametrize("is_always_used", [True, False])
def test_a_person_can_let_drafts_use_it_anyway(*, is_always_used: bool) -> None:
    older = document(OLDER, BEFORE, date(2013, 2, 11), is_always_used=is_always_used)
    newer = document(NEWER, NOW, date(2026, 8, 1))
    assert (older in used_by_drafts([newer, older], "Iron Peak Inc.", TODAY)) is is_always_used


def test_a_document_in_which_another_organization_presents_itself_is_not_ours() -> None:
    another = DocumentText(
        id=OLDER, title="", kind=DocumentKind.ABOUT_US, text="Harbor Light is a nonprofit in Duluth.", passages=()
    )
    found = reasons_to_leave_out([document(NEWER, NOW, None), another], "Iron Peak Inc.", today=TODAY)
    assert found == {OLDER: LeftOut.ABOUT_ANOTHER}


@pytest.mark.parametrize(("label", "is_left_out"), [("State of incorporation", False), ("Legal name", True)])
def test_a_form_that_names_nobody_is_ours(label: str, *, is_left_out: bool) -> None:
    form = f"Worksheet\n\n| UEI | HJ4WQ8ZNV3L6 | CAGE code | 6RK19 | {label} | Oregon |"
    worksheet = DocumentText(id=OLDER, title="", kind=DocumentKind.ABOUT_US, text=form, passages=())
    found = reasons_to_leave_out([document(NEWER, NOW, None), worksheet], "Iron Peak Inc.", today=TODAY)
    assert found == ({OLDER: LeftOut.ABOUT_ANOTHER} if is_left_out else {})


@pytest.mark.parametrize(
    ("text", "is_left_out"),
    [
        ("We meet in Alder on Monday. Then Wade and Rosa show the bench, and Dana goes home.", False),
        ("They meet in Salem. Then Ike and Wade show the barn, and Holly goes home.", True),
    ],
)
def test_slides_with_the_names_of_our_people_are_ours(text: str, *, is_left_out: bool) -> None:
    naming = f"{NOW}\n\nThe bench in Alder is led by Wade Church and Rosa Blake; Dana Rivers answers on Monday."
    slides = DocumentText(id=OLDER, title="", kind=DocumentKind.ABOUT_US, text=text, passages=())
    found = reasons_to_leave_out([document(NEWER, naming, None), slides], "Iron Peak Inc.", today=TODAY)
    assert found == ({OLDER: LeftOut.ABOUT_ANOTHER} if is_left_out else {})


def test_documents_of_the_same_partner_do_not_vouch_for_each_other() -> None:
    text = "They meet in Salem. Then Ike and Wade show the barn, and Holly goes home."
    partners = [
        DocumentText(id=UUID(int=number), title="", kind=DocumentKind.ABOUT_US, text=text, passages=()) for number in (8, 9)
    ]
    found = reasons_to_leave_out([document(NEWER, NOW, None), *partners], "Iron Peak Inc.", today=TODAY)
    assert found == {each.id: LeftOut.ABOUT_ANOTHER for each in partners}


async def test_the_page_of_a_document_reads_the_beginnings_of_those_that_it_may_be_left_out_for(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {"new": f"{NOW}\n\n{'We repair roofs. ' * 5_000}", "old": BEFORE, "sheet": "Past work"}
    async with desk.core.database.transaction() as session:
        ids = {
            name: (
                await adding.add_text(session, desk.actor, desk.core, PastedText(title=name, text=f"Iron Peak Inc.\n\n{text}"))
            ).id
            for name, text in said.items()
        }
    await runs.run_inline(desk.core, desk.actor, list(ids.values()))
    chosen = {"new": (DocumentKind.ABOUT_US, 2026), "old": (DocumentKind.ABOUT_US, 2013), "sheet": (DocumentKind.RESUME, 2013)}
    async with desk.core.database.transaction() as session:
        await session.execute(update(Document).where(Document.id.not_in(list(ids.values()))).values(kind=DocumentKind.NOTICE))
        for name, (kind, year) in chosen.items():
            changed = update(Document).where(Document.id == ids[name])
            await session.execute(changed.values(kind=kind, dated=date(year, 1, 1)))
        read = await searching.read_openings(session, desk.actor, kinds=OUR_KINDS, characters=60_000)
    assert {document.title: len(document.text) for document in read}["new"] == 60_000
    assert await service.why_left_out(desk.core, desk.actor, ids["old"]) is LeftOut.OUTDATED

    async def refuse(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr(searching, "read_openings", refuse)
    assert await service.why_left_out(desk.core, desk.actor, ids["sheet"]) is None


@pytest.mark.parametrize(
    ("text", "is_left_out"),
    [
        (
            "Delmarva Marine Imaging, Inc. has 140 employees.\n\nDelmarva Marine Imaging, Inc. is certified. Partners: Iron Peak Inc.",
            True,
        ),
        ("Iron Peak Inc. works with Delmarva Marine Imaging, Inc.\n\nIron Peak Inc. has 31 employees.", False),
    ],
)
def test_a_page_of_a_partner_that_names_us_is_not_ours(text: str, *, is_left_out: bool) -> None:
    page = DocumentText(id=OLDER, title="", kind=DocumentKind.ABOUT_US, text=text, passages=())
    ours = [document(NEWER, NOW, None), document(UUID(int=3), "We repair roofs.", None)]
    assert (OLDER in reasons_to_leave_out([*ours, page], "Iron Peak Inc.", today=TODAY)) is is_left_out
