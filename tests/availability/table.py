"""Which routes, screens, events, and jobs are used to stop others, and why the rest cannot be.

A route that FastAPI describes, and a screen, are attacked as their descriptions say, so new ones need nothing here. What cannot be
derived has an attack of its own in `attacks.py`, or a reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fundwright.accounts.schemas import Permission
from tests.access.table import JOBS, ROUTES, SCREENS

REASONS: Mapping[str, str] = {
    "GET /assets/{path:path}": "a file that is compressed already, from the memory of the system",
    "GET /connection": "a constant",
    "DELETE /session": "deletes one row, once for each session",
    "GET /shared/{secret}/comments": "a constant redirect",
    "POST /stream/close": "ends one's own stream",
    "DELETE /api/account/sessions": "ends the session that attacks",
    "DELETE /api/account/sessions/{session_id}": "deletes one row; one's own session may be among them",
    "PUT /api/workspaces/{workspace_id}/use": "changes the workspace that the attacks are about",
    "DELETE /api/workspace": "once for each workspace, of which an account has few",
    "DELETE /api/workspace/membership": "once for each workspace",
    "POST /api/account/deletion": "once for each account",
    "POST /api/account/second-factor": "a secret of 20 bytes; it would close the account for the attacks",
    "PUT /api/account/second-factor": "it would close the account for the attacks",
}
"""Routes that do so little, or so seldom, that nobody can stop others with them."""

ROUTES_OF_ATTACKS: Mapping[str, Sequence[str]] = {
    "a shared draft again and again": ("GET /shared/{secret}", "GET /shared/{secret}/opportunities/{notice_id}"),
    "comments of a guest": ("POST /shared/{secret}", "POST /shared/{secret}/comments"),
    "public pages": (
        "GET /api/health", "GET /healthz", "GET /readyz", "GET /api/blog", "GET /api/blog/export.csv", "GET /api/blog/{slug}", "GET /blog/rss.xml", "GET /api/docs",
        "GET /api/openapi.json", "GET /unsubscribe/{token}", "GET /{path:page}",
    ),
    "half open requests": ("POST /unsubscribe/{token}",),
    "streams of a visitor": ("POST /stream",),
    "streams that nobody reads": ("POST /stream/frames",),
    "wrong passwords": ("POST /signin", "POST /api/account/login", "POST /api/account/reset-password", "POST /api/account/resend-verification"),
    "bodies without a session": (
        "POST /session", "POST /api/account/login/passkey", "POST /api/account/login/passkey-options", "POST /api/account/register",
        "POST /api/account/verify", "POST /api/account/reset-choices", "POST /api/account/confirm-reset", "POST /api/account/confirm-email",
    ),
}  # fmt: skip
"""Routes for which nobody signs in, or which FastAPI does not describe, and the attack that uses them."""

ALWAYS_REFUSED: dict[str, str] = {
    "POST /api/account/login": "a wrong password, which is hashed as a right one is",
    "PUT /api/account/password": "the same",
}
"""Uses of attacks that the server always refuses, and what that costs it nevertheless."""

JOBS_OF_ATTACKS: Mapping[str, str] = {
    "personal_data": "other jobs",
    "categorize": "other jobs",
    "import": "imports of notices",
    "train": "documents of every pattern",
    "find_facts": "documents of every pattern",
    "draft": "drafts by the hundred",
    "draft_section": "drafts by the hundred",
    "email.requested": "wrong passwords",
    "mail.send": "wrong passwords",
    "embed": "imports of notices",
}
"""Each job kind, and the attack that causes it."""

JOB_REASONS: Mapping[str, str] = {
    "propose_kinds": "once after an upgrade",
    "personal_data_expiry": "deletes one file",
    "remove_files": "deletes files that someone has added, in the slots of its account",
    "support_expiry": "changes one row",
}


def hostile_routes() -> list[str]:
    """The routes of signed-in people who administer nothing. docs/threat-model.md says why those of administrators are not attacked."""
    return [
        route
        for route, need in ROUTES.items()
        if isinstance(need, Permission) and need is not Permission.ADMINISTER and route not in REASONS
    ]


def hostile_screens() -> list[str]:
    """The screens of such people, and those of visitors."""
    return [path for path, need in SCREENS.items() if need is not Permission.ADMINISTER]


def unattacked_routes() -> list[str]:
    """Routes without a hostile use and without a reason."""
    known = {*REASONS, *hostile_routes(), *(route for routes in ROUTES_OF_ATTACKS.values() for route in routes)}
    return [route for route, need in ROUTES.items() if need is not Permission.ADMINISTER and route not in known]


def unattacked_jobs() -> list[str]:
    return sorted(JOBS.keys() - JOBS_OF_ATTACKS.keys() - JOB_REASONS.keys())
