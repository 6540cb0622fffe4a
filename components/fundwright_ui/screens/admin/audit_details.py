"""The details of entries of the audit trail in words. The trail keeps the names and values that the API has, such as `amount_cents`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime

from babel.dates import format_date

from fundwright.accounts.schemas import AuditRead, Role, WorkspaceRole
from fundwright.authentication.schemas import SignInRefusal, TokenScope
from fundwright.billing.schemas import Origin
from fundwright.content.schemas import FeedbackState
from fundwright.core.messages import Message, current_language, later, number
from fundwright_ui.ui.money import money

_NAMES: Mapping[str, Message] = {
    "account": later("Account"),
    "amount_cents": later("Amount"),
    "by": later("Confirmed with"),
    "days": later("Duration in days"),
    "documents": later("Documents"),
    "drafts": later("Drafts per month"),
    "everything": later("Other sessions"),
    "imports": later("Imports per month"),
    "new": later("New address"),
    "old": later("Previous address"),
    "origin": later("Source"),
    "plan": later("Plan"),
    "previous": later("Previous name"),
    "previous_role": later("Previous role"),
    "price_cents": later("Price"),
    "published_at": later("Published"),
    "reason": later("Reason"),
    "role": later("Role"),
    "scope": later("Permissions"),
    "slug": later("Address"),
    "source": later("Source"),
    "state": later("Status"),
    "tries": later("Attempts"),
    "until": later("Ends on"),
    "uses": later("Maximum uses"),
    "was": later("Previous plan"),
    "workspace": later("Workspace"),
    "workspaces": later("Shared workspaces"),
}
_WORDS: Mapping[str, Message] = {
    "code": later("Verification code"),
    "ended": later("Ended"),
    "kept": later("Kept"),
    "open": later("No end date"),
    "passkey": later("Passkey"),
    "password": later("Password"),
    "unlimited": later("Unlimited"),
    SignInRefusal.UNKNOWN_EMAIL: later("Unknown email address"),
    SignInRefusal.WRONG_PASSWORD: later("Wrong password"),
    SignInRefusal.THROTTLED: later("Too many attempts"),
    SignInRefusal.UNVERIFIED: later("Email address not confirmed"),
    SignInRefusal.CODE_NEEDED: later("Verification code required"),
    SignInRefusal.WRONG_CODE: later("Wrong verification code"),
    SignInRefusal.WRONG_PASSKEY: later("Wrong passkey"),
}


def details_of(entry: AuditRead) -> list[tuple[str, str]]:
    """The names and values of the details of an entry, in the reader's language, amounts first. Details of packages keep their names."""
    currency = entry.details.get("currency", "usd")
    names = sorted((name for name in entry.details if name != "currency"), key=lambda name: not name.endswith("_cents"))
    return [
        (str(_NAMES[name]) if name in _NAMES else name, shown)
        for name in names
        if (shown := _shown(name, entry.details[name], currency))
    ]


def _role(text: str) -> str:
    """The label of a role of an account, or in a workspace. Earlier versions had `viewer` and `reviewer` for accounts, too."""
    return Role(text).label if text in list(Role) else WorkspaceRole(text).label


def _shown(name: str, value: str, currency: str) -> str:
    def day(text: str) -> str:
        return format_date(date.fromisoformat(text), locale=current_language())

    writers: Mapping[str, Callable[[str], str]] = {
        "amount_cents": lambda text: money(int(text), currency),
        "price_cents": lambda text: money(int(text), currency),
        "documents": lambda text: number(int(text)),
        "drafts": lambda text: number(int(text)),
        "imports": lambda text: number(int(text)),
        "origin": lambda text: Origin(text).label,
        "plan": str.capitalize,
        "was": str.capitalize,
        "published_at": lambda text: format_date(datetime.fromisoformat(text), locale=current_language()),
        "role": _role,
        "previous_role": _role,
        "scope": lambda text: TokenScope(text).label,
        "state": lambda text: FeedbackState(text).label,
        "until": day,
        "workspaces": lambda text: number(int(text)),
    }
    try:
        return writers[name](value)
    except (KeyError, ValueError):  # a word such as "unlimited", or a value of a package
        return str(_WORDS[value]) if name in _NAMES and value in _WORDS else value
