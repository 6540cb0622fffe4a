"""`/unsubscribe/{token}`: turning off emails with the link in their header. A `GET` asks first, because programs that check emails follow links; a
`POST` with `List-Unsubscribe=One-Click` does it, from this page or from a mail client (RFC 8058)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from fastapi import FastAPI
from fastapi.requests import Request
from fastapi.responses import Response
from reactpy import html
from reactpy.types import VdomDict

from fundwright.accounts.dependencies import client_of
from fundwright.core.assembly import Core
from fundwright.core.messages import t
from fundwright.notifications import unsubscribing
from fundwright.notifications.schemas import SETTINGS_PATH
from fundwright.notifications.unsubscribing import UnsubscribeLinkOver
from fundwright_ui.runtime.bundle import Bundle
from fundwright_ui.screens.plain_pages import drawn, guarded, plain_frame, plain_page
from fundwright_ui.ui.elements import Child
from fundwright_ui.ui.feedback import error_id

_FIELD, _ONE_CLICK = "List-Unsubscribe", "One-Click"


def add_unsubscribe_page(app: FastAPI, *, core: Core, base: str) -> None:
    """Serve `{base}/unsubscribe/{token}`."""
    page = UnsubscribePage(core, base)
    path = f"{base}/unsubscribe/{{token}}"
    app.add_api_route(path, page.ask, methods=["GET", "HEAD"], include_in_schema=False, response_model=None)
    app.add_api_route(path, page.turn_off, methods=["POST"], include_in_schema=False, response_model=None)


class UnsubscribePage:
    def __init__(self, core: Core, base: str) -> None:
        self._core = core
        self._base = base
        self._bundle = Bundle(core.settings.web_dist, base=base)

    async def ask(self, request: Request, token: str) -> Response:
        return await self._guarded(request, lambda: self._ask(token))

    async def turn_off(self, request: Request, token: str) -> Response:
        return await self._guarded(request, lambda: self._turn_off(request, token))

    async def _guarded(self, request: Request, respond: Callable[[], Awaitable[Response]]) -> Response:
        return await guarded(
            request,
            respond,
            lambda title, sentence: _body(title, html.p(sentence), error_id(sentence), self._settings()),
            core=self._core,
            bundle=self._bundle,
            over=UnsubscribeLinkOver,
            while_doing="unsubscribe page",
        )

    async def _ask(self, token: str) -> Response:
        labels = await unsubscribing.list_labels(self._core, token)
        return await self._page(
            t("Turn off these emails?"),
            _listed(labels),
            html.form(
                {"className": "fw-form", "method": "post"},
                html.input({"type": "hidden", "name": _FIELD, "value": _ONE_CLICK}),
                html.div(
                    {"className": "fw-form-actions"},
                    html.button({"type": "submit", "className": "fw-button fw-button-contained"}, t("Turn off")),
                ),
            ),
        )

    async def _turn_off(self, request: Request, token: str) -> Response:
        async with request.form(max_files=0, max_fields=4) as form:
            is_meant = form.get(_FIELD) == _ONE_CLICK
        if not is_meant:
            return await self._ask(token)
        labels = await unsubscribing.turn_off(self._core, token, client=client_of(request))
        return await self._page(
            t("These emails are turned off"),
            _listed(labels),
            html.p(t("Other emails do not change. You can turn these on again on your account page.")),
            self._settings(),
        )

    def _settings(self) -> VdomDict:
        return html.p(html.a({"href": f"{self._base}{SETTINGS_PATH}"}, t("Choose your notifications")))

    async def _page(self, title: str, *children: Child) -> Response:
        return plain_page(self._bundle, title, drawn(_body(title, *children)))


def _body(title: str, *children: Child) -> VdomDict:
    return plain_frame(html.div({"className": "fw-shared-message"}, html.h1(title), *children))


def _listed(labels: Sequence[str]) -> VdomDict:
    return html.ul(*(html.li({"key": label}, label) for label in labels))
