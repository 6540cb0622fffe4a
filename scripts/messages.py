"""Brings the catalogues of fundwright.core.messages up to date with what the sources say.

`python -m scripts.messages` adds new messages without a translation, keeps the translations there are and drops messages that
nothing says any more. `--check` only tells what is missing, unsure, unused, or has other {placeholders} than the English.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from string import Formatter

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from fundwright.core.messages import LANGUAGES
from fundwright.generation.templates import TEMPLATES
from fundwright.identity.permissions import REFUSALS
from fundwright.identity.schemas import Refusal, SignInRefused
from fundwright.language import plugin as language
from fundwright.opportunities import plugin as opportunities
from fundwright_ui import plugin
from fundwright_ui.sidebar.entries import IN_MENU

PROJECT = Path(__file__).resolve().parent.parent
SERVER = ("src", "components")
BROWSER = PROJECT / "web/src"
LOCALES = PROJECT / "src/fundwright/core/locales"
TRANSLATED = tuple(language for language in LANGUAGES if language != "en")


def messages() -> Iterator[tuple[str | tuple[str, ...], str]]:
    """Every message that a person can be shown, or its singular and plural, with the source it stands in."""
    for folder in SERVER:
        for path, _, message, _, _ in extract_from_dir(
            PROJECT / folder, keywords={"t": None, "later": None, "nt": (1, 2), "nlater": (1, 2)}
        ):
            yield message, f"{folder}/{path}"
    for path in sorted(BROWSER.rglob("*.ts*")):
        if ".test." not in path.name:
            # As vite.config.ts finds the sentences it lists in strings.json.
            for sentence in re.findall(r'\bt\("([^"]+)"\)', path.read_text()):
                yield sentence, path.relative_to(PROJECT).as_posix()
    yield from passed_as_data()


def passed_as_data() -> Iterator[tuple[str, str]]:
    """Messages that reach `t` in a variable."""
    for screen in plugin.screens():
        yield screen.title, "components/fundwright_ui/plugin.py"
    for entry in (*plugin.sidebar_entries(), *IN_MENU):
        yield from (
            (text, "components/fundwright_ui/sidebar/entries.py") for text in (entry.label, entry.heading, entry.group) if text
        )
    for reason in Refusal:
        yield SignInRefused(reason=reason).sentence, "src/fundwright/identity/schemas.py"
    yield from ((sentence, "src/fundwright/identity/permissions.py") for sentence in REFUSALS.values())
    for model in (*language.embedding_models(), *language.text_models()):
        yield model.label, "src/fundwright/language/plugin.py"
    for source in opportunities.opportunity_sources():
        yield source.label, "src/fundwright/opportunities/plugin.py"
    for template in TEMPLATES:
        texts = [template.title, template.description]
        for section in template.sections:
            opening = [section.opening] if section.opening else []
            texts += [section.heading, *(question.missing for question in section.questions), *opening]
        yield from ((text, "src/fundwright/generation/templates.py") for text in texts)


def catalogue_path(language: str) -> Path:
    return LOCALES / language / "LC_MESSAGES/messages.po"


def read(language: str) -> Catalog:
    path = catalogue_path(language)
    return read_po(BytesIO(path.read_bytes() if path.exists() else b""), locale=language)


def update(language: str) -> None:
    """Write the catalogue anew: in the order of the sources, without line numbers and dates, which would change all the time."""
    catalogue = read(language)
    catalogue.update(source(), no_fuzzy_matching=True)
    output = BytesIO()
    write_po(output, catalogue, width=120, omit_header=True, ignore_obsolete=True, include_lineno=False, sort_by_file=True)
    header = (
        f'msgid ""\nmsgstr ""\n"Language: {language}\\n"\n"MIME-Version: 1.0\\n"\n"Content-Type: text/plain; charset=utf-8\\n"\n'
    )
    path = catalogue_path(language)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'{header}"Plural-Forms: {catalogue.plural_forms}\\n"\n\n{output.getvalue().decode()}', encoding="utf-8")


def source() -> Catalog:
    """Every message with the files that say it."""
    catalogue = Catalog()
    for message, path in messages():
        catalogue.add(message, locations=[(path, 1)])
    return catalogue


def problems(language: str) -> list[str]:
    """What keeps the catalogue from being complete and sure, one line each."""
    said = source()
    catalogue = read(language)
    found = [f"unused: {message.id}" for message in catalogue if message.id and said.get(first(message)) is None]
    for message in said:
        if not message.id:
            continue
        translated = catalogue.get(first(message))
        if translated is None or translated.id != message.id or not all(forms(translated.string)):
            found.append(f"missing: {message.id}")
        elif translated.fuzzy:
            found.append(f"unsure: {message.id}")
        elif {placeholders(form) for form in forms(translated.string)} != {placeholders(first(message))}:
            found.append(f"other placeholders: {message.id}")
    return found


def first(message: Message) -> str:
    return forms(message.id)[0]


def forms(texts: str | Sequence[str] | None) -> tuple[str, ...]:
    return (texts or "",) if isinstance(texts, str | None) else tuple(texts)


def placeholders(text: str) -> frozenset[str]:
    return frozenset(name for _, name, _, _ in Formatter().parse(text) if name is not None)


def main(*, check: bool) -> int:
    if not check:
        for language in TRANSLATED:
            update(language)
    found = [f"{language}: {problem}" for language in TRANSLATED for problem in problems(language)]
    print("\n".join(found) if found else f"{len(source())} messages in {', '.join(TRANSLATED)}")
    return 1 if found and check else 0


if __name__ == "__main__":
    sys.exit(main(check="--check" in sys.argv))
