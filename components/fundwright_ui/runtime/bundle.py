"""The built web client: its files, from Vite's manifest."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from functools import cached_property
from http import HTTPStatus
from pathlib import Path
from typing import Any

from fundwright_ui.runtime.host import Refused

_BOOT = "web/src/boot.ts"
_ICON = "web/src/theme/icon.svg"
_WIDGET = "web/src/widgets/{name}/{name}.tsx"
_OWN_ADDRESS = re.compile(r"""(url\(["']?)\./""")


class Bundle:
    """The build in `folder`, served under `base`. Uses a new build without a restart. Raises Refused if there is none.

    `modules` are the addresses of other scripts that a page may load; `version` is the server's.
    """

    def __init__(self, folder: Path, *, base: str, modules: Iterable[str] = (), version: str = "") -> None:
        self._folder = folder
        self.base = base
        self._modules = sorted(modules)
        self._version = version
        self._id = ""
        self._manifest: dict[str, Any] = {}
        self._texts: dict[str, str] = {}
        self._built_at = 0.0

    @property
    def id(self) -> str:
        """Identifies the served files, the same in each process. A page of another build may request deleted files."""
        self._read()
        return self._id

    def head(self, entry: str, *, nonce: str) -> str:
        """The elements in the head of a page that load `entry`, such as `web/src/docs.ts`."""
        found = self._read()[entry]
        styles = "".join(f'<link rel="stylesheet" href="{self.base}/{path}">' for path in found.get("css", []))
        return f'<script type="module" nonce="{nonce}" src="{self.base}/{found["file"]}"></script>{styles}{self._icon}'

    def painted_head(self, entry: str, *, nonce: str, widgets: Iterable[str] = ()) -> str:
        """The head of a page that is readable before `entry` runs, so nothing delays its first frame. `widgets` are painted on the
        server, so their scripts and styles are included."""
        manifest = self._read()
        entries = _with_widgets(entry, widgets)
        names = dict.fromkeys(name for each in entries for name in (each, *manifest[each].get("imports", [])))
        sheets = self._sheets(entries)
        files = [manifest[name]["file"] for name in names]
        # Fetched immediately, but neither compiled nor run before the first frame.
        preloads = "".join(f'<link rel="preload" as="script" crossorigin href="{self.base}/{file}">' for file in files)
        # The first frame already has its final font if this arrives in time, so that its lines do not move.
        fonts = "".join(
            f'<link rel="preload" as="font" type="font/woff2" crossorigin href="{self.base}/{path}">'
            for path in manifest[entry].get("assets", [])
            if path.endswith(".woff2")
        )
        # A disabled link is not fetched, but keeps chunks that are loaded later from adding the same styles again.
        styles = "".join(f'<link rel="stylesheet" href="{self.base}/{path}" disabled>' for path in sheets)
        return f"{self._boot(nonce, main=manifest[entry]['file'])}{fonts}{preloads}{styles}{self._styles(sheets, nonce)}"

    def unscripted_head(self, entry: str, *, nonce: str) -> str:
        """The head of a page whose only script applies the theme."""
        return self._boot(nonce) + self.styled_head(entry, nonce=nonce)

    def styled_head(self, entry: str, *, nonce: str, widgets: Iterable[str] = ()) -> str:
        """The head of a page without scripts, which contains elements that look like these `widgets`."""
        return self._styles(self._sheets(_with_widgets(entry, widgets)), nonce)

    def _sheets(self, entries: Iterable[str]) -> list[str]:
        manifest = self._read()
        return [path for each in entries for path in manifest[each].get("css", [])]

    def _boot(self, nonce: str, *, main: str = "") -> str:
        """The inline script that applies the theme before the first frame and loads `main` after it."""
        script = f' data-main="{self.base}/{main}"' if main else ""
        return f'<script nonce="{nonce}"{script}>{self._text(self._read()[_BOOT]["file"])}</script>'

    def _styles(self, sheets: Iterable[str], nonce: str) -> str:
        """The icon, and the styles as text, so that the first frame does not wait for a second response."""
        return "".join(f'<style nonce="{nonce}">{self._text(path)}</style>' for path in sheets) + self._icon

    @property
    def _icon(self) -> str:
        found = self._read().get(_ICON)
        return f'<link rel="icon" href="{self.base}/{found["file"]}" type="image/svg+xml">' if found else ""

    @cached_property
    def strings(self) -> tuple[str, ...]:
        """The English sentences of the web client, to be translated."""
        return tuple(json.loads((self._folder / "strings.json").read_text()))

    def _text(self, path: str) -> str:
        """The content of a file to embed in a page. Addresses relative to a stylesheet become absolute."""
        if path not in self._texts:
            text = (self._folder / path).read_text().strip()
            self._texts[path] = _OWN_ADDRESS.sub(rf"\1{self.base}/{path.rpartition('/')[0]}/", text)
        return self._texts[path]

    def _read(self) -> dict[str, Any]:
        path = self._folder / ".vite" / "manifest.json"
        try:
            built_at = path.stat().st_mtime
            if built_at != self._built_at:
                text = path.read_text()
                self._manifest, self._built_at = json.loads(text), built_at
                self._id = hashlib.sha256("\n".join((self._version, text, *self._modules)).encode()).hexdigest()[:16]
        except FileNotFoundError as error:
            if not self._manifest:
                raise Refused(
                    f"The web client has not been built into {self._folder}. Run `make setup`.",
                    status=HTTPStatus.SERVICE_UNAVAILABLE,
                ) from error
        return self._manifest


def _with_widgets(entry: str, widgets: Iterable[str]) -> list[str]:
    return [entry, *(_WIDGET.format(name=name) for name in sorted(widgets))]
