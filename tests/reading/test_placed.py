"""Texts at places of a page are put into rows."""

from __future__ import annotations

import time

from fundwright.reading.placed import Line, rows_of

_MANY = 10_000


def test_texts_beside_any_of_a_row_belong_to_it() -> None:
    texts = [Line(name, box) for name, box in (("low", (9, 4, 12, 6)), ("high", (0, 0, 4, 9)), ("next", (0, 9.5, 4, 12)))]
    assert [[text.text for text in row] for row in rows_of(texts)] == [["high", "low"], ["next"]]


def test_steps_of_stairs_take_no_longer_than_others() -> None:
    start = time.process_time()
    rows_of(Line("step", (place, place, place + _MANY, place + _MANY / 10)) for place in range(_MANY))
    assert time.process_time() - start < 1
