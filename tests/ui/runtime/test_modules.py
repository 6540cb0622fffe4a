"""The scripts of other packages' widgets have names that depend on their content."""

from __future__ import annotations

from pathlib import Path

import pytest
from httpx import ASGITransport, AsyncClient
from starlette.applications import Starlette
from starlette.routing import Route

from fundwright_ui.runtime.assets import Assets
from fundwright_ui.runtime.host import Refused
from fundwright_ui.runtime.modules import Modules, WebModule
from fundwright_ui.widgets import Widget


class Clock(Widget):
    """Shows the time."""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    file = tmp_path / "clock.js"
    file.write_text("export default () => ({});")
    return file


class TestAddresses:
    def test_a_name_changes_with_the_content(self, script: Path) -> None:
        before = Modules([WebModule(script, [Clock])]).addresses["Clock"]
        assert Modules([WebModule(script, [Clock])]).addresses["Clock"] == before
        script.write_text("export default () => ({ Clock: () => null });")
        assert Modules([WebModule(script, [Clock])]).addresses["Clock"] != before

    @pytest.mark.parametrize("taken", [["Clock"], []])
    def test_two_widgets_of_one_name_stop_the_start(self, script: Path, taken: list[str]) -> None:
        module = WebModule(script, [Clock])
        with pytest.raises(Refused, match="There is a widget Clock already"):
            Modules([module] if taken else [module, module], taken=taken)

    def test_a_script_that_was_never_compiled_stops_the_start(self, tmp_path: Path) -> None:
        with pytest.raises(Refused, match=r"bell\.js cannot be read: No such file"):
            Modules([WebModule(tmp_path / "bell.js", [Clock])])

    def test_other_files_are_next_to_it_and_its_stylesheets_are_loaded_with_it(self, script: Path, tmp_path: Path) -> None:
        (tmp_path / "parts").mkdir()
        others = [tmp_path / "parts/hand.js", tmp_path / "clock.css"]
        for file in others:
            file.write_text("/* One */")
        modules = Modules([WebModule(script, [Clock], others)])
        address, styles = modules.addresses["Clock"]
        folder = address.removeprefix("/assets/").removesuffix("/clock.js")
        assert styles == f"/assets/{folder}/clock.css"
        assert modules.contents[f"{folder}/parts/hand.js"] == b"/* One */"
        others[0].write_text("/* Two */")
        assert Modules([WebModule(script, [Clock], others)]).addresses["Clock"][0] != address

    def test_a_file_elsewhere_stops_the_start(self, script: Path, tmp_path: Path) -> None:
        with pytest.raises(Refused, match="must be in the folder of .*clock.js or below it"):
            Modules([WebModule(script, [Clock], [tmp_path.parent / "other.css"])])

    def test_the_sentences_of_its_scripts_are_known(self, script: Path) -> None:
        script.write_text('export default ({ t }) => ({ Clock: () => t("Tick") + t("Tock") + t("Tick") });')
        assert Modules([WebModule(script, [Clock])]).strings == ("Tick", "Tock")


class TestServing:
    async def test_they_are_among_the_built_files_and_cached_forever(self, script: Path, tmp_path: Path) -> None:
        modules = Modules([WebModule(script, [Clock])])
        site = Starlette(routes=[Route("/assets/{path:path}", Assets(tmp_path / "assets", modules.contents).respond)])
        async with AsyncClient(transport=ASGITransport(site), base_url="http://test") as client:
            answer = await client.get(modules.addresses["Clock"][0])
            assert answer.text == script.read_text()
            assert answer.headers["content-type"].startswith("text/javascript")
            assert "immutable" in answer.headers["cache-control"]
            assert (await client.get("/assets/clock.js")).status_code == 404
