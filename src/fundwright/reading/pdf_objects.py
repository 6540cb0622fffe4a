"""What pages of PDF files are made of: texts, pictures, and areas with their places."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fundwright.core.sandbox_progress import report_progress
from fundwright.reading.placed import Box

_DEEPEST = 8
_UNITS = 100
"""Places on a page are computed in hundredths of a point."""

Painted = tuple[Any, int, Box]
"""An object of PDFium, its kind, and its box from the top left of the page as it is shown, in points."""
Matrix = tuple[float, float, float, float, float, float]


def with_annotations(document: Any, number: int) -> Any:
    """A page of a document of pypdfium2, of which annotations become a part."""
    from pypdfium2 import raw

    page = document[number - 1]
    if raw.FPDFPage_GetAnnotCount(page) and raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY) == raw.FLATTEN_SUCCESS:
        page.close()
        page = document[number - 1]
    return page


def objects_on(page: Any) -> Iterator[Painted]:
    """What is painted on a page, in this order. Keep the page while objects are in use."""
    from pypdfium2 import raw

    def objects_in(container: Any, count: int, get: Any, matrix: Matrix, depth: int) -> Iterator[Painted]:
        for place in range(count):
            item = get(container, place)
            kind = raw.FPDFPageObj_GetType(item)
            if kind == raw.FPDF_PAGEOBJ_FORM:
                if depth < _DEEPEST:
                    inner = raw.FS_MATRIX()
                    raw.FPDFPageObj_GetMatrix(item, inner)
                    within = _product((inner.a, inner.b, inner.c, inner.d, inner.e, inner.f), matrix)
                    report_progress()
                    yield from objects_in(item, raw.FPDFFormObj_CountObjects(item), raw.FPDFFormObj_GetObject, within, depth + 1)
            elif raw.FPDFPageObj_GetBounds(item, *pointers):
                yield item, kind, _placed(matrix, left.value, bottom.value, right.value, top.value)

    edges = left, bottom, right, top = [ctypes.c_float() for _ in range(4)]
    pointers = [ctypes.byref(edge) for edge in edges]
    return objects_in(page, raw.FPDFPage_CountObjects(page), raw.FPDFPage_GetObject, _to_top_left(page), 0)


def _to_top_left(page: Any) -> Matrix:
    """From the coordinates of a page to those from its top left as it is shown, in points."""
    from pypdfium2 import raw

    def shown(x: float, y: float) -> tuple[float, float]:
        across, down = ctypes.c_int(), ctypes.c_int()
        size = (round(side * _UNITS) for side in page.get_size())
        raw.FPDF_PageToDevice(page, 0, 0, *size, 0, x, y, across, down)
        return across.value / _UNITS, down.value / _UNITS

    (e, f), (x1, y1), (x2, y2) = shown(0, 0), shown(_UNITS, 0), shown(0, _UNITS)
    return (x1 - e) / _UNITS, (y1 - f) / _UNITS, (x2 - e) / _UNITS, (y2 - f) / _UNITS, e, f


def _product(first: Matrix, then: Matrix) -> Matrix:
    a, b, c, d, e, f = first
    return (*_moved(then, a, b, 0), *_moved(then, c, d, 0), *_moved(then, e, f, 1))


def _moved(matrix: Matrix, x: float, y: float, shift: int) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return x * a + y * c + shift * e, x * b + y * d + shift * f


def _placed(matrix: Matrix, left: float, bottom: float, right: float, top: float) -> Box:
    a, b, c, d, e, f = matrix
    (x1, x2), (x3, x4) = _sorted(left * a, right * a), _sorted(bottom * c, top * c)
    (y1, y2), (y3, y4) = _sorted(left * b, right * b), _sorted(bottom * d, top * d)
    return x1 + x3 + e, y1 + y3 + f, x2 + x4 + e, y2 + y4 + f


def _sorted(one: float, other: float) -> tuple[float, float]:
    return (one, other) if one <= other else (other, one)


def places_at(boxes: NDArray[np.float64], inner: Box) -> list[int]:
    """Which boxes contain the middle of the inner one, as `contains` does, for many boxes."""
    x, y = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
    around = (boxes[:, 0] - 1 <= x) & (x <= boxes[:, 2] + 1) & (boxes[:, 1] - 1 <= y) & (y <= boxes[:, 3] + 1)
    return np.flatnonzero(around).tolist()


def text_of(item: Any, text_page: Any) -> str:
    from pypdfium2 import raw

    count = raw.FPDFTextObj_GetText(item, text_page, None, 0) // 2
    codes = (ctypes.c_ushort * count)()
    raw.FPDFTextObj_GetText(item, text_page, codes, count * 2)
    return bytes(codes).decode("utf-16-le", errors="replace").strip("\0 ")
