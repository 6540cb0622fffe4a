"""`/auth/login`"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast
from urllib.parse import quote, urlencode

from reactpy import html, use_ref, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.authentication import service as authentication
from fundwright.authentication.schemas import SecondStep, SignInRefusal, SignInRefused
from fundwright.core.messages import t
from fundwright.workspaces.invitations import LINK_TYPE
from fundwright_ui.hooks import use_url_state
from fundwright_ui.login.form import (
    check_email,
    check_password,
    login_form,
    no_check,
    password_input,
    text_input,
    use_login_form,
    use_submit,
)
from fundwright_ui.login.frame import REGISTER, RESET, SECOND_FACTOR, login_frame, no_account_yet
from fundwright_ui.login.passkey import passkey_button
from fundwright_ui.product import use_connection
from fundwright_ui.runtime.events import Payload, handler
from fundwright_ui.runtime.router import safe_next, screen
from fundwright_ui.ui.feedback import alert

_INVITATION = re.compile(r"/workspaces/join/([\w-]+)")
DELETED, EMAIL_CHANGED = "deleted", "email-changed"
"""Messages for `notice` in the address, about what signed the person out."""


@screen("/auth/login", "Login", area="public", away_when_signed_in="/", stays_open=True, help="/help/account")
def sign_in_screen() -> VdomDict:
    connection, url = use_connection(), use_url_state(next=("{text}",), notice=(DELETED, EMAIL_CHANGED))
    refusal, set_refusal = use_state(cast("str | None", None))
    tried, remembers = use_ref(""), use_ref(True)
    here = connection.location
    # A screen that shows the login in its place comes back at its own address, with its unsaved text.
    next = safe_next(url.get("next"), default="/" if here.path.startswith("/auth/") else here.address)
    form = use_login_form({"email": check_email, "password": check_password, "remember": no_check})

    async def sign_in(session: AsyncSession, content: Mapping[str, str]) -> str | SecondStep | SignInRefused:
        tried.current = content["email"].strip()
        return await authentication.sign_in_by_socket(
            session,
            connection.core,
            email=content["email"],
            password=content["password"],
            remember=bool(content["remember"]),
            client=connection.client,
        )

    def finish(result: str | SecondStep | SignInRefused) -> None:
        if isinstance(result, SignInRefused) and result.reason is SignInRefusal.UNVERIFIED:
            connection.navigate(f"/auth/verify/{quote(tried.current)}")
        elif isinstance(result, SignInRefused):
            set_refusal(t(result.sentence))
        elif isinstance(result, SecondStep):
            connection.navigate(f"{SECOND_FACTOR}?{urlencode({'pending': result.pending, 'next': next})}")
        else:
            set_refusal(None)
            connection.handover(result, next)

    def set_remember(payload: Payload) -> None:
        remembers.current = bool(payload.get("checked"))

    signing_in = use_submit(form, sign_in, then=finish)

    notices = {
        DELETED: t("Your account was deleted."),
        EMAIL_CHANGED: t("Your email address was changed. Sign in with the new one."),
    }
    invited = _INVITATION.match(next)
    register = f"/auth/register/{LINK_TYPE}/{invited[1]}" if invited else REGISTER
    notice = notices.get(url.get("notice"))

    return login_frame(
        connection,
        t("Welcome,"),
        t("Sign in to continue!"),
        alert(notice, variant="success") if notice else None,
        no_account_yet(),
        login_form(
            t("Login"),
            signing_in,
            text_input(form, "email", t("Email"), kind="email"),
            password_input(form, "password", t("Password")),
            html.label(
                {"className": "fw-checkbox"},
                html.input(
                    {
                        "type": "checkbox",
                        "name": "remember",
                        "id": "remember",
                        "defaultChecked": True,
                        "onChange": handler(set_remember),
                    }
                ),
                t("Keep Me Signed In"),
            ),
            submit=t("Login"),
            refusal=None if form.shown_errors else refusal,
        ),
        passkey_button(lambda: remembers.current, next),
        html.p(html.a({"href": connection.href(RESET)}, t("Forgot password?"))),
        corner=(t("Sign up"), register),
        foot=html.p(
            {"className": "fw-login-foot fw-hide-small"},
            t("Don't have an account?"),
            " ",
            html.a({"href": connection.href(register)}, t("Get started")),
        ),
    )
