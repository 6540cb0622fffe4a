"""Puts the runtime into a FastAPI application."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response
from starlette.convertors import PathConvertor, register_url_convertor

from fundwright.accounts.schemas import Permission
from fundwright.core.assembly import Core
from fundwright_ui.runtime.assets import Assets
from fundwright_ui.runtime.bundle import Bundle
from fundwright_ui.runtime.document import Documents
from fundwright_ui.runtime.modules import Modules
from fundwright_ui.runtime.router import Router, Screen
from fundwright_ui.runtime.session import Authenticate, Recognize, Site
from fundwright_ui.runtime.socket import Sockets
from fundwright_ui.runtime.stream import Streams
from fundwright_ui.runtime.turns import Turns
from fundwright_ui.runtime.view import OnView, Shell


class _PageConvertor(PathConvertor):
    """Every path but those of the API: a program that asks for what is not there is told so, not led to a page."""

    regex = "(?!api/).*"


register_url_convertor("page", _PageConvertor())


def mount(
    app: FastAPI,
    *,
    core: Core,
    screens: Iterable[Screen],
    redirects: Mapping[str, str],
    shell: Shell,
    authenticate: Authenticate,
    recognize: Recognize,
    modules: Modules | None = None,
    on_view: OnView = lambda _path, _actor, _language: None,
    base: str = "",
) -> None:
    """Answer every `GET` outside of `/api/` that nothing else in `app` answers with a page, and drive open pages over `{base}/socket`.

    `redirects` maps paths to paths. `shell(area, screen)` frames a screen. `authenticate(connection)` says who opens
    a page or a socket, `recognize(actor, is_use=…)` who that is by now.
    `modules` are the widgets of other packages. `on_view` is told of each page that somebody is shown.
    Call this after every other route has been added.
    """
    settings = core.settings
    router = Router(
        screens,
        redirects=redirects,
        is_closed_to=lambda actor: settings.is_closed and not (actor and actor.may(Permission.ADMINISTER)),
        may_open=lambda actor: actor.email != settings.unknown_email,
    )
    modules = modules or Modules(())
    bundle = Bundle(core.settings.web_dist, base=base, modules=[each for files in modules.addresses.values() for each in files])
    turns = Turns()
    documents = Documents(
        core,
        router=router,
        shell=shell,
        bundle=bundle,
        modules=modules,
        on_view=on_view,
        base=base,
        turns=turns,
    )
    site = Site(
        core,
        router=router,
        shell=shell,
        authenticate=authenticate,
        recognize=recognize,
        on_view=on_view,
        bundle=bundle,
        base=base,
        turns=turns,
    )
    sockets = Sockets(site)
    streams = Streams(site, sockets)
    assets = Assets(core.settings.web_dist / "assets", modules.contents)

    async def page(request: Request) -> Response:
        try:
            return await documents.answer(request, await authenticate(request))
        except Exception as error:
            return documents.excuse(request, error)

    async def connection(request: Request) -> Response:
        actor = await authenticate(request, is_use=False)
        return JSONResponse({"account": str(actor.id) if actor else None, "build": bundle.id})

    app.router.add_websocket_route(f"{base}/socket", sockets.answer)
    for path, answer in {"": streams.open, "/frames": streams.take, "/close": streams.close}.items():
        app.add_api_route(f"{base}/stream{path}", answer, methods=["POST"], include_in_schema=False, response_model=None)
    reading = ["GET", "HEAD"]
    app.add_api_route(f"{base}/connection", connection, methods=["GET"], include_in_schema=False, response_model=None)
    app.add_api_route(
        f"{base}/assets/{{path:path}}", assets.answer, methods=reading, include_in_schema=False, response_model=None
    )
    if base:
        app.add_api_route(base, page, methods=reading, include_in_schema=False, response_model=None)
    app.add_api_route(f"{base}/{{path:page}}", page, methods=reading, include_in_schema=False, response_model=None)
