import { type ReactNode, useEffect, useState } from "react";
import { useRuntime } from "./Runtime";
import { useSignal } from "./signal";

const QUIET_MS = 2_000;

/** Says why the server does not let the page in, or that the connection is lost, but only when it stays lost. */
export function Offline(): ReactNode {
  const runtime = useRuntime();
  const isConnected = useSignal(runtime.isConnected);
  const refusal = useSignal(runtime.refusal);
  return <div role="status">{refusal !== null ? <Banner text={refusal} /> : isConnected ? null : <LateBanner text={runtime.t("Reconnecting…")} />}</div>;
}

function LateBanner({ text }: { readonly text: string }): ReactNode {
  const [isOverdue, setOverdue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOverdue(true), QUIET_MS);
    return () => clearTimeout(timer);
  }, []);
  return isOverdue ? <Banner text={text} /> : null;
}

function Banner({ text }: { readonly text: string }): ReactNode {
  return <p className="fw-offline">{text}</p>;
}
