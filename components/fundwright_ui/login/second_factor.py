"""`/auth/second-factor`: the second step of a sign-in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from reactpy import html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.authentication import second_factor
from fundwright.authentication.schemas import SignInRefused
from fundwright.core.messages import t
from fundwright_ui.hooks import use_query, use_url_state
from fundwright_ui.login.form import login_form, text_input, use_login_form, use_submit
from fundwright_ui.login.frame import LOGIN, SECOND_FACTOR, login_frame
from fundwright_ui.login.passkey import passkey_button
from fundwright_ui.product import use_connection
from fundwright_ui.runtime.router import safe_next, screen
from fundwright_ui.ui.feedback import problem


def check_code(value: str) -> str | None:
    return None if value.strip() else t("Code is required")


@screen(SECOND_FACTOR, "Two-step verification", area="public", away_when_signed_in="/", stays_open=True, help="/help/account")
def second_factor_screen() -> VdomDict:
    connection, url = use_connection(), use_url_state(pending=("{text}",), next=("{text}",))
    pending = url.get("pending")
    next = safe_next(url.get("next"))
    refusal, set_refusal = use_state(cast("str | None", None))
    form = use_login_form({"code": check_code})
    email = use_query(lambda session: second_factor.pending_email(session, pending), key=[pending])

    async def finish(session: AsyncSession, content: Mapping[str, str]) -> str | SignInRefused:
        return await second_factor.finish(
            session, connection.core, pending=pending, code=content["code"], client=connection.client
        )

    def go_on(result: str | SignInRefused) -> None:
        if isinstance(result, SignInRefused):
            set_refusal(t(result.sentence))
        else:
            set_refusal(None)
            connection.handover(result, next)

    finishing = use_submit(form, finish, then=go_on)
    title, to_login = t("Two-step verification"), html.p(html.a({"href": connection.href(LOGIN)}, t("Back to login")))

    if email.error:
        return login_frame(connection, title, "", problem(email.error, on_retry=email.reload), to_login)
    if email.value is None and email.is_loading:
        return login_frame(connection, title, t("Checking the link…"))
    if email.value is None:
        return login_frame(connection, title, t("This sign-in has expired or was already completed. Start again."), to_login)
    return login_frame(
        connection,
        title,
        t("Enter the code from your authenticator app for {email}, or a recovery code.", email=email.value),
        login_form(
            title,
            finishing,
            text_input(form, "code", t("Code"), autocomplete="one-time-code"),
            submit=t("Verify"),
            refusal=None if form.shown_errors else refusal,
        ),
        passkey_button(lambda: True, next, pending),
        to_login,
    )
