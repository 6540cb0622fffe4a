"""Forms that edit what others may save at the same time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Generic, TypeVar

from reactpy import html, use_state
from reactpy.types import VdomDict

from fundwright.core.messages import t
from fundwright_ui.ui import alert, button, row
from fundwright_ui.ui.elements import Child

T = TypeVar("T")
V = TypeVar("V", datetime, int, datetime | None)


class Editing(Generic[T, V]):
    """What a form edits, as it was when editing began. See `use_editing`."""

    def __init__(self, latest: T, version: V, reload: Callable[[], None]) -> None:
        self._latest, self._version, self._reload = latest, version, reload
        (self.item, self.based_on, self._times), self._begin = use_state((latest, version, 0))
        self._kept, self._keep = use_state("")
        self._refused, self._note_refused = use_state("")

    @property
    def key(self) -> str:
        """The key of the form, which is another one once its fields show another version."""
        return f"form-{self._times}"

    @property
    def is_behind(self) -> bool:
        """Whether someone else has saved something else."""
        return _is_newer(self._version, self.based_on) and self._latest != self.item

    def base_of(self, sent: V) -> V:
        """Return what a save is based on whose form sent the version `sent`: on the latest one, if the person lets it be replaced, or if
        what is edited here is the same in it."""
        is_same = sent == self.based_on and self._latest == self.item and _is_newer(self._version, sent)
        return self._version if is_same or self._kept == str(self._version) else sent

    def refused(self) -> None:
        """Show the latest version, because a save was refused: perhaps the browser has kept its text since an older version."""
        self._note_refused(str(self._version))
        self._reload()

    def saved(self, item: T, version: V) -> None:
        """Go on with what was saved."""
        self._begin((item, version, self._times))

    def other(self, *shown: Child) -> VdomDict | None:
        """The version that someone else has saved, if there is one, below a form that keeps what the person typed. The person lets it be
        replaced, or edits it instead."""
        latest = str(self._version)
        if not self.is_behind and self._refused != latest:
            return None
        if self._kept == latest:
            return alert(t("Saving will replace the other version with yours."), variant="info")
        return alert(
            t("Someone else has saved another version:"),
            html.div({"className": "fw-stack fw-stack-tight"}, *shown),
            row(
                button(t("Keep mine"), size="small", on_click=lambda: self._keep(latest)),
                button(t("Use the other one"), size="small", variant="text", on_click=self.restart),
            ),
            variant="warning",
        )

    def restart(self) -> None:
        """Edit the latest version."""
        self._note_refused("")
        self._begin((self._latest, self._version, self._times + 1))


def use_editing(latest: T, version: V, reload: Callable[[], None]) -> Editing[T, V]:
    """A hook for a form that edits `latest`, whose version is `version`, such as its `changed_at` value or its revision. The form keeps
    the version that it began with, although the page follows what others save: otherwise it would overwrite that silently. `reload`
    reads the latest version again."""
    return Editing(latest, version, reload)


def _is_newer(version: Any, than: Any) -> bool:
    return version is not None and (than is None or version > than)
