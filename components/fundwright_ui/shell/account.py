"""The account menu and logging out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reactpy import component, html
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.authentication import service as authentication
from fundwright.core.messages import t
from fundwright_ui.extension import SidebarEntry
from fundwright_ui.hooks import use_action
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.sidebar.entries import current_entry
from fundwright_ui.ui.avatars import avatar
from fundwright_ui.widgets import AccountLink, AccountMenu, ConfirmDialog


def account_menu(links: Sequence[SidebarEntry], *, on_logout: Callable[[], object]) -> VdomDict:
    """The avatar with name, email, `links` and Logout."""
    connection, actor = use_connection(), use_actor()
    photo = connection.href(actor.photo_url) if actor.photo_url else ""
    shown = actor.name or actor.email
    current = current_entry(links, connection.location.path)
    return AccountMenu(
        name=actor.name,
        email=actor.email,
        photo=photo,
        label=t("Account menu"),
        links=[
            AccountLink(label=t(entry.label), href=connection.href(entry.path), is_current=entry is current) for entry in links
        ],
        logout_label=t("Logout"),
        on_logout=on_logout,
        fallback=[
            html.button(
                {"type": "button", "className": "fw-avatar", "aria-label": t("Account menu"), "aria-haspopup": "menu"},
                avatar(shown, photo) if photo else shown[:1],
            )
        ],
    )


@component
def logout_dialog(on_cancel: Callable[[], object]) -> VdomDict:
    """Ask for confirmation and end the session in every tab of this browser."""
    connection, actor = use_connection(), use_actor()

    async def sign_out(session: AsyncSession) -> None:
        await authentication.sign_out(session, actor, client=connection.client)

    signing_out = use_action(sign_out, then=connection.sign_out)
    return ConfirmDialog(
        is_open=True,
        title=t("Sure you want to Log Out?"),
        confirm_label=t("Yes, confirm"),
        cancel_label=t("No, cancel"),
        error=signing_out.error or "",
        on_confirm=signing_out,
        on_cancel=on_cancel,
    )
