import { type ReactNode, useLayoutEffect } from "react";
import { useRuntime } from "./Runtime";

/** Shown while code or content is being fetched; the page is not ready until then. */
export function Waiting({ children }: { readonly children?: ReactNode }): ReactNode {
  const { readiness } = useRuntime();
  useLayoutEffect(() => readiness.hold(), [readiness]);
  return children;
}
