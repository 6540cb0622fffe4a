"""Forms that correct a fact and that add one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, create_model
from reactpy import component, html, use_state
from reactpy.types import Component, VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.messages import t
from fundwright.facts import service as facts
from fundwright.facts.schemas import (
    FIELDS,
    MOST_CHARACTERS,
    FactCorrection,
    FactField,
    FactForm,
    FactKind,
    FactRead,
    FactStatus,
    FactValue,
    label_of_field,
    label_of_kind,
)
from fundwright_ui.hooks import use_action, use_url_state
from fundwright_ui.product import use_actor
from fundwright_ui.screens.conflict import use_editing
from fundwright_ui.ui import Option, button, definition_list, form, section, select_field, sending_field, text_area, text_field

EDITED, ADDED = "edit", "add"
"""The parameters of the address with the id of the fact that is edited, and with the kind of the one that is added."""
_LONG = (FactField.ADDRESS, FactField.QUALIFICATIONS, FactField.WORK)


class _Typed(BaseModel):
    model_config = ConfigDict(frozen=True)

    status: FactStatus = FactStatus.CURRENT
    based_on: datetime | None = None
    key: str = ""

    @property
    def values(self) -> dict[FactField, str]:
        return {field: getattr(self, field.value) for field in FactField}


_VALUES: dict[str, Any] = {field.value: (FactValue, "") for field in FactField}
TypedFact = create_model("TypedFact", __base__=_Typed, **_VALUES)
"""The submitted form, with a field for each value that facts of any kind have."""


@component
def edit_fact(fact: FactRead, reload: Callable[[], None]) -> VdomDict:
    """The values of a fact, which saving accepts. `reload` loads the list again."""
    actor, url = use_actor(), use_url_state()
    editing = use_editing(fact, fact.changed_at, reload)

    async def save(session: AsyncSession, typed: _Typed) -> None:
        based_on = editing.base_of(typed.based_on or fact.changed_at)
        correction = FactCorrection(values=typed.values, status=typed.status, based_on=based_on)
        try:
            await facts.correct(session, actor, fact.id, correction)
        except facts.FactChangedMeanwhile:
            editing.refused()
            raise

    def close() -> None:
        url.set(**{EDITED: None})
        reload()

    stated = fact.read_values or (fact.values if not fact.is_added else {})
    return html.div(
        {"className": "fw-stack fw-grow"},
        html.p({"className": "fw-muted fw-small"}, t("The document states: {text}", text="; ".join(stated.values())))
        if stated
        else None,
        form(
            *_fields(fact.kind, editing.item.values, editing.item.status, id=str(fact.id)),
            on_submit=use_action(save, success=t("The fact was saved and accepted."), then=close),
            model=TypedFact,
            submit=t("Save and accept"),
            label=t("Edit fact"),
            name=f"fact-{fact.id}",
            actions=(button(t("Cancel"), on_click=lambda: url.set(**{EDITED: None})),),
            is_secondary=True,
            based_on=editing.based_on,
            key=editing.key,
        ),
        editing.other(_read(fact)),
    )


@component
def new_fact(kind: FactKind, added: Callable[[], None]) -> VdomDict | Component:
    """A form for a fact that no document states. `added` is called once it is there."""
    actor, url = use_actor(), use_url_state()
    sending, set_sending = use_state(lambda: uuid4().hex)

    async def add(session: AsyncSession, typed: _Typed) -> None:
        await facts.add_fact(session, actor, FactForm(kind=kind, values=typed.values, status=typed.status, key=typed.key))

    def close() -> None:
        url.set(**{ADDED: None})

    def then() -> None:
        set_sending(uuid4().hex)
        close()
        added()

    return section(
        t("New fact: {kind}", kind=label_of_kind(kind)),
        form(
            sending_field(sending),
            *_fields(kind, {}, FactStatus.CURRENT, id="new"),
            on_submit=use_action(add, success=t("The fact was added."), then=then),
            model=TypedFact,
            submit=t("Add fact"),
            label=t("New fact"),
            name=f"fact-{kind}",
            actions=(button(t("Cancel"), on_click=close),),
            is_secondary=True,
            reset_on_success=True,
        ),
    )


def _fields(kind: FactKind, values: Mapping[FactField, str], status: FactStatus, *, id: str) -> list[VdomDict]:
    return [
        *(
            (text_area if field in _LONG else text_field)(
                field.value,
                label_of_field(field),
                default=values.get(field, ""),
                maxlength=MOST_CHARACTERS,
                id=f"fact-{id}-{field.value}",
            )
            for field in FIELDS[kind]
        ),
        select_field(
            "status",
            t("Status"),
            [Option(each.value, each.label) for each in FactStatus],
            default=status.value,
            id=f"fact-{id}-status",
        ),
    ]


def _read(fact: FactRead) -> VdomDict:
    return definition_list(
        [*((label_of_field(field), value) for field, value in fact.values.items()), (t("Status"), fact.status.label)]
    )
