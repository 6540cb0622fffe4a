import { type ReactNode, startTransition, useLayoutEffect, useState } from "react";
import { Router, UNSAFE_createBrowserHistory as createBrowserHistory } from "react-router";

interface HistoryProps {
  readonly basename: string;
  readonly children: ReactNode;
}

/** What react-router's `BrowserRouter` is, without the 13 kB of data routing that come with its module. */
export function History({ basename, children }: HistoryProps): ReactNode {
  const [history] = useState(() => createBrowserHistory({ v5Compat: true }));
  const [{ action, location }, show] = useState(() => ({ action: history.action, location: history.location }));
  useLayoutEffect(() => history.listen((moved) => startTransition(() => show(moved))), [history]);
  return (
    <Router basename={basename} location={location} navigationType={action} navigator={history}>
      {children}
    </Router>
  );
}
