from __future__ import annotations

import pickle

import numpy as np
import pytest

from fundwright.categories.classifier import Classifier, Description, Example, Floats, Subject, phrases_of
from fundwright.categories.schemas import HIGH, LOW, MEDIUM, Band, band_of
from fundwright.categories.terms import Weighting, terms_of, words_of
from tests.categories.embedding import OTHERS, as_subject, word_vector

ROOF, CLOUD, SOUP = "roof repair shingles gutters", "cloud database programming", "tomato soup kettle"


def described(name: str, text: str) -> Description:
    return Description(name, text, np.stack([word_vector(phrase) for phrase in phrases_of(name, text)]))


CATEGORIES = [described("Roofing", "shingles, gutters, roof repair"), described("Software", "cloud, database, programming")]


def trained(*examples: tuple[str, tuple[int, int]], others: list[str] = OTHERS) -> Classifier:
    taught = [Example(as_subject(text), verdicts) for text, verdicts in examples]
    return Classifier(CATEGORIES, taught, [as_subject(text) for text in others])


def probabilities(classifier: Classifier, *texts: str) -> Floats:
    return classifier.probabilities([as_subject(text) for text in texts])


class TestWithoutExamples:
    def test_the_nearest_description_wins(self) -> None:
        found = probabilities(trained(), ROOF, CLOUD)
        assert found.argmax(axis=1).tolist() == [0, 1]
        assert (found.max(axis=1) > LOW).all()

    def test_a_notice_that_resembles_no_category_gets_none(self) -> None:
        assert probabilities(trained(), SOUP).max() < LOW

    def test_works_without_other_notices(self) -> None:
        assert probabilities(trained(others=[]), ROOF).argmax() == 0

    def test_one_category_alone_does_not_take_everything(self) -> None:
        alone = Classifier(CATEGORIES[:1], [], [as_subject(text) for text in OTHERS])
        [[roof], [soup]] = probabilities(alone, ROOF, SOUP)
        assert roof > LOW > soup


class TestWithExamples:
    def test_one_example_draws_its_like_into_the_category(self) -> None:
        before, after = probabilities(trained(), f"{SOUP} spoon"), probabilities(trained((SOUP, (1, -1))), f"{SOUP} spoon")
        assert before[0, 0] < LOW <= after[0, 0]

    def test_one_example_does_not_draw_in_what_only_sounds_like_a_notice(self) -> None:
        undecided = [f"{text} number{n} agency notice" for n in range(40) for text in OTHERS]
        classifier = trained(("soup kitchen agency notice", (-1, 1)), others=undecided)
        assert probabilities(classifier, *(f"{text} agency notice" for text in OTHERS))[:, 1].mean() < LOW

    def test_a_rejection_keeps_its_like_out(self) -> None:
        before, after = probabilities(trained(), f"{ROOF} hail"), probabilities(trained((ROOF, (-1, -1))), f"{ROOF} hail")
        assert after[0, 0] < before[0, 0]

    def test_hundreds_make_it_sure(self) -> None:
        examples = [(f"{ROOF} number{n}", (1, -1)) for n in range(150)]
        examples += [(f"{CLOUD} number{n}", (-1, 1)) for n in range(150)]
        examples += [(f"{text} number{n}", (-1, -1)) for n in range(10) for text in OTHERS]
        found = probabilities(trained(*examples), ROOF, CLOUD, SOUP)
        assert found[0, 0] > HIGH
        assert found[1, 1] > HIGH
        assert found[2].max() < MEDIUM

    def test_a_notice_may_belong_to_several(self) -> None:
        examples = [(f"{ROOF} {CLOUD} number{n}", (1, 1)) for n in range(20)]
        examples += [(f"{text} number{n}", (-1, -1)) for n in range(3) for text in OTHERS]
        assert (probabilities(trained(*examples), f"{ROOF} {CLOUD}") > MEDIUM).all()

    def test_what_is_not_known_of_an_example_is_not_held_against_a_category(self) -> None:
        known, unknown = trained((f"{CLOUD} hail", (-1, -1))), trained((f"{CLOUD} hail", (-1, 0)))
        assert probabilities(unknown, f"{CLOUD} hail")[0, 1] > probabilities(known, f"{CLOUD} hail")[0, 1]

    def test_the_same_agency_makes_notices_alike(self) -> None:
        agencies = ["Navy"] * 6 + ["NASA"] * 6
        examples = [
            Example(
                as_subject(f"item number{n}")._replace(terms=terms_of(f"item {n}", "", agency)), (1, -1) if n < 6 else (-1, -1)
            )
            for n, agency in enumerate(agencies)
        ]
        others = [as_subject(text)._replace(terms=terms_of(text, "", agency)) for text in OTHERS for agency in ("Navy", "NASA")]
        classifier = Classifier(CATEGORIES, examples, others)
        navy, nasa = (as_subject(SOUP)._replace(terms=terms_of(SOUP, "", agency)) for agency in ("Navy", "NASA"))
        assert classifier.probabilities([navy])[0, 0] > classifier.probabilities([nasa])[0, 0]

    def test_many_are_learned_step_by_step_with_the_same_result(self, monkeypatch: pytest.MonkeyPatch) -> None:
        examples = [(f"{text} number{n}", (1 - 2 * (n % 2), -1)) for n in range(6) for text in (ROOF, *OTHERS)]
        exact = trained(*examples)
        monkeypatch.setattr("fundwright.categories.classifier._MAX_EXACT", 60)
        monkeypatch.setattr("fundwright.categories.classifier._BALANCE_OF_MANY", 1.0)
        stepwise = trained(*examples)
        probe = [as_subject(text) for text in (ROOF, SOUP, OTHERS[0])]
        for one, other in zip(_scores(exact, probe), _scores(stepwise, probe), strict=True):
            np.testing.assert_allclose(one, other, atol=0.02)


def _scores(classifier: Classifier, probe: list[Subject]) -> Floats:
    """The scores in the order of their probabilities."""
    found = classifier.probabilities(probe)
    return np.argsort(found, axis=0).astype(float)


class TestCalibration:
    def test_a_greater_similarity_never_means_a_smaller_chance(self) -> None:
        examples = [(f"{ROOF} number{n}", (1, -1)) for n in range(5)] + [(f"{text}", (-1, -1)) for text in OTHERS]
        texts = [" ".join(ROOF.split()[:n]) + " tomato soup kettle" for n in range(5)]
        found = probabilities(trained(*examples), *texts)[:, 0]
        assert found.tolist() == sorted(found.tolist())

    def test_examples_that_contradict_each_other_make_it_unsure(self) -> None:
        clear = [(f"{ROOF} number{n}", (1, -1)) for n in range(20)]
        mixed = [(f"{ROOF} number{n}", (1 - 2 * (n % 2), -1)) for n in range(20)]
        assert probabilities(trained(*mixed), ROOF)[0, 0] < probabilities(trained(*clear), ROOF)[0, 0]


@pytest.mark.parametrize(
    ("probability", "band"), [(1, Band.HIGH), (HIGH, Band.HIGH), (0.79, Band.MEDIUM), (0.49, Band.LOW), (0.24, Band.UNSURE)]
)
def test_bands(probability: float, band: Band) -> None:
    assert band_of(probability) == band


class TestTerms:
    def test_the_product_of_two_texts_is_their_similarity(self) -> None:
        texts = [terms_of(text, "") for text in (ROOF, f"{ROOF} hail", SOUP)]
        matrix = Weighting([*texts, *texts]).matrix(texts)
        alike = (matrix @ matrix.T).toarray()
        assert alike[0, 0] == pytest.approx(2, abs=1e-3)
        assert alike[0, 0] > alike[0, 1] > alike[0, 2]

    def test_common_words_and_sequences_can_be_left_out(self) -> None:
        assert len(terms_of("the of and", "")) > 0
        assert len(words_of(terms_of("the of and", ""))) == 0

    def test_an_empty_text_resembles_nothing(self) -> None:
        matrix = Weighting([terms_of("", "")]).matrix([terms_of("", "")])
        assert matrix.sum() == 0


class TestPhrases:
    def test_the_name_comes_first_and_phrases_are_parted_by_commas_and_stops(self) -> None:
        assert phrases_of("Roofs", "shingles, gutters. Roof repair; a") == ["Roofs", "shingles", "gutters", "Roof repair"]


def test_is_small_enough_to_be_sent_to_a_process_again_and_again() -> None:
    categories = [described(f"Category {number}", f"{ROOF} {CLOUD} number{number}") for number in range(50)]
    taught = [Example(as_subject(f"{ROOF} {SOUP} word{number}"), [1, *[0] * 49]) for number in range(200)]
    classifier = Classifier(categories, taught, [as_subject(text) for text in OTHERS])
    assert len(pickle.dumps(classifier)) < 5_000_000
