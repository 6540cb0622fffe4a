from __future__ import annotations

import math

import numpy as np
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.language import retrieval
from fundwright.language.retrieval import Statistics


class TestStatistics:
    def test_the_rarer_a_word_the_more_it_weighs_and_never_nothing(self) -> None:
        statistics = Statistics(texts=100, found_in={1: 1, 2: 50, 3: 100})
        assert statistics.rarity(9) > statistics.rarity(1) > statistics.rarity(2) > statistics.rarity(3) > 0
        assert statistics.rarity(1) == pytest.approx(math.log(1 + 99.5 / 1.5))

    def test_statistics_may_be_older_than_the_texts(self) -> None:
        assert Statistics(texts=2, found_in={1: 5}).rarity(1) > 0


class TestFuse:
    def test_words_and_meaning_are_scaled_weighted_and_added(self) -> None:
        fused = retrieval.fuse(
            retrieval.scaled({"a": 12.0, "b": 6.0, "c": 2.0}), retrieval.scaled({"b": 0.9, "c": 0.5, "d": 0.1}), share=0.4
        )
        assert list(fused) == ["b", "a", "c", "d"]
        assert fused == pytest.approx({"a": 0.4, "b": 0.4 * 0.4 + 0.6, "c": 0.6 * 0.5, "d": 0})

    def test_a_list_of_one_or_none(self) -> None:
        assert retrieval.fuse({}, retrieval.scaled({"a": -0.2}), share=0.4) == {"a": 0.6}
        assert retrieval.fuse({}, {}, share=0.4) == {}

    def test_what_is_below_the_depth_of_a_list_counts_as_absent(self) -> None:
        many = {n: float(-n) for n in range(retrieval.DEPTH + 5)}
        fused = retrieval.fuse(retrieval.scaled(many), {}, share=0.4)
        assert not any(n in fused for n in range(retrieval.DEPTH, retrieval.DEPTH + 5))


def test_feedback_adds_what_the_best_texts_share() -> None:
    statistics = Statistics(texts=100, found_in={1: 5, 2: 5, 3: 99})
    question = np.array([1, 0], dtype=np.float32)
    best = [({1: 1.0, 2: 2.0, 3: 2.0}, np.array([0, 1], dtype=np.float32))] * 2
    weights, moved = retrieval.with_feedback({1: 3.0}, question, best, statistics)
    assert weights[1] > weights[2] > weights[3] > 0
    assert sum(weights.values()) == pytest.approx(1)
    assert moved == pytest.approx([math.sqrt(0.5)] * 2)


class TestInTheDatabase:
    async def test_words_have_the_positions_that_the_database_gives_them(self, session: AsyncSession) -> None:
        for lexeme in ("ferri", "naïve", "334516", "it's"):
            assert await session.scalar(text("SELECT word_place(:lexeme)"), {"lexeme": lexeme}) == retrieval.place_of(lexeme)

    @pytest.mark.parametrize(("further", "k1"), [("", 1.5), (", 0.6", 0.6)])
    async def test_the_inner_product_is_bm25(self, session: AsyncSession, further: str, k1: float) -> None:
        statistics = Statistics(texts=10, found_in={retrieval.place_of("ferri"): 2})
        asked = retrieval.words_vector(retrieval.weigh({"ferri": 1, "quasar": 1}, statistics))
        score = text(f"SELECT -(word_weights(to_tsvector('english', :text), 4{further}) <#> CAST(:asked AS sparsevec))")
        found = await session.scalar(score, {"text": "Ferry to ferry, and a bay", "asked": asked.to_text()})
        count, length = 2, 3
        weight = count * (k1 + 1) / (count + k1 * (0.25 + 0.75 * length / 4))
        assert found == pytest.approx(weight * math.log(1 + 8.5 / 2.5), rel=1e-5)

    async def test_a_text_without_words_has_no_weights(self, session: AsyncSession) -> None:
        assert await session.scalar(text("SELECT word_weights(to_tsvector('english', 'and the'), 110)")) == "{}/16777216"
