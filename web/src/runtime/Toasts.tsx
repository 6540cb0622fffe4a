import { lazy, type ReactNode, Suspense, useState } from "react";
import type { ToastMessage } from "./Runtime";
import { useRuntime } from "./Runtime";
import { useSignal } from "./signal";
import { Waiting } from "./Waiting";

const MOST_AT_ONCE = 5;

const Toaster = lazy(async () => ({ default: (await import("../widgets/Toaster/Toaster")).Toaster }));

const isUrgent = ({ variant }: ToastMessage): boolean => variant === "error" || variant === "warning";

/** Where messages appear: screen readers know the place of the quiet ones before the first comes, which brings their looks. */
export function Toasts(): ReactNode {
  const toasts = useSignal(useRuntime().toasts);
  const [isNeeded, setNeeded] = useState(false);
  if (!isNeeded && toasts.length > 0) setNeeded(true);
  const shown = toasts.slice(0, MOST_AT_ONCE);
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
