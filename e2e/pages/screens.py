"""Where every screen is. Names in braces stand for things that `Things` knows."""

from __future__ import annotations

from dataclasses import dataclass

from playwright.sync_api import Browser

from e2e.pages.polling import eventually

PUBLIC = (
    "/auth/login",
    "/auth/register/standard/open",
    "/auth/reset-password",
    "/auth/confirm-reset/spent",
    "/auth/verify/ada@example.org",
    "/auth/verify/ada@example.org?link=spent",
    "/auth/confirm-email/spent",
    "/auth/first-admin/spent",
    "/auth/second-factor?pending=spent",
    "/pricing",
    "/payment",
    "/blog",
    "/coming-soon",
    "/maintenance",
    "/404",
    "/500",
)
GUARDED = (
    "/dashboard/train",
    "/dashboard/nih",
    "/dashboard/nih/{grant}",
    "/dashboard/sam",
    "/dashboard/sam/{contract}",
    "/dashboard/category",
    "/dashboard/history",
    "/dashboard/history/{run}",
    "/dashboard/passage/{passage}",
    "/generate/index",
    "/generate/slug/{draft}",
    "/dashboard/user/account",
    "/dashboard/user/account?tab=security",
)

OVERSEEN = (
    "/dashboard/index",
    "/dashboard/analyze",
    "/dashboard/payment/history",
    "/dashboard/blog/new-post",
    "/dashboard/blog/list",
    "/dashboard/feedback",
    "/dashboard/freepremium",
    "/dashboard/subscription",
    "/dashboard/users",
    "/dashboard/audit",
    "/dashboard/outbox",
)
"""For administrators."""


@dataclass(frozen=True)
class Things:
    """One of each kind of thing that has a page."""

    grant: str
    contract: str
    run: str
    passage: str
    draft: str

    def path(self, pattern: str) -> str:
        return pattern.format(**vars(self))


def find_things(browser: Browser, url: str, token: str) -> Things:
    """Take them from the sample as soon as it has been learnt, and let a draft be written."""
    context = browser.new_context(base_url=url, extra_http_headers={"Authorization": f"Bearer {token}"})
    get = context.request.get
    kinds = {kind: get(f"/api/opportunities?kind={kind}").json()["items"][0]["id"] for kind in ("grant", "contract")}
    asked = {"opportunity_id": kinds["contract"], "template": "capability-statement"}
    things = Things(
        **kinds,
        passage=eventually(lambda: next((found["id"] for found in get("/api/training/passages?query=air").json()), None)),
        run=get("/api/training/runs").json()["items"][0]["id"],
        draft=context.request.post("/api/drafts", data=asked).json()["slug"],
    )
    context.close()
    return things
