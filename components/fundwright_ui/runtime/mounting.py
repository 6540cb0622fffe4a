"""Mounts the runtime in a FastAPI application."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response
from starlette.convertors import PathConvertor, register_url_convertor

from fundwright_ui.runtime.assets import Assets
from fundwright_ui.runtime.bundle import Bundle
from fundwright_ui.runtime.document import Documents
from fundwright_ui.runtime.host import Host, Refused
from fundwright_ui.runtime.modules import Modules
from fundwright_ui.runtime.painted import PaintedPages
from fundwright_ui.runtime.render_slots import Allowances, RenderSlots
from fundwright_ui.runtime.router import Router, Screen
from fundwright_ui.runtime.session import Site
from fundwright_ui.runtime.socket import Sockets
from fundwright_ui.runtime.stream import Streams
from fundwright_ui.runtime.view import Shell


class _PageConvertor(PathConvertor):
    """Matches every path outside the API, so that a program gets 404 for an unknown API path instead of a page."""

    regex = "(?!api/).*"


register_url_convertor("page", _PageConvertor())


def mount(
    app: FastAPI,
    host: Host,
    *,
    screens: Iterable[Screen],
    redirects: Mapping[str, str],
    shell: Shell,
    modules: Modules | None = None,
    base: str = "",
) -> None:
    """Serve pages at every path outside `/api/` that has no other route in `app`, and open pages over `{base}/socket`.

    `redirects` maps paths to paths. `shell(area, screen)` adds the frame to a screen. `modules` are the widgets of other packages.
    Call this after every other route has been added.
    """
    router = Router(screens, host.addresses, redirects=redirects, is_closed_to=host.is_closed_to, may_open=host.may_open)
    modules = modules or Modules(())
    web_dist = host.core.settings.web_dist
    scripts = [each for files in modules.addresses.values() for each in files]
    bundle = Bundle(web_dist, base=base, modules=scripts, version=host.version)
    render_slots, painted = RenderSlots(host.page_turns), PaintedPages()
    documents = Documents(
        host,
        router=router,
        shell=shell,
        bundle=bundle,
        modules=modules,
        base=base,
        render_slots=render_slots,
        painted=painted,
    )
    site = Site(
        host,
        router=router,
        shell=shell,
        bundle=bundle,
        base=base,
        painted=painted,
        render_slots=render_slots,
        event_slots=RenderSlots(),
        allowances=Allowances(),
    )
    sockets = Sockets(site)
    streams = Streams(site, sockets)
    assets = Assets(web_dist / "assets", modules.contents)

    async def page(request: Request) -> Response:
        try:
            return await documents.respond(request, await host.authenticate(request))
        except Exception as error:
            return documents.error_page(request, error)

    async def connection(request: Request) -> Response:
        actor = await host.authenticate(request, is_use=False)
        return JSONResponse({"account": host.identity_of(actor), "build": bundle.id})

    async def refused(_request: Request, error: Exception) -> Response:
        assert isinstance(error, Refused)
        body = {"code": type(error).__name__, "message": error.sentence, "id": None}
        return JSONResponse({"error": body}, status_code=error.status)

    app.add_exception_handler(Refused, refused)
    app.router.add_websocket_route(f"{base}/socket", sockets.accept)
    for path, endpoint in {"": streams.open, "/frames": streams.receive_frames, "/close": streams.close}.items():
        app.add_api_route(f"{base}/stream{path}", endpoint, methods=["POST"], include_in_schema=False, response_model=None)
    reading = ["GET", "HEAD"]
    app.add_api_route(f"{base}/connection", connection, methods=["GET"], include_in_schema=False, response_model=None)
    app.add_api_route(
        f"{base}/assets/{{path:path}}", assets.respond, methods=reading, include_in_schema=False, response_model=None
    )
    if base:
        app.add_api_route(base, page, methods=reading, include_in_schema=False, response_model=None)
    app.add_api_route(f"{base}/{{path:page}}", page, methods=reading, include_in_schema=False, response_model=None)
