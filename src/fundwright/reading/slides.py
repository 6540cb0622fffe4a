"""Where the shapes of a slide are, which tells what a person does not see: text beside the slide, and white text on nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Box(NamedTuple):
    """In any unit, from the top left of the slide."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Box) -> bool:
        return self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom


class Shape(NamedTuple):
    """`box` is None if it is not known."""

    box: Box | None
    is_colored: bool
    """Whether it has a picture or any color but white, or may have one."""


def is_beside(box: Box | None, slide: Box | None) -> bool:
    return box is not None and slide is not None and not box.overlaps(slide)


def is_on_white(shape: Shape, colored: Iterable[Shape]) -> bool:
    """Whether a shape has no color, and none of those that have one may be behind it."""
    return not shape.is_colored and not any(
        shape.box is None or other.box is None or shape.box.overlaps(other.box) for other in colored
    )
