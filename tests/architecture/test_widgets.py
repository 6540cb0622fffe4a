"""Every widget has its own folder with its test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.architecture.tree import PROJECT

WIDGETS = sorted(path for path in (PROJECT / "web/src/widgets").iterdir() if path.is_dir())


@pytest.mark.parametrize("folder", WIDGETS, ids=lambda folder: folder.name)
class TestWidgetFolder:
    def test_it_holds_the_component_and_its_test(self, folder: Path) -> None:
        name = folder.name
        for file in (f"{name}.tsx", f"{name}.test.tsx"):
            assert (folder / file).exists(), f"{name}/{file} is missing."
