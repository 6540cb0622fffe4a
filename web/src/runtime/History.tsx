import { type ReactNode, startTransition, useEffect, useLayoutEffect, useRef, useState } from "react";
import { type Location, NavigationType, Router, UNSAFE_createBrowserHistory as createBrowserHistory } from "react-router";
import { goToPart } from "./parts";
import { useRuntime } from "./Runtime";
import { keepScrollOnReload, nameEntry, rememberScroll, restoreScroll } from "./scroll";
import type { Unsubscribe } from "./signal";

interface HistoryProps {
  readonly basename: string;
  readonly children: ReactNode;
}

interface Moved {
  readonly action: NavigationType;
  readonly location: Location;
}

function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>("main h1") ?? document.querySelector("main");
  if (heading === null) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

function arriveAt({ action, location }: Moved): void {
  if (action === NavigationType.Pop) restoreScroll(location);
  else scrollTo(0, 0);
  focusHeading();
}

/** The browser itself only follows fragments of documents that it loads. */
function wasLoadedByLink(): boolean {
  const [entry] = performance.getEntriesByType("navigation") as Partial<PerformanceNavigationTiming>[];
  return entry?.type === "navigate";
}

/**
 * What react-router's `BrowserRouter` is, without the 13 kB of data routing that come with its module.
 * From the moment the address changes until React has rendered it, the page does not count as settled. One listener does everything:
 * React renders a step back before a second listener would run, and the server is told of the person's move in the same task, so that
 * no move by the server can come in between.
 */
export function History({ basename, children }: HistoryProps): ReactNode {
  const runtime = useRuntime();
  const [history] = useState(() => {
    nameEntry();
    return createBrowserHistory({ v5Compat: true });
  });
  const [shown, show] = useState<Moved>(() => ({ action: history.action, location: history.location }));
  const last = useRef(shown);
  const arrive = useRef<Unsubscribe>(() => undefined);
  const leavePart = useRef<Unsubscribe>(() => undefined);

  useLayoutEffect(() => {
    let isFollowing = false;
    runtime.bindMove((move) => {
      isFollowing = move.isFollowing;
      if (move.replace) history.replace(runtime.page.base + move.path);
      else history.push(runtime.page.base + move.path);
      isFollowing = false;
    });
    return history.listen((moved) => {
      const before = last.current.location;
      arrive.current();
      arrive.current = runtime.readiness.hold();
      last.current = moved;
      startTransition(() => show(moved));

      const isOtherPath = before.pathname !== moved.location.pathname;
      if (isOtherPath) rememberScroll(before);
      leavePart.current();
      const onShown = (): void => {
        if (last.current !== moved) return;
        if (isOtherPath) arriveAt(moved);
        const isInPlace = isOtherPath && moved.action === NavigationType.Pop;
        leavePart.current = goToPart(moved.location.hash, { isInPlace });
      };
      if (isFollowing) {
        if (isOtherPath) runtime.awaitArrival(onShown);
      } else if (isOtherPath || before.search !== moved.location.search) runtime.reportLocation(onShown);
      else onShown();
    });
  }, [history, runtime]);
  // React skips all but the last of several moves. Effects of children come first: what they wait for holds the page already.
  useEffect(() => {
    if (shown === last.current) arrive.current();
  }, [shown]);
  useEffect(() => {
    keepScrollOnReload(() => last.current.location);
    restoreScroll(last.current.location);
    if (wasLoadedByLink()) leavePart.current = goToPart(last.current.location.hash);
    return () => leavePart.current();
  }, []);

  return (
    <Router basename={basename} location={shown.location} navigationType={shown.action} navigator={history}>
      {children}
    </Router>
  );
}
