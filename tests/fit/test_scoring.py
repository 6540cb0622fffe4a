"""The parts of a score, and what they add up to."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from fundwright.categories.schemas import CategoryColor, LabelRead, LabelSource, LabelState
from fundwright.facts.schemas import Organization
from fundwright.fit.eligibility import Status, statuses_of
from fundwright.fit.schemas import FitPart, FitPartName, FitRead
from fundwright.fit.scoring import MOST_IF_INELIGIBLE, SAME_GROUP, SAME_SECTOR, WEIGHTS, Known, score
from fundwright.opportunities.schemas import Requirements
from fundwright.profiles.schemas import OrganizationProfileContent
from fundwright.training.schemas import NearestPassage

NOW = datetime(2026, 11, 28, tzinfo=UTC)
NOTICE = Requirements(
    id=uuid4(), kind="contract", title="Cloud hosting", naics="541512", set_aside_code="", applicants=(), place="Toledo, OH, 43604, USA",
    due_at=NOW + timedelta(days=60), is_open=True,
)  # fmt: skip
CATEGORY = uuid4()
NOTHING = Known(None, "/profile", frozenset(), (), is_indexed=True, passage=None)


def profile(**content: object) -> OrganizationProfileContent:
    return OrganizationProfileContent.model_validate({"name": "Harbor Light LLC", **content})


def fit(known: Known = NOTHING, **notice: object) -> FitRead:
    return score(NOTICE.model_copy(update=notice), known, now=NOW)


def part(name: FitPartName, known: Known = NOTHING, **notice: object) -> FitPart:
    return next(each for each in fit(known, **notice).parts if each.name == name)


def label(state: LabelState, confidence: float = 1.0, category_id: UUID = CATEGORY) -> LabelRead:
    source = LabelSource.MODEL if state == LabelState.SUGGESTED else LabelSource.PERSON
    return LabelRead(
        subject_id=NOTICE.id, category_id=category_id, category_name="Cloud", color=CategoryColor.BLUE, confidence=confidence,
        state=state, source=source, model_id=None, decided_at=NOW,
    )  # fmt: skip


def test_the_weights_add_up() -> None:
    assert sum(WEIGHTS.values()) == 100


class TestNaics:
    @pytest.mark.parametrize(
        ("naics", "value"),
        [
            ("541512", 1.0),
            ("541519", SAME_GROUP),
            ("5415", SAME_GROUP),
            ("541330", SAME_SECTOR),
            ("54", SAME_SECTOR),
            ("236220", 0.0),
        ],
    )
    def test_compares_digits(self, naics: str, value: float) -> None:
        known = replace(NOTHING, profile=profile(naics_codes="541512"))
        assert part(FitPartName.NAICS, known, naics=naics).value == value

    def test_manufacturing_has_three_beginnings(self) -> None:
        assert (
            part(FitPartName.NAICS, replace(NOTHING, profile=profile(naics_codes="311111")), naics="336411").value == SAME_SECTOR
        )

    def test_is_unknown_without_codes(self) -> None:
        asked = part(FitPartName.NAICS, replace(NOTHING, profile=profile()))
        assert (asked.value, asked.path) == (None, "/profile")
        assert part(FitPartName.NAICS, naics="").value is None

    def test_codes_of_accepted_facts_and_of_the_profile_count(self) -> None:
        known = replace(NOTHING, profile=profile(naics_codes="236220"), accepted=Organization(naics_codes=("541512",)))
        assert part(FitPartName.NAICS, known, naics="541512").value == part(FitPartName.NAICS, known, naics="236220").value == 1.0
        assert part(FitPartName.NAICS, replace(NOTHING, accepted=known.accepted)).value == 1.0


class TestSetAside:
    @pytest.mark.parametrize(
        ("certifications", "accepted", "value"),
        [
            ("", {"certifications": ("SBA 8(a) Business Development",)}, 1.0),
            ("HUBZone", {"certifications": ("8(a)",)}, 1.0),
            ("8(a), HUBZone", {"not_held": ("8(a) program, graduated 2024",)}, 0.0),
            ("", {"not_held": ("8(a)",)}, 0.0),
            ("", {"not_held": ("8(a) 2012–2021",), "certifications": ("8(a)",)}, 1.0),
            ("8(a)", {"not_held": ("ISO 9001",)}, 1.0),
            ("", {"certifications": ("None",)}, 0.0),
            ("", {"certifications": ("ISO 9001",)}, None),
        ],
    )
    def test_accepted_facts_count_before_the_profile(
        self, certifications: str, accepted: dict[str, tuple[str, ...]], value: float | None
    ) -> None:
        known = replace(NOTHING, profile=profile(certifications=certifications), accepted=Organization.model_validate(accepted))
        assert part(FitPartName.ELIGIBILITY, known, set_aside_code="8A").value == value

    @pytest.mark.parametrize(
        ("certifications", "code", "value"),
        [
            ("small business", "SBA", 1.0),
            ("HUBZone", "SBA", 1.0),
            ("SDVOSB", "VSA", 1.0),
            ("Service-disabled veteran-owned small business", "SDVOSBC", 1.0),
            ("Veteran-owned small business", "SDVOSBC", 0.0),
            ("EDWOSB", "WOSB", 1.0),
            ("woman-owned small business", "EDWOSB", 0.0),
            ("8(a) certified", "8AN", 1.0),
            ("8(a) graduated 2019, small business", "8A", 0.0),
            ("8(a) pending; WOSB", "8A", 0.0),
            ("ISBEE", "BICiv", 1.0),
            ("other than small business", "SBA", 0.0),
            ("not a small business", "SBA", 0.0),
            ("none", "SBA", 0.0),
            ("none", "SBP", 0.5),
            ("", "SBA", None),
            ("ISO 9001", "SBA", None),
            ("small business", "LAS", None),
            ("", "", 1.0),
        ],
    )
    def test_asks_for_a_certification(self, certifications: str, code: str, value: float | None) -> None:
        known = replace(NOTHING, profile=profile(certifications=certifications))
        assert part(FitPartName.ELIGIBILITY, known, set_aside_code=code).value == value

    def test_does_not_say_that_one_may_respond_to_what_was_awarded(self) -> None:
        assert part(FitPartName.ELIGIBILITY, is_open=False).reason == "There is no set-aside."

    def test_caps_the_score_of_those_who_may_not_respond(self) -> None:
        known = replace(NOTHING, profile=profile(certifications="none", naics_codes="541512"))
        found = fit(known, set_aside_code="8A")
        assert (found.score, found.is_ineligible, found.is_capped) == (MOST_IF_INELIGIBLE, True, True)
        assert fit(known).score == 100 and not fit(known).is_capped


class TestApplicants:
    @pytest.mark.parametrize(
        ("certifications", "codes", "value"),
        [
            ("501(c)(3)", ("12",), 1.0),
            ("nonprofit", ("20",), 0.0),
            ("nonprofit", ("20", "25"), None),
            ("small business", ("23",), 1.0),
            ("HUBZone", ("23",), 1.0),
            ("", ("12",), None),
            ("", ("99",), 1.0),
            ("nonprofit", (), None),
        ],
    )
    def test_grants_ask_for_a_type(self, certifications: str, codes: tuple[str, ...], value: float | None) -> None:
        known = replace(NOTHING, profile=profile(certifications=certifications))
        assert part(FitPartName.ELIGIBILITY, known, kind="grant", naics="", applicants=codes).value == value

    @pytest.mark.parametrize(
        ("held", "not_held", "expected"),
        [
            (("We are not HUBZone certified",), (), None),
            (("EDWOSB (denied by SBA)",), (), None),
            (("HUBZone",), (), frozenset({Status.HUBZONE, Status.SMALL})),
            (("not-for-profit",), (), frozenset({Status.NONPROFIT})),
        ],
    )
    def test_what_is_denied_anywhere_is_not_held(
        self, held: tuple[str, ...], not_held: tuple[str, ...], expected: frozenset[Status] | None
    ) -> None:
        accepted = Organization(certifications=held, not_held=not_held)
        assert statuses_of(None, accepted) == expected

    def test_a_university_is_known_by_its_name(self) -> None:
        assert statuses_of(OrganizationProfileContent(name="Prairie State University")) == {Status.UNIVERSITY}


class TestDocuments:
    @pytest.mark.parametrize(("similarity", "value"), [(0.1, 0.0), (0.45, 0.5), (0.9, 1.0)])
    def test_the_most_similar_passage_counts(self, similarity: float, value: float) -> None:
        passage = NearestPassage(passage_id=uuid4(), document_title="Fort Ward", similarity=similarity)
        found = part(FitPartName.DOCUMENTS, replace(NOTHING, passage=passage))
        assert found.value == pytest.approx(value)
        assert "Fort Ward" in found.reason and found.path == f"/dashboard/passage/{passage.passage_id}"

    def test_is_unknown_without_documents_or_before_indexing(self) -> None:
        assert part(FitPartName.DOCUMENTS).path == "/dashboard/train"
        assert part(FitPartName.DOCUMENTS, replace(NOTHING, is_indexed=False)).path == ""


class TestCategories:
    @pytest.mark.parametrize(
        ("labels", "value"),
        [
            ([label(LabelState.ACCEPTED)], 1.0),
            ([label(LabelState.SUGGESTED, 0.7)], 0.7),
            ([label(LabelState.REJECTED)], 0.0),
            ([label(LabelState.REJECTED), label(LabelState.SUGGESTED, 0.4)], 0.4),
            ([label(LabelState.ACCEPTED, category_id=UUID(int=1))], None),
            ([], None),
        ],
    )
    def test_the_surest_label_counts(self, labels: list[LabelRead], value: float | None) -> None:
        """Those of sample categories, which are not among the workspace's own, do not."""
        known = replace(NOTHING, own_categories=frozenset({CATEGORY}), labels=labels)
        assert part(FitPartName.CATEGORIES, known).value == value


class TestTime:
    @pytest.mark.parametrize(
        ("notice", "value"),
        [
            ({"due_at": NOW + timedelta(days=15)}, 0.5),
            ({"due_at": NOW + timedelta(days=90)}, 1.0),
            ({"due_at": NOW + timedelta(hours=4)}, 0.0),
            ({"due_at": NOW + timedelta(days=2, hours=23)}, 0.1),  # 2 days and 23 hours, but the date is 3 days away
            ({"due_at": None}, None),
            ({"is_open": False}, 0.0),
        ],
    )
    def test_counts_the_days_left(self, notice: dict[str, object], value: float | None) -> None:
        assert part(FitPartName.TIME, **notice).value == value


class TestPlace:
    @pytest.mark.parametrize(
        ("address", "place", "value"),
        [
            ("12 Washington Street, Toledo, OH 43604", "Columbus, OH, USA", 1.0),
            ("12 Pier Road, Toledo, Ohio", "OH, USA", 1.0),
            ("12 Pier Road, Toledo, OH", "Seattle, WA, USA", 0.0),
            ("12 Pier Road, Toledo, OH", "Yokosuka, JPN", 0.0),
            ("12 Pier Road, Toledo, OH", "43604", None),
            ("12 Pier Road, Toledo, OH", "43604, USA", None),
            ("Toledo", "Seattle, WA, USA", None),
            ("Toledo, OH", "", None),
        ],
    )
    def test_compares_states(self, address: str, place: str, value: float | None) -> None:
        assert part(FitPartName.PLACE, replace(NOTHING, profile=profile(address=address)), place=place).value == value


class TestScore:
    @pytest.mark.parametrize("similarity", [0.3 + step / 100 for step in range(40)])
    def test_no_part_has_more_points_than_it_can_have(self, similarity: float) -> None:
        known = replace(
            NOTHING,
            passage=NearestPassage(passage_id=CATEGORY, document_title="Past work", similarity=similarity),
            profile=profile(address="Toledo, OH"),
        )
        found = fit(known, naics="", place="Seattle, WA, USA", is_open=False)
        assert all(each.points <= each.most for each in found.parts)
        assert sum(each.points for each in found.parts) == found.score

    def test_there_is_none_if_nothing_compares_the_work(self) -> None:
        """Time left and an open competition are known of every notice."""
        found = fit()
        assert found.score is None and {each.points for each in found.parts} == {0}

    def test_points_add_up_and_leave_out_what_is_unknown(self) -> None:
        known = replace(NOTHING, profile=profile(naics_codes="541519, 236220", certifications="8(a)", address="Toledo, OH"))
        for days in range(0, 40, 3):
            found = fit(known, set_aside_code="8A", due_at=NOW + timedelta(days=days))
            assert sum(each.points for each in found.parts) == found.score
            assert sum(each.most for each in found.parts) == 100
            assert all(each.points <= each.most for each in found.parts)
            assert all(each.points == each.most for each in found.parts if each.value == 1)
        unknown = [each.name for each in found.parts if each.value is None]
        assert unknown == [FitPartName.DOCUMENTS, FitPartName.CATEGORIES]
        assert {each.most for each in found.parts if each.name in unknown} == {0}
