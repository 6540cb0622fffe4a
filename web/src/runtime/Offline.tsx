import { type ReactNode, useEffect, useState } from "react";
import { useRuntime } from "./Runtime";
import { useSignal } from "./signal";

const QUIET_MS = 2_000;

/** Says why the server does not let the page in, or that the connection is lost, but only when it stays lost. */
export function Offline(): ReactNode {
  const runtime = useRuntime();
  const isConnected = useSignal(runtime.isConnected);
  const refusal = useSignal(runtime.refusal);
  const retry = (
    <button type="button" onClick={runtime.retry}>
      {runtime.t("Try again")}
    </button>
  );
  return (
    <div role="status">
      {refusal !== null ? <Banner text={refusal}>{retry}</Banner> : isConnected ? null : <LateBanner text={runtime.t("Reconnecting…")} />}
    </div>
  );
}

function LateBanner({ text }: { readonly text: string }): ReactNode {
  const [isOverdue, setOverdue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOverdue(true), QUIET_MS);
    return () => clearTimeout(timer);
  }, []);
  return isOverdue ? <Banner text={text} /> : null;
}

function Banner({ text, children }: { readonly text: string; readonly children?: ReactNode }): ReactNode {
  return (
    <p className="fw-offline">
      {text} {children}
    </p>
  );
}
