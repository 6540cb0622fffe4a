"""What a person should check before a draft is submitted."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from fundwright.core.scopes import acting_in
from fundwright.generation import editing, service
from fundwright.generation.schemas import ClaimCheck, DraftRead, ExportWarningKind, Provenance
from fundwright.generation.warnings import warnings_of
from fundwright.reading.kinds import DocumentKind
from fundwright.training.models import Document
from fundwright_ui.screens.generate.draft import draft_screen
from fundwright_ui.testing import mounted
from tests.generation.conftest import Desk
from tests.generation.drafts import draft, part
from tests.generation.test_draft_checks import written

EMPTY, INTERNAL, PLACEHOLDER, UNSIGNED, UNSUPPORTED = (
    ExportWarningKind.EMPTY,
    ExportWarningKind.INTERNAL,
    ExportWarningKind.PLACEHOLDER,
    ExportWarningKind.UNSIGNED,
    ExportWarningKind.UNSUPPORTED,
)


def of(text: str) -> DraftRead:
    return draft(sections=(part(0, "Who we are", text),))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("We repair roofs [1]. We have 12 crews [1].", []),
        ("", [(EMPTY, "", ())]),
        (" \n", [(EMPTY, "", ())]),
        ("We repair roofs. Call [insert phone] or [Name].", [(PLACEHOLDER, "Call [insert phone] or [Name].", ("[insert phone]", "[Name]"))]),
        ("- [x] Small business\n- [ ] HUBZone", []),
        ("See [our site](https://example.org).", []),
        ("Price: TBD", [(PLACEHOLDER, "Price: TBD", ("TBD",))]),
        ("Signed: ________", [(PLACEHOLDER, "Signed: ________", ("________",))]),
        ("Contract XXXX ended.", [(PLACEHOLDER, "Contract XXXX ended.", ("XXXX",))]),
        ("The XXL roof is XXL-sized.", []),
        ("Dear {{name}},", [(PLACEHOLDER, "Dear {{name}},", ("{{name}}",))]),
        ("Bonding is $2 million. Internal only: our limit is low.", [(INTERNAL, "Internal only: our limit is low.", ())]),
        ("Do not cite this project.", [(INTERNAL, "Do not cite this project.", ())]),
        ("Our internal controls are audited. We do not use subcontractors.", []),
        ("Thank you.\n\nSincerely,", [(UNSIGNED, "Sincerely,", ())]),
        ("Thank you.\n\nSincerely,\n\n**Ada Ruiz**", []),
        ("A rate of 7 % [2].", [(INTERNAL, "A rate of 7 %.", ())]),
    ],
)  # fmt: skip
def test_is_found_in_sentences(text: str, found: list[tuple[ExportWarningKind, str, tuple[str, ...]]]) -> None:
    assert [(each.kind, each.text, each.details) for each in warnings_of(of(text), {2})] == found


def test_a_letter_is_signed_in_a_later_section() -> None:
    sections = (part(0, "Closing", "Sincerely,"), part(1, "Signature", "Ada Ruiz"))
    assert warnings_of(draft(sections=sections)) == []


def test_figures_that_no_source_states_are_listed_in_the_order_of_the_text() -> None:
    text = "Call [Name]. We have 12 crews [1]. We have 7 roofs [1]."
    check = ClaimCheck(start=13, end=34, provenance=Provenance.WRITTEN, numbers=(1,), quotes=(), missing=("12",))
    other = ClaimCheck(start=35, end=len(text), provenance=Provenance.WRITTEN, numbers=(1,), quotes=(), missing=(), found=1)
    section = part(0, "Who we are", text).model_copy(update={"checks": (check, other)})
    warnings = warnings_of(draft(sections=(section,)))
    assert [(each.kind, each.text, each.details) for each in warnings] == [
        (PLACEHOLDER, "Call [Name].", ("[Name]",)),
        (UNSUPPORTED, "We have 12 crews.", ("12",)),
    ]
    assert text[warnings[1].start : warnings[1].end] == "We have 12 crews [1]."


async def test_the_panel_lists_them_once_and_exports_anyway(desk: Desk) -> None:
    written_draft = await written(desk)
    address = f"/api/drafts/{written_draft.id}/export?form=docx"
    path = f"/generate/slug/{written_draft.slug}"
    async with mounted(desk.core, desk.actor, draft_screen, path=path, params={"token": written_draft.slug}) as screen:
        await screen.expect(lambda: screen.has("button", "Word"))
        await screen.click("button", "Word")
        await screen.expect("They were repaired at Hill base in 2019")
        panel = screen.find("region", "Before you export")
        assert "Not in the sources" in panel.text and "“2019”" in panel.text
        assert screen.find("link", "Export anyway").props["href"] == address
        await screen.click("button", "Close export")
        assert not screen.has("region", "Before you export")


async def test_a_draft_without_any_is_exported_at_once(desk: Desk) -> None:
    found = await written(desk, "Shingles gutters were repaired at Hill base in 2024 [1].")
    for section in found.sections[1:]:
        async with desk.core.database.transaction() as session:
            await editing.delete_section(session, desk.actor, found.id, section.id)
    path = f"/generate/slug/{found.slug}"
    async with mounted(desk.core, desk.actor, draft_screen, path=path, params={"token": found.slug}) as screen:
        await screen.expect(lambda: screen.has("link", "Word"))
        assert screen.find("link", "Word").props["href"] == f"/api/drafts/{found.id}/export?form=docx"


async def test_a_sentence_that_cites_an_internal_document_is_listed(desk: Desk) -> None:
    found = await written(desk, "Shingles gutters were repaired at Hill base in 2024 [1].")
    assert INTERNAL not in {each.kind for each in await service.list_export_warnings(desk.core, desk.actor, found)}
    with acting_in(desk.actor.scope):
        async with desk.core.database.transaction() as session:
            ids = [citation.document_id for citation in found.citations]
            await session.execute(update(Document).where(Document.id.in_(ids)).values(kind=DocumentKind.INTERNAL))
    assert INTERNAL in {each.kind for each in await service.list_export_warnings(desk.core, desk.actor, found)}
