"""Widgets of other packages: the browser loads a package's ES module when a page first shows one of its widgets."""

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

# The same pattern that vite.config.ts uses for the sentences of the web client.
_SENTENCE = re.compile(r'\bt\("([^"]+)"\)')


@dataclass(frozen=True)
class WebModule:
    """An ES module and the widgets that it implements.

    Its default export is a function that takes the kit and returns the components by name, or a promise of them:
    `export default ({ React }) => ({ Clock(props) { … } })`. `others` are files in its folder or below that it imports or that
    its styles refer to. Stylesheets among them are loaded with the module.
    """

    file: Path
    widgets: Sequence[type[Widget]]
    others: Sequence[Path] = ()


class Modules:
    """Serves modules from folders whose names change with the content. Raises Refused for a duplicate widget name or a missing file."""

    def __init__(self, modules: Iterable[WebModule], *, taken: Collection[str] = ()) -> None:
        self.contents: dict[str, bytes] = {}
        self.addresses: dict[str, list[str]] = {}
        """The addresses of each widget's files: the script, then the stylesheets."""
        self.strings: tuple[str, ...] = ()
        """The English sentences in the scripts, to be translated."""
        for module in modules:
            files = _read(module)
            digest = hashlib.sha256()
            for name, content in files.items():
                digest.update(f"{name}:{len(content)}:".encode() + content)
            folder = f"{module.file.stem}-{digest.hexdigest()[:12]}"
            self.contents |= {f"{folder}/{name}": content for name, content in files.items()}
            shown = [module.file.name, *(name for name in files if name.endswith(".css"))]
            texts = (
                text for name, content in files.items() if name.endswith(".js") for text in _SENTENCE.findall(content.decode())
            )
            self.strings += tuple(dict.fromkeys(texts))
            for widget in module.widgets:
                if widget.__name__ in taken or widget.__name__ in self.addresses:
                    raise Refused(
                        f"There is a widget {widget.__name__} already: {module.file} must name its own otherwise.",
                        status=HTTPStatus.SERVICE_UNAVAILABLE,
                    )
                self.addresses[widget.__name__] = [f"/assets/{folder}/{name}" for name in shown]


def _read(module: WebModule) -> dict[str, bytes]:
    """The module's files by path relative to its folder, the script first."""
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
