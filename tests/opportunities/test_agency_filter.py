"""People find agencies by abbreviations, and sub-agencies."""

from __future__ import annotations

import pytest

from fundwright.accounts.schemas import Actor
from fundwright.core.assembly import Core
from fundwright.opportunities.display_names import agency_abbreviations
from fundwright_ui.screens.opportunities.sam import sam_screen
from fundwright_ui.testing import mounted
from tests.opportunities.conftest import ImportFile
from tests.opportunities.files import notice_id, sam_file, sam_row

PUBLISHED = (
    ("DEPT OF DEFENSE", "DEPT OF THE AIR FORCE"),
    ("DEPT OF DEFENSE", "DEFENSE LOGISTICS AGENCY"),
    ("VETERANS AFFAIRS, DEPARTMENT OF", "VETERANS AFFAIRS, DEPARTMENT OF"),
    ("HEALTH AND HUMAN SERVICES, DEPARTMENT OF", "NATIONAL INSTITUTES OF HEALTH"),
    ("HOMELAND SECURITY, DEPARTMENT OF", "US COAST GUARD"),
)


@pytest.mark.parametrize(
    ("published", "abbreviation"),
    [
        ("VETERANS AFFAIRS, DEPARTMENT OF", "VA"),
        ("DEPT OF DEFENSE", "DOD"),
        ("DEFENSE LOGISTICS AGENCY", "DLA"),
        ("NATIONAL INSTITUTES OF HEALTH", "NIH"),
        ("US COAST GUARD", "USCG"),
        ("ENVIRONMENTAL PROTECTION AGENCY", "EPA"),
    ],
)
def test_abbreviations_are_initials(published: str, abbreviation: str) -> None:
    assert abbreviation in agency_abbreviations(published)


@pytest.mark.parametrize(
    ("typed", "label"),
    [
        ("Air Force", "Department of the Air Force · Defense"),
        ("dla", "Defense Logistics Agency · Defense"),
        ("VA", "Department of Veterans Affairs"),
        ("NIH", "National Institutes of Health · HHS"),
    ],
)
async def test_the_filter_finds_sub_agencies_and_abbreviations(
    committed: Core, member: Actor, import_file: ImportFile, typed: str, label: str
) -> None:
    rows = [
        sam_row(NoticeId=notice_id(n), **{"Department/Ind.Agency": agency, "Sub-Tier": below})
        for n, (agency, below) in enumerate(PUBLISHED)
    ]
    await import_file(sam_file(*rows))
    async with mounted(committed, member, sam_screen, path="/dashboard/sam?availability=any") as screen:
        await screen.click("button", "Filter: Agency")
        assert not screen.has("checkbox", "Defense Logistics Agency · Defense")
        await screen.type("Search agencies", typed)
        await screen.expect(lambda: screen.elements("checkbox")[0].name == label)
        await screen.check(label)
        await screen.expect(lambda: len(screen.rows()) == 1 and "agency=" in screen.address)
