"""Adds build results to the wheel: the web client, the compiled message catalogs, and the models.

hatchling runs this for `python -m hatchling build -t wheel`, as configured in pyproject.toml. An editable installation uses the
same files in place.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BUILT = ("web/dist/.vite", "web/dist/assets", "web/dist/strings.json", "var/models/all-MiniLM-L6-v2", "var/models/PP-OCRv6")
CATALOGS = "src/fundwright/core/locales/*/LC_MESSAGES/messages.mo"


class NotBuilt(Exception):
    """Something that setup builds is missing."""


class BuiltFiles(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        project = Path(self.root)
        missing = [path for path in BUILT if not (project / path).exists()]
        if missing or not any(project.glob(CATALOGS)):
            raise NotBuilt(f"{', '.join(missing) or CATALOGS} is missing. Run `make setup` before building the wheel.")
        build_data["artifacts"].append(CATALOGS)
        build_data["force_include"].update({str(project / path): f"fundwright/{path}" for path in BUILT})
