"""Where a sentence comes from, and what of it stands in one record of the source."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fundwright.generation import checking
from fundwright.generation.checking import Verdict, check
from fundwright.generation.schemas import Provenance

PASSAGE = (
    "Acme Roofing was founded in 1999. It repaired the roof of Hill Air Force Base\nfor $2.1 million in September 2024. "
    "The crew of 12 had no recordable injuries. We do not repair gutters. Crews hold OSHA 30 cards. "
    "Bo Diaz was superintendent and Ann Lee was safety officer. Leaks fell from 19 to 4 a year."
)
QUOTED, EDITED, WRITTEN, NO_SOURCE = Provenance


def quotes_of(verdict: Verdict) -> list[str]:
    return [PASSAGE[quote.start : quote.end].replace("\n", " ") for quote in verdict.quotes]


class TestProvenance:
    @pytest.mark.parametrize(
        ("sentence", "provenance"),
        [
            ("Crews hold OSHA 30 cards.", QUOTED),
            ("crews hold OSHA 30 cards", QUOTED),
            (
                "It repaired the roof of Hill Air Force Base for $2.1 million in September 2024. The crew of 12 had no recordable injuries.",
                QUOTED,
            ),
            ("The crew of 12 had no recordable injuries; crews hold OSHA 30 cards.", QUOTED),
            ("Our crews hold the OSHA 30 cards.", WRITTEN),
            ("The crews hold the OSHA 30 cards.", EDITED),
            ("Our company does not repair gutters.", EDITED),
            ("OSHA 30", EDITED),
            ("In September 2024, Acme repaired the roof of Hill Air Force Base.", WRITTEN),
            ("Gutters are what we do not repair.", WRITTEN),
        ],
    )
    def test_is_quoted_edited_or_written(self, sentence: str, provenance: Provenance) -> None:
        verdict = check(sentence, [PASSAGE], company="Acme Roofing")
        assert (verdict.provenance, verdict.missing) == (provenance, ())

    @pytest.mark.parametrize(
        ("source", "claim"),
        [
            pytest.param("We do not repair gutters.", "We repair gutters.", id="a negation"),
            pytest.param("We will install two loggers in May.", "We installed two loggers in May.", id="a plan"),
            pytest.param("Grantees may pay a fee.", "Grantees pay a fee.", id="a possibility"),
            pytest.param("We train at most 40 people.", "We train 40 people.", id="a bound"),
            pytest.param("Junco was acquired by Brightwell.", "Junco acquired Brightwell.", id="the other way around"),
            pytest.param("Rooms cost $520 a month.", "Rooms cost 520 euros a month.", id="another unit"),
            pytest.param("It sold for €5 million.", "It sold for $5 million.", id="another currency"),
            pytest.param("It keeps 40 degrees.", "It keeps −40 degrees.", id="another sign"),
            pytest.param("Uptime was <99%.", "Uptime was >99%.", id="another comparison"),
            pytest.param("We write C#.", "We write C++.", id="another language"),
            pytest.param("It cost $18,400,300.", "It cost $18,400,270.", id="digits"),
            pytest.param("We failed to meet the deadline.", "We meet the deadline.", id="a failure"),
            pytest.param("Delta Corp. holds a top secret clearance.", "We hold a top secret clearance.", id="another subject"),
            pytest.param("It has 1 of 40 sites with power.", "The team has 40 sites with power.", id="a part of a number"),
            pytest.param("They have 12 patents.", "We have 12 patents.", id="others"),
            pytest.param("We have 40 engineers.", "We had 40 engineers.", id="another time"),
            pytest.param("Experience with animals.", "Experiments with animals.", id="another word of the same stem"),
            pytest.param("Facility clearance: None", "We have a facility clearance.", id="a label whose value denies it"),
            pytest.param("Safety record\n\nWe repaired bridges.", "We repaired bridges safety record.", id="a heading"),
        ],
    )
    def test_an_edit_does_not_turn_the_meaning(self, source: str, claim: str) -> None:
        assert check(claim, [source]).provenance is WRITTEN

    def test_cells_of_one_row_are_joined_others_left_out(self) -> None:
        table = "| Project | Client | Value |\n| - | - | - |\n| Lock wall | City of Camden | $310,000 |\n| Levee | Ross County | $94,500 |"
        assert check("Lock wall, $310,000", [table]).provenance is EDITED
        assert check("City of Camden, $94,500", [table]).missing == ("94,500",)

    def test_a_sentence_without_passages_has_no_source(self) -> None:
        assert check("We repair roofs.", []).provenance is NO_SOURCE

    def test_what_is_quoted_is_shown_across_a_line_break(self) -> None:
        verdict = check("Repaired the roof of Hill Air Force Base for $2.1 million in September 2024.", [PASSAGE])
        assert quotes_of(verdict) == ["repaired the roof of Hill Air Force Base for $2.1 million in September 2024"]

    def test_of_other_words_those_with_figures_and_names_are_shown(self) -> None:
        verdict = check("Founded in 1999, Acme Roofing holds OSHA 30 cards.", [PASSAGE])
        assert (quotes_of(verdict), verdict.found) == (["Acme Roofing was founded in 1999", "roof", "hold OSHA 30 cards"], 5)

    def test_each_quote_names_its_passage(self) -> None:
        verdict = check("Acme has 40 trucks and was founded in 1999.", [PASSAGE, "There are 40 trucks."])
        assert {quote.passage for quote in verdict.quotes} == {0, 1}


class TestDetails:
    @pytest.mark.parametrize(
        "sentence",
        [
            "In Sept. 2024, Acme Roofing repaired the roof of Hill AFB for $2,100,000.",
            "The crew of twelve had no recordable injuries.",
            "Leaks dropped to 4 a year from 19.",
            "Founded in 1999, Acme holds OSHA 30 cards.",
            "Ann Lee was safety officer, and Bo Diaz was superintendent.",
        ],
    )
    def test_are_found_in_another_form(self, sentence: str) -> None:
        assert check(sentence, [PASSAGE]).missing == ()

    @pytest.mark.parametrize(
        ("sentence", "missing"),
        [
            ("Acme repaired the roof of Hill Air Force Base for $2.4 million.", ("2.4 million",)),
            ("Acme repaired the roof of Hill Air Force Base in October 2024.", ("October",)),
            ("Acme repaired the roof of Edwards Air Force Base for $7 million.", ("Edwards", "7 million")),
            ("All Acme crews hold OSHA 30 cards and ISO 9001 certificates.", ("ISO", "9001")),
            ("Acme crews hold OSHA 10 cards.", ("10",)),
        ],
    )
    def test_that_are_missing_are_named(self, sentence: str, missing: tuple[str, ...]) -> None:
        assert check(sentence, [PASSAGE]).missing == missing

    @pytest.mark.parametrize(
        ("source", "claim", "missing"),
        [
            ("Rooms cost $520 a month.", "We charge $520 a week.", ("520",)),
            ("Phase 2 has 14 sites in 3 states.", "The sites of phase 3 are 14.", ("3",)),
            ("Of our 85 people, 62 hold a clearance.", "A clearance is held by 85 of 85.", ("85",)),
            ("Work ends no later than May 3, 2024.", "The work ended on June 3, 2024.", ("June",)),
            ("Sites: 14\nArea: 40 acres", "The sites have 40 hectares.", ("40",)),
        ],
    )
    def test_belong_to_their_unit_label_and_count(self, source: str, claim: str, missing: tuple[str, ...]) -> None:
        assert check(claim, [source]).missing == missing

    @pytest.mark.parametrize(
        ("written", "claimed"),
        [("30 months", "two and a half years"), ("28 days", "four weeks"), ("$1,130,500", "about $1.13 million"), ("2024-03-15", "March 15, 2024"),
         ("03/15/2024", "March 15, 2024"), ("5-26-2020", "May 26, 2020"), ("06/2023", "June 2023"), ("440 kWh", "440 kilowatt-hours")],
    )  # fmt: skip
    def test_are_the_same_in_another_unit_or_form(self, written: str, claimed: str) -> None:
        assert check(f"Our plan says {claimed}.", [f"The plan has {written} in it."]).missing == ()

    @pytest.mark.parametrize(
        ("source", "claim", "missing"),
        [
            ("Each family receives up to 16 visits.", "Families get at least 16 visits.", ("at least 16",)),
            ("The pressure must not exceed 110 psi.", "It has at least 110 psi.", ("at least 110",)),
            ("We have 16 visits.", "There are at least 16 visits.", ()),
            ("YPTE has never defaulted on a contract.", "YPTE defaulted on a contract once.", ("never",)),
            ("The plan has errors.", "The plan has no errors at all.", ("no",)),
            ("Certificate no. 44 is ours.", "Ours is certificate 44.", ()),
            ("Results come no later than May 3.", "Results come by May 3.", ()),
        ],
    )
    def test_bounds_and_negations_are_compared(self, source: str, claim: str, missing: tuple[str, ...]) -> None:
        assert check(claim, [source]).missing == missing

    def test_a_label_whose_value_says_no_is_denied(self) -> None:
        assert check("We have ISO 9001.", ["| Standard | Held |\n| - | - |\n| ISO 9001 | No |"]).missing == ("no",)
        assert check("We do not have ISO 9001.", ["| Standard | Held |\n| - | - |\n| ISO 9001 | No |"]).missing == ()

    def test_the_name_of_the_company_takes_no_words_away(self) -> None:
        assert check("We have overdue reports.", ["We have no overdue reports."], company="No Limits Inc.").missing == ("no",)
        assert check("We employ 54 people in Ohio.", ["We employ people in Ohio."], company="Studio 54").missing == ("54",)

    def test_a_sentence_with_hardly_a_word_of_its_passage_is_named(self) -> None:
        verdict = check("Our engineers design rockets for lunar missions.", ["The bakery sells bread."])
        assert verdict.missing == ("engineers", "design", "rockets", "lunar", "missions")

    def test_a_number_of_hundreds_of_digits_is_a_code(self) -> None:
        passage = f"Digits: {'9' * 400} and an award of $1,200,400."
        assert check("The award was $1.2 million.", [passage]).missing == ()

    def test_the_name_of_the_company_needs_no_proof(self) -> None:
        assert check("Zenith Roofs holds OSHA 30 cards.", [PASSAGE]).missing == ("Zenith",)
        assert check("Zenith Roofs holds OSHA 30 cards.", [PASSAGE], company="Zenith Roofs, Inc.").missing == ()

    def test_an_acronym_is_found_spelled_out_and_the_other_way(self) -> None:
        assert check("Work for USGS ended.", ["The U.S. Geological Survey was the client of the work."]).missing == ()
        assert check("Work for the Geological Survey of the U.S. ended.", ["The client is the GSUS."]).missing == ()


def test_what_belongs_to_another_record_is_named_without_its_formatting() -> None:
    verdict = check("Camden \\\n$94,500 ; ", ["| Client | Value |\n| - | - |\n| Camden | $310,000 |\n| Ross | $94,500 |"])
    assert verdict.missing == ("Camden $94,500",)
    cell = check(
        "**Very Good** ; ",
        ["Client: Camden\nRating: Good enough\n\nClient: Ross\nRating: Very Good"],
        row=("Camden", "**Very Good** ; "),
    )
    assert cell.missing == ("Very Good",)


@pytest.mark.parametrize(
    ("lead", "provenance", "missing"),
    [("Harbor plant", QUOTED, ()), ("Boeing depot", WRITTEN, ("Boeing", "depot")), ("West Depot", WRITTEN, ("West", "Depot"))],
)
def test_what_names_a_sentence_stands_in_its_record(lead: str, provenance: Provenance, missing: tuple[str, ...]) -> None:
    verdict = check(f"**{lead}**: We replaced two boilers.", ["Harbor plant\n\nWe replaced two boilers. The work took a year."])
    assert (verdict.provenance, verdict.missing) == (provenance, missing)


CHECKLIST = "Check all that apply:\n☒ Small business\n☐ Service-disabled veteran-owned small business\n☐ HUBZone concern\nOverall: ☐ Poor ☒ Good"
GRID = "| Inspector | ACI | CWI |\n| - | - | - |\n| R. Delgado | ☒ | ☐ |\n| M. Huang | ☒ | ☒ |"


@pytest.mark.parametrize(
    ("source", "claim", "missing"),
    [
        (CHECKLIST, "Our company is a small business.", ()),
        (
            CHECKLIST,
            "We are a service-disabled veteran-owned small business.",
            ("Service disabled veteran owned small business",),
        ),
        (CHECKLIST, "We are a HUBZone firm.", ("HUBZone",)),
        (CHECKLIST, "The overall rating was poor.", ("Poor",)),
        (GRID, "Inspector Delgado holds ACI.", ()),
        (GRID, "Inspector Delgado holds CWI.", ("CWI",)),
        (GRID, "Inspector Huang holds CWI.", ()),
    ],
)
def test_a_box_that_is_not_checked_supports_nothing(source: str, claim: str, missing: tuple[str, ...]) -> None:
    assert check(claim, [source]).missing == missing


def test_a_long_source_is_divided_once_for_all_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checking a section that cites long tables took seconds: each claim read all of them again."""
    divided, divide = list[str](), checking.divide
    table = "".join(f"| Roof {number} | City of Ames | ${number},000 |\n" for number in range(100))
    monkeypatch.setattr(checking, "divide", lambda text: divided.append(text) or divide(text))
    for number in range(10):
        check(f"Roof {number} of the City of Ames cost ${number},500.", [table])
    assert divided == [table]


class TestUnits:
    @pytest.mark.parametrize(
        ("claimed", "written"),
        [
            *[
                ("20 mW", "20 megawatts"),
                ("20 megawatts", "20 mW"),
                ("20mW", "20 MW"),
                ("20 MHz", "20 mHz"),
                ("5 micromolar", "5 µm"),
            ],
            *[("5 millimeters", "5 mM"), ("5 nm", "5 nanomolar"), ("4 GB", "4 gigabits"), ("4 gigabytes", "4 Gb")],
            *[("20 MWs", "20 mWs"), ("3 TBs", "3 Tbs"), ("100 Mbps", "100 MBps"), ("5 kbps", "5 kBps"), ("10 mg", "10 Mg")],
            *[("5 ML", "5 mL"), ("20 mA", "20 MA"), ("7 MeV", "7 meV"), ("10 ms", "10 Ms"), ("8 mT", "8 MT"), ("20 MΩ", "20 mΩ")],
            *[("50 mSv", "50 MSv"), ("20mΩ", "20 MΩ")],
        ],
    )
    def test_the_case_of_a_letter_is_another_unit(self, claimed: str, written: str) -> None:
        assert check(f"Our device has {claimed}.", [f"The device has {written}."]).missing

    @pytest.mark.parametrize(
        ("claimed", "written"),
        [
            *[
                ("20 megawatts", "20 MW"),
                ("20 megawatts", "20 mw"),
                ("20MW", "20 megawatts"),
                ("40 kilowatts", "40 KW"),
                ("40 pounds", "40 Lbs"),
            ],
            *[
                ("5 hours", "5 Hrs"),
                ("5 micrometers", "5 µm"),
                ("5 micromolar", "5 µM"),
                ("5 millimolar", "5 mM"),
                ("5 nanometers", "5 nm"),
            ],
            *[("4 gigabytes", "4 GB"), ("4 Mbps", "4 Mbps"), ("40 sq ft", "40 sq ft"), ("40 square feet", "40 sq ft")],
            *[
                ("20 MWs", "20 megawatts"),
                ("100 megabits per second", "100 Mbps"),
                ("20 milliamperes", "20 mA"),
                ("8 pm", "8 PM"),
            ],
            *[("10 milliseconds", "10 ms"), ("20 megaohms", "20 MΩ"), ("5 milliliters", "5 ml"), ("8 p.m.", "8 PM")],
        ],
    )
    def test_other_ways_to_write_a_unit_are_the_same(self, claimed: str, written: str) -> None:
        assert check(f"Our device has {claimed}.", [f"The device has {written}."]).missing == ()


def test_word_for_word_pairs_are_quoted_or_edited() -> None:
    lines = (Path(__file__).parents[1] / "checking" / "pairs.jsonl").read_text("utf-8").splitlines()
    pairs = [pair for pair in map(json.loads, lines) if pair["kind"] in ("verbatim", "quote")]
    verdicts = [check(pair["sentence"], pair["passages"], about=pair["heading"]) for pair in pairs]
    assert len(pairs) > 60
    assert {verdict.provenance for verdict in verdicts} <= {QUOTED, EDITED}


def test_no_false_pair_is_quoted_or_edited() -> None:
    lines = (Path(__file__).parents[1] / "checking" / "pairs.jsonl").read_text("utf-8").splitlines()
    pairs = [pair for pair in map(json.loads, lines) if not pair["supported"]]
    wrong = [
        pair["id"] for pair in pairs if check(pair["sentence"], pair["passages"], about=pair["heading"]).provenance is not WRITTEN
    ]
    assert wrong == []


MATRIX = (
    "Agency | Contract / TO | Value | PoP | Services\n"
    "-------|---------------|-------|-----|---------\n"
    "Defense Logistics Agency | SP4701-21-F-0166 | $11.8M | 09/2021 - 09/2025 | Migrated 47 applications to AWS GovCloud\n"
    "Alabama Department of Transportation | ITS-2023-044 | $2.35M | 02/2023 – 01/2025 | Oracle Forms to Java for permit system, 310 screens\n"
    "USDA Food and Nutrition Service | 12319822F0078 | $4.1M | 10/2022-present | Tier 1-3 help desk, 4,800 users\n"
)


@pytest.mark.parametrize("value", ["SP4701-21-F-0166", "$11.8M", "ITS-2023-044", "$2.35M", "Help desk", "USDA"])
def test_a_value_is_found_in_its_place(value: str) -> None:
    assert check(value, [MATRIX]).missing == ()


@pytest.mark.parametrize(
    ("claim", "missing"),
    [
        ("The USDA help desk serves 4,800 users.", ()),
        ("Northgate modernized 310 Oracle Forms screens of the permit system.", ()),
        ("The Alabama Department of Transportation contract was worth $11.8 million.", ("11.8 million",)),
    ],
)
def test_a_row_of_a_table_is_a_record(claim: str, missing: tuple[str, ...]) -> None:
    assert check(claim, [MATRIX], company="Northgate Digital Services").missing == missing
