"""`/auth/reset-password` and `/auth/confirm-reset/{link}`: setting a new password through an emailed link."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.authentication import recovery
from fundwright.authentication.schemas import PasskeyRead, ResetChoices, ResetDone, ResetRead, SignInRefusal, SignInRefused
from fundwright.core import tokens
from fundwright.core.messages import current_language, t
from fundwright_ui.hooks import use_query
from fundwright_ui.login.form import (
    Check,
    check_email,
    check_new_password,
    checkbox_input,
    login_form,
    new_password_input,
    no_check,
    text_input,
    use_login_form,
    use_submit,
)
from fundwright_ui.login.frame import LOGIN, RESET, login_frame, mail_is_off
from fundwright_ui.product import use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.ui.feedback import alert
from fundwright_ui.ui.moments import moment

_BOXES = ("end", "authenticator")


@screen("/auth/reset-password", "Forgot password", area="public", help="/help/account")
def reset_password_screen() -> VdomDict:
    connection = use_connection()
    asked_for, set_asked_for = use_state("")
    form = use_login_form({"email": check_email})

    async def ask(session: AsyncSession, content: Mapping[str, str]) -> str:
        email = content["email"].strip()
        await recovery.ask_for_reset(session, connection.core, email=email, language=current_language(), client=connection.client)
        return email

    asking = use_submit(form, ask, then=set_asked_for)
    to_login = html.p(html.a({"href": connection.href(LOGIN)}, t("Back to login")))

    if asked_for:
        return login_frame(
            connection,
            t("Check your email"),
            t(
                "If there is an account for {email}, we sent a link to that address. The link works once and expires in an hour.",
                email=asked_for,
            ),
            mail_is_off(connection),
            to_login,
        )
    return login_frame(
        connection,
        t("Forgot your password?"),
        t("Enter your email address, and we'll send you a link to choose a new password."),
        login_form(
            t("Forgot your password?"),
            asking,
            text_input(form, "email", t("Email"), kind="email", autocomplete="email"),
            submit=t("Send link"),
        ),
        mail_is_off(connection, html.pre({"tabIndex": 0}, html.code("fundwright user reset you@example.org"))),
        to_login,
    )


@screen("/auth/confirm-reset/{link}", "Choose a new password", area="public", help="/help/account")
def confirm_reset_screen() -> VdomDict:
    connection = use_connection()
    link = connection.location.params.get("link", "")
    done, set_done = use_state(cast("ResetDone | None", None))
    found = use_query(lambda session: recovery.find_reset(session, link), key=[link])
    to_login = html.p(html.a({"href": connection.href(LOGIN)}, t("Back to login")))

    if done is not None:
        text = (
            t("You have been signed out everywhere. Sign in with your new password.")
            if done.is_signed_out
            else t("Sign in with your new password.")
        )
        return login_frame(connection, t("Password changed"), text, to_login)
    if found.error:
        return login_frame(connection, t("Choose a new password"), "", alert(found.error), to_login)
    if found.value is None and found.is_loading:
        return login_frame(connection, t("Choose a new password"), t("Checking the link…"))
    if found.value is None:
        return login_frame(
            connection,
            t("This link no longer works"),
            t("It was already used, has expired, or was replaced by a newer link. Request a new one."),
            html.p(html.a({"href": connection.href(RESET)}, t("Forgot password?"))),
            to_login,
        )
    return html.div(_choose(link, found.value, set_done, key=link))


@component
def _choose(link: str, reset: ResetRead, set_done: Callable[[ResetDone], None]) -> VdomDict:
    connection = use_connection()
    refusal, set_refusal = use_state(cast("str | None", None))
    boxes = {f"passkey-{passkey.id}": passkey for passkey in reset.passkeys}
    checks: dict[str, Check] = {"password": check_new_password, **dict.fromkeys((*_BOXES, *boxes, "code"), no_check)}
    form = use_login_form(checks)
    has_code = reset.authenticator_since is not None

    async def choose(session: AsyncSession, content: Mapping[str, str]) -> ResetDone | SignInRefused:
        choices = ResetChoices(
            end_everything=bool(content["end"]),
            remove_passkeys=tuple(passkey.id for name, passkey in boxes.items() if content[name]),
            remove_authenticator=bool(content["authenticator"]),
            code=content["code"],
        )
        return await recovery.reset_password(
            session, connection.core, secret=link, password=content["password"], client=connection.client, choices=choices
        )

    def finish(result: ResetDone | SignInRefused) -> None:
        if isinstance(result, ResetDone):
            # Wrong passwords entered by others do not keep this page from signing in.
            connection.client = connection.client.model_copy(update={"device": tokens.digest(result.device)})
            set_done(result)
        elif result.reason is SignInRefusal.CODE_NEEDED:
            set_refusal(t("Enter a code from your authenticator app or a recovery code to remove a passkey or the app."))
        else:
            set_refusal(t(result.sentence))

    resetting = use_submit(form, choose, then=finish)
    return login_frame(
        connection,
        t("Choose a new password"),
        t("At least 8 characters. A sentence works well."),
        login_form(
            t("Choose a new password"),
            resetting,
            new_password_input(form, "password", t("Password")),
            checkbox_input(form, "end", t("Sign out everywhere and revoke all API tokens"), is_checked=True),
            html.fieldset(
                {"className": "fw-stack fw-stack-tight"},
                html.legend(t("Other ways to sign in")),
                html.p(t("These are kept unless you remove them. Remove any that you lost or don't recognize.")),
                checkbox_input(
                    form,
                    "authenticator",
                    html.span(t("Remove authenticator app"), " · ", t("Since"), " ", moment(reset.authenticator_since)),
                )
                if reset.authenticator_since
                else None,
                *(html.div({"key": name}, checkbox_input(form, name, _passkey(passkey))) for name, passkey in boxes.items()),
                text_input(
                    form,
                    "code",
                    t("Code from the app or recovery code (required to remove any of these)"),
                    autocomplete="one-time-code",
                )
                if has_code
                else None,
            )
            if has_code or boxes
            else None,
            submit=t("Save password"),
            refusal=None if form.shown_errors else refusal,
        ),
    )


def _passkey(passkey: PasskeyRead) -> VdomDict:
    return html.span(t("Remove passkey {name}", name=passkey.name), " · ", t("Added"), " ", moment(passkey.created_at))
