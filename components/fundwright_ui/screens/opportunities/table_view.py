"""How a person wants to see the table of opportunities: its columns and the height of its rows. It is kept with the account."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict
from reactpy import html
from reactpy.types import VdomDict

from fundwright.core.messages import t
from fundwright.opportunities.schemas import Kind
from fundwright_ui.product import SavedState, use_saved_state
from fundwright_ui.ui import checkbox, menu


class TableView(BaseModel):
    """`hidden` are fields of columns. `is_compact` makes rows 36 px high instead of 44 px, except on touch screens."""

    model_config = ConfigDict(frozen=True)

    hidden: tuple[str, ...] = ("naics",)
    is_compact: bool = False

    def with_column(self, field: str, *, is_shown: bool) -> TableView:
        others = tuple(each for each in self.hidden if each != field)
        return self.model_copy(update={"hidden": others if is_shown else (*others, field)})


def use_table_view(kind: Kind) -> SavedState[TableView]:
    return use_saved_state(f"opportunities.{kind}.table", TableView())


def optional_columns(kind: Kind) -> Mapping[str, str]:
    """Return the labels of the columns that can be hidden, by their fields."""
    return {
        "agency": t("Agency"),
        "type": t("Type"),
        "due": t("Due"),
        "posted": t("Posted"),
        "code": t("Set-aside") if kind == "contract" else t("Activity code"),
        **({"naics": "NAICS"} if kind == "contract" else {}),
        "value": t("Value"),
        "categories": t("Category"),
        "watch": t("Watch"),
    }


def view_menu(kind: Kind, view: SavedState[TableView]) -> VdomDict:
    """A menu that chooses the columns and the height of the rows."""

    def toggle(field: str, label: str) -> VdomDict:
        async def change(is_shown: bool) -> None:
            await view.change(lambda saved: saved.with_column(field, is_shown=is_shown))

        return checkbox(f"column-{field}", label, checked=field not in view.value.hidden, on_change=change, key=field)

    async def compact(is_compact: bool) -> None:
        await view.change(lambda saved: saved.model_copy(update={"is_compact": is_compact}))

    return menu(
        t("Columns and rows"),
        html.fieldset(
            {"className": "fw-menu-choices"},
            html.legend(t("Columns")),
            *(toggle(field, label) for field, label in optional_columns(kind).items()),
        ),
        html.fieldset(
            {"className": "fw-menu-choices"},
            html.legend(t("Rows")),
            checkbox("compact", t("Compact"), checked=view.value.is_compact, on_change=compact),
        ),
        id="table-view",
        icon_name="columns",
    )
