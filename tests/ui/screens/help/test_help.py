"""Help topics in each language, and the links to them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import AsyncIterator

import httpx
import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po
from reactpy import html
from reactpy.types import VdomDict

from fundwright.accounts.schemas import Actor
from fundwright.core.assembly import Core
from fundwright.core.messages import LANGUAGES
from fundwright_ui import page, plugin, screen
from fundwright_ui.app import build_app
from fundwright_ui.extension import Screen
from fundwright_ui.product.host import ProductHost
from fundwright_ui.runtime.router import Found, Router
from fundwright_ui.screens.help.topics import NAMES, TOPICS
from fundwright_ui.testing import mounted
from fundwright_ui.widgets.markdown import rendered
from scripts.messages import LOCALES
from tests.ui.runtime.test_application import browse

SCREENS = tuple(plugin.screens())
ROUTER = Router(SCREENS, ProductHost.addresses, redirects={})
EXPLAIN_THEMSELVES = {
    "/blog", "/blog/{slug}", "/help", "/help/{topic}", "/pricing", "/payment",
    "/coming-soon", "/maintenance", "/404", "/500",
}  # fmt: skip
"""Pages to read. The first six have a link to the help overview in their navigation."""
TEXTS = [(language, name) for language in LANGUAGES for name in NAMES]
LABEL = re.compile(r"\*\*(.+?)\*\*")


def catalog(language: str) -> Catalog:
    with (LOCALES / language / "LC_MESSAGES/messages.po").open(encoding="utf-8") as file:
        return read_po(file)


CATALOGS = {language: catalog(language) for language in LANGUAGES if language != "en"}


@pytest.fixture
async def client(committed: Core) -> AsyncIterator[httpx.AsyncClient]:
    async with browse(build_app(committed)) as opened:
        yield opened


class TestLinks:
    def test_every_other_screen_has_one(self) -> None:
        assert {each.path for each in SCREENS if each.help is None} == EXPLAIN_THEMSELVES

    @pytest.mark.parametrize("each", [each for each in SCREENS if each.help], ids=lambda each: each.path)
    def test_lead_to_a_topic(self, each: Screen) -> None:
        assert each.help is not None
        assert each.help.removeprefix("/help/") in NAMES

    async def test_are_next_to_the_title(self, committed: Core, actor: Actor) -> None:
        @screen("/dashboard/notes", "Notes", help="/dashboard/notes/manual")
        def notes_screen() -> VdomDict:
            return page("Notes", html.p("None."))

        async with mounted(committed, actor, notes_screen) as shown:
            assert shown.find("link", "Help").props["href"] == "/dashboard/notes/manual"

    async def test_are_left_out_where_a_package_has_no_help(self, committed: Core, actor: Actor) -> None:
        @screen("/dashboard/notes", "Notes")
        def notes_screen() -> VdomDict:
            return page("Notes")

        async with mounted(committed, actor, notes_screen) as shown:
            assert not shown.has("link", "Help")

    @pytest.mark.parametrize(
        ("path", "address"),
        [("/auth/login", "/help/account"), ("/pricing", "/help"), ("/blog", "/help"), ("/help", "/help")],
    )
    async def test_are_there_before_anyone_signs_in(self, client: httpx.AsyncClient, path: str, address: str) -> None:
        links = re.findall(r'<a [^>]*href="([^"]+)"[^>]*>Help</a>', (await client.get(path)).text)
        assert links == [address]


class TestTopics:
    @pytest.mark.parametrize("language", LANGUAGES)
    async def test_can_be_read_by_anyone(self, client: httpx.AsyncClient, language: str) -> None:
        for name, topic in TOPICS[language].items():
            answer = await client.get(f"/help/{name}", headers={"Cookie": f"language={language}"})
            assert answer.status_code == 200
            assert f"<h1>{topic.title}</h1>" in answer.text and f"<title>{topic.title}" in answer.text

    async def test_are_listed(self, client: httpx.AsyncClient) -> None:
        shown = (await client.get("/help")).text
        assert re.findall(r'href="/help/([\w-]+)"', shown) == list(NAMES)
        assert "<strong>Settings</strong>" in shown

    async def test_unknown_ones_are_missing(self, client: httpx.AsyncClient) -> None:
        answer = await client.get("/help/nonsense")
        assert answer.status_code == 404
        assert 'href="/help"' in answer.text

    async def test_links_have_the_prefix_of_a_proxy(self, committed: Core) -> None:
        async with browse(build_app(committed, base="/apps")) as behind:
            shown = (await behind.get("/apps/help/getting-started")).text
        assert 'href="/apps/help/training"' in shown and 'href="/help/' not in shown


class TestTexts:
    @pytest.mark.parametrize(("language", "name"), TEXTS)
    def test_links_lead_to_pages(self, language: str, name: str) -> None:
        for address in re.findall(r"\]\(([^)]+)\)", TOPICS[language][name].text):
            found = ROUTER.route(address, None)
            assert isinstance(found, Found), address
            if topic := found.location.params.get("topic"):
                assert topic in NAMES and topic != name

    @pytest.mark.parametrize(("language", "name"), TEXTS)
    def test_are_formatted_to_the_end(self, language: str, name: str) -> None:
        nodes = rendered(TOPICS[language][name].text)
        assert [node for node in nodes if node == "\n" or "fw-prewrap" in str(node)] == []
        first = nodes[0]  # what the overview shows as the summary
        assert isinstance(first, dict) and first["tagName"] == "p"

    @pytest.mark.parametrize(("language", "name"), TEXTS)
    def test_have_a_length_that_is_read(self, language: str, name: str) -> None:
        assert 120 <= len(TOPICS[language][name].text.split()) <= 300

    @pytest.mark.parametrize("name", NAMES)
    def test_bold_words_are_labels(self, name: str) -> None:
        assert [label for label in LABEL.findall(TOPICS["en"][name].text) if label not in CATALOGS["de"]] == []

    @pytest.mark.parametrize("language", CATALOGS)
    @pytest.mark.parametrize("name", NAMES)
    def test_labels_are_those_of_the_language(self, language: str, name: str) -> None:
        expected = Counter(CATALOGS[language][label].string for label in LABEL.findall(TOPICS["en"][name].text))
        assert Counter(LABEL.findall(TOPICS[language][name].text)) == expected

    @pytest.mark.parametrize("language", CATALOGS)
    @pytest.mark.parametrize("name", NAMES)
    def test_have_the_same_structure_in_each_language(self, language: str, name: str) -> None:
        def structure(text: str) -> list[str]:
            return re.findall(r"^(## |- |\d\. |\||```)", text, re.MULTILINE)

        assert structure(TOPICS[language][name].text) == structure(TOPICS["en"][name].text)
