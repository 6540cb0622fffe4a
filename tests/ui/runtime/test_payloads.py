"""A handler receives the event's payload through an annotated parameter, or nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError
from reactpy import component, html, use_state
from sqlalchemy.ext.asyncio import AsyncSession
from structlog.testing import capture_logs

from fundwright.core.assembly import Core
from fundwright_ui.hooks import use_action
from fundwright_ui.runtime.events import MalformedPayload, Payload, UnclearHandler, handler, takes_payload
from fundwright_ui.testing import mounted
from fundwright_ui.ui import button, form, text_field
from fundwright_ui.widgets.base import On, Widget


class Shelf:
    def put(self, book: str) -> None: ...

    def clear(self) -> None: ...

    def __call__(self, book: str) -> None: ...


def put(book: str, *, loud: bool = False) -> None: ...


def put_at(place: int, book: str) -> None: ...


def logged(call: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(call)
    def log(*args: Any, **named: Any) -> Any:
        return call(*args, **named)

    return log


def put_any(book) -> None: ...  # type: ignore[no-untyped-def]


class TestTakesPayload:
    @pytest.mark.parametrize(
        "call", [put, Shelf().put, Shelf(), partial(put_at, 3), logged(put), partial(logged(put), loud=True)]
    )
    def test_through_an_annotated_parameter(self, call: Callable[..., Any]) -> None:
        assert takes_payload(call)

    @pytest.mark.parametrize(
        "call", [Shelf().clear, lambda i=1: i, lambda: 1, partial(put, "x"), partial(put, book="x"), logged(lambda i=1: i)]
    )
    def test_of_its_own_values_none(self, call: Callable[..., Any]) -> None:
        assert not takes_payload(call)

    @pytest.mark.parametrize("call", [lambda event: event, put_any, put_at, logged(put_any), lambda *args: args, print])
    def test_is_refused_when_it_is_not_clear(self, call: Callable[..., Any]) -> None:
        with pytest.raises(UnclearHandler, match="annotated parameter"):
            handler(call)

    def test_a_decorated_function_is_not_mistaken_for_another_one_with_the_same_decorator(self) -> None:
        assert takes_payload(logged(put)) and not takes_payload(logged(lambda: None))


class Turned(BaseModel):
    degrees: int


class Knob(Widget):
    on_turn: On[Turned] = None


class TestMalformedPayload:
    @pytest.mark.parametrize("payload", [{}, {"degrees": "far"}, {"value": 5}])
    async def test_a_widget_s_handler_is_not_called(self, payload: Payload) -> None:
        called: list[Turned] = []

        def turn(turned: Turned) -> None:
            called.append(turned)

        knob = Knob(on_turn=turn)
        with pytest.raises(MalformedPayload):
            await knob["eventHandlers"]["onTurn"].function([payload])
        assert called == []

    @pytest.mark.parametrize("payload", [{"value": 5}, {"checked": "on"}, {"fields": None}, {"fields": {"a": [{}]}}])
    async def test_an_element_s_handler_is_not_called(self, payload: Payload) -> None:
        called: list[Payload] = []

        def change(event: Payload) -> None:
            called.append(event)

        with pytest.raises(MalformedPayload):
            await handler(change).function([payload])
        assert called == []

    async def test_a_handler_that_fails_to_validate_something_itself_is_logged_with_its_id(self, core: Core) -> None:
        def change(_event: Payload) -> None:
            Turned.model_validate({})

        @component
        def screen() -> Any:
            return html.main(html.input({"aria-label": "Name", "onChange": change}))

        with capture_logs() as logs:
            async with mounted(core, None, screen) as shown:
                await shown.type("Name", "Ada")
        [failed] = [each for each in logs if each["event"] == "ui.failed"]
        assert failed["error_id"] and isinstance(failed["exc_info"], ValidationError)


class TestScreen:
    @pytest.mark.parametrize("kind", ["kit", "element", "action"])
    async def test_a_handler_made_in_a_loop_keeps_its_own_value(self, committed: Core, kind: str) -> None:
        removed: list[object] = []

        async def remove(_session: AsyncSession, number: int) -> None:
            removed.append(number)

        @component
        def row(number: int) -> Any:
            async def work(session: AsyncSession, number: int = number) -> None:
                await remove(session, number)

            return button(f"Remove {number}", on_click=use_action(work))

        @component
        def screen() -> Any:
            if kind == "action":
                return html.main(*(row(number, key=str(number)) for number in range(3)))
            if kind == "element":
                return html.main(
                    *(
                        html.button({"key": number, "onClick": lambda number=number: removed.append(number)}, f"Remove {number}")
                        for number in range(3)
                    )
                )
            return html.main(
                *(button(f"Remove {number}", on_click=lambda number=number: removed.append(number)) for number in range(3))
            )

        async with mounted(committed, None, screen) as shown:
            for number in (2, 0):
                await shown.click("button", f"Remove {number}")
        assert removed == [2, 0]

    async def test_an_element_s_handler_is_given_the_payload_by_annotation(self, core: Core) -> None:
        @component
        def screen() -> Any:
            text, set_text = use_state("")

            def change(event: Payload) -> None:
                set_text(event["value"])

            return html.main(html.input({"aria-label": "Name", "onChange": change}), html.p(text))

        async with mounted(core, None, screen) as shown:
            await shown.type("Name", "Ada")
            assert shown.text.endswith("Ada")

    @pytest.mark.parametrize("kind", ["kit", "element", "form", "action"])
    async def test_an_unclear_handler_fails_where_it_is_rendered(self, core: Core, kind: str) -> None:
        @component
        def screen() -> Any:
            unclear: Any = lambda event: event  # noqa: E731
            match kind:
                case "kit":
                    return button("Press", on_click=unclear)
                case "form":
                    return form(text_field("name", "Name"), on_submit=unclear)
                case "action":
                    return button("Press", on_click=use_action(unclear, in_transaction=False))
                case _:
                    return html.button({"onClick": unclear}, "Press")

        with capture_logs() as logs:
            async with mounted(core, None, screen) as shown:
                assert not shown.has("button", "Press")
        assert "ui.render_failed" in [each["event"] for each in logs]
