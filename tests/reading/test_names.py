from __future__ import annotations

import pytest

from fundwright.reading.names import is_role, person_in


class TestPersonIn:
    @pytest.mark.parametrize(
        ("line", "name", "rest"),
        [
            ("Dana Rivers", "Dana Rivers", ""),
            ("MARCUS T. YOUNG, P.E.", "MARCUS T. YOUNG, P.E.", ""),
            ("LAW, Teresa", "LAW, Teresa", ""),
            ("Church, Amara N.", "Church, Amara N.", ""),
            ("Inez Field, OTR/L", "Inez Field, OTR/L", ""),
            ("Dr. Emmett Law", "Dr. Emmett Law", ""),
            ('Hildegard "Hildy" Brandt', 'Hildegard "Hildy" Brandt', ""),
            ("Camille Pelletier-Nadeau", "Camille Pelletier-Nadeau", ""),
            (
                "Pete Lindqvist, Estimating & Business Development Manager",
                "Pete Lindqvist",
                "Estimating & Business Development Manager",
            ),
            ("Karen Holloway. General superintendent", "Karen Holloway", ". General superintendent"),
            ("Gordon Stone, VP Growth", "Gordon Stone", "VP Growth"),
            ("Loretta Banks has led us since 2014.", "Loretta Banks", "has led us since 2014."),
        ],
    )
    def test_a_name_begins_the_line(self, line: str, name: str, rest: str) -> None:
        person = person_in(line)
        assert person is not None and (person.name, person.rest) == (name, rest)

    @pytest.mark.parametrize(
        "line",
        [
            "Project Manager",
            "Key Personnel",
            "BIOGRAPHICAL SKETCH",
            "SYNERGISTIC ACTIVITIES",
            "University of Idaho",
            "Tamarack Flats Environmental Contractors, Inc.",
            "Larkspur Canyon RFPD",
            "St. Paul, MN 55104",
            "GSA MAS",
            "B2. Ongoing and completed support",
            "We work in Idaho",
            "today",
            "",
        ],
    )
    def test_headings_places_and_organizations_are_no_names(self, line: str) -> None:
        assert person_in(line) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Quality Control Manager / Project Engineer", True),
        ("Board president", True),
        ("Principal Investigator", True),
        ("Geschäftsführer", True),
        ("Clean Water Act", False),
        ("1,200 cleared staff", False),
        ("", False),
    ],
)
def test_what_somebody_does_is_a_role(text: str, expected: bool) -> None:
    assert is_role(text) is expected
