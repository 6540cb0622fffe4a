import type { Shortcut } from "../../generated/widgets";
import { areShortcutsOn } from "../../runtime/settings";

export type Panel = "commands" | "shortcuts";

const PATIENCE_MS = 1_500;
const USES_KEYS = "input, textarea, select, [contenteditable], [role=menu], [role=listbox], [role=dialog], dialog";

interface Options {
  readonly shortcuts: readonly Shortcut[];
  readonly go: (path: string) => void;
  readonly open: (panel: Panel) => void;
}

/**
 * Listens for Ctrl or ⌘ K, `?`, `/`, and `g` followed by the letter of a page. Single-character shortcuts do nothing in fields and
 * other elements that use the key, and can be turned off (WCAG 2.1.4). Returns a function that removes the listener.
 */
export function listenToKeys({ shortcuts, go, open }: Options): () => void {
  let goPressedAt = -PATIENCE_MS;

  const press = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.isComposing || event.altKey) return;
    if (event.ctrlKey || event.metaKey) {
      if (event.shiftKey || event.key.toLowerCase() !== "k") return;
      event.preventDefault();
      open("commands");
      return;
    }
    if (!areShortcutsOn() || (event.target instanceof Element && event.target.closest(USES_KEYS) !== null)) return;
    const isGoSequence = event.timeStamp - goPressedAt < PATIENCE_MS;
    goPressedAt = -PATIENCE_MS;
    if (isGoSequence) {
      const path = shortcuts.find(({ key }) => key === event.key)?.path;
      if (path !== undefined) go(path);
    } else if (event.key === "g") goPressedAt = event.timeStamp;
    else if (event.key === "?") open("shortcuts");
    else if (event.key === "/") focusSearch(event);
  };

  document.addEventListener("keydown", press);
  return () => document.removeEventListener("keydown", press);
}

function focusSearch(event: KeyboardEvent): void {
  const search = document.querySelector<HTMLInputElement>('main input[type="search"]');
  if (search === null) return;
  event.preventDefault(); // otherwise the slash would be typed into the field
  search.focus();
  search.select();
}
