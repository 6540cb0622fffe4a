"""The layout of the sign-in pages."""

from __future__ import annotations

from reactpy import component, html
from reactpy.types import VdomDict

from fundwright.accounts import service as accounts
from fundwright.core.messages import t
from fundwright_ui.hooks import use_query
from fundwright_ui.product import Connection
from fundwright_ui.sidebar.logo import logo
from fundwright_ui.ui.elements import Child
from fundwright_ui.ui.feedback import alert

REGISTER = "/auth/register/standard/open"
LOGIN = "/auth/login"
RESET = "/auth/reset-password"
SECOND_FACTOR = "/auth/second-factor"


def login_frame(
    connection: Connection,
    title: str,
    subtitle: str,
    *children: Child,
    corner: tuple[str, str] | None = None,
    foot: Child = None,
) -> VdomDict:
    """Logo, a title with its subtitle, and `children` in a column of at most 426 px. `corner` is the label and path of a link."""
    return html.div(
        {"className": "fw-login"},
        html.header(
            {"className": "fw-login-header"},
            logo(connection),
            html.div(
                {"className": "fw-row"},
                html.a({"href": connection.href(connection.help)}, t("Help")) if connection.help else None,
                html.a({"href": connection.href(corner[1])}, corner[0]) if corner else None,
            ),
        ),
        html.aside(
            {"className": "fw-login-aside", "aria-label": t("About Fundwright")},
            html.h2(t("Find federal funding worth pursuing, and draft proposals for it")),
            html.p(
                {"className": "fw-lead"},
                t("Contracts and grants sorted into your categories. Drafts that cite your documents."),
            ),
        ),
        html.main(
            {"className": "fw-login-main", "id": "main"},
            html.div(
                {"className": "fw-login-form"},
                html.div(
                    html.h1({"className": "fw-login-title"}, title),
                    html.p({"className": "fw-login-subtitle"}, subtitle),
                ),
                *children,
                foot,
            ),
        ),
    )


@component
def no_account_yet(*otherwise: Child) -> VdomDict:
    """Explain how the first account is created while there is none; `otherwise` is shown if there are accounts."""
    if use_query(accounts.has_accounts).value is not False:
        return html.fragment(*otherwise)
    return alert(
        t(
            "There is no account yet. To create the first one, open the link that Fundwright printed when it started. To get a new link, restart Fundwright."
        ),
        variant="info",
    )


def mail_is_off(connection: Connection, *children: Child) -> VdomDict | None:
    """Explain where to get links if the server does not send email."""
    if connection.core.settings.sends_mail:
        return None
    sentence = t(
        "This server does not send email. Ask your administrator for the link; `fundwright mail` prints it on the server."
    )
    return alert(sentence, *children, variant="info")
