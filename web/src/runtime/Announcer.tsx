import type { ReactNode } from "react";
import { useLocation } from "react-router";
import { useRuntime } from "./Runtime";
import { useSignal } from "./signal";

/** Says the title of a page one has moved to, for those who listen to it. */
export function Announcer(): ReactNode {
  const runtime = useRuntime();
  const title = useSignal(runtime.title);
  const { pathname } = useLocation();
  const hasMoved = pathname !== runtime.page.path.split("?")[0];
  return (
    <div className="fw-visually-hidden" aria-live="polite">
      {hasMoved ? title : ""}
    </div>
  );
}
