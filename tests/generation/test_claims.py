from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import pytest

from fundwright.generation import claims
from fundwright.generation.checking import Verdict, check
from fundwright.generation.claims import Source, check_claims, checked_ids, claims_of
from fundwright.generation.schemas import ClaimCheck, KeptChecks, Provenance
from tests.generation.drafts import draft, part

SOURCES = (
    (1, Source("Acme repaired 12 roofs at Hill Air Force Base in 2024 for $2.1 million.", "Acme capability statement")),
    (2, Source("Customer: Hill Air Force Base. Value: $742,000. Crews hold OSHA 30 cards.", "Past performance")),
)


def check_section(text: str, sources: Sequence[tuple[int, Source]], company: str) -> tuple[ClaimCheck, ...]:
    return check_claims(text, sources, company)[0]


def steps_of(sentence: str, passages: Sequence[str]) -> int:
    """How many functions are called to check a claim, a measure of time that does not depend on other load."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        check(sentence, passages)
    finally:
        sys.setprofile(before)
    return calls


def claimed(text: str) -> list[tuple[str, tuple[int, ...]]]:
    return [(text[claim.start : claim.end], claim.numbers) for claim in claims_of(text)]


class TestClaims:
    def test_each_sentence_has_the_citations_before_and_after_its_full_stop(self) -> None:
        assert claimed("We repaired 12 roofs. [1] Crews hold cards [2]. We are glad to help.") == [
            ("We repaired 12 roofs.", (1,)),
            ("Crews hold cards [2].", (2,)),
            ("We are glad to help.", ()),
        ]

    def test_two_citations_of_one_sentence(self) -> None:
        assert claimed("Crews hold cards. [1][2] More work followed.")[0] == ("Crews hold cards.", (1, 2))

    def test_lines_of_one_paragraph_are_one_text_and_items_are_claims_of_their_own(self) -> None:
        assert claimed("We repaired\n12 roofs [1].\n\n- Crews hold cards [2]\n- 12 roofs") == [
            ("We repaired\n12 roofs [1].", (1,)),
            ("Crews hold cards", (2,)),
            ("12 roofs", ()),
        ]

    def test_the_frame_of_a_letter_makes_no_claims(self) -> None:
        head = "November 24, 2026\n\nMary Wilson  \nKansas City District\n\n**Re: Repair of 12 roofs**\n\nDear Mary Wilson,\n\n"
        purpose = "We are pleased to submit our response to your solicitation.\n\n"
        assert claimed(f"{head}{purpose}We repaired 12 roofs [1].") == [("We repaired 12 roofs [1].", (1,))]
        assert claimed("Sincerely,\n\nAcme Roofing, LLC") == []
        assert claimed("Sincerely,\n\nAda Example, President [2]") == [("Ada Example, President", (2,))]

    @pytest.mark.parametrize(
        "text",
        [
            "# Past performance",
            "Dear Ms. Marsh,",
            "Guten Tag, Jane Doe,",
            "Bonjour Madame, Monsieur,",
            "Sincerely,",
            "Our services are:",
            "**Key people**",
            "Why does it matter?",
            "We employ [number of people] people.",
            "---",
            "[1]",
            "```\nx = 1\n```",
            "",
        ],
    )
    def test_what_claims_nothing(self, text: str) -> None:
        assert claimed(text) == []

    def test_cells_of_a_row_that_cites_are_claims_but_not_its_label_and_the_head(self) -> None:
        table = "| Fact | Value |\n|---|---|\n| Value | $742,000 [2] |\n| Customer | Hill |\n\nAfter it."
        assert claimed(table) == [("$742,000", (2,)), ("Customer | Hill", ()), ("After it.", ())]

    def test_all_cells_of_a_wider_row_share_its_citations(self) -> None:
        table = "| Customer | Value | Source |\n|---|---|---|\n| Hill | $742,000 | [2] |"
        assert claimed(table) == [("Hill", (2,)), ("$742,000", (2,))]

    def test_a_row_as_long_as_a_section_is_cut_like_a_sentence(self) -> None:
        for row in ("| more and more " * 1_000, f"| [1] | {'more and more ' * 1_000} |"):
            claims = claims_of(f"| Fact | Value |\n|---|---|\n{row}")
            assert max(claim.end - claim.start for claim in claims) <= 800 < sum(claim.end - claim.start for claim in claims)


class TestCheckedIds:
    def test_sections_after_more_text_than_anyone_submits_are_not_checked(self) -> None:
        sections = tuple(part(place, "Part", "Words. " * 20_000) for place in range(3))
        checked = checked_ids(draft(sections=sections))
        assert [section.id in checked for section in sections] == [True, True, False]


class TestCheckClaims:
    def test_a_section_is_checked_in_parts(self) -> None:
        text = "Acme repaired 12 roofs in 2024 [1]. Crews hold OSHA 10 cards [2]. We are glad to help."
        whole, rest = check_claims(text, SOURCES, "")
        assert rest is None
        parts: list[ClaimCheck] = []
        left: int | None = 0
        for count in (1, 2, None):
            found, left = check_claims(text, SOURCES, "", first=left or 0, seconds=0)
            parts += found
            assert left == count
        assert tuple(parts) == whole

    @pytest.mark.parametrize("word", ["7", "roof", "Roof", "x1", "$1,234.5"])
    def test_a_claim_of_a_repeated_word_takes_a_limited_number_of_steps(self, word: str) -> None:
        assert steps_of(f"{word} " * 160 + "y", [f"{word} " * 400] * 5) < 1_000_000


class TestCheckSection:
    def test_says_what_is_found_missing_and_without_source(self) -> None:
        text = "Acme repaired 12 roofs in 2024 [1]. Crews hold OSHA 10 cards [2]. We are glad to help."
        checked = check_section(text, SOURCES, "")
        assert [claim.provenance for claim in checked] == [Provenance.WRITTEN, Provenance.WRITTEN, Provenance.NO_SOURCE]
        assert [claim.missing for claim in checked] == [(), ("10",), ()]
        assert [claim.found for claim in checked] == [2, 1, 0]

    def test_quotes_name_the_citation(self) -> None:
        (checked,) = check_section("Crews hold OSHA 30 cards [1][2].", SOURCES, "")
        assert {quote.number for quote in checked.quotes} == {2}
        text = SOURCES[1][1].text
        assert [text[quote.start : quote.end] for quote in checked.quotes] == ["Crews hold OSHA 30 cards."]

    def test_a_new_claim_is_checked_without_those_that_were_checked_before(self, monkeypatch: pytest.MonkeyPatch) -> None:
        checked: list[str] = []

        def counted(sentence: str, *arguments: Any, **options: Any) -> Verdict:
            checked.append(sentence)
            return check(sentence, *arguments, **options)

        monkeypatch.setattr(claims, "check", counted)
        text = "Acme repaired 12 roofs in 2024 [1]. Crews hold OSHA 30 cards [2]."
        check_section(text, SOURCES, "")
        checked.clear()
        check_section(f"{text} Crews hold OSHA 77 cards [2].", SOURCES, "")
        assert [sentence.startswith("Crews hold OSHA 77 cards") for sentence in checked] == [True]

    def test_cells_are_checked_one_by_one(self) -> None:
        table = "| Customer | Value | Source |\n|---|---|---|\n| Hill Air Force Base | $724,000 | [2] |"
        assert [claim.missing for claim in check_section(table, SOURCES, "")] == [(), ("724,000",)]

    def test_parts_quoted_before_and_after_a_citation_are_supported(self) -> None:
        text = "**USDA Food and Nutrition Service**: Tier 1 help desk, 4,800 users [1] We staff a desk for 4,800 users in seven offices. [2]"
        sources = (
            (1, Source("USDA Food and Nutrition Service | $4.1M | 10/2022-present | Tier 1 help desk, 4,800 users", "")),
            (2, Source("We staff a desk for 4,800 users in seven offices. Resolution is 81%.", "")),
        )
        (checked,) = check_section(text, sources, "")
        assert checked.missing == ()

    def test_a_citation_at_the_end_of_an_item_is_for_all_sentences_that_it_supports(self) -> None:
        text = "- Crews hold OSHA 30 cards. We are glad to help. The customer was Hill Air Force Base. [2] Acme is old.\n- Crews hold OSHA 30 cards."
        checked = check_section(text, SOURCES, "")
        assert [claim.provenance for claim in checked] == [
            Provenance.QUOTED,
            Provenance.NO_SOURCE,
            Provenance.WRITTEN,
            Provenance.NO_SOURCE,
            Provenance.NO_SOURCE,
        ]
        assert checked[0].numbers == (2,)

    @pytest.mark.parametrize(
        "opening",
        [
            "Please accept this submission from Acme Roofing in response to “Roofs of Hill Air Force Base, phase two, north side” (R-1).",
            "anbei erhalten Sie die Unterlagen von Acme Roofing zu „Roofs of Hill Air Force Base, phase two, north side“ (R-1).",
        ],
    )
    def test_the_opening_of_a_letter_makes_no_claims(self, opening: str) -> None:
        assert claims_of(opening) == []

    @pytest.mark.parametrize(
        ("claim", "about"),
        [
            ("Acme has 900 engineers [1].", "900 engineers"),
            ("Acme holds CMMC Level 2 [1].", "Statement\n\nCMMC Level 2"),
            ("Largest Certified Roofing Firm [1].", "Largest Certified Roofing Firm"),
            ("Acme is certified under ISO 9001 and repaired roofs in 2024 [1].", "ISO 9001 Certified\n\nRoofs"),
        ],
    )
    def test_the_title_and_headings_of_a_document_support_no_claim(self, claim: str, about: str) -> None:
        text = "Acme repaired roofs in 2024 with its engineers."
        (checked,) = check_section(claim, ((1, Source(text, about)),), "Acme Roofing")
        assert checked.missing

    @pytest.mark.parametrize("about", ["Report 2024\n\nHill Air Force Base", "HILL AIR FORCE BASE (2024)"])
    def test_but_names_and_years_in_them_say_what_a_passage_is_about(self, about: str) -> None:
        claim = "At Hill Air Force Base, Acme repaired 12 roofs in 2024 [1]."
        (checked,) = check_section(claim, ((1, Source("Acme repaired 12 roofs.", about)),), "Acme Roofing")
        assert checked.missing == ()

    def test_a_citation_of_no_passage_is_not_a_source(self) -> None:
        (checked,) = check_section("Crews hold OSHA 30 cards [9].", SOURCES, "")
        assert checked.provenance is Provenance.NO_SOURCE


@pytest.mark.security(53)
@pytest.mark.parametrize(
    "text",
    ["a b [1].\n\n" * 500, " ".join(f"w{word}" for word in range(1_000)) + " [1].", f"{'|a' * 90}\n{'|-' * 90}\n" + f"{'|b 1' * 90}\n" * 20],
    ids=["many", "long", "cells"],
)  # fmt: skip
def test_what_is_kept_of_a_section_is_short(text: str) -> None:
    """Every page of the draft reads it on the event loop, in some 15 ms for a megabyte."""
    kept = KeptChecks(revision=1, checker=1, claims=check_section(text, SOURCES, ""))
    assert len(kept.claims) <= 500
    assert len(kept.model_dump_json()) < 3 * len(text) + 200 * len(kept.claims)
