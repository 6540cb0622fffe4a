import { type ComponentType, lazy, type ReactNode, Suspense, useState } from "react";
import type { Message } from "./Runtime";
import { useRuntime } from "./Runtime";
import { useSignal } from "./signal";
import { Waiting } from "./Waiting";

const MAX_AT_ONCE = 5;

const Toaster = lazy(async () => ({ default: (await import("../widgets/Toaster/Toaster")).Toaster }));
const Notices = lazy(async () => ({ default: (await import("../widgets/Toaster/Notices")).Notices }));

const isUrgent = ({ variant }: Message): boolean => variant === "error" || variant === "warning";

/**
 * The live regions for toasts and for notices. They exist before the first message, so that screen readers announce it; what shows the
 * messages is loaded with it.
 */
export function Toasts(): ReactNode {
  const { toasts, notices } = useRuntime();
  return (
    <>
      <Region className="fw-toasts" messages={useSignal(toasts)} List={Toaster} />
      <Region className="fw-notices" messages={useSignal(notices)} List={Notices} />
    </>
  );
}

interface RegionProps {
  readonly className: string;
  readonly messages: readonly Message[];
  readonly List: ComponentType<{ readonly messages: readonly Message[] }>;
}

function Region({ className, messages, List }: RegionProps): ReactNode {
  const [isNeeded, setNeeded] = useState(false);
  if (!isNeeded && messages.length > 0) setNeeded(true);
  const shown = messages.slice(0, MAX_AT_ONCE);
  const list = (some: readonly Message[]): ReactNode =>
    isNeeded ? (
      <Suspense fallback={<Waiting />}>
        <List messages={some} />
      </Suspense>
    ) : null;
  return (
    <div className={className}>
      {list(shown.filter(isUrgent))}
      <div role="status" aria-atomic="false">
        {list(shown.filter((each) => !isUrgent(each)))}
      </div>
    </div>
  );
}
