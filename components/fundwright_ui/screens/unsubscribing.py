"""`/unsubscribe/{token}`: turning off emails with the link in their header. A `GET` asks first, because programs that check emails follow links; a
`POST` with `List-Unsubscribe=One-Click` does it, from this page or from a mail client (RFC 8058)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from http import HTTPStatus

from fastapi import FastAPI
from fastapi.requests import Request
from fastapi.responses import Response
from reactpy import html
from reactpy.types import VdomDict
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from fundwright.accounts.dependencies import client_of
from fundwright.core.assembly import Core
from fundwright.core.errors import FundwrightError, UnderMaintenance
from fundwright.core.messages import t
from fundwright.notifications import unsubscribing
from fundwright.notifications.unsubscribing import UnsubscribeLinkOver
from fundwright_ui.runtime.bundle import Bundle
from fundwright_ui.runtime.faults import sentence_of
from fundwright_ui.screens.plain_pages import plain_frame, plain_page
from fundwright_ui.ui.elements import Child

_FIELD, _ONE_CLICK = "List-Unsubscribe", "One-Click"
_SETTINGS = "/dashboard/user/account?tab=notifications"


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

    async def ask(self, token: str) -> Response:
        return await self._guarded(lambda: self._ask(token))

    async def turn_off(self, request: Request, token: str) -> Response:
        return await self._guarded(lambda: self._turn_off(request, token))

    async def _guarded(self, respond: Callable[[], Awaitable[Response]]) -> Response:
        try:
            if self._core.settings.is_closed:
                raise UnderMaintenance(self._core.settings.maintenance)
            return await respond()
        except (HTTPException, ClientDisconnect):  # a form that no browser sends, or that was not sent completely
            raise
        except UnsubscribeLinkOver as error:
            return self._page(t("This link does not work"), html.p(error.sentence), self._settings(), status=error.status)
        except Exception as error:
            status = error.status if isinstance(error, FundwrightError) else HTTPStatus.INTERNAL_SERVER_ERROR
            sentence = sentence_of(error, while_doing="unsubscribe page")
            return self._page(t("This page can't be shown now"), html.p(sentence), status=status)

    async def _ask(self, token: str) -> Response:
        labels = await unsubscribing.list_labels(self._core, token)
        return self._page(
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
        labels = await unsubscribing.list_labels(self._core, token)
        await unsubscribing.turn_off(self._core, token, client=client_of(request))
        return self._page(
            t("These emails are turned off"),
            _listed(labels),
            html.p(t("Other emails do not change. You can turn these on again on your account page.")),
            self._settings(),
        )

    def _settings(self) -> VdomDict:
        return html.p(html.a({"href": f"{self._base}{_SETTINGS}"}, t("Choose your notifications")))

    def _page(self, title: str, *children: Child, status: int = HTTPStatus.OK) -> Response:
        body = plain_frame(html.div({"className": "fw-shared-message"}, html.h1(title), *children))
        return plain_page(self._bundle, title, body, status=status)


def _listed(labels: Sequence[str]) -> VdomDict:
    return html.ul(*(html.li({"key": label}, label) for label in labels))
