"""`/auth/reset-password` and `/auth/confirm-reset/{link}`: a new password by a link that is sent to its owner."""

from __future__ import annotations

from collections.abc import Mapping

from reactpy import html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.messages import t
from fundwright.identity import recovery
from fundwright_ui.hooks import use_connection, use_query
from fundwright_ui.login.form import (
    check_email,
    check_new_password,
    login_form,
    new_password_input,
    text_input,
    use_login_form,
    use_submit,
)
from fundwright_ui.login.frame import LOGIN, RESET, login_frame, mail_is_off
from fundwright_ui.runtime.router import screen
from fundwright_ui.ui.feedback import alert


@screen("/auth/reset-password", "Forgot password", area="public")
def reset_password_screen() -> VdomDict:
    connection = use_connection()
    asked_for, set_asked_for = use_state("")
    form = use_login_form({"email": check_email})

    async def ask(session: AsyncSession, content: Mapping[str, str]) -> str:
        email = content["email"].strip()
        await recovery.ask_for_reset(
            connection.core, session, email=email, language=connection.language, client=connection.client
        )
        return email

    asking = use_submit(form, ask, then=set_asked_for)
    to_login = html.p(html.a({"href": connection.href(LOGIN)}, t("Back to login")))

    if asked_for:
        return login_frame(
            connection,
            t("Look into your mail"),
            t("If {email} has an account, a letter with a link is on its way. It works once, within an hour.", email=asked_for),
            mail_is_off(connection),
            to_login,
        )
    return login_frame(
        connection,
        t("Forgot your password?"),
        t("Enter your email address, and a link to choose a new one is sent to you."),
        login_form(
            t("Forgot your password?"),
            asking,
            text_input(form, "email", t("Email"), kind="email", autocomplete="email"),
            submit=t("Send the link"),
        ),
        mail_is_off(connection, html.pre({"tabIndex": 0}, html.code("fundwright user reset you@example.org"))),
        to_login,
    )


@screen("/auth/confirm-reset/{link}", "Choose a new password", area="public")
def confirm_reset_screen() -> VdomDict:
    connection = use_connection()
    link = connection.location.params.get("link", "")
    is_done, set_done = use_state(False)
    form = use_login_form({"password": check_new_password})
    works = use_query(lambda session: recovery.is_reset_link(session, link), key=[link])

    async def reset(session: AsyncSession, content: Mapping[str, str]) -> bool:
        await recovery.reset_password(
            connection.core, session, secret=link, password=content["password"], client=connection.client
        )
        return True

    resetting = use_submit(form, reset, then=set_done)
    to_login = html.p(html.a({"href": connection.href(LOGIN)}, t("Back to login")))

    if is_done:
        return login_frame(
            connection, t("Your password is changed"), t("You are signed out everywhere. Sign in with it now."), to_login
        )
    if works.error:
        return login_frame(connection, t("Choose a new password"), "", alert(works.error), to_login)
    if works.value is None:
        return login_frame(connection, t("Choose a new password"), t("Checking the link …"))
    if not works.value:
        return login_frame(
            connection,
            t("This link does not work any more"),
            t("It has been used, has expired, or was replaced by a newer one. Ask for a new one."),
            html.p(html.a({"href": connection.href(RESET)}, t("Forgot password?"))),
            to_login,
        )
    return login_frame(
        connection,
        t("Choose a new password"),
        t("At least 8 characters; a sentence works well."),
        login_form(
            t("Choose a new password"),
            resetting,
            new_password_input(form, "password", t("Password")),
            submit=t("Save password"),
        ),
    )
