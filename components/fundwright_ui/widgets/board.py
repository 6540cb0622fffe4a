"""Boards."""

from __future__ import annotations

from fundwright_ui.widgets.base import On, Props, Slot, Widget


class CardMoved(Props):
    """A card was dropped on another stage."""

    id: str
    stage: str


class Board(Widget):
    """Lets people drag cards with the mouse: among `children`, elements with `data-card` (an id) in elements with `data-stage`. For
    the keyboard, and for touch screens, each card also needs a control that moves it."""

    children: Slot = ()
    on_move: On[CardMoved] = None
