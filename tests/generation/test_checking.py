from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fundwright.generation.checking import Verdict, check
from fundwright.generation.contrasts.clauses import Clause
from fundwright.generation.schemas import CheckState

PASSAGE = (
    "Acme Roofing was founded in 1999. It repaired the roof of Hill Air Force Base\nfor $2.1 million in September 2024. "
    "The crew of 12 had no recordable injuries. We do not repair gutters. Crews hold OSHA 30 cards. "
    "Bo Diaz was superintendent and Ann Lee was safety officer. Leaks fell from 19 to 4 a year."
)


def state(sentence: str, *, company: str = "") -> CheckState:
    return check(sentence, [PASSAGE], company=company).state


def quoted(verdict: Verdict) -> list[str]:
    return [PASSAGE[quote.start : quote.end].replace("\n", " ") for quote in verdict.quotes]


class TestCheck:
    @pytest.mark.parametrize(
        "sentence",
        [
            "It repaired the roof of Hill Air Force Base for $2.1 million in September 2024.",
            "In Sept. 2024, Acme Roofing repaired the roof of Hill AFB for $2,100,000.",
            "The crew of twelve had no recordable injuries.",
            "Leaks dropped to 4 a year from 19.",
            "Ann Lee was safety officer, and Bo Diaz was superintendent.",
            "Acme does not repair gutters.",
            "Founded in 1999, Acme holds OSHA 30 cards.",
        ],
    )
    def test_what_the_passage_says_in_other_words_is_supported(self, sentence: str) -> None:
        assert state(sentence) is CheckState.SUPPORTED

    @pytest.mark.parametrize(
        "sentence",
        [
            "It repaired the roof of Hill Air Force Base for $2.4 million in September 2024.",
            "It repaired the roof of Hill Air Force Base in October 2024.",
            "It repaired the roof of Edwards Air Force Base.",
            "We repair gutters.",
            "The crew did not repair the roof.",
            "Bo Diaz was safety officer and Ann Lee was superintendent.",
            "Leaks rose from 4 to 19 a year.",
            "All of our crews hold OSHA 30 cards and ISO 9001 certificates.",
            "Residents praised our friendly foremen.",
            "Acme was founded more than 1999 years ago.",
        ],
    )
    def test_what_it_does_not_say_is_not_found(self, sentence: str) -> None:
        assert state(sentence) is CheckState.NOT_FOUND

    @pytest.mark.parametrize(
        ("source", "claim"),
        [
            pytest.param("We will install two loggers in May.", "We installed two loggers in May.", id="a plan is not done"),
            pytest.param("Grantees may be asked to pay a fee.", "Grantees must pay a fee.", id="what may be is no must"),
            pytest.param("The board rejected the plan in May.", "The board approved the plan in May.", id="an opposite"),
            pytest.param("The county cleared the ditches.", "The tribe cleared the ditches.", id="someone else"),
            pytest.param("The city paid for filters.", "Our firm paid for filters.", id="not we, but others"),
            pytest.param("We lined 5 miles of canal and 9 miles of pipe.", "We lined 9 miles of canal.", id="another's number"),
            pytest.param("Rooms cost $520 a month.", "Rooms cost $520 a week.", id="another rate"),
            pytest.param(
                "Director, Hill Center, 2019–2023.", "She has been director of Hill Center since 2019.", id="an ended range"
            ),
            pytest.param("She is co-investigator of the study.", "She is investigator of the study.", id="a lesser role"),
            pytest.param("Junco was acquired by Brightwell.", "Junco acquired Brightwell.", id="the other way around"),
            pytest.param("Print loans exceeded digital loans.", "Digital loans exceeded print loans.", id="sides are exchanged"),
            pytest.param("All later deliveries were accepted.", "All deliveries were accepted.", id="a narrower word is dropped"),
            pytest.param("Ann Lee reads Spanish and French.", "Ann Lee reads Spanish and French fluently.", id="a boast"),
            pytest.param("All buoys survived the spring.", "All buoys were lost in the spring.", id="what survives is not lost"),
            pytest.param("Uptake rose in the third year.", "Uptake rose in year two.", id="another year"),
            pytest.param("The lateral leaks.", "The lateral is the leakiest of the region.", id="a superlative"),
        ],
    )
    def test_one_small_change_makes_another_claim(self, source: str, claim: str) -> None:
        assert check(claim, [f"{source} The office opens at nine."]).state is CheckState.NOT_FOUND

    @pytest.mark.parametrize(
        ("source", "claim"),
        [
            pytest.param(
                "We will install two loggers in May.", "Two loggers are to be installed in May.", id="a plan is told as one"
            ),
            pytest.param(
                "The herd was cut from 190 cows to 165.", "The herd shrank by 25 cows, from 190 to 165.", id="a difference"
            ),
            pytest.param("Crews cleared the ditches.", "We cleared the ditches.", id="our own people"),
            pytest.param(
                "The crate passed the salt test but failed the drop test.",
                "The crate did not pass the drop test.",
                id="failing is not passing",
            ),
            pytest.param("The minimum flow is 140 cubic feet.", "At least 140 cubic feet must flow.", id="a minimum"),
            pytest.param("We expect results in the third quarter of 2025.", "Results are expected in Q3 2025.", id="a quarter"),
            pytest.param("It scans negatives over 30 months.", "It scans negatives over two and a half years.", id="a half"),
            pytest.param("We ran the lab from 2020 to 2023.", "We ran the lab for three years.", id="the years of a range"),
            pytest.param(
                "The match does not apply; tribes are exempt from it.", "Tribes do not owe the match.", id="an exemption"
            ),
            pytest.param(
                "None of our pilots has fewer than 300 hours.", "Our pilots have at least 300 hours.", id="none has fewer"
            ),
        ],
    )
    def test_what_says_the_same_is_supported(self, source: str, claim: str) -> None:
        assert check(claim, [f"{source} The office opens at nine."]).state is CheckState.SUPPORTED

    def test_a_cell_with_nothing_but_a_number_of_the_source_is_supported(self) -> None:
        source = "Contract No.: 140G0321P0087\nValue: $742,000\nWe do not accept 99 cents."
        assert check("140G0321P0087", [source]).state is CheckState.SUPPORTED
        assert check("$742,000", [source]).state is CheckState.SUPPORTED
        assert check("$724,000", [source]).state is CheckState.NOT_FOUND

    def test_parts_quoted_from_several_places_are_supported(self) -> None:
        source = "Roof repair at Hill Base\nCustomer: U.S. Air Force\n\nAcme repaired the roof and trained two of the crews in May.\nCost: none"
        claim = "Roof repair at Hill Base: Acme repaired the roof and trained two of the crews in May."
        assert check(claim, [source]).state is CheckState.SUPPORTED

    def test_a_sentence_without_passages_has_no_source(self) -> None:
        assert check("We repair roofs.", []).state is CheckState.NO_SOURCE

    def test_the_words_that_are_missing_are_named(self) -> None:
        assert check("It repaired the roof of Edwards Air Force Base for $7 million.", [PASSAGE]).missing == (
            "Edwards",
            "7 million",
        )

    def test_the_words_that_support_it_are_quoted_across_a_line_break(self) -> None:
        verdict = check("It repaired the roof of Hill Air Force Base for $2.1 million in September 2024.", [PASSAGE])
        assert quoted(verdict) == ["repaired the roof of Hill Air Force Base for $2.1 million in September 2024"]

    def test_two_sentences_in_one_are_quoted_from_both(self) -> None:
        verdict = check("Founded in 1999, Acme Roofing holds OSHA 30 cards.", [PASSAGE])
        assert quoted(verdict) == ["Acme Roofing was founded in 1999", "hold OSHA 30 cards"]

    def test_each_quote_names_its_passage(self) -> None:
        verdict = check("Acme has 40 trucks and was founded in 1999.", [PASSAGE, "There are 40 trucks."])
        assert {quote.passage for quote in verdict.quotes} == {0, 1}

    def test_the_name_of_the_company_needs_no_proof(self) -> None:
        assert state("Zenith Roofs holds OSHA 30 cards.") is CheckState.NOT_FOUND
        assert state("Zenith Roofs holds OSHA 30 cards.", company="Zenith Roofs, Inc.") is CheckState.SUPPORTED


SURROUNDED = "Acme repairs roofs in three states and has an office in Ogden. {} Crews carry insurance for all work."


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("If we held CMMC Level 2, we could bid on more defense work.", "We hold CMMC Level 2."),
        ("We could hire 40 engineers if the contract were awarded.", "We hired 40 engineers."),
        ("Were we certified under ISO 9001, we could bid on more work.", "We are certified under ISO 9001."),
        ("If we held CMMC Level 2, we could bid on more defense work.", "CMMC Level 2"),
        ("Unlike Acme, Bolt has 900 engineers.", "Acme has 900 engineers."),
        ("Our competitor has 900 engineers.", "We have 900 engineers."),
        ("Our largest competitor holds a facility clearance.", "A facility clearance"),
        ("We are working toward CMMC Level 2.", "We have CMMC Level 2."),
        ("We have applied for CMMC Level 2.", "We have CMMC Level 2."),
    ],
)
def test_what_a_source_says_of_an_imagined_case_a_competitor_or_a_goal_is_not_found(source: str, claim: str) -> None:
    assert check(claim, [SURROUNDED.format(source)], company="Acme Roofing").state is CheckState.NOT_FOUND


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("If a roof leaks, we repair it within 24 hours.", "We repair leaking roofs within 24 hours."),
        ("If you need help, call our office, which has 40 engineers.", "Our office has 40 engineers."),
        ("If we held CMMC Level 2, we could bid on more work.", "With CMMC Level 2, we could bid on more work."),
        ("Unlike Bolt, Acme has 900 engineers.", "We have 900 engineers."),
        ("Unlike our competitors, we own two barges.", "We own two barges."),
        ("Our competitors rent barges; we own two barges.", "We own two barges."),
        ("Our competitors know that we have 900 engineers.", "We have 900 engineers."),
        ("We have raised $1.2 million and have applied for a grant.", "We have raised $1.2 million."),
        ("We applied for and received ISO 9001 certification in 2020.", "We received ISO 9001 certification in 2020."),
        ("We installed 12 gauges so that the district could see if levels rose.", "We installed 12 gauges."),
        ("Our crews respond within two hours if the dam might fail.", "Our crews respond within two hours."),
        ("If you would like references, call us: we have completed 14 inspections.", "We have completed 14 inspections."),
        ("The incumbent Acme staffs 12 posts.", "Acme staffs 12 posts."),
    ],
)
def test_what_it_says_of_us_next_to_that_is_supported(source: str, claim: str) -> None:
    assert check(claim, [SURROUNDED.format(source)], company="Acme Roofing").state is CheckState.SUPPORTED


def test_a_long_source_is_divided_once_for_all_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checking a section that cites long tables took seconds: each claim read all of them again."""
    built, build = 0, Clause.__init__
    table = "".join(f"| Roof {number} | City of Ames | ${number},000 |\n" for number in range(100))

    def count(self: Clause, *arguments: Any) -> None:
        nonlocal built
        built += 1
        build(self, *arguments)

    monkeypatch.setattr(Clause, "__init__", count)
    for number in range(10):
        check(f"Roof {number} of the City of Ames cost ${number},500.", [table])
    assert built <= 200


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
        assert check(f"The device has {claimed}.", [f"The device has {written}."]).state is not CheckState.SUPPORTED

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
        assert check(f"The device has {claimed}.", [f"The device has {written}."]).state is CheckState.SUPPORTED


def test_word_for_word_pairs_are_supported() -> None:
    lines = (Path(__file__).parents[1] / "checking" / "pairs.jsonl").read_text("utf-8").splitlines()
    pairs = [pair for pair in map(json.loads, lines) if pair["kind"] == "verbatim"]
    assert len(pairs) > 10
    for pair in pairs:
        assert check(pair["sentence"], pair["passages"], about=pair["heading"]).state is CheckState.SUPPORTED, pair["id"]


MATRIX = (
    "Agency | Contract / TO | Value | PoP | Services\n"
    "-------|---------------|-------|-----|---------\n"
    "Defense Logistics Agency | SP4701-21-F-0166 | $11.8M | 09/2021 - 09/2025 | Migrated 47 applications to AWS GovCloud\n"
    "Alabama Department of Transportation | ITS-2023-044 | $2.35M | 02/2023 – 01/2025 | Oracle Forms to Java for permit system, 310 screens\n"
    "USDA Food and Nutrition Service | 12319822F0078 | $4.1M | 10/2022-present | Tier 1-3 help desk, 4,800 users\n"
)


@pytest.mark.parametrize("value", ["SP4701-21-F-0166", "$11.8M", "ITS-2023-044", "$2.35M", "Help desk", "USDA"])
def test_a_value_is_found_in_its_place(value: str) -> None:
    assert check(value, [MATRIX]).state is CheckState.SUPPORTED


@pytest.mark.parametrize(
    ("claim", "state"),
    [
        ("The USDA help desk serves 4,800 users.", CheckState.SUPPORTED),
        ("Northgate modernized 310 Oracle Forms screens of the permit system.", CheckState.SUPPORTED),
        ("The Alabama Department of Transportation contract was worth $11.8 million.", CheckState.NOT_FOUND),
    ],
)
def test_a_row_of_a_table_is_a_sentence(claim: str, state: CheckState) -> None:
    assert check(claim, [MATRIX], company="Northgate Digital Services").state is state
