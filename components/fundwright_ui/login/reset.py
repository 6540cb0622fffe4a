"""`/auth/reset-password` and `/auth/confirm-reset/{link}`: a new password by a link that an administrator makes."""

from __future__ import annotations

from collections.abc import Mapping

from reactpy import html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.messages import t
from fundwright.identity import service as identity
from fundwright_ui.hooks import use_connection, use_query
from fundwright_ui.login.form import check_new_password, login_form, password_input, use_login_form, use_submit
from fundwright_ui.login.frame import LOGIN, login_frame
from fundwright_ui.runtime.router import screen
from fundwright_ui.ui.feedback import alert


@screen("/auth/reset-password", "Forgot password", area="public")
def reset_password_screen() -> VdomDict:
    connection = use_connection()
    return login_frame(
        connection,
        t("Forgot your password?"),
        t("An administrator can let you choose a new one."),
        html.p(
            t(
                "Ask whoever runs this installation for a reset link. They get one with the command below; it works once, "
                "within an hour. Nobody but you sees the new password."
            )
        ),
        html.pre({"tabIndex": 0}, html.code("fundwright user reset you@example.org")),
        html.p(html.a({"href": connection.href(LOGIN)}, t("Back to login"))),
    )


@screen("/auth/confirm-reset/{link}", "Choose a new password", area="public")
def confirm_reset_screen() -> VdomDict:
    connection = use_connection()
    link = connection.location.params.get("link", "")
    is_done, set_done = use_state(False)
    form = use_login_form({"password": check_new_password})
    works = use_query(lambda session: identity.is_reset_link(session, link), key=[link])

    async def reset(session: AsyncSession, content: Mapping[str, str]) -> bool:
        await identity.reset_password(session, secret=link, password=content["password"], client=connection.client)
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
            t("It has been used, has expired, or was replaced by a newer one. Ask an administrator for a new one."),
            to_login,
        )
    return login_frame(
        connection,
        t("Choose a new password"),
        t("At least 8 characters; a sentence works well."),
        login_form(
            t("Choose a new password"),
            resetting,
            password_input(form, "password", t("Password"), "new-password"),
            submit=t("Save password"),
        ),
    )
