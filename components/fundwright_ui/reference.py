"""The page `/api/docs`: the API reference, built from our own files under the same policy as every page."""

from __future__ import annotations

import secrets

from fastapi import FastAPI
from fastapi.responses import HTMLResponse

from fundwright.core.assembly import Core
from fundwright_ui.runtime.bundle import Bundle
from fundwright_ui.runtime.document import page_headers

_ENTRY = "web/src/docs.ts"


def add_reference(app: FastAPI, *, core: Core, base: str) -> None:
    """Serve `{base}/api/docs`. FastAPI's own page loads scripts from another host, which we never do."""
    bundle = Bundle(core.settings.web_dist, base=base)

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
