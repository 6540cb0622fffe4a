/** Where each entry of the history was scrolled to; survives a reload. */
const KEY = "scroll";

function readPositions(): Record<string, number> {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? "{}") as Record<string, number>;
  } catch {
    return {};
  }
}

const positions = readPositions();

export function rememberScroll(entry: string): void {
  positions[entry] = scrollY;
}

export function restoreScroll(entry: string): void {
  scrollTo(0, positions[entry] ?? 0);
}

export function keepScrollOnReload(currentEntry: () => string): void {
  history.scrollRestoration = "manual";
  addEventListener("pagehide", () => {
    rememberScroll(currentEntry());
    sessionStorage.setItem(KEY, JSON.stringify(positions));
  });
}
