import { createContext, type ReactNode, use, useDeferredValue, useLayoutEffect, useSyncExternalStore } from "react";
import { ErrorBoundary } from "./ErrorBoundary";
import { HydratedContext } from "./hydrated";
import { Problem } from "./Problem";
import type { WidgetNode } from "./protocol";
import { useRuntime } from "./Runtime";
import { useWidgetHandlers } from "./useHandlers";
import { WidgetRegistry } from "./widgets";

export const WidgetsContext = createContext(new WidgetRegistry({}));

/** A widget's container. It shows the server's content until the page is hydrated and the widget's chunk has loaded. */
export function Widget({ node, children }: { readonly node: WidgetNode; readonly children: ReactNode }): ReactNode {
  const isPainted = use(WidgetsContext).isPainted(node.w);
  const isHydrated = use(HydratedContext);
  return (
    <div data-widget={node.w}>{isPainted || isHydrated ? <LoadedWidget node={node}>{children}</LoadedWidget> : children}</div>
  );
}

function LoadedWidget({ node, children }: { readonly node: WidgetNode; readonly children: ReactNode }): ReactNode {
  const runtime = useRuntime();
  const registry = use(WidgetsContext);
  // The signal's current value, not its initial one: a painted widget has loaded before hydration begins.
  const signal = registry.load(node.w);
  // Deferred, because all widgets of a kind load at the same moment: React renders them one after the other.
  const loading = useDeferredValue(useSyncExternalStore(signal.subscribe, signal.get, signal.get));
  const handlers = useWidgetHandlers(node.e);
  const isLoading = loading.state === "loading";
  useLayoutEffect(() => (isLoading ? runtime.readiness.hold() : undefined), [isLoading, runtime]);
  if (loading.state === "loading") return children;
  if (loading.state === "failed") return <Problem onRetry={() => registry.retry(node.w)} />;
  const Component = loading.component;
  return (
    <ErrorBoundary part={node.w}>
      <Component {...node.a} {...handlers}>
        {children}
      </Component>
    </ErrorBoundary>
  );
}
