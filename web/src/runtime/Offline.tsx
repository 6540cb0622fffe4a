import { type ReactNode, useEffect, useState } from "react";
import { useRuntime } from "./Runtime";
import { useSignal } from "./signal";

const QUIET_MS = 2_000;

/** Says that the connection is lost, but only when it stays lost. */
export function Offline(): ReactNode {
  const runtime = useRuntime();
  const isConnected = useSignal(runtime.isConnected);
  return <div role="status">{isConnected ? null : <Banner text={runtime.t("Reconnecting…")} />}</div>;
}

function Banner({ text }: { readonly text: string }): ReactNode {
  const [isOverdue, setOverdue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOverdue(true), QUIET_MS);
    return () => clearTimeout(timer);
  }, []);
  return isOverdue ? <p className="fw-offline">{text}</p> : null;
}
