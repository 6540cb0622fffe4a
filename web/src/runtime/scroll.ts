/** Where each entry of the history was scrolled to, at the address it had; survives a reload. */
const KEY = "scroll";
const MOST_ENTRIES = 200;

export interface Entry {
  /** Names the entry of the history. */
  readonly key: string;
  readonly pathname: string;
  readonly search: string;
}

function readPositions(): Map<string, number> {
  try {
    return new Map(JSON.parse(sessionStorage.getItem(KEY) ?? "[]") as [string, number][]);
  } catch {
    return new Map();
  }
}

const positions = readPositions();

/** The same entry can show another page: the browser gives the one of a document that replaces another the same place. */
function nameOf({ key, pathname, search }: Entry): string {
  return `${key} ${pathname}${search}`;
}

export function rememberScroll(entry: Entry): void {
  const name = nameOf(entry);
  positions.delete(name);
  positions.set(name, scrollY);
  const [oldest] = positions.keys();
  if (oldest !== undefined && positions.size > MOST_ENTRIES) positions.delete(oldest);
}

export function restoreScroll(entry: Entry): void {
  scrollTo(0, positions.get(nameOf(entry)) ?? 0);
}

/** Names the entry of a document that has just been loaded. react-router names those that it adds, and calls all others "default". */
export function nameEntry(): void {
  const state = history.state as { readonly key?: string } | null;
  if (state?.key === undefined) history.replaceState({ ...state, key: Math.random().toString(36).slice(2, 10) }, "");
}

export function keepScrollOnReload(currentEntry: () => Entry): void {
  history.scrollRestoration = "manual";
  addEventListener("pagehide", () => {
    rememberScroll(currentEntry());
    sessionStorage.setItem(KEY, JSON.stringify([...positions]));
  });
}
