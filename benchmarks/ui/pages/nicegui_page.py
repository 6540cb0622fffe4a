"""The page in NiceGUI. Started by the benchmark with the port in `PORT`."""

import os
from typing import Any

from nicegui import ui


def rows(tick: int) -> list[dict[str, Any]]:
    return [{"id": row} | {f"c{column}": f"{row}.{column}.{tick}" for column in range(8)} for row in range(100)]


@ui.page("/")
def page() -> None:
    state = {"count": 0, "tick": 0}

    def add() -> None:
        state["count"] += 1
        counter.set_text(f"Count: {state['count']}")

    def turn() -> None:
        state["tick"] += 1
        table.rows = rows(state["tick"])

    ui.label("Counter and table")
    ui.button("Add", on_click=add)
    counter = ui.label("Count: 0")
    ui.input("Echo", on_change=lambda event: echo.set_text(f"Echo: {event.value}"))
    echo = ui.label("Echo: ")
    ui.button("Turn", on_click=turn)
    columns = [{"name": f"c{column}", "label": f"Column {column}", "field": f"c{column}"} for column in range(8)]
    table = ui.table(columns=columns, rows=rows(0), row_key="id", pagination=0)


ui.run(host="127.0.0.1", port=int(os.environ["PORT"]), reload=False, show=False)
