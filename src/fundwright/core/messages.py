"""Messages in the reader's language. The English sentence is the message id; catalogs contain the translations.

Example: `t("{count} documents are ready.", count=3)`. Plural forms: `nt("{n} document", "{n} documents", n)`. A message without a
translation, or a language without a catalog, is shown in English.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache, lru_cache
from gettext import NullTranslations, translation
from pathlib import Path
from typing import Literal

from babel.numbers import format_decimal, format_percent

from fundwright.core.json_values import JsonObject

Language = Literal["en", "de", "fr"]

LANGUAGES: Mapping[Language, str] = {"en": "English", "de": "Deutsch", "fr": "Français"}
"""Code and native name of every supported language."""

_LOCALES = Path(__file__).parent / "locales"
_folders: tuple[Path, ...] = (_LOCALES,)
_language: ContextVar[Language] = ContextVar("language", default="en")
_keeps_messages: ContextVar[bool] = ContextVar("keeps_messages", default=False)

_SEPARATOR = "\x1f"
"""Separates the English text, which the database sorts by, from the same text as a Message in JSON."""
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_NOT_A_MESSAGE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""Errors of text that only looks like a stored message, and of numbers that cannot be formatted."""


def current_language() -> Language:
    """The language of this session or request, `en` outside of one."""
    return _language.get()


def use_catalogs(folders: Iterable[Path]) -> None:
    """Translate the messages of packages, too, with the catalogs in `folders`. Fundwright's own translations take precedence."""
    global _folders
    _folders = (_LOCALES, *folders)
    _catalog.cache_clear()


def set_language(language: str) -> None:
    """Use `language` from here on in this task; an unknown one means English."""
    _language.set(_known(language))


@contextmanager
def using_language(language: str) -> Iterator[None]:
    """Use `language` inside the block."""
    token = _language.set(_known(language))
    try:
        yield
    finally:
        _language.reset(token)


def _known(language: str) -> Language:
    return language if language in LANGUAGES else "en"


class Translated(str):
    """A message in the current language that can be stored for readers of other languages."""

    __slots__ = ("message",)

    message: Message

    def __new__(cls, text: str, message: Message) -> Translated:
        translated = super().__new__(cls, text)
        translated.message = message
        return translated

    def __reduce__(self) -> tuple[type[Translated], tuple[str, Message]]:  # for copies
        return Translated, (str(self), self.message)


@contextmanager
def keeping_messages() -> Iterator[None]:
    """Make `t` and `nt` return `Translated` inside the block, because what they return may be stored."""
    token = _keeps_messages.set(True)
    try:
        yield
    finally:
        _keeps_messages.reset(token)


def to_stored(text: str | Message) -> str:
    """The English text, followed by the message that `from_stored` translates into the reader's language."""
    message = text.message if isinstance(text, Translated) else text
    if not isinstance(message, Message):
        return _without_separator(message)
    with using_language("en"):
        return f"{_without_separator(str(message))}{_SEPARATOR}{json.dumps(message.to_json())}"


def from_stored(stored: str) -> str:
    """The text in the reader's language. Plain text stays unchanged."""
    text, _, kept = stored.partition(_SEPARATOR)
    try:
        return str(Message.from_json(json.loads(kept))) if kept else text
    except _NOT_A_MESSAGE:
        return _without_separator(stored)


def from_untrusted(stored: str) -> str:
    """Like `from_stored`, for text from a process that may be compromised: only messages in the catalogs are filled in."""
    text, _, kept = stored.partition(_SEPARATOR)
    try:
        message = Message.from_json(json.loads(kept))
        return Translated(str(message), message) if _is_known(message) else text
    except _NOT_A_MESSAGE:
        return text


def _is_known(message: Message) -> bool:
    values = message.values.values()
    return (
        not message.plural
        and any(_catalog(language).gettext(message.text) != message.text for language in LANGUAGES)
        and all(_is_known(value) if isinstance(value, Message) else _is_plain(value) for value in values)
    )


def _is_plain(value: object) -> bool:
    """Whether the database can store the value: no null characters and no halves of surrogate pairs."""
    return isinstance(value, int | float) or (isinstance(value, str) and not _UNSTORABLE.search(value))


def _without_separator(text: str) -> str:
    return text.replace(_SEPARATOR, " ")


def t(message: str, /, **values: object) -> str:
    """`message` in the current language with `{name}` replaced by `values`.

    Numbers are formatted for that language. Pass a number that is not a quantity, such as a year, as text.
    """
    translated = _catalog(current_language()).gettext(message) if message else ""  # "" is the id of a catalog's header
    text = _fill(translated, values) if values else translated
    return Translated(text, Message(message, _kept(values))) if _keeps_messages.get() else text


def nt(singular: str, plural: str, n: int, /, **values: object) -> str:
    """The form for `n` items; `{n}` is replaced by it."""
    text = _fill(_catalog(current_language()).ngettext(singular, plural, n), {"n": n, **values})
    return Translated(text, Message(singular, _kept(values), plural, n)) if _keeps_messages.get() else text


def _kept(values: Mapping[str, object]) -> dict[str, str | int | float | Message]:
    """`values` as a Message keeps them."""
    return {
        name: value.message
        if isinstance(value, Translated)
        else value
        if isinstance(value, str | int | float | Message)
        else str(value)
        for name, value in values.items()
    }


@dataclass(frozen=True)
class Message:
    """A stored message, translated when it is read: `str(message)` is in the current language.

    Created by `later` and `nlater`, which take the arguments of `t` and `nt`. A value that is a Message is translated, too.
    """

    text: str
    values: Mapping[str, str | int | float | Message] = field(default_factory=dict[str, "str | int | float | Message"])
    plural: str = ""
    n: int = 1

    def __str__(self) -> str:
        values = {name: str(value) if isinstance(value, Message) else value for name, value in self.values.items()}
        return nt(self.text, self.plural, self.n, **values) if self.plural else t(self.text, **values)

    def to_json(self) -> dict[str, object]:
        values = {name: value.to_json() if isinstance(value, Message) else value for name, value in self.values.items()}
        return {"text": self.text, "values": values, "plural": self.plural, "n": self.n}

    @classmethod
    def from_json(cls, kept: JsonObject) -> Message:
        values = {name: cls.from_json(value) if isinstance(value, dict) else value for name, value in kept["values"].items()}
        return cls(kept["text"], values, kept["plural"], kept["n"])


def later(message: str, /, **values: str | int | Message) -> Message:
    """Like `t`, but translated when the message is read."""
    return Message(message, values)


def nlater(singular: str, plural: str, n: int, /) -> Message:
    """Like `nt`, but translated when the message is read."""
    return Message(singular, plural=plural, n=n)


def number(value: float, *, decimals: int | None = None) -> str:
    """Format a count or measure in the current language: `12,309`, or `12.309` in German.

    `decimals` fixes the number of decimal places; by default there are as many as needed, at most three.
    """
    return _number(value, decimals, current_language())


@lru_cache(maxsize=10_000, typed=True)
def _number(value: float, decimals: int | None, language: Language) -> str:
    pattern = None if decimals is None else "#,##0." + "0" * decimals
    return format_decimal(value, format=pattern, locale=language)


def percent(share: float) -> str:
    """Format a share (1.0 is all) as whole percent in the current language: `87%`, or `87 %` in German."""
    return format_percent(share, locale=current_language())


def translations(messages: tuple[str, ...]) -> dict[str, str]:
    """Those of `messages` whose translation differs, as the browser half receives them."""
    return {message: t(message) for message in messages if t(message) != message}


def _fill(message: str, values: Mapping[str, object]) -> str:
    """Replace `{name}` in `message` with `values`, with numbers formatted in the current language."""
    return message.format_map(
        {
            name: number(value) if isinstance(value, int | float) and not isinstance(value, bool) else value
            for name, value in values.items()
        }
    )


@cache
def _catalog(language: str) -> NullTranslations:
    """The compiled catalogs, our own first. What none of them translates stays in English."""
    first, *others = (translation("messages", folder, [language], fallback=True) for folder in _folders)
    for each in others:
        first.add_fallback(each)
    return first
