"""`/auth/verify/{email}`: says that an email is on its way, and confirms the address by its link."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.authentication import email_confirmation
from fundwright.authentication.schemas import SignInRefusal, SignInRefused
from fundwright.core.messages import current_language, t
from fundwright_ui.hooks import use_action, use_query, use_url_state
from fundwright_ui.login.form import check_password, login_form, password_input, use_login_form, use_submit
from fundwright_ui.login.frame import LOGIN, login_frame, mail_is_off
from fundwright_ui.product import use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.ui.buttons import button
from fundwright_ui.ui.feedback import alert, problem


@screen("/auth/verify/{email}", "Confirm your email address", area="public", away_when_signed_in="/", help="/help/account")
def verify_screen() -> VdomDict:
    location, url = use_connection().location, use_url_state(link=("{text}",))
    link = url.get("link")
    return html.div(_confirm(link) if link else _wait(location.params.get("email", "")))


@component
def _wait(email: str) -> VdomDict:
    connection = use_connection()
    return login_frame(
        connection,
        t("Check your email"),
        t("If {email} can be registered, we sent a link to that address. The link expires in 24 hours.", email=email),
        mail_is_off(connection),
        _send_again(email),
        corner=(t("Login"), LOGIN),
    )


@component
def _confirm(link: str) -> VdomDict:
    connection = use_connection()
    email = use_query(lambda session: email_confirmation.email_to_confirm(session, link), key=[link])
    refusal, set_refusal = use_state(cast("str | None", None))
    form = use_login_form({"password": check_password})

    async def confirm(session: AsyncSession, content: Mapping[str, str]) -> str | SignInRefused:
        return await email_confirmation.confirm_email(
            session, connection.core, secret=link, password=content["password"], client=connection.client
        )

    def go_on(result: str | SignInRefused) -> None:
        if isinstance(result, SignInRefused) and result.reason is SignInRefusal.CODE_NEEDED:
            connection.navigate(LOGIN)
        elif isinstance(result, SignInRefused):
            set_refusal(t("That isn't the password for this address. Try again, or register again."))
        else:
            connection.handover(result)

    confirming = use_submit(form, confirm, then=go_on)
    title, corner = t("Confirm your email address"), (t("Login"), LOGIN)

    if email.error:
        return login_frame(connection, title, "", problem(email.error, on_retry=email.reload), corner=corner)
    if email.value is None and email.is_loading:
        return login_frame(connection, title, t("Checking the link…"), corner=corner)
    if email.value is None:
        return login_frame(
            connection,
            t("This link no longer works"),
            t("It was already used, has expired, or was replaced by a newer link. If you can't sign in, request a new one."),
            _send_again(connection.location.params.get("email", "")),
            corner=corner,
        )
    return login_frame(
        connection,
        title,
        t("Enter the password you chose for {email}.", email=email.value),
        login_form(
            title,
            confirming,
            password_input(form, "password", t("Password"), "current-password"),
            submit=t("Confirm and sign in"),
            refusal=None if form.shown_errors else refusal,
        ),
        corner=corner,
    )


@component
def _send_again(email: str) -> VdomDict:
    connection = use_connection()

    async def send(session: AsyncSession) -> None:
        await email_confirmation.ask_to_confirm_again(
            session, connection.core, email=email, language=current_language(), client=connection.client
        )

    sending = use_action(send, success=t("If the address has not been confirmed yet, we sent the email again."))
    return html.div(
        None if sending.error is None else alert(sending.error),
        button(t("Resend email"), on_click=sending, is_busy=sending.is_running),
    )
