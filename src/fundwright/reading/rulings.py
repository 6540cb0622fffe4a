"""Finds the straight lines that are drawn on a page, such as those of tables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from fundwright.reading.placed import Box

_SEARCHED_HEIGHT = 1_600
_DARK = 0.8
"""Lines are darker than this share of the paper."""
_MIN_LENGTH = 0.025
"""Lines are longer than this share of the height of the page, which letters are not."""
_MOST_THICKNESS, _MOST_FALL = 0.006, 0.006
"""As a share of the height of the page, and of the length: a page that was straightened is still skewed by a fraction of a degree."""


def rulings_in(picture: Image.Image, *, height: float) -> list[Box]:
    """The lines from left to right and from top to bottom, in a picture that is upright, as if it was so high."""
    small = picture.convert("L").reduce(max(1, round(picture.height / _SEARCHED_HEIGHT)))
    light = np.asarray(small)
    dark = light < _DARK * float(np.median(light))
    scale = height / small.height
    return [
        *((left * scale, top * scale, right * scale, bottom * scale) for left, top, right, bottom in _runs(dark)),
        *(
            (left * scale, top * scale, right * scale, bottom * scale)
            for top, left, bottom, right in _runs(dark.T, dark.shape[0])
        ),
    ]


def _runs(dark: NDArray[np.bool_], page_height: int | None = None) -> list[tuple[int, int, int, int]]:
    """Long and thin runs in the rows: left, top, right, and bottom."""
    from scipy import ndimage

    page_height = page_height or dark.shape[0]
    least = max(8, round(_MIN_LENGTH * page_height))
    opened = ndimage.binary_opening(dark, np.ones((1, least), dtype=bool))
    labels, _ = ndimage.label(opened, np.ones((3, 3)))
    found = list[tuple[int, int, int, int]]()
    for place in ndimage.find_objects(labels):
        rows, columns = place
        most = max(4.0, _MOST_THICKNESS * page_height) + _MOST_FALL * (columns.stop - columns.start)
        if rows.stop - rows.start <= most:
            found.append((columns.start, rows.start, columns.stop, rows.stop))
    return found
