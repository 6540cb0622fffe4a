"""The same page in several frameworks, driven by the same script in headless Chromium, in one run.

`python -m benchmarks.ui.peers [NAME…]`. The page has a counter, a field that is echoed, and a table of 100 × 8 cells that all
change with each click. The browser reaches each server through a proxy that counts the bytes of responses, as compressed by the
server. Figures are medians of five rounds. The frameworks take turns in each round, because the speed of the machine varies. Times
are in milliseconds, measured in the browser; the first ones are since navigation in a new context.
"""

from __future__ import annotations

import socket
import statistics
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from typing import NamedTuple

from playwright.sync_api import Browser, Error, Page, sync_playwright

from benchmarks.ui.proxy import Proxy, proxied
from benchmarks.ui.servers import Framework, NotAvailable, frameworks, serving
from e2e.application import launch_options

ROUNDS = 5
CLICKS = 200
TABLE_CLICKS = 30
SILENCE_S = 1
"""Longer than the server's last messages after a click take, and shorter than the interval of its own messages."""
MAX_TABLE_BYTES = 2_000
MAX_COLD_KB = 120

# Content counts from the frame in which it is visible. Early clicks are repeated, because not every page queues them.
WATCH = """
(() => {
  const leaf = (start) => document.evaluate(
    `//*[not(self::script or self::title or self::style)][not(*)][starts-with(normalize-space(.), '${start}')]`,
    document, null, XPathResult.FIRST_ORDERED_NODE_TYPE, null).singleNodeValue;
  const isSeen = (element) => element !== null && element.getClientRects().length > 0
    && element.checkVisibility({opacityProperty: true, visibilityProperty: true});
  const button = (label) => [...document.querySelectorAll("button")].find((each) => each.textContent.trim() === label);
  const lastCell = () => [...document.querySelectorAll("td")].at(-1)?.textContent.trim();
  const bench = window.bench = {leaf, button, lastCell};
  bench.finished = new Promise((done, fail) => {
    bench.finish = done;
    setTimeout(() => fail(new Error(`Not answered: ${JSON.stringify(bench)}`)), 60000);
  });
  let clickedAt = -Infinity;
  const look = (now) => {
    if (bench.content === undefined && isSeen(leaf("Counter and table"))) bench.content = performance.now();
    const counter = leaf("Count:");
    if (bench.counter === undefined && isSeen(counter) && lastCell() === "99.7.0") bench.counter = performance.now();
    if (bench.counter !== undefined) {
      if (counter !== null && counter.textContent.trim() !== "Count: 0") {
        bench.answered = performance.now();
        bench.finish();
        return;
      }
      if (now - clickedAt >= 100 && button("Add")) { clickedAt = now; button("Add").click(); }
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})();
"""

CLICK_AGAIN_AND_AGAIN = """
async ([label, clicks, pause]) => {
  const times = [];
  const {leaf, button, lastCell} = window.bench;
  let shown = label === "Add" ? leaf("Count:") : null;
  const isNumber = (before) => {
    if (label !== "Add") return lastCell() === `99.7.${before + 1}`;
    if (!shown.isConnected) shown = leaf("Count:");
    return shown !== null && shown.textContent.trim() === `Count: ${before + 1}`;
  };
  const number = () => Number(label === "Add" ? leaf("Count:").textContent.trim().slice(7) : lastCell().split(".")[2]);
  for (let round = 0; round < clicks; round++) {
    const before = number();
    const target = button(label);
    const answered = new Promise((done, fail) => {
      const observer = new MutationObserver(() => {
        if (!isNumber(before)) return;
        observer.disconnect();
        done(performance.now());
      });
      observer.observe(document.body, {childList: true, characterData: true, subtree: true});
      setTimeout(() => fail(new Error(`${label}: click ${round + 1} was not answered.`)), 20000);
    });
    const started = performance.now();
    target.click();
    times.push((await answered) - started);
    await new Promise((done) => setTimeout(done, pause));
  }
  return times;
}
"""


class Measured(NamedTuple):
    """Milliseconds, except `table_bytes` and `cold_kb`."""

    first_paint: float
    counter_visible: float
    first_answered: float
    click_p50: float
    click_p99: float
    table_p50: float
    table_bytes: float
    cold_kb: float


COLUMNS = (
    "first paint", "counter visible", "first answered click", "click p50", "click p99", "table p50", "bytes a table click", "cold kB",
)  # fmt: skip


def main(wanted: Sequence[str]) -> int:
    chosen = [each for each in frameworks() if not wanted or each.name.lower() in {name.lower() for name in wanted}]
    rounds: dict[str, list[Measured]] = {}
    missing: dict[str, str] = {}
    with ExitStack() as running, sync_playwright() as playwright:
        browser = playwright.chromium.launch(**launch_options())
        pages: dict[str, tuple[str, Proxy]] = {}
        for framework in chosen:
            print(f"{framework.name} …", file=sys.stderr, flush=True)
            try:
                pages[framework.name] = start(framework, running)
            except NotAvailable as reason:
                missing[framework.name] = str(reason).splitlines()[0]
        for number in range(ROUNDS + 1):
            print(f"round {number} …" if number else "warming up …", file=sys.stderr, flush=True)
            for name, page in list(pages.items()):
                try:
                    measured = one_round(browser, *page)
                except Error as reason:
                    missing[name] = str(reason).splitlines()[0]
                    del pages[name]
                else:
                    rounds.setdefault(name, []).append(measured)
        browser.close()
    found = {name: _median(rounds[name][1:]) for name in pages}
    tell(found, missing)
    return 0 if "Fundwright" in found else 1


def start(framework: Framework, running: ExitStack) -> tuple[str, Proxy]:
    """The address of the page, and the proxy in front of it. Raises NotAvailable."""
    port, target = free_ports(2)
    origin = f"http://127.0.0.1:{port}"
    running.enter_context(serving(framework, port=target, origin=origin))
    return origin, running.enter_context(proxied(port, target))


def _median(rounds: Sequence[Measured]) -> Measured:
    return Measured(*(statistics.median(values) for values in zip(*rounds, strict=True)))


def one_round(browser: Browser, origin: str, proxy: Proxy) -> Measured:
    context = browser.new_context()
    page = context.new_page()
    page.add_init_script(WATCH)
    before = proxy.sent
    page.goto(origin)
    page.evaluate("() => window.bench.finished")
    page.wait_for_load_state("networkidle")
    proxy.wait_until_silent(SILENCE_S)
    cold = proxy.sent - before
    seen: dict[str, float] = page.evaluate("({content: bench.content, counter: bench.counter, answered: bench.answered})")
    painted: float = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    # Slower than our limit of 100 events per second.
    clicks = statistics.quantiles(click(page, "Add", CLICKS, 12), n=100)
    proxy.wait_until_silent(SILENCE_S)
    before = proxy.sent
    table = click(page, "Turn", TABLE_CLICKS, 100)
    proxy.wait_until_silent(SILENCE_S)
    sent = proxy.sent - before
    context.close()
    return Measured(
        first_paint=max(painted, seen["content"]),
        counter_visible=max(painted, seen["counter"]),
        first_answered=seen["answered"],
        click_p50=clicks[49],
        click_p99=clicks[98],
        table_p50=statistics.median(table),
        table_bytes=sent / TABLE_CLICKS,
        cold_kb=cold / 1_000,
    )


def click(page: Page, label: str, clicks: int, pause_ms: int) -> list[float]:
    """Milliseconds from each click to its change on the page."""
    times: list[float] = page.evaluate(CLICK_AGAIN_AND_AGAIN, [label, clicks, pause_ms])
    return times


def free_ports(count: int) -> list[int]:
    probes = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


def tell(found: dict[str, Measured], missing: dict[str, str]) -> None:
    ours = found.get("Fundwright")
    print("| | " + " | ".join(COLUMNS) + " |")
    print("|---|" + "---|" * len(COLUMNS))
    for name, measured in found.items():
        print(f"| {name} | " + " | ".join(_cells(measured, ours if measured is not ours else None)) + " |")
    for name, reason in missing.items():
        print(f"| {name} | {reason} |" + " |" * (len(COLUMNS) - 1))
    if ours:
        for problem in _behind(ours, found):
            print(f"Goal not met: {problem}")


def _cells(measured: Measured, ours: Measured | None) -> list[str]:
    """Each value, and its ratio to ours."""
    shown = [_shown(name, value) for name, value in zip(COLUMNS, measured, strict=True)]
    if ours is None:
        return shown
    return [f"{text} ({value / own:.1f}×)" for text, value, own in zip(shown, measured, ours, strict=True)]


def _shown(column: str, value: float) -> str:
    return f"{value:.1f}" if "p50" in column or "p99" in column else f"{value:,.0f}"


def _behind(ours: Measured, found: dict[str, Measured]) -> list[str]:
    problems = [
        f"{column}: {name} has {_shown(column, other)}, Fundwright {_shown(column, own)}"
        for name, measured in found.items()
        for column, own, other in zip(COLUMNS, ours, measured, strict=True)
        if other < own
    ]
    if ours.table_bytes > MAX_TABLE_BYTES:
        problems.append(f"{ours.table_bytes:,.0f} bytes a table click, goal {MAX_TABLE_BYTES:,}")
    if ours.cold_kb > MAX_COLD_KB:
        problems.append(f"{ours.cold_kb:.0f} kB cold, goal {MAX_COLD_KB}")
    return problems


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
