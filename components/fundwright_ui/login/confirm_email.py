"""`/auth/confirm-email/{link}`: confirms the new email address of an account."""

from __future__ import annotations

from reactpy import html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor
from fundwright.authentication import email_change
from fundwright.core.messages import t
from fundwright_ui.hooks import use_action, use_query
from fundwright_ui.login.frame import LOGIN, login_frame
from fundwright_ui.login.sign_in import EMAIL_CHANGED
from fundwright_ui.product import use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.ui.buttons import button
from fundwright_ui.ui.feedback import alert, problem


@screen("/auth/confirm-email/{link}", "Confirm your new email address", area="public", help="/help/account")
def confirm_email_screen() -> VdomDict:
    connection = use_connection()
    link = connection.location.params.get("link", "")
    confirmed, set_confirmed = use_state("")
    email = use_query(lambda session: email_change.address_to_confirm(session, link), key=[link])

    async def confirm(session: AsyncSession) -> Actor:
        return await email_change.confirm(session, secret=link, client=connection.client)

    def finish(changed: Actor) -> None:
        if connection.actor is not None and connection.actor.id == changed.id:
            # Their session has ended with all the others, and so has this page.
            connection.sign_out(next=f"{LOGIN}?notice={EMAIL_CHANGED}")
        else:
            set_confirmed(changed.email)

    confirming = use_action(confirm, then=finish)
    title = t("Confirm your new email address")
    to_login = html.p(html.a({"href": connection.href(LOGIN)}, t("Back to login")))

    if confirmed:
        return login_frame(
            connection,
            t("Email address changed"),
            t("You have been signed out everywhere. Sign in as {email}.", email=confirmed),
            to_login,
        )
    if email.error:
        return login_frame(connection, title, "", problem(email.error, on_retry=email.reload), to_login)
    if email.value is None and email.is_loading:
        return login_frame(connection, title, t("Checking the link…"))
    if email.value is None:
        return login_frame(
            connection,
            t("This link no longer works"),
            t("It was already used, has expired, or was replaced by a newer link. Sign in and request a new one under Account."),
            to_login,
        )
    return login_frame(
        connection,
        title,
        t("You will sign in as {email} and receive emails there.", email=email.value),
        alert(confirming.error) if confirming.error else None,
        button(t("Confirm"), variant="contained", block=True, on_click=confirming, is_busy=confirming.is_running),
    )
