import type { ReactNode } from "react";
import { useRuntime } from "./Runtime";
import { useSignal } from "./signal";

/** Says the title of a page one has moved to, for those who listen to it. */
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
