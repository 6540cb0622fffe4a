"""The built browser half, as Vite's manifest names its files."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from typing import Any

from fundwright.core.errors import StartRefused


class Bundle:
    """The build in `folder`. Follows a new build without a restart. Raises StartRefused when there is none."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._manifest: dict[str, Any] = {}
        self._built_at = 0.0

    def head(self, entry: str, *, base: str, nonce: str) -> str:
        """What the head of a page needs to run `entry`, such as `web/src/main.tsx`."""
        manifest = self._read()
        found: dict[str, Any] = manifest[entry]
        styles = "".join(f'<link rel="stylesheet" href="{base}/{path}">' for path in found.get("css", []))
        preloads = "".join(
            f'<link rel="modulepreload" href="{base}/{manifest[name]["file"]}">' for name in found.get("imports", [])
        )
        icon = f'<link rel="icon" href="{base}/assets/icon.svg" type="image/svg+xml">'
        return f'{icon}{styles}{preloads}<script type="module" nonce="{nonce}" src="{base}/{found["file"]}"></script>'

    @cached_property
    def strings(self) -> tuple[str, ...]:
        """The browser half's own English sentences, which it wants translated."""
        return tuple(json.loads((self._folder / "strings.json").read_text()))

    @cached_property
    def boot(self) -> str:
        """The script that chooses the theme before the first paint."""
        return (self._folder / "boot.js").read_text()

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
