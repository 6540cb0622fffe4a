import { lazy, type ReactNode, Suspense, useState } from "react";
import type { ToastMessage } from "./Runtime";
import { useRuntime } from "./Runtime";
import { useSignal } from "./signal";
import { Waiting } from "./Waiting";

const MAX_AT_ONCE = 5;

const Toaster = lazy(async () => ({ default: (await import("../widgets/Toaster/Toaster")).Toaster }));

const isUrgent = ({ variant }: ToastMessage): boolean => variant === "error" || variant === "warning";

/** The live regions for toasts. They exist before the first toast, so that screen readers announce it; the toaster is loaded with it. */
export function Toasts(): ReactNode {
  const toasts = useSignal(useRuntime().toasts);
  const [isNeeded, setNeeded] = useState(false);
  if (!isNeeded && toasts.length > 0) setNeeded(true);
  const shown = toasts.slice(0, MAX_AT_ONCE);
  const list = (some: readonly ToastMessage[]): ReactNode =>
    isNeeded ? (
      <Suspense fallback={<Waiting />}>
        <Toaster toasts={some} />
      </Suspense>
    ) : null;
  return (
    <div className="fw-toasts">
      {list(shown.filter(isUrgent))}
      <div role="status" aria-atomic="false">
        {list(shown.filter((each) => !isUrgent(each)))}
      </div>
    </div>
  );
}
