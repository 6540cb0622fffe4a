import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { followPages } from "./pages";
import { switchShortcuts } from "./settings";

const shown = (page: number, marked = ""): string =>
  `<div data-page-keys><a href="#p" aria-keyshortcuts="p PageUp">Previous page</a><a href="#n" aria-keyshortcuts="n PageDown">Next page</a><input /></div>
   <div data-pages="${page}">Page ${page}${marked}</div>`;

describe("a document that is read page by page", () => {
  let root: HTMLElement;
  let stop: () => void;
  let pressed: string[];
  let scrolled: [string, unknown][];

  beforeEach(() => {
    root = document.createElement("main");
    root.innerHTML = shown(2);
    document.body.append(root);
    pressed = [];
    scrolled = [];
    root.addEventListener("click", (event) => {
      pressed.push((event.target as HTMLElement).textContent);
      event.preventDefault();
    });
    vi.spyOn(Element.prototype, "scrollIntoView").mockImplementation(function (this: Element, options) {
      scrolled.push([this.textContent, (options as ScrollIntoViewOptions).block]);
    });
    stop = followPages(root);
  });

  afterEach(() => {
    stop();
    root.remove();
    switchShortcuts(true);
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });

  const press = (key: string, target: Element = document.body): void => {
    target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  };

  it("goes on and back with N and P", () => {
    press("n");
    press("P");
    expect(pressed).toEqual(["Next page", "Previous page"]);
  });

  it("ignores letters in fields, after g, and when they are turned off", () => {
    press("n", root.querySelector("input") ?? root);
    press("g");
    press("p");
    switchShortcuts(false);
    press("n");
    expect(pressed).toEqual([]);
  });

  it("goes on with PageDown only at the end of the page, and back with PageUp only at its beginning", () => {
    vi.spyOn(document.documentElement, "scrollHeight", "get").mockReturnValue(2 * innerHeight);
    press("PageDown");
    expect(pressed).toEqual([]);
    press("PageUp");
    expect(pressed).toEqual(["Previous page"]);
    vi.stubGlobal("scrollY", innerHeight);
    press("PageUp");
    press("PageDown");
    expect(pressed).toEqual(["Previous page", "Next page"]);
  });

  it("scrolls to the beginning of another page, or to what is marked on it", async () => {
    root.innerHTML = shown(3);
    await vi.waitFor(() => expect(scrolled).toEqual([["Page 3", "start"]]));
    root.innerHTML = shown(4, "<mark data-linked>boats</mark>");
    await vi.waitFor(() => expect(scrolled[1]).toEqual(["boats", "center"]));
    root.querySelector("input")?.remove();
    await Promise.resolve();
    expect(scrolled).toHaveLength(2);
  });

  it("scrolls a table sideways as far as the last marked cell of the row, if there is room for the first one, too", async () => {
    root.innerHTML = shown(3, "<table><tr><td><mark data-linked>Pumps</mark></td><td>8</td><td><mark>$100</mark></td></tr></table>");
    await vi.waitFor(() =>
      expect(scrolled).toEqual([
        ["$100", "nearest"],
        ["Pumps", "center"],
      ]),
    );
  });
});
