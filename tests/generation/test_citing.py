from __future__ import annotations

import itertools

import pytest

from fundwright.generation.citing import CitationStream, count_citations, without_marks


def streamed(pieces: list[str], known: dict[int, int]) -> tuple[str, int]:
    stream = CitationStream(known.get)
    text = "".join(stream.feed(piece) for piece in pieces) + stream.close()
    return text, stream.dropped


class TestCitationStream:
    def test_numbers_become_those_of_the_draft(self) -> None:
        assert streamed(["We repaired roofs [1] and gutters [2]."], {1: 7, 2: 3}) == (
            "We repaired roofs [7] and gutters [3].",
            0,
        )

    def test_a_number_without_a_passage_is_removed_with_the_space_before_it(self) -> None:
        assert streamed(["We won an award [9]. We did [1]."], {1: 1}) == ("We won an award. We did [1].", 1)

    @pytest.mark.parametrize("written", ["[1, 2]", "[1,2]", "[1; 2]", "[1][2]", "[1, 9, 2]"])
    def test_several_numbers_are_written_one_by_one(self, written: str) -> None:
        assert streamed([f"Both {written}."], {1: 1, 2: 2})[0] == "Both [1][2]."

    def test_it_does_not_matter_where_the_stream_is_cut(self) -> None:
        text = "One [1], two [12] and none [3]. A list [a] and an open [ bracket.\n\n- Item [1, 12]"
        whole = streamed([text], {1: 5, 12: 6})
        assert whole[1] == 1
        for first, second in itertools.combinations(range(len(text)), 2):
            assert streamed([text[:first], text[first:second], text[second:]], {1: 5, 12: 6}) == whole
        assert streamed(list(text), {1: 5, 12: 6}) == whole

    def test_a_long_list_of_numbers_is_checked_though_it_comes_in_pieces(self) -> None:
        text = f"Roofs\n[{', '.join(str(number) for number in range(9, 30))}] and gutters."
        assert streamed(list(text), {12: 1}) == streamed([text], {12: 1}) == ("Roofs\n[1] and gutters.", 20)
        assert streamed(["Roofs", "\n", "[9]", "."], {}) == ("Roofs.", 1)

    def test_brackets_that_are_no_citation_stay(self) -> None:
        text = "An [insert] and [12345678] and x[i] and a trailing ["
        assert streamed([text], {}) == (text, 0)

    @pytest.mark.parametrize("text", ["[[9]1]", "[1[9]]", "[1[9],1]"])
    def test_no_citation_forms_where_another_is_taken_out(self, text: str) -> None:
        assert "[1" not in streamed(list(text), {1: 2})[0]

    def test_digits_of_other_scripts_are_no_citation(self) -> None:
        assert streamed(["In [٣] days [[٣]٣]"], {3: 1}) == ("In [٣] days [[٣]٣]", 0)

    def test_nothing_but_a_possible_citation_is_held_back(self) -> None:
        stream = CitationStream({1: 1}.get)
        assert stream.feed("Words flow") == "Words flow"
        assert stream.feed(" on [") == " on"
        assert stream.feed("1") == ""
        assert stream.feed("] and") == " [1] and"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("It works [12], as others say [1, 3; 4–6].", "It works, as others say."),
        ("Up [[1]] and [**2**] and [1[2] ] and [\\[3\\]].", "Up and and and."),
        ("Steps [1](https://x.example) follow", "Steps(https://x.example) follow"),
        ("It ends with [2", "It ends with 2"),
        ("Kept: [a], [see 3], [ ] and [-] or 1] and [", "Kept: [a], [see 3], [ ] and [-] or 1] and ["),
    ],
)
@pytest.mark.security(41)
def test_references_of_a_document_to_its_own_sources_are_left_out(text: str, plain: str) -> None:
    assert without_marks(text) == plain


def test_leaving_them_out_takes_no_longer_for_thousands_of_brackets() -> None:
    """With quadratic time this would take minutes."""
    assert without_marks("[" * 200_000 + "1") == "1"


def test_each_citation_counts() -> None:
    assert count_citations("Roofs [1]. Gutters [1][2], and [2; 3]. Not \\[a].") == {1: 2, 2: 2, 3: 1}
