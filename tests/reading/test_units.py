"""Symbols of units, whose case decides what they mean."""

from __future__ import annotations

import pytest

from fundwright.reading.units import unit_of
from scripts import units as writing


class TestSymbols:
    def test_are_those_of_pint(self) -> None:
        assert writing.TABLE.read_text(encoding="utf-8") == writing.text(), "Run `make fix`."


class TestUnitOf:
    @pytest.mark.parametrize(
        ("written", "name"),
        [
            *[("MW", "megawatt"), ("mW", "milliwatt"), ("mHz", "millihertz"), ("MHz", "megahertz"), ("mPa", "millipascal")],
            *[("µM", "micromolar"), ("μM", "micromolar"), ("µm", "micrometer"), ("um", "micrometer"), ("nM", "nanomolar")],
            *[
                ("Gb", "gigabit"),
                ("GB", "gigabyte"),
                ("mm", "millimeter"),
                ("mM", "millimolar"),
                ("h", "hour"),
                ("cy", "cubic yard"),
            ],
            *[
                ("MWs", "megawatt"),
                ("Tbs", "terabit"),
                ("MBps", "megabyte"),
                ("kbps", "kilobit"),
                ("Ms", "megasecond"),
                ("mA", "milliampere"),
            ],
            *[("meV", "millielectronvolt"), ("MΩ", "megaohm"), ("mSv", "millisievert"), ("MT", "megatesla"), ("Mg", "megagram")],
        ],
    )
    def test_tells_symbols_apart_by_their_case(self, written: str, name: str) -> None:
        assert unit_of(written) == name

    @pytest.mark.parametrize(
        ("written", "name"),
        [("KW", "kilowatt"), ("Lbs", "pound"), ("FT", "foot"), ("mw", "megawatt"), ("mhz", "megahertz"), ("gb", "gigabyte")],
    )
    def test_otherwise_ignores_the_case(self, written: str, name: str) -> None:
        assert unit_of(written) == name

    @pytest.mark.parametrize("word", ["a", "in", "as", "has", "us", "M", "PM", "pm", "mı", "mİ", ""])
    def test_other_words_are_no_units(self, word: str) -> None:
        assert unit_of(word) is None
