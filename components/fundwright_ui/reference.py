"""The page `/api/docs` and its description of the API, built from our own files under the same policy as every page."""

from __future__ import annotations

import asyncio
import json
import secrets

from fastapi import FastAPI, Response
from fastapi.responses import HTMLResponse

from fundwright.core.assembly import Core
from fundwright.core.fair_loop import of_the_server
from fundwright_ui.runtime.bundle import Bundle
from fundwright_ui.runtime.document import page_headers

_ENTRY = "web/src/docs.ts"


def add_reference(app: FastAPI, *, core: Core, base: str) -> None:
    """Serve `{base}/api/docs` and `{base}/api/openapi.json`. FastAPI's own page loads scripts from another host, which we never do, and its
    own route describes hundreds of routes while everyone else waits."""
    bundle = Bundle(core.settings.web_dist, base=base)
    description: asyncio.Task[str] | None = None

    async def describe() -> Response:
        nonlocal description
        if description is None:
            description = asyncio.create_task(
                asyncio.to_thread(lambda: json.dumps(app.openapi(), separators=(",", ":"))), context=of_the_server()
            )
        return Response(await asyncio.shield(description), media_type="application/json")

    async def reference() -> HTMLResponse:
        nonce = secrets.token_urlsafe(16)
        html = (
            '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Fundwright API</title>'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"{bundle.head(_ENTRY, nonce=nonce)}</head>"
            f'<body><main id="root" data-openapi="{base}/api/openapi.json"></main></body></html>'
        )
        return HTMLResponse(html, headers=page_headers(nonce))

    app.add_api_route(f"{base}/api/docs", reference, include_in_schema=False)
    app.add_api_route(f"{base}/api/openapi.json", describe, include_in_schema=False)
