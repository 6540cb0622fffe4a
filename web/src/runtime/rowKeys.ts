/**
 * Keys for a list that is worked through row by row: J and K move the focus to the next and the previous row, U presses "undo" in
 * this row or in the last one that was acted on, and any other key presses the control of the row that has it in `aria-keyshortcuts`.
 * The select of the row takes the option with the number of a digit. After a decision, the focus moves on at once, so that the next key
 * acts on the next row, however late the server responds; what opens a form keeps it. While no row has the focus, A and N move it to the first one that awaits a
 * decision. Keys typed into fields are ignored (WCAG 2.1.4).
 */

import { areShortcutsOn } from "./settings";
import type { Unsubscribe } from "./signal";

const LIST = "[data-row-keys]";
const ROW = "[data-row]";
const DECISIONS = new Set(["a", "n"]);
const USES_KEYS = "input, textarea, select, [contenteditable], [role=menu], [role=listbox], [role=dialog], dialog";
/** The same time that the palette waits for the letter of a page after `g`. */
const PATIENCE_MS = 1_500;

const isUsable = (control: Element): boolean => !control.matches(":disabled") && control.closest("[inert]") === null;

function controlOf(row: Element, key: string): HTMLElement | undefined {
  return Array.from(row.querySelectorAll<HTMLElement>(`[aria-keyshortcuts="${key}"]`)).find(isUsable);
}

function choose(row: Element, digit: number): boolean {
  const select = row.querySelector<HTMLSelectElement>("select");
  const option = select?.options[digit];
  if (select === null || option === undefined || !isUsable(select)) return false;
  controlOf(row, "a")?.focus(); // not the select, which would receive the next keys
  select.value = option.value;
  select.dispatchEvent(new Event("change", { bubbles: true }));
  return true;
}

function focusRow(row: Element | undefined): boolean {
  const control = Array.from(row?.querySelectorAll<HTMLElement>("button") ?? []).find(isUsable) ?? row?.querySelector<HTMLElement>("a[href]");
  control?.focus();
  return control != null;
}

export function followRowKeys(): Unsubscribe {
  let goPressedAt = -PATIENCE_MS;
  let lastActed: Element | null = null;
  const acted = new WeakSet<Element>();

  const goOn = (rows: Element[], row: Element): void => {
    lastActed = row;
    acted.add(row);
    focusRow(rows.slice(rows.indexOf(row) + 1).find((later) => !acted.has(later) && controlOf(later, "a") !== undefined));
  };

  const act = (key: string): boolean => {
    const list = document.querySelector(LIST);
    if (list === null) return false;
    const rows = Array.from(list.querySelectorAll(`:scope > ${ROW}`));
    const row = document.activeElement?.closest(ROW) ?? null;
    const place = row === null ? -1 : rows.indexOf(row);
    if (key === "j") return focusRow(rows[place + 1]);
    if (key === "k") return focusRow(rows[Math.max(place - 1, 0)]);
    const control = (row === null ? undefined : controlOf(row, key)) ?? (key === "u" && lastActed !== null ? controlOf(lastActed, key) : undefined);
    if (control !== undefined) {
      control.focus();
      control.click();
      if (row !== null && DECISIONS.has(key)) goOn(rows, row);
      else acted.delete(control.closest(ROW) ?? control);
      return true;
    }
    if (row === null && DECISIONS.has(key)) return focusRow(rows.find((each) => controlOf(each, key) !== undefined));
    if (row === null || !/^[1-9]$/.test(key) || !choose(row, Number(key))) return false;
    goOn(rows, row);
    return true;
  };

  const press = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.isComposing || event.altKey || event.ctrlKey || event.metaKey || event.repeat) return;
    if (!areShortcutsOn() || (event.target instanceof Element && event.target.closest(USES_KEYS) !== null)) return;
    const isGoSequence = event.timeStamp - goPressedAt < PATIENCE_MS;
    goPressedAt = event.key === "g" && !isGoSequence ? event.timeStamp : -PATIENCE_MS;
    if (!isGoSequence && act(event.key.toLowerCase())) event.preventDefault();
  };

  document.addEventListener("keydown", press);
  return () => document.removeEventListener("keydown", press);
}
