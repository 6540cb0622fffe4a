from __future__ import annotations

import pytest

from fundwright.reading.sentences import sentences_of


class TestSentencesOf:
    @pytest.mark.parametrize(
        ("text", "sentences"),
        [
            ("One is here. Two is there.", ["One is here.", "Two is there."]),
            ("Dr. Ada leads. She is here.", ["Dr. Ada leads.", "She is here."]),
            ("The U.S. Army pays. It pays $1.5 million.", ["The U.S. Army pays.", "It pays $1.5 million."]),
            ("- first\n- second", ["- first", "- second"]),
            ("Ende. Überall ist Platz.", ["Ende.", "Überall ist Platz."]),
            ("Certified (cert. no. Q-20417). It is valid.", ["Certified (cert. no. Q-20417).", "It is valid."]),
            ("Certified (no. 0389) since 2014. It is valid.", ["Certified (no. 0389) since 2014.", "It is valid."]),
            ("The answer was no. 12 others agreed.", ["The answer was no.", "12 others agreed."]),
            ("one paragraph\n\nanother", ["one paragraph", "another"]),
            ("", []),
        ],
    )
    def test_cases(self, text: str, sentences: list[str]) -> None:
        assert sentences_of(text) == sentences
