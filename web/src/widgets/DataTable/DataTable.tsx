import "./DataTable.css";
import { lazy, type ReactNode, Suspense, useSyncExternalStore } from "react";
import type { DataTableProps } from "../../generated/widgets";
import { Waiting } from "../../runtime/Waiting";
import { Cards } from "./Cards";

const narrow = matchMedia("(max-width: 599px)");
const loadGrid = () => import("./Grid");
const Grid = lazy(async () => ({ default: (await loadGrid()).Grid }));

/** Settled when what this screen needs is there, so that the server's table stays in sight until then. */
export const whenReady: Promise<unknown> = narrow.matches ? Promise.resolve() : loadGrid();

function subscribe(listener: () => void): () => void {
  narrow.addEventListener("change", listener);
  return () => narrow.removeEventListener("change", listener);
}

/** Rows that the server pages, sorts and filters: a grid, or a list of cards where a grid would not fit. */
export function DataTable(props: DataTableProps): ReactNode {
  const isNarrow = useSyncExternalStore(subscribe, () => narrow.matches);
  if (isNarrow) return <Cards {...props} />;
  return (
    <Suspense
      fallback={
        <Waiting>
          <div className="fw-skeleton fw-skeleton-block" />
        </Waiting>
      }
    >
      <Grid {...props} />
    </Suspense>
  );
}
