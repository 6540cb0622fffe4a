"""Values without a JSON form are converted in the same way in the first paint and over the socket."""

from __future__ import annotations

import json
import re
from datetime import date
from enum import StrEnum
from math import inf, nan
from typing import Any
from uuid import UUID

import pytest
from reactpy import component, html, use_state
from structlog.testing import capture_logs

from fundwright_ui.product import use_connection
from fundwright_ui.runtime.encoding import Unserializable, digest, encode, plain
from fundwright_ui.runtime.router import Screen
from fundwright_ui.widgets.base import Widget
from tests.ui.runtime.conftest import SCREENS, Server, find


class Color(StrEnum):
    RED = "red"


class Gauge(Widget):
    """Shows figures."""

    figures: list[float]
    label: str = ""


@component
def odd() -> Any:
    """Values without a JSON form; clicks add more of them."""
    connection = use_connection()
    stage, set_stage = use_state("")

    def show_more(_event: object) -> None:
        set_stage("more")

    def show_object(_event: object) -> None:
        set_stage("object")

    def say(_event: object) -> None:
        connection.toast("half \ud83d")

    def say_object(_event: object) -> None:
        connection.toast(object())  # type: ignore[arg-type]

    return html.main(
        html.p({"id": "text", "title": "half \ud83d"}, "half \ud83d of it"),
        html.p({"id": "number", "data-value": nan, "data-day": date(2026, 1, 2), "data-color": Color.RED}, "number"),
        Gauge(figures=[1.5, nan, -inf], label="half \ud83d" + stage),
        html.button({"id": "more", "onClick": show_more}, "More"),
        html.button({"id": "object", "onClick": show_object}, "Object"),
        html.button({"id": "say", "onClick": say}, "Say"),
        html.button({"id": "say-object", "onClick": say_object}, "Say object"),
        _part(stage, key=UUID(int=1)),
    )


@component
def _part(stage: str) -> Any:
    if stage == "object":
        return html.p(html.b({"title": object()}), "part")
    return "half \ud83d" if stage else "part"


@pytest.fixture(autouse=True)
def with_odd_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.ui.runtime.conftest.SCREENS", [*SCREENS, Screen("/odd", "Odd", odd, area="public")])


async def painted(server: Server) -> dict[str, Any]:
    answer = await server.get("/odd")
    assert answer.status_code == 200
    assert '<p id="text" title="half \ufffd">half \ufffd of it</p>' in answer.text
    assert '<p id="number" data-day="2026-01-02" data-color="red">number</p>' in answer.text
    return json.loads(answer.text.split('id="page">')[1].split("</script>")[0], parse_constant=pytest.fail)


class TestPage:
    async def test_is_the_same_in_the_first_paint_and_over_the_socket(self, server: Server) -> None:
        page = await painted(server)
        async with server.socket() as client:
            assert (await client.hello("/odd", page["hash"]))["tree"] is None
        async with server.socket() as client:
            assert (await client.hello("/odd"))["tree"] == page["tree"]
        assert '"figures": [1.5, null, null]' in json.dumps(page["tree"])

    async def test_continues_after_a_change_with_such_values(self, server: Server) -> None:
        async with server.socket() as client:
            await client.hello("/odd")
            await client.click("more")
            patch = json.dumps([frame for frame in client.frames if frame["type"] == "patch"], ensure_ascii=False)
            assert "half \ufffdmore" in patch and client.text.endswith("half \ufffd")
            assert "data-value" not in patch and "half \ufffd of it" not in patch  # unchanged
            await client.click("say")
            assert client.toasts() == ["half \ufffd"]


class TestUnserializableProp:
    async def test_fails_its_component_alone_with_its_id_in_the_log(self, server: Server) -> None:
        async with server.socket() as client:
            await client.hello("/odd")
            with capture_logs() as logs:
                await client.click("object")
            error_id = re.findall(r'"x": "([0-9a-f]{8})"', json.dumps(client.tree))
            failed = [(each["error_id"], each["component"]) for each in logs if each["event"] == "ui.render_failed"]
            assert failed == [(error_id[0], "_part")]
            assert find(client.tree, "text")
            await client.click("more")
            assert client.text.endswith("half \ufffd")

    async def test_of_a_toast_fails_the_handler_that_shows_it(self, server: Server) -> None:
        async with server.socket() as client:
            await client.hello("/odd")
            await client.click("say-object")
            assert client.toasts()[0] == "Something went wrong"
            await client.click("more")
            assert client.text.endswith("half \ufffd")


class TestPlain:
    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            ([1.5, nan, inf, -inf], [1.5, None, None, None]),
            ("\ud83d\ude00 and \ude00", "😀 and \ufffd"),
            (("a", (1, None)), ["a", [1, None]]),
            ({1: {"\udfff": Color.RED}}, {"1": {"\ufffd": "red"}}),
            (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
            (date(2026, 1, 2), "2026-01-02"),
        ],
    )
    def test_is_what_json_says(self, value: object, expected: object) -> None:
        assert plain(value) == expected
        assert json.loads(encode(value), parse_constant=pytest.fail) == expected

    def test_values_are_not_copied(self) -> None:
        value = {"rows": [["a", 1, None, True, 1.5, "é"]]}
        assert plain(value) is value

    def test_objects_and_values_that_contain_themselves_are_refused(self) -> None:
        circle: list[Any] = []
        circle.append(circle)
        for value in (object(), circle, {"deep": [lambda: None]}):
            for form in (plain, encode):
                with pytest.raises(Unserializable):
                    form(value)

    def test_a_hash_does_not_depend_on_the_order_of_attributes(self) -> None:
        assert digest({"a": 1, "b": [2]}) == digest({"b": [2], "a": 1}) != digest({"a": 1, "b": [3]})
