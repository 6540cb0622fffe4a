"""The audit trail shows details in words, and all of an entry in a panel."""

from __future__ import annotations

from uuid import uuid4

import pytest

from fundwright.accounts import audit
from fundwright.accounts.schemas import AuditRead, Client, Role
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.messages import Language, using_language
from fundwright_ui.screens.admin.audit import audit_screen
from fundwright_ui.screens.admin.audit_details import details_of
from fundwright_ui.testing import mounted
from tests.support.accounts import add_account

INVOICE = {"account": "ada@example.org", "amount_cents": "1234500", "currency": "usd"}


@pytest.mark.parametrize(
    ("language", "details", "shown"),
    [
        ("en", INVOICE, [("Amount", "$12,345.00"), ("Account", "ada@example.org")]),
        ("de", INVOICE, [("Betrag", "12.345,00\xa0$"), ("Konto", "ada@example.org")]),
        ("en", {"was": "free", "plan": "pro", "until": "open"}, [("Previous plan", "Free"), ("Plan", "Pro"), ("Ends on", "No end date")]),
        ("en", {"until": "2030-01-31", "origin": "premium_link"}, [("Ends on", "Jan 31, 2030"), ("Source", "Premium Link")]),
        ("en", {"price_cents": "4900", "documents": "1000", "drafts": "unlimited"}, [("Price", "$49.00"), ("Documents", "1,000"), ("Drafts per month", "Unlimited")]),
        ("en", {"reason": "wrong_password", "tries": "5"}, [("Reason", "Wrong password"), ("Attempts", "5")]),
        ("en", {"role": "admin", "scope": "read"}, [("Role", "Administrator"), ("Permissions", "Read")]),
        ("en", {"role": "owner", "workspace": "Harbor"}, [("Role", "Owner"), ("Workspace", "Harbor")]),
        ("en", {"role": "user", "previous_role": "viewer"}, [("Role", "User"), ("Previous role", "Viewer")]),
        ("en", {"previous": "Harbor"}, [("Previous name", "Harbor")]),
        ("en", {"slug": "hello", "published_at": ""}, [("Address", "hello")]),
        ("en", {"role": "gardener", "of a package": "open"}, [("Role", "gardener"), ("of a package", "open")]),
    ],
)  # fmt: skip
def test_details_are_words(language: Language, details: dict[str, str], shown: list[tuple[str, str]]) -> None:
    entry = AuditRead(id=uuid4(), at=now(), actor_email=None, action="x", subject="", address="", details=details)
    with using_language(language):
        assert details_of(entry) == shown


async def test_an_entry_opens_in_a_panel(committed: Core) -> None:
    async with committed.database.transaction() as session:
        root = await add_account(session, role=Role.ADMIN)
        await audit.record(session, "payment.created", actor=root, subject="2026-0001", client=Client(address="::1"), **INVOICE)
    async with mounted(committed, root, audit_screen) as screen:
        row = screen.rows()[0]
        assert row["details"] == "$12,345.00 · ada@example.org"
        async with committed.database.transaction() as session:
            entry = (await audit.list_audit(session, root, audit.AuditQuery())).items[0]
        await screen.emit("DataTable", "on_open", id=str(entry.id))
        panel = screen.find("region", "Invoice created").text
        assert "2026-0001" in panel and "::1" in panel and "Amount" in panel
        await screen.click("button", "Close")
        assert not screen.has("region", "Invoice created")
