"""The topics of `/help`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fundwright.core.messages import LANGUAGES

NAMES = (
    "getting-started",
    "opportunities",
    "searching",
    "saved-searches",
    "watching",
    "pipeline",
    "tasks",
    "importing",
    "fit",
    "categories",
    "training",
    "facts",
    "asking",
    "drafting",
    "templates",
    "trash",
    "workspaces",
    "comments",
    "restricting",
    "support-access",
    "notifications",
    "sharing",
    "activity",
    "language-model",
    "account",
    "settings",
    "scripting",
    "people",
    "billing",
    "insights",
    "blog",
)
"""The names of the topics, in the order of the overview. Each is the last part of the address."""

_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class HelpTopic:
    """A help page in one language. `summary` is its first paragraph and `text` everything below the title, both as Markdown."""

    title: str
    summary: str
    text: str


def _read(language: str, name: str) -> HelpTopic:
    title, text = (_FOLDER / language / f"{name}.md").read_text(encoding="utf-8").removeprefix("# ").split("\n", 1)
    return HelpTopic(title, summary=text.strip().split("\n\n")[0], text=text)


TOPICS: Mapping[str, Mapping[str, HelpTopic]] = {
    language: {name: _read(language, name) for name in NAMES} for language in LANGUAGES
}
"""By language and name."""
