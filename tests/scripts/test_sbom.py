"""`make sbom`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from scripts import sbom


@pytest.mark.slow
def test_lists_every_locked_package_with_its_hashes(tmp_path: Path) -> None:
    sbom.main(tmp_path)
    python, npm = (json.loads((tmp_path / f"{name}.cdx.json").read_text()) for name in ("python", "npm"))
    locked = re.findall(r"^([\w.-]+)==(\S+)", (sbom.PROJECT / "requirements.lock").read_text(), re.MULTILINE)
    assert locked and _listed(python) >= set(locked)
    packages = json.loads((sbom.PROJECT / "package-lock.json").read_text())["packages"]
    assert {(path.rpartition("node_modules/")[2], package["version"]) for path, package in packages.items() if path} <= _listed(
        npm
    )
    assert all(each["externalReferences"][0]["hashes"] for each in python["components"])
    assert [each["name"] for each in npm["components"] if not each.get("hashes")] == []


def _listed(bom: dict[str, Any]) -> set[tuple[str, str]]:
    return {
        (each["name"] if "group" not in each else f"{each['group']}/{each['name']}", each["version"])
        for each in bom["components"]
    }
