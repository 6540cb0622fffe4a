"""`/shared/{secret}`: the page of a share link.

It is plain HTML and carries no session: it has no live connection, reads and sets no cookies but the proof of a password and the language, and runs no
script but one line that follows the browser's color scheme. Signed-in people see what everyone sees.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from enum import Enum, auto
from functools import partial
from http import HTTPStatus
from typing import cast
from urllib.parse import urlencode
from uuid import UUID

from fastapi import FastAPI
from fastapi.requests import Request
from fastapi.responses import RedirectResponse, Response
from pydantic import ValidationError
from reactpy.types import VdomDict

from fundwright.accounts.dependencies import client_of
from fundwright.conversation.schemas import GuestForm
from fundwright.core.assembly import Core
from fundwright.core.cookies import set_cookie, share_cookie_name
from fundwright.core.errors import FundwrightError
from fundwright.core.messages import t
from fundwright.core.origins import refuse_other_site
from fundwright.generation.schemas import DraftRead
from fundwright.opportunities.display_names import display_title
from fundwright.opportunities.schemas import OpportunityRead
from fundwright.sharing import opening
from fundwright.sharing.opening import LinkOver, Shared, TooManyPasswords, WorkingLink, WrongPassword
from fundwright_ui.runtime.bundle import Bundle
from fundwright_ui.screens.plain_pages import drawn, guarded, plain_headers, plain_page
from fundwright_ui.screens.sharing import content
from fundwright_ui.screens.sharing.content import Comments, Typed
from fundwright_ui.ui.forms import field_errors

_MOST_PAGES = 100_000
_TYPED = ("name", "text", "thread_id", "part_id", "notice_id", "key", "page")
"""The fields of a comment."""
_PROGRAMS = re.compile(
    r"(?<!\bcu)bot(\b|/)|crawl|spider|preview|facebookexternalhit|whatsapp|slack-|skypeuri|embedly|pinterest/0|vkshare|"
    r"bingpreview|google-(safety|read)|microsoft office|ms-office|outlook|teams",
    re.IGNORECASE,
)
"""User agents of programs that fetch a link before a person opens it, such as chats, which show a preview, and filters of email.
Not the browsers inside of these applications, and not phones of Cubot."""


class _Reader(Enum):
    PERSON = auto()
    PREVIEW = auto()
    """A program that shows or checks the link."""
    PREFETCH = auto()
    """A browser that fetches a page in case the person opens it next."""


def add_shared_pages(app: FastAPI, *, core: Core, base: str) -> None:
    """Serve `{base}/shared/{secret}` and the pages of opportunities below it, and take the comments of guests."""
    pages = SharedPages(core, base)
    path = f"{base}/shared/{{secret}}"
    app.add_api_route(path, pages.show, methods=["GET", "HEAD"], include_in_schema=False, response_model=None)
    app.add_api_route(path, pages.enter, methods=["POST"], include_in_schema=False, response_model=None)
    app.add_api_route(
        f"{path}/opportunities/{{notice_id}}",
        pages.show_notice,
        methods=["GET", "HEAD"],
        include_in_schema=False,
        response_model=None,
    )
    app.add_api_route(f"{path}/comments", pages.back, methods=["GET"], include_in_schema=False, response_model=None)
    app.add_api_route(f"{path}/comments", pages.comment, methods=["POST"], include_in_schema=False, response_model=None)


class SharedPages:
    def __init__(self, core: Core, base: str) -> None:
        self._core = core
        self._base = base
        self._bundle = Bundle(core.settings.web_dist, base=base)

    async def show(self, request: Request, secret: str) -> Response:
        return await self._guarded(request, lambda: self._show(request, secret))

    async def show_notice(self, request: Request, secret: str, notice_id: str) -> Response:
        """Show an opportunity of a list on which guests can comment."""
        return await self._guarded(request, lambda: self._show(request, secret, notice_id))

    async def enter(self, request: Request, secret: str) -> Response:
        """Take the password of a link. The right one leads to its page."""
        return await self._guarded(request, lambda: self._enter(request, secret))

    async def back(self, secret: str) -> Response:
        """Lead to the page from the address of its forms, which is in the browser if a comment was refused."""
        return RedirectResponse(self._path(secret), status_code=HTTPStatus.SEE_OTHER, headers=plain_headers())

    async def comment(self, request: Request, secret: str) -> Response:
        """Take a guest's comment. It leads to the page; if it is refused, the response contains what was typed."""
        async with request.form(max_files=0, max_fields=len(_TYPED) + 1) as form:
            typed = Typed({name: str(form.get(name, "")) for name in _TYPED})
            password = str(form.get("password", ""))
        return await self._guarded(request, lambda: self._comment(request, secret, typed, password), unsent=typed.get("text"))

    async def _guarded(self, request: Request, respond: Callable[[], Awaitable[Response]], *, unsent: str = "") -> Response:
        """`unsent` is the text of a comment, which the page of an error shows."""
        return await guarded(
            request,
            respond,
            lambda title, sentence: content.message(title, sentence, unsent=unsent),
            core=self._core,
            bundle=self._bundle,
            over=LinkOver,
            while_doing="shared page",
        )

    async def _show(self, request: Request, secret: str, notice_id: str = "") -> Response:
        found = await opening.find(self._core, secret)
        reader = _reader_of(request)
        if reader is _Reader.PREFETCH:  # the browser asks again when the person opens the page
            return Response(status_code=HTTPStatus.SERVICE_UNAVAILABLE, headers=plain_headers())
        if reader is _Reader.PREVIEW:
            title = t("Shared with Fundwright")
            return self._page(title, drawn(content.message(title, t("Open this link in a browser to view what was shared."))))
        if self._is_locked(request, found):
            return self._password_page(action=self._path(secret) if notice_id else None)
        async with opening.turn_of(self._core, found):
            shared = await opening.read(self._core, found)
            title, body = await self._content_of(request, shared, secret, notice_id)
            page = self._page(title, body)
        if not opening.is_pass(self._core, shared, "visit", request.query_params.get("visit", "")):
            async with self._core.database.transaction(scope=shared.creator.scope) as session:
                await opening.count(session, shared, client=client_of(request))
        return page

    def _path(self, secret: str) -> str:
        return f"{self._base}/shared/{secret}"

    def _is_locked(self, request: Request, shared: WorkingLink) -> bool:
        """Whether the password of the link must be entered first."""
        cookie = request.cookies.get(share_cookie_name(self._core.settings), "")
        return shared.link.password_hash is not None and not opening.is_pass(self._core, shared, "password", cookie)

    async def _content_of(self, request: Request, shared: Shared, secret: str, notice_id: str) -> tuple[str, str]:
        page = _number(request.query_params.get("page", ""))
        subject = await opening.get_notice(self._core, shared, notice_id) if notice_id else shared.draft
        if subject is not None:
            return await self._subject_page(shared, subject, secret, Typed(), page=page)
        found = await opening.list_opportunities(self._core, shared, page=page)
        path, visit = f"{self._path(secret)}/opportunities/", self._visit(shared)
        href_of = partial(_address_of_notice, path, visit) if shared.link.allows_comments else None
        return shared.title, await self._drawn(
            shared, partial(content.list_page, shared, found, href=self._pages_of(shared), href_of=href_of)
        )

    def _visit(self, shared: WorkingLink) -> str:
        """The parameter in the addresses of further pages, which do not count as opens."""
        return urlencode({"visit": opening.new_pass(self._core, shared, "visit")})

    def _pages_of(self, shared: WorkingLink, anchor: str = "", *, path: str = "") -> Callable[[int], str]:
        """The addresses of the other pages of a list."""
        visit = self._visit(shared)
        return partial(_address_of_page, f"{path}?page=", f"&{visit}{anchor}")

    async def _drawn(self, shared: Shared, page: partial[VdomDict]) -> str:
        """The HTML of what is shared, however long it is."""
        return await self._core.computing.run(partial(content.drawn_page, page), party=opening.readers_of(shared))

    def _subject_path(self, shared: WorkingLink, subject_id: UUID, secret: str) -> str:
        """Where the draft or an opportunity of the list is shown."""
        return self._path(secret) if shared.link.draft_id else f"{self._path(secret)}/opportunities/{subject_id}"

    async def _subject_page(
        self, shared: Shared, subject: DraftRead | OpportunityRead, secret: str, typed: Typed, *, page: int
    ) -> tuple[str, str]:
        """The title and the page of the draft or of an opportunity, with the comments on it."""
        comments: Comments | None = None
        if shared.link.allows_comments:
            threads = await opening.list_comments(self._core, shared, subject.id, page=page)
            pages = self._pages_of(shared, "#comments", path=self._subject_path(shared, subject.id, secret))
            comments = Comments(threads, f"{self._path(secret)}/comments", pages, typed)
        if isinstance(subject, DraftRead):
            return shared.title, await self._drawn(shared, partial(content.draft_page, shared, subject, comments))
        back = f"{self._path(secret)}?{self._visit(shared)}"
        body = await self._drawn(shared, partial(content.opportunity_page, shared, subject, comments, back=back))
        return display_title(subject.title), body

    async def _comment(self, request: Request, secret: str, typed: Typed, password: str) -> Response:
        refuse_other_site(request)
        found = await opening.find(self._core, secret)
        client, proof = client_of(request), ""
        await opening.refuse_frequent(self._core, found, client=client)
        if self._is_locked(request, found):
            action = f"{self._path(secret)}/comments"
            if not password:
                return self._password_page(typed=typed, action=action)
            try:
                proof = await opening.enter(self._core, found, password, client=client)
            except (WrongPassword, TooManyPasswords) as error:
                return self._password_page(error, typed=typed, action=action)
        page = _number(typed.get("page"))
        notice = None if found.link.draft_id else await self._notice_of(found, typed)
        subject_id = notice.id if notice else cast(UUID, found.link.draft_id)
        try:
            about = {name: typed.get(name) or None for name in ("thread_id", "part_id")}
            form = GuestForm.model_validate({name: typed.get(name) for name in ("name", "text", "key")} | about)
            async with self._core.database.transaction(scope=found.creator.scope) as session:
                id = await opening.comment(session, self._core, found, subject_id, form, client=client)
        except LinkOver:
            raise
        except (ValidationError, FundwrightError) as error:
            response = await self._refused(found, notice, secret, typed, error, page=page)
        else:
            address = f"{self._subject_path(found, subject_id, secret)}{self._pages_of(found)(page)}#comment-{id}"
            response = RedirectResponse(address, status_code=HTTPStatus.SEE_OTHER, headers=plain_headers())
        if proof:
            self._set_proof(response, secret, proof)
        return response

    async def _notice_of(self, found: WorkingLink, typed: Typed) -> OpportunityRead:
        """The opportunity on which a guest comments. Looking for it in the list is as much work as showing it."""
        async with opening.turn_of(self._core, found):
            return await opening.get_notice(self._core, found, typed.get("notice_id"))

    async def _refused(
        self,
        found: WorkingLink,
        notice: OpportunityRead | None,
        secret: str,
        typed: Typed,
        error: ValidationError | FundwrightError,
        *,
        page: int,
    ) -> Response:
        """The page with what was typed, and what to do about it. `notice` is None for a comment on a draft."""
        if not found.link.allows_comments:
            raise error
        if isinstance(error, FundwrightError):
            typed = replace(typed, error=error.sentence)
        else:
            errors = field_errors(error, model=GuestForm)
            other = next((sentence for name, sentence in errors.items() if name not in ("name", "text")), "")
            typed = replace(typed, errors=errors, error=other)
        async with opening.turn_of(self._core, found):
            shared = await opening.read(self._core, found)
            subject = notice or cast(DraftRead, shared.draft)
            title, body = await self._subject_page(shared, subject, secret, typed, page=page)
            return self._page(title, body, status=error.status if isinstance(error, FundwrightError) else 422)

    def _set_proof(self, response: Response, secret: str, proof: str) -> None:
        """Remember in the browser that the password was entered."""
        settings, lasts_s = self._core.settings, int(opening.PASS_LASTS.total_seconds())
        set_cookie(response, settings, share_cookie_name(settings), proof, max_age_s=lasts_s, path=self._path(secret))

    async def _enter(self, request: Request, secret: str) -> Response:
        refuse_other_site(request)
        shared = await opening.find(self._core, secret)
        async with request.form(max_files=0, max_fields=4) as form:
            password = str(form.get("password", ""))
        response = RedirectResponse(self._path(secret), status_code=HTTPStatus.SEE_OTHER, headers=plain_headers())
        if shared.link.password_hash is None:
            return response
        try:
            proof = await opening.enter(self._core, shared, password, client=client_of(request))
        except (WrongPassword, TooManyPasswords) as error:
            return self._password_page(error)
        self._set_proof(response, secret, proof)
        return response

    def _password_page(
        self, error: FundwrightError | None = None, *, typed: Typed | None = None, action: str | None = None
    ) -> Response:
        title = t("Enter the password")
        body = content.password_page(title, error.sentence if error else "", typed=typed, action=action)
        status, retry_after_s = (error.status, error.retry_after_s) if error else (HTTPStatus.OK, None)
        return plain_page(self._bundle, title, drawn(body), status=status, retry_after_s=retry_after_s)

    def _page(self, title: str, body: str, *, status: int = HTTPStatus.OK) -> Response:
        return plain_page(self._bundle, title, body, status=status)


def _address_of_notice(path: str, visit: str, id: UUID) -> str:
    return f"{path}{id}?{visit}"


def _address_of_page(before: str, after: str, page: int) -> str:
    return f"{before}{page}{after}"


def _reader_of(request: Request) -> _Reader:
    """Whether a person opens the page, as far as the request tells."""
    headers = request.headers
    purpose = " ".join(headers.get(name, "") for name in ("sec-purpose", "purpose", "x-purpose", "x-moz")).lower()
    if "prefetch" in purpose or "preview" in purpose or "prerender" in purpose:
        return _Reader.PREFETCH
    is_navigation = headers.get("sec-fetch-mode", "navigate") == "navigate"
    if request.method == "HEAD" or not is_navigation or _PROGRAMS.search(headers.get("user-agent", "")):
        return _Reader.PREVIEW
    return _Reader.PERSON


def _number(page: str) -> int:
    """The number of a page, or else 1."""
    return min(int(page), _MOST_PAGES) if page.isascii() and page.isdecimal() and len(page) < 10 and int(page) else 1
