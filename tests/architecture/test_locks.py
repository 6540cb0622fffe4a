"""Lock files contain versions and hashes of everything, and no addresses."""

from __future__ import annotations

import json
import re
import tomllib

from tests.architecture.tree import PROJECT

LOCK = (PROJECT / "requirements.lock").read_text()
DECLARED = tomllib.loads((PROJECT / "pyproject.toml").read_text())


class TestPython:
    def test_every_package_has_a_version_and_a_hash(self) -> None:
        packages = re.findall(r"^\S.*?(?=^\S|\Z)", LOCK, re.MULTILINE | re.DOTALL)
        assert packages
        assert [text for text in packages if not re.match(r"[a-z0-9.\[\],-]+==\S+", text) or "--hash=sha256:" not in text] == []

    def test_no_address_and_no_path(self) -> None:
        assert re.findall(r"https?://|file:|--(?:extra-)?index-url|--find-links|@ ", LOCK) == []

    def test_every_declared_dependency_is_locked(self) -> None:
        project = DECLARED["project"]
        lists = (project["dependencies"], *project["optional-dependencies"].values(), *DECLARED["dependency-groups"].values())
        wanted = {name(requirement) for each in lists for requirement in each}
        locked = {name(line) for line in LOCK.splitlines() if line[:1].isalnum()}
        assert wanted - locked == set(), "requirements.lock is out of date. Run `make lock`."


class TestNode:
    packages = json.loads((PROJECT / "package-lock.json").read_text())["packages"]

    def test_no_package_is_tied_to_an_address(self) -> None:
        assert [path for path, package in self.packages.items() if "resolved" in package] == []

    def test_every_package_has_a_hash(self) -> None:
        assert [path for path, package in self.packages.items() if path and not package.get("integrity")] == []

    def test_it_belongs_to_package_json(self) -> None:
        declared = json.loads((PROJECT / "package.json").read_text())
        locked = self.packages[""]
        for kind in ("dependencies", "devDependencies"):
            assert locked.get(kind) == declared.get(kind), "Run `make lock`."


def name(requirement: str) -> str:
    return re.split(r"[\[=<>!~; ]", requirement, maxsplit=1)[0].lower()
