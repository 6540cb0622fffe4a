"""The values that a form reads, and its validation errors."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, HttpUrl
from reactpy import component
from reactpy.types import Component

from fundwright.core.assembly import Core
from fundwright_ui import form, text_field
from fundwright_ui.testing import mounted


class Partner(BaseModel):
    name: Annotated[str, Field(min_length=1)]
    code: Annotated[str, Field(pattern=r"^[A-Z]{2}\d{4}$")] = ""
    cage: Annotated[str | None, Field(pattern=r"^[A-Z0-9]{5}$", description="Use the five characters of the CAGE code.")] = None
    site: HttpUrl | None = None
    since: date | None = None
    staff: int = 1
    size: Literal["small", "large"] = "small"


async def sent(core: Core, **typed: str) -> tuple[list[Partner], str]:
    """Submit the form. Returns the models that the handler received, and the text of all alerts."""
    given: list[Partner] = []

    @component
    def screen() -> Component:
        fields = [text_field(name, name.title()) for name in Partner.model_fields]
        return form(*fields, on_submit=keep, model=Partner, submit="Add")

    def keep(partner: Partner) -> None:
        given.append(partner)

    async with mounted(core, None, screen) as shown:
        for name in Partner.model_fields:
            await shown.type(name.title(), typed.get(name, ""))
        await shown.submit()
        return given, " ".join(each.text for each in shown.elements("alert"))


async def test_fields_with_a_default_may_stay_empty(committed: Core) -> None:
    given, said = await sent(committed, name="Acme")
    assert (given, said) == ([Partner(name="Acme")], "")
    assert {"cage", "site", "since"} <= given[0].model_fields_set  # so that a change can clear them


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ({"name": ""}, "Fill in this field."),
        ({"code": "x"}, "This is not in the expected format."),
        ({"cage": "x"}, "Use the five characters of the CAGE code."),
        ({"site": "example"}, "Enter a web address, such as https://example.org."),
        ({"since": "soon"}, "Enter a date."),
        ({"staff": "few"}, "Enter a number."),
        ({"size": "huge"}, "Choose one of the options."),
    ],
)
async def test_errors_are_sentences(committed: Core, typed: dict[str, Any], sentence: str) -> None:
    given, said = await sent(committed, **{"name": "Acme", **typed})
    assert (given, said) == ([], sentence)


def test_phones_show_the_keyboard_of_a_field() -> None:
    def shown(**options: Any) -> dict[str, Any]:
        [field] = (child for child in text_field("a", "A", **options)["children"] if child and child["tagName"] == "input")
        return field["attributes"]

    assert shown(type="search")["enterKeyHint"] == "search"
    assert shown(keyboard="decimal")["inputMode"] == "decimal"
    assert not {"inputMode", "enterKeyHint"} & shown().keys()
