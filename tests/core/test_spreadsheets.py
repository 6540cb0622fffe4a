"""What a list looks like to a spreadsheet."""

from __future__ import annotations

import pytest

from fundwright.core.spreadsheets import csv_line


class TestFormulas:
    @pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM", "\t=1", "\r=1", "\n=1"])
    def test_are_marked_as_text(self, text: str) -> None:
        assert csv_line([text]).strip('"').startswith(f"'{text[0]}")

    def test_in_a_cell_of_several_values_are_marked_as_text(self) -> None:
        assert csv_line([["=cmd|'/c'!a1@example.org", "ada@example.org"]]) == "'=cmd|'/c'!a1@example.org ada@example.org\r\n"
