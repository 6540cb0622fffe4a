import { createPath, NavigationType, UNSAFE_createBrowserHistory as createBrowserHistory } from "react-router";
import { fileOfClick, pathOfClick } from "./links";
import { goToPart } from "./parts";
import type { Runtime } from "./Runtime";
import { type Entry, hasScrolled, keepScrollOnReload, nameEntry, rememberScroll, restoreScroll } from "./scroll";
import type { Unsubscribe } from "./signal";
import { addressOf, inWorkspace, leavesWorkspace } from "./workspace";

/** The first field of a form that the screen or its panel was opened for. */
function firstField(): HTMLElement | null {
  return document.querySelector<HTMLElement>("main form[data-begins] input, [data-panel] form input:not([hidden])");
}

function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>("main h1") ?? document.querySelector("main");
  if (heading === null) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

/** The browser scrolls to a fragment only when it loads a document. */
function wasLoadedByLink(): boolean {
  const [entry] = performance.getEntriesByType("navigation") as Partial<PerformanceNavigationTiming>[];
  return entry?.type === "navigate";
}

/**
 * Keeps the address, the scroll position, and the focus in step with the screen. It uses react-router's history, but none of its
 * components: a move renders nothing until the server sends the changes. The person's move is reported to the server in the same
 * task, so that no move by the server can come in between.
 */
export function followMoves(runtime: Runtime): Unsubscribe {
  const { account } = runtime.page;
  nameEntry();
  const here = location.pathname + location.search + location.hash;
  if (addressOf(account, here) !== here) globalThis.history.replaceState(globalThis.history.state, "", addressOf(account, here));
  const history = createBrowserHistory({ v5Compat: true });
  let current = history.location;
  let isFollowing = false;
  let leavePart: Unsubscribe = () => undefined;

  const arriveAt = (entry: Entry, isReturn: boolean): void => {
    runtime.removeErrors();
    runtime.hasMoved.set(true);
    if (isReturn) restoreScroll(entry);
    else scrollTo(0, 0);
    const field = isReturn ? null : firstField();
    if (field === null) focusHeading();
    else field.focus({ preventScroll: true });
  };
  const stopListening = history.listen(({ action, location }) => {
    const before = current;
    current = location;
    const isReturn = action === NavigationType.Pop;
    const isOtherPath = before.pathname !== location.pathname;
    const isOtherAddress = isOtherPath || before.search !== location.search;
    if (isOtherAddress) rememberScroll(before);
    leavePart();
    const onShown = (): void => {
      if (current !== location) return;
      if (isOtherPath) arriveAt(location, isReturn);
      else if (isOtherAddress && isReturn) restoreScroll(location);
      leavePart = goToPart(location.hash, { isInPlace: isOtherAddress && isReturn });
    };
    if (isFollowing) {
      if (isOtherPath) runtime.awaitArrival(onShown);
    } else if (isOtherAddress) runtime.reportLocation(onShown);
    else onShown();
  });
  const click = (event: MouseEvent): void => {
    const path = pathOfClick(event, runtime.page.base);
    if (path === null) {
      keepWorkspace(event);
      return;
    }
    event.preventDefault();
    runtime.go(path);
  };

  const keepWorkspace = (event: MouseEvent): void => {
    const file = fileOfClick(event, runtime.page.base);
    if (file !== null) file.href = inWorkspace(account, file.href);
  };

  runtime.bindMove((move) => {
    if (leavesWorkspace(account, runtime.page.base + move.path)) {
      location.assign(runtime.page.base + move.path);
      return;
    }
    isFollowing = move.isFollowing;
    const url = addressOf(account, runtime.page.base + move.path);
    // As in browsers, a second click on a link adds no second entry; Back would seem to do nothing.
    if (move.replace || url === createPath(current)) history.replace(url);
    else history.push(url);
    isFollowing = false;
  });
  document.addEventListener("click", click);
  document.addEventListener("auxclick", keepWorkspace);
  keepScrollOnReload(() => current);
  // A person may have scrolled before the page was hydrated; scrolling also makes the browser compute the layout at once.
  if (hasScrolled(current)) restoreScroll(current);
  if (wasLoadedByLink()) leavePart = goToPart(current.hash);
  // Unless the person has typed or pressed something before the page was hydrated.
  if (document.activeElement === document.body) firstField()?.focus({ preventScroll: true });
  return () => {
    leavePart();
    stopListening();
    document.removeEventListener("click", click);
    document.removeEventListener("auxclick", keepWorkspace);
  };
}
