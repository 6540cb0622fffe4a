"""Lighthouse on the sign-in page, the list with all notices, an opportunity, and a draft: `python -m benchmarks.lighthouse`.

Lighthouse is installed from npm below var/ and measures in headless Chromium: with its desktop preset, and with its default, which is a
phone with a slow network and a quarter of the CPU's speed. Scores and times are medians of three runs.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserType, sync_playwright

from benchmarks._notices import EMAIL, PASSWORD, all_notices, sign_in
from benchmarks.ui.servers import NotAvailable, install_npm
from e2e.application import Application, free_port, launch_options, started
from e2e.pages.polling import eventually
from e2e.pages.screens import requests_of

VERSION = "12.8.2"
RUNS = 3
CATEGORIES = ("performance", "accessibility", "best-practices")
PROFILES = {"desktop": ("--preset=desktop",), "phone": ()}
GOALS = {"desktop": dict.fromkeys(CATEGORIES, 100), "phone": {"performance": 97}}
LIST = "/dashboard/sam"
MAX_BLOCKING_MS = 100
"""Of the list, on a phone."""


class Result(NamedTuple):
    scores: Mapping[str, float]
    """Up to 100, by category."""
    blocking_ms: float


def main() -> int:
    try:
        lighthouse = install_npm("lighthouse", VERSION) / "lighthouse"
    except NotAvailable as reason:
        print(f"Lighthouse: {reason}")
        return 1
    with all_notices() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(**launch_options())
        with started(folder) as application:
            application.add_person(EMAIL, PASSWORD, has_sample=True)
            draft = write_draft(browser, application)
        # Without a worker, because notices are indexed for many minutes after an import.
        with started(folder, "--no-worker") as application:
            missed = [
                goal
                for profile in PROFILES
                for path in find_screens(browser, application, draft)
                for goal in tell(profile, path, measure(lighthouse, playwright.chromium, application.url, path, profile))
            ]
            browser.close()
    for goal in missed:
        print(f"Goal not met: {goal}")
    return 1 if missed else 0


def write_draft(browser: Browser, application: Application) -> str:
    """The address of a finished draft that is based on the sample documents."""
    with requests_of(browser, application.url, token_of(browser, application)) as requests:
        eventually(lambda: any(requests.get("/api/answers?query=air").json().values()), within_s=120)
        asked = {"opportunity_id": first_notice(requests), "template": "capability-statement"}
        slug: str = requests.post("/api/drafts", data=asked).json()["slug"]
        eventually(lambda: requests.get(f"/api/drafts/slug/{slug}").json()["state"] == "finished", within_s=300)
    return f"/generate/slug/{slug}"


def find_screens(browser: Browser, application: Application, draft: str) -> list[str]:
    """The addresses to measure."""
    with requests_of(browser, application.url, token_of(browser, application)) as requests:
        return ["/auth/login", LIST, f"{LIST}/{first_notice(requests)}", draft]


def token_of(browser: Browser, application: Application) -> str:
    context = browser.new_context(base_url=application.url)
    token = sign_in(context)
    context.close()
    return token


def first_notice(requests: Any) -> str:
    """The id of the first notice of the list."""
    found: str = requests.get("/api/opportunities?kind=contract&availability=open&page_size=1").json()["items"][0]["id"]
    return found


def measure(lighthouse: Path, chromium: BrowserType, url: str, path: str, profile: str) -> Result:
    """Each run has a browser of its own. The sign-in page is visited without a session."""
    options, port = launch_options(), free_port()
    arguments = [*options.pop("args"), f"--remote-debugging-port={port}"]
    command = [
        lighthouse, url + path, *PROFILES[profile], "--quiet", "--output=json", f"--only-categories={','.join(CATEGORIES)}",
        f"--port={port}",
    ]  # fmt: skip
    reports: list[dict[str, Any]] = []
    for _ in range(RUNS):
        with tempfile.TemporaryDirectory() as folder:
            context = chromium.launch_persistent_context(folder, args=arguments, base_url=url, **options)
            if path != "/auth/login":
                sign_in(context)
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
            context.close()
        reports.append(json.loads(done.stdout))
        final = urlsplit(reports[-1]["finalDisplayedUrl"]).path
        assert final == path, f"{path} led to {final}."
    return Result(
        {name: statistics.median(round(100 * report["categories"][name]["score"]) for report in reports) for name in CATEGORIES},
        statistics.median(report["audits"]["total-blocking-time"]["numericValue"] for report in reports),
    )


def tell(profile: str, path: str, found: Result) -> list[str]:
    """Print the result; returns the goals that were missed."""
    name = "/".join(path.split("/")[:3])
    screen = f"{profile}, {name}{'/…' if name != path else ''}"
    goals = GOALS[profile]
    scores = ", ".join(
        f"{category} {score:.0f}{f' (goal {goals[category]})' if category in goals else ''}"
        for category, score in found.scores.items()
    )
    has_limit = profile == "phone" and path == LIST
    print(
        f"{screen}: {scores}, blocking time {found.blocking_ms:.0f} ms{f' (goal {MAX_BLOCKING_MS})' if has_limit else ''}",
        flush=True,
    )
    missed = [f"{screen}, {category}" for category, goal in goals.items() if found.scores[category] < goal]
    return [*missed, *([f"{screen}, blocking time"] if has_limit and found.blocking_ms >= MAX_BLOCKING_MS else [])]


if __name__ == "__main__":
    sys.exit(main())
