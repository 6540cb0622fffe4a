"""Widgets of other packages: the browser loads the ES module of a package when a page first shows a widget of it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING

from fundwright_ui.runtime.host import Refused

if TYPE_CHECKING:
    from fundwright_ui.widgets.base import Widget

# As vite.config.ts finds the sentences of our own.
_SENTENCE = re.compile(r'\bt\("([^"]+)"\)')


@dataclass(frozen=True)
class WebModule:
    """An ES module and the widgets it draws.

    Its default export is a function that is given the kit and returns, or promises, the components by the names of their declarations:
    `export default ({ React }) => ({ Clock(props) { … } })`. `others` are files beside it or below its folder that it imports or that
    its styles refer to. The stylesheets among them are loaded with it.
    """

    file: Path
    widgets: Sequence[type[Widget]]
    others: Sequence[Path] = ()


class Modules:
    """Modules in folders whose names change with their content. Raises Refused for two widgets of one name or a missing file."""

    def __init__(self, modules: Iterable[WebModule], *, taken: Collection[str] = ()) -> None:
        self.contents: dict[str, bytes] = {}
        self.addresses: dict[str, list[str]] = {}
        """Where the browser finds each widget: the script, then its stylesheets."""
        self.strings: tuple[str, ...] = ()
        """The sentences that the scripts say."""
        for module in modules:
            files = _read(module)
            digest = hashlib.sha256()
            for name, content in files.items():
                digest.update(f"{name}:{len(content)}:".encode() + content)
            folder = f"{module.file.stem}-{digest.hexdigest()[:12]}"
            self.contents |= {f"{folder}/{name}": content for name, content in files.items()}
            shown = [module.file.name, *(name for name in files if name.endswith(".css"))]
            said = (
                text for name, content in files.items() if name.endswith(".js") for text in _SENTENCE.findall(content.decode())
            )
            self.strings += tuple(dict.fromkeys(said))
            for widget in module.widgets:
                if widget.__name__ in taken or widget.__name__ in self.addresses:
                    raise Refused(
                        f"There is a widget {widget.__name__} already: {module.file} must name its own otherwise.",
                        status=HTTPStatus.SERVICE_UNAVAILABLE,
                    )
                self.addresses[widget.__name__] = [f"/assets/{folder}/{name}" for name in shown]


def _read(module: WebModule) -> dict[str, bytes]:
    """The module's files by their paths from its folder, the script first."""
    files: dict[str, bytes] = {}
    for file in (module.file, *module.others):
        try:
            name = file.relative_to(module.file.parent).as_posix()
            files[name] = file.read_bytes()
        except ValueError as error:
            raise Refused(
                f"The file {file} must be in the folder of {module.file} or below it.", status=HTTPStatus.SERVICE_UNAVAILABLE
            ) from error
        except OSError as error:
            raise Refused(
                f"The widgets in {file} cannot be read: {error.strerror}.", status=HTTPStatus.SERVICE_UNAVAILABLE
            ) from error
    return files
