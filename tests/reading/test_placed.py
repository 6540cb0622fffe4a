"""Texts at places of a page are put into rows."""

from __future__ import annotations

import numpy as np

from fundwright.reading.placed import Line, are_in, contains, rows_of


def test_texts_beside_any_of_a_row_belong_to_it() -> None:
    texts = [Line(name, box) for name, box in (("low", (9, 4, 12, 6)), ("high", (0, 0, 4, 9)), ("next", (0, 9.5, 4, 12)))]
    assert [[text.text for text in row] for row in rows_of(texts)] == [["high", "low"], ["next"]]


class _Counted(float):
    """A height that counts how often it is compared."""

    comparisons = 0

    def __le__(self, other: float) -> bool:
        _Counted.comparisons += 1
        return float(self) <= float(other)

    def __ge__(self, other: float) -> bool:
        _Counted.comparisons += 1
        return float(self) >= float(other)


def test_steps_of_stairs_are_not_compared_with_each_other() -> None:
    steps = [(float(place), _Counted(place), place + 1_000.0, _Counted(place + 100)) for place in range(1_000)]
    _Counted.comparisons = 0
    rows_of(Line("step", step) for step in steps)
    assert 0 < _Counted.comparisons < 10_000


def test_of_many_boxes_those_are_in_another_that_it_contains() -> None:
    outer = (10.0, 10.0, 20.0, 20.0)
    boxes = [(left, top, left + 4, top + 4) for left in (6.0, 7.0, 8.0, 19.0, 20.0) for top in (6.0, 7.0, 19.0, 20.0)]
    found = are_in(outer, np.array(boxes)).tolist()
    assert found == [contains(outer, box) for box in boxes]
    assert set(found) == {False, True}
