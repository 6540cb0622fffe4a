from __future__ import annotations

import pytest

from fundwright.reading.entries import Entry, EntryKind, entries_of, statements_of


def read(text: str, *headings: tuple[str, tuple[str, ...]]) -> list[Entry]:
    """The entries of a text in which these lines are headings with these paths."""
    places = [(text.index(line), path) for line, path in headings]
    return entries_of(text, lambda offset: next((path for start, path in reversed(places) if start <= offset), ()))


def pairs(text: str) -> list[tuple[str, str]]:
    return [(value.label, value.text) for entry in read(text) for value in entry.values]


class TestValues:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("Contract no.: K418", [("Contract no", "K418")]),
            ("LICENSE ........ Professional Engineer", [("LICENSE", "Professional Engineer")]),
            ("Dollars at award / final .. $1,688,350", [("Dollars at award / final", "$1,688,350")]),
            ("CAGE 7R2T4", [("CAGE", "7R2T4")]),
            ("UEI: M4ZTQ8WKE5J3 | CAGE: 6V8R1", [("UEI", "M4ZTQ8WKE5J3"), ("CAGE", "6V8R1")]),
            (
                "Client: City of Holland Contract: K418 Value: $96,400",
                [("Client", "City of Holland"), ("Contract", "K418"), ("Value", "$96,400")],
            ),
            (
                "Owner    Nez Perce Soil and Water Conservation\nDistrict\nContract no.    NPS-22-014\nFinal value    $1,284,600",
                [
                    ("Owner", "Nez Perce Soil and Water Conservation District"),
                    ("Contract no", "NPS-22-014"),
                    ("Final value", "$1,284,600"),
                ],
            ),
            (
                "Owner    City of Clarkston\nPrime    Granger Bros.\nPeriod    Spring 2020",
                [("Owner", "City of Clarkston"), ("Prime", "Granger Bros."), ("Period", "Spring 2020")],
            ),
            (
                "Customer Minnesota Department of Health\nContract SWIFT 214577\nRole Prime",
                [("Customer", "Minnesota Department of Health"), ("Contract", "SWIFT 214577"), ("Role", "Prime")],
            ),
            ("CERTS   Quality Auditor, 2018\n        Parachute Rigger", [("CERTS", "Quality Auditor, 2018 Parachute Rigger")]),
            ("UEI M3WJ8CT5RKD6 ~ CAGE 9F1Q7", [("UEI", "M3WJ8CT5RKD6"), ("CAGE", "9F1Q7")]),
            ("CERTIFICATIONS  PMP, OSHA 30", [("CERTIFICATIONS", "PMP, OSHA 30")]),
            ("CAGE Code         : 4W9D8\nUnique ID  : ZB5TQ81KFLR3", [("CAGE Code", "4W9D8"), ("Unique ID", "ZB5TQ81KFLR3")]),
            ("- Funder: Shelby County Health Department", [("Funder", "Shelby County Health Department")]),
            ("Contract Management\nProject Management\nCustomer Service Desk", []),
            ("Write to https://acme.example today", []),
            ("We cleaned the Lake Sorrel campground in nine days.", []),
            ("ISO 9001 certification is expected in 2027, and the audit begins in May.", []),
        ],
    )
    def test_labels_stand_before_their_values(self, text: str, expected: list[tuple[str, str]]) -> None:
        assert pairs(text) == expected

    def test_a_value_is_where_the_text_has_it(self) -> None:
        text = "Owner:   City of   Clarkston"
        ((value,),) = [entry.values for entry in read(text)]
        assert text[value.start : value.end] == "City of   Clarkston"
        assert value.text == "City of Clarkston"


class TestTables:
    def test_the_cells_of_a_row_have_the_names_of_their_columns(self) -> None:
        text = "| Funder | Award |\n| - | - |\n| City of Ames | $610,000 |\n| HUD |  |"
        rows = read(text)
        assert [entry.kind for entry in rows] == [EntryKind.ROW, EntryKind.ROW]
        assert [(value.label, value.text) for value in rows[0].values] == [("Funder", "City of Ames"), ("Award", "$610,000")]
        assert [(value.label, value.text) for value in rows[1].values] == [("Funder", "HUD")]
        assert rows[1].head == "| Funder | Award |\n| - | - |"

    def test_in_a_table_without_names_labels_and_values_take_turns(self) -> None:
        assert pairs("| UEI | M4ZTQ8WKE5J3 | CAGE | 6V8R1 |\n| Office | 2215 River Avenue |  |  |") == [
            ("UEI", "M4ZTQ8WKE5J3"),
            ("CAGE", "6V8R1"),
            ("Office", "2215 River Avenue"),
        ]

    def test_an_amount_is_no_label(self) -> None:
        assert pairs("| Contract value | $1,450,000 |") == [("Contract value", "$1,450,000")]

    def test_a_row_without_labels_in_a_table_without_names_is_whole(self) -> None:
        (row,) = read("| 2023 | 46,800 | 0 | 0.75 |")
        assert (row.kind, [value.text for value in row.values]) == (EntryKind.ROW, ["2023", "46,800", "0", "0.75"])

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("| Client | Elk County |\n| - | - |\n| Contract value | $9 |", [("Client", "Elk County"), ("Contract value", "$9")]),
            ("| Item | Detail |\n| - | - |\n| Bonding | $9 |", [("Item", "Bonding"), ("Detail", "$9")]),
            ("| Project | Dam |\n| - | - |\n| Lake | New |", [("Project", "Lake"), ("Dam", "New")]),
        ],
    )
    def test_two_columns_are_a_form_if_the_first_has_labels(self, text: str, expected: list[tuple[str, str]]) -> None:
        assert pairs(text) == expected

    def test_blank_cells_keep_the_names_of_their_columns(self) -> None:
        assert read("| Funder | Award |\n| - | - |\n| HUD |  |")[0].columns == ("Funder", "Award")

    def test_a_first_row_of_labels_and_values_names_no_columns(self) -> None:
        text = (
            "| 1. Contractor | Ferrum LLC | 2. Contract no. | 7335 |\n| - | - | - | - |\n| 3. Title | Support | 4. Type | FFP |"
        )
        assert pairs(text)[:2] == [("1. Contractor", "Ferrum LLC"), ("2. Contract no", "7335")]
        assert {entry.kind for entry in read(text)} == {EntryKind.VALUES}


class TestHeadings:
    def test_a_heading_of_the_reader_is_no_paragraph(self) -> None:
        heading, paragraph = read("Our people\n\nWe are nine.", ("Our people", ("Our people",)))
        assert (heading.kind, paragraph.kind) == (EntryKind.HEADING, EntryKind.PARAGRAPH)
        assert paragraph.path == ("Our people",)

    @pytest.mark.parametrize("line", ["THINGS WE MAKE", "Core competencies", "Why agencies stay with us:"])
    def test_in_plain_text_a_short_line_is_a_heading_if_it_names_something(self, line: str) -> None:
        entries = read(f"{line}\n- dredging of ports\n- debris removal")
        assert [entry.kind for entry in entries] == [EntryKind.HEADING, EntryKind.ITEM, EntryKind.ITEM]
        assert entries[1].path == (line.strip(":"),)

    @pytest.mark.parametrize(
        "line", ["Dana Rivers", "We are nine.", "Janelle Marsh, Director of Federal Programs", "ask@acme.example"]
    )
    def test_other_short_lines_are_not(self, line: str) -> None:
        assert read(f"{line}\n\nMore.")[0].kind is EntryKind.PARAGRAPH


def test_an_item_goes_on_in_the_next_line() -> None:
    (item,) = read("- Telephone interpreting, 24/7;\n  connected in 21 seconds")
    assert (item.kind, item.text) == (EntryKind.ITEM, "Telephone interpreting, 24/7; connected in 21 seconds")


def test_a_checked_box_is_an_item_that_says_so() -> None:
    (box,) = read("☒ WOSB")
    assert box.kind is EntryKind.ITEM
    assert box.is_checked


def test_rules_are_no_text() -> None:
    assert [entry.text for entry in read("=====\nDana Rivers\n-----")] == ["Dana Rivers"]


def test_a_heading_that_is_a_label_labels_the_paragraph_below_it() -> None:
    entries = read("MEAD PLANT\n\nCLIENT\nRegion Seven\n\nSCOPE OF SERVICES\nWe drilled 61 wells.")
    assert [(entry.kind, entry.path, entry.values[0].label, entry.values[0].text) for entry in entries[1:]] == [
        (EntryKind.VALUES, ("MEAD PLANT",), "CLIENT", "Region Seven"),
        (EntryKind.VALUES, ("MEAD PLANT",), "SCOPE OF SERVICES", "We drilled 61 wells."),
    ]


def test_a_note_below_a_table_in_its_paragraph_comes_after_the_rows() -> None:
    entries = read("| a | b |\n| - | - |\n| 1 | 2 |\n| 3 | 4 |\nThe county keeps records of all this.")
    assert [entry.text for entry in entries] == ["1 | 2", "3 | 4", "The county keeps records of all this."]


@pytest.mark.parametrize("mark", ["-", "•", "»", "✓", "1)", "(a)", "2.1"])
def test_an_item_loses_its_mark(mark: str) -> None:
    assert [(entry.text, entry.mark) for entry in read(f"{mark} Firmware for loggers\n\n{mark} Calibration")] == [
        ("Firmware for loggers", mark),
        ("Calibration", mark),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "We report nitrate every ten minutes from\nplaces that are hard to reach. They last.",
            ["We report nitrate every ten minutes from\nplaces that are hard to reach.", "They last."],
        ),
        ("Hospital, data analyst\nMS Bioinformatics, 2015", ["Hospital, data analyst", "MS Bioinformatics, 2015"]),
        ("- We sew. We cut.", ["We sew. We cut."]),
        ("Value: $742,000", ["Value: $742,000"]),
    ],
)
def test_statements_are_sentences_or_lines_of_a_paragraph_and_whole_items_and_values(text: str, expected: list[str]) -> None:
    (entry,) = read(text)
    assert [text[start:end] for start, end in statements_of(text, entry)] == expected
