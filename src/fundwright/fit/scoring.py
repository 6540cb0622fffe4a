"""Scores a notice for a workspace. Decision 0134 gives the reasons for the numbers."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from fundwright.categories.schemas import LabelRead, LabelState
from fundwright.core.messages import nt, percent, t
from fundwright.facts.schemas import Organization
from fundwright.fit import eligibility
from fundwright.fit.eligibility import Status
from fundwright.fit.schemas import FitPart, FitPartName, FitRead
from fundwright.opportunities.display_names import naics_title, set_aside_name
from fundwright.opportunities.schemas import Requirements
from fundwright.opportunities.states import state_of_address
from fundwright.opportunities.washington import days_left
from fundwright.profiles.schemas import OrganizationProfileContent
from fundwright.training.schemas import NearestPassage

WEIGHTS = {
    FitPartName.NAICS: 30,
    FitPartName.DOCUMENTS: 25,
    FitPartName.ELIGIBILITY: 20,
    FitPartName.CATEGORIES: 15,
    FitPartName.TIME: 5,
    FitPartName.PLACE: 5,
}
"""How much each part counts, in points of 100."""
MOST_IF_INELIGIBLE = 20
"""The highest score of a notice to which the organization may not respond."""
SAME_GROUP, SAME_SECTOR = 0.6, 0.25
"""The values of a NAICS code in the same industry group (four digits) and in the same sector (two digits)."""
UNRELATED, ALIKE = 0.2, 0.7
"""The cosine similarities that count 0 and 1."""
ENOUGH_DAYS = 30
"""With this number of days, time is no reason against a notice."""
_PART_OF_SET_ASIDE = 0.5
_ABOUT_THE_WORK = (FitPartName.NAICS, FitPartName.DOCUMENTS, FitPartName.CATEGORIES)
"""The parts that compare what is asked for with what the organization does. Without one of them, there is no score."""
_SECTORS = ({"31", "32", "33"}, {"44", "45"}, {"48", "49"})
"""The sectors with several beginnings."""

_ABROAD = re.compile(r"(^|, )(?!USA)[A-Z]{3}$")
"""A place that ends with the code of another country: “Yokosuka, JPN”."""


@dataclass(frozen=True)
class Known:
    """What a workspace is known by. `own_categories` are the ids of its categories, without samples, and `passage` is the most similar one of
    the documents that the reader sees; there is none while the notice is not indexed."""

    profile: OrganizationProfileContent | None
    profile_path: str
    own_categories: frozenset[UUID]
    labels: Sequence[LabelRead]
    is_indexed: bool
    passage: NearestPassage | None
    accepted: Organization = field(default_factory=Organization)
    """What accepted facts state, which counts before the profile."""

    @property
    def naics_codes(self) -> tuple[str, ...]:
        codes = self.profile.naics_codes if self.profile else ()
        return tuple(dict.fromkeys((*self.accepted.naics_codes, *codes)))

    @property
    def address(self) -> str:
        return self.accepted.address or (self.profile.address if self.profile else "")


def score(notice: Requirements, known: Known, *, now: datetime) -> FitRead:
    """Score a notice by the parts that are known."""
    may_respond = _eligibility(notice, known)
    parts = [_naics(notice, known), _documents(known), may_respond, _categories(known), _time(notice, now), _place(notice, known)]
    whole = sum(WEIGHTS[part.name] for part in parts if part.value is not None)
    is_known = any(part.value is not None for part in parts if part.name in _ABOUT_THE_WORK)
    if is_known:
        parts = _with_points(parts, whole)
    computed = sum(part.points for part in parts)
    is_ineligible = may_respond.value == 0
    return FitRead(
        opportunity_id=notice.id,
        score=(min(computed, MOST_IF_INELIGIBLE) if is_ineligible else computed) if is_known else None,
        is_ineligible=is_ineligible,
        most_if_ineligible=MOST_IF_INELIGIBLE,
        is_capped=is_known and is_ineligible and computed > MOST_IF_INELIGIBLE,
        parts=tuple(parts),
    )


def _with_points(parts: Sequence[FitPart], whole: int) -> list[FitPart]:
    """Give each known part its points of 100, rounded so that they add up."""
    most = _rounded([100 * WEIGHTS[part.name] / whole if part.value is not None else 0.0 for part in parts])
    points = _rounded([limit * (part.value or 0.0) for part, limit in zip(parts, most, strict=True)])
    return [
        part.model_copy(update={"points": mine, "most": limit}) for part, mine, limit in zip(parts, points, most, strict=True)
    ]


def _rounded(values: Sequence[float]) -> list[int]:
    """Round numbers down or up so that they add up to their rounded sum: those with the largest fractions are rounded up."""
    whole = [int(value) for value in values]
    missing = round(sum(values)) - sum(whole)
    for place in sorted(range(len(values)), key=lambda place: whole[place] - values[place])[:missing]:
        whole[place] += 1
    return whole


def _part(name: FitPartName, value: float | None, reason: str, path: str = "") -> FitPart:
    return FitPart(name=name, value=value, reason=reason, path=path)


def _naics(notice: Requirements, known: Known) -> FitPart:
    name, codes = FitPartName.NAICS, known.naics_codes
    if not notice.naics:
        return _part(name, None, t("The notice has no NAICS code."))
    if not codes:
        return _part(name, None, t("Add your NAICS codes to the profile."), known.profile_path)
    if notice.naics in codes:
        return _part(name, 1.0, t("{code} is one of your NAICS codes.", code=notice.naics))
    if group := _shared(notice.naics, codes, 4):
        return _part(name, SAME_GROUP, t("Same industry group as your {code}: {title}", code=group, title=naics_title(group[:4])))
    if sector := _sharing_sector(notice.naics, codes):
        return _part(name, SAME_SECTOR, t("Same sector as your {code}: {title}", code=sector, title=naics_title(sector[:2])))
    return _part(name, 0.0, t("{code} is not in the sector of any of your NAICS codes.", code=notice.naics))


def _shared(naics: str, codes: Collection[str], digits: int) -> str | None:
    """Return the first of the codes with the same beginning of this length."""
    return next((code for code in codes if len(naics) >= digits and code[:digits] == naics[:digits]), None)


def _sharing_sector(naics: str, codes: Collection[str]) -> str | None:
    beginnings = next((group for group in _SECTORS if naics[:2] in group), {naics[:2]})
    return next((code for code in codes if code[:2] in beginnings), None)


def _documents(known: Known) -> FitPart:
    name = FitPartName.DOCUMENTS
    if not known.is_indexed:
        return _part(name, None, t("The notice has not been indexed yet."))
    if known.passage is None:
        return _part(name, None, t("Train documents about you or your past performance."), "/dashboard/train")
    similarity = known.passage.similarity
    value = min(max((similarity - UNRELATED) / (ALIKE - UNRELATED), 0.0), 1.0)
    reason = t(
        "The most similar passage ({percent}) is in “{title}”.", percent=percent(similarity), title=known.passage.document_title
    )
    return _part(name, value, reason, f"/dashboard/passage/{known.passage.passage_id}")


def _eligibility(notice: Requirements, known: Known) -> FitPart:
    statuses = eligibility.statuses_of(known.profile, known.accepted)
    return _applicants(notice, known, statuses) if notice.kind == "grant" else _set_aside(notice, known, statuses)


def _set_aside(notice: Requirements, known: Known, statuses: frozenset[Status] | None) -> FitPart:
    name = FitPartName.ELIGIBILITY
    if not notice.set_aside_code:
        return _part(name, 1.0, t("There is no set-aside."))
    wanted, label = eligibility.status_for(notice.set_aside_code), set_aside_name(notice.set_aside_code)
    if wanted is None:
        return _part(name, None, t("Check yourself whether you are eligible for this set-aside: {set_aside}", set_aside=label))
    if statuses is None:
        return _part(name, None, t("Add your certifications to the profile."), known.profile_path)
    if wanted in statuses:
        return _part(name, 1.0, t("Eligible for the set-aside: {set_aside}", set_aside=label), known.profile_path)
    if notice.set_aside_code.upper() == eligibility.PARTIAL:
        reason = t("Only part of the work is set aside: {set_aside}", set_aside=label)
        return _part(name, _PART_OF_SET_ASIDE, reason, known.profile_path)
    return _part(
        name,
        0.0,
        t("Accepted facts and your profile show no current certification for the set-aside: {set_aside}", set_aside=label),
        known.profile_path,
    )


def _applicants(notice: Requirements, known: Known, statuses: frozenset[Status] | None) -> FitPart:
    name = FitPartName.ELIGIBILITY
    if eligibility.UNRESTRICTED in notice.applicants:
        return _part(name, 1.0, t("Any type of applicant is eligible."))
    if not notice.applicants:
        return _part(name, None, t("The notice does not list types of applicants."))
    if statuses is None or not eligibility.is_applicant_type(statuses):
        return _part(
            name,
            None,
            t("Add your type of organization, such as nonprofit, under Certifications in the profile."),
            known.profile_path,
        )
    if eligibility.is_among(statuses, notice.applicants):
        return _part(name, 1.0, t("Your type of organization is eligible."), known.profile_path)
    if eligibility.OTHERS in notice.applicants:
        return _part(name, None, t("Check the notice’s text: it names other types of applicants."))
    return _part(name, 0.0, t("Your type of organization is not among the types of applicants."), known.profile_path)


def _categories(known: Known) -> FitPart:
    name = FitPartName.CATEGORIES
    if not known.own_categories:
        return _part(name, None, t("Create categories for the work that you are looking for."), "/dashboard/category")
    labels = [label for label in known.labels if label.category_id in known.own_categories]
    if not labels:
        return _part(name, None, t("Not sorted into your categories yet."))
    kept = [label for label in labels if label.state != LabelState.REJECTED]
    if not kept:
        return _part(name, 0.0, t("You rejected the categories that were suggested for it."))
    best = max(kept, key=lambda label: label.confidence)
    if best.state == LabelState.ACCEPTED:
        return _part(name, 1.0, t("You accepted “{category}”.", category=best.category_name))
    reason = t("Suggested: “{category}” ({percent} confident)", category=best.category_name, percent=percent(best.confidence))
    return _part(name, best.confidence, reason)


def _time(notice: Requirements, now: datetime) -> FitPart:
    name = FitPartName.TIME
    if not notice.is_open:
        return _part(name, 0.0, t("No longer open"))
    if notice.due_at is None:
        return _part(name, None, t("The notice has no due date."))
    days = max(days_left(notice.due_at, now), 0)
    return _part(name, min(days / ENOUGH_DAYS, 1.0), nt("{n} day left", "{n} days left", days) if days else t("Due today"))


def _place(notice: Requirements, known: Known) -> FitPart:
    name = FitPartName.PLACE
    if not notice.place:
        return _part(name, None, t("The notice has no place of performance."))
    own = state_of_address(known.address)
    if own is None:
        return _part(name, None, t("Add your address with its state to the profile."), known.profile_path)
    state = state_of_address(f", {notice.place}")
    if state is None and not _ABROAD.search(notice.place):
        return _part(name, None, t("The place of performance has no state: {place}", place=notice.place))
    if state == own:
        return _part(name, 1.0, t("Work is performed in your state: {state}", state=own))
    return _part(name, 0.0, t("Work is performed elsewhere: {place}", place=notice.place))
