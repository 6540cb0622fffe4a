"""Questions that name a place, project, or customer, ask in other units, or ask for two things at once."""

from __future__ import annotations

import pytest

from fundwright.accounts.schemas import Actor
from fundwright.asking import service as asking
from fundwright.core.assembly import Core
from fundwright.language import service as language
from fundwright.reading import units
from tests.asking.test_answers import trained
from tests.support.snapshots import Snapshots
from tests.training.conftest import AddFile

PROJECTS = """SEABROOK MARINE CONTRACTORS - RELEVANT PROJECTS

Saco River maintenance dredging
We dredged the federal channel and dredged the anchorage. How much did we dredge? We dredged 212,000 cubic yards, and it cost $4.1 million.
The dredge worked two shifts, and the dredge was never down for more than a day.

Scarborough dredging
We dredged 88,000 cubic yards of sand at a cost of $1.9 million and placed it on the beach.

Wells Harbor
Town of Wells, FY2021
Volume: 46,300 cy
Pier piles replaced: 14
Final price: $1,385,000

York Harbor
Town of York, FY2019
Volume: 61,000 cy
Final price: $2,020,000
"""
TABLE = """Job list

| Job | Customer | Qty (CY) | Contract $ |
|---|---|---|---|
| Camden inner harbor | Town of Camden | 18,200 | $640,000 |
| Stonington fish pier | Maine DOT | 9,750 | $512,500 |
| Rockland breakwater channel | USACE | 133,400 | $3,300,000 |
"""
LETTER = """Completed projects

Our crews drilled 14 monitoring wells for the landfill, as well as 3 deep wells for the harbor authority. The wells cost $80,000.
They were sampled in spring and in fall, and the landfill's engineer took the results to the state on time each year, with the laboratory's reports.

At Perkins Cove, 380 lf of bulkhead was driven in 2020. The plant there treats 2.5 MGD and has 6 FTEs. The cove job came in at $733,000.
"""


@pytest.fixture
async def dredgers(committed: Core, owner: Actor, add_file: AddFile, snapshots: Snapshots) -> Actor:
    async def train(core: Core) -> Actor:
        return await trained(
            core, owner, add_file, (PROJECTS, "projects.txt"), (TABLE, "jobs.md"), (LETTER, "completed projects.txt")
        )

    return await snapshots.of(committed, train)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many cubic yards did we dredge at Wells harbor and what did it cost?", ("46,300 cy", "$1,385,000")),
        ("how many cy did we dredge at york harbor and what did it cost", ("61,000 cy", "$2,020,000")),
        ("How many cubic yards did we dredge in York Harbor, and what was the price?", ("61,000 cy", "$2,020,000")),
        ("How many CY did we dredge at Scarborough?", ("88,000 cubic yards",)),
        ("What did the dredging at Stonington cost and how many cubic yards was it?", ("9,750", "$512,500")),
        ("How many cubic yards did we dredge for Camden?", ("18,200",)),
        ("How many linear feet of bulkhead did we drive at Perkins Cove, and what did it cost?", ("380 lf", "$733,000")),
        ("How many million gallons per day does the plant treat?", ("2.5 MGD",)),
    ],
)
async def test_what_a_question_names_is_shown_before_others(
    committed: Core, dredgers: Actor, question: str, expected: tuple[str, ...]
) -> None:
    embedder = await language.get_embedder(committed)
    first = (await asking.find_answers(committed, dredgers, question, embedder=embedder)).answers[0]
    shown = first.text[first.answer_start : first.answer_end]
    assert [each for each in expected if each in shown] == list(expected), shown


async def test_what_no_document_names_has_no_answer_about_something_else(committed: Core, dredgers: Actor) -> None:
    embedder = await language.get_embedder(committed)
    question = "How many cubic yards did we dredge at Provincetown?"
    assert (await asking.find_answers(committed, dredgers, question, embedder=embedder)).answers == ()


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("45,000cy and 45K CY", "45,000 cubic yards and 45K cubic yards"),
        ("1,200 sq. ft of floor, a 12-ft draft", "1,200 square feet of floor, a 12 feet draft"),
        (
            "3.5 MGD with 20 FTEs, 5 in Maine, 3 action items",
            "3.5 million gallons per day with 20 full-time equivalents, 5 in Maine, 3 action items",
        ),
        ("12 mı, 12 mİ", "12 mı, 12 mİ"),
        ("20 MW, 20 mw, 20 mW", "20 megawatts, 20 megawatts, 20 milliwatts"),
    ],
)
def test_units_after_numbers_are_spelled_out(text: str, spelled: str) -> None:
    assert units.spell_out_units(text) == spelled


def test_units_in_questions_and_labels_are_spelled_out() -> None:
    assert (
        units.spell_out_question("How many cy, and at what cost per sf?")
        == "How many cubic yards, and at what cost per square feet?"
    )
    assert units.spell_out_question("How many mİ?") == "How many mİ?"
    labels = ["Volume (cy)", "CY dredged", "CY 2024", "Qty, sf", "City", "Ac", "Length (mı)"]
    assert [units.spell_out_label(label) for label in labels] == [
        "Volume (cubic yards)", "cubic yards dredged", "CY 2024", "Qty, square feet", "City", "Ac", "Length (mı)",
    ]  # fmt: skip
    assert set(units.abbreviations_of("How many cubic yards or square foot?")) == {"cy", "cyd", "cu yd", "sf", "sq ft", "ft"}
