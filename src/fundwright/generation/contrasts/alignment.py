"""Aligns a claim with the source sentence that has most of its words in the same order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import pairwise

from fundwright.generation.contrasts.clauses import is_same
from fundwright.generation.normalizing import Text, Token, listed

_SKIPPED = frozenset(
    listed(
        "the a an of s its their his her our that which who this these those it he she they we us i and also then so just very been "
        "being be"
    )
)
_HALF_ORDERED, MOSTLY_ORDERED = 0.5, 0.7
"""Minimum shares of a claim's words that are in the same order in one sentence of the source."""
_EDGE = 4
"""The number of source words examined before the first and after the last shared word."""
_MAX_ALIGNED = 200
"""The maximum number of words of a sentence that are aligned, to limit the time for a claim."""


@dataclass(frozen=True, slots=True)
class Gap:
    """The words of the claim and of the source between two shared words, or before the first or after the last one."""

    claim: Sequence[Token]
    source: Sequence[Token]
    before: Token | None
    after: Token | None

    @property
    def is_inside(self) -> bool:
        return self.before is not None and self.after is not None


def gaps_of(claimed: Text, source_text: Text) -> tuple[float, list[Gap]]:
    """Return the share of the claim's words that are in the same order in one source sentence, and the gaps between them."""
    claim = [token for token in claimed.tokens if token.word not in _SKIPPED][:_MAX_ALIGNED]
    count = sum(token.is_content for token in claim)
    keys = frozenset(token.key for token in claimed.tokens if token.is_content)
    shared = [len(keys & own) for own in source_text.sentence_keys]
    sentences = [source_text.sentences[place] for place in nlargest(2, range(len(shared)), key=shared.__getitem__)]
    best: tuple[float, list[tuple[int, int]], list[Token]] = (0.0, [], [])
    for tokens in sentences:
        source = [token for token in tokens if token.word not in _SKIPPED][:_MAX_ALIGNED]
        score, pairs = _aligned(claim, source)
        if score > best[0]:
            best = (score, pairs, source)
    _, pairs, source = best
    ordered = sum(claim[claim_index].is_content for claim_index, _ in pairs) / count if count else 0.0
    if len(pairs) < 2 or ordered < _HALF_ORDERED:
        return ordered, []
    gaps: list[Gap] = []
    for (claim_index, source_index), (next_claim_index, next_source_index) in pairwise(
        [(-1, -1), *pairs, (len(claim), len(source))]
    ):
        before = claim[claim_index] if claim_index >= 0 else None
        after = claim[next_claim_index] if next_claim_index < len(claim) else None
        there = source[source_index + 1 : next_source_index]
        there = there if before and after else there[-_EDGE:] if after else there[:_EDGE]
        gaps.append(Gap(claim[claim_index + 1 : next_claim_index], there, before, after))
    return ordered, [gap for gap in gaps if gap.claim or gap.source]


def _aligned(claim: Sequence[Token], source: Sequence[Token]) -> tuple[float, list[tuple[int, int]]]:
    """Return the heaviest common subsequence as pairs of positions. Longer runs weigh more."""
    same = [[is_same(claimed, stated) for stated in source] for claimed in claim]
    best = [[0.0] * (len(source) + 1) for _ in range(len(claim) + 1)]
    for claim_index in range(len(claim) - 1, -1, -1):
        weight = 1.0 if claim[claim_index].is_content else 0.25
        row, below = best[claim_index], best[claim_index + 1]
        for source_index in range(len(source) - 1, -1, -1):
            row[source_index] = max(below[source_index], row[source_index + 1])
            if same[claim_index][source_index]:
                is_run = (
                    claim_index + 1 < len(claim) and source_index + 1 < len(source) and same[claim_index + 1][source_index + 1]
                )
                row[source_index] = max(row[source_index], weight + 0.1 * is_run + below[source_index + 1])
    pairs: list[tuple[int, int]] = []
    claim_index = source_index = 0
    while claim_index < len(claim) and source_index < len(source):
        here = best[claim_index][source_index]
        if here == best[claim_index + 1][source_index]:
            claim_index += 1
        elif here == best[claim_index][source_index + 1]:
            source_index += 1
        else:
            pairs.append((claim_index, source_index))
            claim_index, source_index = claim_index + 1, source_index + 1
    return best[0][0], pairs
