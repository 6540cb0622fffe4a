"""A dashboard-like page with a counter. Run as a program, it is served by ReactPy's own executor on the port in `PORT`."""

from __future__ import annotations

import os
from typing import Any

import uvicorn
from reactpy import component, html, use_state


@component
def dashboard() -> Any:
    """About sixty elements: a frame of links, eight figures, and a short list, with a counter."""
    count, set_count = use_state(0)
    return html.div(
        html.nav(html.ul(*(html.li({"key": n}, html.a({"href": f"/{n}"}, f"Section {n}")) for n in range(8)))),
        html.main(
            html.h1("Dashboard"),
            html.button({"id": "add", "onClick": lambda _event=None: set_count(count + 1)}, "Add"),
            html.p(f"count {count}"),
            *(
                html.section({"key": f"figure-{n}", "className": "fw-card"}, html.h2(f"Figure {n}"), html.p(f"{n * 1_000}"))
                for n in range(8)
            ),
            html.ul(*(html.li({"key": n}, f"Line {n}") for n in range(12))),
        ),
    )


if __name__ == "__main__":
    from reactpy.executors.asgi import ReactPy

    uvicorn.run(ReactPy(dashboard), port=int(os.environ["PORT"]), log_level="error", lifespan="off", ws="websockets-sansio")
