"""Messages in the reader's language."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from io import StringIO
from pathlib import Path

import pytest
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from fundwright.core import messages
from fundwright.core.messages import (
    Message,
    current_language,
    from_stored,
    from_untrusted,
    keeping_messages,
    later,
    nlater,
    nt,
    number,
    percent,
    t,
    to_stored,
    translations,
    using_language,
)

_CATALOG = """
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Language: fr\\n"
"Plural-Forms: nplurals=2; plural=(n > 1);\\n"

msgid "Save {name}"
msgstr "Enregistrer {name}"

msgid "Not yet"
msgstr ""

#, fuzzy
msgid "Perhaps"
msgstr "Peut-être"

msgid "{n} document"
msgid_plural "{n} documents"
msgstr[0] "{n} fichier"
msgstr[1] "{n} fichiers"
"""


@pytest.fixture(autouse=True)
def french(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    folder = tmp_path / "fr" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    with (folder / "messages.mo").open("wb") as file:
        write_mo(file, read_po(StringIO(_CATALOG)))
    monkeypatch.setattr(messages, "_LOCALES", tmp_path)
    messages.use_catalogs([])
    yield
    monkeypatch.undo()
    messages.use_catalogs([])


class TestMessage:
    def test_is_english_by_default(self) -> None:
        assert t("Save {name}", name="x") == "Save x"

    def test_is_translated_with_its_values(self) -> None:
        with using_language("fr"):
            assert t("Save {name}", name="x") == "Enregistrer x"
        assert current_language() == "en"

    @pytest.mark.parametrize("message", ["Not yet", "Perhaps", "Unheard of"])
    def test_is_english_while_it_has_no_sure_translation(self, message: str) -> None:
        with using_language("fr"):
            assert t(message) == message

    def test_without_text_has_none(self) -> None:
        with using_language("fr"):
            assert t("") == ""

    def test_is_english_in_a_language_without_a_catalog(self) -> None:
        with using_language("de"):
            assert t("Save {name}", name="x") == "Save x"

    def test_braces_in_a_message_without_values_stay(self) -> None:
        assert t("Page {page} of {last}") == "Page {page} of {last}"


class TestNumbers:
    @pytest.mark.parametrize(
        ("language", "count", "rows", "share", "score"),
        [
            ("en", "12,309", "Rows: 12,309", "87%", "0.50"),
            ("de", "12.309", "Rows: 12.309", "87\N{NO-BREAK SPACE}%", "0,50"),
            (
                "fr",
                "12\N{NARROW NO-BREAK SPACE}309",
                "Rows: 12\N{NARROW NO-BREAK SPACE}309",
                "87\N{NO-BREAK SPACE}%",
                "0,50",
            ),
        ],
    )
    def test_are_written_in_the_language(self, language: str, count: str, rows: str, share: str, score: str) -> None:
        with using_language(language):
            assert nt("{n} row", "{n} rows", 12_309).removesuffix(" rows") == count
            assert t("Rows: {count}", count=12_309) == rows
            assert percent(0.871) == share
            assert number(0.5, decimals=2) == score

    def test_given_as_text_are_no_quantity(self) -> None:
        assert t("Since {year}", year="2026") == "Since 2026"


class TestPlural:
    def test_follows_the_rule_of_the_language(self) -> None:
        assert [nt("{n} document", "{n} documents", n) for n in (0, 1, 2)] == ["0 documents", "1 document", "2 documents"]
        with using_language("fr"):
            assert [nt("{n} document", "{n} documents", n) for n in (0, 1, 2)] == ["0 fichier", "1 fichier", "2 fichiers"]


class TestKeptMessage:
    def test_is_written_in_the_language_of_its_reader(self) -> None:
        kept = [
            nlater("{n} document", "{n} documents", 2),
            later("Save {name}", name=later("Save {name}", name="x")),
            later("Unheard of"),
        ]
        read = [Message.from_json(json.loads(json.dumps(message.to_json()))) for message in kept]
        assert [str(message) for message in read] == ["2 documents", "Save Save x", "Unheard of"]
        with using_language("fr"):
            assert [str(message) for message in read] == ["2 fichiers", "Enregistrer Enregistrer x", "Unheard of"]


def test_the_browser_half_gets_what_is_translated() -> None:
    with using_language("fr"):
        assert translations(("Save {name}", "Not yet")) == {"Save {name}": "Enregistrer {name}"}


class TestStoredMessage:
    def test_is_shown_in_the_language_of_its_reader(self) -> None:
        with keeping_messages(), using_language("fr"):
            stored = [to_stored(t("Save {name}", name=t("Not yet"))), to_stored(nt("{n} document", "{n} documents", 2))]
        assert [from_stored(each) for each in stored] == ["Save Not yet", "2 documents"]
        with using_language("fr"):
            assert [from_stored(each) for each in stored] == ["Enregistrer Not yet", "2 fichiers"]

    def test_is_kept_by_a_copy(self) -> None:
        with keeping_messages():
            copied = deepcopy(t("Not yet"))
        assert (copied, to_stored(copied)) == ("Not yet", to_stored(later("Not yet")))

    def test_other_text_stays_as_it_is(self) -> None:
        assert from_stored(to_stored("a{b}\x1fc")) == "a{b} c"
        assert [from_stored(f"a\x1f{each}") for each in ("b", "{}", "[]")] == ["a b", "a {}", "a []"]

    def test_from_an_untrusted_process_is_filled_in_only_if_it_is_in_the_catalogs(self) -> None:
        assert from_untrusted(to_stored(later("Save {name}", name="x"))) == "Save x"
        assert from_untrusted("plain") == "plain"
        for forged in ("{}", "[", '{"text": "{name.__class__}", "values": {"name": "x"}, "plural": "", "n": 1}'):
            assert from_untrusted(f"plain\x1f{forged}") == "plain"

    @pytest.mark.parametrize("value", ["a\0b", "\ud800", 10**100], ids=["null", "surrogate", "huge"])
    def test_of_an_untrusted_process_can_be_stored(self, value: str | int) -> None:
        assert from_untrusted(to_stored("plain") + "\x1f" + json.dumps(later("Save {name}", name=value).to_json())) == "plain"
