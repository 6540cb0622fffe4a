import type { ReactNode } from "react";
import { useRuntime } from "./Runtime";
import { useSignal } from "./signal";

/** Announces the title of the new page to screen readers after a navigation. */
export function Announcer(): ReactNode {
  const runtime = useRuntime();
  const title = useSignal(runtime.title);
  const hasMoved = useSignal(runtime.hasMoved);
  return (
    <div className="fw-visually-hidden" aria-live="polite">
      {hasMoved ? title : ""}
    </div>
  );
}
