/**
 * What the browser adds to menus, filters, and side panels: a panel that opens, or the first input of its form, gets the focus unless someone is typing, Escape closes it, and a
 * link closes its menu. Space chooses a link in a menu or filter, like the buttons and checkboxes beside it. The search field of a filter that opens gets the focus, except on touch screens, where it would open the keyboard. What the address marks in a panel (`data-linked`) is scrolled into view. `keepFocus` returns the focus from a panel that has closed.
 */

import type { Unsubscribe } from "./signal";

const PANEL = "[data-panel]";
const FILTER_SEARCH = "[popover]:popover-open input[type=search]";
const LINKED = "[data-panel] [data-linked]";
/** Elements that use Escape themselves. */
const USES_ESCAPE = "[role=dialog], dialog, [role=menu], [role=listbox], [role=combobox], select";

export function followPanels(root: HTMLElement): Unsubscribe {
  let shown = root.querySelector<HTMLElement>(PANEL);
  let path = location.pathname;
  let linked: Element | null = null;
  let searched: HTMLElement | null = null;

  const showLinked = (): void => {
    const marked = root.querySelector(LINKED);
    if (marked !== linked) marked?.scrollIntoView?.({ block: "center" });
    linked = marked;
  };
  const focusSearch = (): void => {
    const field = root.querySelector<HTMLElement>(FILTER_SEARCH);
    if (field !== null && field !== searched && matchMedia("(pointer: fine)").matches) field.focus();
    searched = field;
  };
  const look = (): void => {
    focusSearch();
    const panel = root.querySelector<HTMLElement>(PANEL);
    const isNew = panel !== null && panel !== shown && location.pathname === path;
    shown = panel;
    path = location.pathname;
    showLinked();
    if (!isNew) return;
    panel.scrollIntoView?.({ block: "nearest" });
    const active = document.activeElement;
    if (active?.matches("input, textarea, select, [contenteditable]") === true) return;
    (panel.querySelector<HTMLElement>("form input:not([hidden])") ?? panel).focus({ preventScroll: true });
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || event.defaultPrevented || event.isComposing || shown === null) return;
    if (event.target instanceof Element && event.target.closest(USES_ESCAPE) !== null) return;
    if (Array.from(document.querySelectorAll("[popover]")).some((each) => each.matches(":popover-open"))) return;
    shown.querySelector<HTMLElement>("[name=close]")?.click();
  };
  const choose = (event: KeyboardEvent): void => {
    const link = event.key === " " && event.target instanceof Element ? event.target.closest<HTMLElement>("[popover] a[href]") : null;
    if (link === null || event.defaultPrevented) return;
    event.preventDefault(); // the page would scroll
    link.click();
  };
  const click = ({ target }: MouseEvent): void => {
    const link = target instanceof Element ? target.closest("a[href]") : null;
    link?.closest<HTMLElement>("[popover]")?.hidePopover();
  };

  showLinked();
  const observer = new MutationObserver(look);
  observer.observe(root, { subtree: true, childList: true });
  document.addEventListener("keydown", press);
  document.addEventListener("keydown", choose);
  document.addEventListener("click", click);
  return () => {
    observer.disconnect();
    document.removeEventListener("keydown", press);
    document.removeEventListener("keydown", choose);
    document.removeEventListener("click", click);
  };
}
