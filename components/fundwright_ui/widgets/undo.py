"""The notice that undoes an action."""

from __future__ import annotations

from fundwright_ui.widgets.base import Nothing, On, Widget


class UndoToast(Widget):
    """A notice with a button, for ten seconds. Shown by `use_action(..., undo=...)`."""

    message: str
    label: str
    on_undo: On[Nothing] = None
    on_close: On[Nothing] = None
