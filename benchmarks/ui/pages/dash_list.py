"""The list in Dash with AG Grid, whose infinite row model requests a page at a time. Started by the benchmark with the port in
`PORT`."""

import os
from typing import Any

import dash_ag_grid as dag
import notices
from dash import Dash, Input, Output, State, callback, clientside_callback, dcc, html

COLUMNS = [{"field": field, "headerName": label, "sortable": field in notices.ORDERS} for field, label in notices.COLUMNS.items()]
FILTERS = ("agency", "type", "code")


def choice(name: str, label: str, values: list[str]) -> dcc.Dropdown:
    return dcc.Dropdown(values, id=name, placeholder=label)


app = Dash()
app.layout = lambda: html.Div(
    [
        dcc.Location(id="url", refresh=False),
        html.Div(
            [
                html.H2("Opportunities"),
                dcc.Input(id="q", placeholder="Search", debounce=True, value=""),
                html.Button("Search", id="search"),
                choice("agency", "Agency", notices.choices("agency")),
                choice("type", "Type", notices.choices("type")),
                choice("code", "Set-aside", notices.choices("code")),
                choice("state", "Open or closed", ["open", "closed"]),
                html.P(id="status"),
                dag.AgGrid(
                    id="grid",
                    rowModelType="infinite",
                    columnDefs=COLUMNS,
                    getRowId="params.data.id",
                    dashGridOptions={
                        "pagination": True,
                        "paginationPageSize": 25,
                        "cacheBlockSize": 25,
                        "paginationPageSizeSelector": False,
                    },
                    style={"height": "1150px"},
                ),
            ],
            id="list",
        ),
        html.Div(id="notice"),
    ]
)


@callback(
    Output("grid", "getRowsResponse"),
    Output("status", "children"),
    Input("grid", "getRowsRequest"),
    *(State(name, "value") for name in ("q", *FILTERS, "state")),
)
def rows(wanted: dict[str, Any] | None, q: str, agency: str, type: str, code: str, state: str) -> tuple[dict[str, Any], str]:
    asked: dict[str, Any] = {"q": q or "", "agency": agency or "", "type": type or "", "code": code or "", "state": state or ""}
    if wanted is not None:
        asked["offset"] = wanted["startRow"]
        for order in wanted["sortModel"]:
            asked |= {"sort": order["colId"], "descending": order["sort"] == "desc"}
    found, total = notices.find(**asked)
    return {"rowData": found, "rowCount": total}, f"{total:,} opportunities"


clientside_callback(
    "() => { dash_ag_grid.getApi('grid').purgeInfiniteCache(); return dash_clientside.no_update; }",
    Output("search", "title"),
    *(Input(name, "value") for name in ("q", *FILTERS, "state")),
    prevent_initial_call=True,
)


@callback(
    Output("notice", "children"), Output("list", "hidden"), Output("url", "pathname"), Input("grid", "cellClicked"),
    prevent_initial_call=True,
)  # fmt: skip
def opened(cell: dict[str, Any]) -> tuple[Any, bool, str]:
    found = notices.read(cell["rowId"])
    parts = [
        html.H1(found["title"]), html.P(f"{found['agency']} · {found['office']}"), html.P(f"{found['type']} · {found['number']}"),
        html.P(found["description"]),
    ]  # fmt: skip
    return parts, True, f"/notice/{cell['rowId']}"


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=os.environ["PORT"], debug=False)
