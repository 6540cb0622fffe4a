import { lazy, type ReactNode, Suspense, useSyncExternalStore } from "react";
import type { DataTableProps } from "../../generated/widgets";
import { Cards } from "./Cards";

const Grid = lazy(async () => ({ default: (await import("./Grid")).Grid }));

const narrow = matchMedia("(max-width: 599px)");

function subscribe(listener: () => void): () => void {
  narrow.addEventListener("change", listener);
  return () => narrow.removeEventListener("change", listener);
}

/** Rows that the server pages, sorts and filters: a grid, or a list of cards where a grid would not fit. */
export function DataTable(props: DataTableProps): ReactNode {
  const isNarrow = useSyncExternalStore(subscribe, () => narrow.matches);
  if (isNarrow) return <Cards {...props} />;
  return (
    <Suspense fallback={<div className="fw-skeleton fw-skeleton-block" />}>
      <Grid {...props} />
    </Suspense>
  );
}
