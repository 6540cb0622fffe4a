"""The list in Reflex. The benchmark copies it into an application like those that `reflex init` creates."""

import notices
import reflex as rx


class State(rx.State):
    rows: list[dict[str, str]] = []
    total: int = 0
    page: int = 1
    sort: str = ""
    descending: bool = False
    filters: dict[str, str] = {}
    notice: dict[str, str] = {}

    def _find(self) -> None:
        offset = notices.PAGE_SIZE * (self.page - 1)
        self.rows, self.total = notices.find(**self.filters, sort=self.sort, descending=self.descending, offset=offset)

    @rx.event
    def load(self) -> None:
        self.reset()
        self._find()

    @rx.event
    def turn(self, by: int) -> None:
        self.page += by
        self._find()

    @rx.event
    def sort_by(self, column: str) -> None:
        self.descending = self.sort == column and not self.descending
        self.sort, self.page = column, 1
        self._find()

    @rx.event
    def narrow(self, name: str, value: str) -> None:
        self.filters[name], self.page = value, 1
        self._find()

    @rx.event
    def search(self, form: dict[str, str]) -> None:
        self.filters["q"], self.sort, self.page = form["q"], "", 1
        self._find()

    @rx.event
    def open(self) -> None:
        self.notice = notices.read(self.notice_id)


def choice(name: str, label: str, values: list[str]) -> rx.Component:
    options = [rx.el.option(label, value=""), *(rx.el.option(value, value=value) for value in values)]
    return rx.el.select(*options, name=name, on_change=State.narrow(name))


def row(notice: rx.Var[dict[str, str]]) -> rx.Component:
    return rx.table.row(
        rx.table.cell(rx.link(notice["title"], href="/notice/" + notice["id"])),
        *(rx.table.cell(notice[name]) for name in ("agency", "type", "due", "posted", "code")),
        rx.table.cell(rx.cond(notice["marks"], rx.badge(notice["marks"]))),
        key=notice["id"],
    )


def page() -> rx.Component:
    return rx.box(
        rx.heading("Opportunities"),
        rx.form(rx.hstack(rx.input(name="q", placeholder="Search"), rx.button("Search", type="submit")), on_submit=State.search),
        rx.hstack(
            choice("agency", "Agency", notices.choices("agency")),
            choice("type", "Type", notices.choices("type")),
            choice("code", "Set-aside", notices.choices("code")),
            choice("state", "Open or closed", ["open", "closed"]),
        ),
        rx.text(State.total, " opportunities"),
        rx.table.root(
            rx.table.header(
                rx.table.row(
                    *(
                        rx.table.column_header_cell(label, on_click=State.sort_by(name) if name in notices.ORDERS else None)
                        for name, label in notices.COLUMNS.items()
                    )
                )
            ),
            rx.table.body(rx.foreach(State.rows, row)),
        ),
        rx.hstack(
            rx.button("Previous page", on_click=State.turn(-1), disabled=State.page == 1),
            rx.text("Page ", State.page),
            rx.button("Next page", on_click=State.turn(1)),
        ),
    )


def detail() -> rx.Component:
    return rx.box(
        rx.heading(State.notice["title"]),
        rx.text(State.notice["agency"], " · ", State.notice["office"]),
        rx.text(State.notice["type"], " · ", State.notice["number"]),
        rx.text(State.notice["description"]),
    )


app = rx.App()
app.add_page(page, route="/", on_load=State.load)
app.add_page(detail, route="/notice/[notice_id]", on_load=State.open)
