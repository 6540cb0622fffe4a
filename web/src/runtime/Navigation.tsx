import { useEffect } from "react";
import { pathOfClick } from "./links";
import { useRuntime } from "./Runtime";

/** Follows clicked links without loading a document. */
export function Navigation(): null {
  const runtime = useRuntime();

  useEffect(() => {
    const click = (event: MouseEvent): void => {
      const path = pathOfClick(event, runtime.page.base);
      if (path === null) return;
      event.preventDefault();
      runtime.go(path);
    };
    document.addEventListener("click", click);
    return () => document.removeEventListener("click", click);
  }, [runtime]);

  return null;
}
