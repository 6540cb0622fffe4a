import "./DataTable.css";
import { type ReactNode, useDeferredValue, useMemo, useSyncExternalStore } from "react";
import type { DataTableProps } from "../../generated/widgets";
import { Cards } from "./Cards";
import { shownColumns } from "./columns";
import { Grid } from "./Grid";
import { wholeId } from "./wholeId";

const narrow = matchMedia("(max-width: 599px)");

function subscribe(listener: () => void): () => void {
  narrow.addEventListener("change", listener);
  return () => narrow.removeEventListener("change", listener);
}

/**
 * Rows that the server pages and sorts, as a table, or as a list of cards if the screen is too narrow. The server renders the table
 * (components/fundwright_ui/widgets/data_table.py), so hydration always starts with the table. The cards replace it in a transition.
 */
export function DataTable(props: DataTableProps): ReactNode {
  const isNarrow = useDeferredValue(useSyncExternalStore(subscribe, () => narrow.matches, () => false));
  const ids = useMemo(() => props.ids.map(wholeId), [props.ids]);
  const { columns: all, shown, compact, wide } = props;
  const columns = useMemo(() => shownColumns({ columns: all, shown, compact, wide }), [all, shown, compact, wide]);
  return isNarrow ? <Cards {...props} ids={ids} columns={columns} /> : <Grid {...props} ids={ids} columns={columns} />;
}
