"""Widgets of other packages: the browser loads the ES module of a package when a page first shows a widget of it."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fundwright.core.errors import StartRefused

if TYPE_CHECKING:
    from fundwright_ui.widgets.base import Widget


@dataclass(frozen=True)
class WebModule:
    """An ES module and the widgets it draws.

    Its default export is a function that is given our React and answers the components by the names of their declarations:
    `export default (React) => ({ Clock(props) { … } })`. It is one file that imports nothing.
    """

    file: Path
    widgets: Sequence[type[Widget]]


class Modules:
    """Modules under names that change with their content. Raises StartRefused for two widgets of one name or a missing file."""

    def __init__(self, modules: Iterable[WebModule], *, taken: Collection[str] = ()) -> None:
        self.contents: dict[str, bytes] = {}
        self.addresses: dict[str, str] = {}
        """Where the browser finds each widget."""
        for module in modules:
            try:
                content = module.file.read_bytes()
            except OSError as error:
                raise StartRefused(f"The widgets in {module.file} cannot be read: {error.strerror}.") from error
            name = f"{module.file.stem}-{hashlib.sha256(content).hexdigest()[:12]}.js"
            self.contents[name] = content
            for widget in module.widgets:
                if widget.__name__ in taken or widget.__name__ in self.addresses:
                    raise StartRefused(f"There is a widget {widget.__name__} already: {module.file} must name its own otherwise.")
                self.addresses[widget.__name__] = f"/assets/{name}"
