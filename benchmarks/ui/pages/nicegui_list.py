"""The list in NiceGUI with AG Grid, which receives a page of rows at a time. Started by the benchmark with the port in `PORT`."""

import os
from typing import Any

import notices
from nicegui import events, ui

# The server sorts; the grid would sort only the rows of this page.
COLUMNS = [
    {"field": field, "headerName": label, "sortable": field in notices.ORDERS, ":comparator": "() => 0"}
    for field, label in notices.COLUMNS.items()
]
SORTED = """(event) => {
  const sorted = event.api.getColumnState().find((each) => each.sort);
  emitEvent("sorted", [sorted?.colId ?? "", sorted?.sort ?? ""]);
}"""


@ui.page("/")
@ui.page("/notice/{id}")
def page() -> None:
    ui.sub_pages({"/": opportunities, "/notice/{id}": notice})


def opportunities() -> None:
    asked: dict[str, Any] = {}
    state = {"page": 1}

    def find(**changes: Any) -> None:
        state["page"] = changes.pop("page", 1)
        asked.update(changes)
        rows, total = notices.find(**asked, offset=notices.PAGE_SIZE * (state["page"] - 1))
        grid.run_grid_method("setGridOption", "rowData", rows)
        status.set_text(f"{total:,} opportunities, page {state['page']}")

    def sort(event: events.GenericEventArguments) -> None:
        column, direction = event.args
        find(sort=column, descending=direction == "desc")

    def choice(name: str, label: str, values: list[str]) -> None:
        options = {"": "Any", **{value: value for value in values}}
        ui.select(options, label=label, value="", on_change=lambda event: find(**{name: event.value})).classes(
            f"w-48 choice-{name}"
        )

    rows, total = notices.find()
    ui.label("Opportunities").classes("text-2xl")
    with ui.row():
        words = ui.input("Search").on("keydown.enter", lambda: find(q=words.value))
        ui.button("Search", on_click=lambda: find(q=words.value))
    with ui.row():
        choice("agency", "Agency", notices.choices("agency"))
        choice("type", "Type", notices.choices("type"))
        choice("code", "Set-aside", notices.choices("code"))
        choice("state", "Open or closed", ["open", "closed"])
    status = ui.label(f"{total:,} opportunities, page 1")
    grid = ui.aggrid(
        {"columnDefs": COLUMNS, "rowData": rows, "domLayout": "autoHeight", ":onSortChanged": SORTED}, auto_size_columns=True
    )
    ui.on("sorted", sort)
    grid.on("cellClicked", lambda event: ui.navigate.to(f"/notice/{event.args['data']['id']}"), ["data"])
    with ui.row():
        ui.button("Previous page", on_click=lambda: find(page=max(1, state["page"] - 1)))
        ui.button("Next page", on_click=lambda: find(page=state["page"] + 1))


def notice(id: str) -> None:
    found = notices.read(id)
    ui.html(f"<h1>{found['title']}</h1>", sanitize=False)
    ui.label(f"{found['agency']} · {found['office']}")
    ui.label(f"{found['type']} · {found['number']}")
    ui.label(found["description"])


ui.run(host="127.0.0.1", port=int(os.environ["PORT"]), reload=False, show=False)
