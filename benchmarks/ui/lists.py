"""The opportunities list in several frameworks on one database, driven by the same script in headless Chromium.

`python -m benchmarks.ui.lists [--keep] [NAME…]`; `--keep` adds the table to docs/performance.md. 12,309 real notices (invented ones
if the data is missing), 25 per page, as links with agency, type, dates, set-aside, and chips; search, four filters, sorting, and
paging. Ours is the complete screen of the real application; the others have only the list and a page with six fields of each
notice. All of them read one page at a time from PostgreSQL, with the same indexes, and search by relevance. Times are milliseconds
in the browser from the click to the change of the first row, or to the heading when a notice is opened. Streamlit draws its table
on a canvas, so the line above the table is measured instead, which appears earlier.
"""

from __future__ import annotations

import csv
import gzip
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Error, Locator, Page, sync_playwright

from benchmarks._results import keep
from benchmarks.ui.peers import free_ports
from benchmarks.ui.proxy import Proxy, proxied
from benchmarks.ui.servers import NotAvailable, lists_of_others, serving
from e2e.application import PROJECT, launch_options, run_command, started
from e2e.pages.polling import eventually
from e2e.pages.ready import ready
from fundwright.core.postgres import EmbeddedPostgres

NOTICES = PROJECT.parent / "shared/data/sam/ContractOpportunitiesFullCSV.csv.gz"
SAMPLE = PROJECT / "src/fundwright/opportunities/sample/sam.csv"
INVENTED = 12_309
OURS = "Fundwright"
EMAIL, PASSWORD = "ada@example.org", "a quiet harbor at dawn"
LOADS = 3
ROUNDS = {"next page": 15, "sort": 12, "filter": 12, "search": 12, "open": 5}
SILENCE_S = 0.25
INDEXING_TIMEOUT_S = 1_800
PATIENCE_MS = 10_000
SORTED_BY = ("Title", "Agency", "Posted")
STATES = ("open", "closed")
WORDS = ("maintenance", "roof", "software", "services", "medical")

# Measured in the page, from the click to the change. The address may change in between.
WATCH = """
(() => {
  const normal = (text) => text.replace(/\\s+/g, " ").trim();
  const now = () => performance.timeOrigin + performance.now();
  const titles = {
    table: () => document.querySelector("tbody tr a")?.textContent,
    grid: () => [...document.querySelectorAll(".ag-center-cols-container .ag-row")]
      .sort((a, b) => a.getAttribute("row-index") - b.getAttribute("row-index"))[0]?.querySelector("[col-id=title]")?.textContent,
    line: () => [...document.querySelectorAll("[data-testid=stText]")].map((each) => each.textContent)
      .find((text) => text.includes("opportunities, page"))?.replace(/.*?from: /, ""),
  };
  const first = () => normal(titles.table() ?? titles.grid() ?? titles.line() ?? "");
  const bench = window.bench = {first};
  const kept = () => JSON.parse(sessionStorage.getItem("bench") ?? "null");
  bench.arm = (kind) => {
    sessionStorage.setItem("bench", JSON.stringify({kind, title: first()}));
    bench.took = undefined;
  };
  const begin = (event) => {
    const armed = kept();
    if (armed === null || armed.started !== undefined || (event.type === "keydown" && event.key !== "Enter")) return;
    sessionStorage.setItem("bench", JSON.stringify({...armed, started: now()}));
  };
  for (const type of ["click", "change", "keydown"]) addEventListener(type, begin, true);
  const isDone = ({kind, title}) => kind === "open"
    ? [...document.querySelectorAll("h1")].some((each) => normal(each.textContent) === title)
    : first() !== "" && first() !== title;
  const look = () => {
    if (bench.content === undefined && first() !== "") bench.content = performance.now();
    const armed = kept();
    if (armed?.started === undefined || !isDone(armed)) return;
    bench.took = now() - armed.started;
    sessionStorage.removeItem("bench");
  };
  new MutationObserver(look).observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
})();
"""

Act = Callable[[Page, int], object]


_FIELDS: dict[str, Callable[[Page], Locator]] = {
    "label": lambda page: page.get_by_label("Search", exact=True).first,
    "placeholder": lambda page: page.get_by_placeholder("Search").first,
    "role": lambda page: page.get_by_role("searchbox"),
}


def _search(found_by: str) -> tuple[Act, Act]:
    """Type and press Enter."""
    field_of = _FIELDS[found_by]
    return lambda page, n: field_of(page).fill(WORDS[n % len(WORDS)]), lambda page, _n: field_of(page).press("Enter")


def _nothing(_page: Page, _n: int) -> None:
    pass


def _show(page: Page, n: int) -> None:
    page.get_by_role("dialog", name="Show").get_by_role("link", name=STATES[n % 2].capitalize(), exact=True).click()


def _first_cell(page: Page, _n: int) -> None:
    page.locator(".ag-center-cols-container .ag-row[row-index='0'] [col-id=title]").click()


def _first_line(page: Page, _n: int) -> None:
    """The marker of the first row, at the edge of the canvas below its header."""
    box = page.locator("[data-testid=stDataFrame]").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 18, box["y"] + 52)


@dataclass(frozen=True)
class Hands:
    """How to perform the interactions in a framework: the preparation, and the part that is timed."""

    sort: Act
    filter: tuple[Act, Act]
    search: tuple[Act, Act] = field(default_factory=lambda: _search("label"))
    open: Act = lambda page, _n: page.locator("tbody tr a").first.click()
    turn: Act = lambda page, _n: page.get_by_role("button", name="Next page", exact=True).click()

    def acts(self) -> dict[str, tuple[Act, Act]]:
        return {
            "next page": (_nothing, self.turn),
            "sort": (_nothing, self.sort),
            "filter": self.filter,
            "search": self.search,
            "open": (_nothing, self.open),
        }


HANDS = {
    OURS: Hands(
        sort=lambda page, n: page.locator("th button").filter(has_text=SORTED_BY[n % 3]).click(),
        filter=(lambda page, _n: page.locator("[popovertarget=filter-availability]").click(), _show),
        search=_search("role"),
    ),
    "Reflex": Hands(
        sort=lambda page, n: page.locator("th").filter(has_text=SORTED_BY[n % 3]).click(),
        filter=(_nothing, lambda page, n: page.locator("select[name=state]").select_option(STATES[n % 2])),
        search=_search("placeholder"),
    ),
    "NiceGUI": Hands(
        sort=lambda page, n: page.locator(f".ag-header-cell[col-id={SORTED_BY[n % 3].lower()}] .ag-header-cell-label").click(),
        filter=(
            lambda page, _n: page.locator(".choice-state").click(),
            lambda page, n: page.locator(".q-menu .q-item").filter(has_text=STATES[n % 2]).click(),
        ),
        open=_first_cell,
    ),
    "Dash": Hands(
        sort=lambda page, n: page.locator(f".ag-header-cell[col-id={SORTED_BY[n % 3].lower()}] .ag-header-cell-label").click(),
        filter=(
            lambda page, _n: page.locator("#state").click(),
            lambda page, n: page.locator(".dash-dropdown-option").filter(has_text=STATES[n % 2]).click(),
        ),
        search=_search("placeholder"),
        open=_first_cell,
        turn=lambda page, _n: page.locator(".ag-paging-button[aria-label='Next Page']").click(),
    ),
    "Streamlit": Hands(
        sort=lambda page, n: page.locator("[data-testid=stRadio] label").filter(has_text=SORTED_BY[n % 3]).click(),
        filter=(
            lambda page, _n: page.locator("[data-testid=stSelectbox]").nth(3).locator("input").click(),
            lambda page, n: page.locator("li[role=option], [role=option]").filter(has_text=STATES[n % 2]).first.click(),
        ),
        open=_first_line,
    ),
}


@dataclass
class Measured:
    """Milliseconds of each round, and bytes that the server sent."""

    paint: list[float] = field(default_factory=list[float])
    cold_kb: list[float] = field(default_factory=list[float])
    times: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    sizes: dict[str, list[float]] = field(default_factory=dict[str, list[float]])


def main(wanted: Sequence[str]) -> int:
    names = {name.lower() for name in wanted if not name.startswith("--")}
    found: dict[str, Measured] = {}
    missing: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="bench-lists-", ignore_cleanup_errors=True) as folder, ExitStack() as running:
        data = Path(folder) / "data"
        data.mkdir()
        database = running.enter_context(EmbeddedPostgres(data).use())
        load_notices(Path(folder), data)
        playwright = running.enter_context(sync_playwright())
        browser = playwright.chromium.launch(**launch_options())
        pages: dict[str, tuple[Proxy, str, Any]] = {}
        print(f"{OURS} …", file=sys.stderr, flush=True)
        if not names or OURS.lower() in names:
            pages[OURS] = running.enter_context(ours(data, browser))
        for framework in lists_of_others(database):
            if names and framework.name.lower() not in names:
                continue
            print(f"{framework.name} …", file=sys.stderr, flush=True)
            port, target = free_ports(2)
            try:
                running.enter_context(serving(framework, port=target, origin=f"http://127.0.0.1:{port}"))
            except NotAvailable as reason:
                missing[framework.name] = str(reason).splitlines()[0]
            else:
                pages[framework.name] = (running.enter_context(proxied(port, target)), f"http://127.0.0.1:{port}/", None)
        for name, (proxy, url, state) in pages.items():
            print(f"measuring {name} …", file=sys.stderr, flush=True)
            try:
                found[name] = measure(browser, proxy, url, state, HANDS[name])
            except Error as reason:
                missing[name] = str(reason).splitlines()[0]
        browser.close()
    table = table_of(found, missing)
    print(table)
    for problem in _behind(found):
        print(f"Goal not met: {problem}")
    if "--keep" in wanted:
        keep("The list in five frameworks", table)
    return 0 if OURS in found else 1


def load_notices(folder: Path, data: Path) -> None:
    if NOTICES.exists():
        file = NOTICES
    else:
        print("The real notices are missing; invented ones are used instead.")
        file = invent(folder / "notices.csv.gz")
    run_command(data, {}, "import", "sam", str(file))


def invent(file: Path) -> Path:
    """Create as many notices from those of the sample. Every other one is closed, and so are the newest ones, so that each filter
    changes the first row."""
    with SAMPLE.open(newline="", encoding="cp1252") as sample:
        reader = csv.DictReader(sample)
        rows = list(reader)
        newest = max(rows, key=lambda row: row["PostedDate"])
        with gzip.open(file, "wt", newline="", encoding="cp1252") as target:
            writer = csv.DictWriter(target, reader.fieldnames or ())
            writer.writeheader()
            for number in range(INVENTED):
                row = rows[number % len(rows)]
                title = f"{row['Title']} {number * 7919 % INVENTED}"
                due = row["PostedDate"] if row is newest or number % 2 else row["ResponseDeadLine"]
                writer.writerow({**row, "NoticeId": f"{number:032x}", "Title": title, "ResponseDeadLine": due})
    return file


@contextmanager
def ours(data: Path, browser: Browser) -> Iterator[tuple[Proxy, str, Any]]:
    """The application with this data: its address, with a person signed in, and the path of the list."""
    port, target = free_ports(2)
    environment = {"FUNDWRIGHT_ALLOWED_ORIGINS": f'["http://127.0.0.1:{port}"]'}
    with started(data, port=target, environment=environment) as application, proxied(port, target) as proxy:
        application.add_person(EMAIL, PASSWORD, has_sample=True)
        context = browser.new_context(base_url=f"http://127.0.0.1:{port}")
        page = context.new_page()
        page.goto("/auth/login")
        page.get_by_label("Email").fill(EMAIL)
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.get_by_role("button", name="Login", exact=True).click()
        page.wait_for_url("**/dashboard/train")
        ready(page)
        eventually(
            lambda: _indexed_at(context), within_s=INDEXING_TIMEOUT_S
        )  # it would take a core that the peers have to themselves
        state = context.storage_state()
        context.close()
        yield proxy, f"http://127.0.0.1:{port}/dashboard/sam?availability=any", state


def _indexed_at(context: BrowserContext) -> str | None:
    """When the indexing of the notices ended, or None while it runs or has not begun."""
    job = context.request.get("/api/opportunities/embedding").json()
    return job and job["ended_at"]


def measure(browser: Browser, proxy: Proxy, url: str, state: Any, hands: Hands) -> Measured:
    measured = Measured()
    for number in range(LOADS):
        context = _context(browser, state)
        before = proxy.sent
        painted = _load(context.new_page(), proxy, url)
        if number:  # the first one is a warm-up
            measured.paint.append(painted)
            measured.cold_kb.append((proxy.sent - before) / 1_000)
        context.close()
    context = _context(browser, state)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    for kind, (prepare, act) in hands.acts().items():
        try:
            _repeat(page, proxy, url, kind, prepare, act, measured)
        except Error as reason:
            print(f"  {kind}: {str(reason).splitlines()[0]}", file=sys.stderr, flush=True)
    context.close()
    return measured


def _repeat(page: Page, proxy: Proxy, url: str, kind: str, prepare: Act, act: Act, measured: Measured) -> None:
    """The first round is a warm-up."""
    for number in range(ROUNDS[kind] + 1):
        if kind == "open" or number == 0:
            _load(page, proxy, url)
        if prepare is not _nothing:
            prepare(page, number)
            proxy.wait_until_silent(SILENCE_S)
        page.evaluate("(kind) => bench.arm(kind)", kind)
        before = proxy.sent
        act(page, number)
        page.wait_for_function("() => window.bench?.took !== undefined")
        took: float = page.evaluate("bench.took")
        proxy.wait_until_silent(SILENCE_S)
        if number:
            measured.times.setdefault(kind, []).append(took)
            measured.sizes.setdefault(kind, []).append(proxy.sent - before)


def _context(browser: Browser, state: Any) -> BrowserContext:
    context = browser.new_context(storage_state=state, viewport={"width": 1440, "height": 1400})
    context.add_init_script(WATCH)
    return context


def _load(page: Page, proxy: Proxy, url: str) -> float:
    """Milliseconds until the first notice is visible."""
    page.goto(url)
    page.wait_for_function("() => window.bench?.content !== undefined")
    page.wait_for_load_state("networkidle")
    proxy.wait_until_silent(SILENCE_S)
    content: float = page.evaluate("bench.content")
    painted: float = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    return max(content, painted)


COLUMNS = ("first paint", *(f"{kind} {part}" for kind in ROUNDS for part in ("p50", "p95")), "bytes a page", "cold kB")


def table_of(found: dict[str, Measured], missing: dict[str, str]) -> str:
    """Each value, and its ratio to ours."""
    lines = [f"| | {' | '.join(COLUMNS)} |", "|---|" + "---|" * len(COLUMNS)]
    own = _row(found[OURS]) if OURS in found else None
    for name, measured in found.items():
        cells = [
            ("—" if value is None else f"{value:,.0f}")
            + (f" ({value / ours:.1f}×)" if name != OURS and own and value and ours else "")
            for value, ours in zip(_row(measured), own or _row(measured), strict=True)
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join([*lines, *(f"| {name} | {reason} |" + " |" * (len(COLUMNS) - 1) for name, reason in missing.items())])


def _behind(found: dict[str, Measured]) -> list[str]:
    own = _row(found[OURS]) if OURS in found else []
    return [
        f"{column}: {name} has {value:,.1f}, {OURS} {ours:,.1f}"
        for name, measured in found.items()
        for column, value, ours in zip(COLUMNS, _row(measured), own, strict=False)
        if value is not None and ours is not None and value < ours
    ]


def _row(measured: Measured) -> list[float | None]:
    values: list[float | None] = [statistics.median(measured.paint)]
    for kind in ROUNDS:
        times = measured.times.get(kind)
        values += [statistics.median(times), statistics.quantiles(times, n=20, method="inclusive")[18]] if times else [None, None]
    pages = measured.sizes.get("next page")
    return [*values, statistics.median(pages) if pages else None, statistics.median(measured.cold_kb)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
