"""The built browser half, as Vite's manifest names its files."""

from __future__ import annotations

import json
import re
from functools import cached_property
from pathlib import Path
from typing import Any

from fundwright.core.errors import StartRefused

_ICON = "web/src/theme/icon.svg"
_OWN_ADDRESS = re.compile(r"""(url\(["']?)\./""")


class Bundle:
    """The build in `folder`, served under `base`. Follows a new build without a restart. Raises StartRefused when there is none."""

    def __init__(self, folder: Path, *, base: str) -> None:
        self._folder = folder
        self._base = base
        self._manifest: dict[str, Any] = {}
        self._styles: dict[str, str] = {}
        self._built_at = 0.0

    def head(self, entry: str, *, nonce: str, has_inline_styles: bool = False) -> str:
        """What the head of a page needs to run `entry`, such as `web/src/main.tsx`.

        With `has_inline_styles` the first paint waits for no second answer of the server.
        """
        manifest = self._read()
        found: dict[str, Any] = manifest[entry]
        # A disabled link is not fetched, but tells the chunks that are loaded later not to bring the same styles again.
        disabled = " disabled" if has_inline_styles else ""
        styles = "".join(f'<link rel="stylesheet" href="{self._base}/{path}"{disabled}>' for path in found.get("css", []))
        preloads = "".join(
            f'<link rel="modulepreload" href="{self._base}/{manifest[name]["file"]}">' for name in found.get("imports", [])
        )
        script = f'<script type="module" nonce="{nonce}" src="{self._base}/{found["file"]}"></script>'
        looks = self.looks(entry, nonce=nonce) if has_inline_styles else self._icon
        # The scripts first: while a long style is being parsed they are on their way.
        return f"{preloads}{script}{styles}{looks}"

    def looks(self, entry: str, *, nonce: str) -> str:
        """The icon, and the styles of `entry` as text: all that a page needs which runs nothing."""
        sheets: list[str] = self._read()[entry].get("css", [])
        return "".join(f'<style nonce="{nonce}">{self._style(path)}</style>' for path in sheets) + self._icon

    @property
    def _icon(self) -> str:
        found = self._read().get(_ICON)
        return f'<link rel="icon" href="{self._base}/{found["file"]}" type="image/svg+xml">' if found else ""

    @cached_property
    def strings(self) -> tuple[str, ...]:
        """The browser half's own English sentences, which it wants translated."""
        return tuple(json.loads((self._folder / "strings.json").read_text()))

    @cached_property
    def boot(self) -> str:
        """The script that chooses the theme before the first paint."""
        return (self._folder / "boot.js").read_text()

    def _style(self, path: str) -> str:
        """A stylesheet as it may stand in a page: its addresses are relative to the file."""
        if path not in self._styles:
            folder = path.rpartition("/")[0]
            self._styles[path] = _OWN_ADDRESS.sub(rf"\1{self._base}/{folder}/", (self._folder / path).read_text())
        return self._styles[path]

    def _read(self) -> dict[str, Any]:
        path = self._folder / ".vite" / "manifest.json"
        try:
            built_at = path.stat().st_mtime
            if built_at != self._built_at:
                self._manifest, self._built_at = json.loads(path.read_text()), built_at
        except FileNotFoundError as error:
            if not self._manifest:
                raise StartRefused(f"The web client has not been built into {self._folder}. Run `make setup`.") from error
        return self._manifest
