from __future__ import annotations

import pytest

from fundwright.language.structure import MAX_CHARACTERS, BlockKind, read
from fundwright.language.topics import Topic, topics_of


def kinds(text: str) -> list[tuple[BlockKind, str]]:
    return [(block.kind, block.text) for block in read(text)]


class TestRead:
    def test_lines_cut_to_fit_a_page_are_one_sentence(self) -> None:
        text = "We build sensors that report nitrate every ten minutes from\nplaces that are hard to reach. They last."
        assert kinds(text) == [
            (
                BlockKind.SENTENCE,
                "We build sensors that report nitrate every ten minutes from places that are hard to reach.",
            ),
            (BlockKind.SENTENCE, "They last."),
        ]

    @pytest.mark.parametrize(
        ("line", "pairs"),
        [
            ("Value: $742,000", [("Value", "$742,000")]),
            ("Customer Name ........ Defense Logistics Agency", [("Customer Name", "Defense Logistics Agency")]),
            ("UEI: QK7LN4XVB2M9          CAGE: 7R2T4", [("UEI", "QK7LN4XVB2M9"), ("CAGE", "7R2T4")]),
            ("| Contract number | ON-22-0416 |", [("Contract number", "ON-22-0416")]),
            ("Client\tHolland Board of Public Works", [("Client", "Holland Board of Public Works")]),
            ("Grant no. LF-2022-118", [("Grant no.", "LF-2022-118")]),
            ("Amount - $250,000", [("Amount", "$250,000")]),
            ("UEI ................ T9WQ4HJX72L5", [("UEI", "T9WQ4HJX72L5")]),
            ("PI: I. Solheim", [("PI", "I. Solheim")]),
            ("Award no. M.L. 2018-214-04B", [("Award no.", "M.L. 2018-214-04B")]),
            ("**Client** Banner Desert Health", [("Client", "Banner Desert Health")]),
            ("Customer – City of Holland", [("Customer", "City of Holland")]),
            ("- Funder: Shelby County Health Department", [("Funder", "Shelby County Health Department")]),
            ("eRA Commons user name: IHALLBERG", [("eRA Commons user name", "IHALLBERG")]),
            ("Codes      CAGE 6H8V3 | UEI PT4KX9ZB62QM", [("CAGE", "6H8V3"), ("UEI", "PT4KX9ZB62QM")]),
            ("UEI M3WJ8CT5RKD6 ~ CAGE 9F1Q7", [("UEI", "M3WJ8CT5RKD6"), ("CAGE", "9F1Q7")]),
            ("Client: City of Holland; Value: $96,400.", [("Client", "City of Holland"), ("Value", "$96,400")]),
        ],
    )
    def test_a_labeled_value_is_a_pair(self, line: str, pairs: list[tuple[str, str]]) -> None:
        found = [block for block in read(f"About the project\n\n{line}\n") if block.kind == BlockKind.PAIR]
        assert [(block.label, block.text) for block in found] == pairs

    def test_a_label_and_the_line_below_are_a_pair(self) -> None:
        found = read(
            "Project Profile\n\nClient:\nDepartment of Veterans Affairs\nAnnual value:\n$612,000\n\nScope\nWe repaired it all.\n"
        )
        assert [(block.label, block.text) for block in found if block.kind == BlockKind.PAIR] == [
            ("Client", "Department of Veterans Affairs"),
            ("Annual value", "$612,000"),
        ]

    def test_a_known_label_without_a_colon_and_the_line_below_are_a_pair(self) -> None:
        found = read(
            "PROJECT DATA SHEET\n\nCONTRACT NO.\n68HE0720C0019\n\nClient\nHolland Board of Public Works\n\nIt is done.\n"
        )
        assert [(block.label, block.text) for block in found if block.kind == BlockKind.PAIR] == [
            ("CONTRACT NO.", "68HE0720C0019"),
            ("Client", "Holland Board of Public Works"),
        ]

    def test_values_next_to_labels_that_markup_had_divided_are_pairs(self) -> None:
        found = read(
            "Banner hospital system\n\nClient Banner Desert Health\nAward $1,180,000 (2023–2025)\nScope Video interpreting\n"
        )
        assert [block.label for block in found if block.kind == BlockKind.PAIR] == ["Client", "Award", "Scope"]

    def test_services_named_like_labels_are_no_pairs(self) -> None:
        text = "WHAT WE DO\n\nContract Management\nProject Management\nCustomer Service Desk\n"
        assert not [block for block in read(text) if block.kind == BlockKind.PAIR]

    def test_a_table_with_its_labels_in_the_first_column_is_read_by_column(self) -> None:
        rows = read(
            "| Project | Sentinel wells | Dam borings |\n|---|---|---|\n| Owner | KGS | USACE |\n| Fee | $486,000 | $2,318,400 |\n"
        )
        assert [(row.columns, row.cells) for row in rows] == [
            (("Project", "Owner", "Fee"), ("Sentinel wells", "KGS", "$486,000")),
            (("Project", "Owner", "Fee"), ("Dam borings", "USACE", "$2,318,400")),
        ]

    def test_a_numbered_heading_above_marked_items_is_a_heading(self) -> None:
        assert kinds("1. Our services\n- Pumps\n- Valves\n\n2. Our clients\n- Towns\n")[0] == (BlockKind.HEADING, "Our services")

    def test_the_last_of_numbered_items_is_an_item(self) -> None:
        assert kinds("OUR SERVICES\n\n4) Test and balance\n\n5) Energy Audits, Level II\n")[-1] == (
            BlockKind.ITEM,
            "Energy Audits, Level II",
        )

    def test_the_first_of_a_list_without_marks_is_not_a_heading(self) -> None:
        text = "OUR SERVICES\n\nChiller and boiler replacement\nDirect digital controls for schools, hospitals, and offices\n"
        assert [kind for kind, _ in kinds(text)] == [BlockKind.HEADING, BlockKind.LINE, BlockKind.LINE]

    def test_the_first_line_of_a_narrow_column_is_not_a_heading(self) -> None:
        text = (
            "WHO WE ARE\n    Iron Peak Mechanical Contractors Inc. is a HUBZone\n    contractor in Pueblo. It opened in 1998.\n"
        )
        assert kinds(text)[1][0] == BlockKind.SENTENCE

    def test_a_label_above_several_lines_is_not_a_pair(self) -> None:
        assert all(block.kind != BlockKind.PAIR for block in read("Skills:\nNextflow\nSeurat\nArchR\n"))

    def test_short_lines_below_prose_are_lines(self) -> None:
        text = "Runs the pipeline of the laboratory; 214 libraries processed.\nHospital, data analyst\nMS Bioinformatics, 2015\n"
        assert kinds(text)[1:] == [(BlockKind.LINE, "Hospital, data analyst"), (BlockKind.LINE, "MS Bioinformatics, 2015")]

    def test_rows_have_the_columns_above_them(self) -> None:
        (row,) = read("Agency | Contract | Value\n---|---|---\nDLA | SP4701-21 | $11.8M")
        assert row.columns == ("Agency", "Contract", "Value")
        assert row.cells == ("DLA", "SP4701-21", "$11.8M")

    @pytest.mark.parametrize("mark", ["-", "•", "»", "\uf0b7", "1)", "(a)"])
    def test_an_item_loses_its_mark(self, mark: str) -> None:
        assert (BlockKind.ITEM, "Firmware for loggers") in kinds(f"{mark} Firmware for loggers\n{mark} Calibration")

    @pytest.mark.parametrize(
        "heading", ["CORE COMPETENCIES", "Our approach", "3. Methods", "What makes our work different", "Über uns"]
    )
    def test_a_heading_in_the_middle_of_prose(self, heading: str) -> None:
        text = f"We have worked on the coast since 2006.\n{heading}\nWe will begin with a survey of the twelve sites by drone."
        assert (
            BlockKind.HEADING
            in dict(zip([text for _, text in kinds(text)], [kind for kind, _ in kinds(text)], strict=True)).values()
        )
        assert any(block.kind == BlockKind.HEADING and block.text in heading for block in read(text))

    def test_remarks_in_brackets_do_not_make_a_heading_long(self) -> None:
        text = (
            "24. BRIEF DESCRIPTION OF PROJECT AND RELEVANCE TO THIS CONTRACT (Include scope, size, and cost)\n"
            "We inspected 486 bridges on foot, by boat, and from ropes in five years.\n"
        )
        assert kinds(text)[0] == (
            BlockKind.HEADING,
            "BRIEF DESCRIPTION OF PROJECT AND RELEVANCE TO THIS CONTRACT (Include scope, size, and cost)",
        )

    def test_pages_and_rules_are_left_out(self) -> None:
        assert kinds("We build sensors.\n\n      Page 3 of 4\n-------\n  - 2 -\n") == [(BlockKind.SENTENCE, "We build sensors.")]

    def test_a_name_below_a_heading_is_not_a_heading(self) -> None:
        found = kinds("CONTACT\nDana Whitfield, Director of Sales\n4410 Hammond Road East, Traverse City, MI 49686\n")
        assert found[1] == (BlockKind.LINE, "Dana Whitfield, Director of Sales")

    def test_no_block_is_long(self) -> None:
        lines = ("x" * 5_000, "word " * 5_000, "- " + "y " * 5_000, "a | " * 90 + "b", "Label: " + "z" * 390)
        text = "\n".join((*lines, "Value: 3", *["  and more of it"] * 1_000, "", *["Value | $742,000 | $51,000"] * 1_000))
        assert max(len(block.text) for block in read(text)) <= MAX_CHARACTERS


class TestTopicsOf:
    @pytest.mark.parametrize(
        ("heading", "topic"),
        [
            ("CORE COMPETENCIES", Topic.CAPABILITIES),
            ("2.1 Research capabilities", Topic.CAPABILITIES),
            ("What we do best", Topic.CAPABILITIES),
            ("Past Performance (see separate sheets)", Topic.PAST_PERFORMANCE),
            ("What sets us apart", Topic.DIFFERENTIATORS),
            ("Our distinctive strengths", Topic.DIFFERENTIATORS),
            ("Prior results", Topic.PAST_PERFORMANCE),
            ("Key Personnel", Topic.PEOPLE),
            ("Facilities & Equipment", Topic.FACILITIES),
            ("NAICS Codes", Topic.COMPANY_DATA),
            ("SPECIFIC AIMS", Topic.AIMS),
            ("Ansprechpartner", Topic.CONTACT),
            ("REVIEW PANEL COMMENTS (returned 4/2025, not funded)", Topic.REVIEW),
            ("Reviewers' comments", Topic.REVIEW),
            ("For office use only", Topic.REVIEW),
            ("PLANT LIST 2026", Topic.FACILITIES),
            ("boats, trailers and instruments 2026", Topic.FACILITIES),
            ("What we don't make", Topic.NOT_OFFERED),
            ("Not offered", Topic.NOT_OFFERED),
            ("Résultats attendus", Topic.OUTCOMES),
        ],
    )
    def test_names_what_is_below(self, heading: str, topic: Topic) -> None:
        assert topic in topics_of(heading)

    @pytest.mark.parametrize("heading", ["Turbidity Upgrade at the Treatment Plant", "Dana Whitfield", "", "Table 3", "Vehicle"])
    def test_others_name_nothing(self, heading: str) -> None:
        assert topics_of(heading) == frozenset()


def test_the_colon_of_a_padded_label_is_no_part_of_the_value() -> None:
    blocks = read("CAGE Code         : 4W9D8\nUnique Entity ID  : ZB5TQ81KFLR3\n")
    assert [(block.label, block.text) for block in blocks] == [("CAGE Code", "4W9D8"), ("Unique Entity ID", "ZB5TQ81KFLR3")]


@pytest.mark.parametrize(
    ("line", "pair"),
    [
        ("CERTIFICATIONS  PMP, OSHA 30", ("CERTIFICATIONS", "PMP, OSHA 30")),
        ("Certifications  ISO 9001", ("Certifications", "ISO 9001")),
        ("Name  Role", ("", "Name Role")),
        ("Stations  Rivers", ("", "Stations Rivers")),
    ],
)
def test_several_spaces_divide_a_known_label_from_its_value(line: str, pair: tuple[str, str]) -> None:
    blocks = read(f"Dana Whitfield\n\n{line}\n")
    assert [(block.label, block.text) for block in blocks[1:]] == [pair]


def test_a_question_that_names_a_section_is_its_heading() -> None:
    kinds = [
        block.kind
        for block in read("Roofs since 1999.\n\nWhy Larkspur?\n\n✓ Green Seal certified\n\nWho likes dirt?\n\nNobody.\n")
    ]
    assert kinds == [BlockKind.SENTENCE, BlockKind.HEADING, BlockKind.ITEM, BlockKind.SENTENCE, BlockKind.SENTENCE]


def test_codes_in_one_line_are_values_of_their_own() -> None:
    blocks = read(
        "EIN 62-0555871; UEI: M4XD7YJK1QN8; active in SAM; DUNS retired.\n\nUEI M3WJ8CT5RKD6 ~ CAGE 9F1Q7\n\nPSC: S201 / S208\nUEI: R7TYH2MNC4K8\n"
    )
    assert [(block.label, block.text) for block in blocks] == [
        ("EIN", "62-0555871"), ("UEI", "M4XD7YJK1QN8; active in SAM"), ("DUNS", "retired."), ("UEI", "M3WJ8CT5RKD6"), ("CAGE", "9F1Q7"),
        ("PSC", "S201 / S208"), ("UEI", "R7TYH2MNC4K8"),
    ]  # fmt: skip


def test_numbered_lines_that_count_on_are_items_also_where_blank_lines_divide_them() -> None:
    text = "SERVICES\n\n2.1  Routine inspection of bridges\n\n2.2  Load rating by LRFR and LFR\n\n2.3  Rope access inspection of arches\n"
    assert [(block.kind, block.text) for block in read(text)[1:]] == [
        (BlockKind.ITEM, "Routine inspection of bridges"),
        (BlockKind.ITEM, "Load rating by LRFR and LFR"),
        (BlockKind.ITEM, "Rope access inspection of arches"),
    ]


def test_the_header_of_a_message_is_left_out() -> None:
    text = "From: Ada Example <ada@example.org>\nTo: Bids\nCc: Bo\nSubject: RE: lines\n\nThe lifts run every day."
    assert [block.text for block in read(text)] == ["The lifts run every day."]
