"""`/dashboard/user/account`: the person's own account, in tabs."""

from __future__ import annotations

from collections.abc import Callable

from reactpy.types import Component, VdomDict

from fundwright.core.messages import t
from fundwright_ui.hooks import use_url_state
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.account.data import data_tab
from fundwright_ui.screens.account.general import general_tab
from fundwright_ui.screens.account.notifications import notifications_tab
from fundwright_ui.screens.account.security import security_tab
from fundwright_ui.screens.account.tokens import tokens_tab
from fundwright_ui.ui import Tab, page, tabs

PATH = "/dashboard/user/account"

_TABS: dict[str, Callable[..., Component]] = {
    "general": general_tab,
    "security": security_tab,
    "notifications": notifications_tab,
    "tokens": tokens_tab,
    "data": data_tab,
}


@screen(PATH, "Account", help="/help/account")
def account_screen() -> VdomDict:
    url = use_url_state(tab=_TABS)
    asked = url.get("tab")
    chosen = asked if asked in _TABS else "general"
    labels = {
        "general": t("General"),
        "security": t("Security"),
        "notifications": t("Notifications"),
        "tokens": t("API tokens"),
        "data": t("My data"),
    }
    return page(
        t("Account"),
        tabs(
            [Tab(tab, label, url.href(tab=tab, page=None)) for tab, label in labels.items()],
            chosen,
            label=t("Account sections"),
        ),
        _TABS[chosen](key=chosen),
    )
