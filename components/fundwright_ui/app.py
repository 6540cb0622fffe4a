"""The composition root: builds the ASGI application from the backend's routes and the registered screens."""

from __future__ import annotations

from functools import partial

from fastapi import APIRouter, Depends, FastAPI
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from fundwright import __version__
from fundwright.billing.api import router as billing
from fundwright.categories.api import router as categories
from fundwright.content.api import router as content
from fundwright.core.assembly import Core
from fundwright.core.edge import KnownHosts, StrictTransport, UntrustedProxy, known_names
from fundwright.core.health import router as health
from fundwright.core.web import REFUSAL, Bounds, RequestId, Speech, add_error_handlers
from fundwright.generation.api import router as generation
from fundwright.identity.account_api import router as account
from fundwright.identity.api import authenticate, recognise, refuse_in_maintenance
from fundwright.identity.api import router as identity
from fundwright.identity.people_api import router as people
from fundwright.identity.security_api import router as security
from fundwright.insights.api import router as insights
from fundwright.insights.tracking import Tracker
from fundwright.opportunities.api import router as opportunities
from fundwright.training.api import router as training
from fundwright_ui.reference import add_reference
from fundwright_ui.runtime.modules import Modules
from fundwright_ui.runtime.mounting import mount
from fundwright_ui.shell.frame import frame
from fundwright_ui.widgets import ALL as WIDGETS

ROUTERS: tuple[APIRouter, ...] = (
    identity, security, account, people, opportunities, categories, training, generation, billing, content, insights,
)  # fmt: skip

REDIRECTS = {
    "/": "/dashboard/train",
    "/dashboard": "/dashboard/train",
    "/dashboard/generate": "/generate/index",
    "/generate": "/generate/index",
}


def build_app(core: Core, *, base: str = "") -> FastAPI:
    """The whole application on an open Core. `base` is the path prefix behind a proxy, such as `/app`."""
    app = FastAPI(
        title="Fundwright",
        version=__version__,
        openapi_url=f"{base}/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        responses=REFUSAL,
        redirect_slashes=False,  # It would lead to whatever host and scheme the request names.
    )
    app.state.core = core
    add_error_handlers(app)
    # The last one that is added comes first.
    app.add_middleware(KnownHosts, names=known_names(core.settings))
    app.add_middleware(Bounds)
    app.add_middleware(Speech)
    app.add_middleware(RequestId)
    app.add_middleware(StrictTransport)
    if proxies := core.settings.trusted_proxies:
        # Before everything that asks who sends a request. Of a chain of addresses it takes the last that is no proxy of ours.
        app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=[str(network) for network in proxies])
    app.add_middleware(UntrustedProxy, trusted=core.settings.trusted_proxies)
    guards = [Depends(partial(refuse_in_maintenance, base))] if core.settings.is_closed else []
    for router in ROUTERS:
        app.include_router(router, prefix=base, dependencies=guards)
    app.include_router(health, prefix=base)

    add_reference(app, core=core, base=base)

    app.state.tracker = Tracker(core)
    mount(
        app,
        core=core,
        screens=core.plugins.collect("screens"),
        redirects=REDIRECTS,
        shell=frame,
        authenticate=partial(authenticate, core),
        recognise=partial(recognise, core),
        modules=Modules(core.plugins.collect("web_modules"), taken=[widget.__name__ for widget in WIDGETS]),
        on_view=app.state.tracker.record,
        base=base,
    )
    return app
