"""What `make eval` computes and saves."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks._results import keep_latest
from benchmarks.eval.frame.bm25 import Bm25
from benchmarks.eval.frame.figures import Figure, as_text
from benchmarks.eval.frame.ranking import ndcg, recall


class TestFigure:
    @pytest.mark.parametrize(
        ("value", "target", "is_at_most", "is_kept"),
        [
            (0.45, 0.45, False, True),
            (0.44, 0.45, False, False),
            (60, 60, True, True),
            (61, 60, True, False),
            (0, None, False, True),
        ],
    )
    def test_is_kept_up_to_its_target(self, value: float, target: float | None, is_at_most: bool, is_kept: bool) -> None:
        assert Figure(name="a", value=value, target=target, is_at_most=is_at_most).is_kept is is_kept

    def test_is_shown_next_to_its_baseline(self) -> None:
        line = as_text([Figure(name="nDCG@10", value=0.4, target=0.45, baseline_name="words", baseline=0.37)]).splitlines()[-1]

        assert line.split() == ["nDCG@10", "0.400", "≥", "0.450", "words", "0.370", "MISSED"]


class TestRanking:
    def test_the_best_order_has_1_and_a_worse_one_less(self) -> None:
        grades = {"a": 2, "b": 1, "c": 0}

        assert ndcg(["a", "b", "c"], grades) == 1
        assert 0 < ndcg(["c", "b", "a"], grades) < ndcg(["b", "a", "c"], grades) < 1

    def test_what_nobody_judged_gains_nothing(self) -> None:
        assert ndcg(["x", "y"], {"a": 2}) == 0

    def test_recall_is_the_share_of_the_relevant(self) -> None:
        assert recall(["a", "x", "b"], {"a", "b"}, depth=2) == 0.5


class TestBm25:
    def test_a_rare_word_weighs_more_and_length_costs(self) -> None:
        words = Bm25([{"water": 1, "sensor": 1}, {"water": 1, "pump": 1, "hose": 3}, {"water": 1}, {"roof": 1}])

        assert words.ranking({"water": 1, "sensor": 1}, limit=10) == [0, 2, 1]
        assert words.ranking({"chapel": 1}, limit=10) == []


class TestKeeping:
    def test_the_latest_table_replaces_only_its_own(self, tmp_path: Path) -> None:
        page = tmp_path / "quality.md"
        page.write_text("# Quality\n\n## Results\n\n## After\n\nrest\n")

        for name, table in (("retrieval", "| old |"), ("relevance", "| other |"), ("retrieval", "| new |")):
            keep_latest(page, "Results", name, table)

        kept = page.read_text()
        assert "| old |" not in kept
        assert kept.index("### relevance, ") < kept.index("| other |") < kept.index("### retrieval, ") < kept.index("| new |")
        assert kept.endswith("\n\n## After\n\nrest\n")
