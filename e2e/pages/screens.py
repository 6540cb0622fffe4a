"""The addresses of all screens. Names in braces stand for ids in `Fixtures`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count

from playwright.sync_api import APIRequestContext, Browser

from e2e.pages.polling import eventually

PUBLIC = (
    "/auth/login",
    "/auth/login-unprotected",
    "/auth/register/standard/open",
    "/auth/register-unprotected",
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
    "/blog/{post}",
    "/help",
    "/help/searching",
    "/feedback",
    "/coming-soon",
    "/maintenance",
    "/404",
    "/500",
)
GUARDED = (
    "/dashboard/index",
    "/dashboard/train",
    "/dashboard/train/collections",
    "/dashboard/nih",
    "/dashboard/nih/{grant}",
    "/dashboard/sam",
    "/dashboard/sam/{contract}",
    "/dashboard/category",
    "/dashboard/trash",
    "/dashboard/notifications",
    "/dashboard/saved-searches",
    "/dashboard/pipeline",
    "/dashboard/pipeline?view=table",
    "/dashboard/tasks",
    "/dashboard/notes",
    "/dashboard/share-links",
    "/dashboard/workspace",
    "/dashboard/workspace?tab=profile",
    "/dashboard/workspace?tab=plan",
    "/dashboard/workspace/facts",
    "/dashboard/workspace/facts?state=accepted",
    "/dashboard/workspace/facts?kind=detail",
    "/dashboard/workspace/facts?kind=certification",
    "/dashboard/workspace/facts?kind=contact",
    "/dashboard/workspace/facts?kind=person",
    "/dashboard/workspace/facts?kind=project",
    "/workspaces/join/spent",
    "/auth/register/premium/{premium}",
    "/dashboard/history",
    "/dashboard/history/{run}",
    "/dashboard/passage/{passage}",
    "/dashboard/train/{document}",
    "/dashboard/train/{pdf}?find=water",
    "/dashboard/train/{pdf}?view=text",
    "/generate/index",
    "/generate/slug/{draft}",
    "/generate/templates",
    "/generate/templates/cover-letter",
    "/dashboard/user/account",
    "/dashboard/user/account?tab=security",
    "/dashboard/user/account?tab=notifications",
    "/dashboard/user/account?tab=tokens",
    "/dashboard/user/account?tab=data",
)

ADMINISTERED = (
    "/dashboard/analyze",
    "/dashboard/analyze?days=7",
    "/dashboard/analyze?days=90",
    "/dashboard/payment/history",
    "/dashboard/payment/history/{invoice}",
    "/dashboard/blog/new-post",
    "/dashboard/blog/list",
    "/dashboard/blog/{post_id}/edit",
    "/dashboard/feedback",
    "/dashboard/freepremium",
    "/dashboard/freepremium/{link}",
    "/dashboard/subscription",
    "/dashboard/subscription/{account}",
    "/dashboard/users",
    "/dashboard/users?tab=invitations",
    "/dashboard/users/{account}",
    "/dashboard/audit",
    "/dashboard/outbox",
)
"""For administrators."""

ADDRESSES = (*PUBLIC, *GUARDED, *ADMINISTERED)


@dataclass(frozen=True)
class Fixtures:
    """One object of each kind that has its own page."""

    grant: str
    contract: str
    run: str
    passage: str
    document: str
    pdf: str
    draft: str
    account: str
    post: str
    post_id: str
    invoice: str
    link: str
    premium: str
    """The code of that premium link."""

    def path(self, pattern: str) -> str:
        return pattern.format(**vars(self))


def find_fixtures(browser: Browser, url: str, token: str, administrator: str) -> Fixtures:
    with requests_of(browser, url, token) as own, requests_of(browser, url, administrator) as administering:
        return Fixtures(
            **find_own(own), **add_administered(administering, account=own.get("/api/account/my-account").json()["user"])
        )


@contextmanager
def requests_of(browser: Browser, url: str, token: str = "") -> Iterator[APIRequestContext]:
    """API requests with this token."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    context = browser.new_context(base_url=url, extra_http_headers=headers)
    yield context.request
    context.close()


def find_own(requests: APIRequestContext) -> dict[str, str]:
    """Get the ids of the account's sample data as soon as it has been trained, and write a draft."""
    get = requests.get
    _pursue(requests)
    propose_facts(requests)
    kinds = {kind: get(f"/api/opportunities?kind={kind}").json()["items"][0]["id"] for kind in ("grant", "contract")}
    asked = {"opportunity_id": kinds["contract"], "template": "capability-statement"}
    draft = requests.post("/api/drafts", data=asked).json()
    eventually(lambda: get(f"/api/drafts/{draft['id']}").json()["state"] == "finished" or None, within_s=60)
    return {
        **kinds,
        "passage": eventually(
            lambda: next((each["id"] for found in get("/api/answers?query=air").json().values() for each in found), None),
            within_s=60,
        ),
        "document": _document(requests, "Past-performance-groundwater-database.txt"),
        "pdf": _document(requests, "Data-sheet-Tideline.pdf"),
        "run": get("/api/training/runs").json()["items"][0]["id"],
        "draft": draft["slug"],
    }


def _document(requests: APIRequestContext, filename: str) -> str:
    """The id of a document of the sample."""
    found = requests.get("/api/training/documents?page_size=50").json()["items"]
    return next(each["id"] for each in found if each["filename"] == filename)


def _pursue(requests: APIRequestContext) -> None:
    """Add pursuits in several stages, and a task, a note, and a watch of each of their notices."""
    stages = ("identified", "identified", "qualifying", "preparing", "in_review", "submitted", "won")
    notices = requests.get("/api/opportunities?kind=contract").json()["items"]
    for stage, notice, millions in zip(stages, notices, count(1), strict=False):
        about = {"opportunity_id": notice["id"]}
        for path, content in (
            ("/api/pipeline", {"stage": stage, "probability": 40, "value": millions * 1_000_000}),
            ("/api/tasks", {"title": "Review the price", "due_on": "2036-01-31"}),
            ("/api/notes", {"text": "The **incumbent** bids again."}),
        ):
            assert requests.post(path, data=about | content).ok
        assert requests.put(f"/api/opportunities/{notice['id']}/watch").ok


def propose_facts(requests: APIRequestContext) -> None:
    """Add facts of each kind to decide, of which two disagree, and an accepted one."""

    def add(kind: str, status: str = "current", **values: str) -> dict[str, str]:
        response = requests.post("/api/facts", data={"kind": kind, "values": values, "status": status})
        assert response.ok, response.text()
        fact = response.json()
        return {"id": fact["id"], "based_on": fact["changed_at"]}

    facts = [
        add("detail", label="Employees", value="31"),
        add("detail", label="Employees", value="12"),
        add("detail", label="UEI", value="H4K2M7Q9T1W3"),
        add("certification", "ended", name="8(a)", expires="2024-06-30"),
        add("contact", name="Maria Alvarez", phone="555-0100", email="maria@example.org"),
        add("person", name="Ann Ford", role="Project manager", qualifications="PMP, 14 years in water resources"),
        add("project", title="Groundwater database", customer="City of Reno", value="$1.2 million", rating="Exceptional"),
    ]
    assert requests.post("/api/facts/decisions", data={"decision": "proposed", "facts": facts}).ok
    add("person", name="Bo Lee", role="Engineer")


def add_administered(requests: APIRequestContext, *, account: dict[str, str]) -> dict[str, str]:
    """Add objects that only administrators can create: a published post, an invoice to the account, and a premium link."""

    def add(path: str, **content: object) -> dict[str, str]:
        response = requests.post(path, data=content)
        assert response.ok, response.text()
        return response.json()

    post = add("/api/blog/posts", title="Harbor works", summary="What we built", text="## Piers\n\nTwo piers, [drawn](/blog).")
    assert requests.put(f"/api/blog/posts/{post['id']}/publication", data={}).ok
    add("/api/feedback", kind="idea", text="Show piers on a map.", page="/dashboard/train")
    add("/api/invitations", email="invited@example.org", role="user")
    link = add("/api/billing/premium-links", plan="team", days=30, expires_on="2036-01-31")
    invoice = {"workspace_id": account["id"], "email": account["email"], "text": "Training day", "amount_cents": 9_900}
    return {
        "account": account["id"],
        "post": post["slug"],
        "post_id": post["id"],
        "invoice": add("/api/billing/payments", **invoice, issued="2026-01-31", due="2036-01-31")["id"],
        "link": link["id"],
        "premium": link["path"].rpartition("/")[2],
    }
