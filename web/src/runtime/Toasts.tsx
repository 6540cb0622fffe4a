import { lazy, type ReactNode, Suspense, useState } from "react";
import { useRuntime } from "./Runtime";
import { useSignal } from "./signal";
import { Waiting } from "./Waiting";

const Toaster = lazy(async () => ({ default: (await import("../widgets/Toaster/Toaster")).Toaster }));

/** Brings the toaster as soon as there is something to say. */
export function Toasts(): ReactNode {
  const waiting = useSignal(useRuntime().toasts);
  const [isNeeded, setNeeded] = useState(false);
  if (!isNeeded && waiting.length > 0) setNeeded(true);
  return isNeeded ? (
    <Suspense fallback={<Waiting />}>
      <Toaster />
    </Suspense>
  ) : null;
}
