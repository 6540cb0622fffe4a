"""The page in Reflex. The benchmark copies it into an application like those that `reflex init` creates."""

import reflex as rx


def table(tick: int) -> list[list[str]]:
    return [[f"{row}.{column}.{tick}" for column in range(8)] for row in range(100)]


class State(rx.State):
    count: int = 0
    echo: str = ""
    tick: int = 0
    rows: list[list[str]] = table(0)

    @rx.event
    def add(self) -> None:
        self.count += 1

    @rx.event
    def say(self, value: str) -> None:
        self.echo = value

    @rx.event
    def turn(self) -> None:
        self.tick += 1
        self.rows = table(self.tick)


def page() -> rx.Component:
    return rx.box(
        rx.heading("Counter and table"),
        rx.button("Add", on_click=State.add),
        rx.text("Count: ", State.count),
        rx.el.input(placeholder="Echo", on_change=State.say),
        rx.text("Echo: ", State.echo),
        rx.button("Turn", on_click=State.turn),
        rx.el.table(
            rx.el.thead(rx.el.tr(*(rx.el.th(f"Column {column}") for column in range(8)))),
            rx.el.tbody(rx.foreach(State.rows, lambda row: rx.el.tr(rx.foreach(row, lambda cell: rx.el.td(cell))))),
        ),
    )


app = rx.App()
app.add_page(page, route="/")
