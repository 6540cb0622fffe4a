"""`/auth/first-admin/{secret}`: the one-time link of the first start."""

from __future__ import annotations

from collections.abc import Mapping

from reactpy import html
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.access import first_admin
from fundwright.core.messages import t
from fundwright_ui.hooks import use_query
from fundwright_ui.login.form import (
    check_email,
    check_name,
    check_new_password,
    login_form,
    new_password_input,
    text_input,
    use_login_form,
    use_submit,
)
from fundwright_ui.login.frame import LOGIN, login_frame
from fundwright_ui.product import use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.ui.feedback import alert


@screen("/auth/first-admin/{secret}", "First administrator", area="public", help="/help/account")
def first_admin_screen() -> VdomDict:
    connection = use_connection()
    secret = connection.location.params.get("secret", "")
    form = use_login_form({"name": check_name, "email": check_email, "password": check_new_password})
    works = use_query(lambda session: first_admin.is_first_admin_link(session, secret), key=[secret])

    async def create(session: AsyncSession, content: Mapping[str, str]) -> str:
        return await first_admin.create_first_admin(
            session,
            connection.core,
            secret=secret,
            email=content["email"],
            name=content["name"],
            password=content["password"],
            client=connection.client,
        )

    creating = use_submit(form, create, then=connection.handover)

    if works.error:
        return login_frame(connection, t("Create the first administrator account"), "", alert(works.error))
    if works.value is None:
        return login_frame(connection, t("Create the first administrator account"), t("Checking the link…"))
    if not works.value:
        return login_frame(
            connection,
            t("This link no longer works"),
            t("It was already used or has expired. Sign in. If there is no account yet, restart Fundwright to get a new link."),
            html.p(html.a({"href": connection.href(LOGIN)}, t("Login"))),
        )
    return login_frame(
        connection,
        t("Create the first administrator account"),
        t("This link works once. Enter your name, email address, and a password."),
        login_form(
            t("Create the first administrator account"),
            creating,
            text_input(form, "name", t("Name"), autocomplete="name"),
            text_input(form, "email", t("Email"), kind="email", autocomplete="email"),
            new_password_input(form, "password", t("Password")),
            submit=t("Create administrator"),
        ),
    )
