import {
  DataGrid,
  getGridNumericOperators,
  getGridStringOperators,
  type GridColDef,
  type GridFilterModel,
  type GridLocaleText,
  type GridSortModel,
} from "@mui/x-data-grid";
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useState } from "react";
import type { Column, DataTableProps, Row, TableQuery } from "../../generated/widgets";
import { useRuntime } from "../../runtime/Runtime";
import { MuiScope } from "../../theme/MuiScope";
import { CellContent } from "./CellContent";

const NUMERIC = new Set<Column["kind"]>(["number", "money", "percent"]);
const PAGE_SIZES = [10, 25, 50, 100];

function defineColumn(column: Column, language: string): GridColDef<Row> {
  const isNumeric = NUMERIC.has(column.kind);
  const operators = isNumeric ? getGridNumericOperators() : getGridStringOperators();
  const known = new Set(isNumeric ? ["=", ">=", "<="] : ["contains", "equals"]);
  return {
    field: column.field,
    headerName: column.label,
    flex: column.flex,
    minWidth: column.minWidth,
    sortable: column.isSortable,
    filterable: column.isFilterable,
    type: isNumeric ? "number" : "string",
    filterOperators: operators.filter(({ value }) => known.has(value)),
    valueGetter: (_value, row) => row.cells[column.field] ?? null,
    renderCell: ({ row }) => <CellContent value={row.cells[column.field]} column={column} language={language} />,
  };
}

/** The sentences MUI's grid says in the page's language; English is built in. */
function useGridLanguage(language: string): Partial<GridLocaleText> | undefined {
  const [text, setText] = useState<Partial<GridLocaleText>>();
  useEffect(() => {
    if (language !== "de" && language !== "fr") return;
    void (language === "de" ? import("./german") : import("./french")).then((loaded) => setText(loaded.text));
  }, [language]);
  return text;
}

/** MUI's data grid; the server pages, sorts and filters. A row opens by a press or by Enter. */
export function Grid(props: DataTableProps): ReactNode {
  const { label, columns, rows, total, page, pageSize, sort, filters, isLoading, language, emptyText, onQuery, onOpen } = props;
  const runtime = useRuntime();
  const localeText = useGridLanguage(language);
  const definitions = useMemo(() => columns.map((column) => defineColumn(column, language)), [columns, language]);
  const sortModel = useMemo<GridSortModel>(() => (sort === null ? [] : [{ field: sort.field, sort: sort.direction }]), [sort]);
  const filterModel = useMemo<GridFilterModel>(() => ({ items: filters.map((filter, id) => ({ id, ...filter })) }), [filters]);
  const ask = (changes: Partial<TableQuery>): void => onQuery?.({ page, pageSize, sort, filters, ...changes });

  /** With another size of pages, the one that holds the row which stood first. */
  const turn = (to: number, size: number): void =>
    ask({ page: size === pageSize ? to : Math.floor(((page - 1) * pageSize) / size) + 1, pageSize: size });

  const filter = (model: GridFilterModel): void => {
    const complete = model.items.filter(({ value }) => value !== undefined && value !== "");
    const next = complete.map(({ field, operator, value }) => ({ field, operator, value: String(value) }));
    if (JSON.stringify(next) !== JSON.stringify(filters)) ask({ page: 1, filters: next });
  };
  const openByKey = (id: string, event: KeyboardEvent): void => {
    if (event.key === "Enter" && !isControl(event.target)) onOpen?.({ id });
  };

  return (
    <MuiScope>
      <div className="fw-grid-frame" data-opens={onOpen === undefined ? undefined : true}>
        <DataGrid<Row>
          aria-label={label}
          nonce={runtime.page.nonce}
          columns={definitions}
          rows={rows}
          rowCount={total}
          loading={isLoading}
          paginationMode="server"
          sortingMode="server"
          filterMode="server"
          paginationModel={{ page: page - 1, pageSize }}
          pageSizeOptions={PAGE_SIZES.includes(pageSize) ? PAGE_SIZES : [pageSize, ...PAGE_SIZES]}
          sortModel={sortModel}
          filterModel={filterModel}
          filterDebounceMs={300}
          onPaginationModelChange={(model) => turn(model.page + 1, model.pageSize)}
          onSortModelChange={([first]) =>
            ask({ page: 1, sort: first?.sort ? { field: first.field, direction: first.sort } : null })
          }
          onFilterModelChange={filter}
          onRowClick={({ id }, event) => {
            if (!isControl(event.target)) onOpen?.({ id: String(id) });
          }}
          onCellKeyDown={({ id }, event) => openByKey(String(id), event)}
          getRowHeight={() => "auto"}
          disableRowSelectionOnClick
          disableColumnSelector
          columnHeaderHeight={48}
          sx={{ "& .MuiDataGrid-cell": { display: "flex", alignItems: "center", paddingBlock: 1.5, lineHeight: 1.45 } }}
          localeText={{ ...localeText, noRowsLabel: emptyText, noResultsOverlayLabel: emptyText }}
        />
      </div>
    </MuiScope>
  );
}

/** Whether something in the row takes the press or the key for itself. */
function isControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest("a, button, input, [role=checkbox]") !== null;
}
