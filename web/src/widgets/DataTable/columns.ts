import type { DataTableProps, TableColumn } from "../../generated/widgets";

/** A column of this page. */
export interface ShownColumn extends TableColumn {
  /** Whether it is also shown on a narrow screen. */
  readonly isCompact: boolean;
  /** Whether it is shown only on wide screens. */
  readonly isWide: boolean;
}

export type TableProps = Omit<DataTableProps, "columns"> & { readonly columns: readonly ShownColumn[] };

export function shownColumns({ columns, shown, compact, wide }: Pick<DataTableProps, "columns" | "shown" | "compact" | "wide">): ShownColumn[] {
  return columns.flatMap((column, index) => (shown.includes(index) ? [{ ...column, isCompact: compact.includes(index), isWide: wide.includes(index) }] : []));
}
