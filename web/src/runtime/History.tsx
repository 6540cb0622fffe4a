import { type ReactNode, startTransition, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Router, UNSAFE_createBrowserHistory as createBrowserHistory } from "react-router";
import { useRuntime } from "./Runtime";
import type { Unsubscribe } from "./signal";

interface HistoryProps {
  readonly basename: string;
  readonly children: ReactNode;
}

/**
 * What react-router's `BrowserRouter` is, without the 13 kB of data routing that come with its module.
 * From the moment the address changes until React has shown it, the page does not look settled. One listener does both:
 * React shows a step back before a second listener would hear of it.
 */
export function History({ basename, children }: HistoryProps): ReactNode {
  const { readiness } = useRuntime();
  const [history] = useState(() => createBrowserHistory({ v5Compat: true }));
  const [shown, show] = useState(() => ({ action: history.action, location: history.location }));
  const last = useRef(shown);
  const arrive = useRef<Unsubscribe>(() => undefined);

  useLayoutEffect(
    () =>
      history.listen((moved) => {
        arrive.current();
        arrive.current = readiness.hold();
        last.current = moved;
        startTransition(() => show(moved));
      }),
    [history, readiness],
  );
  // React skips all but the last of several moves. Effects of children come first: what they wait for holds the page already.
  useEffect(() => {
    if (shown === last.current) arrive.current();
  }, [shown]);

  return (
    <Router basename={basename} location={shown.location} navigationType={shown.action} navigator={history}>
      {children}
    </Router>
  );
}
