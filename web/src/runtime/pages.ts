/**
 * A document that is read page by page: N and P go to the next and the previous page, as PageDown does at the end and PageUp at the beginning of
 * one. They press the links that have them in `aria-keyshortcuts`. A page that appears is scrolled to its beginning, or to what the address marks on it
 * (`data-linked`). Letters typed into fields are ignored (WCAG 2.1.4).
 */

import { areShortcutsOn } from "./settings";
import type { Unsubscribe } from "./signal";

const DOCUMENT = "[data-pages]";
const USES_KEYS = "input, textarea, select, [contenteditable], [role=menu], [role=listbox], [role=dialog], dialog";
/** The same time that the palette waits for the letter of a page after `g`. */
const PATIENCE_MS = 1_500;
/** Half a pixel is lost where the page is zoomed. */
const TOLERANCE_PX = 2;

function keyOf({ key }: KeyboardEvent): string | null {
  if (key === "PageDown") return scrollY + innerHeight >= document.documentElement.scrollHeight - TOLERANCE_PX ? key : null;
  if (key === "PageUp") return scrollY <= TOLERANCE_PX ? key : null;
  return areShortcutsOn() ? key.toLowerCase() : null;
}

/** Scrolls to what is linked. Of a row in a wide table, its last marked cell is in view, too, unless they do not fit together. */
function showLinked(linked: Element): void {
  [...(linked.closest("tr")?.querySelectorAll("mark") ?? [])].at(-1)?.scrollIntoView?.({ block: "nearest" });
  linked.scrollIntoView?.({ block: "center" });
}

export function followPages(root: HTMLElement): Unsubscribe {
  let goPressedAt = -PATIENCE_MS;
  let shown = root.querySelector(DOCUMENT)?.getAttribute("data-pages") ?? null;

  const press = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.isComposing || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.repeat) return;
    if (event.target instanceof Element && event.target.closest(USES_KEYS) !== null) return;
    const isGoSequence = event.timeStamp - goPressedAt < PATIENCE_MS;
    goPressedAt = event.key === "g" && !isGoSequence ? event.timeStamp : -PATIENCE_MS;
    const key = isGoSequence ? null : keyOf(event);
    const controls = Array.from(document.querySelectorAll<HTMLElement>("[data-page-keys] [aria-keyshortcuts]"));
    const control = key === null ? undefined : controls.find((each) => each.getAttribute("aria-keyshortcuts")?.split(" ").includes(key));
    if (control === undefined) return;
    event.preventDefault();
    control.click();
  };
  const look = (): void => {
    const part = root.querySelector<HTMLElement>(DOCUMENT);
    const before = shown;
    shown = part?.getAttribute("data-pages") ?? null;
    if (part === null || shown === before) return;
    const linked = part.querySelector("[data-linked]");
    if (linked !== null) showLinked(linked);
    else if (before !== null) part.scrollIntoView?.({ block: "start" });
  };

  const linked = root.querySelector(`${DOCUMENT} [data-linked]`);
  if (linked !== null) showLinked(linked);
  const observer = new MutationObserver(look);
  observer.observe(root, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-pages"] });
  document.addEventListener("keydown", press);
  return () => {
    observer.disconnect();
    document.removeEventListener("keydown", press);
  };
}
