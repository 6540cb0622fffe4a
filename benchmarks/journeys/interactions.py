"""Fifteen interactions, each with the change that it waits for."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from playwright.sync_api import Page, expect

from benchmarks.journeys.network import Traffic
from e2e.application import PROJECT
from e2e.pages.opportunities import OpportunitiesPage
from e2e.pages.ready import ready

PATIENCE_MS = 60_000
LIST = "/dashboard/sam"
SAMPLE_DOCUMENTS = sorted((PROJECT / "src/fundwright/training/sample").glob("*.md"))

# Compares text, not elements: React may reuse the elements of one page for the rows of another.
HELPERS = """
const first = () => document.querySelector("tbody tr a")?.getAttribute("href");
const button = (label) => [...document.querySelectorAll("button")].find(
  (each) => (each.getAttribute("aria-label") ?? each.textContent.trim()) === label);
const link = (label) => [...document.querySelectorAll("a")].find((each) => each.textContent.trim() === label);
const field = (name) => document.querySelector(`[name='${name}']`);
const put = (name, value) => {
  const target = field(name);
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(target), "value").set.call(target, value);
  target.dispatchEvent(new Event(target.tagName === "SELECT" ? "change" : "input", {bubbles: true}));
};
"""


@dataclass
class Person:
    """A person at a browser whose traffic is counted."""

    page: Page
    traffic: Traffic
    email: str
    password: str
    documents: Path
    number: int = 0
    """Number of the round, so that no two rounds do the same."""
    started_at: float = field(default_factory=time.perf_counter)

    def go(self, path: str) -> None:
        self.page.goto(path)
        ready(self.page)

    def begin(self) -> None:
        """Start the measurement, after all preparations."""
        ready(self.page)
        self.traffic.start()
        self.started_at = time.perf_counter()

    def elapsed_ms(self) -> float:
        return (time.perf_counter() - self.started_at) * 1000

    def timed(self, act: str, until: str) -> float:
        """Milliseconds in the browser from `act` to the first frame in which `until` is true; both are JavaScript."""
        self.begin()
        script = """async () => {
          HELPERS
          const before = first();
          const started = performance.now();
          ACT;
          await new Promise((done, fail) => {
            const look = () => (UNTIL) && (observer.disconnect(), done());
            const observer = new MutationObserver(look);
            observer.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
            setTimeout(() => fail(new Error(`Still not so: UNTIL`)), 30000);
            look();
          });
          return performance.now() - started;
        }"""
        took: float = self.page.evaluate(script.replace("HELPERS", HELPERS).replace("ACT", act).replace("UNTIL", until))
        ready(self.page)
        return took


def sign_in(person: Person) -> float:
    page = person.page
    if page.url.startswith("http"):
        page.evaluate("localStorage.clear(); sessionStorage.clear()")
    page.context.clear_cookies()
    person.go("/auth/login")
    page.get_by_label("Email").fill(person.email)
    page.get_by_label("Password", exact=True).fill(person.password)
    person.begin()
    page.get_by_role("button", name="Login", exact=True).click()
    page.wait_for_url("**/dashboard/train")
    ready(page)
    return person.elapsed_ms()


def open_list(person: Person) -> float:
    person.go("/dashboard/nih")
    return person.timed(
        'link("Contracts (SAM.gov)").click()', f'location.pathname === "{LIST}" && first()?.startsWith("{LIST}/")'
    )


def search(person: Person) -> float:
    person.go(LIST)
    words = ("maintenance", "roof", "software", "services", "medical")[person.number % 5]
    return person.timed(
        f'put("q", "{words}"); field("q").form.requestSubmit()', 'location.search.includes("q=") && first() !== before'
    )


def filter_list(person: Person) -> float:
    person.go(f"{LIST}?page=2")
    person.page.get_by_role("button", name="More filters", exact=True).click()
    person.page.get_by_role("group", name="Type", exact=True).get_by_role("checkbox").first.wait_for()
    return person.timed(
        '((types) => types[types.length % 3].click())(document.querySelectorAll("#filter-more [name^=type]"))',
        'document.querySelector(".fw-filter-set") !== null && first() !== before',
    )


def sort(person: Person) -> float:
    if person.number % 2 == 0:
        person.go(LIST)
    return person.timed(
        '[...document.querySelectorAll("th button")].find((each) => each.textContent.startsWith("Due")).click()',
        'document.querySelector("th[aria-sort]") !== null && first() !== before',
    )


def next_page(person: Person) -> float:
    if person.number == 0:
        person.go(LIST)
    return person.timed('button("Next page").click()', "first() !== before")


def open_notice(person: Person) -> float:
    if LIST not in person.page.url or person.page.url.rstrip("/").count("/") > 4:
        person.go(f"{LIST}?page={person.number + 1}")
    row = person.number % 20
    person.page.evaluate(f"document.querySelectorAll('tbody tr a')[{row}].scrollIntoView({{block: 'center'}})")
    return person.timed(
        f'var a = document.querySelectorAll("tbody tr a")[{row}]; a.click()',
        '!document.querySelector("table[aria-label=Opportunities]") && document.querySelector("main h1") !== null '
        "&& document.querySelector('main h1').textContent === a.textContent",
    )


def back(person: Person) -> float:
    open_notice(person)
    return person.timed("history.back()", f'first()?.startsWith("{LIST}/")')


def accept_label(person: Person) -> float:
    person.go("/dashboard/category")
    return person.timed(
        'document.querySelector("ul[aria-label=Suggestions] button[name=accept]").click()', 'button("Undo") !== undefined'
    )


def upload(person: Person) -> float:
    person.go("/dashboard/train")
    file = person.documents / f"profile-{person.number}-{time.time_ns()}.md"
    file.write_text(f"# Profile {file.name}\n\nWe repaired roofs of {person.number + 3} hospitals in 2025.\n" * 40)
    person.begin()
    person.page.locator("input[type=file]").set_input_files(file)
    expect(person.page.get_by_text("Uploaded")).to_have_count(1, timeout=PATIENCE_MS)
    return person.elapsed_ms()


def ask(person: Person) -> float:
    person.go("/dashboard/train")
    person.page.get_by_role("textbox", name="Question").fill(f"How many hospitals had their roof repaired, {person.number}?")
    return person.timed('button("Ask").click()', 'link("Show in the document") !== undefined')


def choose_what_to_draft(person: Person) -> None:
    person.go(f"{LIST}?q=roof")
    notice: str = person.page.evaluate("document.querySelector('tbody tr a').getAttribute('href').split('/').at(-1)")
    person.go(f"/generate/index?opportunity={notice}")
    person.page.get_by_role("radio", name=re.compile("Capability statement", re.IGNORECASE)).check()


def start_draft(person: Person) -> float:
    choose_what_to_draft(person)
    return person.timed(
        'button("Generate").click()',
        'location.pathname.startsWith("/generate/slug/") && document.querySelector("main h2") !== null',
    )


def first_words(person: Person) -> float:
    """From the click on Generate to the first paragraph of the draft."""
    choose_what_to_draft(person)
    return person.timed('button("Generate").click()', "document.querySelector('[data-widget=MarkdownView]') !== null")


def edit(person: Person) -> float:
    """Rename a category."""
    person.go("/dashboard/category")
    person.page.get_by_role("button", name=re.compile("^(Edit|Change|Rename)")).first.click()
    ready(person.page)
    name = f"Roofs {person.number} {time.time_ns() % 10_000}"
    person.page.get_by_role("main").get_by_role("textbox", name="Name").first.fill(name)
    return person.timed(
        'document.querySelector("main form button[type=submit]").click()',
        f'field("name") === null && document.querySelector("main").textContent.includes("{name}")',
    )


def export(person: Person) -> float:
    """Export a search with some hundred notices as CSV, until the file is complete."""
    person.go(f"{LIST}?q=roof")
    OpportunitiesPage(person.page).more_actions()
    person.begin()
    with person.page.expect_download() as download:
        person.page.get_by_role("link", name="Export as CSV").click()
    download.value.path()
    return person.elapsed_ms()


def see_suggestions(person: Person) -> None:
    """Categorize until there are suggestions to review; categorizing all notices would take minutes."""
    person.go("/dashboard/category")
    person.page.get_by_role("button", name="Categorize").click()
    suggestions = person.page.get_by_role("list", name="Suggestions")
    expect(suggestions.get_by_role("button", name="Accept").first).to_be_visible(timeout=PATIENCE_MS)
    stop = person.page.get_by_role("button", name="Cancel", exact=True)
    if stop.count():
        stop.click()
    expect(person.page.get_by_role("button", name="Cancel", exact=True)).to_have_count(0, timeout=PATIENCE_MS)


def train(person: Person) -> None:
    """Asking and drafting need documents of the account's own: those of the sample with a different wording, because duplicates are
    refused."""
    person.go("/dashboard/train")
    files: list[Path] = []
    for sample in SAMPLE_DOCUMENTS:
        files.append(person.documents / f"our-{sample.name}")
        files[-1].write_text(f"{sample.read_text()}\nRevised this year.\n")
    person.page.locator("input[type=file]").set_input_files(files)
    expect(person.page.get_by_text("Uploaded")).to_have_count(len(files), timeout=PATIENCE_MS)
    ready(person.page)
    person.page.get_by_role("button", name="Train", exact=True).click()
    expect(person.page.get_by_role("button", name="Train", exact=True)).to_be_enabled(timeout=PATIENCE_MS)


Often = Literal["often", "seldom"]

INTERACTIONS: tuple[tuple[str, Callable[[Person], float], Often], ...] = (
    ("sign in", sign_in, "seldom"),
    ("open the list", open_list, "often"),
    ("search", search, "often"),
    ("filter", filter_list, "often"),
    ("sort", sort, "often"),
    ("next page", next_page, "often"),
    ("open a notice", open_notice, "often"),
    ("back to the list", back, "often"),
    ("accept a label", accept_label, "seldom"),
    ("upload", upload, "seldom"),
    ("ask", ask, "seldom"),
    ("start a draft", start_draft, "seldom"),
    ("first words of it", first_words, "seldom"),
    ("edit", edit, "seldom"),
    ("export", export, "seldom"),
)
