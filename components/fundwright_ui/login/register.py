"""`/auth/register/{type}/{token}`: the registration form, or why the link does not work."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from reactpy import html
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.access import registration
from fundwright.core.messages import current_language, t
from fundwright_ui.hooks import use_query
from fundwright_ui.login.form import (
    check_email,
    check_name,
    check_new_password,
    check_terms,
    checkbox_input,
    login_form,
    new_password_input,
    no_check,
    text_input,
    use_login_form,
    use_submit,
)
from fundwright_ui.login.frame import LOGIN, login_frame, no_account_yet
from fundwright_ui.product import use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.ui.buttons import link_button, text_link
from fundwright_ui.ui.feedback import problem


@screen("/auth/register/{type}/{token}", "Register", area="public", away_when_signed_in="/", help="/help/account")
def register_screen() -> VdomDict:
    connection = use_connection()
    type, token = _link_in(connection.location.path)
    link = use_query(
        lambda session: registration.describe_link(session, connection.core, type=type, token=token), key=[type, token]
    )
    bound_to = link.value.email if link.value else ""
    form = use_login_form(
        {
            "first_name": check_name,
            "last_name": check_name,
            "email": no_check if bound_to else check_email,
            "password": check_new_password,
            "terms": check_terms,
        }
    )

    async def register(session: AsyncSession, content: Mapping[str, str]) -> tuple[str | None, str]:
        email = bound_to or content["email"]
        code = await registration.register_by_link(
            session,
            connection.core,
            type=type,
            token=token,
            email=email,
            name=f"{content['first_name']} {content['last_name']}".strip(),
            password=content["password"],
            language=current_language(),
            client=connection.client,
        )
        return code, email.strip()

    def go_on(result: tuple[str | None, str]) -> None:
        code, email = result
        if code is None:
            connection.navigate(f"/auth/verify/{quote(email)}")
        else:
            connection.handover(code)

    registering = use_submit(form, register, then=go_on)
    sign_in = f"{LOGIN}?next={quote(connection.location.path)}" if link.value and link.value.is_for_accounts else LOGIN
    corner = (t("Login"), sign_in)

    if link.error:
        return login_frame(connection, t("Get started"), "", problem(link.error, on_retry=link.reload), corner=corner)
    if link.value is None:
        return login_frame(connection, t("Get started"), t("Checking the link…"), corner=corner)
    if not link.value.is_open:
        return _closed(link.value.note, corner)
    terms = connection.core.settings.terms_url
    return login_frame(
        connection,
        t("Get started"),
        link.value.note or t("Create your account."),
        login_form(
            t("Register"),
            registering,
            html.div(
                {"className": "fw-form-row"},
                text_input(form, "first_name", t("First name"), autocomplete="given-name"),
                text_input(form, "last_name", t("Last name"), autocomplete="family-name"),
            ),
            html.p(t("For {email}", email=bound_to))
            if bound_to
            else text_input(form, "email", t("Email"), kind="email", autocomplete="email"),
            new_password_input(form, "password", t("Password")),
            checkbox_input(
                form,
                "terms",
                html.a({"href": terms, "target": "_blank", "rel": "noreferrer"}, t("I agree to the terms"))
                if terms
                else t("I agree to follow the operator's rules for this service"),
            ),
            submit=t("Register"),
        ),
        corner=corner,
        foot=html.p(
            {"className": "fw-login-foot"},
            t("If you have an account, you can use the link for a workspace that you own."),
            " ",
            text_link(t("Sign in"), connection.href(sign_in)),
        )
        if link.value.is_for_accounts
        else None,
    )


def _link_in(path: str) -> tuple[str, str]:
    """The type and the token of the link; those of open registration in the address without a link."""
    type, _, token = path.removeprefix("/auth/register").removeprefix("/").partition("/")
    return (type, token) if token else registration.OPEN


def _closed(note: str, corner: tuple[str, str]) -> VdomDict:
    connection = use_connection()
    if note:
        return login_frame(connection, t("This link doesn't work"), note, corner=corner)
    contact = connection.core.settings.contact_email
    return login_frame(
        connection,
        t("Registration is by invitation only"),
        t("An invitation is a link with which you choose your password."),
        no_account_yet(
            html.p(
                t("Write to {email} from the address that you want to sign in with.", email=contact)
                if contact
                else t(
                    "Ask an administrator of this server for an invitation, and name the email address that you want to sign in with."
                )
            ),
            link_button(t("Request an invitation"), f"mailto:{contact}", variant="contained", block=True) if contact else None,
            link_button(t("View plans"), connection.href("/pricing"), block=True),
        ),
        corner=corner,
    )
