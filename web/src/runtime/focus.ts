/**
 * Moves the focus when the control that had it disappears, as after an action on a row of a list: to the same action of the next
 * row, so that a list can be worked through with one key and a screen reader does not start over.
 */

import type { Unsubscribe } from "./signal";

const CONTROL = "button, a[href], input, select, textarea, [tabindex]";
const ROW = "[data-row]";
/** Enough to remember the control that opened a form while its fields are filled in. */
const MAX_REMEMBERED = 24;
const REGION = "section, article, form, [role=tabpanel], [role=dialog], main";

interface Held {
  readonly control: HTMLElement;
  /** The action of the control, the same in each row. */
  readonly name: string | null;
  readonly row: HTMLElement | null;
  readonly list: HTMLElement | null;
  readonly place: number;
  readonly regions: readonly HTMLElement[];
  readonly form: HTMLFormElement | null;
  /** The forms that were shown at that time. */
  readonly forms: ReadonlySet<HTMLFormElement>;
  /** The dialog or side panel that contains the control. */
  readonly overlay: HTMLElement | null;
}

const rowsOf = (list: HTMLElement): HTMLElement[] => Array.from(list.querySelectorAll<HTMLElement>(`:scope > ${ROW}`));

const isUsable = (control: HTMLElement): boolean =>
  control.isConnected && !control.matches(":disabled") && control.closest("[inert]") === null;

function remember(control: HTMLElement): Held {
  const row = control.closest<HTMLElement>(ROW);
  const list = row?.parentElement ?? null;
  const regions: HTMLElement[] = [];
  for (let at = control.closest<HTMLElement>(REGION); at != null; at = at.parentElement?.closest<HTMLElement>(REGION) ?? null) regions.push(at);
  return {
    control,
    name: control.getAttribute("name"),
    row,
    list,
    place: row !== null && list !== null ? rowsOf(list).indexOf(row) : -1,
    regions,
    form: control.closest("form"),
    forms: new Set(document.forms),
    overlay: control.closest<HTMLElement>("[role=dialog], [data-panel]"),
  };
}

/** Outside of a list, finds the control that has replaced the old one, such as a field that the server has rendered with another value. */
function replacementOf({ name, regions }: Held): HTMLElement | undefined {
  if (name === null) return undefined;
  const region = regions.find((each) => each.isConnected);
  return Array.from(region?.querySelectorAll<HTMLElement>("[name]") ?? []).find((each) => each.getAttribute("name") === name && isUsable(each));
}

/**
 * Finds the control that has replaced the old one in its row, the same action in the next row or in an earlier one, or else any control
 * of the row itself. After "undo", the row itself comes first.
 */
function successorOf(held: Held): HTMLElement | undefined {
  const { name, row, list, place } = held;
  if (row === null) return replacementOf(held);
  if (list?.isConnected !== true) return undefined;
  const buttons = row.isConnected ? [...row.querySelectorAll<HTMLElement>("button")].filter(isUsable) : [];
  const replacement = name === null ? undefined : buttons.find((each) => each.getAttribute("name") === name);
  if (replacement !== undefined) return replacement;
  const own = buttons[0];
  if (name === "undo" && own !== undefined) return own;
  const rows = rowsOf(list);
  const at = row.isConnected ? rows.indexOf(row) : place - 1;
  const others = [...rows.slice(at + 1), ...rows.slice(0, Math.max(at, 0)).reverse()];
  const controls = name === null ? [] : others.flatMap((each) => [...each.querySelectorAll<HTMLElement>("[name]")]);
  const same = controls.filter((each) => each.getAttribute("name") === name);
  return same.find(isUsable) ?? own;
}

/** The first field of a form in `part` that has appeared since then: the control opened it, or submitted the form that it replaces. */
function fieldOfNewForm({ forms }: Held, part: HTMLElement): HTMLElement | undefined {
  const opened = Array.from(document.forms).find((each) => !forms.has(each) && part.contains(each));
  return Array.from(opened?.querySelectorAll<HTMLElement>("input, textarea, select") ?? []).find((each) => !each.hidden && isUsable(each));
}

/** The control that had the focus before the dialog, side panel, or form that disappeared, or else the one that had it last. */
function originOf(held: readonly Held[], last: Held): Held | undefined {
  if (last.overlay !== null && !last.overlay.isConnected) return held.findLast(({ overlay }) => overlay?.isConnected ?? true);
  const { form } = last;
  if (form === null || form.isConnected) return last;
  return held.findLast(({ forms, regions }) => !forms.has(form) && regions.some((each) => each.isConnected)) ?? last;
}

/** Where the focus goes when `origin` has been replaced or has disappeared. */
function focusTargetOf(origin: Held): HTMLElement | undefined {
  if (isUsable(origin.control)) return origin.control;
  const inRow = origin.row?.isConnected === true ? fieldOfNewForm(origin, origin.row) : undefined;
  return inRow ?? successorOf(origin) ?? fieldOfNewForm(origin, document.body);
}

function focusPart(part: HTMLElement): void {
  if (!part.hasAttribute("tabindex")) part.tabIndex = -1;
  part.focus({ preventScroll: true });
}

/** Tracks the focus in `root`'s document until the returned function is called. */
export function keepFocus(root: HTMLElement): Unsubscribe {
  let held: Held[] = [];
  let isByPointer = false;

  const hold = (target: EventTarget | null): void => {
    const control = target instanceof Element ? target.closest<HTMLElement>(CONTROL) : null;
    if (control !== null && control !== held.at(-1)?.control) held = [...held.slice(1 - MAX_REMEMBERED), remember(control)];
  };
  const press = ({ target }: Event): void => {
    isByPointer = true;
    // A click outside of all controls clears the focus on purpose.
    if (target instanceof Element && target.closest(CONTROL) === null) held = [];
  };
  const key = (event: KeyboardEvent): void => {
    isByPointer = false;
    // A key that is held down must not act on one row after another.
    const isOnRow = event.target instanceof Element && event.target.closest(`${ROW} button`) !== null;
    if (event.repeat && isOnRow && (event.key === "Enter" || event.key === " ")) event.preventDefault();
  };
  const focused = ({ target }: { readonly target: EventTarget | null }): void => {
    hold(target);
    // So that typing replaces what a field begins with.
    if (target instanceof HTMLInputElement && target.hasAttribute("data-select") && target.value === target.defaultValue) target.select();
  };
  // Enter in a field also clicks the form's submit button, but the focus stays in the field.
  const click = ({ detail, target }: MouseEvent): void => {
    const active = document.activeElement;
    hold(detail === 0 && active instanceof HTMLInputElement && active !== target ? active : target);
  };

  const look = (): void => {
    const last = held.at(-1);
    if (last === undefined || isUsable(last.control)) return;
    const active = document.activeElement;
    if (active instanceof HTMLElement && active !== document.body && active !== last.control) return;
    // A form that has been sent may have been replaced by an empty one.
    const part = last.regions.find((each) => each.isConnected && each.localName !== "main");
    const origin = originOf(held, last);
    const next = (origin !== last && part !== undefined ? fieldOfNewForm(last, part) : undefined) ?? (origin && focusTargetOf(origin));
    if (next !== undefined) {
      next.focus({ preventScroll: isByPointer });
      return;
    }
    const region = (origin ?? last).regions.find((each) => each.isConnected && each.localName !== "main");
    const rest = region ?? document.querySelector<HTMLElement>("main h1");
    if (rest !== null) focusPart(rest);
  };

  const observer = new MutationObserver(look);
  observer.observe(root, { subtree: true, childList: true, attributes: true, attributeFilter: ["inert", "disabled"] });
  document.addEventListener("focusin", focused);
  document.addEventListener("click", click, true);
  document.addEventListener("pointerdown", press, true);
  document.addEventListener("keydown", key, true);
  focused({ target: document.activeElement });
  return () => {
    observer.disconnect();
    document.removeEventListener("focusin", focused);
    document.removeEventListener("click", click, true);
    document.removeEventListener("pointerdown", press, true);
    document.removeEventListener("keydown", key, true);
  };
}
