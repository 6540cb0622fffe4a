"""`/auth/register/{type}/{token}`: a form where strangers may register, otherwise a word on how to be invited."""

from __future__ import annotations

from collections.abc import Mapping

from reactpy import html
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.messages import t
from fundwright.identity import service as identity
from fundwright_ui.hooks import use_connection
from fundwright_ui.login.form import (
    check_email,
    check_name,
    check_new_password,
    login_form,
    no_check,
    password_input,
    text_input,
    use_login_form,
    use_submit,
)
from fundwright_ui.login.frame import LOGIN, login_frame
from fundwright_ui.runtime.router import screen


@screen("/auth/register/{type}/{token}", "Register", area="public", away_when_signed_in="/")
def register_screen() -> VdomDict:
    connection = use_connection()
    form = use_login_form({"first_name": check_name, "last_name": no_check, "email": check_email, "password": check_new_password})

    async def register(session: AsyncSession, content: Mapping[str, str]) -> str:
        return await identity.register_by_socket(
            connection.core,
            session,
            email=content["email"],
            name=f"{content['first_name']} {content['last_name']}".strip(),
            password=content["password"],
            client=connection.client,
        )

    registering = use_submit(form, register, then=connection.handover)
    corner = (t("Login"), LOGIN)

    if not connection.core.settings.open_registration:
        return login_frame(
            connection,
            t("Registration is by invitation"),
            t("Accounts here are made by an administrator."),
            html.p(
                t(
                    "Ask whoever runs this installation to add an account for your email address. They do it with the "
                    "command below and send you a link where you choose your password."
                )
            ),
            html.pre({"tabIndex": 0}, html.code("fundwright user add you@example.org")),
            corner=corner,
        )
    return login_frame(
        connection,
        t("Get started"),
        t("Create your account."),
        login_form(
            t("Register"),
            registering,
            html.div(
                {"className": "fw-form-row"},
                text_input(form, "first_name", t("First name"), autocomplete="given-name"),
                text_input(form, "last_name", t("Last name"), autocomplete="family-name"),
            ),
            text_input(form, "email", t("Email"), kind="email", autocomplete="email"),
            password_input(form, "password", t("Password"), "new-password"),
            submit=t("Register"),
        ),
        corner=corner,
    )
