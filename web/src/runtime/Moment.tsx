import { type ReactNode, use } from "react";
import { formatDate, MOMENT } from "./dates";
import { HydratedContext } from "./hydrated";
import type { ElementNode } from "./protocol";
import { useRuntime } from "./Runtime";

/** Whether a node is a point in time created by `moment()` in Python. */
export function isMoment(node: ElementNode): boolean {
  return node.a?.["data-moment"] !== undefined;
}

/** A point in time: in the server's format until the page is hydrated, then in the reader's time zone. */
export function Moment({ node, children }: { readonly node: ElementNode; readonly children: ReactNode }): ReactNode {
  const { page } = useRuntime();
  const { dateTime, "data-moment": shown } = node.a as { readonly dateTime: string; readonly "data-moment": keyof typeof MOMENT };
  return (
    <time dateTime={dateTime} data-moment={shown}>
      {use(HydratedContext) ? formatDate(dateTime, page.language, MOMENT[shown]) : children}
    </time>
  );
}
