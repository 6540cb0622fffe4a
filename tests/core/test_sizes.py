"""File sizes in the reader's language."""

from __future__ import annotations

import pytest

from fundwright.core.messages import using_language
from fundwright.core.sizes import file_size


@pytest.mark.parametrize(
    ("language", "sizes"),
    [
        ("en", ["0 kB", "1 kB", "18 kB", "1.4 MB", "2.0 GB"]),
        ("de", ["0\xa0kB", "1\xa0kB", "18\xa0kB", "1,4\xa0MB", "2,0\xa0GB"]),
        ("fr", ["0\xa0ko", "1\xa0ko", "18\xa0ko", "1,4\xa0Mo", "2,0\xa0Go"]),
    ],
)
def test_have_the_units_and_the_decimal_mark_of_the_language(language: str, sizes: list[str]) -> None:
    with using_language(language):
        assert [file_size(size) for size in (0, 1, 18_400, 1_400_000, 2_000_000_000)] == sizes
