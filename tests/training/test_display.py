"""What the screen of a document shows of it: portions, highlights, and hits of a search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from fundwright.reading import stored
from fundwright.reading.document import (
    Attachment,
    Block,
    Cell,
    Document,
    Field,
    Heading,
    Item,
    Mark,
    Note,
    Paragraph,
    Run,
    Table,
    plain,
)
from fundwright.reading.pdf_pages import PageWords, Word
from fundwright.training import highlighting, portions
from fundwright.training.display import Highlight, Piece, Portion, ShownBlock, ShownCell
from fundwright.training.highlighting import CitedWords
from fundwright.training.page_marks import shown_page
from fundwright.training.portions import portion
from fundwright.training.schemas import ViewQuery

FERRY = "The harbor ferry carries forty passengers across the bay every hour of the day."


def paragraph(text: str, page: int | None = None) -> Paragraph:
    return Paragraph(plain(text), page=page)


def show(
    *blocks: Block,
    pages: int = 0,
    labels: tuple[str, ...] = (),
    passage: str = "",
    statement: str = "",
    passage_page: int | None = None,
    **query: object,
) -> Portion:
    """`statement` is the part of the passage that is cited."""
    structure = stored.pack(Document(blocks, pages=pages, page_labels=labels))
    cited = CitedWords(passage, quotes_of(passage, statement), passage_page)
    return portion(structure, ViewQuery.model_validate(query), cited)


def quotes_of(passage: str, statement: str) -> tuple[tuple[int, int], ...]:
    start = passage.index(statement)
    return ((start, start + len(statement)),) if statement else ()


def pieces_in(blocks: Sequence[ShownBlock]) -> Iterator[Piece]:
    for block in blocks:
        yield from (*block.label, *block.pieces)
        yield from pieces_in([*(inner for row in block.rows for cell in row for inner in cell.blocks), *block.blocks])


def texts(shown: Portion) -> list[str]:
    return ["".join(piece.text for piece in block.pieces) for block in shown.blocks]


def highlighted(shown: Portion, highlight: Highlight) -> list[str]:
    return [piece.text for piece in pieces_in(shown.blocks) if piece.highlight is highlight]


class TestPlaces:
    def test_a_document_with_pages_is_shown_page_by_page(self) -> None:
        blocks = [paragraph("One", 1), paragraph("Three", 3)]
        first, second, third = (show(*blocks, pages=4, page=page) for page in (1, 2, 3))
        assert [texts(each) for each in (first, second, third)] == [["One"], [], ["Three"]]
        assert (first.position.previous, first.position.next) == (None, (2, 1))
        assert (third.position.previous, third.position.pages) == ((2, 1), 4)
        assert show(*blocks, pages=4, page=4).position.next is None

    def test_beyond_the_end_the_last_page_is_shown(self) -> None:
        shown = show(paragraph("One", 1), paragraph("Two", 2), pages=2, page=99, part=99)
        assert (texts(shown), shown.position.page, shown.position.part) == (["Two"], 2, 1)

    def test_a_long_document_without_pages_is_shown_in_parts(self) -> None:
        blocks = [paragraph(f"Paragraph {number}") for number in range(1_000)]
        first = show(*blocks)
        assert 1 < first.position.parts < 20 and first.position.pages == 0
        shown = [text for part in range(1, first.position.parts + 1) for text in texts(show(*blocks, part=part))]
        assert shown == [f"Paragraph {number}" for number in range(1_000)]

    def test_the_previous_place_is_the_last_part_of_the_page_before(self) -> None:
        blocks = [*(paragraph("Words " * 10, 1) for _ in range(300)), paragraph("Two", 2)]
        shown = show(*blocks, pages=2, page=2)
        assert shown.position.previous == (1, show(*blocks, pages=2, page=1).position.parts)
        assert show(*blocks, pages=2, page=1, part=shown.position.previous[1]).position.next == (2, 1)

    def test_a_long_table_is_divided_between_rows_and_repeats_its_head(self) -> None:
        rows = tuple(((0, Cell((paragraph(f"Row {number}"),))), (1, Cell((paragraph("x"),)))) for number in range(10_000))
        head = ((0, Cell((paragraph("Name"),))), (1, Cell((paragraph("Value"),))))
        table = Table((head, *rows), head=1, caption=plain("Rates"))
        first, last = show(table), show(table, part=10_000)
        (begin,), (end,) = first.blocks, last.blocks
        assert (first.position.parts > 10, begin.pieces, end.pieces) == (True, (Piece("Rates"),), ())
        assert begin.rows[0] == end.rows[0] and end.head == 1
        assert end.rows[-1][0].blocks[0].pieces == (Piece("Row 9999"),)
        assert len(begin.rows) < 200

    def test_a_cell_that_spans_the_rows_of_two_parts_is_in_both(self) -> None:
        wide = Cell((paragraph("Phase"),), rows=400)
        rows = [((0, wide), (1, Cell((paragraph("x"),))))] + [((1, Cell((paragraph("x"),))),) for _ in range(399)]
        (block,) = show(Table(tuple(rows)), part=2).blocks
        assert [len(row) for row in block.rows[:2]] == [2, 1]
        assert block.rows[0][0].blocks[0].pieces == (Piece("Phase"),) and block.rows[0][0].rows == len(block.rows)

    def test_a_missing_cell_is_blank(self) -> None:
        a, b, c = (Cell((paragraph(text),)) for text in "abc")
        (block,) = show(Table((((2, c),), ((0, a), (1, b))))).blocks
        assert block.rows[0][0] == ShownCell(columns=2)

    def test_a_paragraph_without_end_is_divided(self) -> None:
        shown = show(paragraph("word " * 100_000))
        assert shown.position.parts > 5 and len("".join(texts(shown))) < 100_000 and not shown.is_cut

    def test_what_cannot_be_divided_is_cut(self) -> None:
        cells = tuple((column, Cell((paragraph("word " * 100),))) for column in range(1_000))
        shown = show(Table((cells, cells), head=1))
        assert shown.is_cut and len(shown.blocks[0].rows[0]) <= 200
        assert sum(len(piece.text) for piece in pieces_in(shown.blocks)) < 400_000

    def test_notes_in_notes_are_cut(self) -> None:
        block: Block = paragraph("deep")
        for _ in range(100):
            block = Note((block,))
        assert show(block).is_cut

    def test_an_attached_file_is_shown_after_its_name(self) -> None:
        shown = show(paragraph("Mail"), Attachment("rates.md", blocks=(Heading(plain("Rates"), level=1),)))
        assert [(block.kind, text) for block, text in zip(shown.blocks, texts(shown), strict=True)] == [
            ("paragraph", "Mail"), ("attachment", "rates.md"), ("heading", "Rates"),
        ]  # fmt: skip

    def test_labels_that_do_not_fit_the_pages_are_left_out(self) -> None:
        assert show(paragraph("One", 1), pages=2, labels=("i", "ii")).position.labels == ("i", "ii")
        assert show(paragraph("One", 1), pages=2, labels=("i",)).position.labels == ()


class TestTurningPages:
    BLOCKS = (paragraph("One harbor", 1), paragraph("Two harbors", 2))

    @pytest.fixture
    def decoded(self, monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
        """The documents that were decoded."""
        contents, decode = list[bytes](), stored.decoded

        def count(content: bytes) -> Document:
            contents.append(content)
            return decode(content)

        monkeypatch.setattr(stored, "decoded", count)
        portions._kept_pages.cache_clear()
        return contents

    def test_a_document_is_decoded_once(self, decoded: list[bytes]) -> None:
        shown = [texts(show(*self.BLOCKS, pages=2, page=page)) for page in (1, 2, 1)]
        assert (shown, len(decoded)) == ([["One harbor"], ["Two harbors"], ["One harbor"]], 1)

    def test_another_search_has_other_hits(self, decoded: list[bytes]) -> None:
        hits = [show(*self.BLOCKS, pages=2, find=find).hits for find in ("harbor", "two", "harbor")]
        assert (hits, len(decoded)) == ([2, 1, 2], 1)

    def test_a_document_that_is_very_large_or_was_not_used_lately_is_not_kept(
        self, decoded: list[bytes], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for number in (1, 2, 3, 1):
            show(paragraph(f"Document {number}"))
        assert len(decoded) == 4
        monkeypatch.setattr(portions, "_MOST_KEPT_BYTES", 10)
        show(paragraph("Document 1"))
        assert len(decoded) == 5


class TestHidden:
    BLOCKS = (
        Paragraph((Run("We employ "), Run("97", Mark.DELETED), Run("184 people."))),
        Paragraph((Run("Secret", Mark.HIDDEN),)),
        Item((Run("Old", Mark.STRUCK),), is_checked=False),
        Field("Name", "Ada"),
    )

    def test_it_is_left_out_unless_it_is_asked_for(self) -> None:
        shown = show(*self.BLOCKS)
        assert (texts(shown), shown.has_hidden) == (["We employ 184 people.", "", "Ada"], True)

    def test_it_is_marked(self) -> None:
        shown = show(*self.BLOCKS, hidden=True)
        found = [(piece.text, piece.hidden_by) for piece in pieces_in(shown.blocks) if piece.hidden_by]
        assert found == [("97", Mark.DELETED), ("Secret", Mark.HIDDEN), ("Old", Mark.STRUCK)]

    def test_words_that_are_hidden_one_by_one_are_one_text(self) -> None:
        runs = (
            Run("We "),
            Run("do", Mark.HIDDEN),
            Run(" "),
            Run("not", Mark.HIDDEN),
            Run(" "),
            Run("gone", Mark.DELETED),
            Run(" build."),
        )
        shown = show(Paragraph(runs), hidden=True)
        assert [(piece.text, piece.hidden_by) for piece in shown.blocks[0].pieces] == [
            ("We ", None), ("do not", Mark.HIDDEN), (" ", None), ("gone", Mark.DELETED), (" build.", None),
        ]  # fmt: skip

    def test_a_document_without_any_says_so(self) -> None:
        assert not show(paragraph("One")).has_hidden

    @pytest.mark.parametrize("hidden", [False, True])
    def test_no_search_finds_it(self, hidden: bool) -> None:
        assert show(*self.BLOCKS, hidden=hidden, find="secret").hits == 0
        assert show(*self.BLOCKS, hidden=hidden, find="employ 184").hits == 1


class TestSearch:
    BLOCKS = (
        paragraph("Boats and boats.", 1),
        Table((((0, Cell((paragraph("A boat", 2),))), (1, Cell(()))),), page=2),
        paragraph("Boat", 3),
    )

    def test_it_opens_the_page_of_the_first_hit_and_counts_all(self) -> None:
        shown = show(*self.BLOCKS, pages=3, find="boat")
        assert (shown.position.page, shown.hits, shown.hit) == (1, 4, 1)
        assert (highlighted(shown, Highlight.CURRENT), highlighted(shown, Highlight.HIT)) == (["Boats"], ["boats."])
        assert (shown.previous_hit, shown.next_hit) == (4, 2)

    def test_a_hit_is_gone_to(self) -> None:
        shown = show(*self.BLOCKS, pages=3, find="boat", hit=3)
        assert (shown.position.page, shown.hit_on_page, highlighted(shown, Highlight.CURRENT)) == (2, 0, ["boat"])
        last = show(*self.BLOCKS, pages=3, find="boat", hit=99)
        assert (last.position.page, last.hit, last.next_hit) == (3, 4, 1)

    def test_from_a_page_the_next_hit_is_after_it_and_the_previous_one_before(self) -> None:
        shown = show(*self.BLOCKS, pages=3, find="boat", page=2)
        assert (shown.hit, shown.previous_hit, shown.next_hit) == (0, 2, 3)
        assert highlighted(shown, Highlight.HIT) == ["boat"]

    def test_without_hits_the_first_page_is_shown(self) -> None:
        shown = show(*self.BLOCKS, pages=3, find="submarine")
        assert (shown.position.page, shown.hits, shown.hit, shown.next_hit) == (1, 0, 0, 0)

    @pytest.mark.parametrize(
        ("phrase", "expected"),
        [
            ("HARBOR  ferry", [(1, 2)]),
            ("bor fer", [(1, 2)]),
            ("straße", []),
            ("the", [(0, 0), (7, 7), (12, 12)]),
            (" ", []),
            ("day. Next", []),
        ],
    )
    def test_hits_ignore_case_and_spaces(self, phrase: str, expected: list[tuple[int, int]]) -> None:
        assert highlighting.hits([FERRY.split(), [], ["Next"]], phrase) == expected

    def test_words_after_an_empty_line_are_counted_on(self) -> None:
        assert highlighting.hits([[], ["One", "two"], [], ["three"]], "three") == [(2, 2)]
        assert highlighting.hits([["STRASSE", "Ufer"]], "straße ufer") == [(0, 1)]

    def test_very_many_hits_are_not_all_highlighted(self) -> None:
        shown = show(paragraph("a " * 4_000), find="a", hit=2_000)
        assert shown.hits == 4_000 and highlighted(shown, Highlight.CURRENT) == ["a"]
        assert len(highlighted(shown, Highlight.HIT)) < 600


class TestPassage:
    def test_it_opens_where_the_passage_is_and_highlights_its_words(self) -> None:
        blocks = [paragraph(f"Paragraph {number} is about something else.") for number in range(500)]
        shown = show(*blocks, paragraph(FERRY), *blocks, passage=FERRY)
        assert shown.position.part > 1 and shown.is_cited
        assert highlighted(shown, Highlight.CITED) == [FERRY]

    def test_on_its_page(self) -> None:
        shown = show(paragraph(FERRY, 1), paragraph(FERRY, 2), pages=2, passage=FERRY, passage_page=2)
        assert (shown.position.page, shown.is_cited) == (2, True)

    def test_another_page_can_be_shown(self) -> None:
        shown = show(paragraph(FERRY, 1), paragraph("Other words of the day", 2), pages=2, passage=FERRY, passage_page=1, page=2)
        assert (shown.position.page, shown.is_cited) == (2, False)

    def test_rows_of_a_table_are_found(self) -> None:
        table = Table(
            (
                ((0, Cell((paragraph("Role"),))), (1, Cell((paragraph("Rate"),)))),
                ((0, Cell((paragraph("Senior diver"),))), (1, Cell((paragraph("$90 an hour"),)))),
            ),
            head=1,
        )
        shown = show(table, passage="| Role | Rate |\n| - | - |\n| Senior diver | $90 an hour |")
        assert highlighted(shown, Highlight.CITED) == ["Role", "Rate", "Senior diver", "$90 an hour"]

    def test_only_the_cited_statement_of_it_is_highlighted(self) -> None:
        rest = "The boats are repaired in winter by our own crew, and painted in spring."
        shown = show(paragraph(f"{rest} {FERRY} {rest}"), passage=f"{rest} {FERRY} {rest}", statement=FERRY)
        assert highlighted(shown, Highlight.CITED) == [FERRY]

    def test_the_row_that_is_cited_is_found_in_a_long_table(self) -> None:
        def row(*texts: str) -> tuple[tuple[int, Cell], ...]:
            return tuple((place, Cell((paragraph(text),))) for place, text in enumerate(texts))

        rows = [row(f"Item {number}", "Pumps", "$100") for number in range(500)]
        table = Table((row("Item", "Name", "Price"), *rows), head=1)
        (first, last) = (show(table).position.parts // 2, show(table).position.parts // 2 + 1)
        cut = (
            len(show(table, part=first).blocks[0].rows)
            - 2
            + sum(len(show(table, part=each).blocks[0].rows) - 1 for each in range(1, first))
        )
        # Most of the passage is in the part before the cited row.
        numbers = range(cut - 20, cut + 3)
        passage = "| Item | Name | Price |\n| - | - | - |\n" + "\n".join(
            f"| Item {number} | Pumps | $100 |" for number in numbers
        )
        shown = show(table, passage=passage, statement=f"| Item {cut + 2} | Pumps | $100 |")
        assert shown.position.part == last
        assert highlighted(shown, Highlight.CITED) == [f"Item {cut + 2}", "Pumps", "$100"]

    def test_a_label_that_spans_the_rows_of_a_table_is_cited_with_each_of_them(self) -> None:
        def cell(text: str, rows: int = 1) -> Cell:
            return Cell((paragraph(text),), rows=rows)

        rows = (
            ((0, cell("Rural transit", 3)), (1, cell("2024")), (2, cell("$10"))),
            ((1, cell("2025")), (2, cell("$11"))),
            ((1, cell("2026")), (2, cell("$12"))),
            ((0, cell("Ferries")), (1, cell("2024")), (2, cell("$10"))),
        )
        lines = [f"| Rural transit | {year} | ${price} |" for year, price in ((2024, 10), (2025, 11), (2026, 12))]
        passage = "\n".join([*lines, "| Ferries | 2024 | $10 |"])
        for statement, year, price in ((lines[1], "2025", "$11"), (lines[2], "2026", "$12")):
            shown = show(Table(rows), passage=passage, statement=statement)
            assert highlighted(shown, Highlight.CITED) == ["Rural transit", year, price]
        assert show(Table(rows), find="rural transit").hits == 1

    def test_cells_that_span_many_rows_are_not_read_without_end(self) -> None:
        empty = Cell(tuple(Field("", "") for _ in range(20)), rows=2_000)
        inner: Block = Table(tuple(((0, empty), (1, Cell((paragraph("x"),)))) for _ in range(40)))
        for _ in range(5):
            wide = Cell((inner,), rows=2_000)
            inner = Table((((0, wide), (1, Cell((paragraph("x"),)))), *(((1, Cell((paragraph("x"),))),) for _ in range(60))))
        shown = show(inner, passage=FERRY)
        assert not shown.is_cited and len(shown.blocks) > 0

    def test_of_equal_statements_the_one_in_the_passage_is_highlighted(self) -> None:
        blocks = [
            paragraph("The crew of the north harbor was paid $90 an hour."),
            paragraph("The divers of the south pier earned less, which was $90 an hour."),
        ]
        passage = "The divers of the south pier earned less, which was $90 an hour."
        shown = show(*blocks, passage=passage, statement="$90 an hour.")
        assert [len(block.pieces) for block in shown.blocks] == [1, 2]
        assert highlighted(shown, Highlight.CITED) == ["$90 an hour."]

    def test_several_statements_are_highlighted(self) -> None:
        texts = [
            f"Statement {number} says that the {name} was repaired." for number, name in enumerate(("ferry", "pier", "crane"))
        ]
        cited = CitedWords("\n".join(texts), (*quotes_of("\n".join(texts), texts[0]), *quotes_of("\n".join(texts), texts[2])))
        structure = stored.pack(Document(tuple(map(paragraph, texts))))
        shown = portion(structure, ViewQuery(), cited)
        assert highlighted(shown, Highlight.CITED) == [texts[0], texts[2]]

    def test_words_in_other_sentences_are_not_cited(self) -> None:
        shown = show(paragraph(FERRY), paragraph("Every hour of work is paid across the bay."), passage=FERRY)
        assert highlighted(shown, Highlight.CITED) == [FERRY]

    def test_a_hyphenated_word_in_between_is_cited_too(self) -> None:
        words = FERRY.replace("passengers", "passen- gers").split()
        assert highlighting.cited(words, CitedWords(FERRY)) == frozenset(range(len(words)))


class TestPages:
    def test_words_become_lines_with_highlights(self) -> None:
        def word(text: str, place: int, line: int) -> Word:
            return Word(text, place * 0.1, line * 0.1, place * 0.1 + 0.09, line * 0.1 + 0.05)

        words = (word("Our", 0, 0), word("boats", 1, 0), word("are", 0, 1), word("fast", 8, 1))
        shown = shown_page(2, PageWords(3, 1.3, words), labels=(), find="boats are", current=0)
        assert [line.text for line in shown.lines] == ["Our boats", "are", "fast"]
        assert [(mark.text, mark.highlight) for mark in shown.marks] == [
            ("boats", Highlight.CURRENT), ("are", Highlight.CURRENT),
        ]  # fmt: skip
        assert (shown.position.previous, shown.position.next) == ((1, 1), (3, 1))

    def test_cited_words_are_marked_line_by_line(self) -> None:
        words = tuple(Word(text, 0.1, number / 100, 0.2, number / 100 + 0.009) for number, text in enumerate(FERRY.split()))
        shown = shown_page(1, PageWords(1, 1.3, words), labels=(), find="", current=-1, cited=CitedWords(FERRY))
        assert [mark.text for mark in shown.marks] == FERRY.split() and shown.is_cited

    def test_words_that_the_file_writes_column_by_column_are_found_row_by_row(self) -> None:
        rows = [("Senior diver", "$90 an hour"), ("Deck hand", "$60 an hour"), ("Pilot", "$120 an hour")]
        words = [
            Word(text, 0.1 + 0.5 * column + 0.1 * place, row / 10, 0.18 + 0.5 * column + 0.1 * place, row / 10 + 0.05)
            for column in range(2)
            for row, cells in enumerate(rows)
            for place, text in enumerate(cells[column].split())
        ]
        passage = "\n".join(f"| {role} | {rate} |" for role, rate in rows)
        cited = CitedWords(passage, quotes_of(passage, "| Deck hand | $60 an hour |"))
        shown = shown_page(1, PageWords(1, 1.3, tuple(words)), labels=(), find="", current=-1, cited=cited)
        assert [mark.text for mark in shown.marks] == ["Deck hand", "$60 an hour"]
