"""What a person sees on the pages of a PDF file."""

from __future__ import annotations

from collections.abc import Sequence

import pypdf
import pytest
from pypdf.generic import ArrayObject, DictionaryObject, FloatObject, NameObject, StreamObject, TextStringObject

from fundwright.reading.document import Mark, walk
from fundwright.reading.formats import Unreadable, read
from fundwright.reading.lines import lines_of
from fundwright.reading.pdf_layers import divided_by_layers
from fundwright.reading.plugin import document_readers
from tests.support.pdf_files import painted_pdf

SHOWN = "We hold 12 patents and 7 licenses."
SHOWN_PAINTED = f"BT /F1 11 Tf 60 700 Td ({SHOWN}) Tj ET ".encode()
SECRET_PAINTED = b"BT /F1 11 Tf 60 660 Td (We hold a clearance.) Tj ET "
BAR = b"50 650 300 25 re f "


def texts_of(content: bytes) -> list[str]:
    return [line.text for line in lines_of(read(list(document_readers()), content, "a.pdf"))]


def hidden_in(content: bytes) -> str:
    blocks = walk(read(list(document_readers()), content, "a.pdf").blocks)
    return "".join(run.text for block in blocks for run in getattr(block, "runs", ()) if run.mark is Mark.HIDDEN)


OLD_PAINTED = b"BT /F1 11 Tf 60 700 Td (We hold 77 patents and 9 licenses.) Tj ET "
"""At the same place as what is shown."""


def with_layers(painted: bytes, *, off: Sequence[str] = ("L1",), is_shown_by_default: bool = True) -> bytes:
    """A page with the layers L1 and L2, the group G of both, which is shown if all of them are on, and the form Old, which is in the layer L1."""

    def changed(writer: pypdf.PdfWriter) -> None:
        layers = {name: writer._add_object(_dictionary(Type="/OCG", Name=TextStringObject("Draft"))) for name in ("L1", "L2")}
        group = _dictionary(Type="/OCMD", OCGs=ArrayObject(layers.values()), P="/AllOn")
        state = _dictionary(OFF=ArrayObject(layers[name] for name in off), Order=ArrayObject(layers.values()))
        if not is_shown_by_default:
            on = ArrayObject(layer for name, layer in layers.items() if name not in off)
            state = _dictionary(BaseState="/OFF", ON=on)
        writer.root_object[NameObject("/OCProperties")] = _dictionary(OCGs=ArrayObject(layers.values()), D=state)
        resources = writer.pages[0]["/Resources"]
        form = StreamObject()
        form.set_data(OLD_PAINTED)
        form |= _dictionary(Type="/XObject", Subtype="/Form", OC=layers["L1"], Resources=DictionaryObject(resources))
        form[NameObject("/BBox")] = ArrayObject(map(FloatObject, (0, 0, 612, 792)))
        resources[NameObject("/XObject")] = _dictionary(Old=writer._add_object(form))
        resources[NameObject("/Properties")] = _dictionary(**layers, G=writer._add_object(group))

    return painted_pdf(painted, changed=changed)


def _dictionary(**entries: object) -> DictionaryObject:
    return DictionaryObject(
        {NameObject(f"/{name}"): NameObject(entry) if type(entry) is str else entry for name, entry in entries.items()}
    )


def under_an_annotation(subtype: str) -> bytes:
    """Text below a white area that a field or a comment paints."""

    def changed(writer: pypdf.PdfWriter) -> None:
        area = StreamObject()
        area.set_data(b"1 g 0 0 300 25 re f")
        area |= {
            NameObject("/Type"): NameObject("/XObject"), NameObject("/Subtype"): NameObject("/Form"),
            NameObject("/BBox"): ArrayObject(map(FloatObject, (0, 0, 300, 25))),
        }  # fmt: skip
        annotation = DictionaryObject(
            {
                NameObject("/Type"): NameObject("/Annot"), NameObject("/Subtype"): NameObject(subtype), NameObject("/F"): pypdf.generic.NumberObject(4),
                NameObject("/Rect"): ArrayObject(map(FloatObject, (50, 650, 350, 675))),
                NameObject("/AP"): DictionaryObject({NameObject("/N"): writer._add_object(area)}),
            }
        )  # fmt: skip
        writer.pages[0][NameObject("/Annots")] = ArrayObject([writer._add_object(annotation)])

    return painted_pdf(SHOWN_PAINTED + SECRET_PAINTED, changed=changed)


class TestTextThatNobodySees:
    @pytest.mark.parametrize(
        "painted",
        [
            SECRET_PAINTED + b"0 g " + BAR,
            SECRET_PAINTED + b"1 g " + BAR,
            b"0 0 0.5 rg " + BAR + SECRET_PAINTED,
            b"0.9 g " + BAR + b"0.88 g " + SECRET_PAINTED,
        ],
        ids=["black bar", "white bar", "color of its area", "almost the color of its area"],
    )
    def test_is_left_out_whatever_hides_it(self, painted: bytes) -> None:
        content = painted_pdf(SHOWN_PAINTED + painted)
        assert texts_of(content) == [SHOWN]
        assert "clearance" in hidden_in(content)

    @pytest.mark.parametrize("subtype", ["/Widget", "/Square"])
    def test_is_left_out_under_what_annotations_paint(self, subtype: str) -> None:
        assert texts_of(under_an_annotation(subtype)) == [SHOWN]

    def test_is_left_out_word_by_word(self) -> None:
        content = painted_pdf(SHOWN_PAINTED + b"0 g 100 697 57 12 re f")
        assert texts_of(content)[0].split() == ["We", "hold", "and", "7", "licenses."]
        assert hidden_in(content).split() == ["12", "patents"]

    def test_makes_place_for_what_was_written_over_it(self) -> None:
        old, new = b"BT /F1 11 Tf 60 660 Td (Team of 184) Tj ET ", b"BT /F1 11 Tf 60 660 Td (Team of 203) Tj ET "
        assert texts_of(painted_pdf(SHOWN_PAINTED + old + b"1 g " + BAR + b"0 g " + new))[-1].split() == ["Team", "of", "203"]

    @pytest.mark.parametrize("elsewhere", [b"", SECRET_PAINTED + b"0 g " + BAR], ids=["alone", "beside text under a bar"])
    def test_in_a_gap_of_visible_text_is_left_out(self, elsewhere: bytes) -> None:
        shown = b"BT /F1 11 Tf 60 700 Td [(We hold) -12000 (12 patents.)] TJ ET "
        hidden = b"1 g BT /F1 11 Tf 140 700 Td (IGNORE) Tj ET 0 g "
        content = painted_pdf(shown + hidden + elsewhere)
        assert "IGNORE" in hidden_in(content)
        assert " ".join(texts_of(content)).split() == ["We", "hold", "12", "patents."]

    @pytest.mark.parametrize("elsewhere", [b"", SECRET_PAINTED + b"0 g " + BAR], ids=["alone", "beside text under a bar"])
    def test_that_says_the_same_as_visible_text_at_its_place_leaves_that_visible(self, elsewhere: bytes) -> None:
        assert texts_of(painted_pdf(b"1 g " + SHOWN_PAINTED + b"0 g " + SHOWN_PAINTED + elsewhere)) == [SHOWN]

    def test_in_a_layer_that_is_off_is_left_out(self) -> None:
        painted = SHOWN_PAINTED + b"/OC /L1 BDC " + SECRET_PAINTED + b"EMC"
        assert texts_of(with_layers(painted)) == [SHOWN]
        assert "clearance" in hidden_in(with_layers(painted))
        assert "clearance" in " ".join(texts_of(with_layers(painted, off=())))

    @pytest.mark.parametrize(
        "painted",
        [
            SHOWN_PAINTED + b"/OC /L1 BDC " + OLD_PAINTED + b"EMC",
            b"/OC /L1 BDC " + OLD_PAINTED + b"EMC " + SHOWN_PAINTED,
            b"/OC /L1 BDC /Span <</MCID 0>> BDC " + OLD_PAINTED.replace(b"Tj", b"'") + b"EMC EMC " + SHOWN_PAINTED,
            SHOWN_PAINTED + b"/OC /G BDC " + OLD_PAINTED + b"EMC",
            SHOWN_PAINTED + b"/Old Do",
            b"/OC /L2 BDC " + SHOWN_PAINTED + b"EMC /Old Do",
            b"BT /F1 11 Tf 60 700 Td /OC /L1 BDC (We hold 77 patents) Tj EMC ET " + SHOWN_PAINTED,
        ],
        ids=["after", "before", "marked again", "a group", "a form", "a form and a layer that is on", "in a text"],
    )
    @pytest.mark.parametrize("is_shown_by_default", [True, False])
    def test_in_a_layer_that_is_off_does_not_replace_what_stands_at_its_place(
        self, painted: bytes, is_shown_by_default: bool
    ) -> None:
        content = with_layers(painted, is_shown_by_default=is_shown_by_default)
        assert texts_of(content) == [SHOWN]
        assert hidden_in(content).split()[:4] == ["We", "hold", "77", "patents"]

    def test_in_a_layer_of_many_marks_takes_no_long_time(self) -> None:
        assert divided_by_layers(painted_pdf(b"/Span BMC " * 200_000 + b"EMC " * 200_000)) is None

    def test_in_groups_of_groups_takes_no_long_time(self) -> None:
        def nested(writer: pypdf.PdfWriter) -> None:
            group = writer._add_object(_dictionary(Type="/OCMD", OCGs=ArrayObject()))
            for _ in range(60):
                group = writer._add_object(_dictionary(Type="/OCMD", OCGs=ArrayObject([group, group])))
            writer.pages[0]["/Resources"][NameObject("/Properties")] = _dictionary(G=group)

        assert divided_by_layers(painted_pdf(b"/OC /G BDC " + SHOWN_PAINTED + b"EMC", changed=nested)) is None

    def test_on_a_page_that_is_turned_is_left_out(self) -> None:
        def turned(writer: pypdf.PdfWriter) -> None:
            writer.pages[0].rotate(90)
            writer.pages[0].cropbox = pypdf.generic.RectangleObject((20, 30, 612, 792))

        content = painted_pdf(SHOWN_PAINTED + SECRET_PAINTED + b"0 g " + BAR, changed=turned)
        assert sorted("".join(hidden_in(content).split())) == sorted("Weholdaclearance.")


def struck(writer: pypdf.PdfWriter) -> None:
    line = DictionaryObject({NameObject("/Type"): NameObject("/Annot"), NameObject("/Subtype"): NameObject("/StrikeOut")})
    line[NameObject("/Rect")] = ArrayObject(map(FloatObject, (50, 690, 300, 715)))
    writer.pages[0][NameObject("/Annots")] = ArrayObject([writer._add_object(line)])


@pytest.mark.parametrize("content", [painted_pdf(SHOWN_PAINTED, changed=struck), painted_pdf(b"1 g " + SHOWN_PAINTED)])
def test_a_file_whose_text_is_all_struck_or_hidden_is_refused_with_the_reason(content: bytes) -> None:
    with pytest.raises(Unreadable, match=r"^All text in “a\.pdf” is struck through, deleted, or hidden\. Make visible"):
        texts_of(content)


class TestTextThatAPersonSees:
    @pytest.mark.parametrize(
        "painted",
        [
            b"0.8 g " + BAR + b"0 g " + SECRET_PAINTED,
            b"0 0 0.5 rg " + BAR + b"1 g " + SECRET_PAINTED,
            SECRET_PAINTED + b"50 648 300 3 re f",
            SECRET_PAINTED + b"50 650 300 25 re S",
            b"0.7 g " + SECRET_PAINTED,
            b"20 w 50 664 m 350 664 l S 1 g " + SECRET_PAINTED,
            b"1 g 1 Tr " + SECRET_PAINTED,
        ],
        ids=[
            "dark on a color",
            "white on a color",
            "above a rule",
            "in a frame",
            "gray",
            "white on a thick line",
            "an outline",
        ],
    )
    def test_is_read(self, painted: bytes) -> None:
        assert "We hold a clearance." in " ".join(texts_of(painted_pdf(SHOWN_PAINTED + painted)))

    def test_is_read_under_a_mark_of_a_highlighter_also_if_each_letter_is_painted_alone(self) -> None:
        letters = b"".join(b"(%c) Tj " % letter for letter in b"We hold a clearance.")
        marked = b"BT /F1 11 Tf 60 660 Td " + letters + b"ET q /G gs 1 1 0 rg " + BAR + b"Q "
        assert "We hold a clearance." in texts_of(painted_pdf(SHOWN_PAINTED + marked, changed=_multiplied))


def _multiplied(writer: pypdf.PdfWriter) -> None:
    state = DictionaryObject({NameObject("/BM"): NameObject("/Multiply")})
    writer.pages[0]["/Resources"][NameObject("/ExtGState")] = DictionaryObject({NameObject("/G"): state})


class TestWordsFromRightToLeft:
    HEBREW = dict(zip("abcdef", "אבגדהו", strict=True))
    """The letters that the codes of the font stand for."""

    def _read(self, line: bytes) -> list[str]:
        def mapped(writer: pypdf.PdfWriter) -> None:
            pairs = "\n".join(f"<{ord(code):02x}> <{ord(letter):04x}>" for code, letter in self.HEBREW.items())
            characters = StreamObject()
            characters.set_data(
                f"/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <ff> endcodespacerange "
                f"{len(self.HEBREW)} beginbfchar {pairs} endbfchar endcmap end".encode()
            )
            writer.pages[0]["/Resources"]["/Font"]["/F1"][NameObject("/ToUnicode")] = writer._add_object(characters)

        return texts_of(painted_pdf(b"BT /F1 11 Tf 60 700 Td " + line + b" ET", changed=mapped))

    def test_are_read_in_their_order(self) -> None:
        assert self._read(b"(fed) Tj 40 0 Td (cba) Tj") == ["אבג דהו"]

    def test_have_numbers_and_other_words_from_left_to_right_between_them(self) -> None:
        assert self._read(
            b"(fed) Tj 20 0 Td (X) Tj 15 0 Td (&) Tj 15 0 Td (Y) Tj 15 0 Td (12) Tj 20 0 Td (cba) Tj 25 0 Td (cba) Tj 25 0 Td (cba) Tj"
        ) == ["אבג אבג אבג X & Y 12 דהו"]

    def test_may_stand_between_words_from_left_to_right(self) -> None:
        assert self._read(b"(WE) Tj 25 0 Td (SAY) Tj 30 0 Td (fed) Tj 20 0 Td (cba) Tj 25 0 Td (HERE.) Tj") == [
            "WE SAY אבג דהו HERE."
        ]


class TestExponentsAndMarksOfNotes:
    def test_do_not_run_into_the_number_or_word_before_them(self) -> None:
        painted = b"BT /F1 11 Tf 60 700 Td (It has 10) Tj 4 Ts /F1 7 Tf (2) Tj 0 Ts /F1 11 Tf ( wells and 1 crew) Tj 4 Ts /F1 7 Tf (1,3) Tj 0 Ts /F1 11 Tf (, we say.) Tj ET"
        assert "".join(texts_of(painted_pdf(painted))).replace(" ,", ",") == "It has 10² wells and 1 crew¹,³, we say."

    def test_are_placed_in_the_word_that_has_them(self) -> None:
        painted = b"BT /F1 11 Tf 60 700 Td (A flow of 2 m) Tj 4 Ts /F1 7 Tf (2) Tj 0 Ts /F1 11 Tf (/2 hours, 2.) Tj ET"
        assert texts_of(painted_pdf(painted)) == ["A flow of 2 m²/2 hours, 2."]

    def test_are_read_in_text_on_a_picture(self) -> None:
        picture = b"q 400 0 0 25 50 690 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x40 EI Q 1 g "
        text = b"BT /F1 11 Tf 60 700 Td (It has 10) Tj /F1 6 Tf 5 Ts (2) Tj 0 Ts /F1 11 Tf ( wells.) Tj ET"
        assert texts_of(painted_pdf(picture + text)) == ["It has 10² wells."]

    def test_are_not_smaller_words_on_the_line_or_indexes(self) -> None:
        painted = b"BT /F1 11 Tf 60 700 Td (We hold ) Tj /F1 7 Tf (12) Tj /F1 11 Tf ( CO) Tj -3 Ts /F1 7 Tf (2) Tj ET"
        assert texts_of(painted_pdf(painted)) == ["We hold 12 CO2"]


class TestDrawnBoxes:
    @staticmethod
    def _square(x: int, y: int, *, is_crossed: bool = False) -> bytes:
        cross = f"{x} {y} m {x + 9} {y + 9} l S {x + 9} {y} m {x} {y + 9} l S " if is_crossed else ""
        return f"{x} {y} 9 9 re S {cross}".encode()

    @staticmethod
    def _text(x: int, y: int, text: str) -> bytes:
        return f"BT /F1 11 Tf {x} {y} Td ({text}) Tj ET ".encode()

    def test_are_checked_if_a_mark_is_in_them(self) -> None:
        painted = self._square(60, 700) + self._text(62, 701, "X") + self._text(75, 700, "Small business")
        painted += self._square(60, 680, is_crossed=True) + self._text(75, 680, "Veteran-owned")
        painted += self._square(60, 660) + self._text(75, 660, "HUBZone") + self._text(60, 640, "WOSB") + self._square(160, 640)
        assert texts_of(painted_pdf(painted)) == ["☒ Small business", "☒ Veteran-owned"]

    def test_are_no_places_for_letters_cells_or_bullets(self) -> None:
        painted = self._text(60, 700, "EIN") + b"".join(self._square(100 + 9 * place, 700) for place in range(9))
        painted += self._text(60, 680, "Rate") + b"100 676 20 18 re S " + self._text(104, 680, "12")
        painted += b"60 660 7 7 re f " + self._text(75, 660, "We repair elevators.")
        assert " ".join(texts_of(painted_pdf(painted))).split() == ["EIN", "Rate", "12", "We", "repair", "elevators."]
