from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from fundwright.categories.classifier import MINIMUM_CONFIDENCE, Example, classify, phrases_of, probabilities

DIMENSION = 32
ROOFING, SOFTWARE, SOIL = np.eye(DIMENSION, dtype=np.float32)[:3]
PROTOTYPES = [ROOFING[None, :], SOFTWARE[None, :]]


def mixed(*parts: tuple[float, NDArray[np.float32]]) -> NDArray[np.float32]:
    """A unit vector made of the given parts."""
    vector = np.sum([share * part for share, part in parts], axis=0)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def around(centre: NDArray[np.float32], *, count: int, seed: int) -> NDArray[np.float32]:
    noise = np.random.default_rng(seed).normal(size=(count, DIMENSION)) * 0.08
    points = centre + noise.astype(np.float32)
    return (points / np.linalg.norm(points, axis=1, keepdims=True)).astype(np.float32)


class TestWithoutExamples:
    def test_the_nearest_description_wins(self) -> None:
        guesses = classify(PROTOTYPES, [], np.stack([mixed((1, ROOFING), (0.3, SOFTWARE)), mixed((1, SOFTWARE), (0.3, SOIL))]))
        assert [guess[0] for guess in guesses if guess] == [0, 1]

    def test_a_subject_far_from_every_category_is_left_alone(self) -> None:
        assert classify(PROTOTYPES, [], SOIL[None, :]) == [None]

    def test_one_category_alone_does_not_swallow_everything(self) -> None:
        guesses = classify(PROTOTYPES[:1], [], np.stack([ROOFING, SOFTWARE]))
        assert guesses[0] is not None
        assert guesses[1] is None

    def test_chances_sum_to_one_and_the_last_column_is_none(self) -> None:
        chances = probabilities(PROTOTYPES, [], np.stack([ROOFING, SOIL]))
        assert chances.shape == (2, 3)
        np.testing.assert_allclose(chances.sum(axis=1), 1, rtol=1e-5)
        assert chances[1].argmax() == 2

    def test_a_subject_between_two_categories_is_less_sure_than_one_inside(self) -> None:
        chances = probabilities(PROTOTYPES, [], np.stack([ROOFING, mixed((1, ROOFING), (0.9, SOFTWARE))]))
        assert chances[0, 0] > chances[1, 0]


class TestWithExamples:
    def test_one_example_draws_its_like_into_the_category(self) -> None:
        subject = mixed((1, SOIL), (0.2, ROOFING))
        assert classify(PROTOTYPES, [], subject[None, :]) == [None]
        examples: list[Example] = [(mixed((1, SOIL), (0.1, SOFTWARE)), 0)]
        (guess,) = classify(PROTOTYPES, examples, subject[None, :])
        assert guess is not None
        assert guess[0] == 0

    def test_a_subject_that_a_person_took_out_keeps_its_like_out(self) -> None:
        subject = mixed((1, ROOFING), (1.2, SOIL))
        assert classify(PROTOTYPES, [], subject[None, :])[0] is not None
        examples: list[Example] = [(mixed((1, ROOFING), (1.3, SOIL)), None)]
        before = probabilities(PROTOTYPES, [], subject[None, :])[0, 0]
        assert probabilities(PROTOTYPES, examples, subject[None, :])[0, 0] < before

    def test_many_examples_overrule_a_wrong_description(self) -> None:
        examples: list[Example] = [(vector, 0) for vector in around(SOFTWARE, count=60, seed=1)]
        examples += [(vector, 1) for vector in around(ROOFING, count=60, seed=2)]
        unseen = np.concatenate([around(SOFTWARE, count=20, seed=3), around(ROOFING, count=20, seed=4)])
        found = [guess[0] if guess else None for guess in classify(PROTOTYPES, examples, unseen)]
        assert found.count(0) == 20
        assert found[:20] == [0] * 20

    def test_the_same_input_gives_the_same_answer(self) -> None:
        examples: list[Example] = [(vector, 0) for vector in around(ROOFING, count=9, seed=5)]
        unseen = around(ROOFING, count=9, seed=6)
        assert classify(PROTOTYPES, examples, unseen) == classify(PROTOTYPES, examples, unseen)

    def test_an_answer_does_not_depend_on_what_is_asked_beside_it(self) -> None:
        unseen = around(ROOFING, count=7, seed=7)
        together = probabilities(PROTOTYPES, [], unseen)
        alone = np.concatenate([probabilities(PROTOTYPES, [], row[None, :]) for row in unseen])
        np.testing.assert_allclose(together, alone, rtol=1e-5)


@pytest.mark.parametrize("minimum", [MINIMUM_CONFIDENCE, 0.9])
def test_nothing_less_sure_than_the_minimum_is_answered(minimum: float) -> None:
    unseen = around(mixed((1, ROOFING), (0.8, SOFTWARE)), count=30, seed=8)
    assert all(guess is None or guess[1] >= minimum for guess in classify(PROTOTYPES, [], unseen, minimum=minimum))


class TestPhrases:
    def test_the_name_and_each_phrase_of_the_description_stand_for_a_category(self) -> None:
        assert phrases_of("Roofing", "Shingles, gutters; flat roofs.\nRoofing, a") == [
            "Roofing",
            "Shingles",
            "gutters",
            "flat roofs",
        ]

    def test_a_name_of_one_letter_is_one_too(self) -> None:
        assert phrases_of("C", "") == ["C"]

    def test_a_very_long_description_is_cut(self) -> None:
        assert len(phrases_of("Roofing", ", ".join(f"phrase {n}" for n in range(500)))) == 40
