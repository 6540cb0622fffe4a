"""Measures the promises of docs/design.md: primary buttons, sizes and weights of type, heights of controls, targets, and layout shift."""

from __future__ import annotations

from dataclasses import dataclass

from playwright.sync_api import Page

_MEASURE = """
async () => {
  const isVisible = (element) => {
    const { width, height } = element.getBoundingClientRect();
    return width > 1 && height > 1 && element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
      && !element.closest(".fw-visually-hidden, .fw-skip-link");
  };
  const all = (selector) => [...document.querySelectorAll(selector)].filter(isVisible);
  const nameOf = (element) => (element.getAttribute("aria-label") || element.textContent || element.name || element.tagName).trim().slice(0, 40);
  const types = new Set();
  const weights = new Set();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const parent = texts.currentNode.parentElement;
    if (texts.currentNode.data.trim() && !parent.closest("svg, script, style, noscript, template, option, pre, code") && isVisible(parent)) {
      const { fontSize, fontWeight } = getComputedStyle(parent);
      types.add(fontSize);
      weights.add(fontWeight);
    }
  }
  const controls = ".fw-button, .fw-icon-button, .fw-input:not(textarea), .MuiButton-root, .MuiIconButton-root, .fw-tab, .fw-filter,"
    + ".fw-nav-item, .fw-workspace, .fw-search-everything, .fw-pagination-item, .fw-first-step, button.fw-avatar";
  // A control whose label takes several lines is higher.
  const hasOneLine = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const boxes = [...range.getClientRects()].filter(({ width, height }) => width > 1 && height > 1);
    return Math.max(...boxes.map(({ top }) => top)) < Math.min(...boxes.map(({ bottom }) => bottom)) || boxes.length === 0;
  };
  const heights = {};
  for (const element of all(controls).filter(hasOneLine)) {
    const height = Math.round(element.getBoundingClientRect().height);
    heights[height] = [...(heights[height] ?? []), nameOf(element)];
  }
  const targets = "a[href], button, input, select, textarea, summary, [role=button], [role=tab], [role=menuitem], [role=switch]";
  const isTitle = (element) => element.matches(".fw-title-link, .fw-card-title > a");
  const isInText = (element) =>
    element.matches(".fw-citation") || (element.tagName === "A" && getComputedStyle(element).display === "inline" && !isTitle(element));
  // The area may be larger than it looks: that of a checkbox with its label, or of a link that fills its card.
  const extent = (element, dx, dy) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    let far = 0;
    for (let at = 1; at <= 44; at += 1) {
      const hit = document.elementFromPoint(x + width / 2 + at * dx, y + height / 2 + at * dy);
      if (hit === null || !(element.contains(hit) || hit.closest("label")?.control === element)) break;
      far = at;
    }
    return far;
  };
  const isSmall = (element) => {
    const { width, height } = element.getBoundingClientRect();
    if ((width > 43.5 && height > 43.5) || isInText(element)) return false;
    element.scrollIntoView({ block: "center", inline: "center" });
    return extent(element, -1, 0) + extent(element, 1, 0) < 42 || extent(element, 0, -1) + extent(element, 0, 1) < 42;
  };
  const shift = await new Promise((resolve) => {
    let sum = 0;
    new PerformanceObserver((list) => {
      for (const { hadRecentInput, value } of list.getEntries()) sum += hadRecentInput ? 0 : value;
    }).observe({ type: "layout-shift", buffered: true });
    setTimeout(() => resolve(sum), 50);
  });
  return {
    primary_buttons: all(".fw-button-contained, .MuiButton-contained").map(nameOf),
    type_sizes: [...types].map(parseFloat),
    type_weights: [...weights].map(Number),
    control_heights: heights,
    small_targets: all(targets).filter(isSmall).map((element) => {
      const { width, height } = element.getBoundingClientRect();
      return `${nameOf(element)} (${Math.round(width)} x ${Math.round(height)})`;
    }),
    layout_shift: shift,
  };
}
"""


TYPE_SIZES = {12, 14, 16, 20, 28}
TYPE_WEIGHTS = {400, 500, 600}
CONTROLS = {"32", "36"}
CONTROLS_OF_PHONES = {"44"}
MAX_LAYOUT_SHIFT = 0.02


@dataclass(frozen=True)
class Measures:
    """Of the visible content: the names of filled buttons; sizes (in pixels) and weights of type; the names of controls by their height
    in pixels; targets of less than 44 by 44 px that are not links or citations within text; and the cumulative layout shift since the
    page was opened. Chips, the headers of tables, and cards that open are not controls."""

    primary_buttons: list[str]
    type_sizes: list[float]
    type_weights: list[int]
    control_heights: dict[str, list[str]]
    small_targets: list[str]
    layout_shift: float


def measure(page: Page) -> Measures:
    return Measures(**page.evaluate(_MEASURE))


def assert_as_designed(page: Page, *, is_phone: bool) -> None:
    """See docs/design.md."""
    found = measure(page)
    assert len(found.primary_buttons) <= 1, found.primary_buttons
    assert set(found.type_sizes) <= TYPE_SIZES
    assert set(found.type_weights) <= TYPE_WEIGHTS
    allowed = CONTROLS_OF_PHONES if is_phone else CONTROLS
    assert {height: names for height, names in found.control_heights.items() if height not in allowed} == {}
    assert not is_phone or found.small_targets == [], found.small_targets
    assert found.layout_shift < MAX_LAYOUT_SHIFT
