/** Keeps the scroll position of each history entry and address across reloads. */
import { ofTab } from "./storage";

const KEY = "scroll";
const MAX_ENTRIES = 200;

export interface Entry {
  /** Identifies the history entry. */
  readonly key: string;
  readonly pathname: string;
  readonly search: string;
}

function readPositions(): Map<string, number> {
  try {
    return new Map(JSON.parse(ofTab.get(KEY) ?? "[]") as [string, number][]);
  } catch {
    return new Map();
  }
}

const positions = readPositions();

/** Includes the address, because a document that replaces another one has the same history entry. */
function nameOf({ key, pathname, search }: Entry): string {
  return `${key} ${pathname}${search}`;
}

export function rememberScroll(entry: Entry): void {
  const name = nameOf(entry);
  positions.delete(name);
  positions.set(name, scrollY);
  const [oldest] = positions.keys();
  if (oldest !== undefined && positions.size > MAX_ENTRIES) positions.delete(oldest);
}

/** Whether the position of `entry` was remembered. */
export function hasScrolled(entry: Entry): boolean {
  return positions.has(nameOf(entry));
}

export function restoreScroll(entry: Entry): void {
  scrollTo(0, positions.get(nameOf(entry)) ?? 0);
}

/** Sets a key for the entry of a newly loaded document. react-router sets keys only for entries that it adds; others are "default". */
export function nameEntry(): void {
  const state = history.state as { readonly key?: string } | null;
  if (state?.key === undefined) history.replaceState({ ...state, key: Math.random().toString(36).slice(2, 10) }, "");
}

export function keepScrollOnReload(currentEntry: () => Entry): void {
  history.scrollRestoration = "manual";
  addEventListener("pagehide", () => {
    rememberScroll(currentEntry());
    ofTab.set(KEY, JSON.stringify([...positions]));
  });
}
