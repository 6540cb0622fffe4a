import { type ReactNode, useEffect, useState } from "react";
import { useRuntime } from "./Runtime";
import { useSignal } from "./signal";

const BANNER_DELAY_MS = 2_000;
const EXPLAIN_MS = 20_000;

/** Shows why the server refuses or pauses the page, or that the connection is lost, if it stays lost for a while. */
export function Offline(): ReactNode {
  return (
    <div role="status">
      <ConnectionStatus />
    </div>
  );
}

function ConnectionStatus(): ReactNode {
  const runtime = useRuntime();
  const isConnected = useSignal(runtime.isConnected);
  const refusal = useSignal(runtime.refusal);
  const pause = useSignal(runtime.pause);
  if (pause !== null) return <Banner text={pause} />; // A new session would lose the state that this one keeps.
  if (refusal !== null) return <Banner text={refusal} canRetry />;
  return isConnected ? null : <LostBanner />;
}

/** Says that the page is reconnecting. After a while, explains the problem and what the administrator can do. */
function LostBanner(): ReactNode {
  const { t, page, isServerReachable } = useRuntime();
  const isReachable = useSignal(isServerReachable);
  const isOverdue = useElapsed(BANNER_DELAY_MS);
  const isLong = useElapsed(EXPLAIN_MS);
  if (!isOverdue) return null;
  if (!isLong) return <Banner text={t("Reconnecting…")} />;
  const blocked = t("The server responds, but something between it and your browser blocks this page's connection. Ask your administrator to allow WebSocket upgrades at {socket} or unbuffered responses from {stream}.");
  const unreachable = t("The server cannot be reached. Check your network connection. This page keeps trying, and what you typed is kept.");
  const address = location.host + page.base;
  const text = isReachable ? blocked.replace("{socket}", `${address}/socket`).replace("{stream}", `${address}/stream`) : unreachable;
  return <Banner text={text} canRetry />;
}

function useElapsed(duration: number): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), duration);
    return () => clearTimeout(timer);
  }, [duration]);
  return isOver;
}

function Banner({ text, canRetry = false }: { readonly text: string; readonly canRetry?: boolean }): ReactNode {
  const { t, retry } = useRuntime();
  return (
    <p className="fw-offline">
      {text}{" "}
      {canRetry ? (
        <button type="button" onClick={retry}>
          {t("Try again")}
        </button>
      ) : null}
    </p>
  );
}
