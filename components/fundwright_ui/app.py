"""The composition root: builds the ASGI application from the backend's routes and the registered screens."""

from __future__ import annotations

from functools import partial

from fastapi import APIRouter, Depends, FastAPI
from fastapi.routing import APIRoute
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from fundwright import __version__
from fundwright.authentication.request_authentication import refuse_in_maintenance, signed_for
from fundwright.core.assembly import Core
from fundwright.core.edge import (
    ArrivingRequests,
    BoundedHeads,
    KnownHosts,
    RequestDeadline,
    StrictTransport,
    UntrustedProxy,
    known_names,
)
from fundwright.core.errors import StartRefused
from fundwright.core.plugins import Plugins
from fundwright.core.web import (
    GUARDS,
    REFUSAL,
    LocaleMiddleware,
    RequestId,
    RequestLimitMiddleware,
    add_error_handlers,
)
from fundwright.insights.tracking import Tracker
from fundwright_ui.product.host import ProductHost
from fundwright_ui.reference import add_reference
from fundwright_ui.runtime.host import Refused
from fundwright_ui.runtime.modules import Modules
from fundwright_ui.runtime.mounting import mount
from fundwright_ui.screens.sharing.pages import add_shared_pages
from fundwright_ui.screens.unsubscribing import add_unsubscribe_page
from fundwright_ui.shell.frame import frame
from fundwright_ui.ui.icons import use_icons
from fundwright_ui.widgets import ALL as WIDGETS

REDIRECTS = {
    "/": "/dashboard/train",
    "/dashboard": "/dashboard/train",
    "/dashboard/generate": "/generate/index",
    "/generate": "/generate/index",
}


def build_app(core: Core, *, base: str = "") -> FastAPI:
    """Build the whole application on an open Core. `base` is the path prefix behind a proxy, such as `/app`."""
    app = FastAPI(
        title="Fundwright",
        version=__version__,
        openapi_url=None,  # `add_reference` serves it
        docs_url=None,
        redoc_url=None,
        responses=REFUSAL,
        redirect_slashes=False,  # It would redirect to whatever host and scheme the request names.
    )
    app.state.core = core
    add_error_handlers(app)
    # The middleware that is added last runs first.
    app.add_middleware(RequestDeadline, limit_s=core.settings.request_timeout_s)
    app.add_middleware(KnownHosts, names=known_names(core.settings))
    app.add_middleware(RequestLimitMiddleware)
    app.add_middleware(ArrivingRequests)
    app.add_middleware(RequestId, account_of=partial(signed_for, core))
    app.add_middleware(BoundedHeads)
    app.add_middleware(LocaleMiddleware)
    app.add_middleware(StrictTransport)
    if proxies := core.settings.trusted_proxies:
        # Before everything that needs the client's address. In a chain of addresses, it takes the last one that is not our proxy.
        app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=[str(network) for network in proxies])
    app.add_middleware(UntrustedProxy, trusted=core.settings.trusted_proxies)
    guards = [*GUARDS]
    if core.settings.is_closed:
        guards.append(Depends(partial(refuse_in_maintenance, base)))
    for router in checked_routers(core.plugins):
        app.include_router(router, prefix=base, dependencies=guards)

    add_reference(app, core=core, base=base)
    add_shared_pages(app, core=core, base=base)
    add_unsubscribe_page(app, core=core, base=base)

    use_icons(core.plugins.collect("icons"))
    app.state.tracker = Tracker(core)
    try:
        modules = Modules(core.plugins.collect("web_modules"), taken=[widget.__name__ for widget in WIDGETS])
    except Refused as error:
        raise StartRefused(error.sentence) from error
    mount(
        app,
        ProductHost(core, on_view=app.state.tracker.record),
        screens=core.plugins.collect("screens"),
        redirects=REDIRECTS,
        shell=frame,
        modules=modules,
        base=base,
    )
    return app


def checked_routers(plugins: Plugins) -> list[APIRouter]:
    """Return the API routers of all packages. Raises StartRefused for two routes with the same method and path."""
    routers: list[APIRouter] = plugins.collect("api_routers")
    seen: set[tuple[str, str]] = set()
    for route in (route for router in routers for route in router.routes if isinstance(route, APIRoute)):
        for method in route.methods or ():
            if (method, route.path) in seen:
                raise StartRefused(
                    f"Two packages register the API route {method} {route.path}. Remove one of them, and start again."
                )
            seen.add((method, route.path))
    return routers
