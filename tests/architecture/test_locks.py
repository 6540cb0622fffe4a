"""Lock files: everything by version and hash, nothing by address."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from tests.architecture.tree import PROJECT

LOCKS = sorted((PROJECT / "requirements").glob("*.txt"))
DECLARED = tomllib.loads((PROJECT / "pyproject.toml").read_text())


class TestPython:
    @pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
    def test_every_package_has_a_version_and_a_hash(self, lock: Path) -> None:
        packages = re.findall(r"^\S.*?(?=^\S|\Z)", without_comments(lock), re.MULTILINE | re.DOTALL)
        assert packages
        assert [text for text in packages if not re.match(r"[a-z0-9.\[\],-]+==\S+", text) or "--hash=sha256:" not in text] == []

    @pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
    def test_no_address_and_no_path(self, lock: Path) -> None:
        assert re.findall(r"https?://|file:|--(?:extra-)?index-url|--find-links|@ ", lock.read_text()) == []

    def test_every_declared_dependency_is_locked(self) -> None:
        groups = DECLARED["dependency-groups"]
        for lock, wanted in (
            ("app", [*DECLARED["project"]["dependencies"], *groups["build"]]),
            ("dev", groups["dev"]),
            ("convert", groups["model"]),
            ("uv", groups["installer"]),
            ("local-llm", DECLARED["project"]["optional-dependencies"]["local-llm"]),
        ):
            missing = {name(requirement) for requirement in wanted} - locked(lock)
            assert missing == set(), f"requirements/{lock}.txt is out of date. Run `make lock`."

    def test_all_locks_agree_on_versions(self) -> None:
        shared = versions("app")
        for lock in ("dev", "convert"):
            assert {key: value for key, value in versions(lock).items() if shared.get(key, value) != value} == {}


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


def without_comments(lock: Path) -> str:
    return "".join(line for line in lock.read_text().splitlines(keepends=True) if not line.lstrip().startswith("#"))


def name(requirement: str) -> str:
    return re.split(r"[\[=<>!~; ]", requirement, maxsplit=1)[0].lower()


def locked(lock: str) -> set[str]:
    return {name(line) for line in without_comments(PROJECT / f"requirements/{lock}.txt").splitlines() if line[:1].isalnum()}


def versions(lock: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for package, version in re.findall(
        r"^([a-z0-9-]+)\S*==(\S+)", (PROJECT / f"requirements/{lock}.txt").read_text(), re.MULTILINE
    ):
        found.setdefault(package, set()).add(version)
    return found
