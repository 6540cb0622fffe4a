import { type ReactNode, useEffect, useRef } from "react";
import { NavigationType, useLocation, useNavigate, useNavigationType } from "react-router";
import { pathOfClick } from "./links";
import { useRuntime } from "./Runtime";
import { keepScrollOnReload, rememberScroll, restoreScroll } from "./scroll";

function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>("main h1") ?? document.querySelector("main");
  if (heading === null) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

/** Joins react-router and the server: each tells the other where the page has moved. */
export function Navigation(): ReactNode {
  const runtime = useRuntime();
  const navigate = useNavigate();
  const location = useLocation();
  const kind = useNavigationType();
  const shown = useRef(location);

  useEffect(() => {
    runtime.bindMove(({ path, replace }) => void navigate(path, { replace }));
  }, [runtime, navigate]);

  useEffect(() => {
    const click = (event: MouseEvent): void => {
      const path = pathOfClick(event, runtime.page.base);
      if (path === null) return;
      event.preventDefault();
      void navigate(path);
    };
    document.addEventListener("click", click);
    return () => document.removeEventListener("click", click);
  }, [runtime, navigate]);

  useEffect(() => {
    keepScrollOnReload(() => shown.current.key);
    restoreScroll(shown.current.key);
  }, []);

  useEffect(() => {
    const before = shown.current;
    if (before.key === location.key) return;
    shown.current = location;
    const isOtherPath = before.pathname !== location.pathname;
    if (isOtherPath || before.search !== location.search) {
      if (isOtherPath) rememberScroll(before.key);
      runtime.reportLocation(() => {
        if (!isOtherPath || shown.current !== location) return;
        if (kind === NavigationType.Pop) restoreScroll(location.key);
        else scrollTo(0, 0);
        focusHeading();
      });
    }
  }, [runtime, location, kind]);

  return null;
}
