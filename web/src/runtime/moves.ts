import { pathOfClick } from "./links";
import { goToPart } from "./parts";
import type { Runtime } from "./Runtime";
import { currentEntry, type Entry, keepScrollOnReload, nameEntry, newKey, rememberScroll, restoreScroll } from "./scroll";
import type { Unsubscribe } from "./signal";

function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>("main h1") ?? document.querySelector("main");
  if (heading === null) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

/** The browser itself only follows fragments of documents that it loads. */
function wasLoadedByLink(): boolean {
  const [entry] = performance.getEntriesByType("navigation") as Partial<PerformanceNavigationTiming>[];
  return entry?.type === "navigate";
}

function changeAddress(url: string, replace: boolean): void {
  const state = { key: newKey() };
  try {
    if (replace) history.replaceState(state, "", url);
    else history.pushState(state, "", url);
  } catch {
    location.assign(url); // Safari refuses more than 100 changes within 10 s
  }
}

/**
 * Keeps the address, the scroll position, and the focus in step with the screen. React does not know the address: a move renders
 * nothing until the server sends what it changes. The server is told of the person's move in the same task, so that no move by the
 * server can come in between.
 */
export function followMoves(runtime: Runtime): Unsubscribe {
  nameEntry();
  let current = currentEntry();
  let leavePart: Unsubscribe = () => undefined;

  const arriveAt = (entry: Entry, isReturn: boolean): void => {
    runtime.hasMoved.set(true);
    if (isReturn) restoreScroll(entry);
    else scrollTo(0, 0);
    focusHeading();
  };
  const follow = ({ isReturn = false, isFollowing = false }): void => {
    const before = current;
    const entry = currentEntry();
    current = entry;
    const isOtherPath = before.pathname !== entry.pathname;
    if (isOtherPath) rememberScroll(before);
    leavePart();
    const onShown = (): void => {
      if (current !== entry) return;
      if (isOtherPath) arriveAt(entry, isReturn);
      leavePart = goToPart(location.hash, { isInPlace: isOtherPath && isReturn });
    };
    if (isFollowing) {
      if (isOtherPath) runtime.awaitArrival(onShown);
    } else if (isOtherPath || before.search !== entry.search) runtime.reportLocation(onShown);
    else onShown();
  };
  const returned = (): void => follow({ isReturn: true });
  const click = (event: MouseEvent): void => {
    const path = pathOfClick(event, runtime.page.base);
    if (path === null) return;
    event.preventDefault();
    runtime.go(path);
  };

  runtime.bindMove(({ path, replace, isFollowing }) => {
    changeAddress(runtime.page.base + path, replace);
    follow({ isFollowing });
  });
  addEventListener("popstate", returned);
  document.addEventListener("click", click);
  keepScrollOnReload(() => current);
  restoreScroll(current);
  if (wasLoadedByLink()) leavePart = goToPart(location.hash);
  return () => {
    leavePart();
    removeEventListener("popstate", returned);
    document.removeEventListener("click", click);
  };
}
