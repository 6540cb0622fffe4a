"""The page in Dash. Started by the benchmark with the port in `PORT`."""

import os
from typing import Any

from dash import Dash, Input, Output, callback, dcc, html


def body(tick: int) -> list[Any]:
    return [html.Tr([html.Td(f"{row}.{column}.{tick}") for column in range(8)]) for row in range(100)]


app = Dash()
app.layout = html.Div(
    [
        html.H1("Counter and table"),
        html.Button("Add", id="add"),
        html.P("Count: 0", id="count"),
        dcc.Input(id="field", placeholder="Echo"),
        html.P("Echo: ", id="echo"),
        html.Button("Turn", id="turn"),
        html.Table([html.Thead(html.Tr([html.Th(f"Column {column}") for column in range(8)])), html.Tbody(body(0), id="body")]),
    ]
)


@callback(Output("count", "children"), Input("add", "n_clicks"), prevent_initial_call=True)
def add(clicks: int) -> str:
    return f"Count: {clicks}"


@callback(Output("echo", "children"), Input("field", "value"), prevent_initial_call=True)
def echo(value: str) -> str:
    return f"Echo: {value}"


@callback(Output("body", "children"), Input("turn", "n_clicks"), prevent_initial_call=True)
def turn(clicks: int) -> list[Any]:
    return body(clicks)


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=os.environ["PORT"], debug=False)
