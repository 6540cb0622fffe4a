"""An identifier in a question finds the row, label, or clause that has it."""

from __future__ import annotations

import io
from collections.abc import Sequence

import openpyxl
import pytest

from fundwright.accounts.schemas import Actor
from fundwright.asking import answering
from fundwright.asking import service as asking
from fundwright.asking.identifiers import Identifier, identifiers_in
from fundwright.core.assembly import Core
from fundwright.language import service as language
from fundwright.training import removing, service
from tests.asking.test_answers import trained
from tests.reading.test_word import paragraph, row, run, table, word_file
from tests.support.snapshots import Snapshots
from tests.training.conftest import AddFile

_ROWS = 240


VALVES = [
    ("Valve", "Basin", "Installed", "Inspected by", "Replaces"),
    *(
        (f"Valve {n:03}", f"Basin {n % 7}", f"20{10 + n % 9}-04-12", f"Crew {n % 5}", f"Valve {(n * 7) % _ROWS:03}")
        for n in range(_ROWS)
    ),
]
ORDERS = [
    ("No.", "Purchase order", "Vendor", "Amount"),
    *((n, f"PO-{3000 + n}", f"Vendor {n % 11}", n * 40 + 900) for n in range(1, _ROWS)),
]
LINES = [
    ("CLIN", "Description", "Unit price"),
    *((f"{n:04}", f"Service for site {n % 13}", f"${n * 25 + 100}") for n in range(1, _ROWS)),
]
CLAUSES = "\n\n".join(
    [
        "# Terms",
        *(
            f"{part}.{number}.{point}. The contractor shall keep record {part}{number}{point} for {part * number} weeks."
            if point < 3
            else f"{part}.{number}.3. Section {number}.{part}.1 requires what the contractor shall keep for a record in weeks."
            for part in range(1, 5)
            for number in range(1, 5)
            for point in range(1, 4)
        ),
    ]
)


def in_word(title: str, rows: Sequence[Sequence[str]]) -> bytes:
    cells = [row(*(paragraph(run(cell)) for cell in cells)) for cells in rows]
    return word_file(paragraph('<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>' + run(title)) + table(*cells))


def in_workbook(title: str, rows: Sequence[Sequence[str | int]]) -> bytes:
    workbook = openpyxl.Workbook()
    workbook.properties.title = title
    sheet = workbook.worksheets[0]
    for cells in rows:
        sheet.append(cells)
    for amount in sheet["D"]:
        amount.number_format = '"$"#,##0'
    workbook.save(target := io.BytesIO())
    return target.getvalue()


def in_markdown(title: str, rows: Sequence[Sequence[str]]) -> str:
    head, *body = (f"| {' | '.join(cells)} |" for cells in rows)
    return "\n".join([f"# {title}", "", head, "|" + " - |" * (head.count("|") - 1), *body])


@pytest.fixture
async def registers(committed: Core, owner: Actor, add_file: AddFile, snapshots: Snapshots) -> Actor:
    """An account with long tables, each in another format, and numbered clauses."""

    async def train(core: Core) -> Actor:
        files = {
            "valves.docx": in_word("Valve register", VALVES),
            "orders.xlsx": in_workbook("Orders", ORDERS),
            "lines.md": in_markdown("Price schedule", LINES),
            "terms.md": CLAUSES,
        }
        return await trained(core, owner, add_file, *((content, name) for name, content in files.items()))

    return await snapshots.of(committed, train)


async def answers_to(core: Core, actor: Actor, question: str) -> list[str]:
    embedder = await language.get_embedder(core)
    return [answering.in_words(each) for each in (await asking.find_answers(core, actor, question, embedder=embedder)).answers]


class TestIdentifiers:
    @pytest.mark.parametrize(
        ("question", "expected"),
        [
            ("When is Gauge 061 due?", [Identifier("061", "Gauge")]),
            ("What does section 2.1.1 require?", [Identifier("2.1.1", "section")]),
            ("How much was PO-2044?", [Identifier("PO-2044")]),
            ("Who manages contract number W912-19-C-0077?", [Identifier("W912-19-C-0077", "contract")]),
            ("What is in Annex B and Phase II?", [Identifier("B", "Annex"), Identifier("II", "Phase")]),
            ("What did we complete in 2025 for $5,000?", []),
            ("How many of the 12 crews reached 50%?", []),
            ("Which project had a contract value of 1234567 or the price 95000.50?", []),
            ("Who gave us 1.5 million, 40000 USD, EUR 30000, or a budget of about 2.4 Mio. euros?", []),
            ("What is price list 4410?", [Identifier("4410", "list")]),
            ("What did contract 4711 European Rail cover?", [Identifier("4711", "contract")]),
            ("Was task order 5 million dollars or 3 Milliarden Euro?", []),
        ],
    )
    def test_are_codes_and_numbers_after_a_word(self, question: str, expected: list[Identifier]) -> None:
        assert identifiers_in(question) == expected

    @pytest.mark.parametrize(("asked", "written"), [("PO 2044", "PO-2044"), ("PO-2044", "PO2044"), ("Gauge-061", "Gauge 061")])
    def test_are_searched_in_all_their_spellings(self, asked: str, written: str) -> None:
        (identifier,) = identifiers_in(asked)
        assert written in identifier.spellings


class TestRows:
    @pytest.mark.parametrize(
        ("question", "first"),
        [
            ("Who inspected Valve {n:03}?", "Valve: Valve {n:03}; "),
            ("How much is PO {po}?", "; Purchase order: PO-{po}; "),
            ("What is the unit price of CLIN {n:04}?", "CLIN: {n:04}; "),
        ],
        ids=["Word", "workbook", "Markdown"],
    )
    async def test_are_found_by_what_names_them(self, committed: Core, registers: Actor, question: str, first: str) -> None:
        numbers = range(5, _ROWS, 20)
        assert len(numbers) == 12
        shown = {n: (await answers_to(committed, registers, question.format(n=n, po=3000 + n)))[0] for n in numbers}
        assert {n: answer for n, answer in shown.items() if first.format(n=n, po=3000 + n) not in answer} == {}

    async def test_of_several_identifiers_are_all_found(self, committed: Core, registers: Actor) -> None:
        found = await answers_to(committed, registers, "Do the same crews inspect Valve 017 and Valve 203?")
        assert sorted(each.split(";")[0] for each in found[:2]) == ["Valve: Valve 017", "Valve: Valve 203"]

    async def test_are_not_those_of_another_identifier(self, committed: Core, registers: Actor) -> None:
        found = await answers_to(committed, registers, "Who inspected Valve 941?")
        assert [each for each in found if each.startswith("Valve: ")] == []

    async def test_are_exported_with_the_names_of_their_columns(self, committed: Core, registers: Actor) -> None:
        embedder = await language.get_embedder(committed)
        found = (await asking.find_answers(committed, registers, "What is PO-3007?", embedder=embedder, limit=1)).answers
        exported = "".join([line async for line in asking.answers_as_csv(found)])
        assert "No.: 7; Purchase order: PO-3007; Vendor: Vendor 7; Amount: $1,180" in exported

    async def test_in_the_trash_are_not_found(self, committed: Core, registers: Actor) -> None:
        async with committed.database.transaction() as session:
            document_id = await service.look_up(session, registers, "Orders")
            await removing.remove_document(session, registers, document_id)
        assert [each for each in await answers_to(committed, registers, "What is PO-3100?") if "PO-3100" in each] == []


class TestClauses:
    @pytest.mark.parametrize("clause", ["1.1.1", "2.4.1", "3.3.2", "4.2.1"])
    async def test_come_before_those_that_mention_them(self, committed: Core, registers: Actor, clause: str) -> None:
        found = await answers_to(committed, registers, f"What does section {clause} require?")
        assert f"keep record {clause.replace('.', '')} for" in found[0]
