"""Exported Word and Markdown files, with or without footnotes, contain the draft's text and nothing else."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from xml.etree.ElementTree import Element, fromstring

import pytest
from docx import Document
from markdown_it import MarkdownIt
from openxml_audit import OpenXmlValidator

from fundwright.core.messages import t, using_language
from fundwright.generation.exporting import export
from fundwright.generation.schemas import CitationStyle, DraftRead, ExportFormat
from tests.generation.drafts import citation, draft, part
from tests.generation.texts import RICH

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"


def word(draft: DraftRead, citations: CitationStyle = CitationStyle.FOOTNOTES) -> bytes:
    return export(draft, ExportFormat.DOCX, citations=citations, author="Ada Example").content


def xml(content: bytes, name: str) -> Element:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return fromstring(archive.read(name))


def words_of(content: bytes) -> list[tuple[str | None, str]]:
    return [(p.style.name if p.style else "", p.text) for p in Document(io.BytesIO(content)).paragraphs]


def footnotes_of(content: bytes) -> list[str]:
    notes = xml(content, "word/footnotes.xml")
    return ["".join(note.itertext()).strip() for note in notes if note.get(f"{W}type") is None]


def references(content: bytes) -> list[str]:
    """Numbers of footnotes in the text, in order; with an arrow for references to earlier ones."""
    elements = (
        each for each in xml(content, "word/document.xml").iter() if each.tag in (f"{W}footnoteReference", f"{W}instrText")
    )
    return [each.get(f"{W}id") or f"→{(each.text or '').split()[1].removeprefix('_RefNote')}" for each in elements]


def values(element: Element, name: str, attribute: str = "val") -> Iterator[str | None]:
    return (each.get(f"{W}{attribute}") for each in element.iter(f"{W}{name}"))


class TestHostileText:
    def test_escaped_brackets_are_text(self) -> None:
        content = word(draft(text=r"As \[1\] and &#91;2&#93; say [3]."))
        assert references(content) == ["1"]
        assert ("Body Text", "As [1] and [2] say.") in words_of(content)

    @pytest.mark.parametrize(
        "nested", ["*" * 3_000 + "a" + "*" * 3_000, "*a " * 3_000 + "b*" * 3_000, "~~a " * 3_000 + "b~~" * 3_000]
    )
    def test_emphasis_in_emphasis_is_written_however_deep(self, nested: str) -> None:
        """Exceeding the recursion limit would be an error that people cannot resolve."""
        text = "".join(text for _, text in words_of(word(draft(text=f"{nested}\n\nThe *end*."))))
        assert text.endswith("The end.")
        assert "a" in text


class TestMarkdown:
    def test_citations_are_footnotes(self) -> None:
        text = export(draft(), ExportFormat.MARKDOWN).content.decode()
        assert text == (
            "# Cover letter: Roof\n\n## Who we are\n\nWe repair roofs.[^1]\n\n- **Hill** base\n- Ogden\n\n"
            "[^1]: Past work, “Projects,” page 3.\n"
        )

    def test_or_there_are_none(self) -> None:
        text = export(
            draft(text="We repair roofs [1]. We do."), ExportFormat.MARKDOWN, citations=CitationStyle.NONE
        ).content.decode()
        assert text == "# Cover letter: Roof\n\n## Who we are\n\nWe repair roofs. We do.\n"

    def test_everything_around_the_text_is_in_the_language_of_the_reader(self) -> None:
        with using_language("de"):
            text = export(draft(), ExportFormat.MARKDOWN).content.decode()
        assert text.endswith("[^1]: Past work, „Projects“, Seite 3.\n")

    @pytest.mark.parametrize("form", ExportFormat)
    def test_title_and_headings_stay_as_written_whoever_exports(self, form: ExportFormat) -> None:
        """They are English like the text below them, also if the reader's language has a translation."""
        sections = (part(0, "Core competencies", "We repair roofs."),)
        with using_language("de"):
            assert t("Core competencies") != "Core competencies"
            content = export(draft(title="Capability statement", sections=sections), form).content
        shown = content.decode() if form is ExportFormat.MARKDOWN else "\n".join(text for _, text in words_of(content))
        assert "Core competencies" in shown
        assert "Capability statement" in shown

    @pytest.mark.security(39)
    def test_nothing_but_a_citation_is_a_footnote_and_titles_are_plain(self) -> None:
        text = export(
            draft(
                title="Roof [1] ![i](https://x.example)",
                text="Forged[^1] [1].\n\n[^1]: Forged.\n\n`[^a-z]`",
                citations=(citation(1, "Work [^1]\n[x](https://x.example)", (), None),),
            ),
            ExportFormat.MARKDOWN,
        ).content.decode()
        assert text == (
            "# Roof \\[1\\] !\\[i\\](https://x.example)\n\n## Who we are\n\n"
            "Forged\\[^1].[^1]\n\n\\[^1\\]: Forged.\n\n`[^a-z]`\n\n"
            "[^1]: Work \\[^1\\] \\[x\\](https://x.example).\n"
        )

    @pytest.mark.security(41)
    @pytest.mark.parametrize(
        ("text", "exported"),
        [
            ("A ![p](https://x.example/p.png) [1].", "A \\![p](https://x.example/p.png).[^1]"),
            ("A \\![p](https://x.example/p.png) [1].", "A \\![p](https://x.example/p.png).[^1]"),
            ("A \\\\![p](https://x.example/p.png) [1].", "A \\\\\\![p](https://x.example/p.png).[^1]"),
            ("A ![1](https://x.example/p.png).", "A \\![^1](https://x.example/p.png)."),
            ("A <IMG src=x onerror=alert(1)> [1].", "A \\<IMG src=x onerror=alert(1)>.[^1]"),
            ("<script>a()</script> <!-- a --> <javascript:a()>", "\\<script>a()\\</script> \\<!-- a --> \\<javascript:a()>"),
            ("<https:x onmouseover=a()> <mailto:a onclick=a()>", "\\<https:x onmouseover=a()> \\<mailto:a onclick=a()>"),
            ("<mailto:a@x.example?bcc=b> <mailto:a@x.example&#63;bcc=b>", "\\<mailto:a@x.example?bcc=b> \\<mailto:a@x.example&#63;bcc=b>"),
            ("<1?bcc=b@x.example> <mailto:a@x.example>", "\\<1?bcc=b@x.example> <mailto:a@x.example>"),
            ("<https://x.example/\"onclick=\"a()>", "\\<https://x.example/\"onclick=\"a()>"),
            ("`<b>`{=html} [x]{onclick=a()}", "`\\<b>`\\{=html} [x]\\{onclick=a()}"),
            ("`x`\\{=html} and `x`\\\\{=html}", "`x`\\{=html} and `x`\\\\\\{=html}"),
            ("```{=html}\nx\n```", "```\nx\n```"),
            ("> ~~~ py {onclick=`a()`}\n> x", "> ~~~ py\n> x"),
            ("a\n---\nheader-includes: x\n---\nb", "a\n---"),
            ("Forged \\[^2] and \\\\[^2].", "Forged \\[^2] and \\\\\\[^2]."),
            ("In C:\\tools\\ [1] and more", "In C:\\tools\\\\[^1] and more"),
            ("See <https://x.example>, 3 < 4! [the list](https://x.example)!", "See <https://x.example>, 3 < 4! [the list](https://x.example)!"),
        ],
    )  # fmt: skip
    def test_what_documents_contain_is_text_as_on_the_screens(self, text: str, exported: str) -> None:
        content = export(draft(text=text), ExportFormat.MARKDOWN).content.decode()
        assert content.split("\n\n")[2].rstrip() == exported

    @pytest.mark.security(41)
    def test_a_fence_and_metadata_that_a_citation_divides_are_none_without_it(self) -> None:
        text = "``[1]` {onclick=a()}\nx\n```\n\n--[1]-\nheader-includes: x\n---"
        content = export(draft(text=text), ExportFormat.MARKDOWN, citations=CitationStyle.NONE).content.decode()
        assert content.split("\n\n")[2:] == ["```\nx\n```", "---", "header-includes: x\n---\n"]

    @pytest.mark.security(41)
    def test_elements_that_a_citation_divides_are_text_without_it(self) -> None:
        content = export(
            draft(text="Hi <[1]script>a()<[1]/script>"), ExportFormat.MARKDOWN, citations=CitationStyle.NONE
        ).content.decode()
        assert content.split("\n\n")[2].rstrip() == "Hi \\<script>a()\\</script>"

    @pytest.mark.security(41)
    @pytest.mark.parametrize("citations", CitationStyle)
    @pytest.mark.parametrize(
        "text",
        [
            "[x](javascript:alert(1)) and ![x](data:text/html,x)",
            "[x]( &#106;avascript:alert(1))",
            "[x](<javascript:alert(1)>)",
            "\\\\[x](java\\script:alert(1) 'title')",
            "[a]: javascript:alert(1)\n\n[a] and [x][a]",
            "> [a]:\n> vbscript:x\n\n[a]",
            "Roofs [1](javascript:alert(1)) and [x[1]](javascript:alert(1))",
            "[a][1](javascript:alert(1)) and [x](/settings)",
            "[x](mailto:a@x.example?bcc=b) and [x](mailto:a@x.example&quest;bcc=b) and [x](mailto:a@x.example[1]?bcc=b)",
            "[x](<mailto:a@x.example ?bcc=b>) and [x](mailto:a@x.example\\?bcc=b)",
            "[a]: mailto:a@x.example?bcc=b\n\n[a] and [x][a]",
        ],
    )
    def test_links_to_other_than_web_and_email_addresses_are_text(
        self, monkeypatch: pytest.MonkeyPatch, text: str, citations: CitationStyle
    ) -> None:
        link = "[y](https://x.example) [z]( mailto:a@x.example)"
        content = export(draft(text=f"{text}\n\n{link}"), ExportFormat.MARKDOWN, citations=citations).content.decode()
        monkeypatch.setattr(MarkdownIt, "validateLink", lambda *_: True)
        reader = MarkdownIt("commonmark")
        tokens = reader.parse(content)
        links = [token.attrs["href"] for block in tokens for token in block.children or () if token.type == "link_open"]
        assert links == ["https://x.example", "mailto:a@x.example"]

    def test_the_file_is_named_after_the_title_without_anything_odd(self) -> None:
        assert export(draft(title="../é “x”\n/etc"), ExportFormat.MARKDOWN).filename == "x-etc.md"
        assert export(draft(title="…"), ExportFormat.MARKDOWN).filename == "draft.md"
        assert export(draft(), ExportFormat.DOCX).filename == "Cover-letter-Roof.docx"


class TestFootnotes:
    def test_are_numbered_as_the_text_names_them_and_a_place_has_one(self) -> None:
        content = word(
            draft(
                text="Second [2]. First [1], again [2]; both [1, 3]!",
                citations=(citation(1), citation(2, "Data", (), None), citation(3)),
            )
        )
        assert footnotes_of(content) == ["Data.", "Past work, “Projects,” page 3."]
        assert references(content) == ["1", "2", "→1", "→2"]
        assert words_of(content)[3] == ("Body Text", "Second. First, again;1 both!2")

    def test_follow_the_punctuation_and_each_other(self) -> None:
        text = export(draft(text="Roofs [1][2]. “Gutters [3].” Done. [1] End"), ExportFormat.MARKDOWN).content.decode()
        assert "Roofs.[^1][^2] “Gutters.”[^3] Done.[^1] End" in text

    def test_say_document_heading_and_page_without_repeating_the_title(self) -> None:
        content = word(draft(text="[3] [2] [1]"))
        assert footnotes_of(content) == ["Notes, “Hill.”", "Data sheet.", "Past work, “Projects,” page 3."]

    def test_a_heading_that_asks_ends_without_a_period(self) -> None:
        asked = (citation(1, "Data", ("Why us?",), None), citation(2, "Data", ("Why us?",), 3))
        content = word(draft(text="One [1]. Two [2].", citations=asked))
        assert footnotes_of(content) == ["Data, “Why us?”", "Data, “Why us?” page 3."]

    def test_brackets_around_other_numbers_are_text(self) -> None:
        content = word(draft(text="Section [9] and [1, 9] of 40 CFR [2026]."))
        assert ("Body Text", "Section [9] and [1, 9] of 40 CFR [2026].") in words_of(content)
        assert not footnotes_of(content)

    def test_none_are_left_when_none_are_wanted(self) -> None:
        content = word(draft(text=RICH), CitationStyle.NONE)
        assert not footnotes_of(content)
        assert not references(content)
        assert "[1]" not in "".join(xml(content, "word/document.xml").itertext())


class TestWord:
    def test_holds_nothing_that_nobody_wrote(self) -> None:
        content = word(draft())
        assert [(style, text) for style, text in words_of(content) if text] == [
            ("Title", "Cover letter"),
            ("Subtitle", "Roof · FA8201-26-R-0001"),
            ("Heading 1", "Who we are"),
            ("Body Text", "We repair roofs."),
            ("List Bullet", "Hill base"),
            ("List Bullet", "Ogden"),
        ]
        bold = [run.text for p in Document(io.BytesIO(content)).paragraphs for run in p.runs if run.bold]
        assert bold == ["Hill"]

    def test_a_letter_has_no_headings_and_starts_with_who_writes(self) -> None:
        sections = (part(0, "Who we are", "Dear Ada,\n\nWe repair roofs."), part(1, "Contact", "Sincerely,\n\nBo Acme"))
        letter = draft(is_letter=True, company="Acme Roofing, LLC", sections=sections)
        content = word(letter)
        assert [(style, text) for style, text in words_of(content) if text] == [
            ("Title", "Acme Roofing, LLC"),
            ("Body Text", "Dear Ada,"),
            ("Body Text", "We repair roofs."),
            ("Body Text", "Sincerely,"),
            ("Body Text", "Bo Acme"),
        ]
        assert not "".join(xml(content, "word/header.xml").itertext())
        assert "#" not in export(letter, ExportFormat.MARKDOWN).content.decode()

    def test_a_title_that_someone_chose_stays(self) -> None:
        assert words_of(word(draft(title="Roofs that last")))[0] == ("Title", "Roofs that last")

    @pytest.mark.parametrize(
        ("language", "tag", "paper"),
        [("en", "en-US", ("12240", "15840")), ("de", "de-DE", ("11906", "16838")), ("fr", "fr-FR", ("11906", "16838"))],
    )
    def test_paper_and_language_follow_the_reader_and_margins_are_an_inch(
        self, language: str, tag: str, paper: tuple[str, str]
    ) -> None:
        with using_language(language):
            content = word(draft())
        body = xml(content, "word/document.xml")
        (size,), (margins,) = body.iter(f"{W}pgSz"), body.iter(f"{W}pgMar")
        assert (size.get(f"{W}w"), size.get(f"{W}h")) == paper
        assert {margins.get(f"{W}{side}") for side in ("top", "right", "bottom", "left")} == {"1440"}
        assert list(values(xml(content, "word/styles.xml"), "lang")) == [tag]

    def test_every_page_has_the_title_and_its_number(self) -> None:
        content = word(draft())
        assert "".join(xml(content, "word/header.xml").itertext()) == "Cover letter: Roof"
        assert "".join(xml(content, "word/footer.xml").itertext()) == "FA8201-26-R-0001Page  PAGE 1 of  NUMPAGES 1"

    def test_its_properties_name_the_draft_the_notice_and_the_author(self) -> None:
        properties = Document(io.BytesIO(word(draft()))).core_properties
        assert (properties.title, properties.subject, properties.author) == (
            "Cover letter: Roof",
            "FA8201-26-R-0001",
            "Ada Example",
        )
        assert properties.created == datetime(2026, 4, 1, tzinfo=UTC)

    def test_it_names_the_company(self) -> None:
        content = word(draft(company="Hill & Sons LLC"))
        assert words_of(content)[2] == ("Subtitle", "Hill & Sons LLC")
        assert "".join(xml(content, "word/footer.xml").itertext()).startswith("Hill & Sons LLCPage")
        assert Document(io.BytesIO(content)).core_properties.author == "Hill & Sons LLC"
        assert [(each.tag.rpartition("}")[2], each.text) for each in xml(content, "docProps/app.xml")] == [
            ("Company", "Hill & Sons LLC")
        ]

    def test_every_numbered_list_starts_where_it_says(self) -> None:
        content = word(draft(text="1. a\n2. b\n\nText\n\n1. c\n\n3) d\n   1. e"))
        paragraphs = [p for p in xml(content, "word/document.xml").iter(f"{W}p") if p.find(f".//{W}numId") is not None]
        used = [(next(values(p, "numId")), next(values(p, "ilvl")), "".join(p.itertext())) for p in paragraphs]
        starts = {
            number.get(f"{W}numId"): next(values(number, "startOverride"), None)
            for number in xml(content, "word/numbering.xml").iter(f"{W}num")
        }
        assert used == [("2", "0", "a"), ("2", "0", "b"), ("3", "0", "c"), ("4", "0", "d"), ("5", "1", "e")]
        assert starts == {"1": None, "2": "1", "3": "1", "4": "3", "5": "1"}

    def test_a_table_repeats_its_head_and_fills_the_width(self) -> None:
        content = word(draft(text=RICH))
        first, second = xml(content, "word/document.xml").iter(f"{W}tbl")
        assert len(list(first.iter(f"{W}tblHeader"))) == 1
        assert not list(second.iter(f"{W}tblHeader")), "the second has no head"
        for table in (first, second):
            assert sum(int(width or 0) for width in values(table, "gridCol", "w")) == 12240 - 2880

    def test_a_table_too_wide_for_word_is_text(self) -> None:
        content = word(draft(text="|" + "a|" * 70 + "\n|" + "-|" * 70 + "\n|" + "b|" * 70))
        assert not list(xml(content, "word/document.xml").iter(f"{W}tbl"))
        assert ("Body Text", " | ".join("b" * 70)) in words_of(content)

    def test_only_addresses_of_the_web_and_of_email_are_links(self) -> None:
        content = word(draft(text="[a](https://a.example) [b](javascript:alert(1)) [c](mailto:c@example.org) [d](file:///etc)"))
        links = [
            each.get("Target") for each in xml(content, "word/_rels/document.xml.rels") if each.get("TargetMode") == "External"
        ]
        assert links == ["https://a.example", "mailto:c@example.org"]
        assert len(list(xml(content, "word/document.xml").iter(f"{W}hyperlink"))) == 2

    def test_text_from_right_to_left_runs_so(self) -> None:
        content = word(draft(text="שלום world\n\nPlain text"))
        hebrew, plain = list(xml(content, "word/document.xml").iter(f"{W}p"))[-2:]
        assert len(list(hebrew.iter(f"{W}bidi"))) == 1
        assert [(run.find(f".//{W}rtl") is not None, "".join(run.itertext())) for run in hebrew.iter(f"{W}r")] == [
            (True, "שלום "),
            (False, "world"),
        ]
        assert not list(plain.iter(f"{W}bidi"))

    @pytest.mark.parametrize("character", ["\x0b", "\x0c", "\ufffe", "\uffff", "\ud800"])
    def test_characters_that_xml_cannot_hold_break_no_part_of_it(self, character: str) -> None:
        content = word(
            draft(
                title=f"Roof{character}s",
                text=f"We{character} repair <b>&</b> [1].",
                citations=(citation(1, f"Da{character}ta", (), None),),
            )
        )
        assert ("Body Text", "We repair <b>&</b>.") in words_of(content)
        assert Document(io.BytesIO(content)).core_properties.title == "Roofs"
        assert footnotes_of(content) == ["Data."]

    def test_a_long_draft_keeps_every_section_and_footnote(self) -> None:
        text = "\n\n".join(f"Thing {{{n}}} was done for a customer [{{{n}}}]." for n in range(10))
        sections = tuple(part(i, f"Section {i}", text.format(*range(i * 10 + 1, i * 10 + 11))) for i in range(100))
        content = word(draft(sections=sections, citations=tuple(citation(n, f"Document {n}") for n in range(1, 1001))))
        assert footnotes_of(content) == [f"Document {n}, “Projects,” page 3." for n in range(1, 1001)]
        assert [text for style, text in words_of(content) if style == "Heading 1"] == [f"Section {i}" for i in range(100)]


class TestSchema:
    """Every part conforms to ECMA-376 and to Word's additional rules, as checked by Microsoft's Open XML SDK."""

    @staticmethod
    def faults(content: bytes, folder: Path) -> list[str]:
        path = folder / "draft.docx"
        path.write_bytes(content)
        result = OpenXmlValidator().validate(path)  # one for each file: it caches values by the id of objects that it has read
        return [f"{error.part_uri} {error.path}: {error.description}" for error in result.errors]

    @pytest.mark.parametrize("style", CitationStyle)
    @pytest.mark.parametrize("language", ["en", *(pytest.param(other, marks=pytest.mark.slow) for other in ("de", "fr"))])
    @pytest.mark.parametrize(
        "text",
        [
            RICH,
            "",
            "- \n- - deep\n  1. > quoted\n     - # heading\n       ```\n       code\n       ```\n- |a|\n  |-|\n  |b|",
            "".join("  " * n + "- x\n" for n in range(14)),
            "> > - a\n>   1. b\n\n***\n\n# One\n\n#### Four [1]",
            "| مشروع | قيمة |\n|--|--|\n| بيت [1] | **٣** |\n\n- بند [1]",
            "|a|\n|-|\n\n|||\n|-|-|\n||x|",
            "[1][2] [3]. `[1]` **[1]** [a [1] b](https://a.example) \\\n break",
        ],
        ids=["rich", "empty", "blocks-in-lists", "deep", "quotes", "right-to-left", "empty-tables", "citations"],
    )
    def test_is_kept(self, tmp_path: Path, text: str, language: str, style: CitationStyle) -> None:
        with using_language(language):
            content = word(draft(text=text, number="" if not text else "A-1"), style)
        assert not self.faults(content, tmp_path)
        assert Document(io.BytesIO(content)).paragraphs

    def test_a_broken_file_is_noticed(self, tmp_path: Path) -> None:
        content, broken = word(draft(text=RICH)), io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(content)) as archive, zipfile.ZipFile(broken, "w") as target:
            for name in archive.namelist():
                target.writestr(name, archive.read(name).replace(b"<w:b /><w:bCs />", b"<w:bCs /><w:b />"))
        assert self.faults(broken.getvalue(), tmp_path)
