import { type ReactNode, startTransition, useEffect, useLayoutEffect, useState } from "react";
import { Announcer } from "./Announcer";
import { ErrorBoundary } from "./ErrorBoundary";
import { HydratedContext } from "./hydrated";
import { restoreFields } from "./keptFields";
import { followMoves } from "./moves";
import { Offline } from "./Offline";
import { type Runtime, RuntimeContext } from "./Runtime";
import { type Unsubscribe, useSignal } from "./signal";
import { Toasts } from "./Toasts";
import { Tree } from "./Tree";
import { WidgetsContext } from "./Widget";
import type { WidgetRegistry } from "./widgets";

interface AppProps {
  readonly runtime: Runtime;
  readonly widgets: WidgetRegistry;
}

/** The root of the React tree: the toasts, and the server-rendered page with its widgets. */
export function App({ runtime, widgets }: AppProps): ReactNode {
  const [isHydrated, setHydrated] = useState(false);
  useLayoutEffect(() => followMoves(runtime), [runtime]);
  useLayoutEffect(() => {
    runtime.isHydrated.set(true);
    if (!restoreFields(runtime.page.account)) {
      runtime.notify(runtime.t("Your text was too long to keep while you signed in. Enter it again."));
    }
    startTransition(() => setHydrated(true));
  }, [runtime]);
  useLayoutEffect(() => (isHydrated ? undefined : runtime.readiness.hold()), [isHydrated, runtime]);
  return (
    <RuntimeContext value={runtime}>
      <WidgetsContext value={widgets}>
        <HydratedContext value={isHydrated}>
          <ErrorBoundary part="page">
            <Screen runtime={runtime} />
          </ErrorBoundary>
          {isHydrated ? <AfterHydration runtime={runtime} /> : null}
        </HydratedContext>
      </WidgetsContext>
    </RuntimeContext>
  );
}

function Screen({ runtime }: { readonly runtime: Runtime }): ReactNode {
  return <Tree node={useSignal(runtime.tree)} />;
}

function AfterHydration({ runtime }: { readonly runtime: Runtime }): ReactNode {
  useEffect(() => {
    const { account } = runtime.page;
    return account === null ? undefined : followInteractionLater(runtime);
  }, [runtime]);
  return (
    <>
      <Announcer />
      <Offline />
      <Toasts />
    </>
  );
}

/** The page counts as ready only once keyboard and focus handling are loaded. */
function followInteractionLater({ readiness }: Runtime): Unsubscribe {
  let stop: Unsubscribe = readiness.hold();
  let isOver = false;
  void import("./interaction")
    .then(({ followInteraction }) => {
      stop();
      if (!isOver) stop = followInteraction(document.body);
    })
    .catch(stop);
  return () => {
    isOver = true;
    stop();
  };
}
