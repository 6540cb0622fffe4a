"""How well the checker finds what does not stand in the source, on the pairs in tests/checking.

The seventh and eighth set have the kinds that the checker promises. Their pairs and those of the older sets are development data by now; the
README of the pairs has the figures of the first runs. `python -m benchmarks.eval.checking` lists the pairs that are judged wrongly.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Sequence

from pydantic import BaseModel, ConfigDict

from benchmarks.eval.frame.data import PROJECT
from benchmarks.eval.frame.figures import Figure
from fundwright.generation.checking import check

_PAIRS = PROJECT / "tests" / "checking" / "pairs.jsonl"
_SETS = {"seventh": "m", "eighth": "n", "older": "dhtvwxuyz"}
"""The sets of pairs by the first letters of their ids."""
_EXACT = frozenset(["number", "unit", "date", "amount", "name", "code", "box", "row"])
_KINDS: dict[str, tuple[Collection[str], float, float]] = {
    "figures, names, codes, boxes, rows": (_EXACT, 0.95, 0.03),
    "directions": (("direction", "comparator"), 0.6, 0.05),
    "negations": (("negation", "negation-added", "negation-dropped"), 0.6, 0.05),
}
"""The kinds of false claims; how many are to be found, and how many false alarms there may be."""
_FIGURE = re.compile(r"\d[\d,.]*\d|\d")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][\w-]+")


class Pair(BaseModel):
    model_config = ConfigDict(frozen=True)

    id: str
    kind: str
    supported: bool
    sentence: str
    heading: str
    passages: tuple[str, ...]


def read_pairs() -> list[Pair]:
    lines = _PAIRS.read_text("utf-8").splitlines()
    return [Pair.model_validate_json(line) for line in lines]


def is_flagged(pair: Pair) -> bool:
    return bool(check(pair.sentence, pair.passages, about=pair.heading).missing)


def _is_absent(pair: Pair) -> bool:
    """The baseline: whether a figure or capitalized word stands nowhere in the passages, however it is written there."""
    source = " ".join((pair.heading, *pair.passages))
    return any(found[0] not in source for pattern in (_FIGURE, _NAME) for found in pattern.finditer(pair.sentence))


async def measure() -> list[Figure]:
    pairs = read_pairs()
    figures = [
        figure
        for name, letters in _SETS.items()
        for figure in _figures(name, [pair for pair in pairs if pair.id[0] in letters], has_target=name != "older")
    ]
    started = time.process_time()
    for pair in pairs:
        is_flagged(pair)
    each_ms = (time.process_time() - started) * 1000 / len(pairs)
    return [*figures, Figure(name="checking a sentence, ms", value=each_ms, target=5, is_at_most=True)]


def _figures(name: str, pairs: Sequence[Pair], *, has_target: bool) -> list[Figure]:
    supported = [pair for pair in pairs if pair.supported]
    found = [
        Figure(
            name=f"{name}: {kind} found",
            value=_share(wanted, is_flagged),
            target=target if has_target else None,
            baseline_name="words that stand nowhere",
            baseline=_share(wanted, _is_absent),
            note=f"(of {len(wanted)})",
        )
        for kind, (kinds, target, _) in _KINDS.items()
        if (wanted := [pair for pair in pairs if not pair.supported and pair.kind in kinds])
    ]
    alarms = Figure(
        name=f"{name}: false alarms",
        value=_share(supported, is_flagged),
        target=max(most for _, _, most in _KINDS.values()) if has_target else None,
        is_at_most=True,
        baseline_name="words that stand nowhere",
        baseline=_share(supported, _is_absent),
        note=f"(of {len(supported)})",
    )
    return [*found, alarms]


def _share(pairs: Sequence[Pair], judge: Callable[[Pair], bool]) -> float:
    return sum(map(judge, pairs)) / len(pairs)


if __name__ == "__main__":
    for pair in read_pairs():
        if is_flagged(pair) == pair.supported and (pair.supported or any(pair.kind in kinds for kinds, _, _ in _KINDS.values())):
            missing = check(pair.sentence, pair.passages, about=pair.heading).missing
            print(f"{pair.id} {'alarm' if pair.supported else 'missed'} {pair.kind}: {pair.sentence} {missing or ''}")
