"""CSV files as spreadsheets read them."""

from __future__ import annotations

import csv
import io
import re
from enum import StrEnum

import pytest

from fundwright.core.messages import t, using_language
from fundwright.core.spreadsheets import csv_line


class Answer(StrEnum):
    AGREED = "agreed"

    @property
    def label(self) -> str:
        return t("yes")


def cells(line: str, separators: str) -> list[str]:
    """The cells as read by a spreadsheet that splits at each of `separators`."""
    if len(separators) == 1:
        return [cell for row in csv.reader(io.StringIO(line, newline=""), delimiter=separators) for cell in row]
    # With several separators, text inside quotes is never split.
    quoted = re.compile(f'"(?:[^"]|"")*"|[^{separators}\r\n]+')
    return [found[0].strip('"') for found in quoted.finditer(line)]


class TestLanguage:
    def test_states_and_answers_are_in_the_language_of_the_reader(self) -> None:
        with using_language("de"):
            assert csv_line([Answer.AGREED, True, False]) == "ja,ja,nein\r\n"


class TestFormulas:
    @pytest.mark.parametrize(
        "text",
        [
            "=1+1",
            "+1",
            "-1",
            "@SUM",
            "\t=1",
            "\r=1",
            "\n=1",
            " =1",
            "\u00a0=1",
            "\u200b=1",
            "\ufeff@A",
            "\t \r\n=1",
            "\uff1d1",
            "\uff0b1",
            "\uff0d1",
            "\uff20A",
            "\ufe631",
        ],
    )
    def test_are_marked_as_text(self, text: str) -> None:
        assert csv_line([text]).strip('"').startswith(f"'{text[0]}")

    def test_in_a_cell_of_several_values_are_marked_as_text(self) -> None:
        assert csv_line([["=cmd|'/c'!a1@example.org", "ada@example.org"]]) == "'=cmd|'/c'!a1@example.org ada@example.org\r\n"

    @pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t", "\r"])
    @pytest.mark.parametrize("before", ["", "a;", "a; ", "a\t", "a\n", 'a;"'], ids=repr)
    @pytest.mark.parametrize("separators", [",", ";", ",;", ",;\t"])
    def test_are_marked_as_text_for_every_separator(self, sign: str, before: str, separators: str) -> None:
        line = csv_line(["x", f"{before}{sign}=1+1", "y"])
        for cell in cells(line, separators):
            assert cell.lstrip(' "\t\r')[:1] not in ("=", "+", "-", "@")

    @pytest.mark.parametrize("text", ["a;b", "a\tb", "a;=1", 'a;"b"'])
    def test_in_a_cell_with_another_separator_stay_in_it(self, text: str) -> None:
        (row,) = csv.reader(io.StringIO(csv_line(["x", text, "y"])))
        assert row == ["x", text.replace(";=", ";'="), "y"]
        assert len(cells(csv_line(["x", text, "y"]), ",;\t")) == 3

    def test_other_lines_of_a_cell_stay_as_they_are(self) -> None:
        text = "one\n\ntwo; three\tfour 3-1"
        assert next(csv.reader(io.StringIO(csv_line([text])))) == [text]

    @pytest.mark.parametrize("text", ["a=1", "", "   ", "3-1", "Ärzte", "(=1)"])
    def test_other_text_stays_as_it_is(self, text: str) -> None:
        assert csv_line([text, "b"]) == f"{text},b\r\n"

    def test_that_a_column_of_values_starts_with_blanks_are_marked_as_text(self) -> None:
        assert csv_line([["", "=1"]]) == "' =1\r\n"
