"""The documentation says what the code does."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from fundwright import hooks
from fundwright.core.plugins import GROUP
from fundwright_ui import extension
from scripts import settings_page
from tests.architecture.tree import PROJECT, texts

PAGES = sorted(path for path in texts() if path.suffix == ".md" and (path.parts[0] == "docs" or len(path.parts) == 1))
EXTENDING = (PROJECT / "docs/extending.md").read_text()


def hook_names(module: ModuleType) -> list[str]:
    return [name for name, value in vars(module).items() if hasattr(value, f"{GROUP}_spec")]


class TestSettings:
    def test_the_table_is_what_settings_declares(self) -> None:
        assert settings_page.PAGE.read_text() == settings_page.page(), "Run `make fix`."

    def test_every_setting_says_what_it_does(self) -> None:
        assert [name for name, field in settings_page.Settings.model_fields.items() if not field.description] == []


class TestHooks:
    def test_there_are_hooks(self) -> None:
        assert len(hook_names(hooks)) >= 6
        assert len(hook_names(extension)) >= 2

    @pytest.mark.parametrize("name", [*hook_names(hooks), *hook_names(extension)])
    def test_each_has_a_section_with_an_example(self, name: str) -> None:
        section = re.search(rf"^### `{name}`\n(.*?)(?=^##|\Z)", EXTENDING, re.MULTILINE | re.DOTALL)
        assert section, f"docs/extending.md has no section on `{name}`."
        assert f"def {name}(" in section[1], f"docs/extending.md shows no example of `{name}`."

    def test_the_examples_are_python(self) -> None:
        for example in re.findall(r"```python\n(.*?)```", EXTENDING, re.DOTALL):
            compile(example, "docs/extending.md", "exec")


class TestLinks:
    @pytest.mark.parametrize("document", PAGES, ids=str)
    def test_each_leads_to_a_file(self, document: Path) -> None:
        path = PROJECT / document
        targets = re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)[^)]*\)", path.read_text())
        assert [target for target in targets if not (path.parent / target).exists()] == []

    def test_every_page_is_in_the_index(self) -> None:
        index = (PROJECT / "docs/index.md").read_text()
        assert [
            page.name for page in PAGES if page.parts[0] == "docs" and page.name != "index.md" and f"({page.name})" not in index
        ] == []
