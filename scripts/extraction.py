"""Finds messages for pybabel: the extraction methods in `tool.babel.mappings` in pyproject.toml.

Every message is reported on line 1 of its file, so that the order of the catalogs does not change when code moves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, cast

from babel.messages.extract import extract_python

from fundwright.authentication.schemas import SignInRefusal, SignInRefused
from fundwright.generation import plugin as generation
from fundwright.language import plugin as language
from fundwright.opportunities import plugin as opportunities
from fundwright.templates.builtin import TEMPLATES
from fundwright_ui import plugin
from fundwright_ui.sidebar.entries import IN_MENU

Found = Iterator[tuple[int, str, str | tuple[str, ...], list[str]]]

PROJECT = Path(__file__).resolve().parent.parent
_CALL = re.compile(rb"\bn?(t|later)\s*\(")


def server(file: BinaryIO, keywords: Mapping[str, Any], comment_tags: Collection[str], options: Any) -> Found:
    """Messages in Python: arguments of `keywords`, and those that reach `t` in a variable."""
    if _CALL.search(file.read()):  # a third of the code has none
        file.seek(0)
        found = cast(Found, extract_python(file, keywords, comment_tags, options))  # Babel declares another return type
        for _, keyword, message, comments in found:
            yield 1, keyword, message, comments
    passed_as_data = PASSED_AS_DATA.get(Path(file.name).resolve().relative_to(PROJECT).as_posix())
    for text in passed_as_data() if passed_as_data else ():
        yield 1, "t", text, []


def browser(file: BinaryIO, keywords: Mapping[str, Any], comment_tags: Collection[str], options: Any) -> Found:
    """Messages in TypeScript, found in the same way as vite.config.ts finds those in strings.json. Babel's own lexer misses some in
    JSX."""
    for text in re.findall(r'\bt\("([^"]+)"\)', file.read().decode()):
        yield 1, "t", text, []


def templates() -> Iterator[str]:
    for template in TEMPLATES:
        yield from (template.title, template.description)
        for section in template.sections:
            yield section.heading
            for question in section.questions:
                yield from filter(None, (question.missing, question.remaining))
            if section.opening:
                yield section.opening


PASSED_AS_DATA: Mapping[str, Callable[[], Iterable[str]]] = {
    "components/fundwright_ui/plugin.py": lambda: (screen.title for screen in plugin.screens()),
    "components/fundwright_ui/sidebar/entries.py": lambda: (
        text for entry in (*plugin.sidebar_entries(), *IN_MENU) for text in (entry.label, entry.heading, entry.group) if text
    ),
    "src/fundwright/authentication/schemas.py": lambda: (SignInRefused(reason=reason).sentence for reason in SignInRefusal),
    "src/fundwright/generation/plugin.py": lambda: (model.label for model in generation.text_models()),
    "src/fundwright/language/plugin.py": lambda: (
        model.label for model in (*language.embedding_models(), *language.text_models())
    ),
    "src/fundwright/opportunities/plugin.py": lambda: (source.label for source in opportunities.opportunity_sources()),
    "src/fundwright/templates/builtin.py": templates,
}
