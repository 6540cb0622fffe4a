from __future__ import annotations

import asyncio
import io
import zipfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import docx
import pypdf
import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml.ns import nsdecls
from docx.oxml.parser import parse_xml
from liteparse import LiteParse, PageError, ParseBatch, ParseResult

from fundwright.core.assembly import Core
from fundwright.reading.document import Document, Heading, Paragraph, plain
from fundwright.reading.formats import Unreadable, read
from fundwright.reading.lines import Line, lines_of
from fundwright.reading.plugin import document_readers
from fundwright.training import extraction
from fundwright.training.chunking import chunk
from tests.support.pdf_files import written_pdf

READERS = list(document_readers())


def read_file(content: bytes | str, filename: str) -> list[Line]:
    return lines_of(read(READERS, content.encode() if isinstance(content, str) else content, filename))


def a_docx() -> bytes:
    document = docx.Document()
    document.add_heading("Team", level=1)
    document.add_paragraph("Two engineers know every component.")
    table = document.add_table(rows=1, cols=2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "Lead", "Ada Example"
    return saved(document)


def saved(document: Any) -> bytes:
    target = io.BytesIO()
    document.save(target)
    return target.getvalue()


class TestMarkdown:
    def test_headings_and_plain_text(self, tmp_path: Path) -> None:
        blocks = read_file("# Team\n\nWe are **nine** [people](http://x.example).\n\nPlan\n----\n\n- first\n", "a.md")
        assert blocks == [
            Line("Team", level=1), Line("We are nine people."), Line("Plan", level=2), Line("- first"),
        ]  # fmt: skip

    def test_pictures_and_tags_are_left_out(self, tmp_path: Path) -> None:
        text = "We set 118 gauges. ![site](http://x.example/p.png) <img src=x>\nLess than 5 < 9 and <b>cold</b><br> water.\n"
        assert read_file(text, "a.md") == [Line("We set 118 gauges.\nLess than 5 < 9 and cold water.")]

    def test_struck_text_and_unchecked_boxes_are_left_out(self) -> None:
        text = "We hold ~~77~~ 12 patents.\n\n- [x] ISO 9001\n- [ ] ISO 14001\n"
        assert [line.text for line in read_file(text, "a.md")] == ["We hold  12 patents.", "☒ ISO 9001"]

    def test_entities_are_characters_but_none_that_marks_text(self) -> None:
        assert read_file("Rates &mdash; 2026 &amp; later &#xFDD0;R&D\n", "a.md") == [Line("Rates — 2026 & later R&D")]

    def test_a_number_sign_in_code_is_not_a_heading(self, tmp_path: Path) -> None:
        assert read_file("```\n# not a heading\n```\n", "a.md") == [Line("# not a heading")]


class TestHtml:
    def test_scripts_are_left_out_and_headings_kept(self, tmp_path: Path) -> None:
        source = (
            "<!doctype html><title>x</title><script>alert(1)</script><h2>Our <b>team</b></h2><p>Nine people.<br>All here.</p>"
        )
        assert read_file(source, "a.html") == [Line("Our team", level=2), Line("Nine people.\nAll here.")]

    def test_rows_of_a_table_stay_together(self, tmp_path: Path) -> None:
        source = "<html><table><tr><th>Role</th><th>Name</th></tr><tr><td>Lead</td><td>Ada</td></tr></table>"
        assert [block.text for block in read_file(source, "a.html")] == ["| Role | Name |\n| - | - |\n| Lead | Ada |"]

    def test_a_declared_encoding_is_used(self, tmp_path: Path) -> None:
        source = '<html><meta charset="iso-8859-2"><p>Łódź</p>'.encode("iso-8859-2")
        assert read_file(source, "a.html") == [Line("Łódź")]

    def test_a_deeply_nested_page_is_survived(self, tmp_path: Path) -> None:
        assert "deep" in read_file("<html>" + "<div>" * 1_000 + "deep", "a.html")[-1].text


class TestText:
    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
    def test_encodings(self, tmp_path: Path, encoding: str) -> None:
        assert read_file("Überprüfung der Maßnahme".encode(encoding), "a.txt") == [Line("Überprüfung der Maßnahme")]

    def test_capitals_and_numbers_make_headings(self, tmp_path: Path) -> None:
        blocks = read_file("STATEMENT OF WORK\n\n1.2 Scope of Services\n\nThe contractor shall\nmaintain.\n", "a.txt")
        assert [(block.text, block.level) for block in blocks] == [
            ("STATEMENT OF WORK", 1), ("1.2 Scope of Services", 2), ("The contractor shall\nmaintain.", None),
        ]  # fmt: skip


class TestWordsCutAtTheEndOfALine:
    @pytest.mark.parametrize(
        ("text", "whole"),
        [
            ("software development is\ndone, and its develop-\nment goes on.", "software development is\ndone, and its development goes on."),
            ("an emphasis on cost- \neffective work", "an emphasis on cost-effective work"),
            ("DFARS 252.227-7013(b) and 252.227- \n7014(b)", "DFARS 252.227-7013(b) and 252.227-7014(b)"),
            ("months - \nor more", "months -\nor more"),
        ],
    )  # fmt: skip
    def test_are_made_whole(self, tmp_path: Path, text: str, whole: str) -> None:
        assert [block.text for block in read_file(text, "a.txt")] == [whole]


class TestLongRuns:
    """A pattern blocks the whole process while it matches. With quadratic patterns, these files take hours."""

    @pytest.mark.parametrize(
        "name", ["a.md", pytest.param("a.txt", marks=pytest.mark.slow), pytest.param("a.html", marks=pytest.mark.slow)]
    )
    @pytest.mark.parametrize(
        "content",
        ["a" * 500_000, "a" * 500_000 + "1", " " * 500_000 + "x", "# a" + " " * 500_000 + "x", "[" * 500_000, "[a](" * 125_000],
        ids=["letters", "letters and a digit", "spaces", "spaces in a heading", "brackets", "links"],
    )
    def test_are_read(self, tmp_path: Path, content: str, name: str) -> None:
        chunked = chunk(read_file(f"Our crew repairs roofs.\n\n{content}\n", name))
        assert chunked.text.startswith("Our crew repairs roofs.")
        assert chunked.chunks[-1].end <= len(chunked.text)

    def test_of_number_signs_close_a_heading_and_the_address_of_a_link_may_have_parentheses(self, tmp_path: Path) -> None:
        blocks = read_file("## Team ##  \n\nSee [roofs](http://x.example/a_(b)).\n", "a.md")
        assert blocks == [Line("Team", level=2), Line("See roofs.")]


def with_entity(declarations: str, reference: str) -> bytes:
    """A DOCX whose text declares an entity and refers to it."""
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(a_docx())) as archive, zipfile.ZipFile(changed, "w") as target:
        for name in archive.namelist():
            part = archive.read(name).decode("latin-1")
            if name == "word/document.xml":
                part = part.replace("<w:body>", f"<w:body><w:p><w:r><w:t>{reference}</w:t></w:r></w:p>", 1)
                part = part.replace("<w:document", f"<!DOCTYPE w:document [{declarations}]><w:document", 1)
            target.writestr(name, part.encode("latin-1"))
    return changed.getvalue()


class TestDocx:
    @pytest.mark.security(42)
    def test_an_entity_of_its_xml_is_never_fetched(self, tmp_path: Path) -> None:
        (tmp_path / "secret").write_text("the secret of the machine")
        content = with_entity(f'<!ENTITY file SYSTEM "file://{tmp_path / "secret"}">', "&file;")
        with pytest.raises(Unreadable, match=r"“a\.docx” is damaged"):
            read_file(content, "a.docx")

    @pytest.mark.security(42)
    def test_entities_of_its_xml_that_expand_to_billions_are_refused(self, tmp_path: Path) -> None:
        content = with_entity("".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "boom"}">' for n in range(10)), "&e9;")
        with pytest.raises(Unreadable, match=r"“a\.docx” is damaged"):
            read_file(content, "a.docx")

    def test_headings_paragraphs_and_tables(self, tmp_path: Path) -> None:
        assert read_file(a_docx(), "a.docx") == [
            Line("Team", level=1), Line("Two engineers know every component."), Line("| Lead | Ada Example |", row=1),
        ]  # fmt: skip

    def test_a_table_that_only_puts_text_side_by_side_is_read_cell_by_cell(self, tmp_path: Path) -> None:
        document = docx.Document()
        side, main = document.add_table(rows=1, cols=2).rows[0].cells
        side.text = "UEI K7PLM2QRSTU4\nCAGE 9D2F7\nNAICS 561720"
        main.text = "Larkspur cleans public buildings."
        main.add_paragraph("What we do", style="Heading 2")
        main.add_paragraph("Floor care", style="List Bullet")
        facts = main.add_table(rows=1, cols=2).rows[0].cells
        facts[0].text, facts[1].text = "Customer", "Mendocino County"
        assert read_file(saved(document), "a.docx") == [
            Line("UEI K7PLM2QRSTU4\nCAGE 9D2F7\nNAICS 561720"), Line("Larkspur cleans public buildings."),
            Line("What we do", level=2), Line("• Floor care"), Line("| Customer | Mendocino County |", row=1),
        ]  # fmt: skip

    def test_a_cell_next_to_several_rows_is_read_once_unless_it_is_data(self, tmp_path: Path) -> None:
        document = docx.Document()
        rows = document.add_table(rows=2, cols=2).rows
        side = rows[0].cells[0].merge(rows[1].cells[0])
        side.text = "UEI\nCAGE\nNAICS"
        rows[0].cells[1].text, rows[1].cells[1].text = "One", "Two"
        assert read_file(saved(document), "a.docx") == [Line("UEI\nCAGE\nNAICS"), Line("One"), Line("Two")]
        side.text = "Customer"
        assert read_file(saved(document), "a.docx") == [
            Line(f"| Customer | {each} |", row=number) for number, each in enumerate(("One", "Two"), 1)
        ]

    def test_items_of_lists_are_marked_unless_they_are_taken_out(self, tmp_path: Path) -> None:
        document = docx.Document()
        document.add_paragraph("Roofs", style="List Bullet")
        document.add_paragraph("Gutters", style="List Number")
        taken_out = document.add_paragraph("Not an item", style="List Bullet")
        taken_out.paragraph_format.element.get_or_add_pPr().get_or_add_numPr().get_or_add_numId().val = 0
        assert read_file(saved(document), "a.docx") == [Line("• Roofs"), Line("1. Gutters"), Line("Not an item")]

    def test_text_boxes_are_read_once(self, tmp_path: Path) -> None:
        document = docx.Document()
        paragraph = document.add_paragraph("Before")
        box = "<w:txbxContent><w:p><w:r><w:t>CAGE 9D2F7</w:t></w:r></w:p></w:txbxContent>"
        paragraph.paragraph_format.element.append(
            parse_xml(
                f'<w:r {nsdecls("w")} xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
                f"<mc:AlternateContent><mc:Choice>{box}</mc:Choice><mc:Fallback><w:pict>{box}</w:pict></mc:Fallback>"
                "</mc:AlternateContent></w:r>"
            )
        )
        assert read_file(saved(document), "a.docx") == [Line("CAGE 9D2F7"), Line("Before")]

    @pytest.mark.security(42)
    def test_text_boxes_in_text_boxes_are_read_once(self, tmp_path: Path) -> None:
        document = docx.Document()
        box = "<w:r><w:t>0</w:t></w:r>"
        for depth in range(1, 11):
            box = f"<w:r><w:t>{depth}</w:t><w:txbxContent><w:p>{box}</w:p></w:txbxContent></w:r>"
        document.add_paragraph().paragraph_format.element.append(parse_xml(box.replace("<w:r>", f"<w:r {nsdecls('w')}>", 1)))
        assert read_file(saved(document), "a.docx") == [Line(str(depth)) for depth in (9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 10)]

    @pytest.mark.security(42)
    def test_tables_in_cells_across_columns_are_read_once(self, tmp_path: Path) -> None:
        document = docx.Document()
        held: Any = document
        for _ in range(12):
            rows = held.add_table(2, 2).rows
            held = rows[0].cells[0].merge(rows[1].cells[1])
        held.text = "UEI"
        assert read_file(saved(document), "a.docx") == [Line("UEI")]

    @pytest.mark.security(42)
    def test_a_long_text_next_to_many_rows_is_not_multiplied(self, tmp_path: Path) -> None:
        document = docx.Document()
        rows = document.add_table(rows=3, cols=2).rows
        long = "word " * 100
        rows[0].cells[0].merge(rows[2].cells[0]).text = long
        for row, name in zip(rows, ("One", "Two", "Three"), strict=True):
            row.cells[1].text = name
        texts = (f"{long.strip()} | One", " | Two", " | Three")
        blocks = [Line(f"| {text} |", row=number) for number, text in enumerate(texts, 1)]
        assert read_file(saved(document), "a.docx") == blocks

    def test_styles_based_on_each_other_in_a_circle_end(self, tmp_path: Path) -> None:
        document = docx.Document()
        styles: list[Any] = [document.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH) for name in ("One", "Two")]
        one, two = styles
        one.base_style, two.base_style = two, one
        document.add_paragraph("Roofs", style=one)
        assert read_file(saved(document), "a.docx") == [Line("Roofs")]

    @pytest.mark.security(42)
    @pytest.mark.parametrize(
        ("names", "size_bytes", "sentence"),
        [
            (["word/media/a.png"], 300_000_000, "more than 300,000,000 bytes"),
            ([f"word/media/{number}.png" for number in range(10_000)], 0, "or 10,000 files"),
            (["word/extra.xml"], 50_000_001, "A part .* more than 50,000,000 bytes"),
        ],
        ids=["bytes", "files", "part"],
    )
    def test_a_zip_bomb_is_refused(self, tmp_path: Path, names: list[str], size_bytes: int, sentence: str) -> None:
        target = io.BytesIO(a_docx())
        with zipfile.ZipFile(target, "a") as archive:
            for name in names:
                archive.writestr(name, b"")
                archive.getinfo(name).file_size = size_bytes  # the size that the archive declares
        with pytest.raises(Unreadable, match=sentence):
            read_file(target.getvalue(), "a.docx")

    @pytest.mark.security(42)
    @pytest.mark.parametrize("filename", ["a.txt", "a.md", "a.html"])
    def test_more_text_than_can_be_processed_is_refused(self, tmp_path: Path, filename: str) -> None:
        with pytest.raises(Unreadable, match="more than 50,000,000 bytes of text"):
            read_file(b"<p>" + b"word " * 10_000_000, filename)


class TestPdf:
    def _pdf(self, *, password: str | None = None) -> bytes:
        writer = pypdf.PdfWriter()
        writer.add_blank_page(width=200, height=200)
        if password:
            writer.encrypt(password, algorithm="RC4-128")
        target = io.BytesIO()
        writer.write(target)
        return target.getvalue()

    def test_a_protected_one_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(Unreadable, match=r"secret\.pdf.*password"):
            read_file(self._pdf(password="open sesame"), "secret.pdf")

    def test_a_damaged_page_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        result = ParseResult(pages=[], text="", page_errors=[PageError(2, "no such object")])
        monkeypatch.setattr(LiteParse, "parse_batches", lambda *_: iter([ParseBatch(1, 2, 2, result)]))
        with pytest.raises(Unreadable, match=r"Page 2 of “bad\.pdf” is damaged\. Print"):
            read_file(self._pdf(), "bad.pdf")

    def test_ligatures_are_read_as_letters(self) -> None:
        content = written_pdf([b"(The \\336rm \\336xed the \\337ood gauges.)"], encoding="/MacRomanEncoding")
        assert [line.text for line in read_file(content, "a.pdf")] == ["The firm fixed the flood gauges."]

    def test_a_font_of_one_point_that_is_enlarged_is_read(self) -> None:
        content = written_pdf([b"(We hold 12 patents.)"], before=b"/F1 1 Tf 11 0 0 11 60 700 Tm")
        assert [line.text for line in read_file(content, "a.pdf")] == ["We hold 12 patents."]

    def test_words_with_narrow_spaces_stay_apart(self) -> None:
        content = written_pdf([b"(We hold 12 patents.)"], before=b"-2.2 Tw")
        assert [line.text for line in read_file(content, "a.pdf")] == ["We hold 12 patents."]

    @pytest.mark.parametrize("state", [b"3 Tr", b"1 1 1 rg", b"/F1 1 Tf"], ids=["not painted", "white", "tiny"])
    def test_text_that_is_not_visible_is_left_out(self, state: bytes) -> None:
        lines = [b"(We hold 12 patents.)", state + b" (We hold a clearance.)"]
        assert [line.text for line in read_file(written_pdf(lines), "a.pdf")] == ["We hold 12 patents."]

    def test_white_text_on_a_color_is_read(self) -> None:
        content = written_pdf(
            [b"(Labor category)"], before=b"ET 0 0 0.5 rg 50 680 300 40 re f 1 1 1 rg BT /F1 11 Tf 14 TL 60 700 Td"
        )
        assert [line.text for line in read_file(content, "a.pdf")] == ["Labor category"]

    def test_headers_and_footers_come_last_and_once(self) -> None:
        pages = [[b"1 0 0 1 60 760 Tm (Acme Proposal)", b"1 0 0 1 60 500 Tm (Part %d is here.)" % number, b"1 0 0 1 60 20 Tm (Page %d of 4)" % (number + 2)] for number in range(1, 5)]  # fmt: skip
        assert [(line.text, line.page) for line in read_file(written_pdf(*pages), "a.pdf")] == [
            *((f"Part {number} is here.", number) for number in range(1, 5)), ("Acme Proposal", 1), ("Page 3 of 4", 1),
        ]  # fmt: skip

    def test_what_differs_by_page_is_no_header_unless_it_is_the_number_of_the_page(self) -> None:
        pages = [
            [b"1 0 0 1 60 760 Tm (Team member %d)" % number, b"1 0 0 1 60 500 Tm (She leads crew %d.)" % number]
            for number in range(5)
        ]
        texts = [line.text for line in read_file(written_pdf(*pages), "a.pdf")]
        assert texts == [text for number in range(5) for text in (f"Team member {number}", f"She leads crew {number}.")]

    def test_the_content_counts_not_the_name(self, tmp_path: Path) -> None:
        with pytest.raises(Unreadable, match="scan"):
            read_file(self._pdf(), "a.txt")

    @pytest.mark.slow
    def test_real_documents_have_pages_and_headings(self, shared_data: Path) -> None:
        path = shared_data / "documents" / "RFI_14_0004_IMDS_CDB_Modernization_Assessement_PWS_27Nov13.pdf"
        blocks = read_file(path.read_bytes(), path.name)
        assert {block.page for block in blocks} >= set(range(2, 29))
        assert any(block.level and "Government Furnished Property" in block.text for block in blocks)


class TestStorable:
    async def test_half_an_emoji_becomes_a_question_mark_also_in_a_heading(self, core: Core, tmp_path: Path) -> None:
        class HalfEmoji:
            media_type, label, suffixes = "text/half", "half", (".half",)

            def recognizes(self, _head: bytes, _filename: str) -> bool:
                return True

            def read(self, _content: bytes, _filename: str) -> Document:
                return Document((Heading(plain("Radar \ud83d"), 1), Paragraph(plain("We build \ud83d radars."))))

        (path := tmp_path / "a.half").write_bytes(b"a")
        (content,) = await asyncio.to_thread(lambda: list(extraction._read([HalfEmoji()], path, path.name)))
        divided = await extraction.divide(core, content, path.name, title="A")
        assert divided.text == "Radar ?\n\nWe build ? radars."
        assert divided.chunks[0].heading == ("Radar ?",)


class TestChooseReader:
    def test_an_empty_file_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(Unreadable, match="empty"):
            read_file(b" \n", "a.txt")

    def test_an_old_office_file_is_explained(self, tmp_path: Path) -> None:
        with pytest.raises(Unreadable, match="Save it as DOCX"):
            read_file(b"\xd0\xcf\x11\xe0" + bytes(100), "a.doc")

    def test_an_encrypted_docx_is_not_mistaken_for_an_old_file(self, tmp_path: Path) -> None:
        with pytest.raises(Unreadable, match=r"“plan\.docx” is password-protected"):
            read_file(b"\xd0\xcf\x11\xe0" + bytes(100), "plan.docx")

    def test_binary_data_later_in_a_text_is_named_with_its_line(self, tmp_path: Path) -> None:
        with pytest.raises(Unreadable, match=r"“notes\.txt” contains binary data in line 1,001"):
            read_file(b"plain text\n" * 1_000 + b"\x00\x01", "notes.txt")


class TestChunk:
    def test_offsets_point_into_the_text(self) -> None:
        blocks = [Line("Plan", level=1), *(Line(f"Sentence {n} is here. " * 12, page=n) for n in range(1, 20))]
        chunked = chunk(blocks)
        assert len(chunked.chunks) > 3
        for span in chunked.chunks:
            text = chunked.text[span.start : span.end]
            assert len(text.split()) <= 185
            assert text[0] in "SP"
            assert text.endswith("here.")
            assert span.heading == ("Plan",)
        assert chunked.chunks[0].start == 0
        assert chunked.chunks[-1].end == len(chunked.text.rstrip())

    def test_neighbors_overlap_by_a_sentence_or_more(self) -> None:
        chunked = chunk([Line(" ".join(f"Sentence number {n} is here." for n in range(100)))])
        neighbors = list(pairwise(chunked.chunks))
        assert neighbors
        assert [(before, after) for before, after in neighbors if after.start >= before.end] == []

    def test_a_chunk_knows_where_headings_and_pages_change(self) -> None:
        blocks = [
            Line("Work", level=1, page=1),
            Line("Value", level=2, page=1),
            Line("It cost $742,000.", page=1),
            Line("Outcome", level=2, page=2),
            Line("It was early.", page=2),
        ]
        chunked = chunk(blocks)
        (span,) = chunked.chunks
        assert [(chunked.text[place.start : place.start + 4], place.heading, place.page) for place in span.places] == [
            ("Work", ("Work",), 1),
            ("Valu", ("Work", "Value"), 1),
            ("Outc", ("Work", "Outcome"), 2),
        ]
        assert chunk(blocks[2:3]).chunks[0].places == ()

    def test_a_heading_with_the_sign_between_headings_stays_one(self) -> None:
        (span,) = chunk([Line("Rates › 2026", level=1), Line("A welder costs $61 an hour.")]).chunks
        assert span.heading == ("Rates › 2026",)

    def test_a_heading_starts_a_new_chunk(self) -> None:
        long = "This sentence has exactly seven words now. " * 10
        chunked = chunk([Line("One", level=1), Line(long), Line("Two", level=2), Line(long), Line("Three", level=1), Line(long)])
        assert [span.heading for span in chunked.chunks] == [("One",), ("One", "Two"), ("Three",)]

    def test_a_giant_sentence_is_cut_between_words(self) -> None:
        chunked = chunk([Line("word " * 1_000)])
        assert [len(chunked.text[span.start : span.end].split()) for span in chunked.chunks] == [180, 180, 180, 180, 180, 100]

    @pytest.mark.parametrize(
        "text",
        [
            "[" * 50_000,
            "x" * 3_000 + " " + "y" * 50_000,
            ("z" * 2_500 + " ") * 20,
            f"Short. {'w' * 3_990} w. " * 20,
            "a" + " " * 9_000 + "b",
        ],
    )
    def test_what_has_no_words_is_cut_between_characters(self, text: str) -> None:
        chunked = chunk([Line(text, level=1), Line(text)])
        assert max(span.end - span.start for span in chunked.chunks) <= 4_000
        assert max(len(span.heading[0]) for span in chunked.chunks) <= 300
        covered = {place for span in chunked.chunks for place in range(span.start, span.end)}
        assert {place for place, character in enumerate(chunked.text) if not character.isspace()} <= covered

    def test_long_words_are_not_repeated_in_every_chunk(self) -> None:
        chunked = chunk([Line("x" * 128) for _ in range(1_000)])
        assert sum(span.end - span.start for span in chunked.chunks) < 2 * len(chunked.text)
