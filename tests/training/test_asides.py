"""What documents hold that is no statement of theirs: boxes that are not checked, rows that are answered with no, speaker notes, and
what emails quote of other messages."""

from __future__ import annotations

import io
from collections.abc import Callable
from uuid import uuid4

import docx
import openpyxl
import pptx
import pypdf
import pytest
from pypdf.generic import ArrayObject, DictionaryObject, FloatObject, NameObject, TextStringObject

from fundwright.accounts.schemas import Actor
from fundwright.asking import service as asking
from fundwright.asking.schemas import Answer
from fundwright.core.assembly import Core
from fundwright.language import service as language
from fundwright.reading.formats import read
from fundwright.reading.kinds import DocumentKind
from fundwright.reading.lines import Aside, Line, lines_of
from fundwright.reading.plugin import document_readers
from fundwright.training import runs, searching, viewing
from fundwright.training.chunking import chunk
from fundwright.training.schemas import ViewQuery
from tests.support.pdf_files import painted_pdf
from tests.training.conftest import AddFile

_BOXES = (
    ("Small business", True),
    ("HUBZone small business", False),
    ("Women-owned small business", False),
    ("8(a) certified", False),
)
_ROWS = (
    ("Item", "Yes", "No"),
    ("ISO 9001 certified", "X", ""),
    ("Facility clearance", "", "X"),
    ("GSA schedule holder", "", "✓"),
)
_TEXT = "Halden Works repairs elevators for the county. Our mechanics answer calls within two hours."


def markdown() -> bytes:
    boxes = "\n".join(f"- [{'x' if is_checked else ' '}] {label}" for label, is_checked in _BOXES)
    names, *rows = ("| " + " | ".join(row) + " |" for row in _ROWS)
    return f"# Business status\n\n{_TEXT}\n\n{boxes}\n\n{names}\n|---|---|---|\n{chr(10).join(rows)}\n".encode()


def page() -> bytes:
    boxes = "".join(f"<p><input type=checkbox {'checked' if is_checked else ''}> {label}</p>" for label, is_checked in _BOXES)
    rows = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) for row in _ROWS)
    return f"<html><h1>Business status</h1><p>{_TEXT}</p>{boxes}<table>{rows}</table>".encode()


def word() -> bytes:
    document = docx.Document()
    document.add_heading("Business status", 1)
    document.add_paragraph(_TEXT)
    for label, is_checked in _BOXES:
        document.add_paragraph(f"{'☒' if is_checked else '☐'} {label}")
    table = document.add_table(len(_ROWS), 3)
    for cells, row in zip(table.rows, _ROWS, strict=True):
        for cell, text in zip(cells.cells, row, strict=True):
            cell.text = text
    document.save(target := io.BytesIO())
    return target.getvalue()


def workbook() -> bytes:
    book = openpyxl.Workbook()
    for row in [(_TEXT,), *((f"{'☒' if is_checked else '☐'} {label}",) for label, is_checked in _BOXES), (), *_ROWS]:
        book.worksheets[0].append(row)
    book.save(target := io.BytesIO())
    return target.getvalue()


def _written(x: float, y: float, text: str) -> bytes:
    text = text.replace("(", "\\(").replace(")", "\\)").replace("✓", "x")
    return f"BT /F1 10 Tf {x} {y} Td ({text}) Tj ET ".encode()


def _painted(boxes: bytes, changed: Callable[[pypdf.PdfWriter], None] | None = None) -> bytes:
    lines = [
        _written(60, 740, "Business status"),
        *(_written(60, 725 - 12 * n, part) for n, part in enumerate(_TEXT.split(". "))),
    ]
    lines += [_written(75, 670 - 20 * place, label) for place, (label, _) in enumerate(_BOXES)]
    lines += [
        _written(x, 560 - 20 * n, text)
        for n, row in enumerate(_ROWS)
        for x, text in zip((65, 265, 345), row, strict=True)
        if text
    ]
    rules = [f"60 {y} m 420 {y} l S ".encode() for y in range(494, 575, 20)]
    rules += [f"{x} 494 m {x} 574 l S ".encode() for x in (60, 260, 340, 420)]
    return painted_pdf(b"".join([*lines, *rules, boxes]), changed=changed)


def drawn() -> bytes:
    boxes = b""
    for place, (_, is_checked) in enumerate(_BOXES):
        y = 669 - 20 * place
        boxes += f"60 {y} 9 9 re S ".encode() + (
            f"60 {y} m 69 {y + 9} l S 69 {y} m 60 {y + 9} l S ".encode() if is_checked else b""
        )
    return _painted(boxes)


def form() -> bytes:
    def add_fields(writer: pypdf.PdfWriter) -> None:
        fields = ArrayObject()
        for place, (label, is_checked) in enumerate(_BOXES):
            state = NameObject("/Yes" if is_checked else "/Off")
            rect = ArrayObject(FloatObject(each) for each in (60, 669 - 20 * place, 69, 678 - 20 * place))
            field = DictionaryObject({NameObject("/Type"): NameObject("/Annot"), NameObject("/Subtype"): NameObject("/Widget")})
            field |= {NameObject("/FT"): NameObject("/Btn"), NameObject("/T"): TextStringObject(label), NameObject("/Rect"): rect}
            field |= {NameObject("/V"): state, NameObject("/AS"): state}
            fields.append(writer._add_object(field))
        writer.pages[0][NameObject("/Annots")] = fields
        writer._root_object[NameObject("/AcroForm")] = DictionaryObject({NameObject("/Fields"): fields})

    return _painted(b"", add_fields)


_FILES = {"md": markdown, "html": page, "docx": word, "xlsx": workbook, "drawn.pdf": drawn, "form.pdf": form}
_QUESTIONS = (
    ("Is the firm a HUBZone small business?", "Not checked: HUBZone small business", False),
    ("Are we HUBZone certified?", "Not checked: HUBZone small business", False),
    ("Is the company 8(a) certified?", "Not checked: 8(a) certified", False),
    ("Is the firm a small business?", "Checked: Small business", True),
    ("Does the firm have a facility clearance?", "Facility clearance: No", None),
    ("Is the firm a GSA schedule holder?", "GSA schedule holder: No", None),
    ("8(a)?", "Not checked: 8(a) certified", False),
    ("Was the firm HUBZone certified?", "Not checked: HUBZone small business", False),
    ("Sind wir HUBZone-zertifiziert?", "Not checked: HUBZone small business", False),
)


async def _trained(core: Core, owner: Actor, add_file: AddFile, content: bytes, filename: str) -> None:
    async with core.database.transaction() as session:
        document = await add_file(session, owner, core, content, filename)
    await runs.run_inline(core, owner, [document.id])


async def _answers(core: Core, owner: Actor, question: str) -> list[Answer]:
    return (await asking.find_answers(core, owner, question, embedder=await language.get_embedder(core))).answers


@pytest.mark.parametrize("form_of_file", _FILES)
async def test_a_box_that_the_question_names_is_the_answer(
    committed: Core, owner: Actor, add_file: AddFile, form_of_file: str
) -> None:
    await _trained(committed, owner, add_file, _FILES[form_of_file](), f"status.{form_of_file}")
    for question, expected, is_checked in _QUESTIONS:
        found = await _answers(committed, owner, question)
        assert [each.answer for each in found[:1]] == [expected], question
        assert found[0].is_checked is is_checked
        assert expected.removesuffix(": No").endswith(
            found[0].text[found[0].answer_start : found[0].answer_end].removesuffix(": No")
        )


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which boxes are not checked?", "Not checked: HUBZone small business; Women-owned small business; 8(a) certified"),
        ("Which boxes are checked?", "Checked: Small business"),
        (
            "What boxes aren't ticked in the form?",
            "Not checked: HUBZone small business; Women-owned small business; 8(a) certified",
        ),
        ("List all unchecked boxes.", "Not checked: HUBZone small business; Women-owned small business; 8(a) certified"),
        (
            "Welche Kästchen sind nicht angekreuzt?",
            "Not checked: HUBZone small business; Women-owned small business; 8(a) certified",
        ),
        ("Quelles cases sont cochées ?", "Checked: Small business"),
    ],
)
async def test_boxes_that_the_question_asks_for_are_the_answer(
    committed: Core, owner: Actor, add_file: AddFile, question: str, expected: str
) -> None:
    await _trained(committed, owner, add_file, markdown(), "status.md")
    assert [each.answer for each in await _answers(committed, owner, question)] == [expected]


async def test_boxes_of_every_document_are_found_and_of_one_that_is_named(
    committed: Core, owner: Actor, add_file: AddFile
) -> None:
    for number, name in enumerate(("Halden", "Marsh", "Petrel")):
        boxes = f"- [x] Zone {number}\n\nThe mechanics of {name} answer calls.\n\n- [x] Bonded {number}\n- [ ] Insured {number}\n"
        await _trained(committed, owner, add_file, f"# Status of {name}\n\n{_TEXT}\n\n{boxes}".encode(), f"{name}.md")
    for number in range(20):  # more passages than are searched, which have the words of the question
        await _trained(
            committed,
            owner,
            add_file,
            f"# Parts {number}\n\nWhich boxes are checked, or not, in bay {number}?".encode(),
            f"{number}.md",
        )
    found = await _answers(committed, owner, "Which boxes are not checked?")
    assert sorted(each.answer for each in found) == [f"Not checked: Insured {number}" for number in range(3)]
    found = await _answers(committed, owner, "Which boxes of Marsh are checked?")
    assert [each.answer for each in found] == ["Checked: Zone 1; Bonded 1"]


async def test_a_row_of_which_the_question_is_the_beginning_is_the_answer(
    committed: Core, owner: Actor, add_file: AddFile
) -> None:
    await _trained(committed, owner, add_file, markdown(), "status.md")
    assert (await _answers(committed, owner, "ISO 9001?"))[0].answer == "Item: ISO 9001 certified; Yes: X"


@pytest.mark.parametrize("form_of_file", _FILES)
async def test_nothing_but_answers_is_made_of_boxes_that_are_not_checked(
    committed: Core, owner: Actor, add_file: AddFile, form_of_file: str
) -> None:
    await _trained(committed, owner, add_file, _FILES[form_of_file](), f"status.{form_of_file}")
    passages = await searching.find_passages(
        committed, owner, "HUBZone, women-owned, facility clearance", embedder=await language.get_embedder(committed)
    )
    documents = await searching.read_documents(committed, owner)
    async with committed.database.transaction() as session:
        beginnings = await searching.read_beginnings(session, owner, kinds={each.kind for each in documents})
    for text in [*(each.text for each in passages), *(each.text for each in documents), *(text for _, text in beginnings)]:
        assert "Small business" in text
        assert not any(denied in text for denied in ("HUBZone", "Women", "8(a)", "Facility", "GSA"))
    (document,) = documents
    assert document.passages[-1].end <= len(document.text)


@pytest.mark.parametrize(
    "question",
    [
        "What certifications do we hold?",
        "Was ist eine 8(a)-Zertifizierung?",
        "Do we own 8 trucks?",
        "Who repairs elevators?",
        "Is the firm insured?",
    ],
)
async def test_a_question_that_names_no_box_is_not_answered_with_one(
    committed: Core, owner: Actor, add_file: AddFile, question: str
) -> None:
    await _trained(committed, owner, add_file, markdown(), "status.md")
    assert not [each for each in await _answers(committed, owner, question) if each.aside]


async def test_one_word_of_many_does_not_name_a_box(committed: Core, owner: Actor, add_file: AddFile) -> None:
    content = (
        "# Status\n\n- [ ] Check here if the company is a foreign entity\n- [ ] The contractor maintains a drug-free workplace\n"
    )
    await _trained(committed, owner, add_file, f"{content}\n{_TEXT}".encode(), "status.md")
    expected = {
        "Does the company have insurance?": [],
        "Does the company maintain vehicles?": [],
        "Was there a foreign partner in the venture?": [],
        "Is the company a foreign entity?": ["Not checked: Check here if the company is a foreign entity"],
        "Are we foreign?": ["Not checked: Check here if the company is a foreign entity"],
        "Do we have a drug-free workplace?": ["Not checked: The contractor maintains a drug-free workplace"],
    }
    found = {question: await _answers(committed, owner, question) for question in expected}
    assert {question: [each.answer for each in answers if each.aside] for question, answers in found.items()} == expected


@pytest.mark.parametrize(
    ("row", "stated", "aside"),
    [
        ("| ISO | X | | |", "| ISO | X |  |  |", None),
        ("| ISO | | x | |", None, "ISO: No"),
        ("| ISO | | | ✓ |", None, "ISO: N/A"),
        ("| ISO | | | |", None, "☐ ISO"),
        ("| ISO | ☐ | ☒ | |", None, "ISO: No"),
        ("| ISO | ☒ | ☐ | |", "| ISO | ☒ | ☐ |  |", None),
    ],
)
def test_rows_of_answers(row: str, stated: str | None, aside: str | None) -> None:
    source = f"| Item | Yes | No | N/A |\n|---|---|---|---|\n| Bonded | ☒ | | |\n{row}\n"
    lines = lines_of(read(list(document_readers()), source.encode(), "a.md"), with_asides=True)
    assert [line.text for line in lines[1:]] == [each for each in (stated, aside) if each]
    assert [line.aside for line in lines[1:]] == [Aside.BOX if aside else None]


def test_rows_that_are_marked_in_no_column_stay_if_they_say_more_than_their_label() -> None:
    source = "Item,Yes,No,Amount\nInsured,X,,900\nLeased,,X,350\nBonding,,,250\nLicensed,,,\nTotal,,,1500\n"
    lines = lines_of(read(list(document_readers()), source.encode(), "a.csv"), with_asides=True)
    assert [line.text.splitlines()[-1] for line in lines if line.aside is None] == [
        "| Insured | X |  | 900 |", "| Bonding |  |  | 250 |", "| Total |  |  | 1500 |",
    ]  # fmt: skip
    assert [line.text for line in lines if line.aside] == ["Leased, 350: No", "☐ Licensed"]


def test_columns_of_votes_are_no_answers() -> None:
    source = "| Measure | Yes | No |\n|---|---|---|\n| Levy | 12 | 3 |\n| Bond | | 15 |\n"
    lines = lines_of(read(list(document_readers()), source.encode(), "a.md"))
    assert [line.text for line in lines][1:] == ["| Bond |  | 15 |"]


async def test_speaker_notes_answer_but_are_not_quoted(committed: Core, owner: Actor, add_file: AddFile) -> None:
    presentation = pptx.Presentation()
    for title, note in (("Team", ""), ("Safety plan", "Tell them that the safety officer is shared with the port.")):
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text, slide.placeholders[1].text = title, f"Our {title.lower()} has twelve parts."
        if note:
            slide.notes_slide.notes_text_frame.text = note
    presentation.save(target := io.BytesIO())
    await _trained(committed, owner, add_file, target.getvalue(), "pitch.pptx")
    (first, *_) = await _answers(committed, owner, "With whom is the safety officer shared?")
    assert first.answer == "Tell them that the safety officer is shared with the port."
    assert (first.is_for_speaker, first.page, first.heading) == (True, 2, ("Safety plan",))
    (document,) = await searching.read_documents(committed, owner)
    assert "twelve parts" in document.text
    assert "port" not in document.text
    view = await viewing.read_view(committed, owner, document.id, ViewQuery(page=2))
    assert view.portion is not None
    assert [block.kind for block in view.portion.blocks] == ["heading", "item", "speaker_notes"]


async def test_quoted_messages_answer_but_are_no_statements(committed: Core, owner: Actor, add_file: AddFile) -> None:
    head = "From: bo@x.example\nSubject: Re: Cranes\nMIME-Version: 1.0\n\n"
    text = "We rent nine cranes in Reno.\n\nOn Mon, Apr 6, 2026 at 9:00 AM Ann <ann@x.example> wrote:\n> The crane operator license expires in May.\n"
    await _trained(committed, owner, add_file, f"{head}{text}".encode(), "cranes.eml")
    (first, *_) = await _answers(committed, owner, "When does the crane operator license expire?")
    assert (first.is_quoted, "expires in May" in first.answer) == (True, True)
    (document,) = await searching.read_documents(committed, owner)
    assert "nine cranes" in document.text
    assert "license" not in document.text
    view = await viewing.read_view(committed, owner, document.id, ViewQuery())
    assert view.portion is not None
    assert [block.kind for block in view.portion.blocks][-1] == "quote"


async def test_passages_that_are_like_a_notice_are_statements(committed: Core, owner: Actor, add_file: AddFile) -> None:
    await _trained(committed, owner, add_file, markdown(), "status.md")
    embedder = await language.get_embedder(committed)
    (vector,) = await embedder.embed(["HUBZone small business, women-owned small business, 8(a) certified"])
    async with committed.database.transaction() as session:
        notice = uuid4()
        nearest = await searching.nearest_passages(
            session, owner, {notice: vector}, model_id=embedder.id, kinds=frozenset(DocumentKind)
        )
        passage = await searching.get_passage(session, owner, nearest[notice].passage_id)
    assert "HUBZone" not in passage.text


def test_notes_of_different_slides_are_passages_of_their_own() -> None:
    lines = [Line("Our plan", page=1), *(Line(f"Note {page}", page=page, aside=Aside.SPEAKER_NOTES) for page in (1, 1, 3))]
    cut = chunk(lines)
    assert [(cut.text[span.start : span.end], span.page) for span in cut.chunks] == [
        ("Our plan", 1), ("Note 1\n\nNote 1", 1), ("Note 3", 3),
    ]  # fmt: skip
